#include "passes/layout/split_groups.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/short_dimensions.h"
#include "passes/layout/split_array.h"

namespace sinter::layout {
namespace {

// Operations that kernels do not join with others, of which a group has at least so many.
constexpr int kFewestApart = 2;
// The operations of the largest product in a group that has nothing else of the kind: kernels of
// their own are as fast for larger ones than those of 4 x 4 matrices, and compile in a tenth of the
// time.
constexpr int64_t kLargestProduct = 128;
// Parts of a row that are moved one by one: those of a shorter one come from a few cache lines at
// once. And the operations for each that is moved, so that what they gain is worth it, of which one
// that would be a kernel or a loop of its own counts as many (attention over edges of a graph, of 4
// x 16 elements: 1.7 operations a part, 7 times as long; states of games compile in half the time
// and run as fast or faster; scans by halves of rows of 32, of which each step is apart, take
// half).
constexpr int64_t kFewestMoved = 17, kOperationsOfMoved = 8, kOperationsApart = 12;
// Parts of rows that leave a group to be reduced to fewer rows, beside two for each further
// operation that is apart: more are not one kernel's, and what they are computed of goes through
// memory or is computed again for each (gradients of pair distances of 10 components: 1.9 instead
// of 0.17 ms).
constexpr int64_t kMostPartsReduced = 8, kPartsReducedApart = 2;

// Whether it takes some of an array's short rows or of their elements.
bool CutsShort(const HloInstruction& slice) {
  const Shape &from = slice.operand(0)->shape(), &to = slice.shape();
  for (int64_t d = from.rank() - ShortDimensions(from); d < from.rank(); ++d)
    if (to.dimension(d) < from.dimension(d)) return true;
  return false;
}

// Whether rows are reduced to fewer.
bool ReducesRows(const HloInstruction& i) {
  if (i.op() != HloOpcode::Reduce) return false;
  const int64_t rows = i.operand(0)->shape().rank() - ShortDimensions(i.operand(0)->shape());
  return absl::c_any_of(i.dimensions(), [&](int64_t d) {
    return d < rows && i.operand(0)->shape().dimension(d) > 1;
  });
}

// Whether elements of a row meet in a way that would be a loop of a kernel of its own.
bool IsApart(const HloInstruction& i) {
  auto is_short = [&](const HloInstruction* x, int64_t d) {
    return d >= x->shape().rank() - ShortDimensions(x->shape()) && x->shape().dimension(d) > 1;
  };
  switch (i.op()) {
    case HloOpcode::Reduce:
      // What is reduced over windows is read where it is, without the windows being made.
      return absl::c_all_of(i.dimensions(), [&](int64_t d) {
        return is_short(i.operand(0), d) && !IsPositionInWindow(*i.operand(0), d);
      });
    case HloOpcode::Dot: {
      const auto& a = i.attrs<DotAttrs>();
      return !a.lhs_batch_dims.empty() && !a.lhs_contracting_dims.empty() &&
             is_short(i.operand(0), a.lhs_contracting_dims[0]) &&
             is_short(i.operand(1), a.rhs_contracting_dims[0]);
    }
    case HloOpcode::Slice:
      return IsElementwise(i.operand(0)->op()) && CutsShort(i);
    case HloOpcode::Gather:
    case HloOpcode::Scatter:
      return is_short(i.operand(0), RowIndicesOf(i)->axis);
    default:
      return false;
  }
}

}  // namespace

bool IsFree(const HloInstruction& i) {
  return i.op() == HloOpcode::Iota ||
         (i.op() == HloOpcode::Broadcast && i.operand(0)->shape().rank() == 0);
}

int64_t OperationsOf(const HloInstruction& i, const SplitArray& result) {
  const int64_t from =
      i.operands().empty() ? 1 : SplitArray::Of(*i.operand(0)).value_or(result).parts;
  switch (i.op()) {
    case HloOpcode::Reduce:
      return from;
    case HloOpcode::Dot: {
      int64_t terms = 1;
      for (int64_t d : i.attrs<DotAttrs>().lhs_contracting_dims)
        terms *= i.operand(0)->shape().dimension(d);
      return 2 * terms * result.parts;
    }
    case HloOpcode::Gather:
      return 2 * result.parts * i.operand(0)->shape().dimension(RowIndicesOf(i)->axis);
    case HloOpcode::Scatter:
      return 2 * result.parts * SplitArray::Of(*i.operand(2))->parts;
    default:
      return IsElementwise(i.op()) ? result.parts : 0;
  }
}

SplitGroups::SplitGroups(const std::vector<HloInstruction*>& order) {
  for (HloInstruction* i : order) {
    if (!i->shape().is_array() || i->shape().rank() == 0 || IsFree(*i)) continue;
    const auto split = SplitArray::Of(*i);
    if (!split || split->PartElements() < kFewestRows || !CanSplit(*i)) continue;
    const size_t group = groups_.size();
    const int64_t operations = OperationsOf(*i, *split);
    const bool is_apart = IsApart(*i), is_product = is_apart && i->op() == HloOpcode::Dot;
    groups_.push_back(
        {group, operations, is_apart ? 1 : 0, is_product ? 1 : 0, is_product ? operations : 0});
    of_[i] = group;
    for (HloInstruction* o : i->operands())
      if (const auto at = of_.find(o); at != of_.end()) Join(at->second, group);
  }
  CountMoved(order);
}

void SplitGroups::CountMoved(const std::vector<HloInstruction*>& order) {
  absl::flat_hash_set<std::pair<const HloInstruction*, size_t>> counted;  // for which group
  auto count = [&](const HloInstruction* i, size_t group) {
    const auto split = SplitArray::Of(*i);
    const bool is_many = split && split->PartElements() >= kFewestRows && !IsFree(*i);
    if (is_many && split->parts >= kFewestMoved && counted.insert({i, group}).second)
      groups_[group].moved += split->parts;
  };
  for (const HloInstruction* i : order) {
    const auto user = of_.find(i);
    for (const HloInstruction* o : i->operands()) {
      const auto operand = of_.find(o);
      if (user != of_.end() && operand == of_.end()) count(o, Find(user->second));
      if (user != of_.end() || operand == of_.end()) continue;
      count(o, Find(operand->second));
      if (ReducesRows(*i)) groups_[Find(operand->second)].reduced += SplitArray::Of(*o)->parts;
    }
    if (user != of_.end() && i == i->parent()->root()) count(i, Find(user->second));
  }
}

bool SplitGroups::Replaces(const HloInstruction* i) {
  const auto at = of_.find(i);
  if (at == of_.end()) return false;
  const Group& group = groups_[Find(at->second)];
  return group.apart >= kFewestApart && group.operations <= kMostOperations &&
         group.operations + kOperationsApart * group.apart >= kOperationsOfMoved * group.moved &&
         (group.apart > group.products || group.largest <= kLargestProduct) &&
         group.reduced <= kMostPartsReduced + kPartsReducedApart * (group.apart - kFewestApart);
}

size_t SplitGroups::Find(size_t g) {
  while (groups_[g].parent != g) g = groups_[g].parent = groups_[groups_[g].parent].parent;
  return g;
}

void SplitGroups::Join(size_t x, size_t y) {
  x = Find(x), y = Find(y);
  if (x == y) return;
  groups_[y].parent = x;
  groups_[x].operations += groups_[y].operations;
  groups_[x].apart += groups_[y].apart;
  groups_[x].products += groups_[y].products;
  groups_[x].largest = std::max(groups_[x].largest, groups_[y].largest);
}

}  // namespace sinter::layout
