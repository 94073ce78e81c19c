// Bytes and halfwords packed into U32 as quantized numbers (xla/hlo/builder/lib/quantize.h).
//
//   std::vector<uint32_t> packed = sinter::PackToUint32<uint8_t>(values);
//   sinter::Op y = sinter::Dequantize<uint8_t>(x, {-1.0f, 1.0f});
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/float_types.h"
#include "sinter/op.h"

namespace sinter {

// What the least and the greatest quantized number stand for.
struct QuantizedRange {
  QuantizedRange() = default;
  QuantizedRange(float min_in, float max_in) : min(min_in), max(max_in) {}
  bool operator==(const QuantizedRange&) const = default;

  bfloat16 min = bfloat16(0.0f);
  bfloat16 max = bfloat16(0.0f);
};

// Numbers of 8 or 16 bits, four or two to a word, the first in its high bits; what is left of the
// last word is zeros.
template <class T>
std::vector<uint32_t> PackToUint32(absl::Span<const T> input) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2);
  constexpr size_t kCount = sizeof(uint32_t) / sizeof(T);
  std::vector<uint32_t> words((input.size() + kCount - 1) / kCount, 0);
  for (size_t i = 0; i < input.size(); ++i) {
    const auto bits = static_cast<uint32_t>(static_cast<std::make_unsigned_t<T>>(input[i]));
    words[i / kCount] |= bits << (8 * sizeof(T) * (kCount - 1 - i % kCount));
  }
  return words;
}

namespace internal {
// The format of the packed numbers: their bits, their least and greatest value.
SINTER_API Op Dequantize(const Operand& input, const QuantizedRange& range, int bits, int64_t least,
                         int64_t greatest, std::string_view mode, bool transpose_output);
}  // namespace internal

// What the packed numbers q of T in words U32[d0, ..., dn] stand for, BF16[d0, ..., dn * 4] (of 16
// bits, * 2): (q - least) * (max - min) / (greatest - least) + min with the values of T, in BF16.
// The dimensions are reversed for `transpose_output`. InvalidArgument for other modes than
// "MIN_COMBINED".
template <class T>
Op Dequantize(const Operand& input, const QuantizedRange& range,
              std::string_view mode_string = "MIN_COMBINED", bool transpose_output = false) {
  static_assert(std::is_integral_v<T> && sizeof(T) <= 2);
  return internal::Dequantize(input, range, static_cast<int>(8 * sizeof(T)),
                              std::numeric_limits<T>::min(), std::numeric_limits<T>::max(),
                              mode_string, transpose_output);
}

}  // namespace sinter
