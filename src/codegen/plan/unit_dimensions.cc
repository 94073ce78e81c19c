#include "codegen/plan/unit_dimensions.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "codegen/plan/dimension_classes.h"
#include "codegen/plan/fewer_dimensions.h"
#include "codegen/plan/plan.h"
#include "ir/results.h"

namespace sinter::plan {
namespace {

class UnitDropper : DimensionClasses {
 public:
  explicit UnitDropper(const HloComputation& region)
      : region_(region), order_(region.PostOrder()) {}

  std::unique_ptr<HloModule> Run() {
    for (const HloInstruction* i : order_) Number(*i);
    for (const HloInstruction* i : order_) Constrain(*i);
    // A nest has all outputs of an element.
    const std::vector<const HloInstruction*> outputs = Outputs(region_);
    for (const HloInstruction* o : outputs) UniteAll(*o, *outputs[0]);
    if (AllKept()) return nullptr;
    return WithFewerDimensions(
        region_, [this](const HloInstruction& i) { return Groups(i); }, /*as_words=*/false);
  }

 private:
  void Number(const HloInstruction& i) {
    std::vector<bool> kept;
    if (!HasNone(i))
      for (int64_t n : ResultShape(i).dimensions()) kept.push_back(n != 1);
    Add(i, kept);
  }

  void Constrain(const HloInstruction& i) {
    const int64_t rank = Count(i);
    if (IsElementwise(i.op())) {
      for (const HloInstruction* o : i.operands())
        if (o->shape().rank() > 0) UniteAll(i, *o);
      return;
    }
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::OptimizationBarrier:
        if (i.shape().is_tuple()) return KeepAll(i);
        if (i.op() == HloOpcode::OptimizationBarrier) UniteAll(i, *i.operand(0));
        return;
      case HloOpcode::Constant:
      case HloOpcode::Tuple:
      case HloOpcode::While:
      case HloOpcode::Reshape:
        return;
      case HloOpcode::GetTupleElement:
        if (i.operand(0)->op() != HloOpcode::While) return UniteAll(i, *i.operand(0));
        // Each element runs the loop by itself.
        for (const HloInstruction* o : i.operand(0)->operand(0)->operands())
          if (rank > 0 && o->shape().rank() > 0) UniteAll(i, *o);
        return;
      case HloOpcode::Iota:
        return Keep(i, i.attrs<IotaAttrs>().iota_dimension);
      case HloOpcode::Broadcast:
        for (size_t k = 0; k < i.dimensions().size(); ++k) {
          const int64_t d = i.dimensions()[k];
          if (i.shape().dimension(d) == i.operand(0)->shape().dimensions()[k])
            Unite(i, d, *i.operand(0), static_cast<int64_t>(k));
        }
        return;
      case HloOpcode::Transpose:
        for (int64_t d = 0; d < rank; ++d)
          Unite(i, d, *i.operand(0), i.dimensions()[static_cast<size_t>(d)]);
        return;
      case HloOpcode::Concatenate:
        Keep(i, i.dimensions()[0]);
        for (const HloInstruction* o : i.operands()) UniteAll(i, *o);
        return;
      case HloOpcode::Pad: {
        const auto& a = i.attrs<PadAttrs>();
        for (int64_t d = 0; d < rank; ++d) {
          const auto at = static_cast<size_t>(d);
          if (a.low[at] != 0 || a.high[at] != 0) Keep(i, d);
        }
        return UniteAll(i, *i.operand(0));
      }
      case HloOpcode::DynamicUpdateSlice:
        UniteAll(i, *i.operand(1));
        return UniteAll(i, *i.operand(0));
      case HloOpcode::Slice:
      case HloOpcode::DynamicSlice:
        // Of a single position nothing is left that the operand's dimension would have to be for.
        for (int64_t d = 0; d < rank; ++d) {
          if (i.shape().dimension(d) != 1 || i.operand(0)->shape().dimension(d) == 1)
            Unite(i, d, *i.operand(0), d);
        }
        return;
      case HloOpcode::Reverse:
        return UniteAll(i, *i.operand(0));
      case HloOpcode::Reduce:
        return Reduce(i);
      case HloOpcode::Gather: {
        const auto& a = i.attrs<GatherAttrs>();
        Indices(*i.operand(1), a.index_vector_dim, a.start_indices_batching_dims, i, a.offset_dims);
        return Windows(i, *i.operand(0), a.offset_dims, a.collapsed_slice_dims,
                       a.operand_batching_dims, a.start_index_map);
      }
      case HloOpcode::Scatter: {
        const auto& a = i.attrs<ScatterAttrs>();
        const size_t n = i.operands().size() / 2;
        for (size_t k = 0; k < n; ++k) {
          UniteAll(i, *i.operand(k));
          UniteAll(*i.operand(n + 1), *i.operand(n + 1 + k));
        }
        Indices(*i.operand(n), a.index_vector_dim, a.scatter_indices_batching_dims,
                *i.operand(n + 1), a.update_window_dims);
        return Windows(*i.operand(n + 1), *i.operand(0), a.update_window_dims,
                       a.inserted_window_dims, a.input_batching_dims,
                       a.scatter_dims_to_operand_dims);
      }
      default:
        KeepAll(i);
        for (const HloInstruction* o : i.operands()) KeepAll(*o);
    }
  }

