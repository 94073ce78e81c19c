// The loops along columns that everything in this room is made of, compiled for each instruction
// set.
#pragma once

#include <complex>
#include <cstdint>

#include "linear_algebra/matrix.h"
#include "linear_algebra/threads.h"

namespace sinter::linear_algebra {

// The sum of conj(x) y.
template <class T>
T Dot(const T* x, const T* y, int64_t n);
// The sum of x y.
template <class T>
T Product(const T* x, const T* y, int64_t n);
// y += a x.
template <class T>
void Add(T a, const T* x, T* y, int64_t n);

// Columns of a become a - tau v (v^H a).
template <class T>
void ReflectColumnsBy(const T* v, T tau, T* a, int64_t stride, int64_t rows, int64_t columns);
// a += x factors, an outer product.
template <class T>
void AddOuterProduct(const T* factors, const T* x, const Matrix<T>& a);
// sum += a factors.
template <class T>
void AddProduct(const Matrix<T>& a, const T* factors, T* sum);

// One pass over columns of a symmetric matrix, below the diagonal: to column k first[k] x +
// second[k] z are added, then w += here[k] column, and the sums of conj(column) v are given.
// Numbers may be complex; `count` is 1 or kSymmetricColumns.
inline constexpr int64_t kSymmetricColumns = 4;
template <class R>
struct SymmetricColumns {
  const R *first, *x, *second, *z, *here, *v;
  R* w;
};
template <class T>
void StepBelow(const SymmetricColumns<RealOf<T>>& columns, T* a, int64_t stride, int64_t rows,
               int64_t count, T* sums);

// The reflection I - tau v v^T of three neighbours, v = (1, second, third).
template <class R>
struct Three {
  R second, third, tau;
};
// Reflection k changes columns k, k + 1 and k + 2 of a, or of the last two, if there are no more.
template <class R>
void ReflectThrees(const Three<R>* by, int64_t count, const Matrix<R>& a);

// Rotations of neighbouring columns, one after another: columns k and k + 1, x and y, become
// cosine x + sine y and cosine y - sine x, for k = first, first + 1, ... or, backwards, for
// k = first, first - 1, ...
template <class R>
struct Sweep {
  int64_t first, count;
  bool backwards;
  const R* rotations;  // cosine and sine, in the order in which they are made
};
// All sweeps, in order, on columns of a.
template <class T>
void Rotate(const Matrix<T>& a, const Sweep<RealOf<T>>* sweeps, int64_t count,
            const Threads& threads);

// The sweeps of an iteration, kept until there are enough of them to pass over the columns once.
template <class R>
class Sweeps {
 public:
  // Adds one and gives the place of its rotations, 2 a rotation.
  R* Add(int64_t first, int64_t count, bool backwards) {
    at_.push_back({first, count, backwards, nullptr});
    rotations_.resize(rotations_.size() + static_cast<size_t>(2 * count));
    return rotations_.data() + rotations_.size() - static_cast<size_t>(2 * count);
  }
  bool is_full() const { return at_.size() >= 64; }
  template <class T>
  void Apply(const Matrix<T>& a, const Threads& threads) {
    const R* next = rotations_.data();
    for (Sweep<R>& s : at_) {
      s.rotations = next;
      next += 2 * s.count;
    }
    if (!at_.empty() && a.rows > 0)
      Rotate<T>(a, at_.data(), static_cast<int64_t>(at_.size()), threads);
  }
  void Clear() {
    at_.clear();
    rotations_.clear();
  }

 private:
  std::vector<Sweep<R>> at_;
  std::vector<R> rotations_;
};

// The length of x; neither overflow nor underflow on the way.
template <class T>
RealOf<T> Length(const T* x, int64_t n) {
  using R = RealOf<T>;
  R squares = 0;
  if (n <= 4) {
    for (int64_t i = 0; i < n; ++i) squares += std::norm(x[i]);
  } else {
    squares = std::real(Dot(x, x, n));
  }
  if (squares > kSafeMinimum<R> / kRounding<R> && squares < std::numeric_limits<R>::max())
    return std::sqrt(squares);
  R largest = 0, sum = 0;
  for (int64_t i = 0; i < n; ++i)
    largest = std::max({largest, std::abs(std::real(x[i])), std::abs(std::imag(x[i]))});
  if (largest == 0 || !(largest <= std::numeric_limits<R>::max()))
    return squares != squares ? squares : largest;
  for (int64_t i = 0; i < n; ++i) {
    const R re = std::real(x[i]) / largest, im = std::imag(x[i]) / largest;
    sum += re * re + im * im;
  }
  return largest * std::sqrt(sum);
}

}  // namespace sinter::linear_algebra
