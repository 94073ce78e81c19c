#include "ir/analysis/scatter_updates.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/short_dimensions.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Whether the updates of an element may be combined in any order. Sums of floats may be reordered
// like all sums.
bool UpdatesInAnyOrder(const HloInstruction& scatter) {
  const size_t n = scatter.operands().size() / 2;
  for (size_t k = 0; k < n; ++k) {
    const HloInstruction* op = CombinerOf(*scatter.called(0), n, k);
    if (op == nullptr || op->shape().element_type() != scatter.operand(k)->shape().element_type())
      return false;
    switch (op->op()) {
      case HloOpcode::Add:
      case HloOpcode::Maximum:
      case HloOpcode::Minimum:
      case HloOpcode::And:
      case HloOpcode::Or:
      case HloOpcode::Xor:
        break;
      case HloOpcode::Multiply:
        if (!IsInteger(op->shape().element_type())) return false;
        break;
      default:
        return false;
    }
    const bool once = op->op() == HloOpcode::Add || op->op() == HloOpcode::Xor;
    if (once && IsPredicate(op->shape().element_type())) return false;
  }
  return true;
}

}  // namespace

int64_t VectorDimension(const HloInstruction& scatter) {
  const auto& a = scatter.attrs<ScatterAttrs>();
  const Dims& dims = scatter.operands().back()->shape().dimensions();
  auto extent = [&](int64_t d) { return dims[static_cast<size_t>(d)]; };
  for (int64_t d : a.update_window_dims) {
    if (extent(d) != 1) return -1;
  }
  int64_t vector = -1, batch = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    if (absl::c_linear_search(a.update_window_dims, d)) continue;
    // The dimension of the indices that this one is.
    const int64_t of_indices = batch + (batch >= a.index_vector_dim ? 1 : 0);
    ++batch;
    if (absl::c_linear_search(a.scatter_indices_batching_dims, of_indices)) continue;
    if (extent(d) > 1) vector = d;
  }
  return vector >= 0 && extent(vector) >= kFewestRows ? vector : -1;
}

int64_t ScatterCopies(const HloInstruction& scatter) {
  const size_t n = scatter.operands().size() / 2;
  const int64_t updates = scatter.operands().back()->shape().element_count();
  int64_t bytes = 0;
  for (size_t k = 0; k < n; ++k) bytes += scatter.operand(k)->shape().byte_size();
  const int64_t copies = std::min(
      tuning::kMostScatterCopies,
      updates / std::max(tuning::kUpdatesPerElement * scatter.operand(0)->shape().element_count(),
                         tuning::kSharedScatter / 2));
  const bool pays =
      updates >= tuning::kSharedScatter && copies >= 2 && bytes <= tuning::kScatterCopyBytes;
  return pays && UpdatesInAnyOrder(scatter) ? copies : 0;
}

bool HasSeparateUpdates(const HloInstruction& scatter) {
  return scatter.attrs<ScatterAttrs>().unique_indices &&
         absl::c_none_of(scatter.operands(), [](const HloInstruction* o) {
           return BitWidth(o->shape().element_type()) < 8;
         });
}

bool SharesUpdates(const HloInstruction& scatter) {
  return HasSeparateUpdates(scatter) || ScatterCopies(scatter) > 0;
}

}  // namespace sinter
