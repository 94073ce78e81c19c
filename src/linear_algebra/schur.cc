#include <array>
#include <utility>

#include "absl/types/span.h"

#include "linear_algebra/hessenberg.h"
#include "linear_algebra/inner_loops.h"
#include "linear_algebra/reflections.h"
#include "linear_algebra/rotation.h"

namespace sinter::linear_algebra {
namespace {

constexpr int64_t kStepsOfAnEigenvalue = 30;

// The first row of the block of h that ends with row `last`, above which nothing is negligible;
// what is becomes 0. (M. Ahues and F. Tisseur, A new deflation criterion for the QR algorithm,
// LAPACK Working Note 122, 1997.)
template <class T>
int64_t FirstOfBlock(const Matrix<T>& h, Active active, int64_t last) {
  using R = RealOf<T>;
  const R ulp = 2 * kRounding<R>;
  const R least = kSafeMinimum<R> * (static_cast<R>(active.high - active.low) / ulp);
  for (int64_t k = last; k > active.low; --k) {
    const R below = Size(h(k, k - 1));
    bool is_negligible = below <= least;
    if (!is_negligible) {
      R around = Size(h(k - 1, k - 1)) + Size(h(k, k));
      if (around == 0) {
        if (k - 2 >= active.low) around += Size(h(k - 1, k - 2));
        if (k + 1 < active.high) around += Size(h(k + 1, k));
      }
      if (below <= ulp * around) {
        const R above = Size(h(k - 1, k)), here = Size(h(k, k)),
                apart = Size(h(k - 1, k - 1) - h(k, k));
        const R ab = std::max(below, above), ba = std::min(below, above);
        const R aa = std::max(here, apart), bb = std::min(here, apart), s = aa + ab;
        is_negligible = ba * (ab / s) <= std::max(least, ulp * (bb * (aa / s)));
      }
    }
    if (!is_negligible) continue;
    h(k, k - 1) = T(0);
    return k;
  }
  return active.low;
}

// --- real matrices: two shifts at a time (J. Francis, The QR transformation, 1961)

// Two rows of a matrix that are similar to an upper triangle or, with complex eigenvalues, to a
// matrix with equal elements on the diagonal: (a, b; c, d) becomes the similar one by a rotation.
// (Z. Bai and J. Demmel, On swapping diagonal blocks in real Schur form, Lin. Alg. Appl. 186,
// 1993.)
template <class R>
struct TwoRows {
  R a, b, c, d;
  R cosine = 1, sine = 0;

  void Standardise() {
    if (c == 0) return;
    if (b == 0) {
      cosine = 0;
      sine = 1;
      std::swap(a, d);
      b = -std::exchange(c, R(0));
      return;
    }
    if (a == d && std::signbit(b) != std::signbit(c)) return;
    const R half = (a - d) / 2;
    const R larger = std::max(std::abs(b), std::abs(c));
    const R smaller =
        std::min(std::abs(b), std::abs(c)) * std::copysign(R(1), b) * std::copysign(R(1), c);
    const R scale = std::max(std::abs(half), larger);
    R z = half / scale * half + larger / scale * smaller;
    if (z >= 4 * 2 * kRounding<R>) {  // two real eigenvalues
      z = half + std::copysign(std::sqrt(scale) * std::sqrt(z), half);
      a = d + z;
      d -= larger / z * smaller;
      const R length = Hypotenuse(c, z);
      cosine = z / length;
      sine = c / length;
      b -= c;
      c = 0;
      return;
    }
    MakeDiagonalEqual(half);
    if (c == 0) return;
    if (b == 0) {
      b = -std::exchange(c, R(0));
      std::swap(cosine, sine);
      cosine = -cosine;
      return;
    }
    if (std::signbit(b) == std::signbit(c)) MakeTriangular();
  }

