#include "passes/expand/convolution_phases.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "pass/graph.h"

namespace sinter::expand {
namespace {

// Phases of a dimension: more have hardly an element each.
constexpr int64_t kMostPhases = 8;

// Each phase of all spread dimensions is a convolution of its own, of a part of the input that is
// padded once for all; their results are put side by side at once.
class Phases {
 public:
  Phases(HloComputation& c, const HloInstruction& i)
      : g_(c, i), i_(i), a_(i.attrs<ConvolutionAttrs>()), sizes_(i.shape().dimensions()) {}

  absl::StatusOr<HloInstruction*> Make(const std::vector<size_t>& spatial) {
    const auto& n = a_.dim_labels;
    kernel_ = i_.operand(1);
    Dims reversed;
    PadAttrs padding{Dims(sizes_.size(), 0), Dims(sizes_.size(), 0), Dims(sizes_.size(), 0)};
    for (size_t s : spatial) {
      Spread d{s, n.input_spatial_dimensions[s], n.kernel_spatial_dimensions[s],
               n.output_spatial_dimensions[s]};
      const WindowDimension& w = a_.window[s];
      if (w.window_reversal) reversed.push_back(d.kernel_dim);
      d.phases = w.base_dilation;
      int64_t& results = sizes_[static_cast<size_t>(d.output_dim)];
      d.each = results = (results + d.phases - 1) / d.phases;
      for (int64_t r = 0; r < d.phases; ++r) d.of.push_back(PhaseOf(w, r));
      // What the phases read of the input, all of them.
      const int64_t input = i_.operand(0)->shape().dimension(d.input_dim);
      int64_t high = INT64_MIN;
      for (const Phase& p : d.of) {
        if (p.taps == 0) continue;
        d.low = std::max(d.low, p.low);
        high = std::max(high, d.each - 1 + p.taps - p.low - input);
      }
      if (high != INT64_MIN) {
        padding.low[static_cast<size_t>(d.input_dim)] = d.low;
        padding.high[static_cast<size_t>(d.input_dim)] = high;
      }
      spread_.push_back(std::move(d));
    }
    if (!reversed.empty())
      kernel_ = g_.Add(HloOpcode::Reverse, {kernel_}, DimensionsAttrs{reversed});
    input_ = i_.operand(0);
    auto is_none = [](int64_t x) { return x == 0; };
    if (!absl::c_all_of(padding.low, is_none) || !absl::c_all_of(padding.high, is_none)) {
      input_ = g_.Add(HloOpcode::Pad, {input_, g_.Zero(input_->shape().element_type())},
                      std::move(padding));
    }
    std::vector<const Phase*> chosen;
    HloInstruction* all = SideBySide(chosen);
    Dims merged = sizes_;
    for (const Spread& d : spread_) merged[static_cast<size_t>(d.output_dim)] *= d.phases;
    all = g_.Reshape(all, merged);
    if (merged != i_.shape().dimensions()) {
      all = g_.Add(
          HloOpcode::Slice, {all},
          SliceAttrs{Dims(merged.size(), 0), i_.shape().dimensions(), Dims(merged.size(), 1)});
    }
    RETURN_IF_ERROR(g_.status());
    return all;
  }

 private:
  // Results r, r + phases, ... of a dimension: they read positions first, first + phases, ... of
  // the window, `taps` of them, with so much padding in front of the input.
  struct Phase {
    int64_t first = 0, taps = 0, low = 0;
  };
  struct Spread {
    size_t spatial;
    int64_t input_dim, kernel_dim, output_dim;
    int64_t phases = 0;
    int64_t each = 0;         // results of a phase, of which the last may be beyond the end
    int64_t low = INT64_MIN;  // padding in front of the input, of all phases
    std::vector<Phase> of = {};
  };

  // Result q of the phase reads element (phases q + r + k - padding_low) / phases at position k of
  // the window, where that is whole.
  static Phase PhaseOf(const WindowDimension& w, int64_t r) {
    const int64_t phases = w.base_dilation;
    Phase p;
    p.first = ((w.padding_low - r) % phases + phases) % phases;
    p.taps = w.size > p.first ? (w.size - p.first + phases - 1) / phases : 0;
    p.low = (w.padding_low - r - p.first) / phases;
    return p;
  }

