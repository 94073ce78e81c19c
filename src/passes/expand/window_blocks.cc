#include "passes/expand/window_blocks.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/inlined_vector.h"
#include "ir/ops/window.h"

namespace sinter::expand {

int64_t CountOf(const Dims& sizes) { return Shape(ElementType::PRED, sizes).element_count(); }

Dims DimsFrom(int64_t first, int64_t end) {
  Dims dims;
  for (int64_t d = first; d < end; ++d) dims.push_back(d);
  return dims;
}

std::vector<Dims> PlacesIn(const Dims& sizes) {
  std::vector<Dims> all{Dims()};
  for (int64_t n : sizes) {
    std::vector<Dims> longer;
    for (const Dims& place : all) {
      for (int64_t k = 0; k < n; ++k) {
        longer.push_back(place);
        longer.back().push_back(k);
      }
    }
    all = std::move(longer);
  }
  return all;
}

namespace {

HloInstruction* Numbers(Graph& g, const Dims& dims, const std::vector<int32_t>& numbers,
                        ElementType type) {
  if (type == ElementType::S8) {
    return g.Constant(
        Literal::FromSpan<int8_t>(dims, std::vector<int8_t>(numbers.begin(), numbers.end())));
  }
  return g.Convert(g.Constant(Literal::FromSpan<int32_t>(dims, numbers)), type);
}

HloInstruction* Iota(Graph& g, ElementType type, const Dims& dims, int64_t along) {
  const Shape shape(type, dims);
  return g.Add(HloOpcode::Iota, {}, IotaAttrs{along}, {}, &shape);
}

HloInstruction* Splat(Graph& g, ElementType type, const Dims& dims, int64_t value) {
  return g.Splat(g.Scalar(type, static_cast<double>(value)), dims);
}

}  // namespace

WindowBlocks::WindowBlocks(Dims sizes, Dims strides, const Dims& counts)
    : sizes_(std::move(sizes)), strides_(std::move(strides)) {
  for (size_t d = 0; d < sizes_.size(); ++d) {
    // How far another one would be apart does not matter.
    if (counts[d] == 1) strides_[d] = std::min(strides_[d], sizes_[d]);
    meeting_.push_back((sizes_[d] - 1) / strides_[d] + 1);
    blocks_.push_back(counts[d] + meeting_[d] - 1);
    block_dims_.push_back(static_cast<int64_t>(dims_.size()));
    dims_.push_back(blocks_[d]);
    if (strides_[d] == 1) continue;
    place_dims_.push_back(static_cast<int64_t>(dims_.size()));
    places_.push_back(strides_[d]);
    dims_.push_back(strides_[d]);
  }
}

int64_t WindowBlocks::most_windows() const { return CountOf(meeting_); }

HloInstruction* WindowBlocks::WithBorder(Graph& g, HloInstruction* windows,
                                         HloInstruction* value) const {
  PadAttrs border;
  for (int64_t m : meeting_) border.low.push_back(m - 1);
  border.high = border.low;
  border.interior = Dims(meeting_.size(), 0);
  return most_windows() == 1 ? windows : g.Add(HloOpcode::Pad, {windows, value}, border);
}

HloInstruction* WindowBlocks::EntryOf(Graph& g, HloInstruction* bordered, const Dims& k) const {
  Dims limits;
  for (size_t d = 0; d < k.size(); ++d) limits.push_back(k[d] + blocks_[d]);
  const SliceAttrs part{k, limits, Dims(k.size(), 1)};
  return g.Broadcast(g.Add(HloOpcode::Slice, {bordered}, part), dims_, block_dims_);
}

Dims WindowBlocks::WithMeeting(Dims dims) const {
  for (int64_t m : meeting_) {
    if (m > 1) dims.push_back(m);
  }
  return dims;
}

HloInstruction* WindowBlocks::EntriesOf(Graph& g, HloInstruction* bordered) const {
  Window window;
  for (int64_t m : meeting_) {
    window.emplace_back();
    window.back().size = m;
  }
  const Dims dims = WithMeeting(dims_);
  Dims of = block_dims_;
  for (size_t d = dims_.size(); d < dims.size(); ++d) of.push_back(static_cast<int64_t>(d));
  return g.Broadcast(g.Windows(bordered, window), dims, of);
}

int32_t WindowBlocks::PositionIn(const Dims& k, const Dims& place) const {
  int64_t number = 0;
  for (size_t d = 0, p = 0; d < sizes_.size(); ++d) {
    const int64_t in_block = strides_[d] > 1 ? place[p++] : 0,
                  at = (meeting_[d] - 1 - k[d]) * strides_[d] + in_block;
    if (at >= sizes_[d]) return kBehind;
    number = number * sizes_[d] + at;
  }
  return static_cast<int32_t>(number);
}

HloInstruction* WindowBlocks::IsIn(Graph& g, const Dims& k) const {
  absl::InlinedVector<bool, 64> inside;
  for (const Dims& place : PlacesIn(places_)) inside.push_back(PositionIn(k, place) != kBehind);
  if (absl::c_all_of(inside, [](bool is_in) { return is_in; })) return nullptr;
  return g.Broadcast(g.Constant(Literal::FromSpan<bool>(places_, inside)), dims_, place_dims_);
}

HloInstruction* WindowBlocks::PositionOf(Graph& g, const Dims& k, ElementType type) const {
  if (!has_few_places()) {
    std::vector<HloInstruction*> before;
    for (size_t d = 0; d < sizes_.size(); ++d)
      before.push_back(Splat(g, type, dims_, (meeting_[d] - 1 - k[d]) * strides_[d]));
    return PositionFrom(g, before, dims_, type);
  }
  std::vector<int32_t> numbers;
  for (const Dims& place : PlacesIn(places_)) numbers.push_back(PositionIn(k, place));
  return g.Broadcast(Numbers(g, places_, numbers, type), dims_, place_dims_);
}

HloInstruction* WindowBlocks::PositionsOf(Graph& g, ElementType type) const {
  const Dims dims = WithMeeting(dims_);
  if (CountOf(WithMeeting(places_)) > kMostListed) {
    std::vector<HloInstruction*> before;
    auto next = static_cast<int64_t>(dims_.size());
    for (size_t d = 0; d < sizes_.size(); ++d) {
      before.push_back(Splat(g, type, dims, (meeting_[d] - 1) * strides_[d]));
      if (meeting_[d] == 1) continue;
      HloInstruction* later = g.Add(
          HloOpcode::Multiply, {Iota(g, type, dims, next++), Splat(g, type, dims, strides_[d])});
      before.back() = g.Add(HloOpcode::Subtract, {before.back(), later});
    }
    return PositionFrom(g, before, dims, type);
  }
  Dims of = place_dims_;
  for (size_t d = dims_.size(); d < dims.size(); ++d) of.push_back(static_cast<int64_t>(d));
  std::vector<int32_t> numbers;
  for (const Dims& place : PlacesIn(places_)) {
    for (const Dims& k : PlacesIn(meeting_)) numbers.push_back(PositionIn(k, place));
  }
  return g.Broadcast(Numbers(g, WithMeeting(places_), numbers, type), dims, of);
}

// Of windows that begin so many elements before the block, along each dimension.
HloInstruction* WindowBlocks::PositionFrom(Graph& g, const std::vector<HloInstruction*>& before,
                                           const Dims& dims, ElementType type) const {
  HloInstruction *number = Splat(g, type, dims, 0), *inside = nullptr;
  for (size_t d = 0, p = 0; d < sizes_.size(); ++d) {
    HloInstruction* at = before[d];
    if (strides_[d] > 1) at = g.Add(HloOpcode::Add, {at, Iota(g, type, dims, place_dims_[p++])});
    HloInstruction* size = Splat(g, type, dims, sizes_[d]);
    if (sizes_[d] % strides_[d] != 0) {
      HloInstruction* is_in = g.Compare(at, size, ComparisonDirection::kLt);
      inside = inside ? g.Add(HloOpcode::And, {inside, is_in}) : is_in;
    }
    number = g.Add(HloOpcode::Add, {g.Add(HloOpcode::Multiply, {number, size}), at});
  }
  if (inside == nullptr) return number;
  return g.Add(HloOpcode::Select, {inside, number, Splat(g, type, dims, kBehind)});
}

HloInstruction* WindowBlocks::Elements(Graph& g, HloInstruction* x, const Dims& starts,
                                       const Dims& extents, HloInstruction* value) const {
  Dims joined, limits;
  PadAttrs pad;
  bool is_part = true;
  for (size_t d = 0; d < blocks_.size(); ++d) {
    joined.push_back(blocks_[d] * strides_[d]);
    limits.push_back(starts[d] + extents[d]);
    is_part &= starts[d] >= 0 && limits[d] <= joined[d];
    pad.low.push_back(-starts[d]);
    pad.high.push_back(limits[d] - joined[d]);
    pad.interior.push_back(0);
  }
  x = g.Reshape(x, joined);
  if (!is_part) return g.Add(HloOpcode::Pad, {x, value}, std::move(pad));
  return g.Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, Dims(starts.size(), 1)});
}

}  // namespace sinter::expand
