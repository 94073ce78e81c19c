#include "frontend/stablehlo/make_types.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "base/status.h"
#include "frontend/stablehlo/mlir_text.h"
#include "frontend/stablehlo/quantization.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

// Whether a positive number is neither less than the least one of a float type nor past its
// largest.
bool IsInRange(double x, ElementType type) {
  const std::optional<FloatFormat> format = FormatOf(type);
  if (!format) return true;  // f64
  const double least = DecodeFloat(*format, format->has_zero ? 1 : 0);
  return x >= least && std::isfinite(DecodeFloat(*format, EncodeFloat(*format, x)));
}

// Dimensions without a bound and empty ones do not count.
absl::Status CheckBytes(const Source& source, const char* at, ElementType type,
                        const std::vector<int64_t>& dimensions) {
  __int128 bytes = std::max(1, ByteWidth(type));
  for (int64_t d : dimensions) {
    if (d > 0) bytes *= d;
    if (bytes > std::numeric_limits<int64_t>::max()) {
      return source.Exhausted(at, "a tensor of more than 2^63 bytes");
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> MakeArray(const Source& source, const char* at, const Shape& element,
                                std::vector<int64_t> dimensions) {
  RETURN_IF_ERROR(CheckBytes(source, at, element.element_type(), dimensions));
  std::vector<int64_t> sizes = dimensions;
  for (int64_t& d : sizes) {
    if (d == Shape::kUnbounded) d = 1;
  }
  auto shape = Shape::Make(element.element_type(), sizes);
  if (!shape.ok()) return source.Error(shape.status().code(), at, MessageOf(shape.status()));
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (dimensions[i] != Shape::kUnbounded) continue;
    shape->set_dimension(static_cast<int64_t>(i), Shape::kUnbounded);
    shape->set_dynamic(static_cast<int64_t>(i), true);
  }
  if (const Quantization* q = element.quantization()) {
    shape->set_quantization(std::make_shared<const Quantization>(*q));
    if (absl::Status fits = CheckQuantization(*q, *shape); !fits.ok()) {
      return source.Invalid(at, "{}", MessageOf(fits));
    }
  }
  return shape;
}

absl::Status SetBounds(const Source& source, const char* at, const std::vector<int64_t>& bounds,
                       Shape* shape) {
  if (static_cast<int64_t>(bounds.size()) != shape->rank()) {
    return source.Invalid(at, "expected {} bounds, each a number or '?'", shape->rank());
  }
  for (int64_t i = 0; i < shape->rank(); ++i) {
    const int64_t bound = bounds[static_cast<size_t>(i)];
    if (bound == Shape::kUnbounded) continue;
    if (bound < 0) return source.Invalid(at, "a bound of {}", bound);
    if (!shape->is_dynamic(i)) {
      return source.Invalid(at, "a bound for dimension {}, which is not dynamic", i);
    }
    shape->set_dimension(i, bound);
  }
  return CheckBytes(source, at, shape->element_type(), shape->dimensions());
}

// Constraints C3, C5, C6 and C7 of the specification's "Quantized element types", and C4.
absl::StatusOr<Shape> MakeQuantized(const Source& source, const char* at, Quantization q) {
  const auto [least, most] = StorageRange(q.storage);
  if (q.storage_min < least || q.storage_min >= q.storage_max || q.storage_max > most) {
    return source.Invalid(at, "stored integers from {} to {} are no range of {}", q.storage_min,
                          q.storage_max, ElementText(Shape(q.storage)));
  }
  for (size_t i = 0; i < q.scales.size(); ++i) {
    if (!(q.scales[i] > 0) || !std::isfinite(q.scales[i]))
      return source.Invalid(at, "a scale is not positive and finite: {}", q.scales[i]);
    if (!IsInRange(q.scales[i], q.expressed)) {
      return source.Invalid(at, "(C4) {} cannot hold the scale {}", ElementText(Shape(q.expressed)),
                            q.scales[i]);
    }
    if (q.zero_points[i] < q.storage_min || q.zero_points[i] > q.storage_max) {
      return source.Invalid(at, "a zero point lies outside the stored integers: {}",
                            q.zero_points[i]);
    }
  }
  Shape element(q.storage);
  element.set_quantization(std::make_shared<const Quantization>(std::move(q)));
  return element;
}

}  // namespace sinter::stablehlo
