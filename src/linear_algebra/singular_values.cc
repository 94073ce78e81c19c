#include "linear_algebra/singular_values.h"

#include <utility>

#include "linear_algebra/inner_loops.h"
#include "linear_algebra/reflections.h"
#include "linear_algebra/rotation.h"

namespace sinter::linear_algebra {
namespace {

// Q^H a P = the real upper bidiagonal matrix of `diagonal` and `beside`, of a with at least as many
// rows as columns. Q's reflections stand below the diagonal, P's, conjugated, right of `beside`.
template <class T>
void Bidiagonalise(const Matrix<T>& a, RealOf<T>* diagonal, RealOf<T>* beside, T* left_taus,
                   T* right_taus, const Threads& threads) {
  const int64_t m = a.rows, n = a.columns;
  std::vector<T> vector(static_cast<size_t>(std::max(m, n))), scratch(static_cast<size_t>(m));
  for (int64_t k = 0; k < n; ++k) {
    left_taus[k] = MakeReflection(&a(k, k), m - k);
    diagonal[k] = std::real(a(k, k));
    const int64_t rest = n - k - 1;
    if (rest == 0) return;
    std::copy_n(&a(k, k), m - k, vector.begin());
    vector[0] = T(1);
    ReflectRows(vector.data(), Conj(left_taus[k]), a.Block(k, k + 1, m - k, rest), threads);
    for (int64_t j = 0; j < rest; ++j) vector[static_cast<size_t>(j)] = Conj(a(k, k + 1 + j));
    right_taus[k] = MakeReflection(vector.data(), rest);
    beside[k] = std::real(vector[0]);
    for (int64_t j = 0; j < rest; ++j) a(k, k + 1 + j) = Conj(vector[static_cast<size_t>(j)]);
    vector[0] = T(1);
    ReflectColumns(vector.data(), right_taus[k], a.Block(k + 1, k + 1, m - k - 1, rest),
                   scratch.data());
  }
}

// The smaller singular value of the triangle (f, g; 0, h). (J. Demmel and W. Kahan, Accurate
// singular values of bidiagonal matrices, LAPACK Working Note 3, 1990.)
template <class R>
R SmallerOfTriangle(R f, R g, R h) {
  f = std::abs(f);
  g = std::abs(g);
  h = std::abs(h);
  const R least = std::min(f, h), most = std::max(f, h);
  if (least == 0) return 0;
  const R sum = 1 + least / most, difference = (most - least) / most;
  if (g < most) {
    const R ratio = g / most, square = ratio * ratio;
    return least * 2 /
           (std::sqrt(sum * sum + square) + std::sqrt(difference * difference + square));
  }
  const R ratio = most / g;
  if (ratio == 0) return least * most / g;
  const R a = sum * ratio, b = difference * ratio;
  return 2 * least * ratio / (std::sqrt(1 + a * a) + std::sqrt(1 + b * b));
}

// A bidiagonal matrix while it becomes diagonal: the implicit QR method of Golub and Kahan, without
// a shift where one would cost the small values their accuracy (Demmel and Kahan).
template <class R>
class Bidiagonal {
 public:
  Bidiagonal(R* diagonal, R* beside, int64_t n) : diagonal_(diagonal), beside_(beside), n_(n) {
    const R eighth = std::pow(kRounding<R>, R(-0.125));
    tolerance_ = std::clamp(eighth, R(10), R(100)) * kRounding<R>;
    // A lower bound of the smallest value, up to the square root of n.
    R mu = std::abs(diagonal[0]), least = mu;
    for (int64_t i = 1; i < n && least != 0; ++i) {
      mu = std::abs(diagonal[i]) * (mu / (mu + std::abs(beside[i - 1])));
      least = std::min(least, mu);
    }
    const R size = static_cast<R>(n);
    threshold_ = std::max(tolerance_ * least / std::sqrt(size), 6 * size * size * kSafeMinimum<R>);
  }

