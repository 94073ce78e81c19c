// Shape rules of ops that neither compute nor move elements.

#include "ir/ops/rule.h"
#include "types/leaves.h"

namespace sinter::infer {
namespace {

absl::Status CheckLayouts(absl::Span<const Dims> layouts, const std::vector<const Shape*>& leaves,
                          std::string_view role) {
  REQUIRE(layouts.size() == leaves.size(), "states {} layouts for {} arrays of its {}",
          layouts.size(), leaves.size(), role);
  for (size_t k = 0; k < leaves.size(); ++k) {
    const Dims& order = layouts[k];
    const bool fits = order.empty() || (static_cast<int64_t>(order.size()) == leaves[k]->rank() &&
                                        InRange(order, leaves[k]->rank()) && IsUnique(order));
    REQUIRE(fits, "{} is no layout of {}", Text(order), leaves[k]->ToString());
  }
  return absl::OkStatus();
}

absl::Status CheckAlias(const OutputOperandAlias& alias, const InferInput& in) {
  REQUIRE(alias.operand >= 0 && alias.operand < static_cast<int64_t>(in.operands.size()),
          "an alias of operand {} of {}", alias.operand, in.operands.size());
  const Shape* from = Subshape(in.operand(static_cast<size_t>(alias.operand)), alias.operand_index);
  const Shape* to = Subshape(*in.declared, alias.output_index);
  REQUIRE(from && to, "an alias of a part that operand {} or the result has not", alias.operand);
  REQUIRE(Agree(*from, *to), "an alias of operand {}, {}, and of a result {}", alias.operand,
          from->ToString(), to->ToString());
  return absl::OkStatus();
}

absl::Status CheckCustomCall(const CustomCallAttrs& a, const InferInput& in) {
  for (const OutputOperandAlias& alias : a.output_to_operand_aliasing)
    RETURN_IF_ERROR(CheckAlias(alias, in));
  if (a.stated_shapes.empty() && a.layouts.empty()) return absl::OkStatus();
  std::vector<const Shape*> leaves, results;
  for (const Shape* operand : in.operands) AppendLeaves(*operand, leaves);
  AppendLeaves(*in.declared, results);
  if (!a.layouts.empty()) {
    RETURN_IF_ERROR(CheckLayouts(a.layouts.operands, leaves, "operands"));
    RETURN_IF_ERROR(CheckLayouts(a.layouts.results, results, "result"));
  }
  if (a.stated_shapes.empty()) return absl::OkStatus();
  leaves.insert(leaves.end(), results.begin(), results.end());
  REQUIRE(leaves.size() == a.stated_shapes.size(), "states {} shapes for {} arrays",
          a.stated_shapes.size(), leaves.size());
  for (size_t k = 0; k < leaves.size(); ++k) {
    REQUIRE(leaves[k]->packed_byte_size() == a.stated_shapes[k].packed_byte_size(),
            "states {} for {}, of another size", a.stated_shapes[k].ToString(),
            leaves[k]->ToString());
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> Declared(const InferInput& in) {
  REQUIRE(in.declared, "needs the result's shape");
  if (auto* a = std::get_if<ParameterAttrs>(&in.attrs)) {
    REQUIRE(a->number >= 0, "the number {} must not be negative", a->number);
  }
  if (auto* a = std::get_if<CustomCallAttrs>(&in.attrs)) RETURN_IF_ERROR(CheckCustomCall(*a, in));
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
