#include "ir/analysis/product_chain.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/scalar_computation.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Rows of whole vectors: others are masked in each product, for more than small ones save by
// staying out of memory (windows of 49 elements, 32 wide: 1.3 times as long).
constexpr int64_t kWholeVectors = 16;

// A product [batch..., m, n] of floats whose operands have one free and one contracted dimension,
// and that is worth packing, were it not for its size where the rows between two products, of `row`
// elements, fill vectors: what saves their way through memory (heads of 16 elements).
bool IsOfMatrices(const HloInstruction& dot, int64_t row) {
  const auto& a = dot.attrs<DotAttrs>();
  const auto batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  return IsFloat(dot.shape().element_type()) && a.lhs_contracting_dims.size() == 1 &&
         dot.operand(0)->shape().rank() == batch + 2 &&
         dot.operand(1)->shape().rank() == batch + 2 &&
         (IsWorthPacking(dot) ||
          (row % kWholeVectors == 0 && IsWorthPacking(dot, /*is_across=*/true)));
}

// Dimensions of more than one element: the others may stand anywhere.
Dims LongDims(const Shape& s) {
  Dims dims;
  for (int64_t d = 0; d < s.rank(); ++d)
    if (s.dimension(d) != 1) dims.push_back(d);
  return dims;
}
Dims LongSizes(const Shape& s) {
  Dims sizes;
  for (int64_t d : LongDims(s)) sizes.push_back(s.dimension(d));
  return sizes;
}

class ChainFinder {
 public:
  explicit ChainFinder(const HloInstruction& second)
      : second_(second), rows_(*second.operand(0)), full_(LongSizes(rows_.shape())) {
    row_.assign(full_.begin(), full_.end() - 1);
  }

  std::optional<ProductChain> Find() {
    Collect(&rows_);
    if (found_.first == nullptr || failed_) return std::nullopt;
    // Of what was reached, what depends on the first product.
    std::vector<const HloInstruction*> order;
    Depends(&rows_, order);
    for (const HloInstruction* i : order) {
      found_.members.insert(i);
      if (i->op() == HloOpcode::Reduce) found_.reductions.push_back(i);
    }
    for (const HloInstruction* i : order) {
      for (const HloInstruction* u : i->users())
        if (u != &second_ && !found_.members.contains(u)) return std::nullopt;
    }
    if (second_.operand(1) == &rows_ || found_.members.contains(second_.parent()->root()))
      return std::nullopt;
    return std::move(found_);
  }

 private:
  bool HasRows(const HloInstruction& i) const { return LongSizes(i.shape()) == full_; }
  bool HasRowValues(const HloInstruction& i) const { return LongSizes(i.shape()) == row_; }

  // Whether the long dimensions of a broadcast's operand are the result's first ones, in order.
  static bool KeepsOrder(const HloInstruction& broadcast) {
    const Dims to = LongDims(broadcast.shape());
    const Dims from = LongDims(broadcast.operand(0)->shape());
    for (size_t k = 0; k < from.size(); ++k)
      if (broadcast.dimensions()[static_cast<size_t>(from[k])] != to[k]) return false;
    return true;
  }
  static bool MovesShortOnly(const HloInstruction& transpose) {
    int64_t before = -1;
    for (int64_t d : transpose.dimensions()) {
      if (transpose.operand(0)->shape().dimension(d) == 1) continue;
      if (d < before) return false;
      before = d;
    }
    return true;
  }
  // Of whole rows.
  static bool ReducesLast(const HloInstruction& reduce) {
    const Shape& from = reduce.operand(0)->shape();
    int64_t reduced = 0;
    for (int64_t d : reduce.dimensions()) reduced += from.dimension(d) != 1;
    return reduced == 1 && absl::c_linear_search(reduce.dimensions(), LongDims(from).back());
  }

