#include "sinter/lib/arithmetic.h"

#include "builder/impl.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Combine = Op (*)(const Operand&, const Operand&, absl::Span<const int64_t>);

Computation OfTwoScalars(std::string_view name, ElementType type, Builder* parent,
                         Combine combine) {
  if (parent == nullptr) return Computation();
  std::unique_ptr<Builder> b = parent->CreateSubBuilder(std::string(name));
  Op x = Parameter(b.get(), 0, Shape(type), "x");
  Op y = Parameter(b.get(), 1, Shape(type), "y");
  combine(x, y, {});
  return b->BuildAndNoteError();
}

Op ReduceAllOf(const Operand& predicates, bool init, Combine combine) {
  ComposedAt at(predicates);
  return ReduceAll(predicates, init, [combine](Op x, Op y) { return combine(x, y, {}); });
}

// Reduces pairs of a value and its position.
Op ArgExtreme(const Operand& input, ElementType output_type, int64_t axis, bool greatest) {
  Builder* builder = input.builder();
  if (builder == nullptr) return Op();
  ComposedAt at(input);
  absl::StatusOr<Shape> shape = builder->GetShape(input.op());
  // The reduction reports an error of the operand.
  ElementType type = shape.ok() ? shape->element_type() : ElementType::F32;
  Op start = greatest ? MinValue(builder, type) : MaxValue(builder, type);
  Shape indices = shape.ok() ? *shape : Shape();
  indices.set_element_type(output_type);
  Op positions = Iota(builder, indices, axis);
  auto combine = [&](Op x, Op i, Op y, Op j) {
    Op is_first = greatest ? Gt(x, y) : Lt(x, y);
    Op is_same = Eq(x, y);
    if (IsFloat(type)) {
      Op x_nan = Ne(x, x), y_nan = Ne(y, y);
      is_first = Or(is_first, And(x_nan, Not(y_nan)));
      is_same = Or(is_same, And(x_nan, y_nan));
    }
    Op value = Select(Or(is_first, is_same), x, y);
    Op position = Select(is_first, i, Select(is_same, Min(i, j), j));
    return std::pair(value, position);
  };
  Op both = Reduce(builder, {input.op(), positions}, {start, Zero(builder, output_type)}, combine,
                   {axis});
  return GetTupleElement(both, 1);
}

}  // namespace

Computation CreateScalarAddComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("add", type, builder, Add);
}
Computation CreateScalarMultiplyComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("mul", type, builder, Mul);
}
Computation CreateScalarGeComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("ge", type, builder, Ge);
}
Computation CreateScalarMaxComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("max", type, builder, Max);
}
Computation CreateScalarMinComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("min", type, builder, Min);
}
Computation CreateScalarAndComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("and", type, builder, And);
}
Computation CreateScalarOrComputation(ElementType type, Builder* builder) {
  return OfTwoScalars("or", type, builder, Or);
}

Op Any(const Operand& predicates) { return ReduceAllOf(predicates, false, Or); }
Op All(const Operand& predicates) { return ReduceAllOf(predicates, true, And); }

Op ArgMax(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, true);
}
Op ArgMin(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, false);
}

}  // namespace sinter
