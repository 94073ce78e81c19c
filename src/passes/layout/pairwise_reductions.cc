#include "passes/layout/pairwise_reductions.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/short_dimensions.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Whether the operand of a broadcast has this dimension of it.
bool Has(const HloInstruction& broadcast, int64_t d) {
  return absl::c_linear_search(broadcast.dimensions(), d);
}

// Writes one reduction with the last two dimensions of what it reduces exchanged.
class Exchange : ShapedGraph {
 public:
  Exchange(HloComputation& c, HloInstruction& reduce) : ShapedGraph(c, reduce), reduce_(reduce) {}

  // The reduction on exchanged operands; null where it is none of pairs.
  HloInstruction* Make() {
    if (!SuitsReduction() || !Collect(*reduce_.operand(0)) || !of_rows_ || !of_pairs_ ||
        !AreNeededHereOnly())
      return nullptr;
    HloInstruction* pairs = Exchanged(reduce_.operand(0));
    return Add(HloOpcode::Reduce, reduce_.shape(), {pairs, reduce_.operand(1)},
               DimensionsAttrs{{last_ - 1}}, reduce_.called());
  }

 private:
  bool SuitsReduction() {
    if (reduce_.op() != HloOpcode::Reduce || reduce_.operands().size() != 2 ||
        !IsScalarComputation(*reduce_.called(0)))
      return false;
    const Shape& s = reduce_.operand(0)->shape();
    last_ = s.rank() - 1;
    if (s.rank() < 3 || reduce_.dimensions() != Dims{last_} ||
        BitWidth(s.element_type()) < 32)  // of these a sum is rounded once, or vectors are longer
      return false;
    const int64_t columns = s.dimension(last_ - 1), reduced = s.dimension(last_);
    return columns >= tuning::kLeastPairedRows && reduced > kMostReduced &&
           reduced <= tuning::kMostPairedColumns;
  }

  // Finds the tree of operations on pairs down to what is broadcast into it. False where some of it
  // is in memory as it is, or large.
  bool Collect(HloInstruction& x) {
    if (!seen_.insert(&x).second) return true;
    if (x.shape().is_scalar()) return true;
    if (x.op() == HloOpcode::Broadcast) {
      const HloInstruction& of = *x.operand(0);
      if (!Has(x, last_)) {
        // Whatever it repeats along the reduced dimension stays in the order it has.
        return of.shape().element_count() * tuning::kFewestPairs <= x.shape().element_count();
      }
      if (!Has(x, last_ - 1)) {
        of_rows_ = true;
        return true;
      }
      of_pairs_ = true;
      const int64_t rank = of.shape().rank();
      return x.dimensions()[static_cast<size_t>(rank) - 1] == last_ &&
             x.dimensions()[static_cast<size_t>(rank) - 2] == last_ - 1 &&
             of.shape().element_count() * tuning::kFewestPairs <= x.shape().element_count();
    }
    if (x.op() == HloOpcode::Iota) return true;
    if (!IsElementwise(x.op()) || nodes_.size() >= kMostNodes) return false;
    nodes_.insert(&x);
    return absl::c_all_of(x.operands(), [&](HloInstruction* o) { return Collect(*o); });
  }
  bool AreNeededHereOnly() const {
    return absl::c_all_of(nodes_, [&](const HloInstruction* x) {
      return absl::c_all_of(x->users(), [&](const HloInstruction* user) {
        return user == &reduce_ || nodes_.contains(user);
      });
    });
  }

  int64_t To(int64_t d) const { return d == last_ ? last_ - 1 : d == last_ - 1 ? last_ : d; }
  Shape Exchanged(const Shape& s) const {
    Dims dims = s.dimensions();
    std::swap(dims[static_cast<size_t>(last_)], dims[static_cast<size_t>(last_) - 1]);
    return Shape(s.element_type(), std::move(dims));
  }

  HloInstruction* Exchanged(HloInstruction* x) {
    if (x->shape().is_scalar()) return x;
    HloInstruction*& made = exchanged_[x];
    if (made != nullptr) return made;
    HloInstruction* result = nullptr;
    if (x->op() == HloOpcode::Iota) {
      result = Add(HloOpcode::Iota, Exchanged(x->shape()), {},
                   IotaAttrs{To(x->attrs<IotaAttrs>().iota_dimension)});
    } else if (x->op() == HloOpcode::Broadcast) {
      HloInstruction* of = x->operand(0);
      Dims dims = x->dimensions();
      if (Has(*x, last_) && Has(*x, last_ - 1)) {
        Dims order;
        for (int64_t d = 0; d < of->shape().rank(); ++d) order.push_back(d);
        std::swap(order.back(), order[order.size() - 2]);
        of = Transpose(of, order);
      } else {
        for (int64_t& d : dims) d = To(d);
      }
      result = Add(HloOpcode::Broadcast, Exchanged(x->shape()), {of}, DimensionsAttrs{dims});
    } else {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* o : x->operands()) operands.push_back(Exchanged(o));
      result = Add(x->op(), Exchanged(x->shape()), operands, x->attributes(), x->called());
    }
    return exchanged_[x] = result;
  }

  static constexpr size_t kMostNodes = 64;
  HloInstruction& reduce_;
  int64_t last_ = 0;
  bool of_rows_ = false, of_pairs_ = false;  // arrays along the reduced dimension, of each kind
  absl::flat_hash_set<const HloInstruction*> seen_, nodes_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> exchanged_;
};

}  // namespace

std::unique_ptr<Pass> MakePairwiseReductionsPass() {
  return MakeExpansionPass(
      "pairwise-reductions",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        return Exchange(c, i).Make();
      });
}

}  // namespace sinter
