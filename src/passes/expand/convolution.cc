#include "passes/expand/convolution.h"

#include <algorithm>
#include <climits>
#include <numeric>

#include "base/status.h"
#include "pass/graph.h"

namespace sinter::expand {
namespace {

// What a dimension of an operand or of a product means. Spatial dimension k is kSpatial + k, the
// position in the window along it kPosition + k.
enum Meaning : int { kBatch, kGroup, kIn, kOut, kSpatial = 100, kPosition = 200 };

// Elements that fill a vector.
constexpr int64_t kVector = 16;

// An array whose dimensions have meanings.
struct Labeled {
  HloInstruction* x = nullptr;
  std::vector<int> labels;

  size_t At(int label) const {
    return static_cast<size_t>(std::find(labels.begin(), labels.end(), label) - labels.begin());
  }
  bool Has(int label) const { return At(label) < labels.size(); }
  int64_t Size(int label) const { return x->shape().dimensions()[At(label)]; }
};

class Expander {
 public:
  Expander(HloComputation& c, const HloInstruction& i)
      : g_(c, i), i_(i), a_(i.attrs<ConvolutionAttrs>()), n_(a_.dim_labels) {
    groups_ = std::max(a_.feature_group_count, a_.batch_group_count);
    depthwise_ = a_.feature_group_count > 1 && !IsPredicate(i.shape().element_type()) &&
                 i.operand(1)->shape().dimension(n_.kernel_input_feature_dimension) == 1;
  }