 private:
  void MakeDiagonalEqual(R half) {
    const R sum = b + c, length = Hypotenuse(sum, 2 * half);
    cosine = std::sqrt((1 + std::abs(sum) / length) / 2);
    sine = -(half / (length * cosine)) * std::copysign(R(1), sum);
    const R aa = a * cosine + b * sine, bb = b * cosine - a * sine, cc = c * cosine + d * sine,
            dd = d * cosine - c * sine;
    a = aa * cosine + cc * sine;
    b = bb * cosine + dd * sine;
    c = cc * cosine - aa * sine;
    d = dd * cosine - bb * sine;
    a = d = (a + d) / 2;
  }
  // Of equal elements on the diagonal and others of the same sign.
  void MakeTriangular() {
    const R of_b = std::sqrt(std::abs(b)), of_c = std::sqrt(std::abs(c));
    const R p = std::copysign(of_b * of_c, c), factor = 1 / std::sqrt(std::abs(b + c));
    const R middle = a;
    a = middle + p;
    d = middle - p;
    b -= c;
    c = 0;
    const R cosine1 = of_b * factor, sine1 = of_c * factor, before = cosine;
    cosine = before * cosine1 - sine * sine1;
    sine = before * sine1 + sine * cosine1;
  }
};

template <class R>
class RealSchur {
 public:
  RealSchur(const Matrix<R>& h, Active active, const Matrix<R>* z, const Threads& threads)
      : h_(h), active_(active), z_(z), threads_(threads) {}

  int32_t Run(std::complex<R>* values) {
    int64_t steps = kStepsOfAnEigenvalue * std::max<int64_t>(10, h_.rows);
    for (int64_t last = active_.high - 1, since = 0; last >= active_.low;) {
      const int64_t first = FirstOfBlock(h_, active_, last);
      if (first == last) {
        values[last] = h_(last, last);
        --last;
        since = 0;
        continue;
      }
      if (first + 1 == last) {
        Separate(last, values);
        last -= 2;
        since = 0;
        continue;
      }
      if (steps-- == 0) return static_cast<int32_t>(last - active_.low + 1);
      Shifts(first, last, ++since);
      // Without Schur form only the block itself matters.
      top_ = z_ != nullptr ? 0 : first;
      end_ = z_ != nullptr ? h_.columns : last + 1;
      Chase(first, last);
    }
    return 0;
  }

 private:
  // The block of rows last - 1 and last.
  void Separate(int64_t last, std::complex<R>* values) {
    const int64_t k = last - 1;
    TwoRows<R> t{h_(k, k), h_(k, last), h_(last, k), h_(last, last)};
    t.Standardise();
    h_(k, k) = t.a;
    h_(k, last) = t.b;
    h_(last, k) = t.c;
    h_(last, last) = t.d;
    const R imaginary = t.c == 0 ? R(0) : std::sqrt(std::abs(t.b)) * std::sqrt(std::abs(t.c));
    values[k] = {t.a, imaginary};
    values[last] = {t.d, -imaginary};
    if (z_ == nullptr) return;
    auto turn = [&](R& x, R& y) {
      const R before = x;
      x = t.cosine * before + t.sine * y;
      y = t.cosine * y - t.sine * before;
    };
    for (int64_t j = last + 1; j < h_.columns; ++j) turn(h_(k, j), h_(last, j));
    for (int64_t i = 0; i < k; ++i) turn(h_(i, k), h_(i, last));
    for (int64_t i = 0; i < z_->rows; ++i) turn((*z_)(i, k), (*z_)(i, last));
  }

  // The eigenvalues of the last two rows, or others from time to time, lest it goes in circles.
  void Shifts(int64_t first, int64_t last, int64_t since) {
    R a, b, c, d;
    if (since % 10 == 0) {
      const bool below = since % 20 == 0;
      const int64_t k = below ? last : first;
      const R s = below ? std::abs(h_(last, last - 1)) + std::abs(h_(last - 1, last - 2))
                        : std::abs(h_(first + 1, first)) + std::abs(h_(first + 2, first + 1));
      a = d = R(0.75) * s + h_(k, k);
      b = R(-0.4375) * s;
      c = s;
    } else {
      a = h_(last - 1, last - 1);
      b = h_(last - 1, last);
      c = h_(last, last - 1);
      d = h_(last, last);
    }
    const R s = std::abs(a) + std::abs(b) + std::abs(c) + std::abs(d);
    one_ = other_ = 0;
    if (s == 0) return;
    const R middle = (a / s + d / s) / 2;
    const R det = (a / s - middle) * (d / s - middle) - (b / s) * (c / s);
    const R root = std::sqrt(std::abs(det));
    if (det >= 0) {
      one_ = {middle * s, root * s};
      other_ = std::conj(one_);
      return;
    }
    const R up = (middle + root) * s, down = (middle - root) * s;
    one_ = other_ = std::abs(up - d) <= std::abs(down - d) ? up : down;
  }

