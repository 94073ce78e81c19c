// Types of values from what programs state of them, in whatever form.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/source.h"
#include "sinter/shape.h"

namespace sinter::stablehlo {

// An array of elements of the type of `element`, of rank 0; dimensions of Shape::kUnbounded are
// dynamic without a bound. ResourceExhausted for more than 2^63 bytes, InvalidArgument where a
// quantized type of elements does not fit.
absl::StatusOr<Shape> MakeArray(const Source& source, const char* at, const Shape& element,
                                std::vector<int64_t> dimensions);

// Gives dynamic dimensions their bounds, one each; Shape::kUnbounded is none.
absl::Status SetBounds(const Source& source, const char* at, const std::vector<int64_t>& bounds,
                       Shape* shape);

// The quantized type as one of elements, where the specification's constraints on it hold.
absl::StatusOr<Shape> MakeQuantized(const Source& source, const char* at, Quantization q);

}  // namespace sinter::stablehlo
