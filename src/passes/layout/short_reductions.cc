#include "passes/layout/short_reductions.h"

#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/graph.h"
#include "pass/inline_elementwise.h"

namespace sinter {
namespace {

// Elements that are reduced to one, in rows of an array and in windows; and results, of fewer of
// which the reduction itself is short.
constexpr int64_t kMostReduced = 8, kMostInWindow = 32, kFewestResults = 64;

// Whether x's dimension d is the position in a window of an array that x is computed from element
// by element: its elements are at one place of each window, as many as there are windows.
bool IsPosition(const HloInstruction& x, int64_t d) {
  if (x.op() == HloOpcode::Windows) return d >= x.operand(0)->shape().rank();
  if (x.op() == HloOpcode::Broadcast) {
    const auto at = absl::c_find(x.dimensions(), d);
    return at != x.dimensions().end() && IsPosition(*x.operand(0), at - x.dimensions().begin());
  }
  return IsElementwise(x.op()) && absl::c_any_of(x.operands(), [&](const HloInstruction* o) {
           return o->shape().dimensions() == x.shape().dimensions() && IsPosition(*o, d);
         });
}

bool IsShort(const HloInstruction& i) {
  if (i.op() != HloOpcode::Reduce || i.operands().size() != 2) return false;
  const Shape& from = i.operand(0)->shape();
  if (i.dimensions().empty() || i.shape().element_count() < kFewestResults ||
      i.operand(1)->shape().element_type() != i.shape().element_type())
    return false;
  int64_t reduced = 1;
  for (int64_t d : i.dimensions()) reduced *= from.dimension(d);
  if (reduced < 1 || reduced > kMostInWindow || !IsScalarComputation(*i.called(0)) ||
      !i.called(0)->root()->shape().is_array())
    return false;
  const bool is_minor = absl::c_linear_search(i.dimensions(), from.rank() - 1);
  return (reduced <= kMostReduced && !is_minor) ||
         absl::c_all_of(i.dimensions(), [&](int64_t d) { return IsPosition(*i.operand(0), d); });
}

// Writes one reduction out.
class Unroller : ShapedGraph {
 public:
  Unroller(HloComputation& c, HloInstruction& i) : ShapedGraph(c, i), c_(c), i_(i) {}

  HloInstruction* Make() {
    const Dims &from = i_.operand(0)->shape().dimensions(), &dims = i_.shape().dimensions();
    HloInstruction* sum = Add(HloOpcode::Broadcast, i_.shape(), {i_.operand(1)}, DimensionsAttrs{});
    Places at(from.size());
    for (int64_t d : i_.dimensions()) at[static_cast<size_t>(d)] = 0;
    for (;;) {
      sum = InlineElementwise(c_, *i_.called(0), {sum, Part(i_.operand(0), at)}, dims);
      // The next position, the last dimension first.
      size_t k = i_.dimensions().size();
      for (; k > 0; --k) {
        const auto d = static_cast<size_t>(i_.dimensions()[k - 1]);
        if (++*at[d] < from[d]) break;
        at[d] = 0;
      }
      if (k == 0) return sum;
    }
  }

 private:
  // The place along each dimension that one has been chosen of.
  using Places = std::vector<std::optional<int64_t>>;

  // The elements of x at these places: an array of the other dimensions. Where all of them are
  // positions in windows, the operations are done on the parts, each a slice of what has windows;
  // parts of a broadcast are broadcasts of parts.
  HloInstruction* Part(HloInstruction* x, const Places& at) {
    Dims rest;
    bool are_positions = true;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!at[d]) rest.push_back(x->shape().dimensions()[d]);
      are_positions &= !at[d] || IsPosition(*x, static_cast<int64_t>(d));
    }
    if (rest.size() == at.size()) return x;
    const Shape shape(x->shape().element_type(), rest);
    if (are_positions && x->op() == HloOpcode::Windows &&
        rest.size() == x->attrs<WindowAttrs>().window.size())
      return PartOfWindows(x, at, shape);
    if (x->op() == HloOpcode::Broadcast) {
      Places places;
      Dims dims;
      for (int64_t d : x->dimensions()) {
        places.push_back(at[static_cast<size_t>(d)]);
        if (!places.back()) {
          dims.push_back(d - std::count_if(at.begin(), at.begin() + d,
                                           [](const auto& place) { return place.has_value(); }));
        }
      }
      return Add(HloOpcode::Broadcast, shape, {Part(x->operand(0), places)}, DimensionsAttrs{dims});
    }
    if (are_positions && IsElementwise(x->op())) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* o : x->operands())
        operands.push_back(o->shape().is_scalar() ? o : Part(o, at));
      return Add(x->op(), shape, operands, x->attributes());
    }
    SliceAttrs slice{Dims(at.size(), 0), x->shape().dimensions(), Dims(at.size(), 1)};
    Dims sizes = x->shape().dimensions();
    for (size_t d = 0; d < at.size(); ++d) {
      if (!at[d]) continue;
      slice.starts[d] = *at[d];
      slice.limits[d] = *at[d] + 1;
      sizes[d] = 1;
    }
    HloInstruction* part =
        Add(HloOpcode::Slice, Shape(shape.element_type(), sizes), {x}, std::move(slice));
    return Reshape(part, rest);
  }

  // The places are positions in a window; those that are left are dimensions of 1.
  HloInstruction* PartOfWindows(HloInstruction* x, const Places& at, const Shape& shape) {
    HloInstruction* array = x->operand(0);
    const Window& window = x->attrs<WindowAttrs>().window;
    const size_t rank = window.size();
    SliceAttrs slice{Dims(rank, 0), Dims(rank, 0), Dims(rank, 1)};
    size_t position = rank;
    for (size_t d = 0; d < rank; ++d) {
      const WindowDimension& w = window[d];
      slice.starts[d] = w.size > 1 ? *at[position++] * w.window_dilation : 0;
      slice.strides[d] = w.stride;
      slice.limits[d] = slice.starts[d] + (x->shape().dimensions()[d] - 1) * w.stride + 1;
    }
    return Add(HloOpcode::Slice, shape, {array}, std::move(slice));
  }

  HloComputation& c_;
  HloInstruction& i_;
};

}  // namespace

std::unique_ptr<Pass> MakeShortReductionsPass() {
  return MakePass("short-reductions", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder()) {
        if (!IsShort(*i)) continue;
        c->ReplaceAllUses(i, Unroller(*c, *i).Make());
        own = true;
      }
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
