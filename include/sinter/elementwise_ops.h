// The operations that combine elements at equal places, recorded by a Builder: part of
// sinter/ops.h, which says what holds for all of them.
//
//   sinter::Op y = sinter::Max(sinter::Exp(x), 1);
//
// The elementwise functions of one and of two operands are objects: they can be called, passed to
// whatever calls its argument, and converted to pointers:
//
//   sinter::Op (*combine)(sinter::Op, sinter::Op, absl::Span<const int64_t>) = sinter::Max;
//   sinter::Op y = sinter::Reduce(x, 0, sinter::Max, {1});
//
// A call through a pointer does not know its caller's line. Unqualified calls find functions of the
// same names by their arguments.
#pragma once

#include <concepts>
#include <cstdint>
#include <source_location>

#include "absl/types/span.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/op_options.h"

namespace sinter {

using SourceLocation = std::source_location;

namespace internal {

template <Op (*function)(const Operand&)>
struct UnaryFunction {
  using Pointer = Op (*)(Op);

  Op operator()(const Operand& operand) const { return function(operand); }
  // Templates, so that a call never goes through a pointer.
  template <class F>
  requires std::same_as<F, Pointer>
  constexpr operator F() const {
    return [](Op operand) { return function(operand); };
  }
  template <class F>
  requires std::same_as<F, decltype(function)>
  constexpr operator F() const { return function; }
  constexpr Pointer operator&() const { return *this; }
};

template <Op (*function)(const Operand&, const Operand&, absl::Span<const int64_t>)>
struct BinaryFunction {
  using Pointer = Op (*)(Op, Op, absl::Span<const int64_t>);
  using ShortPointer = Op (*)(Op, Op);

