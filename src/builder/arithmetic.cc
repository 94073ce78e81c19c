#include "sinter/lib/arithmetic.h"

#include "builder/impl.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Combine = OpHandle (*)(const Operand&, const Operand&, absl::Span<const int64_t>);

ComputationHandle OfTwoScalars(std::string_view name, ElementType type, Builder* parent,
                               Combine combine) {
  std::unique_ptr<Builder> b = parent->CreateSubBuilder(std::string(name));
  OpHandle x = Parameter(b.get(), 0, Shape(type), "x");
  OpHandle y = Parameter(b.get(), 1, Shape(type), "y");
  combine(x, y, {});
  return b->BuildAndNoteError();
}

OpHandle ReduceAllOf(const Operand& predicates, bool init, Combine combine) {
  ComposedAt at(predicates);
  return ReduceAll(predicates, init,
                   [combine](OpHandle x, OpHandle y) { return combine(x, y, {}); });
}

// Reduces pairs of a value and its position.
OpHandle ArgExtreme(const Operand& input, ElementType output_type, int64_t axis, bool greatest) {
  Builder* builder = input.builder();
  if (builder == nullptr) return OpHandle();
  ComposedAt at(input);
  absl::StatusOr<Shape> shape = builder->GetShape(input.op());
  // What is wrong with the operand is told by the reduction.
  ElementType type = shape.ok() ? shape->element_type() : ElementType::F32;
  OpHandle start = greatest ? MinValue(builder, type) : MaxValue(builder, type);
  Shape indices = shape.ok() ? *shape : Shape();
  indices.set_element_type(output_type);
  OpHandle positions = Iota(builder, indices, axis);
  auto combine = [&](OpHandle x, OpHandle i, OpHandle y, OpHandle j) {
    OpHandle is_first = greatest ? Gt(x, y) : Lt(x, y);
    OpHandle is_same = Eq(x, y);
    if (IsFloat(type)) {
      OpHandle x_nan = Ne(x, x), y_nan = Ne(y, y);
      is_first = Or(is_first, And(x_nan, Not(y_nan)));
      is_same = Or(is_same, And(x_nan, y_nan));
    }
    OpHandle value = Select(Or(is_first, is_same), x, y);
    OpHandle position = Select(is_first, i, Select(is_same, Min(i, j), j));
    return std::pair(value, position);
  };
  OpHandle both = Reduce(builder, {input.op(), positions}, {start, Zero(builder, output_type)},
                         combine, {axis});
  return GetTupleElement(both, 1);
}

}  // namespace

ComputationHandle CreateScalarAddComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("add", type, builder, Add);
}
ComputationHandle CreateScalarMultiplyComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("mul", type, builder, Mul);
}
ComputationHandle CreateScalarGeComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("ge", type, builder, Ge);
}
ComputationHandle CreateScalarMaxComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("max", type, builder, Max);
}
ComputationHandle CreateScalarMinComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("min", type, builder, Min);
}
ComputationHandle CreateScalarAndComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("and", type, builder, And);
}
ComputationHandle CreateScalarOrComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("or", type, builder, Or);
}

OpHandle Any(const Operand& predicates) { return ReduceAllOf(predicates, false, Or); }
OpHandle All(const Operand& predicates) { return ReduceAllOf(predicates, true, And); }

OpHandle ArgMax(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, true);
}
OpHandle ArgMin(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, false);
}

}  // namespace sinter