  // False when all is done or too many steps were made. The rotations of the left and right vectors
  // are added to the sweeps, if there are any.
  bool Step(Sweeps<R>* left, Sweeps<R>* right) {
    while (last_ > 0 && std::abs(beside_[last_ - 1]) <= threshold_) beside_[--last_] = 0;
    if (last_ == 0) return false;
    int64_t first = last_ - 1;
    while (first > 0 && std::abs(beside_[first - 1]) > threshold_) --first;
    if (first > 0) beside_[first - 1] = 0;
    if (first >= old_last_ || last_ <= old_first_ || old_last_ < 0)
      turned_ = std::abs(diagonal_[first]) < std::abs(diagonal_[last_]);
    old_first_ = first_ = first;
    old_last_ = last_;
    const int64_t size = last_ - first;
    R least = 0;
    if (Separates(size, &least)) return true;
    if (rotations_ >= 6 * n_ * n_) return false;
    rotations_ += size;
    R largest = 0;
    for (int64_t i = 0; i <= size; ++i) largest = std::max(largest, std::abs(Diagonal(i)));
    for (int64_t i = 0; i < size; ++i) largest = std::max(largest, std::abs(Beside(i)));
    R shift = 0;
    if (static_cast<R>(n_) * tolerance_ * (least / largest) >
        std::max(kRounding<R>, R(0.01) * tolerance_)) {
      shift = SmallerOfTriangle(Diagonal(size - 1), Beside(size - 1), Diagonal(size));
      const R ratio = shift / std::abs(Diagonal(0));
      if (ratio * ratio < kRounding<R>) shift = 0;
    }
    R *l = nullptr, *r = nullptr;
    if (left != nullptr) l = left->Add(turned_ ? last_ - 1 : first, size, turned_);
    if (right != nullptr) r = right->Add(turned_ ? last_ - 1 : first, size, turned_);
    if (turned_) std::swap(l, r);
    if (shift == 0) {
      ChaseWithoutShift(size, l, r);
    } else {
      Chase(size, shift, l, r);
    }
    if (std::abs(Beside(size - 1)) <= threshold_) Beside(size - 1) = 0;
    return true;
  }

  int32_t NotConverged() const {
    return static_cast<int32_t>(
        std::count_if(beside_, beside_ + n_ - 1, [](R e) { return e != 0; }));
  }

 private:
  // Of the block from first_ to last_, transposed and turned where its larger elements are below:
  // it is an upper bidiagonal matrix again.
  R& Diagonal(int64_t i) { return diagonal_[turned_ ? last_ - i : first_ + i]; }
  R& Beside(int64_t i) { return beside_[turned_ ? last_ - 1 - i : first_ + i]; }

  // Whether an element beside the diagonal is found to be negligible. Else `least` is a lower bound
  // of the block's values.
  bool Separates(int64_t size, R* least) {
    if (std::abs(Beside(size - 1)) <= tolerance_ * std::abs(Diagonal(size))) {
      Beside(size - 1) = 0;
      return true;
    }
    R mu = std::abs(Diagonal(0));
    *least = mu;
    for (int64_t i = 0; i < size; ++i) {
      if (std::abs(Beside(i)) <= tolerance_ * mu) {
        Beside(i) = 0;
        return true;
      }
      mu = std::abs(Diagonal(i + 1)) * (mu / (mu + std::abs(Beside(i))));
      *least = std::min(*least, mu);
    }
    return false;
  }

  void Save(R*& at, R cosine, R sine) const {
    if (at == nullptr) return;
    *at++ = cosine;
    *at++ = turned_ ? -sine : sine;
  }

  void Chase(int64_t size, R shift, R* left, R* right) {
    const R top = Diagonal(0);
    R f = (std::abs(top) - shift) * (std::copysign(R(1), top) + shift / top), g = Beside(0);
    for (int64_t i = 0; i < size; ++i) {
      auto r = Rotation<R>::Of(f, g);
      if (i > 0) Beside(i - 1) = r.length;
      f = r.cosine * Diagonal(i) + r.sine * Beside(i);
      Beside(i) = r.cosine * Beside(i) - r.sine * Diagonal(i);
      g = r.sine * Diagonal(i + 1);
      Diagonal(i + 1) *= r.cosine;
      Save(right, r.cosine, r.sine);
      r = Rotation<R>::Of(f, g);
      Diagonal(i) = r.length;
      f = r.cosine * Beside(i) + r.sine * Diagonal(i + 1);
      Diagonal(i + 1) = r.cosine * Diagonal(i + 1) - r.sine * Beside(i);
      if (i + 1 < size) {
        g = r.sine * Beside(i + 1);
        Beside(i + 1) *= r.cosine;
      }
      Save(left, r.cosine, r.sine);
    }
    Beside(size - 1) = f;
  }

