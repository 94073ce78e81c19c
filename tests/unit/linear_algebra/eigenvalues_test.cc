// What the decompositions multiply to, and how far vectors are from unitary, within n eps: of
// random and graded matrices, of repeated and defective eigenvalues, of numbers near the ends of
// the range.
#include <catch2/catch.hpp>

#include <functional>
#include <random>
#include <string>

#include "base/text.h"
#include "linear_algebra/eigenvectors.h"
#include "linear_algebra/elimination.h"
#include "linear_algebra/hessenberg.h"
#include "linear_algebra/reflections.h"
#include "linear_algebra/singular_values.h"
#include "linear_algebra/symmetric.h"

namespace sinter::linear_algebra {
namespace {

#define ELEMENT_TYPES float, double, std::complex<float>, std::complex<double>

using Wide = std::complex<double>;

// In double precision, to judge by.
class Judge {
 public:
  Judge(int64_t m, int64_t n) : m_(m), n_(n), x_(static_cast<size_t>(m * n)) {}
  template <class T>
  explicit Judge(const Matrix<T>& a) : Judge(a.rows, a.columns) {
    for (int64_t j = 0; j < n_; ++j) {
      for (int64_t i = 0; i < m_; ++i) (*this)(i, j) = Wide(a(i, j));
    }
  }
  int64_t m() const { return m_; }
  int64_t n() const { return n_; }
  Wide& operator()(int64_t i, int64_t j) { return x_[static_cast<size_t>(i + j * m_)]; }
  Wide operator()(int64_t i, int64_t j) const { return x_[static_cast<size_t>(i + j * m_)]; }

 private:
  int64_t m_, n_;
  std::vector<Wide> x_;
};

template <class T>
OwnMatrix<T> As(const Judge& x) {
  OwnMatrix<T> own(x.m(), x.n());
  const Matrix<T> a = own.view();
  for (int64_t j = 0; j < x.n(); ++j) {
    for (int64_t i = 0; i < x.m(); ++i) {
      if constexpr (kIsComplex<T>) {
        a(i, j) = T(x(i, j));
      } else {
        a(i, j) = static_cast<T>(x(i, j).real());
      }
    }
  }
  return own;
}

Judge Made(int64_t m, int64_t n, const std::function<Wide(int64_t, int64_t)>& at) {
  Judge out(m, n);
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = 0; i < m; ++i) out(i, j) = at(i, j);
  }
  return out;
}
Judge operator*(const Judge& a, const Judge& b) {
  REQUIRE(a.n() == b.m());
  Judge out(a.m(), b.n());
  for (int64_t j = 0; j < b.n(); ++j) {
    for (int64_t k = 0; k < a.n(); ++k) {
      const Wide factor = b(k, j);
      for (int64_t i = 0; i < a.m(); ++i) out(i, j) += a(i, k) * factor;
    }
  }
  return out;
}
Judge operator-(const Judge& a, const Judge& b) {
  return Made(a.m(), a.n(), [&](int64_t i, int64_t j) { return a(i, j) - b(i, j); });
}
Judge Adjoint(const Judge& a) {
  return Made(a.n(), a.m(), [&](int64_t i, int64_t j) { return std::conj(a(j, i)); });
}
Judge One(int64_t n) {
  return Made(n, n, [](int64_t i, int64_t j) { return i == j ? 1.0 : 0.0; });
}
template <class C>
Judge DiagonalOf(const std::vector<C>& values, int64_t m, int64_t n) {
  return Made(m, n, [&](int64_t i, int64_t j) {
    return i == j ? Wide(values[static_cast<size_t>(i)]) : Wide(0);
  });
}
// Relative to its largest part, as squares of small numbers are none.
double NormOf(const Judge& a) {
  double largest = 0, sum = 0;
  for (int64_t j = 0; j < a.n(); ++j) {
    for (int64_t i = 0; i < a.m(); ++i) {
      const Wide x = a(i, j);
      if (x != x) return std::nan("");
      largest = std::max({largest, std::abs(x.real()), std::abs(x.imag())});
    }
  }
  if (largest == 0) return 0;
  for (int64_t j = 0; j < a.n(); ++j) {
    for (int64_t i = 0; i < a.m(); ++i) sum += std::norm(a(i, j) / largest);
  }
  return largest * std::sqrt(sum);
}
template <class T>
void RequireSmall(const Judge& difference, double norm) {
  const double n = static_cast<double>(std::max(difference.m(), difference.n()));
  const double eps = std::numeric_limits<RealOf<T>>::epsilon();
  // Of numbers that are denormal the last bit counts.
  const double least = std::numeric_limits<RealOf<T>>::denorm_min();
  CAPTURE(norm, n, NormOf(difference) / (n * eps * norm));
  REQUIRE(NormOf(difference) <= 10 * (n + 3) * (eps * norm + least));
}
template <class T>
void RequireUnitary(const Matrix<T>& q) {
  const Judge x(q);
  RequireSmall<T>(Adjoint(x) * x - One(x.n()), 1);
}

