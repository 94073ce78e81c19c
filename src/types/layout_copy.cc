#include "types/layout_copy.h"

#include <cstring>
#include <vector>

namespace sinter {
namespace {

// Calls copy(k, at) for the element that is the k-th in row-major order, and the `at`-th in the
// layout.
template <class Copy>
void ForEachElement(const Shape& shape, const Copy& copy) {
  auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> stride(rank), index(rank);
  int64_t step = 1;
  for (int64_t d : shape.minor_to_major()) {
    stride[static_cast<size_t>(d)] = step;
    step *= shape.dimension(d);
  }
  const int64_t count = shape.element_count();
  for (int64_t k = 0, at = 0; k < count; ++k) {
    copy(k, at);
    for (size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape.dimensions()[d]) break;
      at -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

enum class To { kRowMajor, kLayout };

template <To kTo>
void CopyElements(const Shape& shape, const void* from, void* to) {
  if (shape.byte_size() == 0) return;
  if (shape.has_default_layout()) {
    std::memcpy(to, from, static_cast<size_t>(shape.byte_size()));
    return;
  }
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  const int64_t width = ByteWidth(shape.element_type());
  ForEachElement(shape, [&](int64_t k, int64_t at) {
    if (kTo == To::kLayout) std::swap(k, at);
    std::memcpy(out + k * width, in + at * width, static_cast<size_t>(width));
  });
}

}  // namespace

void CopyToRowMajor(const Shape& shape, const void* from, void* to) {
  CopyElements<To::kRowMajor>(shape, from, to);
}
void CopyFromRowMajor(const Shape& shape, const void* from, void* to) {
  CopyElements<To::kLayout>(shape, from, to);
}

}  // namespace sinter
