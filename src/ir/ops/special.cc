// Shape rules of ops that neither compute nor move elements.

#include "ir/ops/rule.h"
#include "types/leaves.h"

namespace sinter::infer {
absl::StatusOr<Shape> Declared(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  if (auto* a = std::get_if<ParameterAttrs>(&in.attrs)) {
    REQUIRE(a->number >= 0, "the number {} must not be negative", a->number);
  }
  if (auto* a = std::get_if<CustomCallAttrs>(&in.attrs); a && !a->stated_shapes.empty()) {
    std::vector<const Shape*> leaves;
    for (const Shape* operand : in.operands) AppendLeaves(*operand, leaves);
    AppendLeaves(*in.declared, leaves);
    REQUIRE(leaves.size() == a->stated_shapes.size(), "states {} shapes for {} arrays",
            a->stated_shapes.size(), leaves.size());
    for (size_t k = 0; k < leaves.size(); ++k) {
      REQUIRE(leaves[k]->packed_byte_size() == a->stated_shapes[k].packed_byte_size(),
              "states {} for {}, of another size", a->stated_shapes[k].ToString(),
              leaves[k]->ToString());
    }
  }
  return *in.declared;
}

absl::StatusOr<Shape> Constant(const InferInput& in) {
  const auto& value = in.as<ConstantAttrs>().value;
  REQUIRE(value, "has no value");
  return value->shape();
}

absl::StatusOr<Shape> Tuple(const InferInput& in) {
  std::vector<Shape> elements;
  elements.reserve(in.operands.size());
  for (const Shape* s : in.operands) elements.push_back(*s);
  return Shape::Tuple(std::move(elements));
}

absl::StatusOr<Shape> GetTupleElement(const InferInput& in) {
  const Shape& tuple = in.operand(0);
  int64_t i = in.as<TupleElementAttrs>().index;
  REQUIRE(tuple.is_tuple(), "the operand must be a tuple");
  REQUIRE(0 <= i && i < static_cast<int64_t>(tuple.tuple_shapes().size()),
          "(C1) the tuple of {} has no element {}", tuple.tuple_shapes().size(), i);
  return tuple.tuple_shapes()[static_cast<size_t>(i)];
}

absl::StatusOr<Shape> Token(const InferInput& in) {
  for (const Shape* s : in.operands) REQUIRE(s->is_token(), "the operands must be tokens");
  return Shape::Token();
}

}  // namespace sinter::infer