  void ChaseWithoutShift(int64_t size, R* left, R* right) {
    R cosine = 1, old_cosine = 1, old_sine = 0;
    for (int64_t i = 0; i < size; ++i) {
      const auto r = Rotation<R>::Of(Diagonal(i) * cosine, Beside(i));
      if (i > 0) Beside(i - 1) = old_sine * r.length;
      const auto l = Rotation<R>::Of(old_cosine * r.length, Diagonal(i + 1) * r.sine);
      Diagonal(i) = l.length;
      cosine = r.cosine;
      old_cosine = l.cosine;
      old_sine = l.sine;
      Save(right, r.cosine, r.sine);
      Save(left, l.cosine, l.sine);
    }
    const R h = Diagonal(size) * cosine;
    Diagonal(size) = h * old_cosine;
    Beside(size - 1) = h * old_sine;
  }

  R *const diagonal_, *const beside_;
  const int64_t n_;
  R tolerance_, threshold_;
  int64_t first_ = 0, last_ = n_ - 1, old_first_ = -1, old_last_ = -1, rotations_ = 0;
  bool turned_ = false;
};

// Of a with at least as many rows as columns; `u` and `v` are null or have at least a.columns and
// exactly a.columns columns.
template <class T>
class TallSingularValues {
 public:
  using R = RealOf<T>;

  TallSingularValues(const Matrix<T>& a, const Matrix<T>* u, const Matrix<T>* v,
                     const Threads& threads)
      : a_(a), u_(u), v_(v), threads_(threads) {}

  int32_t Run(R* values) {
    const int64_t n = a_.columns;
    const auto size = static_cast<size_t>(n);
    std::vector<R> beside(size);
    std::vector<T> taus(size), right_taus(size), qr_taus;
    Matrix<T> square = a_;
    OwnMatrix<T> triangle(0, 0);
    // (T. Chan, An improved algorithm for computing the singular value decomposition, 1982.)
    const bool through_qr = 2 * a_.rows > 3 * n;
    if (through_qr) {
      qr_taus.resize(size);
      FactorQr(a_, qr_taus.data(), threads_);
      triangle = OwnMatrix<T>(n, n);
      square = triangle.view();
      for (int64_t j = 0; j < n; ++j) std::copy_n(a_.Column(j), j + 1, square.Column(j));
    }
    Bidiagonalise(square, values, beside.data(), taus.data(), right_taus.data(), threads_);
    if (v_ != nullptr) MakeRight(square, right_taus.data());
    if (u_ != nullptr) {
      SetIdentity(*u_);
      Matrix<T> u = u_->Block(0, 0, square.rows, through_qr ? n : u_->columns);
      for (int64_t j = 0; j < n; ++j) std::copy_n(&square(j, j), square.rows - j, &u(j, j));
      MakeUnitary(u, taus.data(), n, threads_);
    }
    const int32_t info = Diagonalise(values, beside.data(), square.rows);
    if (u_ != nullptr && through_qr)
      ApplyReflections(a_, qr_taus.data(), n, /*left=*/true, /*adjoint=*/false, *u_, threads_);
    Order(values);
    return info;
  }

 private:
  void MakeRight(const Matrix<T>& a, const T* taus) {
    const int64_t n = a.columns;
    SetIdentity(*v_);
    for (int64_t k = 0; k + 1 < n; ++k) {
      for (int64_t j = k + 1; j < n; ++j) (*v_)(j, k + 1) = Conj(a(k, j));
    }
    if (n > 1) MakeUnitary(v_->Block(1, 1, n - 1, n - 1), taus, n - 1, threads_);
  }

