#include "sinter/lib/arithmetic.h"

#include "builder/impl.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

Op ReduceAllOf(const Operand& predicates, bool init, Op (*combine)(Op, Op)) {
  ComposedAt at(predicates);
  return ReduceAll(predicates, init, combine);
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

Computation CreateScalarComputation(const std::string& name, ElementType type, Builder* builder,
                                    const OpGenerator& generator) {
  if (builder == nullptr) return Computation();
  std::unique_ptr<Builder> b = builder->CreateSubBuilder(name);
  Op x = Parameter(b.get(), 0, Shape(type), "x");
  Op y = Parameter(b.get(), 1, Shape(type), "y");
  generator(x, y);
  return b->BuildAndNoteError();
}

Computation CreateScalarAddComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("add", type, builder, [](Op x, Op y) { return Add(x, y); });
}
Computation CreateScalarMultiplyComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("mul", type, builder, [](Op x, Op y) { return Mul(x, y); });
}
Computation CreateScalarGeComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("ge", type, builder, [](Op x, Op y) { return Ge(x, y); });
}
Computation CreateScalarMaxComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("max", type, builder, [](Op x, Op y) { return Max(x, y); });
}
Computation CreateScalarMinComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("min", type, builder, [](Op x, Op y) { return Min(x, y); });
}
Computation CreateScalarAndComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("and", type, builder, [](Op x, Op y) { return And(x, y); });
}
Computation CreateScalarOrComputation(ElementType type, Builder* builder) {
  return CreateScalarComputation("or", type, builder, [](Op x, Op y) { return Or(x, y); });
}
Computation CreateScalarIdentityWithZeroComputation(ElementType type, Builder* builder) {
  return IsInteger(type) || type == ElementType::PRED ? CreateScalarOrComputation(type, builder)
                                                      : CreateScalarAddComputation(type, builder);
}

Op Any(const Operand& predicates) {
  return ReduceAllOf(predicates, false, [](Op x, Op y) { return Or(x, y); });
}
Op All(const Operand& predicates) {
  return ReduceAllOf(predicates, true, [](Op x, Op y) { return And(x, y); });
}

Op ArgMax(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, true);
}
Op ArgMin(const Operand& input, ElementType output_type, int64_t axis) {
  return ArgExtreme(input, output_type, axis, false);
}
Op ArgMinMax(const Operand& input, ElementType output_type, int64_t axis, bool is_min) {
  return ArgExtreme(input, output_type, axis, !is_min);
}

}  // namespace sinter
