// half (IEEE binary16) and bfloat16: 16-bit floats with arithmetic. Each operation is that of
// float, rounded once to nearest, ties to even, which is the correctly rounded result.
//
//   sinter::half x(1.5f), y(2);
//   sinter::half z = x * y + x;   // 4.5
//   float f = z;
#pragma once

#include <bit>
#include <cmath>
#include <compare>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace sinter {

namespace internal {

// The float nearest to an integer or a float, but for what does not fit: that is jammed into the
// last bit, which keeps it on the same side of every tie of a narrower type (rounding to odd; S.
// Boldo, G. Melquiond, Emulation of FMA and correctly rounded sums, IEEE TC 57, 2008).
inline float RoundToOdd(double x) {
  auto f = static_cast<float>(x);
  if (static_cast<double>(f) == x || std::isnan(x) || std::isinf(f)) return f;
  auto bits = std::bit_cast<uint32_t>(f);
  // Back to the neighbour nearer to zero, then odd.
  if (std::fabs(static_cast<double>(f)) > std::fabs(x)) --bits;
  return std::bit_cast<float>(bits | 1u);
}
inline float MagnitudeToOdd(uint64_t magnitude) {
  const int shift = 64 - std::countl_zero(magnitude) - 24;
  if (shift <= 0) return static_cast<float>(magnitude);
  const bool inexact = (magnitude & ((uint64_t{1} << shift) - 1)) != 0;
  return std::ldexp(static_cast<float>(magnitude >> shift | (inexact ? 1u : 0u)), shift);
}
// A number as the float from which a 16-bit float is rounded.
template <class T>
float ToWideFloat(T x) {
  if constexpr (std::is_integral_v<T>) {
    const auto bits = static_cast<uint64_t>(x);
    return x < T(0) ? -MagnitudeToOdd(-bits) : MagnitudeToOdd(bits);
  } else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, long double>) {
    return RoundToOdd(static_cast<double>(x));
  } else {
    return static_cast<float>(x);
  }
}

// What half and bfloat16 share: T has a member `bits` and the functions FromFloat and ToFloat.
template <class T>
struct Float16Operators {
  friend T operator+(T a, T b) { return T(Wide(a) + Wide(b)); }
  friend T operator-(T a, T b) { return T(Wide(a) - Wide(b)); }
  friend T operator*(T a, T b) { return T(Wide(a) * Wide(b)); }
  friend T operator/(T a, T b) { return T(Wide(a) / Wide(b)); }
  friend T operator+(T a) { return a; }
  friend T operator-(T a) { return T::FromBits(static_cast<uint16_t>(a.bits ^ 0x8000u)); }
  friend T& operator+=(T& a, T b) { return a = a + b; }
  friend T& operator-=(T& a, T b) { return a = a - b; }
  friend T& operator*=(T& a, T b) { return a = a * b; }
  friend T& operator/=(T& a, T b) { return a = a / b; }
  // Of numbers, as of float: -0 and +0 are equal, a NaN is equal to nothing.
  friend bool operator==(T a, T b) { return Wide(a) == Wide(b); }
  friend std::partial_ordering operator<=>(T a, T b) { return Wide(a) <=> Wide(b); }

 private:
  static float Wide(T a) { return T::ToFloat(a.bits); }
};

}  // namespace internal

// IEEE 754 binary16.
struct half : internal::Float16Operators<half> {
  uint16_t bits = 0;
  half() = default;
  // From any number, or a type that converts to float: rounded once.
  template <class T>
  requires(!std::same_as<T, half> && std::convertible_to<T, float>) explicit half(T value)
      : bits(FromFloat(internal::ToWideFloat(value))) {}
  operator float() const { return ToFloat(bits); }
  static half FromBits(uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }

