// Factors and solutions multiplied back, of sizes around those where triangles are halved; what is
// no part of a factor or triangle stays, or is not read.
#include "linear_algebra/elimination.h"

#include <catch2/catch.hpp>

#include <limits>
#include <random>

#include "linear_algebra/products.h"

namespace sinter::linear_algebra {
namespace {

#define ELIMINATION_TYPES float, double, std::complex<float>, std::complex<double>

constexpr int64_t kSizes[] = {0, 1, 3, 4, 5, 16, 17, 33, 40, 71, 130};

template <class T>
void FillRandom(const Matrix<T>& a, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int64_t j = 0; j < a.columns; ++j) {
    for (int64_t i = 0; i < a.rows; ++i) {
      if constexpr (kIsComplex<T>) {
        const auto re = static_cast<RealOf<T>>(uniform(random));
        a(i, j) = T(re, static_cast<RealOf<T>>(uniform(random)));
      } else {
        a(i, j) = static_cast<T>(uniform(random));
      }
    }
  }
}
template <class T>
T At(const Matrix<T>& a, Transposition op, int64_t i, int64_t j) {
  if (op == Transposition::kNone) return a(i, j);
  return op == Transposition::kAdjoint ? Conj(a(j, i)) : a(j, i);
}
// The distance of the product of op(a) and b from c, relative to `scale`; all in double precision.
template <class T, class Left, class Right>
double Distance(int64_t depth, Left left, Right right, const Matrix<T>& c) {
  double most = 0;
  for (int64_t j = 0; j < c.columns; ++j) {
    for (int64_t i = 0; i < c.rows; ++i) {
      std::complex<double> sum = 0;
      for (int64_t k = 0; k < depth; ++k)
        sum += std::complex<double>(left(i, k)) * std::complex<double>(right(k, j));
      most = std::max(most, std::abs(sum - std::complex<double>(c(i, j))));
    }
  }
  return most;
}
template <class T>
double Tolerance(int64_t n) {
  return 16 * static_cast<double>(n + 1) *
         static_cast<double>(std::numeric_limits<RealOf<T>>::epsilon());
}

TEMPLATE_TEST_CASE("products of blocks are subtracted", "", ELIMINATION_TYPES) {
  using T = TestType;
  for (const int64_t m : {1, 7, 16, 37, 70}) {
    for (const int64_t n : {1, 2, 5, 8}) {
      for (const int64_t depth : {0, 1, 19}) {
        OwnMatrix<T> all(m + n + depth, depth + n);
        const Matrix<T> whole = all.view();
        FillRandom(whole, 1);
        OwnMatrix<T> kept(whole.rows, whole.columns);
        Copy(whole, kept.view());
        const Matrix<T> a = whole.Block(0, 0, m, depth), b = whole.Block(m, 0, depth, n),
                        c = whole.Block(0, depth, m, n);
        SubtractProduct(a, b, c);
        const Matrix<T> before = kept.view().Block(0, depth, m, n);
        for (int64_t j = 0; j < whole.columns; ++j) {
          for (int64_t i = 0; i < whole.rows; ++i) {
            std::complex<double> want(kept.view()(i, j));
            if (i < m && j >= depth) {
              for (int64_t k = 0; k < depth; ++k)
                want -= std::complex<double>(a(i, k)) * std::complex<double>(b(k, j - depth));
            }
            REQUIRE(std::abs(std::complex<double>(whole(i, j)) - want) <= Tolerance<T>(depth));
          }
        }
        REQUIRE(before.rows == m);
      }
    }
  }
}

TEMPLATE_TEST_CASE("triangles are solved from both sides", "", ELIMINATION_TYPES) {
  using T = TestType;
  for (const int64_t n : kSizes) {
    for (int variant = 0; variant < 24; ++variant) {
      const bool left = variant % 2 == 0, upper = variant / 2 % 2 == 0, unit = variant / 4 % 2 == 0;
      const auto op = static_cast<Transposition>(variant / 8);
      const int64_t others = variant % 3 == 0 ? 21 : variant % 3;
      OwnMatrix<T> own(n, n), right(left ? n : others, left ? others : n),
          solution(left ? n : others, left ? others : n);
      const Matrix<T> a = own.view(), b = right.view(), x = solution.view();
      FillRandom(a, 2);
      FillRandom(b, 3);
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
          const bool is_outside = upper ? i > j : i < j;
          if (is_outside || (i == j && unit))
            a(i, j) = NaN<T>();
          else if (i == j)
            a(i, j) += T(2);
          else
            a(i, j) *= static_cast<RealOf<T>>(1.0 / static_cast<double>(n));
        }
      }
      Copy(b, x);
      SolveTriangle(a, left, upper, op, unit, x, {});
      const bool is_upper = upper == (op == Transposition::kNone);
      auto triangle = [&](int64_t i, int64_t j) {
        if (i == j && unit) return T(1);
        return (is_upper ? i > j : i < j) ? T(0) : At(a, op, i, j);
      };
      auto element = [&](int64_t i, int64_t j) { return x(i, j); };
      const double distance =
          left ? Distance(n, triangle, element, b) : Distance(n, element, triangle, b);
      CAPTURE(n, variant);
      REQUIRE(distance <= Tolerance<T>(n));
    }
  }
}

