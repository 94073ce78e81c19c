// Arrays of host values in row-major order, and constants made of them (xla::Array, Array2D,
// Array3D, Array4D).
//
//   sinter::Array2D<float> m({{1, 2}, {3, 4}});
//   sinter::Op c = sinter::ConstantR2FromArray2D<float>(&builder, m);
//
// Lists whose rows are of different lengths, sizes that are negative, and values of another number
// than the sizes say give an array without elements that holds the error: status() tells, and so
// does the builder that such an array is given to.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

#include "absl/types/span.h"
#include "sinter/literal.h"
#include "sinter/ops.h"

namespace sinter {

// Indices must be within the sizes (an assertion, no more).
template <class T>
class Array {
 public:
  Array() : Array(absl::Span<const int64_t>{}) {}
  explicit Array(absl::Span<const int64_t> sizes, T value = T())
      : sizes_(sizes.begin(), sizes.end()) {
    absl::StatusOr<int64_t> count = internal::CountElements(sizes, sizeof(T));
    if (count.ok()) {
      values_.assign(static_cast<size_t>(*count), value);
    } else {
      Fail(count.status());
    }
  }
  explicit Array(std::initializer_list<T> values)
      : sizes_{static_cast<int64_t>(values.size())}, values_(values.begin(), values.end()) {}

  // OK, or why the array has no elements.
  const absl::Status& status() const { return status_; }

  int64_t num_dimensions() const { return static_cast<int64_t>(sizes_.size()); }
  int64_t dim(int64_t n) const { return sizes_[static_cast<size_t>(n)]; }
  absl::Span<const int64_t> dimensions() const { return sizes_; }
  int64_t num_elements() const { return static_cast<int64_t>(values_.size()); }

  template <class... I>
  requires(std::is_integral_v<I>&&...) decltype(auto) operator()(I... indices) {
    return values_[At({static_cast<int64_t>(indices)...})];
  }
  template <class... I>
  requires(std::is_integral_v<I>&&...) decltype(auto) operator()(I... indices) const {
    return values_[At({static_cast<int64_t>(indices)...})];
  }
  decltype(auto) operator()(absl::Span<const int64_t> indices) { return values_[At(indices)]; }
  decltype(auto) operator()(absl::Span<const int64_t> indices) const {
    return values_[At(indices)];
  }

  void Fill(const T& value) { std::fill(values_.begin(), values_.end(), value); }
  // first, first + 1, ...
  void FillIota(T first) {
    for (auto&& v : values_) {
      v = first;
      first = static_cast<T>(first + 1);
    }
  }
  // first, first + step, ...
  void FillWithMultiples(T multiplier) {
    for (size_t i = 0; i < values_.size(); ++i)
      values_[i] = static_cast<T>(static_cast<T>(i) * multiplier);
  }
  // f(indices, &value) for each element.
  template <class F>
  void Each(F f) {
    std::vector<int64_t> at(sizes_.size(), 0);
    for (size_t i = 0; i < values_.size(); ++i) {
      T value = values_[i];
      f(absl::Span<const int64_t>(at), &value);
      values_[i] = value;
      for (size_t d = sizes_.size(); d-- > 0 && ++at[d] == sizes_[d];) at[d] = 0;
    }
  }
  // As many as there are elements.
  void SetValues(absl::Span<const T> values) {
    if (!status_.ok()) return;
    if (values.size() != values_.size()) {
      Fail(internal::WrongCount(values_.size(), values.size()));
      return;
    }
    std::copy(values.begin(), values.end(), values_.begin());
  }

  auto begin() { return values_.begin(); }
  auto end() { return values_.end(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }
  bool operator==(const Array&) const = default;

  // The elements as a literal, or one that holds the error.
  Literal ToLiteral() const {
    if (!status_.ok()) return Literal::Error(status_);
    Literal literal{Shape(kElementTypeOf<T>, sizes_)};
    std::copy(values_.begin(), values_.end(), literal.template data<T>().begin());
    return literal;
  }

 protected:
  size_t At(absl::Span<const int64_t> indices) const {
    assert(indices.size() == sizes_.size());
    int64_t at = 0;
    for (size_t d = 0; d < sizes_.size(); ++d) {
      assert(0 <= indices[d] && indices[d] < sizes_[d]);
      at = at * sizes_[d] + indices[d];
    }
    return static_cast<size_t>(at);
  }
  size_t At(std::initializer_list<int64_t> indices) const {
    return At(absl::Span<const int64_t>(indices.begin(), indices.size()));
  }

  // Leaves nothing but the error.
  void Fail(absl::Status error) {
    status_ = std::move(error);
    sizes_.assign(sizes_.size(), 0);
    values_.clear();
  }
  explicit Array(internal::NestedList<T> list)
      : sizes_(std::move(list.sizes)), values_(std::move(list.values)) {
    if (!list.status.ok()) Fail(std::move(list.status));
  }

  std::vector<int64_t> sizes_;
  std::vector<T> values_;
  absl::Status status_;
};

template <class T>
class Array2D : public Array<T> {
 public:
  Array2D() : Array2D(0, 0) {}
  Array2D(int64_t n1, int64_t n2, T value = T()) : Array<T>({n1, n2}, value) {}
  Array2D(std::initializer_list<std::initializer_list<T>> rows)
      : Array<T>(internal::NestedList<T>(rows, 2)) {}
  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t height() const { return n1(); }
  int64_t width() const { return n2(); }
};

template <class T>
class Array3D : public Array<T> {
 public:
  Array3D() : Array3D(0, 0, 0) {}
  Array3D(int64_t n1, int64_t n2, int64_t n3, T value = T()) : Array<T>({n1, n2, n3}, value) {}
  Array3D(std::initializer_list<std::initializer_list<std::initializer_list<T>>> planes)
      : Array<T>(internal::NestedList<T>(planes, 3)) {}
  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }
};

template <class T>
class Array4D : public Array<T> {
 public:
  Array4D() : Array4D(0, 0, 0, 0) {}
  Array4D(int64_t planes, int64_t depth, int64_t height, int64_t width, T value = T())
      : Array<T>({planes, depth, height, width}, value) {}
  Array4D(
      std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<T>>>>
          volumes)
      : Array<T>(internal::NestedList<T>(volumes, 4)) {}
  // Values in row-major order.
  template <class Container>
  Array4D(int64_t planes, int64_t depth, int64_t height, int64_t width, const Container& values)
      : Array4D(planes, depth, height, width) {
    this->SetValues(absl::Span<const T>(values));
  }
  int64_t planes() const { return this->dim(0); }
  int64_t depth() const { return this->dim(1); }
  int64_t height() const { return this->dim(2); }
  int64_t width() const { return this->dim(3); }
  int64_t n1() const { return this->dim(0); }
  int64_t n2() const { return this->dim(1); }
  int64_t n3() const { return this->dim(2); }
  int64_t n4() const { return this->dim(3); }
};

template <class T>
Op ConstantFromArray(Builder* builder, const Array<T>& values,
                     SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, values.ToLiteral(), where);
}
template <class T>
Op ConstantR2FromArray2D(Builder* builder, const Array2D<T>& values,
                         SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, values.ToLiteral(), where);
}
template <class T>
Op ConstantR3FromArray3D(Builder* builder, const Array3D<T>& values,
                         SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, values.ToLiteral(), where);
}
template <class T>
Op ConstantR4FromArray4D(Builder* builder, const Array4D<T>& values,
                         SourceLocation where = SourceLocation::current()) {
  return ConstantLiteral(builder, values.ToLiteral(), where);
}

}  // namespace sinter
