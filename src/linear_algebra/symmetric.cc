#include "linear_algebra/symmetric.h"

#include <array>
#include <utility>

#include "linear_algebra/inner_loops.h"
#include "linear_algebra/reflections.h"
#include "linear_algebra/rotation.h"

namespace sinter::linear_algebra {
namespace {

// The lower triangle while it becomes tridiagonal. The update of a column by the last reflection
// waits until the product with the next one reads it.
template <class T>
class LowerTriangle {
 public:
  using R = RealOf<T>;

  explicit LowerTriangle(const Matrix<T>& a)
      : a_(a), v_(Size()), w_(Size()), old_v_(Size()), old_w_(Size()) {}

  void Tridiagonalise(R* diagonal, R* beside, T* taus) {
    const int64_t n = a_.rows;
    for (int64_t k = 0; k < n; ++k) {
      // The old vectors begin in row k.
      Add(-Conj(old_w_[0]), old_v_.data(), &a_(k, k), n - k);
      Add(-Conj(old_v_[0]), old_w_.data(), &a_(k, k), n - k);
      diagonal[k] = std::real(a_(k, k));
      a_(k, k) = diagonal[k];
      if (k + 1 == n) return;
      const int64_t m = n - k - 1;
      T* const x = &a_(k + 1, k);
      const T tau = MakeReflection(x, m);
      taus[k] = tau;
      beside[k] = std::real(x[0]);
      v_[0] = T(1);
      std::copy_n(x + 1, m - 1, v_.begin() + 1);
      std::fill_n(w_.begin(), m, T(0));
      int64_t j = 0;
      for (; j + kSymmetricColumns <= m; j += kSymmetricColumns)
        Step(k + 1, j, m, kSymmetricColumns);
      for (; j < m; ++j) Step(k + 1, j, m, 1);
      // Without a reflection tau is 0, and so is w.
      for (int64_t i = 0; i < m; ++i) w_[At(i)] = Times(tau, w_[At(i)]);
      Add(Times(Times(T(R(-0.5)), tau), Dot(w_.data(), v_.data(), m)), v_.data(), w_.data(), m);
      std::swap(v_, old_v_);
      std::swap(w_, old_w_);
    }
  }

 private:
  static size_t At(int64_t i) { return static_cast<size_t>(i); }
  size_t Size() const { return At(a_.rows + 1); }

  // Columns j to j + count of the m from `corner` on: the old update, then w += column times v.
  void Step(int64_t corner, int64_t j, int64_t m, int64_t count) {
    std::array<T, kSymmetricColumns> first, second, sums;
    for (int64_t k = 0; k < count; ++k) {
      first[At(k)] = -Conj(old_w_[At(j + k + 1)]);
      second[At(k)] = -Conj(old_v_[At(j + k + 1)]);
    }
    for (int64_t k = 0; k < count; ++k) {
      const int64_t column = j + k;
      for (int64_t row = column; row < j + count; ++row) {
        T& x = a_(corner + row, corner + column);
        x += Times(first[At(k)], old_v_[At(row + 1)]) + Times(second[At(k)], old_w_[At(row + 1)]);
        if (row == column) {
          x = std::real(x);
          w_[At(row)] += x * v_[At(row)];
        } else {
          w_[At(column)] += Times(Conj(x), v_[At(row)]);
          w_[At(row)] += Times(x, v_[At(column)]);
        }
      }
    }
    const int64_t below = j + count, rows = m - below;
    if (rows == 0) return;
    auto parts = [](const T* x) { return reinterpret_cast<const R*>(x); };
    const SymmetricColumns<R> columns{parts(first.data()),
                                      parts(old_v_.data() + below + 1),
                                      parts(second.data()),
                                      parts(old_w_.data() + below + 1),
                                      parts(v_.data() + j),
                                      parts(v_.data() + below),
                                      reinterpret_cast<R*>(w_.data() + below)};
    StepBelow(columns, &a_(corner + below, corner + j), a_.stride, rows, count, sums.data());
    for (int64_t k = 0; k < count; ++k) w_[At(j + k)] += sums[At(k)];
  }

