#include "sinter/lib/pooling.h"

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

// Windows over an input, checked; entries of all dimensions.
struct Windows {
  std::vector<int64_t> input, size, stride;
  Pairs padding;  // zeros beside the spatial dimensions

  // Of the result of a pooling.
  std::vector<int64_t> Output() const {
    std::vector<int64_t> output;
    for (size_t i = 0; i < input.size(); ++i) {
      const int64_t padded = input[i] + padding[i].first + padding[i].second;
      output.push_back(padded < size[i] ? 0 : (padded - size[i]) / stride[i] + 1);
    }
    return output;
  }
};

absl::Status CheckFormat(const TensorFormat& format, size_t rank) {
  if (static_cast<size_t>(format.num_spatial_dims()) + 2 != rank) {
    return InvalidArgument("{} spatial dimensions of a rank of {}", format.num_spatial_dims(),
                           rank);
  }
  std::vector<bool> seen(rank, false);
  auto is_new = [&](int d) {
    const auto at = static_cast<size_t>(d);
    if (d < 0 || at >= rank || seen[at]) return false;
    seen[at] = true;
    return true;
  };
  bool all = is_new(format.batch_dimension()) && is_new(format.feature_dimension());
  for (int i = 0; i < format.num_spatial_dims(); ++i)
    all = all && is_new(format.spatial_dimension(i));
  if (!all) return InvalidArgument("the format does not name each of {} dimensions once", rank);
  return absl::OkStatus();
}

absl::StatusOr<Windows> MakeWindows(absl::Span<const int64_t> input, absl::Span<const int64_t> size,
                                    absl::Span<const int64_t> stride,
                                    absl::Span<const std::pair<int64_t, int64_t>> padding,
                                    const TensorFormat& format) {
  RETURN_IF_ERROR(CheckFormat(format, input.size()));
  if (size.size() != input.size() || stride.size() != input.size()) {
    return InvalidArgument("windows of {} dimensions and {} strides for a rank of {}", size.size(),
                           stride.size(), input.size());
  }
  if (padding.size() + 2 != input.size()) {
    return InvalidArgument("padding of {} dimensions, not of the {} spatial ones", padding.size(),
                           input.size() - 2);
  }
  auto positive = [](int64_t n) { return n > 0; };
  if (!std::all_of(size.begin(), size.end(), positive) ||
      !std::all_of(stride.begin(), stride.end(), positive))
    return InvalidArgument("sizes and strides of windows must be positive");
  Windows w{{input.begin(), input.end()},
            {size.begin(), size.end()},
            {stride.begin(), stride.end()},
            Pairs(input.size())};
  for (size_t i = 0; i < padding.size(); ++i) {
    w.padding[static_cast<size_t>(format.spatial_dimension(static_cast<int>(i)))] = padding[i];
  }
  return w;
}

// Sums over windows of x with padding of zeros around it and `interior` zeros between its elements.
Op Sums(const Operand& x, ElementType type, const Pairs& padding,
        const std::vector<int64_t>& interior, absl::Span<const int64_t> size,
        absl::Span<const int64_t> stride) {
  Builder* b = x.builder();
  PaddingConfig config;
  for (size_t i = 0; i < padding.size(); ++i) {
    config.dimensions.push_back({padding[i].first, padding[i].second, interior[i]});
  }
  return ReduceWindow(Pad(x, Zero(b, type), config), Zero(b, type),
                      CreateScalarAddComputation(type, b), size, stride, Padding::kValid);
}
Op Sums(const Operand& x, ElementType type, const Windows& w) {
  return Sums(x, type, w.padding, std::vector<int64_t>(w.input.size(), 0), w.size, w.stride);
}

// Divides sums of windows by how many elements each has.
Op DividedByCounts(Builder* b, Op sums, const Windows& w, ElementType type, bool with_padding) {
  if (with_padding) {
    double count = 1;
    for (int64_t size : w.size) count *= static_cast<double>(size);
    return Div(sums, ConstantR0WithType(b, type, count));
  }
  // Batch and features have counts of their own: windows may reach over them too.
  return Div(sums, Sums(Broadcast(One(b, type), w.input), type, w));
}

}  // namespace