  // The results for the phases that are chosen of the first dimensions, and all of the others. Of
  // each of those the phases are a dimension of their own, behind that of a phase's results.
  HloInstruction* SideBySide(std::vector<const Phase*>& chosen) {
    const size_t k = chosen.size();
    if (k == spread_.size()) return Part(chosen);
    const Spread& d = spread_[k];
    int64_t behind = d.output_dim + 1;
    for (size_t j = k + 1; j < spread_.size(); ++j)
      behind += spread_[j].output_dim < d.output_dim ? 1 : 0;
    std::vector<HloInstruction*> parts;
    for (const Phase& p : d.of) {
      chosen.push_back(&p);
      HloInstruction* part = SideBySide(chosen);
      chosen.pop_back();
      Dims apart = part->shape().dimensions();
      apart.insert(apart.begin() + behind, 1);
      parts.push_back(g_.Reshape(part, apart));
    }
    return g_.Add(HloOpcode::Concatenate, parts, DimensionsAttrs{{behind}});
  }

  HloInstruction* Part(const std::vector<const Phase*>& chosen) {
    if (absl::c_any_of(chosen, [](const Phase* p) { return p->taps == 0; }))
      return g_.Splat(g_.Zero(i_.shape().element_type()), sizes_);
    Dims starts(sizes_.size(), 0), strides(sizes_.size(), 1), from = starts,
                                                              limits = input_->shape().dimensions();
    ConvolutionAttrs attrs = a_;
    for (size_t k = 0; k < chosen.size(); ++k) {
      const Spread& d = spread_[k];
      const Phase& p = *chosen[k];
      starts[static_cast<size_t>(d.kernel_dim)] = p.first;
      strides[static_cast<size_t>(d.kernel_dim)] = d.phases;
      int64_t& begin = from[static_cast<size_t>(d.input_dim)];
      begin = d.low - p.low;
      limits[static_cast<size_t>(d.input_dim)] = begin + d.each - 1 + p.taps;
      WindowDimension& w = attrs.window[d.spatial];
      w.size = p.taps;
      w.base_dilation = 1;
      w.window_reversal = false;
      w.padding_low = w.padding_high = 0;
    }
    HloInstruction* kernel = g_.Add(HloOpcode::Slice, {kernel_},
                                    SliceAttrs{starts, kernel_->shape().dimensions(), strides});
    HloInstruction* input = input_;
    if (limits != input_->shape().dimensions() || from != Dims(from.size(), 0))
      input = g_.Add(HloOpcode::Slice, {input_}, SliceAttrs{from, limits, Dims(from.size(), 1)});
    const Shape declared(i_.shape().element_type(), sizes_);
    return g_.Add(HloOpcode::Convolution, {input, kernel}, std::move(attrs), {}, &declared);
  }

  Graph g_;
  const HloInstruction& i_;
  const ConvolutionAttrs& a_;
  Dims sizes_;  // of a phase's results
  std::vector<Spread> spread_;
  HloInstruction *kernel_ = nullptr, *input_ = nullptr;
};

// The phases of several dimensions as features of one convolution, which are then moved to where
// they belong. All phases have windows of equal length, which zeros fill up.
class FeaturePhases {
 public:
  FeaturePhases(HloComputation& c, const HloInstruction& i)
      : g_(c, i), i_(i), a_(i.attrs<ConvolutionAttrs>()), attrs_(a_) {}

  // Whether these dimensions are better that way: where there are no zeros to fill up with, and of
  // many phases.
  static bool IsBetter(const WindowDimension& w, bool has_groups) {
    const Taps taps = TapsOf(w);
    return w.base_dilation > kMostPhases || (taps.low == 0 && taps.high == 0 && !has_groups);
  }

