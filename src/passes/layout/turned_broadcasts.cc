#include "passes/layout/turned_broadcasts.h"

#include "absl/algorithm/container.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {

std::unique_ptr<Pass> MakeTurnedBroadcastsPass() {
  return MakeExpansionPass(
      "turned-broadcasts",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Broadcast) return nullptr;
        HloInstruction& x = *i.operand(0);
        // Dimensions of one element may be anywhere.
        Dims order(static_cast<size_t>(x.shape().rank()));
        absl::c_iota(order, 0);
        absl::c_stable_sort(order, [&](int64_t a, int64_t b) {
          return i.dimensions()[static_cast<size_t>(a)] < i.dimensions()[static_cast<size_t>(b)];
        });
        int64_t minor = x.shape().rank() - 1, last = minor;
        while (minor > 0 && x.shape().dimension(minor) == 1) --minor;
        while (last > 0 && x.shape().dimension(order[static_cast<size_t>(last)]) == 1) --last;
        if (x.shape().rank() < 2 || order[static_cast<size_t>(last)] == minor ||
            x.shape().element_count() == i.shape().element_count())
          return nullptr;
        Dims dims(i.dimensions().begin(), i.dimensions().end());
        absl::c_sort(dims);
        Graph g(c, i);
        HloInstruction* turned =
            g.Add(HloOpcode::Transpose, {&x}, DimensionsAttrs{.dimensions = order});
        HloInstruction* broadcast = g.Add(HloOpcode::Broadcast, {turned},
                                          DimensionsAttrs{.dimensions = dims}, {}, &i.shape());
        RETURN_IF_ERROR(g.status());
        return broadcast;
      });
}

}  // namespace sinter