  // The first column of (h - one)(h - other), from row m of it on, up to a factor.
  std::array<R, 3> FirstColumn(int64_t m) const {
    const R here = h_(m, m), below = h_(m + 1, m);
    R s = std::abs(here - other_.real()) + std::abs(other_.imag()) + std::abs(below);
    const R ratio = below / s;
    std::array<R, 3> v{ratio * h_(m, m + 1) + (here - one_.real()) * ((here - other_.real()) / s) -
                           one_.imag() * (other_.imag() / s),
                       ratio * (here + h_(m + 1, m + 1) - one_.real() - other_.real()),
                       ratio * h_(m + 2, m + 1)};
    s = std::abs(v[0]) + std::abs(v[1]) + std::abs(v[2]);
    for (R& x : v) x /= s;
    return v;
  }

  void Chase(int64_t first, int64_t last) {
    std::array<R, 3> v{};
    int64_t start = last - 2;
    for (;; --start) {
      v = FirstColumn(start);
      if (start == first) break;
      const R around = std::abs(h_(start - 1, start - 1)) + std::abs(h_(start, start)) +
                       std::abs(h_(start + 1, start + 1));
      if (std::abs(h_(start, start - 1)) * (std::abs(v[1]) + std::abs(v[2])) <=
          2 * kRounding<R> * std::abs(v[0]) * around)
        break;
    }
    // Near the diagonal at once, elsewhere some reflections at a time.
    constexpr int64_t kWindow = 32;
    std::array<Three<R>, kWindow> reflections;
    for (int64_t begin = start; begin < last; begin += kWindow) {
      const int64_t end = std::min(begin + kWindow, last), border = std::min(end + 3, last + 1);
      for (int64_t k = begin; k < end; ++k) {
        const int64_t size = std::min<int64_t>(3, last - k + 1);
        if (k > start) {
          for (int64_t i = 0; i < size; ++i) v[static_cast<size_t>(i)] = h_(k + i, k - 1);
        }
        if (size == 2) v[2] = 0;
        const R tau = MakeReflection(v.data(), size);
        if (k > start) {
          h_(k, k - 1) = v[0];
          for (int64_t i = 1; i < size; ++i) h_(k + i, k - 1) = 0;
        } else if (start > first) {
          // The column has but one element there, which the reflection changes by its first factor.
          h_(k, k - 1) *= 1 - tau;
        }
        const Three<R> r{v[1], v[2], tau};
        reflections[static_cast<size_t>(k - begin)] = r;
        for (int64_t j = k; j < border; ++j) Reflect(r, &h_(k, j), 1, size);
        const int64_t rows = std::min(k + 4, last + 1);
        for (int64_t i = std::max(begin, top_); i < rows; ++i)
          Reflect(r, &h_(i, k), h_.stride, size);
      }
      const int64_t size = std::min(end + 2, last + 1) - begin;
      const absl::Span<const Three<R>> by(reflections.data(), static_cast<size_t>(end - begin));
      ReflectRowsBy(by, h_.Block(begin, border, size, end_ - border));
      ReflectThrees(by.data(), end - begin, h_.Block(top_, begin, begin - top_, size));
      if (z_ != nullptr) ReflectThrees(by.data(), end - begin, z_->Block(0, begin, z_->rows, size));
    }
  }

