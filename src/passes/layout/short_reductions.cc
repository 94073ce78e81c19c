#include "passes/layout/short_reductions.h"

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/inline_elementwise.h"

namespace sinter {
namespace {

// Elements that are reduced to one; and results, of fewer of which the reduction itself is short.
constexpr int64_t kMostReduced = 8, kFewestResults = 64;

bool IsShort(const HloInstruction& i) {
  if (i.op() != HloOpcode::Reduce || i.operands().size() != 2) return false;
  const Shape& from = i.operand(0)->shape();
  if (i.dimensions().empty() || i.shape().element_count() < kFewestResults ||
      i.operand(1)->shape().element_type() != i.shape().element_type())
    return false;
  int64_t reduced = 1;
  for (int64_t d : i.dimensions()) {
    if (d == from.rank() - 1) return false;
    reduced *= from.dimension(d);
  }
  return reduced >= 1 && reduced <= kMostReduced && IsScalarComputation(*i.called(0)) &&
         i.called(0)->root()->shape().is_array();
}

void Unroll(HloComputation& c, HloInstruction& i) {
  HloInstruction* x = i.operand(0);
  const Shape& from = x->shape();
  const Dims& dims = i.shape().dimensions();
  HloInstruction* sum =
      c.AddWithShape(HloOpcode::Broadcast, i.shape(), {i.operand(1)}, DimensionsAttrs{});
  sum->set_metadata(i.metadata());
  Dims at(static_cast<size_t>(from.rank()), 0);
  for (;;) {
    SliceAttrs slice{at, from.dimensions(), Dims(at.size(), 1)};
    Dims sizes = from.dimensions();
    for (int64_t d : i.dimensions()) {
      const auto k = static_cast<size_t>(d);
      slice.limits[k] = at[k] + 1;
      sizes[k] = 1;
    }
    HloInstruction* part =
        c.AddWithShape(HloOpcode::Slice, Shape(from.element_type(), sizes), {x}, std::move(slice));
    part->set_metadata(i.metadata());
    part = c.AddWithShape(HloOpcode::Reshape, Shape(from.element_type(), dims), {part});
    part->set_metadata(i.metadata());
    sum = InlineElementwise(c, *i.called(0), {sum, part}, dims);
    // The next position, the last dimension first.
    size_t k = i.dimensions().size();
    for (; k > 0; --k) {
      const auto d = static_cast<size_t>(i.dimensions()[k - 1]);
      if (++at[d] < from.dimensions()[d]) break;
      at[d] = 0;
    }
    if (k == 0) break;
  }
  c.ReplaceAllUses(&i, sum);
}

}  // namespace

std::unique_ptr<Pass> MakeShortReductionsPass() {
  return MakePass("short-reductions", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder()) {
        if (!IsShort(*i)) continue;
        Unroll(*c, *i);
        own = true;
      }
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
