#include "passes/expand/select_and_scatter.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/ops/window.h"
#include "pass/graph.h"
#include "passes/expand/elements.h"
#include "passes/expand/window_blocks.h"

namespace sinter::expand {
namespace {

// (value, position) twice -> (value, position): the one that `select` keeps when it meets them in
// the order of their positions. A negative position is no element.
HloComputation* Picker(HloModule& module, const HloComputation& select, ElementType type,
                       ElementType index) {
  HloComputation* c = module.AddComputation("pick");
  const Shape value(type), at(index), flag(ElementType::PRED);
  HloInstruction *v1 = c->AddParameter(0, value), *i1 = c->AddParameter(1, at),
                 *v2 = c->AddParameter(2, value), *i2 = c->AddParameter(3, at);
  auto compare = [&](HloInstruction* x, HloInstruction* y, ComparisonDirection direction) {
    return c->AddWithShape(HloOpcode::Compare, flag, {x, y}, CompareAttrs{direction});
  };
  auto choose = [&](HloInstruction* p, HloInstruction* x, HloInstruction* y) {
    return c->AddWithShape(HloOpcode::Select, x->shape(), {p, x, y});
  };
  HloInstruction* zero = c->AddConstant(Literal(at));
  HloInstruction* in_order = compare(i1, i2, ComparisonDirection::kLt);
  HloInstruction* kept = c->Inline(select, {choose(in_order, v1, v2), choose(in_order, v2, v1)});
  HloInstruction* first = c->AddWithShape(
      HloOpcode::Not, flag, {c->AddWithShape(HloOpcode::Xor, flag, {in_order, kept})});
  HloInstruction* is_1 = compare(i1, zero, ComparisonDirection::kGe);
  HloInstruction* no_2 = compare(i2, zero, ComparisonDirection::kLt);
  HloInstruction* take = c->AddWithShape(
      HloOpcode::Or, flag, {no_2, c->AddWithShape(HloOpcode::And, flag, {is_1, first})});
  c->set_root(c->AddWithShape(HloOpcode::Tuple, Shape::Tuple({value, at}),
                              {choose(take, v1, v2), choose(take, i1, i2)}));
  return c;
}

// (whether there is a value, the value) twice -> the same, both combined by `scatter`.
HloComputation* Combiner(HloModule& module, const HloComputation& scatter, ElementType type) {
  HloComputation* c = module.AddComputation("combine");
  const Shape value(type), flag(ElementType::PRED);
  HloInstruction *f1 = c->AddParameter(0, flag), *v1 = c->AddParameter(1, value),
                 *f2 = c->AddParameter(2, flag), *v2 = c->AddParameter(3, value);
  auto choose = [&](HloInstruction* p, HloInstruction* x, HloInstruction* y) {
    return c->AddWithShape(HloOpcode::Select, value, {p, x, y});
  };
  HloInstruction* both = c->Inline(scatter, {v1, v2});
  c->set_root(c->AddWithShape(
      HloOpcode::Tuple, Shape::Tuple({flag, value}),
      {c->AddWithShape(HloOpcode::Or, flag, {f1, f2}), choose(f1, choose(f2, both, v1), v2)}));
  return c;
}

class Expansion {
 public:
  Expansion(HloComputation& c, const HloInstruction& i, absl::Span<HloInstruction* const> operands)
      : c_(c),
        i_(i),
        g_(c, i),
        window_(i.attrs<WindowAttrs>().window),
        x_(operands[0]),
        source_(operands[1]),
        type_(i.shape().element_type()),
        initial_(g_.Convert(operands[2], type_)),
        dims_(x_->shape().dimensions()),
        places_(source_->shape().dimensions()) {}