  absl::StatusOr<HloInstruction*> Make() {
    HloInstruction* result = Expand();
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  HloInstruction* Expand() {
    const Shape& shape = i_.shape();
    if (shape.element_count() == 0 || i_.operand(0)->shape().element_count() == 0 ||
        i_.operand(1)->shape().element_count() == 0) {
      return g_.Splat(g_.Zero(shape.element_type()), shape.dimensions());
    }
    kernel_last_ = KernelIsLast();
    one_in_ = groups_ == 1 &&
              i_.operand(1)->shape().dimension(n_.kernel_input_feature_dimension) == 1 &&
              HasWindows();
    const Labeled kernel = Kernel(), input = Input();
    return Finish(IsElementwise(input, kernel) ? SumOfProducts(input, kernel) : Dot(input, kernel));
  }

  // The dimension of that label becomes [group, label].
  void Split(Labeled& l, int label) {
    if (groups_ == 1) return;
    const size_t at = l.At(label);
    Dims sizes = l.x->shape().dimensions();
    sizes[at] /= groups_;
    sizes.insert(sizes.begin() + static_cast<ptrdiff_t>(at), groups_);
    l.labels.insert(l.labels.begin() + static_cast<ptrdiff_t>(at), kGroup);
    l.x = g_.Reshape(l.x, sizes);
  }
  void Drop(Labeled& l, int label) {  // a dimension of size 1
    const size_t at = l.At(label);
    Dims sizes = l.x->shape().dimensions();
    sizes.erase(sizes.begin() + static_cast<ptrdiff_t>(at));
    l.labels.erase(l.labels.begin() + static_cast<ptrdiff_t>(at));
    l.x = g_.Reshape(l.x, sizes);
  }

  Labeled Kernel() {
    Labeled k{i_.operand(1), std::vector<int>(static_cast<size_t>(i_.shape().rank()))};
    k.labels[static_cast<size_t>(n_.kernel_input_feature_dimension)] = kIn;
    k.labels[static_cast<size_t>(n_.kernel_output_feature_dimension)] = kOut;
    Dims reversed;
    for (size_t s = 0; s < a_.window.size(); ++s) {
      const int64_t d = n_.kernel_spatial_dimensions[s];
      k.labels[static_cast<size_t>(d)] = kPosition + static_cast<int>(s);
      if (a_.window[s].window_reversal && a_.window[s].size > 1) reversed.push_back(d);
    }
    if (!reversed.empty()) k.x = g_.Add(HloOpcode::Reverse, {k.x}, DimensionsAttrs{reversed});
    for (size_t s = 0; s < a_.window.size(); ++s) {
      if (a_.window[s].size == 1) Drop(k, kPosition + static_cast<int>(s));
    }
    Split(k, kOut);
    // Of single features none is a dimension: along the minor one there would be one element.
    if (one_in_) Drop(k, kIn);
    if (!depthwise_ && k.Size(kOut) == 1) Drop(k, kOut);
    // As the right operand of a product its rows are to be the features, which are next to one
    // another in the result: not so in gradients for the input.
    if (!depthwise_ && kernel_last_ && HasWindows() && k.Has(kOut) && k.labels.back() != kOut &&
        k.Size(kOut) >= kVector / 2)
      MoveLast(k, kOut);
    return k;
  }

  void MoveLast(Labeled& l, int label) {
    Dims order;
    const auto at = static_cast<int64_t>(l.At(label));
    for (int64_t d = 0; d < l.x->shape().rank(); ++d)
      if (d != at) order.push_back(d);
    order.push_back(at);
    l.x = g_.Transpose(l.x, order);
    l.labels.erase(l.labels.begin() + at);
    l.labels.push_back(label);
  }

  // Whether there are many more positions in a window than windows, and memory runs along one: the
  // rows of the product are then to be neighbours in memory instead, which are read as they are
  // (plan::MatrixProduct::has_tiled_rows).
  bool IsFilterGradient(const Labeled& in) const {
    if (groups_ > 1 || !kernel_last_ || in.labels.back() < kSpatial ||
        in.Size(kBatch) < kVector / 2)
      return false;
    int64_t positions = 1, windows = 1;
    for (size_t s = 0; s < a_.window.size(); ++s) {
      positions *= a_.window[s].size;
      windows *= i_.shape().dimension(n_.output_spatial_dimensions[s]);
    }
    return positions >= 4 * windows;
  }

  bool HasWindows() const {
    return std::any_of(a_.window.begin(), a_.window.end(), [](auto& w) { return w.size > 1; });
  }
  // Whether the product's minor dimension is the kernel's features: that of the result, or a longer
  // one, as in gradients for a small kernel.
  bool KernelIsLast() const {
    const int64_t last = i_.shape().rank() - 1;
    return n_.output_feature_dimension == last ||
           (HasWindows() && i_.shape().dimension(last) < kVector &&
            i_.shape().dimension(n_.output_feature_dimension) / groups_ >= kVector);
  }

  // Padded, grouped, and as windows.
  Labeled Input() {
    Labeled in{i_.operand(0), std::vector<int>(static_cast<size_t>(i_.shape().rank()))};
    in.labels[static_cast<size_t>(n_.input_batch_dimension)] = kBatch;
    in.labels[static_cast<size_t>(n_.input_feature_dimension)] = kIn;
    Window padding(in.labels.size());
    for (size_t s = 0; s < a_.window.size(); ++s) {
      const auto d = static_cast<size_t>(n_.input_spatial_dimensions[s]);
      in.labels[d] = kSpatial + static_cast<int>(s);
      padding[d] = a_.window[s];
    }
    in.x = g_.Pad(in.x, g_.Zero(in.x->shape().element_type()), padding);
    if (IsFilterGradient(in)) MoveLast(in, kBatch);
    Split(in, a_.feature_group_count > 1 ? kIn : kBatch);
    if (depthwise_ || one_in_) Drop(in, kIn);

    Window window(in.labels.size());
    std::vector<int> positions;
    for (size_t d = 0; d < in.labels.size(); ++d) {
      if (in.labels[d] < kSpatial) continue;
      const auto s = static_cast<size_t>(in.labels[d] - kSpatial);
      const WindowDimension& w = a_.window[s];
      // A single window over the whole dimension: it is summed over as it is.
      if (w.size > 1 && w.size == in.x->shape().dimensions()[d]) {
        in.labels[d] = kPosition + static_cast<int>(s);
        continue;
      }
      window[d].size = w.size;
      window[d].stride = w.stride;
      window[d].window_dilation = w.window_dilation;
      if (w.size > 1) positions.push_back(kPosition + static_cast<int>(s));
    }
    in.x = g_.Windows(in.x, std::move(window));
    in.labels.insert(in.labels.end(), positions.begin(), positions.end());
    return in;
  }

  Dims Places(const Labeled& l, const std::vector<int>& labels) const {
    Dims dims;
    for (int label : labels) dims.push_back(static_cast<int64_t>(l.At(label)));
    return dims;
  }

  // Dimensions that are neither group nor summed over.
  std::vector<int> Free(const Labeled& l, const std::vector<int>& summed) const {
    std::vector<int> free;
    for (int label : l.labels) {
      if (label != kGroup && std::find(summed.begin(), summed.end(), label) == summed.end())
        free.push_back(label);
    }
    return free;
  }

  // Several free dimensions beside one that is summed over become one, if they are contiguous: then
  // the product is one of matrices.
  Labeled Collapse(const Labeled& l, const std::vector<int>& summed) {
    if (l.x->op() == HloOpcode::Windows || summed.size() != 1 || l.Has(kGroup)) return l;
    std::vector<int> rest;
    for (int label : l.labels) {
      if (label == summed[0] || l.Size(label) != 1) rest.push_back(label);
    }
    const bool first = rest.front() == summed[0], last = rest.back() == summed[0];
    if (!first && !last) return l;
    const int64_t depth = l.Size(summed[0]), free = l.x->shape().element_count() / depth;
    Labeled out;
    out.x = g_.Reshape(l.x, last ? Dims{free, depth} : Dims{depth, free});
    out.labels = last ? std::vector<int>{kBatch, summed[0]} : std::vector<int>{summed[0], kBatch};
    return out;
  }

  Labeled Dot(Labeled input, const Labeled& kernel) {
    std::vector<int> summed;  // in the kernel's order
    for (int label : kernel.labels) {
      if (label == kIn || label >= kPosition) summed.push_back(label);
    }
    const std::vector<int> free = Free(input, summed);
    Dims free_sizes;
    for (int label : free) free_sizes.push_back(input.Size(label));
    input = Collapse(input, summed);
    // The minor dimension of the result runs along the right operand.
    const Labeled &lhs = kernel_last_ ? input : kernel, &rhs = kernel_last_ ? kernel : input;
    DotAttrs attrs;
    if (groups_ > 1) {
      attrs.lhs_batch_dims = Places(lhs, {kGroup});
      attrs.rhs_batch_dims = Places(rhs, {kGroup});
    }
    attrs.lhs_contracting_dims = Places(lhs, summed);
    attrs.rhs_contracting_dims = Places(rhs, summed);
    attrs.lhs_precision = kernel_last_ ? a_.lhs_precision : a_.rhs_precision;
    attrs.rhs_precision = kernel_last_ ? a_.rhs_precision : a_.lhs_precision;
    // Group, the free dimensions of the left operand, those of the right one.
    Labeled out;
    Dims product, sizes;
    auto add = [&](int label, int64_t size) {
      out.labels.push_back(label);
      sizes.push_back(size);
    };
    auto add_input = [&] {
      for (size_t k = 0; k < free.size(); ++k) add(free[k], free_sizes[k]);
    };
    if (groups_ > 1) add(kGroup, groups_);
    if (kernel_last_) add_input();
    if (kernel.Has(kOut)) add(kOut, kernel.Size(kOut));
    if (!kernel_last_) add_input();
    for (int label : lhs.labels) {
      if (label == kGroup) product.push_back(lhs.Size(label));
    }
    for (const Labeled* side : {&lhs, &rhs}) {
      for (int label : Free(*side, summed)) product.push_back(side->Size(label));
    }
    const Shape declared(i_.shape().element_type(), product);
    out.x = g_.Add(HloOpcode::Dot, {lhs.x, rhs.x}, std::move(attrs), {}, &declared);
    out.x = g_.Reshape(out.x, sizes);
    return out;
  }

  // Whether a group has no more than one row and one column, of which memory runs along groups: of
  // one input feature each, and gradients for their filters.
  bool IsElementwise(const Labeled& input, const Labeled& kernel) const {
    if (depthwise_) return true;
    auto is_one = [&](const Labeled& l, int label) { return !l.Has(label) || l.Size(label) == 1; };
    auto runs_along_groups = [](const Labeled& l) { return MinorLabel(l, kPosition) == kGroup; };
    return groups_ > 1 && is_one(input, kBatch) && is_one(kernel, kOut) &&
           !IsPredicate(i_.shape().element_type()) && runs_along_groups(input) &&
           runs_along_groups(kernel);
  }

  // Of the minor dimension with more than one element, of those whose labels are below `end`; -1 if
  // there is none.
  static int MinorLabel(const Labeled& l, int end = INT_MAX) {
    for (size_t d = l.labels.size(); d-- > 0;) {
      if (l.labels[d] < end && l.x->shape().dimension(static_cast<int64_t>(d)) != 1)
        return l.labels[d];
    }
    return -1;
  }

  // Elementwise products along everything that the result has, summed over the positions in a
  // window and the features.
  Labeled SumOfProducts(const Labeled& input, Labeled kernel) {
    if (depthwise_) Drop(kernel, kIn);
    Labeled out;
    out.labels = ResultLabels();
    out.labels.erase(
        std::remove_if(out.labels.begin(), out.labels.end(),
                       [&](int label) { return !input.Has(label) && !kernel.Has(label); }),
        out.labels.end());
    const std::vector<int> kept = out.labels;
    // What is summed over stands before the groups where the kernel's rows run along these: a
    // broadcast that turned them would be read across.
    auto before = out.labels.end();
    if (MinorLabel(kernel) == kGroup) {
      const auto group = std::find(out.labels.begin(), out.labels.end(), kGroup);
      const bool is_minor = std::all_of(group, out.labels.end(), [&](int label) {
        return label == kGroup || (input.Has(label) ? input : kernel).Size(label) == 1;
      });
      if (is_minor) before = group;
    }
    std::vector<int> summed;
    for (int label : kernel.labels) {
      if (label == kIn || label >= kPosition) summed.push_back(label);
    }
    out.labels.insert(before, summed.begin(), summed.end());
    Dims sizes, positions;
    for (size_t d = 0; d < out.labels.size(); ++d) {
      const int label = out.labels[d];
      sizes.push_back(input.Has(label) ? input.Size(label) : kernel.Size(label));
      if (label == kIn || label >= kPosition) positions.push_back(static_cast<int64_t>(d));
    }
    const ElementType to = i_.shape().element_type(), wide = Wide(to);
    auto spread = [&](const Labeled& l) {
      return g_.Broadcast(g_.Convert(l.x, wide), sizes, Places(out, l.labels));
    };
    out.x = g_.Add(HloOpcode::Multiply, {spread(input), spread(kernel)});
    if (!positions.empty()) {
      out.x = g_.Sum(out.x, positions);
    } else if (IsFloat(wide) || IsComplex(wide)) {  // the sum of one product begins at +0, too
      out.x = g_.Add(HloOpcode::Add, {out.x, g_.Splat(g_.Zero(wide), sizes)});
    }
    out.x = g_.Convert(out.x, to);
    out.labels = kept;
    return out;
  }

  // Labels of the result's dimensions, its features as group and features of a group.
  std::vector<int> ResultLabels() const {
    std::vector<int> labels;
    for (int64_t d = 0; d < i_.shape().rank(); ++d) {
      if (d == n_.output_batch_dimension) labels.push_back(kBatch);
      if (d == n_.output_feature_dimension) {
        if (groups_ > 1) labels.push_back(kGroup);
        labels.push_back(kOut);
      }
      for (size_t s = 0; s < a_.window.size(); ++s) {
        if (d == n_.output_spatial_dimensions[s]) labels.push_back(kSpatial + static_cast<int>(s));
      }
    }
    return labels;
  }

  // The result's order of dimensions; those of one window are not there yet.
  HloInstruction* Finish(const Labeled& product) {
    Dims permutation;
    for (int label : ResultLabels()) {
      if (product.Has(label)) permutation.push_back(static_cast<int64_t>(product.At(label)));
    }
    return g_.Reshape(g_.Transpose(product.x, permutation), i_.shape().dimensions());
  }

  Graph g_;
  const HloInstruction& i_;
  const ConvolutionAttrs& a_;
  const ConvolutionDimensionNumbers& n_;
  int64_t groups_;
  bool depthwise_;       // one input feature a group
  bool one_in_ = false;  // one input feature in all
  bool kernel_last_ = true;
};

}  // namespace

absl::StatusOr<HloInstruction*> Convolution(HloComputation& c, const HloInstruction& i) {
  return Expander(c, i).Make();
}

}  // namespace sinter::expand
