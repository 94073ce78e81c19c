// Scalars as the IR defines them: narrow floats, canonical integers, index arithmetic. The builder
// folds and the interpreter computes with the same functions.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "codegen/kernel/kernel.h"
#include "sinter/element_type.h"
#include "sinter/float_types.h"

namespace sinter::kernel {

// What `cmp` says of two scalars.
template <class T>
bool Holds(Predicate p, T a, T b) {
  switch (p) {
    case Predicate::kLt:
      return a < b;
    case Predicate::kLe:
      return a <= b;
    case Predicate::kGt:
      return a > b;
    case Predicate::kGe:
      return a >= b;
    case Predicate::kEq:
      return a == b;
    case Predicate::kNe:
      return a != b;
  }
  return false;
}

// The float nearest to `x` by rounding to odd: rounding the result once more to a narrower type
// then gives what rounding `x` itself would have given.
inline float RoundToOdd(double x) {
  float f = static_cast<float>(x);
  double back = f;
  if (back == x || std::isnan(x)) return f;
  uint32_t bits = std::bit_cast<uint32_t>(f);
  if (bits & 1) return f;
  return std::bit_cast<float>(std::fabs(back) > std::fabs(x) ? bits - 1 : bits + 1);
}
inline uint16_t HalfBits(double x) { return half::FromFloat(RoundToOdd(x)); }
inline uint16_t Bfloat16Bits(double x) { return bfloat16::FromFloat(RoundToOdd(x)); }

// `x` rounded to the nearest value of a float type of the IR.
inline double RoundToType(ElementType elem, double x) {
  switch (elem) {
    case ElementType::BF16:
      return bfloat16::ToFloat(Bfloat16Bits(x));
    case ElementType::F16:
      return half::ToFloat(HalfBits(x));
    case ElementType::F32:
      return static_cast<float>(x);
    default:
      return x;
  }
}

// A denormal is the zero of its sign.
inline float FlushDenormal(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0F, x) : x;
}
// The BF16 in the upper half of a word, as dot instructions take it.
inline float HalfOfWord(uint32_t x) { return FlushDenormal(std::bit_cast<float>(x & 0xffff0000U)); }
// Pairs of BF16, as vdpbf16ps: the upper ones first, two fused multiply-adds, each of which flushes
// denormal operands and results.
inline float DotAdd(uint32_t a, uint32_t b, float sum) {
  for (uint32_t half : {0U, 16U}) {
    sum = FlushDenormal(std::fma(HalfOfWord(a << half), HalfOfWord(b << half), FlushDenormal(sum)));
  }
  return sum;
}
// What holds words of elements: pairs of BF16, unsigned or signed bytes.
inline bool IsWord(ElementType elem) {
  return elem == ElementType::U32 || elem == ElementType::S32;
}
// Of words side by side, as the tiles of AMX (Intel 64 and IA-32 Architectures Software Developer's
// Manual, TDPBF16PS): the products of the lower halves add up from zero, and those of the upper
// ones, each by fused multiply-adds in order; then the two sums to `sum`. Denormals are flushed as
// above.
inline float DotOfWords(const uint32_t* a, const uint32_t* b, ptrdiff_t b_stride, int count,
                        float sum) {
  float halves[2] = {0, 0};
  for (int k = 0; k < count; ++k) {
    const uint32_t x = a[k], y = b[k * b_stride];
    halves[0] = FlushDenormal(std::fma(HalfOfWord(x << 16U), HalfOfWord(y << 16U), halves[0]));
    halves[1] = FlushDenormal(std::fma(HalfOfWord(x), HalfOfWord(y), halves[1]));
  }
  return FlushDenormal(FlushDenormal(sum) + FlushDenormal(halves[0] + halves[1]));
}
// Of bytes, signed in words of S32, else unsigned; sums wrap.
template <class A, class B>
int32_t DotOfWords(const A* a, const B* b, ptrdiff_t b_stride, int count, int32_t sum) {
  auto byte = []<class Word>(Word x, uint32_t at) {
    const uint32_t bits = static_cast<uint32_t>(x) >> at;
    return std::is_signed_v<Word> ? int32_t{static_cast<int8_t>(bits)}
                                  : int32_t{static_cast<uint8_t>(bits)};
  };
  auto total = static_cast<uint32_t>(sum);
  for (int k = 0; k < count; ++k) {
    for (uint32_t at = 0; at < 32; at += 8)
      total += static_cast<uint32_t>(byte(a[k], at) * byte(b[k * b_stride], at));
  }
  return static_cast<int32_t>(total);
}

// Bytes, unsigned by signed, as vpdpbusd: sums wrap.
inline int32_t DotAdd(uint32_t a, int32_t b, int32_t sum) { return DotOfWords(&a, &b, 1, 1, sum); }
// Pairs of S16, as pmaddwd: sums wrap.
inline int32_t DotAdd(int32_t a, int32_t b, int32_t sum) {
  auto total = static_cast<uint32_t>(sum);
  for (int at : {0, 16}) {
    total += static_cast<uint32_t>(static_cast<int16_t>(a >> at) * static_cast<int16_t>(b >> at));
  }
  return static_cast<int32_t>(total);
}

// The low bits of `x` as an integer of `elem`, extended by its signedness; U64 keeps its bits, PRED
// is x != 0.
inline int64_t WrapToType(ElementType elem, int64_t x) {
  if (elem == ElementType::PRED) return x != 0;
  int shift = 64 - BitWidth(elem);
  uint64_t up = static_cast<uint64_t>(x) << shift;
  return IsUnsigned(elem) ? static_cast<int64_t>(up >> shift) : static_cast<int64_t>(up) >> shift;
}

// Truncates towards zero and saturates; NaN gives 0.
template <class Int, class Float>
Int SaturatingCast(Float x) {
  // The limits of a wide integer are not floats, but 2^n is: compare against it.
  constexpr int kBits = std::numeric_limits<Int>::digits;
  const Float end = std::ldexp(Float{1}, kBits);
  if (!(x == x)) return 0;
  if (x >= end) return std::numeric_limits<Int>::max();
  if (std::is_signed_v<Int> ? x < -end : x <= Float{-1}) return std::numeric_limits<Int>::min();
  return static_cast<Int>(x);
}

// Integer operations that C++ leaves undefined in places.
template <class Int>
Int WrapAdd(Int a, Int b) {
  using U = std::make_unsigned_t<Int>;
  return static_cast<Int>(static_cast<U>(static_cast<U>(a) + static_cast<U>(b)));
}
template <class Int>
Int WrapSub(Int a, Int b) {
  using U = std::make_unsigned_t<Int>;
  return static_cast<Int>(static_cast<U>(static_cast<U>(a) - static_cast<U>(b)));
}
template <class Int>
Int WrapMul(Int a, Int b) {
  // Through 64 bits: uint16_t would be promoted to int, which overflows.
  return static_cast<Int>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
template <class Int>
Int WrapDiv(Int a, Int b) {
  if (b == 0) return static_cast<Int>(-1);
  if (std::is_signed_v<Int> && b == static_cast<Int>(-1)) return WrapSub(Int{0}, a);
  return static_cast<Int>(a / b);
}
template <class Int>
Int WrapRem(Int a, Int b) {
  if (b == 0) return a;
  if (std::is_signed_v<Int> && b == static_cast<Int>(-1)) return 0;
  return static_cast<Int>(a % b);
}

}  // namespace sinter::kernel
