#include "ir/analysis/sort_key.h"

#include <algorithm>

#include "ir/analysis/scalar_computation.h"

namespace sinter {
namespace {

// The only parameter that a value is computed from; nothing if there are none or several.
std::optional<size_t> OnlyParameter(const HloInstruction* root) {
  std::optional<size_t> only;
  std::vector<const HloInstruction*> stack{root}, seen;
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (std::find(seen.begin(), seen.end(), i) != seen.end()) continue;
    seen.push_back(i);
    if (i->op() == HloOpcode::Parameter) {
      const auto number = static_cast<size_t>(i->attrs<ParameterAttrs>().number);
      if (only && *only != number) return std::nullopt;
      only = number;
    }
    stack.insert(stack.end(), i->operands().begin(), i->operands().end());
  }
  return only;
}

// Whether two values are the same function of their parameters.
bool SameFunction(const HloInstruction* a, const HloInstruction* b) {
  constexpr size_t kMost = 1000;  // a chain of shared operands is walked more than once
  std::vector<std::pair<const HloInstruction*, const HloInstruction*>> stack{{a, b}};
  for (size_t visited = 0; !stack.empty(); ++visited) {
    if (visited > kMost) return false;
    auto [x, y] = stack.back();
    stack.pop_back();
    if (x->op() != y->op() || !(x->shape() == y->shape()) ||
        x->operands().size() != y->operands().size())
      return false;
    if (x->op() != HloOpcode::Parameter && !(x->attributes() == y->attributes())) return false;
    for (size_t k = 0; k < x->operands().size(); ++k)
      stack.push_back({x->operand(k), y->operand(k)});
  }
  return true;
}

}  // namespace

std::optional<SortKey> SortKeyOf(const HloInstruction& sort) {
  const HloComputation& comparator = *sort.called(0);
  const HloInstruction* root = comparator.root();
  if (root->op() != HloOpcode::Compare || !IsScalarComputation(comparator)) return std::nullopt;
  const auto& attrs = root->attrs<CompareAttrs>();
  const bool less = attrs.direction == ComparisonDirection::kLt;
  if (!less && attrs.direction != ComparisonDirection::kGt) return std::nullopt;
  std::optional<size_t> left = OnlyParameter(root->operand(0)),
                        right = OnlyParameter(root->operand(1));
  if (!left || !right || *left == *right || *left / 2 != *right / 2) return std::nullopt;
  if (!SameFunction(root->operand(0), root->operand(1))) return std::nullopt;
  if (IsComplex(root->operand(0)->shape().element_type())) return std::nullopt;
  const bool swapped = *left > *right;  // compare(f(b), f(a))
  return SortKey{*left / 2, root->operand(swapped ? 1 : 0), less == swapped,
                 attrs.type == ComparisonType::kTotalOrder};
}

bool SortsByUnsignedKey(const HloInstruction& sort) {
  std::optional<SortKey> key = SortKeyOf(sort);
  return key && key->operand == 0 && !key->descending && key->value->op() == HloOpcode::Parameter &&
         IsUnsigned(key->value->shape().element_type());
}

}  // namespace sinter
