#include "runtime/array_copy.h"

#include <cstring>
#include <vector>

#include "base/status.h"
#include "types/packing.h"

namespace sinter::runtime {
namespace {

// From the shape's layout to row-major order; both of the host.
void CopyRowMajor(const Shape& shape, const void* from, void* to) {
  if (shape.byte_size() == 0) return;
  if (shape.has_default_layout()) {
    std::memcpy(to, from, static_cast<size_t>(shape.byte_size()));
    return;
  }
  auto rank = static_cast<size_t>(shape.rank());
  auto width = static_cast<size_t>(ByteWidth(shape.element_type()));
  std::vector<int64_t> stride(rank), index(rank);
  int64_t step = 1;
  for (int64_t d : shape.minor_to_major()) {
    stride[static_cast<size_t>(d)] = step;
    step *= shape.dimension(d);
  }
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  int64_t at = 0;
  for (int64_t n = shape.element_count(); n > 0; --n, out += width) {
    std::memcpy(out, in + at * static_cast<int64_t>(width), width);
    for (size_t d = rank; d-- > 0;) {
      at += stride[d];
      if (++index[d] < shape.dimensions()[d]) break;
      at -= stride[d] * index[d];
      index[d] = 0;
    }
  }
}

// The same from what is packed (Shape::packed_byte_size).
void UnpackRowMajor(const Shape& shape, const void* from, void* to) {
  if (shape.has_default_layout())
    return UnpackElements(shape.element_type(), from, shape.element_count(), to);
  std::vector<char> elements(static_cast<size_t>(shape.byte_size()));
  UnpackElements(shape.element_type(), from, shape.element_count(), elements.data());
  CopyRowMajor(shape, elements.data(), to);
}

}  // namespace

absl::Status CopyArrayFromHost(Device& device, const Shape& shape, const void* from, void* to) {
  const int64_t bytes = shape.packed_byte_size();
  if (bytes == 0) return absl::OkStatus();
  const ElementType type = shape.element_type();
  if (ElementsPerByte(type) == 1) return device.CopyFromHost(to, from, bytes);
  if (device.shares_host_memory()) {
    PackElements(type, from, shape.element_count(), to);
    return absl::OkStatus();
  }
  std::vector<uint8_t> packed(static_cast<size_t>(bytes));
  PackElements(type, from, shape.element_count(), packed.data());
  return device.CopyFromHost(to, packed.data(), bytes);
}

absl::Status CopyArrayToHost(Device& device, const Shape& shape, const void* from, void* to) {
  const int64_t bytes = shape.packed_byte_size();
  const bool packed = ElementsPerByte(shape.element_type()) > 1;
  if (bytes == 0) return absl::OkStatus();
  std::vector<char> staged;
  if (!device.shares_host_memory()) {
    if (!packed && shape.has_default_layout()) return device.CopyToHost(to, from, bytes);
    staged.resize(static_cast<size_t>(bytes));
    RETURN_IF_ERROR(device.CopyToHost(staged.data(), from, bytes));
    from = staged.data();
  }
  packed ? UnpackRowMajor(shape, from, to) : CopyRowMajor(shape, from, to);
  return absl::OkStatus();
}

}  // namespace sinter::runtime