  // Of u the first `rows` rows are not those of the identity.
  int32_t Diagonalise(R* values, R* beside, int64_t rows) {
    const int64_t n = a_.columns;
    Bidiagonal<R> bidiagonal(values, beside, n);
    Sweeps<R> left, right;
    auto apply = [&] {
      if (u_ != nullptr) left.Apply(u_->Block(0, 0, rows, n), threads_);
      if (v_ != nullptr) right.Apply(*v_, threads_);
      left.Clear();
      right.Clear();
    };
    while (bidiagonal.Step(u_ != nullptr ? &left : nullptr, v_ != nullptr ? &right : nullptr)) {
      if (left.is_full() || right.is_full()) apply();
    }
    apply();
    return bidiagonal.NotConverged();
  }

  void Order(R* values) {
    const int64_t n = a_.columns;
    auto swap = [](const Matrix<T>* x, int64_t i, int64_t j) {
      if (x != nullptr) std::swap_ranges(x->Column(i), x->Column(i) + x->rows, x->Column(j));
    };
    for (int64_t i = 0; i < n; ++i) {
      if (!std::signbit(values[i])) continue;
      values[i] = -values[i];
      if (v_ == nullptr) continue;
      for (int64_t r = 0; r < n; ++r) (*v_)(r, i) = -(*v_)(r, i);
    }
    for (int64_t i = 0; i + 1 < n; ++i) {
      const int64_t largest = std::max_element(values + i, values + n) - values;
      if (largest == i) continue;
      std::swap(values[i], values[largest]);
      swap(u_, i, largest);
      swap(v_, i, largest);
    }
  }

  const Matrix<T> a_;
  const Matrix<T>*const u_, *const v_;
  const Threads& threads_;
};

}  // namespace

template <class T>
int32_t SingularValues(const Matrix<T>& a, RealOf<T>* values, const Matrix<T>* u,
                       const Matrix<T>* adjoint_v, const Threads& threads) {
  using R = RealOf<T>;
  const int64_t k = std::min(a.rows, a.columns);
  if (k == 0) {
    if (u != nullptr) SetIdentity(*u);
    if (adjoint_v != nullptr) SetIdentity(*adjoint_v);
    return 0;
  }
  const R largest = LargestPart(a);
  if (!std::isfinite(largest)) {
    std::fill_n(values, k, NaN<R>());
    if (u != nullptr) Fill(*u, NaN<T>());
    if (adjoint_v != nullptr) Fill(*adjoint_v, NaN<T>());
    return -4;
  }
  const R scale = SafeScale(largest);
  if (scale != 1) Scale(a, scale);
  int32_t info = 0;
  if (a.rows >= a.columns) {
    OwnMatrix<T> v(adjoint_v != nullptr ? k : 0, k);
    const Matrix<T> right = v.view();
    info =
        TallSingularValues<T>(a, u, adjoint_v != nullptr ? &right : nullptr, threads).Run(values);
    // All of its rows, as v is square.
    if (adjoint_v != nullptr) CopyAdjoint(right, *adjoint_v);
  } else {
    OwnMatrix<T> turned(a.columns, a.rows),
        left(a.columns, adjoint_v != nullptr ? adjoint_v->rows : 0);
    const Matrix<T> tall = turned.view(), tall_u = left.view();
    CopyAdjoint(a, tall);
    info = TallSingularValues<T>(tall, adjoint_v != nullptr ? &tall_u : nullptr, u, threads)
               .Run(values);
    if (adjoint_v != nullptr) CopyAdjoint(tall_u, *adjoint_v);
  }
  for (int64_t i = 0; i < k; ++i) values[i] /= scale;
  return info;
}

#define SINTER_INSTANTIATE(T)                                                        \
  template int32_t SingularValues<T>(const Matrix<T>&, RealOf<T>*, const Matrix<T>*, \
                                     const Matrix<T>*, const Threads&);
SINTER_FOR_MATRIX_ELEMENTS(SINTER_INSTANTIATE)
#undef SINTER_INSTANTIATE

}  // namespace sinter::linear_algebra