  absl::StatusOr<HloInstruction*> Make(HloInstruction* elements, HloInstruction* windows) {
    if (source_->shape().element_count() == 0 || x_->shape().element_count() == 0 ||
        !Trim(windows)) {
      HloInstruction* nothing = g_.Splat(initial_, dims_);
      RETURN_IF_ERROR(g_.status());
      return nothing;
    }
    ASSIGN_OR_RETURN(HloInstruction * selected, Selected(elements));
    if (windows) {
      HloInstruction* none = g_.Splat(g_.Scalar(index_, kNone), places_);
      selected = g_.Add(HloOpcode::Select, {windows, selected, none});
    }
    const WindowBlocks blocks(sizes_, strides_, places_);
    // It is read several times.
    const ElementType position = CountOf(sizes_) < 128 ? ElementType::S8 : index_;
    selected = blocks.WithBorder(g_, g_.Convert(selected, position), g_.Scalar(position, kNone));
    HloInstruction* source = blocks.WithBorder(g_, g_.Convert(source_, type_), g_.Zero(type_));
    ASSIGN_OR_RETURN(HloInstruction * scattered, blocks.most_windows() <= kMostWrittenOut
                                                     ? ScatteredInOrder(blocks, selected, source)
                                                     : ScatteredAtOnce(blocks, selected, source));
    Dims starts;
    for (const WindowDimension& w : window_) starts.push_back(w.padding_low);
    HloInstruction* result = blocks.Elements(g_, scattered, starts, dims_, initial_);
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  static constexpr int kNone = -1;
  // Positions of a window, and windows that an element belongs to, up to which there is code for
  // each: guess.
  static constexpr int64_t kMostWrittenOut = 64;

  // Leaves out windows, and positions in all of them, that only padding is in: sizes are then no
  // more than there are elements. False where nothing is left.
  bool Trim(HloInstruction*& windows) {
    Dims starts, limits;
    for (size_t d = 0; d < window_.size(); ++d) {
      WindowDimension& w = window_[d];
      const int64_t n = dims_[d], low = w.padding_low,
                    first = low < w.size ? 0 : (low - w.size) / w.stride + 1,
                    limit = std::min(places_[d], (low + n - 1) / w.stride + 1);
      if (low + n <= 0 || first >= limit) return false;
      starts.push_back(first);
      limits.push_back(limit);
      places_[d] = limit - first;
      w.padding_low -= first * w.stride;
      const int64_t before = std::max<int64_t>(0, w.padding_low - (places_[d] - 1) * w.stride);
      w.padding_low -= before;
      w.size = std::min(w.size - before, w.padding_low + n);
      w.padding_high = (places_[d] - 1) * w.stride + w.size - w.padding_low - n;
      sizes_.push_back(w.size);
      strides_.push_back(w.stride);
    }
    if (CountOf(sizes_) > INT32_MAX) index_ = ElementType::S64;
    if (places_ == source_->shape().dimensions()) return true;
    const SliceAttrs part{starts, limits, Dims(starts.size(), 1)};
    source_ = g_.Add(HloOpcode::Slice, {source_}, part);
    if (windows) windows = g_.Add(HloOpcode::Slice, {windows}, part);
    return true;
  }

  // For each window the position of its element, numbered in row-major order; kNone if it has none.
  absl::StatusOr<HloInstruction*> Selected(HloInstruction* elements) {
    HloInstruction* values = g_.Pad(x_, g_.Zero(x_->shape().element_type()), window_);
    HloInstruction* present = nullptr;
    if (elements != nullptr || values != x_) {
      if (elements == nullptr) elements = g_.Splat(g_.Scalar(ElementType::PRED, 1), dims_);
      present = g_.Pad(elements, g_.Zero(ElementType::PRED), window_);
    }
    return CountOf(sizes_) <= kMostWrittenOut ? SelectedInOrder(values, present)
                                              : SelectedAtOnce(values, present);
  }
  absl::StatusOr<HloInstruction*> SelectedInOrder(HloInstruction* values, HloInstruction* present) {
    HloInstruction *best = nullptr, *at = nullptr;
    HloInstruction* none = g_.Splat(g_.Scalar(index_, kNone), places_);
    int64_t number = 0;
    for (const Dims& place : PlacesIn(sizes_)) {
      HloInstruction *value = OfWindows(values, place),
                     *here = present ? OfWindows(present, place) : nullptr,
                     *own = g_.Splat(g_.Scalar(index_, static_cast<double>(number++)), places_);
      if (best == nullptr) {
        best = value;
        at = here ? g_.Add(HloOpcode::Select, {here, own, none}) : own;
        continue;
      }
      RETURN_IF_ERROR(g_.status());
      ASSIGN_OR_RETURN(const Values kept,
                       MapElements(c_, i_, *i_.called(0), {best, value}, places_));
      HloInstruction* keep = kept[0];
      if (here) {
        HloInstruction* has =
            g_.Compare(at, g_.Splat(g_.Zero(index_), places_), ComparisonDirection::kGe);
        keep = g_.Add(HloOpcode::Or,
                      {g_.Add(HloOpcode::And, {has, keep}), g_.Add(HloOpcode::Not, {here})});
      }
      best = g_.Add(HloOpcode::Select, {keep, best, value});
      at = g_.Add(HloOpcode::Select, {keep, at, own});
    }
    RETURN_IF_ERROR(g_.status());
    return at;
  }
  absl::StatusOr<HloInstruction*> SelectedAtOnce(HloInstruction* values, HloInstruction* present) {
    HloInstruction* all = g_.Windows(values, window_);
    const Dims& dims = all->shape().dimensions();
    const Dims positions = DimsFrom(x_->shape().rank(), all->shape().rank());
    Dims extents;
    for (int64_t d : positions) extents.push_back(dims[static_cast<size_t>(d)]);
    const Shape line(index_, {CountOf(extents)});
    HloInstruction* numbers = g_.Broadcast(
        g_.Reshape(g_.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &line), extents), dims, positions);
    HloInstruction* none = g_.Scalar(index_, kNone);
    if (present != nullptr) {
      numbers =
          g_.Add(HloOpcode::Select, {g_.Windows(present, window_), numbers, g_.Splat(none, dims)});
    }
    const ElementType type = x_->shape().element_type();
    HloInstruction* picked =
        g_.Add(HloOpcode::Reduce, {all, numbers, g_.Zero(type), none}, DimensionsAttrs{positions},
               {Picker(*c_.module(), *i_.called(0), type, index_)});
    HloInstruction* at = g_.Element(picked, 1);
    RETURN_IF_ERROR(g_.status());
    return at;
  }
  // Element `place` of each window, of an operand that is padded.
  HloInstruction* OfWindows(HloInstruction* padded, const Dims& place) {
    Dims limits;
    for (size_t d = 0; d < place.size(); ++d)
      limits.push_back(place[d] + (places_[d] - 1) * strides_[d] + 1);
    return g_.Add(HloOpcode::Slice, {padded}, SliceAttrs{place, limits, strides_});
  }