struct Kind {
  std::string name;
  std::function<Judge(int64_t m, int64_t n)> make;
};

template <class T>
class Kinds {
 public:
  using R = RealOf<T>;

  Judge Random(int64_t m, int64_t n) {
    return Made(m, n, [&](int64_t, int64_t) {
      const double re = normal_(engine_), im = normal_(engine_);
      return kIsComplex<T> ? Wide(re, im) : Wide(re);
    });
  }
  Judge Scaled(int64_t m, int64_t n, double by) {
    const Judge x = Random(m, n);
    return Made(m, n, [&](int64_t i, int64_t j) { return x(i, j) * by; });
  }
  Judge Unitary(int64_t n) {
    OwnMatrix<Wide> own = As<Wide>(Random(n, n));
    std::vector<Wide> taus(static_cast<size_t>(n));
    if (!kIsComplex<T>) {
      OwnMatrix<double> real = As<double>(Random(n, n));
      std::vector<double> real_taus(static_cast<size_t>(n));
      FactorQr(real.view(), real_taus.data(), {});
      MakeUnitary(real.view(), real_taus.data(), n, {});
      return Judge(real.view());
    }
    FactorQr(own.view(), taus.data(), {});
    MakeUnitary(own.view(), taus.data(), n, {});
    return Judge(own.view());
  }
  std::vector<Kind> All() {
    const double largest = std::numeric_limits<R>::max(), least = kSafeMinimum<R>;
    auto diagonal = [](int64_t m, int64_t n, const std::function<double(int64_t)>& at) {
      return Made(m, n, [&](int64_t i, int64_t j) { return i == j ? at(i) : 0.0; });
    };
    return {
        {"random", [&](int64_t m, int64_t n) { return Random(m, n); }},
        {"graded",
         [&](int64_t m, int64_t n) {
           const Judge x = Random(m, n);
           return Made(m, n, [&](int64_t i, int64_t j) {
             return x(i, j) * std::pow(0.5, static_cast<double>(i + j));
           });
         }},
        {"zero", [](int64_t m, int64_t n) { return Judge(m, n); }},
        {"identity",
         [=](int64_t m, int64_t n) { return diagonal(m, n, [](int64_t) { return 1; }); }},
        {"repeated",
         [=, this](int64_t m, int64_t n) {
           const Judge d = diagonal(m, n, [](int64_t i) { return i % 3 == 0 ? 2 : -1; });
           const Judge u = Unitary(m);
           return u * d * (m == n ? Adjoint(u) : Unitary(n));
         }},
        {"of rank 1", [&](int64_t m, int64_t n) { return Random(m, 1) * Random(1, n); }},
        {"Jordan block",
         [](int64_t m, int64_t n) {
           return Made(m, n, [](int64_t i, int64_t j) {
             return i == j ? 2.0 : i + 1 == j ? 1.0 : 0.0;
           });
         }},
        {"nilpotent",
         [](int64_t m, int64_t n) {
           return Made(m, n, [](int64_t i, int64_t j) { return i == j + 1 ? 1.0 : 0.0; });
         }},
        {"rotation",
         [](int64_t m, int64_t n) {
           return Made(m, n, [n](int64_t i, int64_t j) { return i == (j + 1) % n ? 1.0 : 0.0; });
         }},
        {"triangle",
         [&](int64_t m, int64_t n) {
           const Judge x = Random(m, n);
           return Made(m, n, [&](int64_t i, int64_t j) { return i <= j ? x(i, j) : Wide(0); });
         }},
        {"small", [=, this](int64_t m, int64_t n) { return Scaled(m, n, least * 16); }},
        {"large", [=, this](int64_t m, int64_t n) { return Scaled(m, n, largest / 1e4); }},
        {"badly scaled",
         [&](int64_t m, int64_t n) {
           const Judge x = Random(m, n);
           return Made(m, n, [&](int64_t i, int64_t j) {
             return x(i, j) * std::pow(4.0, static_cast<double>(i % 5 - j % 5));
           });
         }},
    };
  }

