// The functions on literals of xla/literal_util.h. Those that make a literal of lists give one that
// holds an error where the lists do not fit together (sinter/literal.h).
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "sinter/array.h"
#include "sinter/export.h"
#include "sinter/literal.h"
#include "sinter/xla/shape_util.h"

namespace sinter::xla_names {

using LiteralSlice = Literal;
using BorrowingLiteral = Literal;

struct LiteralUtil {
  template <class T>
  static Literal CreateR0(T value) {
    return Literal::R0<T>(value);
  }
  template <class T>
  static Literal CreateR1(absl::Span<const T> values) {
    return Literal::R1<T>(values);
  }
  template <class T>
  static Literal CreateR2(std::initializer_list<std::initializer_list<T>> values) {
    return Literal::R2<T>(values);
  }
  template <class T>
  static Literal CreateR3(
      std::initializer_list<std::initializer_list<std::initializer_list<T>>> values) {
    return internal::NestedList<T>(values, 3).ToLiteral();
  }
  template <class T>
  static Literal CreateR4(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          values) {
    return internal::NestedList<T>(values, 4).ToLiteral();
  }
  template <class T>
  static Literal CreateFullWithDescendingLayout(absl::Span<const int64_t> dimensions, T value) {
    Array<T> values(dimensions, value);
    return values.ToLiteral();
  }
  static Literal CreateFromDimensions(ElementType type, absl::Span<const int64_t> dimensions) {
    absl::StatusOr<Shape> shape = Shape::Make(type, dimensions);
    return shape.ok() ? Literal(*shape) : Literal::Error(shape.status());
  }
  static Literal CreateFromShape(const Shape& shape) { return Literal(shape); }
  // The bytes of a string.
  static Literal CreateR1U8(std::string_view value) {
    return Literal::R1<uint8_t>(
        absl::Span<const uint8_t>(reinterpret_cast<const uint8_t*>(value.data()), value.size()));
  }
  template <class T>
  static Literal CreateFromArray(const Array<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR2FromArray2D(const Array2D<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR3FromArray3D(const Array3D<T>& values) {
    return values.ToLiteral();
  }
  template <class T>
  static Literal CreateR4FromArray4D(const Array4D<T>& values) {
    return values.ToLiteral();
  }
  static Literal CreateToken() { return Literal(Shape::Token()); }
  // Scalars of a type known when the program runs. MinValue, MaxValue: infinities of floats that
  // have them. A literal that holds InvalidArgument where the type has no such value.
  static Literal Zero(ElementType type) { return Literal(Shape(type)); }
  static Literal One(ElementType type) { return Converted(Literal::R0<int32_t>(1), type); }
  static Literal MinValue(ElementType type) {
    return Bound(type, -std::numeric_limits<double>::infinity(),
                 std::numeric_limits<int64_t>::min(), 0);
  }
  static Literal MaxValue(ElementType type) {
    return Bound(type, std::numeric_limits<double>::infinity(), std::numeric_limits<int64_t>::max(),
                 std::numeric_limits<uint64_t>::max());
  }
  static Literal MakeTuple(absl::Span<const Literal* const> elements) {
    std::vector<Literal> copies;
    for (const Literal* element : elements) copies.push_back(*element);
    return Literal::Tuple(std::move(copies));
  }
  static Literal MakeTupleFromSlices(absl::Span<const Literal> elements) {
    return Literal::Tuple({elements.begin(), elements.end()});
  }
  static Literal MakeTupleOwned(std::vector<Literal> elements) {
    return Literal::Tuple(std::move(elements));
  }
  template <class... Literals>
  requires(std::is_same_v<Literals, Literal>&&...) static Literal
      MakeTupleOwned(Literals... elements) {
    return Literal::Tuple({std::move(elements)...});
  }
  // Every array of the literal in another type: floats of 32 bits, and of 64.
  static Literal ConvertF32ToBF16(const Literal& x) {
    return ConvertType(x, ElementType::F32, ElementType::BF16);
  }
  static Literal ConvertBF16ToF32(const Literal& x) {
    return ConvertType(x, ElementType::BF16, ElementType::F32);
  }
  static Literal ConvertF32ToF64(const Literal& x) {
    return ConvertType(x, ElementType::F32, ElementType::F64);
  }
  static Literal ConvertF64ToF32(const Literal& x) {
    return ConvertType(x, ElementType::F64, ElementType::F32);
  }
  static Literal ConvertS32ToF32(const Literal& x) {
    return ConvertType(x, ElementType::S32, ElementType::F32);
  }
  static std::string MultiIndexAsString(absl::Span<const int64_t> index) {
    std::string out = "{";
    for (size_t i = 0; i < index.size(); ++i) out += (i ? "," : "") + std::to_string(index[i]);
    return out + "}";
  }

 private:
  static Literal Converted(const Literal& x, ElementType type) {
    absl::StatusOr<Literal> converted = x.Convert(type);
    return converted.ok() ? *std::move(converted) : Literal::Error(converted.status());
  }
  // Out of range, integers saturate where a float is converted.
  static Literal Bound(ElementType type, double real, int64_t whole, uint64_t natural) {
    if (IsComplex(type))
      return Literal::Error(absl::InvalidArgumentError("complex numbers have no order"));
    if (type == ElementType::U64) return Literal::R0<uint64_t>(natural);
    if (type == ElementType::S64) return Literal::R0<int64_t>(whole);
    if (type == ElementType::PRED) return Literal::R0<bool>(real > 0);
    return Converted(Literal::R0<double>(real), type);
  }
  static Literal ConvertType(const Literal& x, ElementType from, ElementType to) {
    if (x.shape().element_type() == from) return Converted(x, to);
    if (!x.shape().is_tuple()) return x;
    std::vector<Literal> elements;
    for (const Literal& element : x.tuple()) elements.push_back(ConvertType(element, from, to));
    return Literal::Tuple(std::move(elements));
  }
};

}  // namespace sinter::xla_names
