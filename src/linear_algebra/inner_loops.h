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
  const R squares = std::real(Dot(x, x, n));
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
