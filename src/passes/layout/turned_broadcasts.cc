#include "passes/layout/turned_broadcasts.h"

#include "absl/algorithm/container.h"
#include "ir/layout.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {

std::unique_ptr<Pass> MakeTurnedBroadcastsPass() {
  return MakeExpansionPass(
      "turned-broadcasts",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Broadcast) return nullptr;
        HloInstruction& x = *i.operand(0);
        const Shape& from = x.shape();
        const auto place = [&](int64_t d) { return i.dimensions()[static_cast<size_t>(d)]; };
        Dims order(static_cast<size_t>(from.rank()));
        absl::c_iota(order, 0);
        const int64_t minor = MinorDimension(from);
        // Dimensions of one element may be anywhere.
        const bool keeps_rows = absl::c_none_of(
            order, [&](int64_t d) { return from.dimension(d) != 1 && place(d) > place(minor); });
        if (keeps_rows || from.element_count() == i.shape().element_count()) return nullptr;
        absl::c_sort(order, [&](int64_t a, int64_t b) { return place(a) < place(b); });
        Dims dims = i.dimensions();
        absl::c_sort(dims);
        Graph g(c, i);
        HloInstruction* broadcast =
            g.Broadcast(g.Transpose(&x, order), i.shape().dimensions(), dims);
        RETURN_IF_ERROR(g.status());
        return broadcast;
      });
}

}  // namespace sinter
