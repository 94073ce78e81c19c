// Pooling over windows, and its gradient (xla/hlo/builder/lib/pooling.h).
//
//   sinter::TensorFormat nchw(0, 1, {2, 3});
//   sinter::Op y = sinter::MaxPool(x, {1, 1, 2, 2}, {1, 1, 2, 2}, sinter::Padding::kValid, nchw);
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/op_options.h"

namespace sinter {

// Which dimensions of images are the batch, the features and, in order, the spatial ones.
class TensorFormat {
 public:
  TensorFormat(int batch_dimension, int feature_dimension,
               absl::Span<const int64_t> spatial_dimensions)
      : batch_dimension_(batch_dimension),
        feature_dimension_(feature_dimension),
        spatial_dimensions_(spatial_dimensions.begin(), spatial_dimensions.end()) {}

  int batch_dimension() const { return batch_dimension_; }
  int feature_dimension() const { return feature_dimension_; }
  int spatial_dimension(int dim) const {
    return static_cast<int>(spatial_dimensions_[static_cast<size_t>(dim)]);
  }
  int num_spatial_dims() const { return static_cast<int>(spatial_dimensions_.size()); }

 private:
  int batch_dimension_, feature_dimension_;
  std::vector<int64_t> spatial_dimensions_;
};

// `kernel_size` (of the windows) and `stride` have an entry for each dimension of the operand,
// padding (low, high) one for each spatial dimension. InvalidArgument where they have not, or name
// dimensions that there are not.
//
// The greatest element of each window.
SINTER_API Op MaxPool(const Operand& operand, absl::Span<const int64_t> kernel_size,
                      absl::Span<const int64_t> stride, Padding padding,
                      const TensorFormat& data_format);
// The mean of each window: of what the operand has there, or, if the counts include padding, of all
// of it, padding being zeros.
SINTER_API Op AvgPool(const Operand& operand, absl::Span<const int64_t> kernel_size,
                      absl::Span<const int64_t> stride,
                      absl::Span<const std::pair<int64_t, int64_t>> padding,
                      const TensorFormat& data_format, bool counts_include_padding);
// The padding of the spatial dimensions that `padding` means for an input of those sizes; empty
// where the arguments do not fit together.
SINTER_API std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(
    absl::Span<const int64_t> input_size, absl::Span<const int64_t> kernel_size,
    absl::Span<const int64_t> stride, Padding padding, const TensorFormat& data_format);
// The gradient of AvgPool's operand, which is of `gradients_size`, from that of its result.
SINTER_API Op AvgPoolGrad(const Operand& out_backprop, absl::Span<const int64_t> gradients_size,
                          absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
                          absl::Span<const std::pair<int64_t, int64_t>> spatial_padding,
                          const TensorFormat& data_format, bool counts_include_padding);

}  // namespace sinter