TEMPLATE_TEST_CASE("LU and Cholesky factors multiply to the matrix", "", ELIMINATION_TYPES) {
  using T = TestType;
  for (const int64_t n : kSizes) {
    for (const int64_t m : {n, n + 9, n / 2}) {
      CAPTURE(m, n);
      OwnMatrix<T> own(m, n), kept(m, n);
      const Matrix<T> a = own.view(), before = kept.view();
      FillRandom(a, 4);
      Copy(a, before);
      std::vector<int32_t> pivots(static_cast<size_t>(std::min(m, n)));
      REQUIRE(FactorLu(a, pivots.data(), {}) == 0);
      for (size_t k = 0; k < pivots.size(); ++k) {
        const auto row = static_cast<int64_t>(k), other = int64_t{pivots[k]} - 1;
        REQUIRE(other >= row);
        for (int64_t j = 0; j < n; ++j) std::swap(before(row, j), before(other, j));
      }
      auto lower = [&](int64_t i, int64_t j) { return i == j ? T(1) : i < j ? T(0) : a(i, j); };
      auto upper = [&](int64_t i, int64_t j) { return i > j ? T(0) : a(i, j); };
      REQUIRE(Distance(std::min(m, n), lower, upper, before) <= Tolerance<T>(n) * 4);
    }
    for (const bool is_upper : {false, true}) {
      CAPTURE(n, is_upper);
      OwnMatrix<T> own(n, n), kept(n, n), factor(n, n);
      const Matrix<T> a = own.view(), before = kept.view(), x = factor.view();
      FillRandom(x, 5);
      Fill(before, T(0));
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
          for (int64_t k = 0; k < n; ++k)
            before(i, j) += Times(x(i, k), Conj(x(j, k))) / static_cast<RealOf<T>>(n);
        }
        before(j, j) = std::real(before(j, j)) + 1;
      }
      const T outside = T(17);
      Copy(before, a);
      auto is_outside = [&](int64_t i, int64_t j) { return is_upper ? i > j : i < j; };
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
          if (is_outside(i, j)) a(i, j) = outside;
        }
      }
      REQUIRE(FactorCholesky(a, is_upper, {}) == 0);
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t i = 0; i < n; ++i) {
          if (is_outside(i, j)) REQUIRE(a(i, j) == outside);
        }
      }
      auto first = [&](int64_t i, int64_t j) {
        return i < j ? T(0) : is_upper ? Conj(a(j, i)) : a(i, j);
      };
      auto second = [&](int64_t i, int64_t j) { return Conj(first(j, i)); };
      REQUIRE(Distance(n, first, second, before) <= Tolerance<T>(n) * 4);
      if (n < 4) continue;
      // The first pivot that is not positive, wherever its block is.
      for (const int64_t bad : {int64_t{0}, n / 2, n - 1}) {
        Copy(before, a);
        a(bad, bad) = T(-1);
        REQUIRE(FactorCholesky(a, is_upper, {}) == bad + 1);
      }
    }
  }
}

}  // namespace
}  // namespace sinter::linear_algebra