 private:
  std::mt19937 engine_{11};
  std::normal_distribution<double> normal_;
};

// What T holds of it.
template <class T>
Judge Rounded(const Judge& a) {
  OwnMatrix<T> own = As<T>(a);
  return Judge(own.view());
}

TEMPLATE_TEST_CASE("eigenvalues of symmetric matrices", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  Kinds<T> kinds;
  for (const Kind& kind : kinds.All()) {
    for (int64_t n : {0, 1, 2, 3, 5, 16, 33, 90}) {
      const bool upper = n % 2 == 0;
      CAPTURE(kind.name, n, upper);
      const Judge any = kind.make(n, n);
      const Judge a = Rounded<T>(Made(n, n, [&](int64_t i, int64_t j) {
        return i == j ? Wide(any(i, i).real()) : i > j ? any(i, j) : std::conj(any(j, i));
      }));
      // The other triangle is not read.
      const auto given = Made(n, n, [&](int64_t i, int64_t j) {
        return i != j && (i < j) != upper ? Wide(std::nan("")) : a(i, j);
      });
      OwnMatrix<T> vectors = As<T>(given), none = As<T>(given), reduced = As<T>(given);
      std::vector<R> values(static_cast<size_t>(n)), alone = values;
      REQUIRE(SymmetricEigenvalues(vectors.view(), upper, true, values.data(), {}) == 0);
      REQUIRE(SymmetricEigenvalues(none.view(), upper, false, alone.data(), {}) == 0);
      REQUIRE(std::is_sorted(values.begin(), values.end()));
      const Judge v(vectors.view());
      RequireUnitary(vectors.view());
      RequireSmall<T>(a * v - v * DiagonalOf(values, n, n), NormOf(a));
      RequireSmall<T>(DiagonalOf(values, n, n) - DiagonalOf(alone, n, n), NormOf(a));

      std::vector<R> beside(static_cast<size_t>(n));
      std::vector<T> taus(static_cast<size_t>(n));
      Tridiagonalise(reduced.view(), upper, values.data(), beside.data(), taus.data());
      if (n == 0 || kind.name == "small" || kind.name == "large") continue;
      // Q of the reflections, one after another.
      Judge q = One(n);
      for (int64_t step = 0; step + 1 < n; ++step) {
        const int64_t k = upper ? n - 2 - step : step;
        Judge x(n, 1);
        for (int64_t i = 0; i < n; ++i) {
          const int64_t one = upper ? k : k + 1, column = upper ? k + 1 : k;
          if (i == one) x(i, 0) = 1;
          if (upper ? i < one : i > one) x(i, 0) = Wide(reduced.view()(i, column));
        }
        const Wide tau = Wide(taus[static_cast<size_t>(k)]);
        const Judge h = x * Adjoint(x);
        q = q *
            Made(n, n, [&](int64_t i, int64_t j) { return (i == j ? 1.0 : 0.0) - tau * h(i, j); });
      }
      const Judge t = Made(n, n, [&](int64_t i, int64_t j) -> Wide {
        if (i == j) return values[static_cast<size_t>(i)];
        return std::abs(i - j) == 1 ? beside[static_cast<size_t>(std::min(i, j))] : R(0);
      });
      RequireSmall<T>(q * t * Adjoint(q) - a, NormOf(a));
    }
  }
}

