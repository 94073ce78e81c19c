// Arrays as callers describe them: element types, shapes, orders in memory.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/pjrt_c_api.h"
#include "sinter/shape.h"

namespace sinter::pjrt {

// Unimplemented for S1 and U1, InvalidArgument for what is no array's.
absl::StatusOr<ElementType> ToElementType(PJRT_Buffer_Type type);
PJRT_Buffer_Type ToBufferType(ElementType type);
// The number by which XLA's protocol buffers and FFI know it (xla.PrimitiveType); 0 where they do
// not.
int PrimitiveType(ElementType type);

// Row-major for a null layout. InvalidArgument for sizes that are negative or overflow, and layouts
// that do not fit; Unimplemented for tiles, and strides of arrays with gaps.
absl::StatusOr<Shape> MakeShape(PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims,
                                const PJRT_Buffer_MemoryLayout* layout);
absl::StatusOr<std::vector<int64_t>> MinorToMajor(const Shape& shape,
                                                  const PJRT_Buffer_MemoryLayout& layout);
// {n - 1, ..., 0} where the shape says nothing.
std::vector<int64_t> MinorToMajorOf(const Shape& shape);

// The distance in bytes along each dimension of a dense array on the host.
std::vector<int64_t> DenseStrides(const Shape& shape);

// Copies an array of `dims` elements of `width` bytes between any two orders in the host's memory.
void CopyArray(const std::vector<int64_t>& dims, int64_t width, const void* from,
               absl::Span<const int64_t> from_strides, void* to,
               absl::Span<const int64_t> to_strides);

}  // namespace sinter::pjrt
