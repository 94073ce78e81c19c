#include "passes/layout/few_columns.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/analysis/packing.h"
#include "ir/layout.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {

std::unique_ptr<Pass> MakeFewColumnsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "few-columns",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.cpu() == nullptr || i.op() != HloOpcode::Dot || !HasFewColumns(i, *target.cpu()))
          return nullptr;
        HloInstruction& right = *i.operand(1);
        DotAttrs attrs = i.attrs<DotAttrs>();
        // Batches and columns first, what is contracted last, in its order in memory.
        Dims order(static_cast<size_t>(right.shape().rank()));
        absl::c_iota(order, 0);
        std::stable_partition(order.begin(), order.end(), [&](int64_t d) {
          return !absl::c_linear_search(attrs.rhs_contracting_dims, d);
        });
        const Dims place = InversePermutation(order);
        for (Dims* dims : {&attrs.rhs_batch_dims, &attrs.rhs_contracting_dims})
          for (int64_t& d : *dims) d = place[static_cast<size_t>(d)];
        Graph g(c, i);
        HloInstruction* dot = g.Add(HloOpcode::Dot, {i.operand(0), g.Transpose(&right, order)},
                                    std::move(attrs), {}, &i.shape());
        RETURN_IF_ERROR(g.status());
        return dot;
      });
}

}  // namespace sinter