  Op operator()(const Operand& lhs, const Operand& rhs,
                absl::Span<const int64_t> broadcast_dimensions = {}) const {
    return function(lhs, rhs, broadcast_dimensions);
  }
  template <class F>
  requires std::same_as<F, Pointer>
  constexpr operator F() const {
    return [](Op lhs, Op rhs, absl::Span<const int64_t> broadcast_dimensions) {
      return function(lhs, rhs, broadcast_dimensions);
    };
  }
  template <class F>
  requires std::same_as<F, ShortPointer>
  constexpr operator F() const {
    return [](Op lhs, Op rhs) { return function(lhs, rhs, {}); };
  }
  template <class F>
  requires std::same_as<F, decltype(function)>
  constexpr operator F() const { return function; }
  constexpr Pointer operator&() const { return *this; }
};

// Also with more operands. Types are deduced, so that a list in braces is the dimensions.
template <Op (*function)(const Operand&, const Operand&, absl::Span<const int64_t>)>
struct LogicalFunction : BinaryFunction<function> {
  using BinaryFunction<function>::operator();
  template <std::convertible_to<Operand> Third, std::convertible_to<Operand>... More>
  Op operator()(const Operand& first, const Operand& second, const Third& third,
                const More&... more) const {
    return function(first, (*this)(second, third, more...), {});
  }
};

}  // namespace internal

// --- one operand
// The result has the operand's dimensions and, unless said otherwise, its element type.

#define SINTER_UNARY_FUNCTION(Name)           \
  namespace functions {                       \
  SINTER_API Op Name(const Operand& operand); \
  }                                           \
  inline constexpr internal::UnaryFunction<&functions::Name> Name {}
// Signed integers (the least stays), floats, complex numbers (a float results) [abs].
SINTER_UNARY_FUNCTION(Abs);
// Floats and complex numbers. Floats outside a function's domain give NaN.
SINTER_UNARY_FUNCTION(Acos);
SINTER_UNARY_FUNCTION(Acosh);
SINTER_UNARY_FUNCTION(Asin);
SINTER_UNARY_FUNCTION(Asinh);
SINTER_UNARY_FUNCTION(Atan);
SINTER_UNARY_FUNCTION(Atanh);
SINTER_UNARY_FUNCTION(Cbrt);
SINTER_UNARY_FUNCTION(Cos);
SINTER_UNARY_FUNCTION(Cosh);
SINTER_UNARY_FUNCTION(Exp);
SINTER_UNARY_FUNCTION(Expm1);
SINTER_UNARY_FUNCTION(Log);
SINTER_UNARY_FUNCTION(Log1p);
SINTER_UNARY_FUNCTION(Logistic);
SINTER_UNARY_FUNCTION(Rsqrt);
SINTER_UNARY_FUNCTION(Sin);
SINTER_UNARY_FUNCTION(Sinh);
SINTER_UNARY_FUNCTION(Sqrt);
SINTER_UNARY_FUNCTION(Tan);
SINTER_UNARY_FUNCTION(Tanh);
// Floats. Round rounds halves away from zero, RoundNearestEven to the even neighbour.
SINTER_UNARY_FUNCTION(Ceil);
SINTER_UNARY_FUNCTION(Erf);
SINTER_UNARY_FUNCTION(Floor);
SINTER_UNARY_FUNCTION(Round);
SINTER_UNARY_FUNCTION(RoundNearestEven);
// Floats; predicates result: neither infinite nor NaN.
SINTER_UNARY_FUNCTION(IsFinite);
// The float as if it had passed through a format of so many exponent and mantissa bits
// [reduce_precision].
SINTER_API Op ReducePrecision(const Operand& operand, int exponent_bits, int mantissa_bits);
// Integers: leading zeros, ones.
SINTER_UNARY_FUNCTION(Clz);
SINTER_UNARY_FUNCTION(PopulationCount);
// Integers bitwise, predicates logically.
SINTER_UNARY_FUNCTION(Not);
// Integers (modulo 2^n), floats, complex numbers. Sign of a complex number is x / |x|, of NaN NaN.
SINTER_UNARY_FUNCTION(Neg);
SINTER_UNARY_FUNCTION(Sign);
// Floats and complex numbers; a float results.
SINTER_UNARY_FUNCTION(Real);
SINTER_UNARY_FUNCTION(Imag);
// Complex(Real(x), -Imag(x)).
SINTER_UNARY_FUNCTION(Conj);

#undef SINTER_UNARY_FUNCTION

// Each element converted: floats to integers truncate and saturate, NaN gives 0; complex numbers
// lose their imaginary part on the way to other types; anything but zero is true [convert].
SINTER_API Op ConvertElementType(const Operand& operand, ElementType new_element_type);
// The same bits: to a type k times narrower adds a last dimension of k, to a wider one removes it.
// Predicates have 8 bits, as in XLA, though StableHLO's have one [bitcast_convert].
SINTER_API Op BitcastConvertType(const Operand& operand, ElementType new_element_type);

// Floats to signed integers: the fraction is rounded away from zero with a probability equal to it,
// where `random`, unsigned integers of the operand's dimensions and width, are uniform. What
// lies outside the type becomes its nearest number, NaN becomes 0. Operands of 16 to 64 bits.
SINTER_API Op StochasticConvertType(const Operand& operand, const Operand& random,
                                    ElementType new_element_type);

// --- elementwise, two operands
// Both of one element type. Dimensions: equal; or equal in number, and where they differ one of
// them is 1, along which its operand is repeated; or one operand is a scalar; or the operand of
// lower rank has, in `broadcast_dimensions`, for each of its dimensions (in increasing order) the
// dimension of the other that it stands for. Lower ranks are never aligned silently. (XLA,
// "Broadcasting".)

#define SINTER_FUNCTION_OF_TWO(Name, Object)                               \
  namespace functions {                                                    \
  SINTER_API Op Name(const Operand& lhs, const Operand& rhs,               \
                     absl::Span<const int64_t> broadcast_dimensions = {}); \
  }                                                                        \
  inline constexpr internal::Object<&functions::Name> Name {}
#define SINTER_BINARY_FUNCTION(Name) SINTER_FUNCTION_OF_TWO(Name, BinaryFunction)
// Predicates: logical or; and.
SINTER_BINARY_FUNCTION(Add);
SINTER_BINARY_FUNCTION(Mul);
// Integers (modulo 2^n; x / 0 is -1, x % 0 is x, the least / -1 is the least), floats (Rem has the
// sign of the dividend), complex numbers except for Rem.
SINTER_BINARY_FUNCTION(Sub);
SINTER_BINARY_FUNCTION(Div);
SINTER_BINARY_FUNCTION(Rem);
// NaN if either operand is; complex numbers lexicographically; predicates as or, and.
SINTER_BINARY_FUNCTION(Max);
SINTER_BINARY_FUNCTION(Min);
// Integers, floats, complex numbers (C128 to 6 units of 2^-53 of the modulus, C64 to 1 of 2^-24).
SINTER_BINARY_FUNCTION(Pow);
// The angle of (x = rhs, y = lhs). Floats and complex numbers.
SINTER_BINARY_FUNCTION(Atan2);
// Integers: the high half of the product.
SINTER_BINARY_FUNCTION(Mulhi);
// Integers bitwise, predicates logically. Of And and Or also of more operands than two.
SINTER_FUNCTION_OF_TWO(And, LogicalFunction);
SINTER_FUNCTION_OF_TWO(Or, LogicalFunction);
namespace functions {
template <std::convertible_to<Operand> Third, std::convertible_to<Operand>... More>
Op And(const Operand& first, const Operand& second, const Third& third, const More&... more) {
  return sinter::And(first, second, third, more...);
}
template <std::convertible_to<Operand> Third, std::convertible_to<Operand>... More>
Op Or(const Operand& first, const Operand& second, const Third& third, const More&... more) {
  return sinter::Or(first, second, third, more...);
}
}  // namespace functions
SINTER_BINARY_FUNCTION(Xor);
// Integers; a distance of at least the width shifts everything out.
SINTER_BINARY_FUNCTION(ShiftLeft);
SINTER_BINARY_FUNCTION(ShiftRightArithmetic);
SINTER_BINARY_FUNCTION(ShiftRightLogical);
// F32 to C64, F64 to C128.
SINTER_BINARY_FUNCTION(Complex);
// Comparisons; predicates result. With NaN only Ne is true; complex numbers have Eq and Ne only.
// TotalOrder: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN of floats, the only order of integers
// and predicates; complex numbers have none. The only NaN of the FNUZ types, whose pattern is that
// of -0, is negative and comes first, as XLA and ml_dtypes have it.
SINTER_BINARY_FUNCTION(Eq);
SINTER_BINARY_FUNCTION(Ne);
SINTER_BINARY_FUNCTION(Ge);
SINTER_BINARY_FUNCTION(Gt);
SINTER_BINARY_FUNCTION(Le);
SINTER_BINARY_FUNCTION(Lt);
SINTER_BINARY_FUNCTION(EqTotalOrder);
SINTER_BINARY_FUNCTION(NeTotalOrder);
SINTER_BINARY_FUNCTION(GeTotalOrder);
SINTER_BINARY_FUNCTION(GtTotalOrder);
SINTER_BINARY_FUNCTION(LeTotalOrder);
SINTER_BINARY_FUNCTION(LtTotalOrder);
#undef SINTER_BINARY_FUNCTION
#undef SINTER_FUNCTION_OF_TWO
SINTER_API Op Compare(const Operand& lhs, const Operand& rhs,
                      absl::Span<const int64_t> broadcast_dimensions, ComparisonDirection direction,
                      ComparisonType compare_type = ComparisonType::kDefault);
SINTER_API Op Compare(const Operand& lhs, const Operand& rhs, ComparisonDirection direction);

// --- elementwise, three operands
// Of equal dimensions; scalars are repeated.

// on_true where pred, else on_false [select].
SINTER_API Op Select(const Operand& pred, const Operand& on_true, const Operand& on_false);
// Min(Max(operand, min), max) [clamp]. Integers, floats, predicates.
SINTER_API Op Clamp(const Operand& min, const Operand& operand, const Operand& max);

}  // namespace sinter