  // Operations that chains may have.
  bool IsRowwise(const HloInstruction& i) const {
    if (&i == found_.first) return true;
    if (!i.shape().is_array() || !(HasRows(i) || HasRowValues(i))) return false;
    if (IsElementwise(i.op())) return true;
    if (i.operands().empty() || !i.operand(0)->shape().is_array()) return false;
    const HloInstruction& x = *i.operand(0);
    const bool same = HasRows(x) == HasRows(i) && HasRowValues(x) == HasRowValues(i);
    switch (i.op()) {
      case HloOpcode::Reduce:
        return HasRowValues(i) && HasRows(x) && i.operands().size() == 2 && ReducesLast(i) &&
               IsScalarComputation(*i.called(0));
      case HloOpcode::Broadcast:
        return (same || (HasRows(i) && HasRowValues(x))) && KeepsOrder(i);
      case HloOpcode::Reshape:
        return same && OperandIndexMap(i, 0).has_value();
      case HloOpcode::Transpose:
        return same && MovesShortOnly(i);
      default:
        return false;
    }
  }

  // A product of the rows, with the batches of the second.
  bool IsFirst(const HloInstruction& dot) const {
    return HasRows(dot) && IsOfMatrices(dot, full_.back());
  }

  // Goes up from the left operand, as far as operations of chains lead, to a product.
  void Collect(const HloInstruction* i) {
    std::vector<const HloInstruction*> stack{i};
    while (!stack.empty() && !failed_) {
      i = stack.back();
      stack.pop_back();
      if (!seen_.insert(i).second) continue;
      if (seen_.size() > tuning::kMostChainMembers) failed_ = true;
      if (i->op() == HloOpcode::Dot && IsFirst(*i)) {
        failed_ |= found_.first != nullptr;
        found_.first = i;
        continue;
      }
      if (!IsRowwise(*i)) continue;
      for (const HloInstruction* o : i->operands()) stack.push_back(o);
    }
  }
  // Appends, operands before users, what depends on the first product, `i` included; false where
  // `i` does not.
  bool Depends(const HloInstruction* i, std::vector<const HloInstruction*>& order) {
    if (!seen_.contains(i)) return false;
    if (const auto known = depends_.find(i); known != depends_.end()) return known->second;
    bool depends = i == found_.first;
    if (!depends && IsRowwise(*i))
      for (const HloInstruction* o : i->operands()) depends |= Depends(o, order);
    depends_[i] = depends;
    if (depends) order.push_back(i);
    return depends;
  }

  const HloInstruction& second_;
  const HloInstruction& rows_;  // its left operand
  const Dims full_;             // sizes of its long dimensions
  Dims row_;                    // without the last one
  ProductChain found_;
  bool failed_ = false;
  absl::flat_hash_set<const HloInstruction*> seen_;
  absl::flat_hash_map<const HloInstruction*, bool> depends_;
};

}  // namespace

std::optional<ProductChain> ProductChainOf(const HloInstruction& second) {
  if (second.op() != HloOpcode::Dot || second.operand(0)->shape().rank() == 0) return std::nullopt;
  const Dims& dims = second.operand(0)->shape().dimensions();
  if (!IsOfMatrices(second, dims.back())) return std::nullopt;
  const auto& a = second.attrs<DotAttrs>();
  const Shape& left = second.operand(0)->shape();
  if (a.lhs_contracting_dims[0] != left.rank() - 1 ||
      left.dimension(left.rank() - 1) > tuning::kLongestChainRow)
    return std::nullopt;
  for (size_t d = 0; d < a.lhs_batch_dims.size(); ++d)
    if (a.lhs_batch_dims[d] != static_cast<int64_t>(d)) return std::nullopt;
  std::optional<ProductChain> chain = ChainFinder(second).Find();
  if (!chain) return std::nullopt;
  const HloInstruction& first = *chain->first;
  const int64_t depth =
      first.operand(0)->shape().dimension(first.attrs<DotAttrs>().lhs_contracting_dims[0]);
  const int64_t packed = left.dimension(left.rank() - 1) *
                         (depth + second.shape().dimension(second.shape().rank() - 1));
  if (depth > tuning::kProductDepth || packed > tuning::kMostChainPacked) return std::nullopt;
  return chain;
}

}  // namespace sinter
