// half (IEEE binary16) and bfloat16 as storage types with conversions that round to nearest, ties
// to even.
#pragma once

#include <bit>
#include <cstdint>

namespace sinter {

// IEEE 754 binary16.
struct half {
  uint16_t bits = 0;
  half() = default;
  explicit half(float f) : bits(FromFloat(f)) {}
  explicit operator float() const { return ToFloat(bits); }
  static half FromBits(uint16_t b) {
    half h;
    h.bits = b;
    return h;
  }
  bool operator==(const half&) const = default;  // bitwise

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
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float f) : bits(FromFloat(f)) {}
  explicit operator float() const { return ToFloat(bits); }
  static bfloat16 FromBits(uint16_t b) {
    bfloat16 h;
    h.bits = b;
    return h;
  }
  bool operator==(const bfloat16&) const = default;  // bitwise

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
