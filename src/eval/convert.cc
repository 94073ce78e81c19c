// convert and bitcast-convert.
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "eval/functions.h"

namespace sinter::eval {
namespace {

// An integer as the double from which Store rounds once to the float type `to`: for types narrower
// than F64 bits that do not fit are jammed into the last one, which keeps them on the same side of
// every tie.
double FromInteger(ElementType to, bool negative, uint64_t magnitude) {
  double x;
  if (to == ElementType::F64) {
    x = static_cast<double>(magnitude);
  } else {
    bool wide = magnitude >> 53;
    if (wide) magnitude = magnitude >> 11 | ((magnitude & 0x7ff) != 0);
    x = std::ldexp(static_cast<double>(magnitude), wide ? 11 : 0);
  }
  return negative ? -x : x;
}

// Truncates; values outside the type's range become its nearest number, NaN becomes 0.
template <class Integer>
Integer Saturate(ElementType to, double x) {
  if (std::isnan(x)) return 0;
  int bits = BitWidth(to) - (IsSigned(to) ? 1 : 0);
  double limit = std::ldexp(1.0, bits);
  if (x >= limit) return static_cast<Integer>(~uint64_t{0} >> (64 - bits));
  if (IsUnsigned(to)) return x <= 0 ? 0 : static_cast<Integer>(x);
  return x <= -limit ? static_cast<Integer>(~uint64_t{0} << bits) : static_cast<Integer>(x);
}

template <class To, class From>
To ConvertElement(ElementType to, From x) {
  if constexpr (std::is_same_v<From, Complex> && !std::is_same_v<To, Complex>) {
    return ConvertElement<To>(to, x.real());
  } else if constexpr (std::is_same_v<To, bool>) {
    return x != From(0);
  } else if constexpr (std::is_same_v<To, Complex>) {
    if constexpr (std::is_same_v<From, Complex>) {
      return x;
    } else {
      return ConvertElement<double>(RealPart(to), x);
    }
  } else if constexpr (std::is_same_v<To, double>) {
    if constexpr (std::is_same_v<From, double>) {
      return x;
    } else if constexpr (std::is_same_v<From, int64_t>) {
      auto bits = static_cast<uint64_t>(x);
      return FromInteger(to, x < 0, x < 0 ? -bits : bits);
    } else {
      return FromInteger(to, false, x);
    }
  } else if constexpr (std::is_same_v<From, double>) {
    return Saturate<To>(to, x);
  } else {
    return static_cast<To>(x);  // integers wrap when they are stored
  }
}

// Elements as one row of bits, the first element lowest, and back. Types of whole bytes are that
// already.
std::vector<uint8_t> ToBits(const Literal& x) {
  const auto* bytes = static_cast<const uint8_t*>(x.untyped_data());
  auto size = static_cast<size_t>(x.byte_size());
  auto width = static_cast<size_t>(BitWidth(x.shape().element_type()));
  if (width % 8 == 0) return {bytes, bytes + size};
  std::vector<uint8_t> bits((size * width + 7) / 8);
  for (size_t at = 0; at < size * width; ++at) {
    bits[at / 8] |= static_cast<uint8_t>((bytes[at / width] >> at % width & 1) << at % 8);
  }
  return bits;
}

void FromBits(const std::vector<uint8_t>& bits, Literal& x) {
  auto* bytes = static_cast<uint8_t*>(x.untyped_data());
  auto size = static_cast<size_t>(x.byte_size());
  auto width = static_cast<size_t>(BitWidth(x.shape().element_type()));
  if (size == 0) return;
  if (width % 8 == 0) {
    std::memcpy(bytes, bits.data(), size);
    return;
  }
  for (size_t at = 0; at < size * width; ++at) {
    bytes[at / width] |= static_cast<uint8_t>((bits[at / 8] >> at % 8 & 1) << at % width);
  }
  if (!IsSigned(x.shape().element_type())) return;
  for (size_t i = 0; i < size; ++i) {  // literals hold narrow signed integers sign-extended
    bytes[i] =
        static_cast<uint8_t>(RoundTo(x.shape().element_type(), static_cast<int64_t>(bytes[i])));
  }
}

}  // namespace

Literal ConvertTo(const Literal& x, ElementType to) {
  Literal result(Shape(to, x.shape().dimensions()));
  VisitWide(x.shape().element_type(), [&](auto from_wide) {
    VisitWide(to, [&](auto to_wide) {
      using From = decltype(from_wide);
      using To = decltype(to_wide);
      ForChunks(x.shape().element_count(), [&](int64_t first, int64_t count) {
        From a[kChunk];
        To r[kChunk];
        Load(x, first, count, a);
        for (int64_t i = 0; i < count; ++i) r[i] = ConvertElement<To>(to, a[i]);
        Store(result, first, count, r);
      });
    });
  });
  return result;
}

absl::StatusOr<Value> Convert(const Input& in) {
  return Value(ConvertTo(in.array(0), in.shape().element_type()));
}

absl::StatusOr<Value> BitcastConvert(const Input& in) {
  Literal result = NewResult(in);
  FromBits(ToBits(in.array(0)), result);
  return Value(std::move(result));
}

}  // namespace sinter::eval