TEMPLATE_TEST_CASE("singular values", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  Kinds<T> kinds;
  for (const Kind& kind : kinds.All()) {
    for (auto [m, n] : {std::pair{0, 3},
                        {3, 0},
                        {1, 1},
                        {2, 2},
                        {1, 4},
                        {4, 1},
                        {7, 5},
                        {5, 7},
                        {30, 30},
                        {60, 20},
                        {20, 60},
                        {70, 65}}) {
      for (const bool all : {false, true}) {
        CAPTURE(kind.name, m, n, all);
        const int64_t k = std::min(m, n), columns = all ? m : k, rows = all ? n : k;
        const Judge a = Rounded<T>(kind.make(m, n));
        OwnMatrix<T> whole = As<T>(a), u(m, columns), v(rows, n), other = As<T>(a);
        std::vector<R> values(static_cast<size_t>(k)), alone = values;
        const Matrix<T> left = u.view(), right = v.view();
        REQUIRE(SingularValues(whole.view(), values.data(), &left, &right, {}) == 0);
        REQUIRE(SingularValues<T>(other.view(), alone.data(), nullptr, nullptr, {}) == 0);
        REQUIRE(std::is_sorted(values.rbegin(), values.rend()));
        REQUIRE((k == 0 || values.back() >= 0));
        RequireUnitary(left);
        OwnMatrix<T> turned = As<T>(Adjoint(Judge(right)));
        RequireUnitary(turned.view());
        RequireSmall<T>(Judge(left) * DiagonalOf(values, columns, rows) * Judge(right) - a,
                        NormOf(a));
        RequireSmall<T>(DiagonalOf(values, k, k) - DiagonalOf(alone, k, k), NormOf(a));
      }
    }
  }
}

TEMPLATE_TEST_CASE("eigenvalues and Schur forms of any matrix", "", ELEMENT_TYPES) {
  using T = TestType;
  using C = std::complex<RealOf<T>>;
  Kinds<T> kinds;
  for (const Kind& kind : kinds.All()) {
    for (int64_t n : {0, 1, 2, 3, 4, 6, 17, 40, 80}) {
      CAPTURE(kind.name, n);
      const Judge a = Rounded<T>(kind.make(n, n));
      const double norm = NormOf(a);
      OwnMatrix<T> form = As<T>(a), unitary(n, n);
      std::vector<C> values(static_cast<size_t>(n)), of_form = values;
      const Matrix<T> z = unitary.view();
      REQUIRE(SchurForm(form.view(), &z, of_form.data(), {}) == 0);
      const Judge t(form.view()), q(z);
      RequireUnitary(z);
      RequireSmall<T>(q * t * Adjoint(q) - a, norm);
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = j + 1; i < n; ++i) {
          if (kIsComplex<T> || i > j + 1) REQUIRE(t(i, j) == 0.0);
        }
        if (kIsComplex<T> || j + 1 == n || t(j + 1, j) == 0.0) continue;
        // A block of two complex eigenvalues.
        REQUIRE(t(j, j) == t(j + 1, j + 1));
        REQUIRE((t(j, j + 1).real() < 0) == (t(j + 1, j).real() > 0));
        REQUIRE((j + 2 == n || t(j + 2, j + 1) == 0.0));
        REQUIRE(of_form[static_cast<size_t>(j)].imag() > 0);
      }

      OwnMatrix<T> whole = As<T>(a), other = As<T>(a);
      OwnMatrix<C> l(n, n), r(n, n);
      const Matrix<C> left = l.view(), right = r.view();
      REQUIRE(Eigenvalues(whole.view(), values.data(), &left, &right, {}) == 0);
      std::vector<C> alone(static_cast<size_t>(n));
      REQUIRE(Eigenvalues<T>(other.view(), alone.data(), nullptr, nullptr, {}) == 0);
      const Judge d = DiagonalOf(values, n, n), x(right), y(left);
      // Balancing bounds the error by the norm of the balanced matrix alone.
      RequireSmall<T>(a * x - x * d, 4 * norm);
      RequireSmall<T>(Adjoint(y) * a - d * Adjoint(y), 4 * norm);
      Wide sum = 0, trace = 0, sum_alone = 0;
      for (int64_t i = 0; i < n; ++i) {
        sum += Wide(values[static_cast<size_t>(i)]);
        sum_alone += Wide(alone[static_cast<size_t>(i)]);
        trace += a(i, i);
        for (const auto& vectors : {left, right}) {
          const double length = Length(vectors.Column(i), n);
          REQUIRE(length == Approx(1).epsilon(1e-5));
        }
      }
      RequireSmall<T>(Made(1, 1, [&](int64_t, int64_t) { return sum - trace; }),
                      static_cast<double>(n + 1) * norm);
      RequireSmall<T>(Made(1, 1, [&](int64_t, int64_t) { return sum_alone - trace; }),
                      static_cast<double>(n + 1) * norm);
    }
  }
}

