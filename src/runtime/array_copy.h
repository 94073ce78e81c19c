// Arrays between a device and the host, whose elements have bytes of their own.
#pragma once

#include "absl/status/status.h"
#include "runtime/device.h"
#include "sinter/shape.h"

namespace sinter::runtime {

// Submits a copy of shape.byte_size() bytes of the host's at `from`, which may change once this
// returns, in the order of memory, packed where elements share bytes (Shape::packed_byte_size).
absl::Status CopyArrayFromHost(Device& device, const Shape& shape, const void* from, void* to);

// Copies an array of a device to shape.byte_size() bytes of the host's, in row-major order, and
// waits for it. What makes the bytes must have been submitted.
absl::Status CopyArrayToHost(Device& device, const Shape& shape, const void* from, void* to);

}  // namespace sinter::runtime
