#include "types/small_floats.h"

#include <bit>
#include <cmath>
#include <limits>

namespace sinter {
namespace {

using Special = FloatFormat::Special;

constexpr uint32_t LowBits(int n) { return (uint32_t{1} << n) - 1; }

uint32_t QuietNan(const FloatFormat& f, uint32_t sign) {
  int magnitude_bits = f.exponent_bits + f.mantissa_bits;
  switch (f.special) {
    case Special::kIeee: {
      uint32_t exponent = LowBits(f.exponent_bits) << f.mantissa_bits;
      return sign | exponent | uint32_t{1} << (f.mantissa_bits - 1);
    }
    case Special::kAllOnes:
      return sign | LowBits(magnitude_bits);
    case Special::kNegativeZero:
    case Special::kNone:
      return uint32_t{1} << magnitude_bits;
  }
  return 0;
}

// The pattern of the largest finite magnitude.
uint32_t Largest(const FloatFormat& f) {
  uint32_t all = LowBits(f.exponent_bits + f.mantissa_bits);
  switch (f.special) {
    case Special::kIeee:
      return (LowBits(f.exponent_bits) << f.mantissa_bits) - 1;
    case Special::kAllOnes:
      return all - 1;
    default:
      return all;
  }
}

}  // namespace

double DecodeFloat(const FloatFormat& f, uint32_t bits) {
  int magnitude_bits = f.exponent_bits + f.mantissa_bits;
  bool negative = f.has_sign && (bits >> magnitude_bits & 1);
  uint32_t magnitude = bits & LowBits(magnitude_bits);
  auto exponent = static_cast<int>(magnitude >> f.mantissa_bits);
  uint32_t mantissa = magnitude & LowBits(f.mantissa_bits);
  auto with_sign = [&](double v) { return negative ? -v : v; };
  double nan = std::numeric_limits<double>::quiet_NaN();

  if (f.special == Special::kNegativeZero && negative && magnitude == 0) return -nan;
  if (magnitude > Largest(f)) {
    bool infinite = f.special == Special::kIeee && mantissa == 0;
    return with_sign(infinite ? std::numeric_limits<double>::infinity() : nan);
  }
  if (exponent == 0 && f.has_zero) {
    return with_sign(std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa_bits));
  }
  double significand = static_cast<double>(mantissa | uint32_t{1} << f.mantissa_bits);
  return with_sign(std::ldexp(significand, exponent - f.bias - f.mantissa_bits));
}

uint32_t EncodeFloat(const FloatFormat& f, double value) {
  int magnitude_bits = f.exponent_bits + f.mantissa_bits;
  bool negative = std::signbit(value);
  uint32_t sign = f.has_sign && negative ? uint32_t{1} << magnitude_bits : 0;
  if (std::isnan(value)) return QuietNan(f, sign);
  if (!f.has_sign && (negative || value == 0)) return QuietNan(f, 0);

  uint32_t magnitude;
  double a = std::fabs(value);
  if (a == 0) {
    magnitude = 0;
  } else if (std::isinf(a)) {
    magnitude = LowBits(magnitude_bits) + 1;  // past every number
  } else {
    // The unit of the last place at this magnitude; the division by it is exact, rounding to an
    // integer rounds once.
    int least = 1 - f.bias - (f.has_zero ? 0 : 1);
    int exponent = std::ilogb(a);
    if (exponent < least) exponent = least;
    const double scaled = std::ldexp(a, f.mantissa_bits - exponent);
    const bool up = !f.has_zero && exponent == least && a > std::ldexp(1, least);
    auto units = static_cast<uint64_t>(up ? std::ceil(scaled) : std::nearbyint(scaled));
    // In units of the last place patterns are consecutive: a carry out of the mantissa lands in the
    // exponent.
    int64_t step = int64_t{1} << f.mantissa_bits;
    int64_t pattern = (int64_t{exponent} - least) * step + static_cast<int64_t>(units);
    if (!f.has_zero) pattern -= step;
    if (pattern < 0) pattern = 0;
    magnitude = pattern > int64_t{LowBits(magnitude_bits)} ? LowBits(magnitude_bits) + 1
                                                           : static_cast<uint32_t>(pattern);
  }
  if (magnitude > Largest(f)) {
    if (f.special == Special::kIeee) return sign | LowBits(f.exponent_bits) << f.mantissa_bits;
    if (f.special == Special::kNone) return sign | Largest(f);
    return QuietNan(f, sign);
  }
  if (magnitude == 0 && f.special == Special::kNegativeZero) sign = 0;
  return sign | magnitude;
}

}  // namespace sinter