  static constexpr uint16_t FromFloat(float f) {
    uint32_t x = std::bit_cast<uint32_t>(f), sign = x >> 16 & 0x8000u, a = x & 0x7fffffffu;
    if (a > 0x7f800000u)
      return static_cast<uint16_t>(sign | 0x7e00u | (a >> 13 & 0x1ffu));  // NaN, kept quiet
    if (a >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);   // rounds past 65504
    if (a < 0x38800000u) {                                                // denormal or zero
      // Adding 0.5 puts the unit of the last half denormal at the unit of the float's last place:
      // the sum rounds once.
      float r = std::bit_cast<float>(a) + 0.5f;
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(r) - 0x3f000000u));
    }
    a += 0xfffu + (a >> 13 & 1u);
    return static_cast<uint16_t>(sign | (a - 0x38000000u) >> 13);
  }
  static constexpr float ToFloat(uint16_t h) {
    uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16, e = h >> 10 & 0x1fu, m = h & 0x3ffu;
    if (e == 31) return std::bit_cast<float>(sign | 0x7f800000u | m << 13);
    if (e) return std::bit_cast<float>(sign | (e + 112u) << 23 | m << 13);
    float v = static_cast<float>(m) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(v));
  }
};

// The upper half of an IEEE binary32.
struct bfloat16 : internal::Float16Operators<bfloat16> {
  uint16_t bits = 0;
  bfloat16() = default;
  // From any number, or a type that converts to float: rounded once.
  template <class T>
  requires(!std::same_as<T, bfloat16> && std::convertible_to<T, float>) explicit bfloat16(T value)
      : bits(FromFloat(internal::ToWideFloat(value))) {}
  operator float() const { return ToFloat(bits); }
  static bfloat16 FromBits(uint16_t b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }

  static constexpr uint16_t FromFloat(float f) {
    uint32_t x = std::bit_cast<uint32_t>(f);
    if ((x & 0x7fffffffu) > 0x7f800000u) return static_cast<uint16_t>(x >> 16 | 0x40u);
    return static_cast<uint16_t>((x + 0x7fffu + (x >> 16 & 1u)) >> 16);
  }
  static constexpr float ToFloat(uint16_t h) {
    return std::bit_cast<float>(static_cast<uint32_t>(h) << 16);
  }
};

}  // namespace sinter

namespace std {

template <>
class numeric_limits<sinter::half> : public numeric_limits<float> {
 public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4, max_exponent = 16,
                       max_exponent10 = 4;
  static sinter::half min() { return sinter::half::FromBits(0x0400); }
  static sinter::half max() { return sinter::half::FromBits(0x7bff); }
  static sinter::half lowest() { return sinter::half::FromBits(0xfbff); }
  static sinter::half epsilon() { return sinter::half::FromBits(0x1400); }
  static sinter::half round_error() { return sinter::half::FromBits(0x3800); }
  static sinter::half infinity() { return sinter::half::FromBits(0x7c00); }
  static sinter::half quiet_NaN() { return sinter::half::FromBits(0x7e00); }
  static sinter::half signaling_NaN() { return sinter::half::FromBits(0x7d00); }
  static sinter::half denorm_min() { return sinter::half::FromBits(0x0001); }
};

template <>
class numeric_limits<sinter::bfloat16> : public numeric_limits<float> {
 public:
  static constexpr int digits = 8, digits10 = 2, max_digits10 = 4;
  static sinter::bfloat16 min() { return sinter::bfloat16::FromBits(0x0080); }
  static sinter::bfloat16 max() { return sinter::bfloat16::FromBits(0x7f7f); }
  static sinter::bfloat16 lowest() { return sinter::bfloat16::FromBits(0xff7f); }
  static sinter::bfloat16 epsilon() { return sinter::bfloat16::FromBits(0x3c00); }
  static sinter::bfloat16 round_error() { return sinter::bfloat16::FromBits(0x3f00); }
  static sinter::bfloat16 infinity() { return sinter::bfloat16::FromBits(0x7f80); }
  static sinter::bfloat16 quiet_NaN() { return sinter::bfloat16::FromBits(0x7fc0); }
  static sinter::bfloat16 signaling_NaN() { return sinter::bfloat16::FromBits(0x7fa0); }
  static sinter::bfloat16 denorm_min() { return sinter::bfloat16::FromBits(0x0001); }
};

}  // namespace std
