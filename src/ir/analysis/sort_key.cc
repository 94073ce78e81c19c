#include "ir/analysis/sort_key.h"

#include <algorithm>
#include <cmath>

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

// The key of a comparison by one of these directions.
std::optional<SortKey> KeyOfComparison(const HloInstruction* compare, ComparisonDirection less,
                                       ComparisonDirection greater) {
  if (compare->op() != HloOpcode::Compare) return std::nullopt;
  const auto& attrs = compare->attrs<CompareAttrs>();
  const bool is_less = attrs.direction == less;
  if (!is_less && attrs.direction != greater) return std::nullopt;
  std::optional<size_t> left = OnlyParameter(compare->operand(0)),
                        right = OnlyParameter(compare->operand(1));
  if (!left || !right || *left == *right || *left / 2 != *right / 2) return std::nullopt;
  if (!SameFunction(compare->operand(0), compare->operand(1))) return std::nullopt;
  if (IsComplex(compare->operand(0)->shape().element_type())) return std::nullopt;
  const bool swapped = *left > *right;  // compare(f(b), f(a))
  return SortKey{*left / 2, compare->operand(swapped ? 1 : 0), is_less == swapped,
                 attrs.type == ComparisonType::kTotalOrder};
}

// Whether `equal` compares what the key is made of, by EQ (or NE).
bool IsEquality(const HloInstruction* equal, ComparisonDirection direction, const SortKey& key) {
  const std::optional<SortKey> other = KeyOfComparison(equal, direction, direction);
  return other && other->operand == key.operand && SameFunction(other->value, key.value) &&
         (other->total_order == key.total_order || !IsFloat(key.value->shape().element_type()));
}

bool AppendKeys(const HloInstruction* root, std::vector<SortKey>& keys) {
  constexpr auto kLt = ComparisonDirection::kLt, kGt = ComparisonDirection::kGt;
  auto append = [&](const HloInstruction* strict, const HloInstruction* equal,
                    ComparisonDirection direction, const HloInstruction* rest) {
    const std::optional<SortKey> key = KeyOfComparison(strict, kLt, kGt);
    if (!key || !IsEquality(equal, direction, *key)) return false;
    keys.push_back(*key);
    if (AppendKeys(rest, keys)) return true;
    keys.clear();
    return false;
  };
  if (const std::optional<SortKey> key = KeyOfComparison(root, kLt, kGt)) {
    keys.push_back(*key);
    return true;
  }
  if (root->op() == HloOpcode::Or) {
    for (size_t k = 0; k < 2; ++k) {
      const HloInstruction* both = root->operand(1 - k);
      if (both->op() != HloOpcode::And) continue;
      for (size_t e = 0; e < 2; ++e) {
        if (append(root->operand(k), both->operand(e), ComparisonDirection::kEq,
                   both->operand(1 - e)))
          return true;
      }
    }
  }
  if (root->op() == HloOpcode::Select) {
    return append(root->operand(2), root->operand(0), ComparisonDirection::kEq, root->operand(1)) ||
           append(root->operand(1), root->operand(0), ComparisonDirection::kNe, root->operand(2));
  }
  return false;
}

bool IsZero(const HloInstruction* i) {
  return i->op() == HloOpcode::Constant && i->literal().GetAsDouble(0) == 0;
}
bool IsPositiveNan(const HloInstruction* i) {
  if (i->op() != HloOpcode::Constant) return false;
  const double value = i->literal().GetAsDouble(0);
  return std::isnan(value) && !std::signbit(value);
}

