// Windows that slide over an array: how reduce-window, select-and-scatter and convolution read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace sinter {

// Along one dimension (xla.WindowDimension). The array is first spread, base_dilation - 1 elements
// of padding between neighbours, then padded (cut, where negative) at its ends; windows of `size`
// elements, window_dilation apart, begin every `stride` elements.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0, padding_high = 0;
  int64_t base_dilation = 1, window_dilation = 1;
  bool window_reversal = false;  // convolution: the kernel is read backwards
  bool operator==(const WindowDimension&) const = default;
};

// An entry for each dimension of the array (of a convolution: each spatial one).
using Window = std::vector<WindowDimension>;

// The extent of `size` elements at a distance of `dilation`; nothing where it overflows int64.
std::optional<int64_t> DilatedSize(int64_t size, int64_t dilation);

// How many windows fit; nothing where a size overflows int64. 0 where the padded array is shorter
// than a window.
std::optional<int64_t> WindowCount(int64_t size, const WindowDimension& window);

// No padding and no dilation of the array: each window's elements are elements of the array.
bool IsInside(const WindowDimension& window);

// A window as long as the array along one dimension, all of whose padding, one element less than
// that, is on one side, and of one element along the others: each result combines the elements up
// to its own, or from its own on (sums so far, products so far).
struct CumulativeWindow {
  size_t dimension = 0;
  bool backwards = false;  // from its own on
};
std::optional<CumulativeWindow> FindCumulative(const std::vector<int64_t>& dimensions,
                                               const Window& window);

// Reads a dimension_labels text such as "b01f_01io->b01f" piecewise: one side of it, where `batch`
// and `feature` are its two letters. False where it is malformed.
bool ReadDimensionLabels(std::string_view labels, char batch, char feature, int64_t* batch_dim,
                         int64_t* feature_dim, std::vector<int64_t>* spatial_dims);

}  // namespace sinter
