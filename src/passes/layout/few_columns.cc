#include "passes/layout/few_columns.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "ir/analysis/packing.h"
#include "ir/layout.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace {

// A product with a single column, whose dimension is none then: sums run along the left operand's
// rows, as a product with a vector's do. Null where the right operand has several columns, or none,
// or the left one is contracted along its minor dimension, which vectors run along.
HloInstruction* AsVector(HloComputation& c, HloInstruction& dot) {
  const auto& attrs = dot.attrs<DotAttrs>();
  HloInstruction &left = *dot.operand(0), &right = *dot.operand(1);
  const int64_t minor = left.shape().rank() - 1;
  auto is_free = [](int64_t d, const Dims& batch, const Dims& contracted) {
    return !absl::c_linear_search(batch, d) && !absl::c_linear_search(contracted, d);
  };
  if (right.op() == HloOpcode::Windows || left.op() == HloOpcode::Windows || minor < 0 ||
      left.shape().dimension(minor) < 2 ||
      !is_free(minor, attrs.lhs_batch_dims, attrs.lhs_contracting_dims))
    return nullptr;
  DotAttrs without = attrs;
  Dims kept, sizes = dot.shape().dimensions();
  for (int64_t d = 0; d < right.shape().rank(); ++d) {
    if (!is_free(d, attrs.rhs_batch_dims, attrs.rhs_contracting_dims)) {
      kept.push_back(right.shape().dimension(d));
      continue;
    }
    if (right.shape().dimension(d) != 1) return nullptr;
    sizes.pop_back();
    for (Dims* dims : {&without.rhs_batch_dims, &without.rhs_contracting_dims})
      for (int64_t& other : *dims)
        if (other > static_cast<int64_t>(kept.size())) --other;
  }
  if (sizes.size() == dot.shape().dimensions().size()) return nullptr;
  Graph g(c, dot);
  const Shape shape(dot.shape().element_type(), sizes);
  HloInstruction* vector =
      g.Add(HloOpcode::Dot, {&left, g.Reshape(&right, kept)}, std::move(without), {}, &shape);
  HloInstruction* column = g.Reshape(vector, dot.shape().dimensions());
  return g.status().ok() ? column : nullptr;
}

}  // namespace

std::unique_ptr<Pass> MakeFewColumnsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "few-columns",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.cpu() == nullptr || i.op() != HloOpcode::Dot) return nullptr;
        if (HloInstruction* product = AsVector(c, i)) return product;
        if (!HasFewColumns(i, *target.cpu())) return nullptr;
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
