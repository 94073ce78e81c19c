#include "ir/analysis/product_chain.h"

#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/row_operations.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Rows of whole vectors: others are masked in each product, for more than small ones save by
// staying out of memory (windows of 49 elements, 32 wide: 1.3 times as long).
constexpr int64_t kWholeVectors = 16;

// A product [batch..., m, n] of floats whose operands have one free and one contracted dimension.
bool IsOfMatrices(const HloInstruction& dot) {
  const auto& a = dot.attrs<DotAttrs>();
  const auto batch = static_cast<int64_t>(a.lhs_batch_dims.size());
  return IsFloat(dot.shape().element_type()) && a.lhs_contracting_dims.size() == 1 &&
         dot.operand(0)->shape().rank() == batch + 2 && dot.operand(1)->shape().rank() == batch + 2;
}

// And one that is worth packing, were it not for its size where the rows between two products, of
// `row` elements, fill vectors.
bool IsOfChain(const HloInstruction& dot, int64_t row) {
  if (!IsOfMatrices(dot) || dot.shape().element_count() == 0) return false;
  const int64_t k =
      dot.operand(0)->shape().dimension(dot.attrs<DotAttrs>().lhs_contracting_dims[0]);
  const Dims& dims = dot.shape().dimensions();
  return IsWorthPacking(dot) || IsWorthChaining(dims[dims.size() - 2], dims.back(), k, row);
}

class ChainFinder {
 public:
  explicit ChainFinder(const HloInstruction& second)
      : second_(second), rows_(*second.operand(0)), operations_(rows_.shape()) {}

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
  // Operations that chains may have.
  bool IsRowwise(const HloInstruction& i) const { return &i == found_.first || operations_.Has(i); }

  // A product of the rows, with the batches of the second.
  bool IsFirst(const HloInstruction& dot) const {
    return operations_.HasRows(dot) && IsOfChain(dot, operations_.row());
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
  const RowOperations operations_;
  ProductChain found_;
  bool failed_ = false;
  absl::flat_hash_set<const HloInstruction*> seen_;
  absl::flat_hash_map<const HloInstruction*, bool> depends_;
};

}  // namespace

std::optional<ProductChain> ProductChainOf(const HloInstruction& second) {
  if (second.op() != HloOpcode::Dot || second.operand(0)->shape().rank() == 0) return std::nullopt;
  const Dims& dims = second.operand(0)->shape().dimensions();
  if (!IsOfChain(second, dims.back())) return std::nullopt;
  const auto& a = second.attrs<DotAttrs>();
  const Shape& left = second.operand(0)->shape();
  if (a.lhs_contracting_dims[0] != left.rank() - 1) return std::nullopt;
  for (size_t d = 0; d < a.lhs_batch_dims.size(); ++d)
    if (a.lhs_batch_dims[d] != static_cast<int64_t>(d)) return std::nullopt;
  std::optional<ProductChain> chain = ChainFinder(second).Find();
  if (!chain) return std::nullopt;
  const HloInstruction& first = *chain->first;
  const int64_t depth =
      first.operand(0)->shape().dimension(first.attrs<DotAttrs>().lhs_contracting_dims[0]);
  if (!FitsChain(left.element_count() / dims.back(), dims.back(), depth,
                 second.shape().dimensions().back()))
    return std::nullopt;
  return chain;
}

const HloInstruction* ProductOfRows(const HloInstruction& rows) {
  const RowOperations operations(rows.shape());
  const HloInstruction* product = nullptr;
  std::vector<const HloInstruction*> stack{&rows};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (!seen.insert(i).second) continue;
    if (seen.size() > tuning::kMostChainMembers) return nullptr;
    if (i->op() == HloOpcode::Dot && operations.HasRows(*i) && IsOfMatrices(*i)) {
      if (product != nullptr) return nullptr;
      product = i;
    } else if (operations.Has(*i)) {
      stack.insert(stack.end(), i->operands().begin(), i->operands().end());
    }
  }
  return product;
}

std::optional<RowReader> ReaderOfRows(const HloInstruction& x) {
  const RowOperations operations(x.shape());
  std::vector<const HloInstruction*> stack{&x};
  absl::flat_hash_set<const HloInstruction*> seen;
  while (!stack.empty()) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (!seen.insert(i).second) continue;
    if (seen.size() > tuning::kMostChainMembers) return std::nullopt;
    for (const HloInstruction* u : i->users()) {
      if (operations.Has(*u)) stack.push_back(u);
      if (u->op() != HloOpcode::Dot || !operations.HasRows(*i)) continue;
      const auto& a = u->attrs<DotAttrs>();
      const size_t side = u->operand(0) == i ? 0 : 1;
      if (!AreWholeRows(i->shape(), side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims))
        continue;
      const Shape& other = u->operand(1 - side)->shape();
      if (other.element_count() == 0) continue;
      int64_t columns = other.element_count() / operations.row();
      for (int64_t d : side == 0 ? a.rhs_batch_dims : a.lhs_batch_dims)
        columns /= other.dimension(d);
      return RowReader{u, columns};
    }
  }
  return std::nullopt;
}

bool IsWorthChaining(int64_t m, int64_t n, int64_t k, int64_t row) {
  return row % kWholeVectors == 0 && IsWorthPacking(m, n, k, /*is_across=*/true);
}

bool FitsChain(int64_t rows, int64_t row, int64_t depth, int64_t columns) {
  const int64_t packed = row * (depth + columns);
  return row <= tuning::kLongestChainRow && depth <= tuning::kProductDepth &&
         packed <= tuning::kMostChainPacked &&
         (rows >= tuning::kFewestChainRows || packed <= tuning::kSmallChain);
}

}  // namespace sinter