  // The array's dimensions in the order of the windows' (`places`), but for those without an extent
  // in these, of which an index chooses none where it is not `chosen` by one.
  void Windows(const HloInstruction& windows, const HloInstruction& array, const Dims& places,
               const Dims& collapsed, const Dims& batching, const Dims& chosen) {
    size_t next = 0;
    for (int64_t d = 0; d < array.shape().rank(); ++d) {
      const bool is_batch = absl::c_linear_search(batching, d);
      if (is_batch || absl::c_linear_search(chosen, d)) Keep(array, d);
      if (!is_batch && !absl::c_linear_search(collapsed, d))
        Unite(windows, places[next++], array, d);
    }
  }
  // The other dimensions of the windows are those of the indices but for the one along which an
  // index is; of one number that need not be there.
  void Indices(const HloInstruction& indices, int64_t vector, const Dims& batching,
               const HloInstruction& windows, const Dims& places) {
    int64_t next = 0;
    for (int64_t d = 0; d < windows.shape().rank(); ++d) {
      if (absl::c_linear_search(places, d)) continue;
      next += next == vector ? 1 : 0;
      if (absl::c_linear_search(batching, next)) Keep(indices, next);
      Unite(windows, d, indices, next++);
    }
  }

  void Reduce(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    for (size_t k = 1; k < i.operands().size() / 2; ++k) UniteAll(*i.operand(k), o);
    bool applies = false;
    int64_t next = 0;
    for (int64_t d = 0; d < o.shape().rank(); ++d) {
      if (absl::c_linear_search(i.dimensions(), d)) {
        applies |= o.shape().dimension(d) != 1;
      } else {
        Unite(i, next++, o, d);
      }
    }
    // The reducer is applied to one element and the initial value too.
    if (!applies && !i.dimensions().empty()) Keep(o, i.dimensions().back());
  }

  std::vector<int64_t> Groups(const HloInstruction& i) {
    std::vector<int64_t> groups;
    int64_t next = 0;
    for (int64_t d = 0; d < ResultShape(i).rank(); ++d)
      groups.push_back(Kept(At(i, d)) ? next++ : kGone);
    return groups;
  }

  const HloComputation& region_;
  const std::vector<HloInstruction*> order_;
};

}  // namespace

std::unique_ptr<HloModule> DropUnitDimensions(const HloComputation& region) {
  return UnitDropper(region).Run();
}

}  // namespace sinter::plan
