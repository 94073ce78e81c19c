#include "passes/layout/slice_motion.h"

#include <tuple>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/op_cost.h"
#include "pass/graph.h"
#include "target/price.h"

namespace sinter {
namespace {

// Parts along the minor dimension that are shorter than this, of arrays in memory, are no vectors.
constexpr int64_t kShortestRow = 16;
// Each part is code of its own.
constexpr size_t kMostParts = 16;

// Whether it is computed from nothing as large in memory.
bool TakesNoMemory(const HloInstruction& i) {
  return i.op() == HloOpcode::Broadcast || i.op() == HloOpcode::Iota ||
         i.op() == HloOpcode::Constant || i.shape().is_scalar();
}

bool IsValue(const HloInstruction& i) {
  return IsElementwise(i.op()) && i.shape().is_array() && !i.shape().is_scalar();
}

class Mover : ShapedGraph {
 public:
  Mover(HloComputation& c, const TargetInfo& target) : c_(c), target_(target) {}

  bool Run() {
    const std::vector<HloInstruction*> order = c_.PostOrder();
    for (const HloInstruction* i : order) Learn(*i);
    // What is made is no more than what was there: chains of slices would else be code of the
    // square of their length.
    size_t left = order.size() + 64;
    bool changed = false;
    // Users first: the slices of a value become slices of its operands, which come next.
    for (size_t k = order.size(); k-- > 0;) {
      HloInstruction& value = *order[k];
      if (!Moves(value)) continue;
      std::vector<HloInstruction*> slices = SlicesOf(value);
      const size_t code = slices.size() * (1 + value.operands().size());
      if (slices.empty() || code > left) continue;
      left -= code;
      for (HloInstruction* slice : slices) c_.ReplaceAllUses(slice, PartOf(value, *slice));
      changed = true;
    }
    if (changed) c_.RemoveDead();
    return changed;
  }

 private:
  // Whether a value is made, element by element, of a loop's results, beside which it is computed.
  void Learn(const HloInstruction& i) {
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::GetTupleElement:
      case HloOpcode::Constant:
      case HloOpcode::Iota:
      case HloOpcode::Broadcast:
      case HloOpcode::Slice:
      case HloOpcode::DynamicSlice:
      case HloOpcode::Reverse:
      case HloOpcode::Pad:
      case HloOpcode::Concatenate:
        return;
      default:
        if (!IsElementwise(i.op()) ||
            absl::c_any_of(i.operands(), [&](auto* o) { return of_loops_.contains(o); }))
          of_loops_.insert(&i);
    }
  }

  bool Moves(const HloInstruction& value) const {
    return IsValue(value) && !of_loops_.contains(&value) && &value != c_.root();
  }

  // The slices of the value that had better be slices of its operands.
  std::vector<HloInstruction*> SlicesOf(const HloInstruction& value) const {
    std::vector<HloInstruction*> slices;
    int64_t elements = 0;
    bool is_read_otherwise = false;
    const bool takes_no_memory =
        absl::c_all_of(value.operands(), [](const HloInstruction* o) { return TakesNoMemory(*o); });
    for (HloInstruction* user : value.users()) {
      // What RemoveDead has not seen yet.
      if (user->users().empty() && user != c_.root()) continue;
      if (user->op() != HloOpcode::Slice || !IsWhole(*user, takes_no_memory)) {
        is_read_otherwise = true;
        continue;
      }
      slices.push_back(user);
      elements += user->shape().element_count();
    }
    if (slices.size() > kMostParts) return {};
    const int64_t n = value.shape().element_count();
    const bool is_once = !is_read_otherwise && elements <= n;
    if (is_once ||
        (takes_no_memory && IsLittle(value, is_read_otherwise ? elements : elements - n)))
      return slices;
    return {};
  }

  static bool IsWhole(const HloInstruction& slice, bool takes_no_memory) {
    if (!HasUnitStrides(slice)) return false;
    const Dims& from = slice.operand(0)->shape().dimensions();
    const int64_t row = slice.shape().dimensions().back();
    return takes_no_memory || row == from.back() || row >= kShortestRow;
  }

  // Whether so many of its elements are computed again in less time than the value takes through
  // memory.
  bool IsLittle(const HloInstruction& value, int64_t elements) const {
    const double work = OpCost(value) * static_cast<double>(elements);
    return PriceOf(target_, work, 0) <=
           PriceOfKernel(target_, 0, static_cast<double>(value.shape().byte_size()), 0);
  }

  HloInstruction* PartOf(const HloInstruction& value, const HloInstruction& slice) {
    Begin(c_, value);
    std::vector<HloInstruction*> parts;
    for (HloInstruction* o : value.operands())
      parts.push_back(o->shape().is_scalar() ? o : Slice(o, slice.attrs<SliceAttrs>()));
    return Add(value.op(), Shape(value.shape().element_type(), slice.shape().dimensions()), parts,
               value.attributes());
  }

  // The part of x that `a` takes; of a broadcast the broadcast of a part.
  HloInstruction* Slice(HloInstruction* x, const SliceAttrs& a) {
    Dims sizes;
    for (size_t d = 0; d < a.starts.size(); ++d) sizes.push_back(a.limits[d] - a.starts[d]);
    if (sizes == x->shape().dimensions()) return x;
    const Shape shape(x->shape().element_type(), sizes);
    HloInstruction*& known = parts_[{x, a.starts, a.limits}];
    if (known != nullptr) return known;
    if (x->op() != HloOpcode::Broadcast) return known = Add(HloOpcode::Slice, shape, {x}, a);
    HloInstruction* part = x->operand(0);
    SliceAttrs inner;
    for (size_t k = 0; k < x->dimensions().size(); ++k) {
      // A single element that is repeated is part of all.
      const auto d = static_cast<size_t>(x->dimensions()[k]);
      const bool is_repeated = part->shape().dimensions()[k] == 1;
      inner.starts.push_back(is_repeated ? 0 : a.starts[d]);
      inner.limits.push_back(is_repeated ? 1 : a.limits[d]);
      inner.strides.push_back(1);
    }
    if (!part->shape().is_scalar()) part = Slice(part, inner);
    // The table may have grown.
    return parts_[{x, a.starts, a.limits}] =
               Add(HloOpcode::Broadcast, shape, {part}, DimensionsAttrs{x->dimensions()});
  }

  HloComputation& c_;
  const TargetInfo& target_;
  absl::flat_hash_set<const HloInstruction*> of_loops_;
  // What has been made of an operand: it may be read by several operations, or twice by one.
  absl::flat_hash_map<std::tuple<const HloInstruction*, Dims, Dims>, HloInstruction*> parts_;
};

}  // namespace

std::unique_ptr<Pass> MakeSliceMotionPass(const TargetInfo& target) {
  return MakePass("slice-motion", [target](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) changed |= Mover(*c, target).Run();
    return changed;
  });
}

}  // namespace sinter
