// Bits of the float types up to 16 bits to double and back: one description of a format, one
// decoder, one encoder.
//
//   sinter::FloatFormat f = *sinter::FormatOf(sinter::ElementType::F8E4M3FN);
//   sinter::EncodeFloat(f, 1.0);   // 0x38
#pragma once

#include <cstdint>
#include <optional>

#include "sinter/element_type.h"
#include "sinter/export.h"

namespace sinter {

struct FloatFormat {
  // What the bit patterns outside the finite numbers are. kIeee: infinities and NaNs under the
  // largest exponent. kAllOnes: one NaN a sign, all other bits ones; no infinity. kNegativeZero:
  // the pattern of -0 is the only NaN. kNone: every pattern is a number.
  enum class Special : uint8_t { kIeee, kAllOnes, kNegativeZero, kNone };
  int exponent_bits, mantissa_bits, bias;
  Special special;
  bool has_sign = true;
  bool has_zero = true;  // without zero (F8E8M0FNU) there are no denormals either

  constexpr int bits() const { return exponent_bits + mantissa_bits + (has_sign ? 1 : 0); }
};

// The format of a float type of at most 32 bits; nothing for F64 and what is not a float.
constexpr std::optional<FloatFormat> FormatOf(ElementType t) {
  using S = FloatFormat::Special;
  switch (t) {
    case ElementType::F4E2M1FN:
      return FloatFormat{2, 1, 1, S::kNone};
    case ElementType::F6E2M3FN:
      return FloatFormat{2, 3, 1, S::kNone};
    case ElementType::F6E3M2FN:
      return FloatFormat{3, 2, 3, S::kNone};
    case ElementType::F8E3M4:
      return FloatFormat{3, 4, 3, S::kIeee};
    case ElementType::F8E4M3:
      return FloatFormat{4, 3, 7, S::kIeee};
    case ElementType::F8E4M3FN:
      return FloatFormat{4, 3, 7, S::kAllOnes};
    case ElementType::F8E4M3FNUZ:
      return FloatFormat{4, 3, 8, S::kNegativeZero};
    case ElementType::F8E4M3B11FNUZ:
      return FloatFormat{4, 3, 11, S::kNegativeZero};
    case ElementType::F8E5M2:
      return FloatFormat{5, 2, 15, S::kIeee};
    case ElementType::F8E5M2FNUZ:
      return FloatFormat{5, 2, 16, S::kNegativeZero};
    case ElementType::F8E8M0FNU:
      return FloatFormat{8, 0, 127, S::kAllOnes, false, false};
    case ElementType::BF16:
      return FloatFormat{8, 7, 127, S::kIeee};
    case ElementType::F16:
      return FloatFormat{5, 10, 15, S::kIeee};
    case ElementType::F32:
      return FloatFormat{8, 23, 127, S::kIeee};
    default:
      return std::nullopt;
  }
}

// The value of a bit pattern, exactly; a NaN keeps its sign (under kNegativeZero it is negative)
// but not its payload.
SINTER_API double DecodeFloat(const FloatFormat& format, uint32_t bits);

// The nearest number of the format, ties to even. Past the largest number: infinity, else NaN, else
// the largest number, whichever exists first. NaN without a NaN gives -0; a negative number or zero
// without a sign gives NaN. Of F8E8M0FNU the middle between two powers becomes the larger one, and
// so does all that lies between the two smallest, where F32 has denormals: as XLA and ml_dtypes
// have it.
SINTER_API uint32_t EncodeFloat(const FloatFormat& format, double value);

}  // namespace sinter