  // What the windows that selected an element give, combined with the initial value in the order of
  // the windows.
  absl::StatusOr<HloInstruction*> ScatteredInOrder(const WindowBlocks& blocks,
                                                   HloInstruction* selected,
                                                   HloInstruction* source) {
    const Dims& dims = blocks.dims();
    HloInstruction* result = g_.Splat(initial_, dims);
    for (const Dims& k : PlacesIn(blocks.meeting())) {
      HloInstruction *own = blocks.PositionOf(g_, k, selected->shape().element_type()),
                     *mine =
                         g_.Compare(blocks.EntryOf(g_, selected, k), own, ComparisonDirection::kEq),
                     *given = blocks.EntryOf(g_, source, k);
      RETURN_IF_ERROR(g_.status());
      ASSIGN_OR_RETURN(const Values sum, MapElements(c_, i_, *i_.called(1), {result, given}, dims));
      result = g_.Add(HloOpcode::Select, {mine, sum[0], result});
    }
    RETURN_IF_ERROR(g_.status());
    return result;
  }
  // The same in whatever order, where the computation allows for it.
  absl::StatusOr<HloInstruction*> ScatteredAtOnce(const WindowBlocks& blocks,
                                                  HloInstruction* selected,
                                                  HloInstruction* source) {
    const Dims& dims = blocks.dims();
    HloInstruction *own = blocks.PositionsOf(g_, selected->shape().element_type()),
                   *mine =
                       g_.Compare(blocks.EntriesOf(g_, selected), own, ComparisonDirection::kEq),
                   *given = blocks.EntriesOf(g_, source);
    RETURN_IF_ERROR(g_.status());
    const DimensionsAttrs windows{
        DimsFrom(static_cast<int64_t>(dims.size()), mine->shape().rank())};
    HloComputation* combiner = Combiner(*c_.module(), *i_.called(1), type_);
    if (!CombinesInAnyOrder(*i_.called(1), 1)) {
      HloInstruction* all =
          g_.Add(HloOpcode::Reduce, {mine, given, g_.Scalar(ElementType::PRED, 1), initial_},
                 windows, {combiner});
      return g_.Element(all, 1);
    }
    HloInstruction* all =
        g_.Add(HloOpcode::Reduce, {mine, given, g_.Zero(ElementType::PRED), g_.Zero(type_)},
               windows, {combiner});
    HloInstruction *initial = g_.Splat(initial_, dims), *result = g_.Element(all, 1);
    RETURN_IF_ERROR(g_.status());
    ASSIGN_OR_RETURN(const Values sum, MapElements(c_, i_, *i_.called(1), {initial, result}, dims));
    return g_.Add(HloOpcode::Select, {g_.Element(all, 0), sum[0], initial});
  }

  HloComputation& c_;
  const HloInstruction& i_;
  Graph g_;
  Window window_;
  HloInstruction *x_, *source_;
  const ElementType type_;
  HloInstruction* initial_;
  const Dims dims_;       // of the operand
  Dims places_;           // of the windows
  Dims sizes_, strides_;  // of the windows
  ElementType index_ = ElementType::S32;
};

}  // namespace

absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, const HloInstruction& i,
                                                 absl::Span<HloInstruction* const> operands,
                                                 HloInstruction* elements,
                                                 HloInstruction* windows) {
  return Expansion(c, i, operands).Make(elements, windows);
}

}  // namespace sinter::expand