  const Matrix<T> a_;
  // The present reflection's vector and product, and the last one's.
  std::vector<T> v_, w_, old_v_, old_w_;
};
template <class T>
void TridiagonaliseLower(const Matrix<T>& a, RealOf<T>* diagonal, RealOf<T>* beside, T* taus) {
  LowerTriangle<T>(a).Tridiagonalise(diagonal, beside, taus);
}

// Both dimensions backwards: the upper triangle becomes the lower one.
template <class T>
void Turn(const Matrix<T>& a) {
  for (int64_t j = 0; j < a.columns; ++j) std::reverse(a.Column(j), a.Column(j) + a.rows);
  for (int64_t j = 0; j < a.columns / 2; ++j)
    std::swap_ranges(a.Column(j), a.Column(j) + a.rows, a.Column(a.columns - 1 - j));
}

// Q of the reflections that TridiagonaliseLower has left in a, in its place.
template <class T>
void MakeTridiagonalUnitary(const Matrix<T>& a, const T* taus, const Threads& threads) {
  const int64_t n = a.rows;
  for (int64_t j = n - 1; j > 0; --j) {
    std::copy_n(&a(j, j - 1), n - j, &a(j, j));
    a(0, j) = T(0);
  }
  std::fill_n(a.Column(0), n, T(0));
  a(0, 0) = T(1);
  if (n > 1) MakeUnitary(a.Block(1, 1, n - 1, n - 1), taus, n - 1, threads);
}

// A block of a tridiagonal matrix whose elements beside the diagonal are not negligible, seen from
// the end at which the first eigenvalues separate.
template <class R>
class Block {
 public:
  Block(R* diagonal, R* beside, int64_t first, int64_t last)
      : diagonal_(diagonal),
        beside_(beside),
        first_(first),
        last_(last),
        turned_(std::abs(diagonal[last]) < std::abs(diagonal[first])) {}

  int64_t size() const { return last_ - first_ + 1; }
  R& Diagonal(int64_t i) const { return diagonal_[turned_ ? last_ - i : first_ + i]; }
  R& Beside(int64_t i) const { return beside_[turned_ ? last_ - 1 - i : first_ + i]; }
  bool IsNegligible(int64_t i) const {
    const R e = std::abs(Beside(i));
    if (e <= std::sqrt(kSafeMinimum<R>)) return true;
    return e <=
           kRounding<R> * std::sqrt(std::abs(Diagonal(i))) * std::sqrt(std::abs(Diagonal(i + 1)));
  }

  // One step of the QL method with Wilkinson's shift on elements `low` to `high`. (H. Bowdler et
  // al., The QR and QL algorithms for symmetric matrices, Numer. Math. 11, 1968.)
  void Step(int64_t low, int64_t high, Sweeps<R>* sweeps) const {
    R* rotations = nullptr;
    if (sweeps != nullptr) {
      rotations = sweeps->Add(turned_ ? last_ - high : first_ + high - 1, high - low, !turned_);
    }
    const R beside = Beside(low);
    const R half = (Diagonal(low + 1) - Diagonal(low)) / (2 * beside);
    R g = Diagonal(high) - Diagonal(low) +
          beside / (half + std::copysign(Hypotenuse(half, R(1)), half));
    R cosine = 1, sine = 1, moved = 0;
    for (int64_t i = high - 1; i >= low; --i) {
      const R f = sine * Beside(i), b = cosine * Beside(i);
      const auto rotation = Rotation<R>::Of(g, f);
      cosine = rotation.cosine;
      sine = rotation.sine;
      if (i != high - 1) Beside(i + 1) = rotation.length;
      g = Diagonal(i + 1) - moved;
      const R r = (Diagonal(i) - g) * sine + 2 * cosine * b;
      moved = sine * r;
      Diagonal(i + 1) = g + moved;
      g = cosine * r - b;
      if (rotations != nullptr) {
        *rotations++ = cosine;
        *rotations++ = turned_ ? sine : -sine;
      }
    }
    Diagonal(low) -= moved;
    Beside(low) = g;
  }

