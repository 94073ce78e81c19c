#include "passes/simplify/rules.h"

namespace sinter {
namespace {

bool ApplyIn(HloComputation& c, Rule rule) {
  bool changed = false;
  for (HloInstruction* i : c.PostOrder()) {
    if (i->users().empty() && i != c.root()) continue;
    HloInstruction* with = rule(c, i);
    if (with == nullptr || with == i || with->shape().dimensions() != i->shape().dimensions() ||
        with->shape().element_type() != i->shape().element_type()) {
      continue;
    }
    c.ReplaceAllUses(i, with);
    changed = true;
  }
  if (changed) c.RemoveDead();
  return changed;
}

}  // namespace

HloInstruction* Rows(HloComputation& c, HloInstruction* x, size_t dim, int64_t from, int64_t to) {
  const Shape& s = x->shape();
  if (from == 0 && to == s.dimension(static_cast<int64_t>(dim))) return x;
  SliceAttrs a;
  a.starts.assign(static_cast<size_t>(s.rank()), 0);
  a.limits = s.dimensions();
  a.strides.assign(static_cast<size_t>(s.rank()), 1);
  a.starts[dim] = from;
  a.limits[dim] = to;
  Dims sizes = s.dimensions();
  sizes[dim] = to - from;
  return c.AddWithShape(HloOpcode::Slice, Shape(s.element_type(), sizes), {x}, std::move(a));
}

std::unique_ptr<Pass> MakeRulesPass(std::string name, Rule rule) {
  return MakePass(std::move(name), [rule](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      while (ApplyIn(*c, rule)) changed = true;
    }
    return changed;
  });
}

}  // namespace sinter