// Whether the value is the parameter, but that all NaNs are one, and zeros are.
bool MergesZerosAndNans(const HloInstruction* value) {
  auto is = [](const HloInstruction* i, ComparisonDirection direction) {
    return i->op() == HloOpcode::Compare && i->attrs<CompareAttrs>().direction == direction &&
           i->attrs<CompareAttrs>().type != ComparisonType::kTotalOrder;
  };
  // select(x != x, nan, y) and select(x == 0, 0, y), one within the other.
  bool nans = false, zeros = false;
  while (value->op() == HloOpcode::Select) {
    const HloInstruction *test = value->operand(0), *constant = value->operand(1);
    if (is(test, ComparisonDirection::kNe) && test->operand(0) == test->operand(1) &&
        test->operand(0)->op() == HloOpcode::Parameter && IsPositiveNan(constant)) {
      nans = true;
    } else if (is(test, ComparisonDirection::kEq) &&
               test->operand(0)->op() == HloOpcode::Parameter && IsZero(test->operand(1)) &&
               IsZero(constant)) {
      zeros = true;
    } else {
      return false;
    }
    value = value->operand(2);
  }
  return nans && zeros && value->op() == HloOpcode::Parameter;
}

// The order of the elements themselves that the key stands for, if there is one.
std::optional<SortOrder> OrderOf(const SortKey& key) {
  const bool plain = key.value->op() == HloOpcode::Parameter;
  const ElementType t = key.value->shape().element_type();
  if (plain && IsPredicate(t)) return SortOrder::kUnsigned;
  if (plain && IsInteger(t) && BitWidth(t) >= 8)
    return IsSigned(t) ? SortOrder::kSigned : SortOrder::kUnsigned;
  if (t != ElementType::F16 && t != ElementType::BF16 && t != ElementType::F32 &&
      t != ElementType::F64)
    return std::nullopt;
  if (plain) return key.total_order ? SortOrder::kFloat : SortOrder::kMerged;
  if (key.total_order && MergesZerosAndNans(key.value)) return SortOrder::kMerged;
  return std::nullopt;
}

}  // namespace

std::vector<SortKey> SortKeysOf(const HloInstruction& sort) {
  std::vector<SortKey> keys;
  if (IsScalarComputation(*sort.called(0))) AppendKeys(sort.called(0)->root(), keys);
  return keys;
}

std::vector<LibraryKey> LibraryKeysOf(const HloInstruction& sort) {
  std::vector<LibraryKey> keys;
  int bits = 0;
  for (const SortKey& key : SortKeysOf(sort)) {
    const std::optional<SortOrder> order = OrderOf(key);
    if (!order) return {};
    bits += 8 * ByteWidth(key.value->shape().element_type());
    keys.push_back({key.operand, *order, key.descending});
  }
  if (bits > 64) return {};
  return keys;
}

std::optional<LibraryKey> OnlyKeyOf(const HloInstruction& sort) {
  const std::vector<LibraryKey> keys = LibraryKeysOf(sort);
  if (keys.size() != 1 || keys[0].operand != 0) return std::nullopt;
  const SortKey compared = SortKeysOf(sort)[0];
  if (IsFloat(compared.value->shape().element_type()) && !compared.total_order) return std::nullopt;
  const bool plain = keys[0].order == SortOrder::kUnsigned && !keys[0].descending;
  if (sort.operands().size() > 1 && !plain) return std::nullopt;
  return keys[0];
}

CompareAttrs ComparisonOf(const HloInstruction& topk) {
  const auto& a = topk.attrs<TopKAttrs>();
  CompareAttrs compare{a.largest ? ComparisonDirection::kGt : ComparisonDirection::kLt};
  if (IsFloat(topk.operand(0)->shape().element_type()) && !a.merged)
    compare.type = ComparisonType::kTotalOrder;
  return compare;
}

std::vector<bool> ReadResults(const HloInstruction& sort) {
  std::vector<bool> read(sort.operands().size(), false);
  bool elements_only = sort.shape().is_tuple() && sort.parent()->root() != &sort;
  for (const HloInstruction* user : sort.users())
    elements_only &= user->op() == HloOpcode::GetTupleElement;
  if (!elements_only || sort.users().empty()) return std::vector<bool>(read.size(), true);
  for (const HloInstruction* user : sort.users())
    read[static_cast<size_t>(user->attrs<TupleElementAttrs>().index)] = true;
  return read;
}

}  // namespace sinter
