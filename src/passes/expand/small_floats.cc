#include "passes/expand/small_floats.h"

#include <bit>
#include <cmath>

#include "types/small_floats.h"

namespace sinter::expand {
namespace {

using E = ElementType;
using Special = FloatFormat::Special;
constexpr auto kEq = ComparisonDirection::kEq, kLt = ComparisonDirection::kLt,
               kGe = ComparisonDirection::kGe, kGt = ComparisonDirection::kGt;

constexpr int kMantissa = 23, kBias = 127;  // of F32
constexpr uint32_t kInfinity = 0x7f800000, kQuietNan = 0x7fc00000;

constexpr uint32_t LowBits(int n) { return (uint32_t{1} << n) - 1; }
uint32_t PatternOf(double x) { return std::bit_cast<uint32_t>(static_cast<float>(x)); }

// One array of U32 and constants like it.
struct Word {
  Array x;
  Array operator()(uint32_t value) const { return x.f->Like(x, value); }
  Array Is(ComparisonDirection d, uint32_t value) const {
    return x.f->Compare(d, x, (*this)(value));
  }
};

// The F32 that rounds to any narrower type as the F64 itself would: where inexact, the neighbour
// whose last bit is 1.
Array RoundedToOdd(Array x) {
  Formula& f = *x.f;
  const Array nearest = f.Convert(x, E::F32), back = f.Convert(nearest, E::F64);
  const Array bits = f.Bitcast(nearest, E::U32);
  auto abs = [&](Array v) { return f.Elementwise(HloOpcode::Abs, {v}); };
  const Array inexact = f.Compare(kLt, back, x) | f.Compare(kGt, back, x);
  const Array even = f.Compare(kEq, And(bits, f.Like(bits, 1)), f.Like(bits, 0));
  const Array step =
      f.Select(f.Compare(kGt, abs(back), abs(x)), f.Like(bits, ~uint64_t{0}), f.Like(bits, 1));
  return f.Bitcast(f.Select(And(inexact, even), bits + step, bits), E::F32);
}

// An integer of 64 bits as the F64 that rounds to a type of few digits as the integer would: of
// large ones the low bits become one that says whether any was set.
Array JammedToF64(Array x) {
  Formula& f = *x.f;
  const Array low = And(x, f.Like(x, 0x7ff));
  const Array any = f.Select(f.Compare(kEq, low, f.Like(x, 0)), f.Like(x, 0), f.Like(x, 1));
  const Array jammed = f.Convert((x >> 11) | any, E::F64);
  return f.Select(f.Compare(kLt, x, f.Like(x, uint64_t{1} << 53)), f.Convert(x, E::F64),
                  jammed * f.Like(jammed, 2048.0));
}

}  // namespace

Array DecodeSmallFloat(Array patterns, ElementType type) {
  const FloatFormat format = *FormatOf(type);
  const int m = format.mantissa_bits, magnitude_bits = format.exponent_bits + m;
  Formula& f = *patterns.f;
  const Array word = f.Convert(patterns, E::U32);
  const Word c{word};
  const Array a = format.has_sign ? And(word, c(LowBits(magnitude_bits))) : word;
  const Array placed = a << (kMantissa - m);
  Array y = placed + c(static_cast<uint32_t>(kBias - format.bias) << kMantissa);
  if (format.has_zero) {
    // Denormals: behind a leading one they are a number less that one, exactly.
    const double one = std::ldexp(1.0, 1 - format.bias);
    const Array ahead = f.Bitcast(placed + c(PatternOf(one)), E::F32);
    y = f.Select(Word{a}.Is(kLt, uint32_t{1} << m), f.Bitcast(ahead - f.Like(ahead, one), E::U32),
                 y);
  } else {
    y = f.Select(Word{a}.Is(kEq, 0), c(PatternOf(std::ldexp(1.0, -format.bias))), y);
  }
  switch (format.special) {
    case Special::kIeee:
      y = f.Select(Word{a}.Is(kGe, LowBits(format.exponent_bits) << m), placed | c(kInfinity), y);
      break;
    case Special::kAllOnes:
      y = f.Select(Word{a}.Is(kEq, LowBits(magnitude_bits)), c(kQuietNan), y);
      break;
    default:
      break;
  }
  if (format.has_sign) y = y | ((word >> magnitude_bits) << 31);
  if (format.special == Special::kNegativeZero)
    y = f.Select(c.Is(kEq, uint32_t{1} << magnitude_bits), c(kQuietNan | uint32_t{1} << 31), y);
  return f.Bitcast(y, E::F32);
}

Array EncodeSmallFloat(Array x, ElementType type) {
  const FloatFormat format = *FormatOf(type);
  const int m = format.mantissa_bits, magnitude_bits = format.exponent_bits + m;
  Formula& f = *x.f;
  const Array bits = f.Bitcast(x, E::U32);
  const Word c{bits};
  const Array a = And(bits, c(0x7fffffff));
  const Word magnitude{a};
  Array y;
  if (!format.has_zero) {
    // Powers of two alone: from the middle between two on, the larger one. The smallest is a
    // denormal of F32, 2^22 units; more is the next one (EncodeFloat).
    y = (a + f.Select(magnitude.Is(kLt, uint32_t{1} << kMantissa), c(LowBits(22)),
                      c(uint32_t{1} << 22))) >>
        kMantissa;
  } else {
    // Carries run into the exponent as they should.
    const int dropped = kMantissa - m;
    const Array odd = And(a >> dropped, c(1));
    y = ((a + c(LowBits(dropped - 1)) + odd) >> dropped) -
        c(static_cast<uint32_t>(kBias - format.bias) << m);
    // Denormals: the sum with a number whose last place is theirs rounds once.
    const double least = std::ldexp(1.0, 1 - format.bias);
    const double magic = std::ldexp(least, kMantissa - m);
    const Array sum = f.Bitcast(a, E::F32);
    const Array tiny = f.Bitcast(sum + f.Like(sum, magic), E::U32) - c(PatternOf(magic));
    y = f.Select(magnitude.Is(kLt, PatternOf(least)), tiny, y);
  }
  uint32_t largest = LowBits(magnitude_bits), past = 0, nan = 0;
  bool signed_nan = false;
  switch (format.special) {
    case Special::kIeee:
      past = LowBits(format.exponent_bits) << m;
      largest = past - 1;
      nan = past | uint32_t{1} << (m - 1);
      signed_nan = true;
      break;
    case Special::kAllOnes:
      past = nan = largest--;
      signed_nan = true;
      break;
    case Special::kNegativeZero:
      past = nan = largest + 1;
      break;
    case Special::kNone:
      past = largest;
      nan = largest + 1;
      break;
  }
  const Array over = Word{y}.Is(kGt, largest), is_nan = magnitude.Is(kGt, kInfinity);
  if (!format.has_sign) {
    const Array none = over | is_nan | c.Is(kGe, 0x80000000) | c.Is(kEq, 0);
    return f.Convert(f.Select(none, c(nan), y), E::U8);
  }
  const Array sign = (bits >> 31) << magnitude_bits;
  if (format.special == Special::kNegativeZero) {
    // Neither zero nor NaN has a sign.
    const Array zero = Word{y}.Is(kEq, 0);
    y = f.Select(over | is_nan, c(nan), f.Select(zero, y, y | sign));
    return f.Convert(y, E::U8);
  }
  y = f.Select(over, c(past), y);
  if (signed_nan) {
    y = f.Select(is_nan, c(nan), y) | sign;
  } else {
    y = f.Select(is_nan, c(nan), y | sign);
  }
  return f.Convert(y, E::U8);
}

Array ForEncoding(Array x, ElementType type) {
  Formula& f = *x.f;
  if (IsComplex(x.type())) x = f.Part(HloOpcode::Real, x);
  // Integers that F32 rounds are beyond every number of the other types.
  const bool wide = !FormatOf(type)->has_zero && IsInteger(x.type());
  if (wide && BitWidth(x.type()) == 64) x = JammedToF64(x);
  if (wide && BitWidth(x.type()) == 32) x = f.Convert(x, E::F64);
  if (x.type() == E::F64) x = RoundedToOdd(x);
  return f.Convert(x, E::F32);
}

}  // namespace sinter::expand
