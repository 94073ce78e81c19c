#include "passes/simplify/rules.h"

#include <utility>

#include "ir/results.h"

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

HloInstruction* AddReshape(HloComputation& c, HloInstruction* x, const Dims& dims) {
  if (x->shape().dimensions() == dims) return x;
  return c.AddWithShape(HloOpcode::Reshape, Shape(x->shape().element_type(), dims), {x});
}

HloInstruction* AddConvert(HloComputation& c, HloInstruction* x, ElementType type) {
  if (x->shape().element_type() == type) return x;
  return c.AddWithShape(HloOpcode::Convert, Shape(type, x->shape().dimensions()), {x});
}

HloInstruction* AddSplat(HloComputation& c, const Shape& shape, Literal value) {
  HloInstruction* one = c.AddConstant(std::move(value));
  if (shape.is_scalar()) return one;
  return c.AddWithShape(HloOpcode::Broadcast, shape, {one}, DimensionsAttrs{});
}

std::vector<HloInstruction*> InitialValues(HloComputation& c, const HloInstruction& reduce) {
  const Dims& dims = ResultShape(reduce).dimensions();
  std::vector<HloInstruction*> values;
  for (size_t k = reduce.operands().size() / 2; k < reduce.operands().size(); ++k) {
    HloInstruction* initial = reduce.operand(k);
    values.push_back(c.AddWithShape(HloOpcode::Broadcast,
                                    Shape(initial->shape().element_type(), dims), {initial},
                                    DimensionsAttrs{}));
  }
  return values;
}

HloInstruction* AddSlice(HloComputation& c, HloInstruction* x, Dims starts, Dims limits,
                         Dims strides) {
  Dims dims;
  for (size_t d = 0; d < starts.size(); ++d)
    dims.push_back((limits[d] - starts[d] + strides[d] - 1) / strides[d]);
  return c.AddWithShape(HloOpcode::Slice, Shape(x->shape().element_type(), std::move(dims)), {x},
                        SliceAttrs{std::move(starts), std::move(limits), std::move(strides)});
}

HloInstruction* Rows(HloComputation& c, HloInstruction* x, size_t dim, int64_t from, int64_t to) {
  const Shape& s = x->shape();
  if (from == 0 && to == s.dimension(static_cast<int64_t>(dim))) return x;
  Dims starts(static_cast<size_t>(s.rank()), 0), limits = s.dimensions(), steps(starts.size(), 1);
  starts[dim] = from;
  limits[dim] = to;
  return AddSlice(c, x, std::move(starts), std::move(limits), std::move(steps));
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
