// Literals: tensor values on the host, dense and row-major, or tuples of them.
//
//   auto x = sinter::Literal::R1<float>({1, 2, 3});
//   x.data<float>()[1];   // 2
//   x.ToString();         // "f32[3] {1, 2, 3}"
//
// What makes a literal of values that do not fit together (rows of different lengths, say) gives
// one that holds the error instead: status() tells, and so does what the literal is given to.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstring>
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
  else if constexpr (std::is_same_v<T, std::complex<float>>)
    return E::C64;
  else if constexpr (std::is_same_v<T, std::complex<double>>)
    return E::C128;
  else if constexpr (kForeignElementType<T>.has_value())
    return *kForeignElementType<T>;
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
  // Holds InvalidArgument unless the rows are of one length.
  template <class T>
  static Literal R2(std::initializer_list<std::initializer_list<T>> rows);
  // `values` in row-major order; their number must be that of the dimensions (else
  // InvalidArgument).
  template <class T>
  static absl::StatusOr<Literal> FromSpan(absl::Span<const int64_t> dimensions,
                                          absl::Span<const T> values);
  // Holds the first error among the elements, if there is one.
  static Literal Tuple(std::vector<Literal> elements);
  // No value but an error, which must be one. The shape is an empty tuple.
  static Literal Error(absl::Status error);

  // OK, or the error that the literal holds in place of a value.
  absl::Status status() const { return error_ ? *error_ : absl::OkStatus(); }
  bool ok() const { return error_ == nullptr; }

  const Shape& shape() const { return shape_; }
  // Row-major elements; none where T is not of the width of an element (ByteWidth), or the literal
  // is no array. Types below a byte take one byte each (sign- or zero-extended integers, raw bits
  // for floats).
  template <class T>
  absl::Span<const T> data() const {
    // Not in braces: those would make a list of two bools.
    return absl::Span<const T>(reinterpret_cast<const T*>(bytes_.data()), CountOf(sizeof(T)));
  }
  template <class T>
  absl::Span<T> data() {
    return absl::Span<T>(reinterpret_cast<T*>(bytes_.data()), CountOf(sizeof(T)));
  }
  const void* untyped_data() const { return bytes_.data(); }
  void* untyped_data() { return bytes_.data(); }
  int64_t byte_size() const { return static_cast<int64_t>(bytes_.size()); }

  int64_t element_count() const { return shape_.element_count(); }
  int64_t size_bytes() const { return byte_size(); }

  // The element at an index for each dimension (in the tuple's element at `shape_index`). T() where
  // there is none, or T is not of the width of an element.
  template <class T>
  T Get(absl::Span<const int64_t> multi_index, absl::Span<const int64_t> shape_index = {}) const;
  template <class T>
  T GetFirstElement() const {
    return data<T>().empty() ? T() : data<T>()[0];
  }
  // Replaces it. False, and nothing is replaced, where Get would find none.
  template <class T>
  bool Set(absl::Span<const int64_t> multi_index, T value) {
    return Set<T>(multi_index, {}, value);
  }
  template <class T>
  bool Set(absl::Span<const int64_t> multi_index, absl::Span<const int64_t> shape_index, T value);
  // Every element is generator(index), called in row-major order. InvalidArgument where T is not
  // of the width of an element, or the literal is no array.
  template <class T, class Generator>
  absl::Status Populate(Generator&& generator);
  template <class T>
  absl::Status PopulateWithValue(T value) {
    return Populate<T>([value](absl::Span<const int64_t>) { return value; });
  }
  // Every element; `values` must be as many, else nothing is replaced and it is InvalidArgument.
  template <class T>
  absl::Status PopulateR1(absl::Span<const T> values);

  // Each element converted as ConvertElementType does (sinter/ops.h): an array, else
  // InvalidArgument.
  absl::StatusOr<Literal> Convert(ElementType type) const;
  // From start to before limit in each dimension, and the dimensions permuted as by Transpose
  // (sinter/ops.h). The result holds InvalidArgument where they do not fit the literal.
  Literal Slice(absl::Span<const int64_t> start_indices,
                absl::Span<const int64_t> limit_indices) const;
  Literal Transpose(absl::Span<const int64_t> permutation) const;
  Literal Clone() const { return *this; }
  // The elements of a tuple, which is then empty.
  std::vector<Literal> DecomposeTuple();

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

  // Bitwise equality of shape and elements. What holds an error is equal to nothing.
  bool operator==(const Literal& o) const;

 private:
  size_t CountOf(size_t width) const {
    const bool fits = static_cast<size_t>(ByteWidth(shape_.element_type())) == width;
    return fits ? static_cast<size_t>(shape_.element_count()) : 0;
  }
  // The position of an index in row-major order, or -1.
  int64_t Place(absl::Span<const int64_t> multi_index) const;
  // The element of a tuple of tuples, or null.
  const Literal* Leaf(absl::Span<const int64_t> shape_index) const;
  absl::Status CheckWidth(size_t width) const;

  Shape shape_;
  std::vector<std::byte> bytes_;
  std::vector<Literal> tuple_;
  std::shared_ptr<const absl::Status> error_;  // null: none
};

