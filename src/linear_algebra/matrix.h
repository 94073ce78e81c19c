// Column-major matrices of the host's memory, and the numbers they are made of.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace sinter::linear_algebra {

// X(T) for each type of elements, for definitions that headers declare.
#define SINTER_FOR_MATRIX_ELEMENTS(X) \
  X(float)                            \
  X(double)                           \
  X(std::complex<float>)              \
  X(std::complex<double>)

template <class T>
struct RealOfImpl {
  using Type = T;
};
template <class R>
struct RealOfImpl<std::complex<R>> {
  using Type = R;
};
template <class T>
using RealOf = typename RealOfImpl<T>::Type;
template <class T>
inline constexpr bool kIsComplex = !std::is_same_v<T, RealOf<T>>;

// Of one rounding, half the distance of 1 and the next number.
template <class R>
inline constexpr R kRounding = std::numeric_limits<R>::epsilon() / 2;
template <class R>
inline constexpr R kSafeMinimum = std::numeric_limits<R>::min();

template <class T>
T Conj(T x) {
  if constexpr (kIsComplex<T>) {
    return {x.real(), -x.imag()};
  } else {
    return x;
  }
}
// |re| + |im|, at most 1.42 times the modulus: cheap and without overflow.
template <class T>
RealOf<T> Size(T x) {
  if constexpr (kIsComplex<T>) {
    return std::abs(x.real()) + std::abs(x.imag());
  } else {
    return std::abs(x);
  }
}
template <class T>
bool IsFinite(T x) {
  return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
}
template <class T>
T NaN() {
  return T(std::numeric_limits<RealOf<T>>::quiet_NaN());
}
// Without the tests for infinities and NaNs that the standard's product and quotient make.
template <class T>
T Times(T a, T b) {
  if constexpr (kIsComplex<T>) {
    return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return a * b;
  }
}
// R. Smith, Algorithm 116: Complex Division, CACM 5, 1962: no overflow on the way.
template <class T>
T Over(T a, T b) {
  if constexpr (kIsComplex<T>) {
    using R = RealOf<T>;
    const R x = b.real(), y = b.imag();
    if (std::abs(x) >= std::abs(y)) {
      const R ratio = y / x, whole = x + y * ratio;
      return {(a.real() + a.imag() * ratio) / whole, (a.imag() - a.real() * ratio) / whole};
    }
    const R ratio = x / y, whole = x * ratio + y;
    return {(a.real() * ratio + a.imag()) / whole, (a.imag() * ratio - a.real()) / whole};
  } else {
    return a / b;
  }
}

// Element (i, j) stands at data[i + j * stride].
template <class T>
struct Matrix {
  T* data;
  int64_t rows, columns, stride;

  T& operator()(int64_t i, int64_t j) const { return data[i + j * stride]; }
  T* Column(int64_t j) const { return data + j * stride; }
  Matrix Block(int64_t i, int64_t j, int64_t m, int64_t n) const {
    return {data + i + j * stride, m, n, stride};
  }
};

// A matrix with memory of its own.
template <class T>
class OwnMatrix {
 public:
  OwnMatrix(int64_t rows, int64_t columns)
      : rows_(rows), columns_(columns), elements_(static_cast<size_t>(rows * columns)) {}
  Matrix<T> view() { return {elements_.data(), rows_, columns_, std::max<int64_t>(rows_, 1)}; }

 private:
  int64_t rows_, columns_;
  std::vector<T> elements_;
};

template <class T>
void Copy(const Matrix<T>& from, const Matrix<T>& to) {
  for (int64_t j = 0; j < from.columns; ++j) std::copy_n(from.Column(j), from.rows, to.Column(j));
}
template <class T>
void SetIdentity(const Matrix<T>& a) {
  for (int64_t j = 0; j < a.columns; ++j) {
    std::fill_n(a.Column(j), a.rows, T(0));
    if (j < a.rows) a(j, j) = T(1);
  }
}
template <class T>
void Fill(const Matrix<T>& a, T value) {
  for (int64_t j = 0; j < a.columns; ++j) std::fill_n(a.Column(j), a.rows, value);
}
template <class T>
void CopyAdjoint(const Matrix<T>& from, const Matrix<T>& to) {
  for (int64_t j = 0; j < from.columns; ++j) {
    for (int64_t i = 0; i < from.rows; ++i) to(j, i) = Conj(from(i, j));
  }
}

// The largest modulus of a real or imaginary part; NaN where there is a NaN.
template <class T>
RealOf<T> LargestPart(const Matrix<T>& a) {
  RealOf<T> largest = 0;
  bool is_nan = false;
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) {
      const T x = a(i, j);
      largest = std::max({largest, std::abs(std::real(x)), std::abs(std::imag(x))});
      is_nan = is_nan || x != x;
    }
  }
  return is_nan ? NaN<RealOf<T>>() : largest;
}

// The power of two by which a matrix whose largest part is this is multiplied, so that squares
// neither overflow nor are lost; 1 where it has that property, and for 0.
template <class R>
R SafeScale(R largest) {
  const R low = std::sqrt(kSafeMinimum<R>) / kRounding<R>, high = 1 / low;
  if (largest == 0 || (largest >= low && largest <= high)) return 1;
  return std::ldexp(R(1), -std::ilogb(largest));
}
template <class T>
void Scale(const Matrix<T>& a, RealOf<T> by) {
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) a(i, j) *= by;
  }
}
template <class T>
void Multiply(const Matrix<T>& a, T by) {
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) a(i, j) = Times(a(i, j), by);
  }
}

}  // namespace sinter::linear_algebra
