// A slice of what only moves elements is a slice of where its elements come from. Programs that
// keep a row of values and write it element by element (extrapolation tables, recurrences of a few
// terms) read the values then, not the rows in between. Of rows that are put one after another only
// those are computed of which something is read.
#include <algorithm>
#include <utility>

#include "ir/analysis/index_map.h"
#include "passes/simplify/known_value.h"
#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// A longer way is not gone, so that a chain of updates takes no time of its square.
constexpr int kMostSteps = 512;

// Some elements of an array, next to one another.
struct Part {
  HloInstruction* of;
  Dims starts, sizes;

  int64_t end(size_t d) const { return starts[d] + sizes[d]; }
};

// An update of more than this part of an array is better read from the array, where it is written
// in place, than computed again or kept in memory of its own.
constexpr int64_t kLeastWhole = 4;

// Of an update at a known place: of the update, or of what is around it.
bool StepThroughUpdate(Part& p) {
  const HloInstruction* u = p.of;
  HloInstruction* update = u->operand(1);
  if (update->shape().element_count() > u->shape().element_count() / kLeastWhole) return false;
  bool inside = true, outside = false;
  Dims moved;
  for (size_t d = 0; d < p.starts.size(); ++d) {
    const int64_t n = update->shape().dimensions()[d], last = u->shape().dimensions()[d] - n;
    const std::optional<int64_t> known = last == 0 ? 0 : KnownIndex(u->operand(d + 2));
    if (!known) {
      inside = false;
      moved.push_back(0);
      continue;
    }
    const int64_t start = std::clamp<int64_t>(*known, 0, last);
    outside |= p.end(d) <= start || p.starts[d] >= start + n;
    inside &= p.starts[d] >= start && p.end(d) <= start + n;
    moved.push_back(p.starts[d] - start);
  }
  if (outside) {
    p.of = u->operand(0);
  } else if (inside) {
    p.of = update;
    p.starts = std::move(moved);
  }
  return outside || inside;
}

// Of one operand.
bool StepThroughConcatenate(Part& p) {
  const auto axis = static_cast<size_t>(p.of->dimensions()[0]);
  int64_t begin = 0;
  for (HloInstruction* o : p.of->operands()) {
    const int64_t end = begin + o->shape().dimensions()[axis];
    if (p.starts[axis] >= begin && p.end(axis) <= end) {
      p.of = o;
      p.starts[axis] -= begin;
      return true;
    }
    begin = end;
  }
  return false;
}

bool StepThroughSlice(Part& p) {
  if (!HasUnitStrides(*p.of)) return false;
  const Dims& from = p.of->attrs<SliceAttrs>().starts;
  for (size_t d = 0; d < from.size(); ++d) p.starts[d] += from[d];
  p.of = p.of->operand(0);
  return true;
}

bool Step(Part& p) {
  switch (p.of->op()) {
    case HloOpcode::Slice:
      return StepThroughSlice(p);
    case HloOpcode::DynamicUpdateSlice:
      return StepThroughUpdate(p);
    case HloOpcode::Concatenate:
      return StepThroughConcatenate(p);
    default:
      return false;
  }
}

HloInstruction* SimplifySlice(HloComputation& c, HloInstruction* i) {
  Part part{i->operand(0), i->attrs<SliceAttrs>().starts, i->shape().dimensions()};
  int steps = 0;
  while (steps < kMostSteps && Step(part)) ++steps;
  if (part.of->op() == HloOpcode::Broadcast && part.of->operand(0)->shape().is_scalar())
    return c.AddWithShape(HloOpcode::Broadcast, i->shape(), {part.of->operand(0)},
                          DimensionsAttrs{});
  if (steps == 0 || steps == kMostSteps) return nullptr;
  if (part.of->shape().dimensions() == part.sizes) return part.of;
  Dims limits;
  for (size_t d = 0; d < part.starts.size(); ++d) limits.push_back(part.end(d));
  return AddSlice(c, part.of, part.starts, std::move(limits), Dims(part.starts.size(), 1));
}

// Of an array whose rows a reshape has put one after another, a part that is in half of them or
// less, or is whole rows that nothing else reads, is of these rows: the others need not be
// computed.
HloInstruction* SliceOfRows(HloComputation& c, HloInstruction* i) {
  if (i->operand(0)->op() != HloOpcode::Reshape) return nullptr;
  HloInstruction* x = i->operand(0)->operand(0);
  if (x->op() == HloOpcode::Parameter || x->op() == HloOpcode::Constant) return nullptr;
  const bool is_alone = x->users().size() == 1 && i->operand(0)->users().size() == 1;
  const Dims& from = x->shape().dimensions();
  Dims to = i->operand(0)->shape().dimensions(), starts = i->attrs<SliceAttrs>().starts;
  size_t first = 0;  // of the dimensions of x that dimension d is made of, if of whole ones
  for (size_t d = 0; d < to.size(); ++d) {
    while (first + 1 < from.size() && from[first] == 1 && to[d] != 1) ++first;
    size_t end = first;
    int64_t elements = 1;
    while (end < from.size() && elements < to[d]) elements *= from[end++];
    if (elements != to[d]) return nullptr;
    if (end == first) continue;  // one element
    const int64_t row = elements / from[first], lo = starts[d] / row,
                  hi = (starts[d] + i->shape().dimensions()[d] + row - 1) / row;
    const bool is_whole =
        is_alone && hi - lo < from[first] && (hi - lo) * row == i->shape().dimensions()[d];
    if (end - first > 1 && (is_whole || 2 * (hi - lo) <= from[first])) {
      HloInstruction* rows = Rows(c, x, first, lo, hi);
      to[d] = (hi - lo) * row;
      starts[d] -= lo * row;
      Dims limits = starts;
      for (size_t k = 0; k < limits.size(); ++k) limits[k] += i->shape().dimensions()[k];
      HloInstruction* flat = AddReshape(c, rows, to);
      if (flat->shape().dimensions() == i->shape().dimensions()) return flat;
      return AddSlice(c, flat, starts, std::move(limits), Dims(starts.size(), 1));
    }
    first = end;
  }
  return nullptr;
}

HloInstruction* SliceOfParts(HloComputation& c, HloInstruction* i) {
  if (i->op() != HloOpcode::Slice || !HasUnitStrides(*i) || i->shape().element_count() == 0)
    return nullptr;
  HloInstruction* simple = SimplifySlice(c, i);
  return simple != nullptr ? simple : SliceOfRows(c, i);
}

}  // namespace

std::unique_ptr<Pass> MakeSlicesPass() { return MakeRulesPass("slices", SliceOfParts); }

}  // namespace sinter
