// Op, the handle to a value that a Builder records, and the arithmetic on it. A C++ number beside
// an op becomes a constant of the op's element type.
//
//   sinter::Op y = 2.0f * x + 1;
//   sinter::Op z = sinter::Max(y, 0);   // sinter/ops.h
#pragma once

#include <complex>
#include <concepts>
#include <cstdint>
#include <source_location>
#include <type_traits>

#include "absl/status/statusor.h"
#include "sinter/export.h"
#include "sinter/float_types.h"
#include "sinter/shape.h"

namespace sinter {

class Builder;

// Functions on ops that sinter/ops.h also has as objects of the same names.
namespace functions {
// Base of what they take, so that unqualified calls find them (argument-dependent lookup).
struct Associated {};
}  // namespace functions

// A value in the graph of a builder (xla::XlaOp). Cheap to copy; it does not keep its builder alive
// and must not be used after it. One that stands for nothing (default constructed, returned after
// an error, of another builder, or of a computation already built) is an error where it is used.
//
// There are no relational operators: x == y could mean a comparison of elements or of handles. See
// Eq, Lt, ....
class SINTER_API Op : public functions::Associated {
 public:
  Op() = default;

  // Null if default constructed.
  Builder* builder() const { return builder_; }
  bool valid() const { return index_ >= 0; }
  bool IsUninitialized() const { return builder_ == nullptr; }
  bool IsIdenticalTo(Op other) const {
    return builder_ == other.builder_ && index_ == other.index_ && generation_ == other.generation_;
  }
  // InvalidArgument if it stands for nothing.
  absl::StatusOr<Shape> shape() const;

 private:
  friend class BuilderImpl;
  Op(Builder* builder, int32_t index, int32_t generation)
      : builder_(builder), index_(index), generation_(generation) {}

  Builder* builder_ = nullptr;
  int32_t index_ = -1;      // position among the computation's instructions; -1: none
  int32_t generation_ = 0;  // how many computations the builder had built before
};

// C++ types that stand for a constant beside an op.
template <class T>
concept CppNumber = std::is_arithmetic_v<T> || std::same_as<T, std::complex<float>> ||
    std::same_as<T, std::complex<double>> ||
    (kForeignElementType<T>.has_value() && std::convertible_to<T, float>);

// A C++ number, and the line of the program where it became an operand. Its element type is that of
// the op beside it, which must be able to hold it: a number with a fraction or out of range is an
// error beside integers, a complex one beside reals, one that is neither 0 nor 1 beside predicates.
// Floats are rounded to the nearest.
class Number {
 public:
  enum class Kind : uint8_t { kSigned, kUnsigned, kFloat, kComplex };

  template <CppNumber T>
  Number(T value, std::source_location where = std::source_location::current()) : where_(where) {
    if constexpr (std::is_same_v<T, std::complex<float>> ||
                  std::is_same_v<T, std::complex<double>>) {
      kind_ = Kind::kComplex;
      real_ = static_cast<double>(value.real());
      imag_ = static_cast<double>(value.imag());
    } else if constexpr (std::is_integral_v<T>) {
      kind_ = std::is_signed_v<T> ? Kind::kSigned : Kind::kUnsigned;
      bits_ = static_cast<uint64_t>(value);
    } else if constexpr (std::is_floating_point_v<T>) {
      kind_ = Kind::kFloat;
      real_ = static_cast<double>(value);
    } else {
      kind_ = Kind::kFloat;
      real_ = static_cast<double>(static_cast<float>(value));
    }
  }

  Kind kind() const { return kind_; }
  int64_t as_signed() const { return static_cast<int64_t>(bits_); }
  uint64_t as_unsigned() const { return bits_; }
  double real() const { return real_; }
  double imag() const { return imag_; }
  const std::source_location& where() const { return where_; }

 private:
  Kind kind_ = Kind::kSigned;
  uint64_t bits_ = 0;
  double real_ = 0, imag_ = 0;
  std::source_location where_;
};

// What functions on ops take: an op or a number. Implicit conversion also notes the caller's line
// for error messages, so a helper that takes Operand rather than Op reports its own caller's.
class Operand : public functions::Associated {
 public:
  Operand(Op op, std::source_location where = std::source_location::current())
      : op_(op), number_(0, where), is_number_(false) {}
  Operand(const Number& number) : number_(number), is_number_(true) {}
  template <CppNumber T>
  Operand(T number, std::source_location where = std::source_location::current())
      : number_(number, where), is_number_(true) {}

  bool is_number() const { return is_number_; }
  const Number& number() const { return number_; }
  // Uninitialized if it is a number.
  Op op() const { return op_; }
  Builder* builder() const { return op_.builder(); }
  const std::source_location& where() const { return number_.where(); }

 private:
  Op op_;
  Number number_;
  bool is_number_;
};

// Converts from ops only: the operand of a unary operator.
class OpOperand : public functions::Associated {
 public:
  OpOperand(Op op, std::source_location where = std::source_location::current())
      : operand_(op, where) {}
  const Operand& operand() const { return operand_; }

 private:
  Operand operand_;
};

// Neg, Not, Add, Sub, Mul, Div, Rem, And, Or, Xor, ShiftLeft of sinter/ops.h. operator>> is
// ShiftRightArithmetic for signed, ShiftRightLogical for other elements.
SINTER_API Op operator-(const OpOperand& x);
SINTER_API Op operator~(const OpOperand& x);
#define SINTER_BINARY_OPERATOR(symbol)                   \
  SINTER_API Op operator symbol(Op x, const Operand& y); \
  SINTER_API Op operator symbol(const Number& x, const OpOperand& y)
SINTER_BINARY_OPERATOR(+);
SINTER_BINARY_OPERATOR(-);
SINTER_BINARY_OPERATOR(*);
SINTER_BINARY_OPERATOR(/);
SINTER_BINARY_OPERATOR(%);
SINTER_BINARY_OPERATOR(&);
SINTER_BINARY_OPERATOR(|);
SINTER_BINARY_OPERATOR(^);
SINTER_BINARY_OPERATOR(<<);
SINTER_BINARY_OPERATOR(>>);
#undef SINTER_BINARY_OPERATOR

}  // namespace sinter
