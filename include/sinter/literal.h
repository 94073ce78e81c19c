// Literals: tensor values on the host, dense and row-major, or tuples of them.
//
//   auto x = sinter::Literal::R1<float>({1, 2, 3});
//   x.data<float>()[1];   // 2
//   x.ToString();         // "f32[3] {1, 2, 3}"
#pragma once

#include <complex>
#include <cstddef>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/export.h"
#include "sinter/float_types.h"
#include "sinter/shape.h"

namespace sinter {

// The element type that a C++ type stands for: float -> F32, bool -> PRED, int8_t -> S8, bfloat16
// -> BF16, ...
template <class T>
inline constexpr ElementType kElementTypeOf = [] {
  using E = ElementType;
  if constexpr (std::is_same_v<T, bool>)
    return E::PRED;
  else if constexpr (std::is_same_v<T, float>)
    return E::F32;
  else if constexpr (std::is_same_v<T, double>)
    return E::F64;
  else if constexpr (std::is_same_v<T, half>)
    return E::F16;
  else if constexpr (std::is_same_v<T, bfloat16>)
    return E::BF16;
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return E::C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return E::C128;
  else {
    static_assert(std::is_integral_v<T>, "no element type for this C++ type");
    constexpr bool s = std::is_signed_v<T>;
    return sizeof(T) == 1   ? (s ? E::S8 : E::U8)
           : sizeof(T) == 2 ? (s ? E::S16 : E::U16)
           : sizeof(T) == 4 ? (s ? E::S32 : E::U32)
                            : (s ? E::S64 : E::U64);
  }
}();

class SINTER_API Literal {
 public:
  // An empty tuple.
  Literal() = default;
  // Zeros of the given shape (an array in row-major order whatever the shape's layout says, or a
  // tuple).
  explicit Literal(const Shape& shape);

  template <class T>
  static Literal R0(T value);
  template <class T>
  static Literal R1(absl::Span<const T> values);
  template <class T>
  static Literal R1(std::initializer_list<T> values) {
    return R1<T>(absl::Span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Literal R2(std::initializer_list<std::initializer_list<T>> rows);
  // `values` in row-major order; their number must be that of the dimensions (else
  // InvalidArgument).
  template <class T>
  static absl::StatusOr<Literal> FromSpan(absl::Span<const int64_t> dimensions,
                                          absl::Span<const T> values);
  static Literal Tuple(std::vector<Literal> elements);

  const Shape& shape() const { return shape_; }
  // Row-major elements. T must be of the element type's width (no check beyond an assertion); types
  // below a byte take one byte each (sign- or zero-extended integers, raw bits for floats).
  template <class T>
  absl::Span<const T> data() const {
    // Not in braces: those would make a list of two bools.
    return absl::Span<const T>(reinterpret_cast<const T*>(bytes_.data()),
                               static_cast<size_t>(shape_.element_count()));
  }
  template <class T>
  absl::Span<T> data() {
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<size_t>(shape_.element_count())};
  }
  const void* untyped_data() const { return bytes_.data(); }
  void* untyped_data() { return bytes_.data(); }
  int64_t byte_size() const { return static_cast<int64_t>(bytes_.size()); }

  const std::vector<Literal>& tuple() const { return tuple_; }
  std::vector<Literal>& mutable_tuple() { return tuple_; }

  // The element at a row-major position as double (predicates 0 and 1; complex: the real part).
  double GetAsDouble(int64_t linear_index) const;
  // As HLO text prints it, with the element as the shortest text that reads back to the same bits.
  std::string ElementToString(int64_t linear_index) const;
  // Shape and nested braces; abridged in the middle past `max_elements`.
  std::string ToString(int64_t max_elements = 1000) const;

  // Same data under other dimensions of the same element count (else InvalidArgument).
  absl::StatusOr<Literal> Reshape(absl::Span<const int64_t> dimensions) const;

  // Bitwise equality of shape and elements.
  bool operator==(const Literal& o) const;

 private:
  Shape shape_;
  std::vector<std::byte> bytes_;
  std::vector<Literal> tuple_;
};

template <class T>
Literal Literal::R0(T value) {
  Literal l{Shape(kElementTypeOf<T>)};
  l.data<T>()[0] = value;
  return l;
}
template <class T>
Literal Literal::R1(absl::Span<const T> values) {
  Literal l{Shape(kElementTypeOf<T>, {static_cast<int64_t>(values.size())})};
  std::copy(values.begin(), values.end(), l.data<T>().begin());
  return l;
}
template <class T>
Literal Literal::R2(std::initializer_list<std::initializer_list<T>> rows) {
  int64_t cols = rows.size() ? static_cast<int64_t>(rows.begin()->size()) : 0;
  Literal l{Shape(kElementTypeOf<T>, {static_cast<int64_t>(rows.size()), cols})};
  auto out = l.data<T>().begin();
  for (const auto& row : rows)
    out = std::copy_n(row.begin(), std::min<size_t>(row.size(), static_cast<size_t>(cols)), out);
  return l;
}
namespace internal {
SINTER_API absl::Status CheckElementCount(const Shape& shape, size_t given);
}
template <class T>
absl::StatusOr<Literal> Literal::FromSpan(absl::Span<const int64_t> dimensions,
                                          absl::Span<const T> values) {
  auto shape = Shape::Make(kElementTypeOf<T>, dimensions);
  if (!shape.ok()) return shape.status();
  if (auto s = internal::CheckElementCount(*shape, values.size()); !s.ok()) return s;
  Literal l(*shape);
  std::copy(values.begin(), values.end(), l.data<T>().begin());
  return l;
}

}  // namespace sinter