TEMPLATE_TEST_CASE("what is not finite has values that are NaN", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  using C = std::complex<R>;
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
    for (int64_t n : {1, 2, 5, 40}) {
      CAPTURE(bad, n);
      auto make = [&] {
        return As<T>(Made(n, n, [&](int64_t i, int64_t j) {
          return i == n - 1 && j == n / 2 ? bad : static_cast<double>(i + j);
        }));
      };
      std::vector<R> values(static_cast<size_t>(n));
      std::vector<C> complex(static_cast<size_t>(n));
      auto is_nan = [](auto x) { return x != x; };
      OwnMatrix<T> a = make();
      REQUIRE(SymmetricEigenvalues(a.view(), false, true, values.data(), {}) == n - 1);
      REQUIRE(std::all_of(values.begin(), values.end(), is_nan));
      a = make();
      REQUIRE(SingularValues<T>(a.view(), values.data(), nullptr, nullptr, {}) == -4);
      REQUIRE(std::all_of(values.begin(), values.end(), is_nan));
      a = make();
      REQUIRE(Eigenvalues<T>(a.view(), complex.data(), nullptr, nullptr, {}) == -4);
      REQUIRE(std::all_of(complex.begin(), complex.end(), is_nan));
      a = make();
      REQUIRE(SchurForm<T>(a.view(), nullptr, complex.data(), {}) == n);
      REQUIRE(std::all_of(complex.begin(), complex.end(), is_nan));
    }
  }
}

TEMPLATE_TEST_CASE("results do not depend on the number of threads", "", ELEMENT_TYPES) {
  using T = TestType;
  using R = RealOf<T>;
  Kinds<T> kinds;
  const int64_t n = 200;
  const Judge a = kinds.Random(n, n);
  auto workers = MakePoolWorkers(3);
  std::vector<std::vector<T>> results;
  for (Workers* w : {static_cast<Workers*>(nullptr), workers.get()}) {
    const Threads threads{w};
    std::vector<T> result;
    auto keep = [&](OwnMatrix<T>& x) {
      const Matrix<T> view = x.view();
      result.insert(result.end(), view.data, view.data + view.rows * view.columns);
    };
    std::vector<R> values(static_cast<size_t>(n));
    std::vector<int32_t> pivots(static_cast<size_t>(n));
    OwnMatrix<T> x = As<T>(a);
    SymmetricEigenvalues(x.view(), false, true, values.data(), threads);
    keep(x);
    x = As<T>(a);
    FactorLu(x.view(), pivots.data(), threads);
    keep(x);
    x = As<T>(a);
    OwnMatrix<T> u(n, n), v(n, n);
    const Matrix<T> left = u.view(), right = v.view();
    SingularValues(x.view(), values.data(), &left, &right, threads);
    keep(u);
    keep(v);
    results.push_back(result);
  }
  REQUIRE(results[0] == results[1]);
}

}  // namespace
}  // namespace sinter::linear_algebra