Op MaxPool(const Operand& operand, absl::Span<const int64_t> kernel_size,
           absl::Span<const int64_t> stride, Padding padding, const TensorFormat& data_format) {
  return Compose("max-pool", operand, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(operand.op()));
    RETURN_IF_ERROR(CheckFormat(data_format, static_cast<size_t>(shape.rank())));
    return ReduceWindow(operand, MinValue(b, shape.element_type()),
                        CreateScalarMaxComputation(shape.element_type(), b), kernel_size, stride,
                        padding);
  });
}

Op AvgPool(const Operand& operand, absl::Span<const int64_t> kernel_size,
           absl::Span<const int64_t> stride, absl::Span<const std::pair<int64_t, int64_t>> padding,
           const TensorFormat& data_format, bool counts_include_padding) {
  return Compose("avg-pool", operand, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(operand.op()));
    ASSIGN_OR_RETURN(Windows w,
                     MakeWindows(shape.dimensions(), kernel_size, stride, padding, data_format));
    Op sums = Sums(operand, shape.element_type(), w);
    return DividedByCounts(b, sums, w, shape.element_type(), counts_include_padding);
  });
}

Op AvgPoolGrad(const Operand& out_backprop, absl::Span<const int64_t> gradients_size,
               absl::Span<const int64_t> kernel_size, absl::Span<const int64_t> stride,
               absl::Span<const std::pair<int64_t, int64_t>> spatial_padding,
               const TensorFormat& data_format, bool counts_include_padding) {
  return Compose("avg-pool-grad", out_backprop, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(out_backprop.op()));
    ASSIGN_OR_RETURN(
        Windows w, MakeWindows(gradients_size, kernel_size, stride, spatial_padding, data_format));
    const std::vector<int64_t> output = w.Output();
    if (shape.dimensions() != output) {
      return InvalidArgument("the gradient of the result is {}, not {}", shape.ToString(),
                             Shape(shape.element_type(), output).ToString());
    }
    const ElementType type = shape.element_type();
    Op spread = DividedByCounts(b, out_backprop.op(), w, type, counts_include_padding);
    // An element is in the windows that begin at up to size - 1 before it: the sum over such
    // windows of what is spread, with as much before and after it as makes a window for each
    // element of the padded operand. What stands for padding is cut off.
    Pairs around;
    std::vector<int64_t> between;
    for (size_t i = 0; i < output.size(); ++i) {
      const int64_t before = w.size[i] - 1;
      const int64_t padded = w.input[i] + w.padding[i].first + w.padding[i].second;
      const int64_t extent = output[i] == 0 ? 0 : (output[i] - 1) * w.stride[i] + 1;
      around.emplace_back(before - w.padding[i].first, padded - extent - w.padding[i].second);
      between.push_back(w.stride[i] - 1);
    }
    const std::vector<int64_t> ones(output.size(), 1);
    return Sums(spread, type, around, between, w.size, ones);
  });
}

std::vector<std::pair<int64_t, int64_t>> MakeSpatialPadding(absl::Span<const int64_t> input_size,
                                                            absl::Span<const int64_t> kernel_size,
                                                            absl::Span<const int64_t> stride,
                                                            Padding padding,
                                                            const TensorFormat& data_format) {
  const Pairs none(static_cast<size_t>(data_format.num_spatial_dims()));
  absl::StatusOr<Windows> w = MakeWindows(input_size, kernel_size, stride, none, data_format);
  if (!w.ok()) return {};
  if (padding == Padding::kValid) return none;
  Pairs pairs;
  for (int n = 0; n < data_format.num_spatial_dims(); ++n) {
    const auto i = static_cast<size_t>(data_format.spatial_dimension(n));
    const int64_t count = CeilOfRatio(w->input[i], w->stride[i]);
    const int64_t total =
        std::max<int64_t>(0, (count - 1) * w->stride[i] + w->size[i] - w->input[i]);
    pairs.emplace_back(total / 2, total - total / 2);
  }
  return pairs;
}

}  // namespace sinter