 private:
  R *const diagonal_, *const beside_;
  const int64_t first_, last_;
  const bool turned_;
};

// The diagonal becomes the eigenvalues, in any order; `vectors` is multiplied by what does it. The
// number of elements that have not become negligible.
template <class T>
int32_t Diagonalise(RealOf<T>* diagonal, RealOf<T>* beside, int64_t n, const Matrix<T>* vectors,
                    const Threads& threads) {
  using R = RealOf<T>;
  constexpr int64_t kStepsOfAnEigenvalue = 30;
  int64_t steps = kStepsOfAnEigenvalue * n;
  Sweeps<R> sweeps;
  int64_t first = 0;
  while (first < n && steps > 0) {
    int64_t last = first;
    while (last + 1 < n && !Block<R>(diagonal, beside, last, last + 1).IsNegligible(0)) ++last;
    if (last + 1 < n) beside[last] = 0;
    const Block<R> block(diagonal, beside, first, last);
    for (int64_t low = 0; low + 1 < block.size() && steps > 0;) {
      int64_t high = low;
      while (high + 1 < block.size() && !block.IsNegligible(high)) ++high;
      if (high + 1 < block.size()) block.Beside(high) = 0;
      if (high == low) {
        ++low;
        continue;
      }
      --steps;
      block.Step(low, high, vectors != nullptr ? &sweeps : nullptr);
      if (vectors == nullptr || !sweeps.is_full()) continue;
      sweeps.Apply(*vectors, threads);
      sweeps.Clear();
    }
    first = last + 1;
  }
  if (vectors != nullptr) sweeps.Apply(*vectors, threads);
  if (steps > 0) return 0;
  return static_cast<int32_t>(std::count_if(beside, beside + n - 1, [](R e) { return e != 0; }));
}

template <class T>
void SortAscending(RealOf<T>* values, int64_t n, const Matrix<T>* vectors) {
  if (vectors == nullptr) return std::sort(values, values + n);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t least = std::min_element(values + i, values + n) - values;
    if (least == i) continue;
    std::swap(values[i], values[least]);
    std::swap_ranges(vectors->Column(i), vectors->Column(i) + vectors->rows,
                     vectors->Column(least));
  }
}

}  // namespace

template <class T>
void Tridiagonalise(const Matrix<T>& a, bool upper, RealOf<T>* diagonal, RealOf<T>* beside,
                    T* taus) {
  if (!upper) return TridiagonaliseLower(a, diagonal, beside, taus);
  const int64_t n = a.rows;
  if (n == 0) return;
  Turn(a);
  TridiagonaliseLower(a, diagonal, beside, taus);
  // The element below the diagonal stands beside it in both triangles.
  Turn(a);
  std::reverse(diagonal, diagonal + n);
  std::reverse(beside, beside + n - 1);
  std::reverse(taus, taus + n - 1);
}

template <class T>
int32_t SymmetricEigenvalues(const Matrix<T>& a, bool upper, bool vectors, RealOf<T>* values,
                             const Threads& threads) {
  using R = RealOf<T>;
  const int64_t n = a.rows;
  if (n == 0) return 0;
  for (int64_t j = 0; j < n; ++j) {
    a(j, j) = std::real(a(j, j));
    for (int64_t i = j + 1; i < n; ++i) {
      if (upper) {
        a(i, j) = Conj(a(j, i));
      } else {
        a(j, i) = Conj(a(i, j));
      }
    }
  }
  const R largest = LargestPart(a);
  if (!std::isfinite(largest)) {
    std::fill_n(values, n, NaN<R>());
    Fill(a, NaN<T>());
    return static_cast<int32_t>(n - 1);
  }
  const R scale = SafeScale(largest);
  if (scale != 1) Scale(a, scale);
  const auto size = static_cast<size_t>(n);
  std::vector<R> beside(size);
  std::vector<T> taus(size);
  TridiagonaliseLower(a, values, beside.data(), taus.data());
  if (vectors) MakeTridiagonalUnitary(a, taus.data(), threads);
  const Matrix<T>* rotated = vectors ? &a : nullptr;
  const int32_t info = Diagonalise(values, beside.data(), n, rotated, threads);
  SortAscending(values, n, rotated);
  for (int64_t i = 0; i < n; ++i) values[i] /= scale;
  return info;
}

#define SINTER_INSTANTIATE(T)                                                          \
  template void Tridiagonalise<T>(const Matrix<T>&, bool, RealOf<T>*, RealOf<T>*, T*); \
  template int32_t SymmetricEigenvalues<T>(const Matrix<T>&, bool, bool, RealOf<T>*,   \
                                           const Threads&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