namespace internal {
SINTER_API absl::Status CheckElementCount(const Shape& shape, size_t given);
// The product of the sizes; InvalidArgument where one is negative, or the bytes of so many elements
// overflow int64.
SINTER_API absl::StatusOr<int64_t> CountElements(absl::Span<const int64_t> sizes, size_t width);
SINTER_API absl::Status WrongCount(size_t expected, size_t given);
// The error of lists along dimension `depth` that have different lengths.
SINTER_API absl::Status RaggedList(size_t depth, size_t first, size_t other);

// Nested lists of T as an array of that rank: the values in row-major order.
template <class T>
struct NestedList {
  template <class List>
  NestedList(const List& list, size_t rank) {
    Add(list, 0);
    sizes.resize(rank, 0);
  }

  Literal ToLiteral() const {
    if (!status.ok()) return Literal::Error(status);
    Literal l{Shape(kElementTypeOf<T>, sizes)};
    std::copy(values.begin(), values.end(), l.template data<T>().begin());
    return l;
  }

  std::vector<int64_t> sizes;  // of the first list along each dimension
  std::vector<T> values;
  absl::Status status;  // InvalidArgument where others differ

 private:
  template <class Item>
  void Add(const Item& item, size_t depth) {
    if constexpr (std::is_same_v<Item, T>) {
      values.push_back(item);
    } else {
      const auto size = static_cast<int64_t>(item.size());
      if (sizes.size() == depth) sizes.push_back(size);
      if (sizes[depth] != size && status.ok())
        status = RaggedList(depth, static_cast<size_t>(sizes[depth]), item.size());
      for (const auto& part : item) Add(part, depth + 1);
    }
  }
};
}  // namespace internal

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
  return internal::NestedList<T>(rows, 2).ToLiteral();
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

template <class T>
T Literal::Get(absl::Span<const int64_t> multi_index, absl::Span<const int64_t> shape_index) const {
  const Literal* leaf = Leaf(shape_index);
  const int64_t place = leaf ? leaf->Place(multi_index) : -1;
  if (place < 0 || leaf->data<T>().empty()) return T();
  return leaf->data<T>()[static_cast<size_t>(place)];
}
template <class T>
bool Literal::Set(absl::Span<const int64_t> multi_index, absl::Span<const int64_t> shape_index,
                  T value) {
  auto* leaf = const_cast<Literal*>(Leaf(shape_index));  // a part of this, which is not const
  const int64_t place = leaf ? leaf->Place(multi_index) : -1;
  if (place < 0 || leaf->data<T>().empty()) return false;
  leaf->data<T>()[static_cast<size_t>(place)] = value;
  return true;
}
template <class T, class Generator>
absl::Status Literal::Populate(Generator&& generator) {
  if (absl::Status s = CheckWidth(sizeof(T)); !s.ok()) return s;
  std::vector<int64_t> index(shape_.dimensions().size(), 0);
  for (T& element : data<T>()) {
    element = generator(absl::Span<const int64_t>(index));
    for (size_t d = index.size(); d-- > 0 && ++index[d] == shape_.dimensions()[d];) index[d] = 0;
  }
  return absl::OkStatus();
}
template <class T>
absl::Status Literal::PopulateR1(absl::Span<const T> values) {
  if (absl::Status s = CheckWidth(sizeof(T)); !s.ok()) return s;
  if (absl::Status s = internal::CheckElementCount(shape_, values.size()); !s.ok()) return s;
  std::copy(values.begin(), values.end(), data<T>().begin());
  return absl::OkStatus();
}

}  // namespace sinter
