// The library's Cholesky factorisation, called as a program's step calls it: products of the
// factors are the matrices.
#include "runtime/cpu/cholesky.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "program/cholesky_layout.h"

namespace sinter::runtime::cpu {
namespace {

using program::CholeskyLayout;

template <class T>
std::vector<T> Factor(const CholeskyLayout& layout, std::vector<T> a, int threads,
                      VectorTarget target = HostVectorTarget()) {
  std::vector<T> factor(a.size());
  std::vector<uint64_t> scratch(static_cast<size_t>(layout.ScratchBytes() / 8 + 8));
  auto* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  void* buffers[] = {a.data(), factor.data(), aligned};
  const std::vector<int64_t> dims = layout.ToDims(),
                             sizes{layout.batch * layout.MatrixBytes(),
                                   layout.batch * layout.MatrixBytes(), layout.ScratchBytes()};
  REQUIRE(CheckCholesky({sizes, dims, false}).ok());
  auto workers = threads == 1 ? MakeInlineWorkers() : MakePoolWorkers(threads);
  Cholesky({buffers, dims.data(), nullptr, *workers, FpMode::kKeepDenormals, target});
  return factor;
}

// x x^T + 1 of random matrices; NaN in the triangle that is not read.
template <class T>
std::vector<T> Matrices(const CholeskyLayout& layout) {
  std::mt19937 generator(3);
  std::normal_distribution<double> normal;
  const auto n = static_cast<size_t>(layout.n);
  std::vector<T> a(static_cast<size_t>(layout.batch) * n * n);
  for (size_t m = 0; m < a.size(); m += n * n) {
    std::vector<double> x(n * n);
    for (double& v : x) v = normal(generator);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double sum = i == j ? 1 : 0;
        for (size_t k = 0; k < n; ++k) sum += x[i * n + k] * x[j * n + k];
        T &below = a[m + i * n + j], &above = a[m + j * n + i];
        below = above = std::numeric_limits<T>::quiet_NaN();
        (layout.lower ? below : above) = static_cast<T>(sum);
      }
    }
  }
  return a;
}

template <class T>
void Check(int64_t batch, int64_t size, bool lower, VectorTarget target, int threads) {
  const CholeskyLayout layout{{batch, sizeof(T) == 8}, size, lower};
  const std::vector<T> a = Matrices<T>(layout), f = Factor(layout, a, threads, target);
  const auto n = static_cast<size_t>(size);
  double error = 0, largest = 0;
  bool zeros = true;
  for (size_t m = 0; m < a.size(); m += n * n) {
    // Element (i, j) of the lower factor, or of the upper one turned.
    auto at = [&](size_t i, size_t j) {
      return static_cast<double>(f[m + (lower ? i * n + j : j * n + i)]);
    };
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double sum = 0;
        for (size_t k = 0; k <= j; ++k) sum += at(i, k) * at(j, k);
        const double given = a[m + (lower ? i * n + j : j * n + i)];
        largest = std::max(largest, std::abs(given));
        error = std::max(error, std::abs(sum - given));
        zeros &= i == j || at(j, i) == 0;
      }
    }
  }
  CAPTURE(batch, size, lower, static_cast<int>(target), threads, error / largest);
  CHECK(zeros);
  CHECK(error <= 4 * std::numeric_limits<T>::epsilon() * largest);
}

TEST_CASE("Products of Cholesky factors are the matrices") {
  for (const VectorTarget target :
       {VectorTarget::kBits128, VectorTarget::kBits256, VectorTarget::kBits512}) {
    if (target > HostVectorTarget()) continue;
    for (const bool lower : {true, false}) {
      for (const int64_t n : {1, 2, 3, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 65, 100, 129}) {
        Check<float>(n % 3 + 1, n, lower, target, 1);
        Check<double>(n % 3 + 1, n, lower, target, 1);
        Check<float>(19, n, lower, target, 1);  // up to 32 rows in lanes
        Check<double>(19, n, lower, target, 1);
      }
    }
  }
  Check<float>(1, 300, true, HostVectorTarget(), 3);
  Check<double>(1, 289, false, HostVectorTarget(), 3);
}

TEST_CASE("Cholesky factors do not depend on the number of threads") {
  for (const int64_t batch : {1, 5}) {
    const CholeskyLayout layout{{batch, false}, 230, true};
    const std::vector<float> a = Matrices<float>(layout), serial = Factor(layout, a, 1);
    for (const int threads : {2, 5}) CHECK(Factor(layout, a, threads) == serial);
  }
}

TEST_CASE("Of matrices in lanes only those that are not positive definite become NaN") {
  const CholeskyLayout layout{{13, false}, 20, true};
  std::vector<float> a = Matrices<float>(layout);
  const std::vector<float> before = Factor(layout, a, 1);
  for (const size_t bad : {3, 12}) a[bad * 400 + 5 * 21] = -1;
  const std::vector<float> after = Factor(layout, a, 1);
  for (size_t i = 0; i < a.size(); ++i) {
    if (i / 400 == 3 || i / 400 == 12) {
      const bool is_above = i % 20 > i % 400 / 20;
      REQUIRE((is_above ? after[i] == 0 : std::isnan(after[i])));
    } else {
      REQUIRE(after[i] == before[i]);
    }
  }
}

TEST_CASE("A matrix that is not positive definite becomes NaN, and no other one") {
  for (const int64_t bad : {0, 5, 39}) {
    const CholeskyLayout layout{{3, true}, 40, true};
    std::vector<double> a = Matrices<double>(layout);
    const std::vector<double> before = Factor(layout, a, 1);
    a[static_cast<size_t>(40 * 40 + bad * 41)] = bad == 5 ? std::nan("") : -1;
    const std::vector<double> after = Factor(layout, a, 1);
    for (size_t i = 0; i < a.size(); ++i) {
      if (i / 1600 == 1) {
        const bool is_above = i % 40 > i % 1600 / 40;
        REQUIRE((is_above ? after[i] == 0 : std::isnan(after[i])));
      } else {
        REQUIRE(after[i] == before[i]);
      }
    }
  }
}

TEST_CASE("Cholesky calls that do not fit are refused") {
  const CholeskyLayout layout{{2, false}, 8, true};
  auto check = [&](std::vector<int64_t> dims, int64_t in, int64_t out, int64_t scratch) {
    const std::vector<int64_t> sizes{in, out, scratch};
    return CheckCholesky({sizes, dims, false}).ok();
  };
  const int64_t most = layout.ScratchBytes();
  CHECK(check(layout.ToDims(), 512, 512, most));
  CHECK_FALSE(check(layout.ToDims(), 511, 512, most));
  CHECK_FALSE(check(layout.ToDims(), 512, 511, most));
  CHECK_FALSE(check(layout.ToDims(), 512, 512, most - 1));
  CHECK_FALSE(check({2, 0, 2, 8}, 512, 512, most));
  CHECK_FALSE(check({int64_t{1} << 40, 0, 2, int64_t{1} << 20, 1}, 512, 512, most));
  CHECK(Factor<float>({{0, false}, 8, true}, {}, 1).empty());
}

}  // namespace
}  // namespace sinter::runtime::cpu
