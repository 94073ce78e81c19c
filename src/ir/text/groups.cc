#include "ir/text/groups.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"

namespace sinter {
namespace {

constexpr int64_t kMost = 1 << 20;

absl::Status ParseIntegers(Lexer& l, char close, Dims& list) {
  if (l.Eat(close)) return absl::OkStatus();
  do {
    if (!l.EatInt(&list.emplace_back())) return l.Error("expected an integer");
  } while (l.Eat(','));
  return l.Expect(close, "after a list of integers");
}

absl::StatusOr<int64_t> Product(Lexer& l, const Dims& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1) return l.Error("groups of {} participants", size);
    if (size > kMost || (product *= size) > kMost) {
      return ResourceExhausted("more than {} participants", kMost);
    }
  }
  return product;
}

// Behind "[2,4]<=": numbers in rows.
absl::Status ParseIota(Lexer& l, const Dims& shape, Groups& groups) {
  Dims dims, order;
  RETURN_IF_ERROR(l.Expect('[', "before the dimensions of a list of participants"));
  RETURN_IF_ERROR(ParseIntegers(l, ']', dims));
  if (shape.size() != 2) return l.Error("groups are given as [groups,participants of each]");
  if (l.Eat('T')) {
    RETURN_IF_ERROR(l.Expect('(', "before a transposition"));
    RETURN_IF_ERROR(ParseIntegers(l, ')', order));
  } else {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  Dims sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool permutes = order.size() == dims.size();
  for (size_t d = 0; permutes && d < sorted.size(); ++d) {
    permutes = sorted[d] == static_cast<int64_t>(d);
  }
  if (!permutes)
    return l.Error("the transposition is no permutation of {} dimensions", dims.size());
  ASSIGN_OR_RETURN(int64_t count, Product(l, dims));
  ASSIGN_OR_RETURN(int64_t in_groups, Product(l, shape));
  RETURN_IF_ERROR(l.CountImplied(count));
  if (count != in_groups) {
    return l.Error("{} participants in groups for {}", count, in_groups);
  }
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  groups.assign(static_cast<size_t>(shape[0]), {});
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, number = 0;
    for (size_t d = order.size(); d-- > 0;) {
      auto from = static_cast<size_t>(order[d]);
      number += rest % dims[from] * strides[from];
      rest /= dims[from];
    }
    groups[static_cast<size_t>(n / shape[1])].push_back(number);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseGroups(Lexer& l, Groups& groups) {
  l.SkipSpace();
  const size_t at = l.pos();
  if (l.Eat('[')) {
    Dims shape;
    RETURN_IF_ERROR(ParseIntegers(l, ']', shape));
    if (!l.Eat("<=")) return l.Error("expected '<='");
    absl::Status s = ParseIota(l, shape, groups);
    if (!s.ok()) l.set_pos(at);
    return s;
  }
  RETURN_IF_ERROR(l.Expect('{', "before groups"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(l.Expect('{', "before a group"));
    RETURN_IF_ERROR(ParseIntegers(l, '}', groups.emplace_back()));
  } while (l.Eat(','));
  return l.Expect('}', "after groups");
}

}  // namespace sinter