  static void Reflect(const Three<R>& r, R* x, int64_t stride, int64_t size) {
    R sum = x[0] + r.second * x[stride];
    if (size == 3) sum += r.third * x[2 * stride];
    sum *= r.tau;
    x[0] -= sum;
    x[stride] -= sum * r.second;
    if (size == 3) x[2 * stride] -= sum * r.third;
  }
  // Some columns at a time, as each step waits for the one before.
  static void ReflectRowsBy(absl::Span<const Three<R>> by, const Matrix<R>& a) {
    constexpr int64_t kTogether = 4;
    int64_t j = 0;
    for (; j + kTogether <= a.columns; j += kTogether) ReflectColumnsOf<kTogether>(by, a, j);
    for (; j < a.columns; ++j) ReflectColumnsOf<1>(by, a, j);
  }
  template <int64_t kCount>
  static void ReflectColumnsOf(absl::Span<const Three<R>> by, const Matrix<R>& a, int64_t j) {
    R x[kCount], y[kCount];
    R* columns[kCount];
    for (int64_t c = 0; c < kCount; ++c) {
      columns[c] = a.Column(j + c);
      x[c] = columns[c][0];
      y[c] = columns[c][1];
    }
    for (size_t k = 0; k < by.size(); ++k) {
      const Three<R> r = by[k];
      const bool has_third = static_cast<int64_t>(k) + 2 < a.rows;
      for (int64_t c = 0; c < kCount; ++c) {
        const R z = has_third ? columns[c][k + 2] : R(0);
        const R sum = r.tau * (x[c] + r.second * y[c] + r.third * z);
        columns[c][k] = x[c] - sum;
        x[c] = y[c] - r.second * sum;
        y[c] = z - r.third * sum;
      }
    }
    for (int64_t c = 0; c < kCount; ++c) {
      columns[c][by.size()] = x[c];
      if (static_cast<int64_t>(by.size()) + 1 < a.rows) columns[c][by.size() + 1] = y[c];
    }
  }

  const Matrix<R> h_;
  const Active active_;
  const Matrix<R>* const z_;
  const Threads& threads_;
  std::complex<R> one_, other_;
  int64_t top_ = 0, end_ = 0;
};

// --- complex matrices: one shift

template <class R>
class ComplexSchur {
 public:
  using T = std::complex<R>;

  ComplexSchur(const Matrix<T>& h, Active active, const Matrix<T>* z)
      : h_(h), active_(active), z_(z) {}

  int32_t Run(T* values) {
    int64_t steps = kStepsOfAnEigenvalue * std::max<int64_t>(10, h_.rows);
    for (int64_t last = active_.high - 1, since = 0; last >= active_.low;) {
      const int64_t first = FirstOfBlock(h_, active_, last);
      if (first == last) {
        values[last] = h_(last, last);
        --last;
        since = 0;
        continue;
      }
      if (steps-- == 0) return static_cast<int32_t>(last - active_.low + 1);
      Chase(first, last, Shift(first, last, ++since));
    }
    return 0;
  }

 private:
  // (cosine, sine; -conj(sine), cosine) (x, y) = (length, 0).
  struct Turn {
    R cosine;
    T sine = 0, length;
    Turn(T x, T y) {
      const R of_x = std::abs(x), of_y = std::abs(y), both = Hypotenuse(of_x, of_y);
      if (of_y == 0) {
        cosine = 1;
        length = x;
        return;
      }
      const T direction = of_x == 0 ? T(1) : x / of_x;
      cosine = of_x / both;
      sine = Times(direction, Conj(y)) / both;
      length = direction * both;
    }
    void Rows(T& x, T& y) const {
      const T before = x;
      x = cosine * before + Times(sine, y);
      y = cosine * y - Times(Conj(sine), before);
    }
    void Columns(T& x, T& y) const {
      const T before = x;
      x = cosine * before + Times(Conj(sine), y);
      y = cosine * y - Times(sine, before);
    }
  };

