// Helpers shared by the expansions; not for use outside this room.
#pragma once

#include <bit>
#include <cstdint>
#include <initializer_list>
#include <limits>

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

inline bool IsF64(Expr x) { return x.elem() == ElementType::F64; }

// c[0] x^n + ... + c[n].
inline Expr Horner(Expr x, std::initializer_list<double> c) {
  auto it = c.begin();
  Expr p = x.c(*it++);
  while (it != c.end()) p = Fma(p, x, *it++);
  return p;
}

// The smaller and the larger of x and a constant; NaN stays. One min or max instruction on x86, which gives its second
// operand if one is NaN; a NaN-propagating minimum is three.
inline Expr AtMost(Expr x, double c) { return Select(Cmp(Predicate::kLt, x.c(c), x), x.c(c), x); }
inline Expr AtLeast(Expr x, double c) { return Select(Cmp(Predicate::kGt, x.c(c), x), x.c(c), x); }

// Adding 1.5 * 2^(mantissa bits) rounds to the nearest integer, which then stands in the low bits. Against rounding and
// converting it saves an instruction, and zero becomes +0 whatever its sign, so that x - n * c keeps the sign of -0.
inline constexpr double kMagic32 = 0x1.8p23;
inline constexpr double kMagic64 = 0x1.8p52;

inline Expr Bits(Expr x) { return x.As(IsF64(x) ? ElementType::S64 : ElementType::S32); }
inline Expr Float(Expr bits) { return bits.As(bits.elem() == ElementType::S64 ? ElementType::F64 : ElementType::F32); }

}  // namespace sinter::emit
