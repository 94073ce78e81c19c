#include "passes/layout/few_columns.h"

#include "absl/algorithm/container.h"
#include "ir/analysis/packing.h"
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
        Dims order, place(static_cast<size_t>(right.shape().rank()));
        const auto is_contracted = [&](int64_t d) {
          return absl::c_linear_search(attrs.rhs_contracting_dims, d);
        };
        for (const bool contracted : {false, true}) {
          for (int64_t d = 0; d < right.shape().rank(); ++d) {
            if (is_contracted(d) != contracted) continue;
            place[static_cast<size_t>(d)] = static_cast<int64_t>(order.size());
            order.push_back(d);
          }
        }
        for (Dims* dims : {&attrs.rhs_batch_dims, &attrs.rhs_contracting_dims})
          for (int64_t& d : *dims) d = place[static_cast<size_t>(d)];
        Graph g(c, i);
        HloInstruction* turned =
            g.Add(HloOpcode::Transpose, {&right}, DimensionsAttrs{.dimensions = order});
        HloInstruction* dot =
            g.Add(HloOpcode::Dot, {i.operand(0), turned}, std::move(attrs), {}, &i.shape());
        RETURN_IF_ERROR(g.status());
        return dot;
      });
}

}  // namespace sinter