  absl::StatusOr<HloInstruction*> Make(const std::vector<size_t>& spatial) {
    const auto& n = a_.dim_labels;
    spatial_ = spatial;
    const bool has_groups = a_.feature_group_count > 1;
    // The kernel's dimensions as they are; for each dimension that is spread, the phases behind it.
    HloInstruction* kernel = i_.operand(1);
    Dims sizes = kernel->shape().dimensions(), result_sizes = i_.shape().dimensions();
    const Dims none(sizes.size(), 0);
    PadAttrs padding{none, none, none};
    Dims reversed;
    int64_t all = 1;
    for (size_t s : spatial) {
      const WindowDimension& w = a_.window[s];
      const Taps taps = TapsOf(w);
      const auto at = static_cast<size_t>(n.kernel_spatial_dimensions[s]),
                 out = static_cast<size_t>(n.output_spatial_dimensions[s]);
      const int64_t d = w.base_dilation, each = (result_sizes[out] + d - 1) / d;
      if (w.window_reversal) reversed.push_back(static_cast<int64_t>(at));
      padding.low[at] = taps.low;
      padding.high[at] = taps.high;
      sizes[at] = taps.count;
      result_sizes[out] = each;
      all *= d;
      WindowDimension& own = attrs_.window[s];
      own.size = taps.count;
      own.base_dilation = 1;
      own.window_reversal = false;
      own.padding_low = taps.before;
      own.padding_high = each - 1 + taps.count - taps.before -
                         i_.operand(0)->shape().dimension(n.input_spatial_dimensions[s]);
    }
    if (!reversed.empty()) kernel = g_.Add(HloOpcode::Reverse, {kernel}, DimensionsAttrs{reversed});
    if (padding.low != none || padding.high != none) {
      kernel = g_.Add(HloOpcode::Pad, {kernel, g_.Zero(kernel->shape().element_type())},
                      std::move(padding));
    }
    kernel = Kernel(kernel, sizes, has_groups);
    const auto feature = static_cast<size_t>(n.output_feature_dimension);
    result_sizes[feature] *= all;
    const Shape declared(i_.shape().element_type(), result_sizes);
    HloInstruction* result =
        g_.Add(HloOpcode::Convolution, {i_.operand(0), kernel}, std::move(attrs_), {}, &declared);
    result = Together(result, all, has_groups);
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  // The positions of the window that a phase has, in units of the dilation.
  struct Taps {
    int64_t count = 0, low = 0, high = 0;  // and zeros before and behind the kernel's
    int64_t before = 0;                    // padding of the input
  };
  // Result d q + r, in units of the dilation d, reads at position t of its window the element q + t
  // - before of the input by the kernel's position d t - r + (padding_low mod d).
  static Taps TapsOf(const WindowDimension& w) {
    const int64_t d = w.base_dilation, rest = (w.padding_low % d + d) % d;
    Taps taps;
    taps.low = d - 1 - rest;
    taps.count = (w.size + taps.low + d - 1) / d;
    taps.high = taps.count * d - w.size - taps.low;
    taps.before = (w.padding_low - rest) / d;
    return taps;
  }

  // Phases are the first part of the number of a feature, of one group, so that rows of features
  // move whole; of groups the last, as these are neighbours. They are in the order of spatial_.
  HloInstruction* Kernel(HloInstruction* kernel, const Dims& sizes, bool has_groups) {
    const auto& n = a_.dim_labels;
    std::vector<int64_t> phases_at(sizes.size(), 0);  // of the kernel's dimensions
    for (size_t s : spatial_)
      phases_at[static_cast<size_t>(n.kernel_spatial_dimensions[s])] = a_.window[s].base_dilation;
    Dims apart, turned, phases;
    const int64_t feature = n.kernel_output_feature_dimension;
    std::vector<int64_t> place(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      place[d] = static_cast<int64_t>(apart.size());
      apart.push_back(sizes[d]);
      if (phases_at[d] != 0) apart.push_back(phases_at[d]);
    }
    for (size_t s : spatial_)
      phases.push_back(place[static_cast<size_t>(n.kernel_spatial_dimensions[s])] + 1);
    kernel = g_.Reshape(kernel, apart);
    // The kernel's positions count down where results count up.
    Dims reversed = phases;
    absl::c_sort(reversed);
    kernel = g_.Add(HloOpcode::Reverse, {kernel}, DimensionsAttrs{reversed});
    Dims merged = sizes;
    for (size_t d = 0; d < sizes.size(); ++d) {
      const bool is_feature = static_cast<int64_t>(d) == feature;
      if (is_feature && !has_groups) turned.insert(turned.end(), phases.begin(), phases.end());
      turned.push_back(place[d]);
      if (is_feature && has_groups) turned.insert(turned.end(), phases.begin(), phases.end());
    }
    for (int64_t p : phases) merged[static_cast<size_t>(feature)] *= apart[static_cast<size_t>(p)];
    return g_.Reshape(g_.Transpose(kernel, turned), merged);
  }

  // From phases as features to results side by side.
  HloInstruction* Together(HloInstruction* result, int64_t all, bool has_groups) {
    const auto& n = a_.dim_labels;
    const auto feature = static_cast<size_t>(n.output_feature_dimension);
    Dims sizes = result->shape().dimensions(), phases, apart;
    for (size_t s : spatial_) phases.push_back(a_.window[s].base_dilation);
    int64_t first = 0;  // of the phases
    std::vector<int64_t> place(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (d == feature && !has_groups) {
        first = static_cast<int64_t>(apart.size());
        apart.insert(apart.end(), phases.begin(), phases.end());
      }
      place[d] = static_cast<int64_t>(apart.size());
      apart.push_back(d == feature ? sizes[d] / all : sizes[d]);
      if (d == feature && has_groups) {
        first = static_cast<int64_t>(apart.size());
        apart.insert(apart.end(), phases.begin(), phases.end());
      }
    }
    Dims turned, merged;
    for (size_t d = 0; d < sizes.size(); ++d) {
      turned.push_back(place[d]);
      merged.push_back(apart[static_cast<size_t>(place[d])]);
      for (size_t k = 0; k < spatial_.size(); ++k) {
        if (n.output_spatial_dimensions[spatial_[k]] != static_cast<int64_t>(d)) continue;
        turned.push_back(first + static_cast<int64_t>(k));
        merged.back() *= phases[k];
      }
    }
    result = g_.Reshape(g_.Transpose(g_.Reshape(result, apart), turned), merged);
    if (merged == i_.shape().dimensions()) return result;
    return g_.Add(
        HloOpcode::Slice, {result},
        SliceAttrs{Dims(merged.size(), 0), i_.shape().dimensions(), Dims(merged.size(), 1)});
  }

  Graph g_;
  const HloInstruction& i_;
  const ConvolutionAttrs& a_;
  ConvolutionAttrs attrs_;
  std::vector<size_t> spatial_;  // that are spread
};

}  // namespace

absl::StatusOr<HloInstruction*> ConvolutionByPhases(HloComputation& c, const HloInstruction& i) {
  const Window& window = i.attrs<ConvolutionAttrs>().window;
  if (i.shape().element_count() == 0 || i.operand(0)->shape().element_count() == 0 ||
      i.operand(1)->shape().element_count() == 0)
    return nullptr;
  const auto& a = i.attrs<ConvolutionAttrs>();
  auto has_phases = [](const WindowDimension& w) {
    return w.base_dilation > 1 && w.stride == 1 && w.window_dilation == 1;
  };
  std::vector<size_t> as_features;
  for (size_t s = 0; s < window.size() && a.batch_group_count == 1; ++s) {
    if (has_phases(window[s]) && FeaturePhases::IsBetter(window[s], a.feature_group_count > 1))
      as_features.push_back(s);
  }
  if (!as_features.empty()) return FeaturePhases(c, i).Make(as_features);
  std::vector<size_t> apart;
  for (size_t s = 0; s < window.size(); ++s) {
    if (has_phases(window[s]) && window[s].base_dilation <= kMostPhases) apart.push_back(s);
  }
  if (!apart.empty()) return Phases(c, i).Make(apart);
  return nullptr;
}

}  // namespace sinter::expand
