// Helpers shared by the expansions; not for use outside this room.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <numbers>

#include "codegen/emit/math/math.h"

namespace sinter::emit {

using kernel::Abs;
using kernel::Cmp;
using kernel::Fma;
using kernel::Predicate;
using kernel::Select;
using kernel::Sqrt;
using kernel::Value;
using kernel::Values;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLn2 = std::numbers::ln2;

inline bool IsF64(Expr x) { return x.elem() == ElementType::F64; }

inline Expr IsZero(Expr x) { return Cmp(Predicate::kEq, x, 0); }
inline Expr IsFinite(Expr x) { return Cmp(Predicate::kLt, Abs(x), kInf); }

// c[0] x^n + ... + c[n].
inline Expr Horner(Expr x, std::initializer_list<double> c) {
  auto it = c.begin();
  Expr p = x.c(*it++);
  while (it != c.end()) p = Fma(p, x, *it++);
  return p;
}

// The smaller and the larger of x and a constant; NaN stays. One instruction on x86, whose min and
// max give their second operand if one is NaN; a minimum that propagates NaN from both sides is
// three.
inline Expr AtMost(Expr x, double c) { return Select(Cmp(Predicate::kLt, x.c(c), x), x.c(c), x); }
inline Expr AtLeast(Expr x, double c) { return Select(Cmp(Predicate::kGt, x.c(c), x), x.c(c), x); }

// The bits of a float as a signed integer, and back.
inline Expr Bits(Expr x) { return x.As(IsF64(x) ? ElementType::S64 : ElementType::S32); }
inline Expr Float(Expr bits) {
  return bits.As(BitWidth(bits.elem()) == 64 ? ElementType::F64 : ElementType::F32);
}
inline Expr SignBit(Expr x) { return Bits(x) & Bits(x).ci(IsF64(x) ? INT64_MIN : INT32_MIN); }
// Of a magnitude >= 0.
inline Expr CopySign(Expr magnitude, Expr sign) { return Float(Bits(magnitude) | SignBit(sign)); }

// Adding 1.5 * 2^(mantissa bits) rounds to the nearest integer, which then stands in the low bits.
// Against rounding and converting it saves an instruction, no value makes it undefined, and zero
// becomes +0 whatever its sign, so that x - n * c keeps the sign of -0.
struct Rounded {
  Expr value;  // the integer as a float
  Expr bits;   // the integer in the low bits of an integer; above them the constant's
};
inline double Magic(Expr x) { return IsF64(x) ? 0x1.8p52 : 0x1.8p23; }
inline Rounded RoundedFromSum(Expr sum) { return {sum - Magic(sum), Bits(sum)}; }
inline Rounded Round(Expr x) { return RoundedFromSum(x + Magic(x)); }
// Of x * c.
inline Rounded RoundProduct(Expr x, double c) { return RoundedFromSum(Fma(x, x.c(c), Magic(x))); }

// The integer of n as an operand of Ldexp.
inline Expr Exponent(const Rounded& n) {
  const bool wide = IsF64(n.value);
  return n.bits - n.bits.ci(wide ? int64_t{0x4338000000000000} : int64_t{0x4b400000});
}
// 2^(n + bias) where that is a normal number; for other n anything.
inline Expr PowerOfTwo(const Rounded& n, int bias = 0) {
  const bool wide = IsF64(n.value);
  const int mantissa = wide ? 52 : 23;
  Expr shifted = n.bits << n.bits.ci(mantissa);
  return Float(shifted + n.bits.ci(int64_t{bias + (wide ? 1023 : 127)} << mantissa));
}

// e^a / 2 for a >= 0 as closely as Exp: finite wherever it is not too large.
Expr HalfExp(Expr a);

}  // namespace sinter::emit
