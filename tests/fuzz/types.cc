#include "fuzz/types.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "types/small_floats.h"

namespace sinter::fuzz {

bool IsFloatOrComplex(ElementType type) { return IsFloat(type) || IsComplex(type); }
bool HasNan(ElementType type) {
  const std::optional<FloatFormat> format = FormatOf(type);
  return !format || format->special != FloatFormat::Special::kNone;
}

bool IsNarrow(ElementType type) {
  return type != ElementType::PRED && BitWidth(type) < (IsFloat(type) ? 16 : 8);
}

bool HasInfinity(ElementType type) {
  const auto format = FormatOf(RealPart(type));
  return IsFloatOrComplex(type) && (!format || format->special == FloatFormat::Special::kIeee);
}

double EpsilonOf(ElementType type) {
  if (const auto format = FormatOf(RealPart(type))) return std::ldexp(.5, -format->mantissa_bits);
  return IsFloatOrComplex(type) ? 0x1p-53 : 0x1p-24;
}

double LargestOf(ElementType type) {
  if (type == ElementType::PRED) return 1;
  if (IsInteger(type)) return std::ldexp(1, BitWidth(type) - (IsSigned(type) ? 1 : 0)) - 1;
  const auto format = FormatOf(RealPart(type));
  if (!format) return std::numeric_limits<double>::max();
  // Before the patterns of what is no number: none, a NaN, or infinity and the NaNs after it.
  const uint32_t end = 1u << (format->bits() - (format->has_sign ? 1 : 0));
  double largest = 0;
  for (uint32_t above : {1u, 2u, (1u << format->mantissa_bits) + 1}) {
    const double x = above <= end ? DecodeFloat(*format, end - above) : 0;
    if (std::isfinite(x)) largest = std::max(largest, x);
  }
  return largest;
}

double LeastOf(ElementType type) {
  if (IsFloatOrComplex(type)) return -LargestOf(type);
  return IsSigned(type) ? -LargestOf(type) - 1 : 0;
}

double LargestInteger(ElementType type) {
  return std::min(1 / EpsilonOf(type), std::floor(LargestOf(type)));
}

double LargestBound(ElementType type) {
  switch (type) {
    case ElementType::F16:
      return 2e4;
    case ElementType::BF16:
    case ElementType::F32:
    case ElementType::C64:
      return 1e30;
    default:
      return IsNarrow(type) ? LargestOf(type) : 1e200;
  }
}

double Nearest(ElementType type, double value) {
  value = std::clamp(value, LeastOf(type), LargestOf(type));
  if (!IsFloatOrComplex(type)) return std::nearbyint(value);
  const auto format = FormatOf(RealPart(type));
  return format ? DecodeFloat(*format, EncodeFloat(*format, value)) : value;
}

}  // namespace sinter::fuzz
