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

}  // namespace

absl::StatusOr<HloInstruction*> ConvolutionByPhases(HloComputation& c, const HloInstruction& i) {
  const Window& window = i.attrs<ConvolutionAttrs>().window;
  if (i.shape().element_count() == 0 || i.operand(0)->shape().element_count() == 0 ||
      i.operand(1)->shape().element_count() == 0)
    return nullptr;
  for (size_t s = 0; s < window.size(); ++s) {
    const WindowDimension& w = window[s];
    if (w.base_dilation > 1 && w.base_dilation <= kMostPhases && w.stride == 1 &&
        w.window_dilation == 1)
      return Phases(c, i, s).Make();
  }
  return nullptr;
}

}  // namespace sinter::expand