  // The eigenvalue of the last two rows that is nearer to the last element, or another from time to
  // time.
  T Shift(int64_t first, int64_t last, int64_t since) const {
    if (since % 20 == 0) return h_(last, last) + R(0.75) * std::abs(h_(last, last - 1));
    if (since % 10 == 0) return h_(first, first) + R(0.75) * std::abs(h_(first + 1, first));
    const T d = h_(last, last);
    const T product = std::sqrt(h_(last - 1, last)) * std::sqrt(h_(last, last - 1));
    R s = Size(product);
    if (s == 0) return d;
    const T half = (h_(last - 1, last - 1) - d) * R(0.5);
    const R size = Size(half);
    s = std::max(s, size);
    const T x = half / s, y = product / s;
    T root = s * std::sqrt(Times(x, x) + Times(y, y));
    if (size > 0) {
      const T direction = half / size;
      if (direction.real() * root.real() + direction.imag() * root.imag() < 0) root = -root;
    }
    return d - Times(product, Over(product, half + root));
  }

  void Chase(int64_t first, int64_t last, T shift) {
    // Below a row whose element left of the diagonal hardly counts.
    int64_t start = last - 1;
    T x, y;
    for (;; --start) {
      x = h_(start, start) - shift;
      y = h_(start + 1, start);
      const R s = Size(x) + Size(y);
      x /= s;
      y /= s;
      if (start == first) break;
      if (Size(h_(start, start - 1)) * Size(y) <=
          2 * kRounding<R> * Size(x) * (Size(h_(start, start)) + Size(h_(start + 1, start + 1))))
        break;
    }
    const int64_t top = z_ != nullptr ? 0 : first, end = z_ != nullptr ? h_.columns : last + 1;
    for (int64_t k = start; k < last; ++k) {
      if (k > start) {
        x = h_(k, k - 1);
        y = h_(k + 1, k - 1);
      }
      const Turn turn(x, y);
      if (k > start) {
        h_(k, k - 1) = turn.length;
        h_(k + 1, k - 1) = T(0);
      } else if (start > first) {
        h_(k, k - 1) *= turn.cosine;
      }
      for (int64_t j = k; j < end; ++j) turn.Rows(h_(k, j), h_(k + 1, j));
      for (int64_t i = top; i < std::min(k + 3, last + 1); ++i)
        turn.Columns(h_(i, k), h_(i, k + 1));
      if (z_ == nullptr) continue;
      for (int64_t i = 0; i < z_->rows; ++i) turn.Columns((*z_)(i, k), (*z_)(i, k + 1));
    }
  }

  const Matrix<T> h_;
  const Active active_;
  const Matrix<T>* const z_;
};

template <class T>
void TakeIsolatedValues(const Matrix<T>& h, Active active, std::complex<RealOf<T>>* values) {
  for (int64_t i = 0; i < h.rows; ++i) {
    if (i < active.low || i >= active.high) values[i] = h(i, i);
  }
}
template <class R>
int32_t RunReal(const Matrix<R>& h, Active active, const Matrix<R>* z, std::complex<R>* values,
                const Threads& threads) {
  TakeIsolatedValues(h, active, values);
  return RealSchur<R>(h, active, z, threads).Run(values);
}
template <class R>
int32_t RunComplex(const Matrix<std::complex<R>>& h, Active active,
                   const Matrix<std::complex<R>>* z, std::complex<R>* values) {
  TakeIsolatedValues(h, active, values);
  return ComplexSchur<R>(h, active, z).Run(values);
}

}  // namespace

int32_t MakeSchur(const Matrix<float>& h, Active active, const Matrix<float>* z,
                  std::complex<float>* values, const Threads& threads) {
  return RunReal(h, active, z, values, threads);
}
int32_t MakeSchur(const Matrix<double>& h, Active active, const Matrix<double>* z,
                  std::complex<double>* values, const Threads& threads) {
  return RunReal(h, active, z, values, threads);
}
int32_t MakeSchur(const Matrix<std::complex<float>>& h, Active active,
                  const Matrix<std::complex<float>>* z, std::complex<float>* values,
                  const Threads&) {
  return RunComplex(h, active, z, values);
}
int32_t MakeSchur(const Matrix<std::complex<double>>& h, Active active,
                  const Matrix<std::complex<double>>* z, std::complex<double>* values,
                  const Threads&) {
  return RunComplex(h, active, z, values);
}

}  // namespace sinter::linear_algebra
