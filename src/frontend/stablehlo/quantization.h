// Whether quantized types fit arrays.
#pragma once

#include "absl/status/status.h"
#include "sinter/shape.h"

namespace sinter::stablehlo {

// Whether the scales of a quantized type fit an array's dimensions, unknown ones aside:
// InvalidArgument with what does not.
absl::Status CheckQuantization(const Quantization& q, const Shape& shape);

}  // namespace sinter::stablehlo
