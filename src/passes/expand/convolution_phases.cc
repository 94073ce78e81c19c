#include "passes/expand/convolution_phases.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "pass/graph.h"

namespace sinter::expand {
namespace {

// Phases of a dimension: more have hardly an element each.
constexpr int64_t kMostPhases = 8;

class Phases {
 public:
  Phases(HloComputation& c, const HloInstruction& i, size_t spatial)
      : g_(c, i),
        i_(i),
        a_(i.attrs<ConvolutionAttrs>()),
        s_(spatial),
        w_(a_.window[spatial]),
        input_(i.operand(0)->shape().dimension(a_.dim_labels.input_spatial_dimensions[spatial])),
        output_dim_(a_.dim_labels.output_spatial_dimensions[spatial]),
        outputs_(i.shape().dimension(output_dim_)) {}

  absl::StatusOr<HloInstruction*> Make() {
    HloInstruction* kernel = i_.operand(1);
    const int64_t kernel_dim = a_.dim_labels.kernel_spatial_dimensions[s_];
    if (w_.window_reversal)
      kernel = g_.Add(HloOpcode::Reverse, {kernel}, DimensionsAttrs{{kernel_dim}});
    const int64_t phases = w_.base_dilation, each = (outputs_ + phases - 1) / phases;
    std::vector<HloInstruction*> parts;
    for (int64_t r = 0; r < phases; ++r) parts.push_back(Part(kernel, kernel_dim, r, each));
    // [.., each, ..] of each phase; together [.., each, phases, ..].
    Dims sizes = parts[0]->shape().dimensions();
    const auto at = static_cast<size_t>(output_dim_);
    Dims apart = sizes;
    apart.insert(apart.begin() + output_dim_ + 1, 1);
    for (HloInstruction*& p : parts) p = g_.Reshape(p, apart);
    HloInstruction* all = g_.Add(HloOpcode::Concatenate, parts, DimensionsAttrs{{output_dim_ + 1}});
    sizes[at] = each * phases;
    all = g_.Reshape(all, sizes);
    if (sizes[at] != outputs_) {
      sizes[at] = outputs_;
      all = g_.Add(HloOpcode::Slice, {all},
                   SliceAttrs{Dims(sizes.size(), 0), sizes, Dims(sizes.size(), 1)});
    }
    RETURN_IF_ERROR(g_.status());
    return all;
  }

 private:
  // Results r, r + phases, ...: `each` of them, of which the last may be beyond the end.
  HloInstruction* Part(HloInstruction* kernel, int64_t kernel_dim, int64_t r, int64_t each) {
    const int64_t phases = w_.base_dilation;
    // Result q of the phase reads element (phases q + r + k - padding_low) / phases at position k
    // of the window, where that is whole: at first, first + phases, ...
    const int64_t first = ((w_.padding_low - r) % phases + phases) % phases;
    const int64_t taps = w_.size > first ? (w_.size - first + phases - 1) / phases : 0;
    if (taps == 0) return g_.Splat(g_.Zero(i_.shape().element_type()), SizesOf(each));
    Dims starts(static_cast<size_t>(kernel->shape().rank()), 0),
        limits = kernel->shape().dimensions(), strides(starts.size(), 1);
    const auto k = static_cast<size_t>(kernel_dim);
    starts[k] = first;
    strides[k] = phases;
    HloInstruction* part = g_.Add(HloOpcode::Slice, {kernel}, SliceAttrs{starts, limits, strides});
    ConvolutionAttrs attrs = a_;
    WindowDimension& w = attrs.window[s_];
    w.size = taps;
    w.base_dilation = 1;
    w.window_reversal = false;
    w.padding_low = (w_.padding_low - r - first) / phases;
    w.padding_high = each - 1 + taps - w.padding_low - input_;
    const Shape declared(i_.shape().element_type(), SizesOf(each));
    return g_.Add(HloOpcode::Convolution, {i_.operand(0), part}, std::move(attrs), {}, &declared);
  }
  Dims SizesOf(int64_t each) const {
    Dims sizes = i_.shape().dimensions();
    sizes[static_cast<size_t>(output_dim_)] = each;
    return sizes;
  }

  Graph g_;
  const HloInstruction& i_;
  const ConvolutionAttrs& a_;
  const size_t s_;
  const WindowDimension& w_;
  const int64_t input_, output_dim_, outputs_;
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
    const bool has_groups = a_.feature_group_count > 1;
    // The kernel's dimensions as they are; for each dimension that is spread, the phases behind it.
    HloInstruction* kernel = i_.operand(1);
    Dims sizes = kernel->shape().dimensions(), result_sizes = i_.shape().dimensions();
    const Dims none(sizes.size(), 0);
    PadAttrs padding{none, none, none};
    Dims reversed;
    std::vector<int64_t> phases_at(sizes.size(), 0), result_phases(result_sizes.size(), 0);
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
      phases_at[at] = result_phases[out] = d;
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
    kernel = Kernel(kernel, sizes, phases_at, has_groups);
    const auto feature = static_cast<size_t>(n.output_feature_dimension);
    result_sizes[feature] *= all;
    const Shape declared(i_.shape().element_type(), result_sizes);
    HloInstruction* result =
        g_.Add(HloOpcode::Convolution, {i_.operand(0), kernel}, std::move(attrs_), {}, &declared);
    result = Together(result, result_phases, all, has_groups);
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
  // move whole; of groups the last, as these are neighbours.
  HloInstruction* Kernel(HloInstruction* kernel, const Dims& sizes,
                         const std::vector<int64_t>& phases_at, bool has_groups) {
    Dims apart, turned, phases;
    const int64_t feature = a_.dim_labels.kernel_output_feature_dimension;
    std::vector<int64_t> place(sizes.size());
    for (size_t d = 0; d < sizes.size(); ++d) {
      place[d] = static_cast<int64_t>(apart.size());
      apart.push_back(sizes[d]);
      if (phases_at[d] == 0) continue;
      phases.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(phases_at[d]);
    }
    kernel = g_.Reshape(kernel, apart);
    // The kernel's positions count down where results count up.
    kernel = g_.Add(HloOpcode::Reverse, {kernel}, DimensionsAttrs{phases});
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
  HloInstruction* Together(HloInstruction* result, const std::vector<int64_t>& phases_at,
                           int64_t all, bool has_groups) {
    const auto feature = static_cast<size_t>(a_.dim_labels.output_feature_dimension);
    Dims sizes = result->shape().dimensions(), phases, apart;
    for (int64_t n : phases_at)
      if (n != 0) phases.push_back(n);
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
      if (phases_at[d] == 0) continue;
      turned.push_back(first++);
      merged.back() *= phases_at[d];
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
  for (size_t s = 0; s < window.size(); ++s) {
    if (has_phases(window[s]) && window[s].base_dilation <= kMostPhases)
      return Phases(c, i, s).Make();
  }
  return nullptr;
}

}  // namespace sinter::expand
