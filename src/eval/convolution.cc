// convolution: for each result element the sum over the window and the kernel's input features, in
// index order, in an accumulator that is rounded once to the result's type.
#include "base/status.h"
#include "eval/functions.h"
#include "eval/product.h"

namespace sinter::eval {
namespace {

// The distance, in elements, between neighbours along the dimensions by their meaning.
struct Strides {
  int64_t batch, feature;  // of the kernel: output feature, input feature
  Dims spatial;
};
Strides StridesOf(const Literal& x, int64_t batch, int64_t feature, const Dims& spatial) {
  Dims all = RowMajorStrides(x.shape().dimensions());
  Strides s{all[static_cast<size_t>(batch)], all[static_cast<size_t>(feature)], {}};
  for (int64_t d : spatial) s.spatial.push_back(all[static_cast<size_t>(d)]);
  return s;
}

bool Advance(Dims& index, const Dims& bounds) {
  size_t d = bounds.size();
  while (d > 0 && ++index[d - 1] == bounds[d - 1]) index[--d] = 0;
  return d > 0;
}

template <class T>
Literal Convolve(const HloInstruction& i, const Literal& x, const Literal& kernel,
                 ElementType accumulator) {
  const auto& a = i.attrs<ConvolutionAttrs>();
  const ConvolutionDimensionNumbers& n = a.dim_labels;
  Literal result(Shape(accumulator, i.shape().dimensions()));
  if (result.shape().element_count() == 0) return result;
  const Strides in = StridesOf(x, n.input_batch_dimension, n.input_feature_dimension,
                               n.input_spatial_dimensions),
                weights = StridesOf(kernel, n.kernel_output_feature_dimension,
                                    n.kernel_input_feature_dimension, n.kernel_spatial_dimensions),
                out = StridesOf(result, n.output_batch_dimension, n.output_feature_dimension,
                                n.output_spatial_dimensions);
  const int64_t batch = i.shape().dimension(n.output_batch_dimension),
                features = i.shape().dimension(n.output_feature_dimension),
                depth = kernel.shape().dimension(n.kernel_input_feature_dimension),
                feature_group = features / a.feature_group_count,
                batch_group = features / a.batch_group_count;
  Dims out_sizes, in_sizes, window_sizes;
  for (size_t k = 0; k < a.window.size(); ++k) {
    out_sizes.push_back(i.shape().dimension(n.output_spatial_dimensions[k]));
    in_sizes.push_back(x.shape().dimension(n.input_spatial_dimensions[k]));
    window_sizes.push_back(a.window[k].size);
  }
  const bool empty_window = kernel.shape().element_count() == 0;
  const T* from = x.data<T>().data();
  const T* by = kernel.data<T>().data();
  T* to = result.data<T>().data();
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t f = 0; f < features; ++f) {
      // Of a group of the batch, and of a group of the features, output feature f takes its own.
      const int64_t first =
          (b + f / batch_group * batch) * in.batch + f / feature_group * depth * in.feature;
      Dims at(out_sizes.size(), 0);
      do {
        T sum{};
        Dims w(window_sizes.size(), 0);
        do {
          if (empty_window) break;
          int64_t position = first, weight = f * weights.batch;
          bool inside = true;
          for (size_t k = 0; k < w.size(); ++k) {
            const WindowDimension& d = a.window[k];
            int64_t c = at[k] * d.stride + w[k] * d.window_dilation - d.padding_low;
            inside &= c >= 0 && c % d.base_dilation == 0 && c / d.base_dilation < in_sizes[k];
            position += c / d.base_dilation * in.spatial[k];
            weight += (d.window_reversal ? d.size - 1 - w[k] : w[k]) * weights.spatial[k];
          }
          for (int64_t c = 0; inside && c < depth; ++c) {
            sum =
                AddProduct(sum, from[position + c * in.feature], by[weight + c * weights.feature]);
          }
        } while (Advance(w, window_sizes));
        int64_t store = b * out.batch + f * out.feature;
        for (size_t k = 0; k < at.size(); ++k) store += at[k] * out.spatial[k];
        to[store] = sum;
      } while (Advance(at, out_sizes));
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<Value> Convolution(const Input& in) {
  const ElementType to = in.shape().element_type();
  const ElementType accumulator = AccumulatorOf(in.array(0).shape().element_type(), to);
  const Literal x = ConvertTo(in.array(0), accumulator),
                kernel = ConvertTo(in.array(1), accumulator);
  return VisitAccumulator(accumulator, [&](auto zero) {
    return Value(ConvertTo(Convolve<decltype(zero)>(in.instruction, x, kernel, accumulator), to));
  });
}

}  // namespace sinter::eval
