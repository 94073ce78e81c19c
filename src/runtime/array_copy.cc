#include "runtime/array_copy.h"

#include <vector>

#include "base/status.h"
#include "types/layout_copy.h"
#include "types/packing.h"

namespace sinter::runtime {
namespace {

// CopyToRowMajor of what is packed (Shape::packed_byte_size).
void UnpackRowMajor(const Shape& shape, const void* from, void* to) {
  if (shape.has_default_layout())
    return UnpackElements(shape.element_type(), from, shape.element_count(), to);
  std::vector<char> elements(static_cast<size_t>(shape.byte_size()));
  UnpackElements(shape.element_type(), from, shape.element_count(), elements.data());
  CopyToRowMajor(shape, elements.data(), to);
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
  packed ? UnpackRowMajor(shape, from, to) : CopyToRowMajor(shape, from, to);
  return absl::OkStatus();
}

}  // namespace sinter::runtime
