// The library's triangular solves, LU and QR factorisations, called as a program's steps call them:
// products of the results are the matrices.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "program/matrix_layouts.h"
#include "runtime/cpu/lu.h"
#include "runtime/cpu/reflections.h"
#include "runtime/cpu/triangular_solve.h"

namespace sinter::runtime::cpu {
namespace {

using program::LuLayout;
using program::MatrixLayout;
using program::ReflectionsLayout;
using program::TriangularSolveLayout;

constexpr VectorTarget kMatrixTargets[] = {VectorTarget::kBits128, VectorTarget::kBits256,
                                           VectorTarget::kBits512};

template <class T>
std::vector<T> RandomNumbers(int64_t count, int seed = 1) {
  std::mt19937 generator(static_cast<unsigned>(seed));
  std::normal_distribution<double> normal;
  std::vector<T> x(static_cast<size_t>(count));
  for (T& v : x) v = static_cast<T>(normal(generator));
  return x;
}

// A call with such buffers and scratch memory behind them.
template <class Layout>
void RunLibrary(LibraryFunction run, absl::Status (*check)(const LibrarySignature&),
                const Layout& layout, std::vector<std::pair<void*, size_t>> arrays,
                VectorTarget target, int threads) {
  std::vector<char> scratch(static_cast<size_t>(layout.ScratchBytes()) + 64);
  void* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  std::vector<void*> buffers;
  std::vector<int64_t> sizes;
  for (auto [data, bytes] : arrays) {
    buffers.push_back(data);
    sizes.push_back(static_cast<int64_t>(bytes));
  }
  buffers.push_back(aligned);
  sizes.push_back(layout.ScratchBytes());
  const std::vector<int64_t> dims = layout.ToDims();
  REQUIRE(check({sizes, dims, false}).ok());
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) continue;
    std::vector<int64_t> less = sizes;
    --less[i];
    REQUIRE_FALSE(check({less, dims, false}).ok());
  }
  auto workers = threads == 1 ? MakeInlineWorkers() : MakePoolWorkers(threads);
  run({buffers.data(), dims.data(), nullptr, *workers, FpMode::kKeepDenormals, target});
}
template <class T>
std::pair<void*, size_t> BufferOf(std::vector<T>& x) {
  return {x.data(), x.size() * sizeof(T)};
}

template <class T>
constexpr double kUnit = std::numeric_limits<T>::epsilon();

// --- solves

template <class T>
std::vector<T> SolveWith(const TriangularSolveLayout& layout, std::vector<T>& a, std::vector<T>& b,
                         VectorTarget target, int threads) {
  std::vector<T> x(b.size());
  RunLibrary(TriangularSolve, CheckTriangularSolve, layout, {BufferOf(a), BufferOf(b), BufferOf(x)},
             target, threads);
  return x;
}

// NaN in what is not the triangle's, a diagonal that keeps the solution of the size of b.
template <class T>
std::vector<T> RandomTriangles(const TriangularSolveLayout& layout) {
  const int64_t n = layout.n;
  std::vector<T> a = RandomNumbers<T>(layout.batch * n * n, 2);
  for (int64_t i = 0; i < layout.batch * n * n; ++i) {
    const int64_t r = i / n % n, c = i % n;
    T& value = a[static_cast<size_t>(i)];
    value = value / static_cast<T>(2 * n);
    const bool is_stored = r == c ? !layout.unit_diagonal : (r > c) == layout.lower;
    if (r == c) value += 1;
    if (!is_stored) value = std::numeric_limits<T>::quiet_NaN();
  }
  return a;
}

template <class T>
void CheckSolution(TriangularSolveLayout layout, VectorTarget target, int threads) {
  layout.wide = sizeof(T) == 8;
  const int64_t n = layout.n, others = layout.others;
  std::vector<T> a = RandomTriangles<T>(layout), b = RandomNumbers<T>(layout.batch * n * others);
  const std::vector<T> x = SolveWith(layout, a, b, target, threads);
  double error = 0;
  for (int64_t m = 0; m < layout.batch; ++m) {
    auto at = [&](const std::vector<T>& v, int64_t k, int64_t o) {
      const int64_t i = layout.left ? k * others + o : o * n + k;
      return static_cast<double>(v[static_cast<size_t>(m * n * others + i)]);
    };
    for (int64_t o = 0; o < others; ++o) {
      for (int64_t r = 0; r < n; ++r) {
        double sum = layout.unit_diagonal ? at(x, r, o) : 0;
        for (int64_t k = 0; k < n; ++k) {
          if (r == k ? layout.unit_diagonal : (r > k) != layout.lower) continue;
          sum += static_cast<double>(a[static_cast<size_t>((m * n + r) * n + k)]) * at(x, k, o);
        }
        const double difference = std::abs(sum - at(b, r, o));
        if (!(difference <= error)) error = difference;
      }
    }
  }
  CAPTURE(layout.batch, n, others, layout.left, layout.lower, layout.unit_diagonal,
          static_cast<int>(target), error);
  CHECK(error <= 64 * kUnit<T>);
}

TEST_CASE("The triangle times the solution is the right-hand side") {
  for (const VectorTarget target : kMatrixTargets) {
    if (target > HostVectorTarget()) continue;
    for (const int64_t n : {1, 2, 7, 8, 9, 16, 33, 70}) {
      for (const int64_t others : {1, 5, 16, 33}) {
        for (int form = 0; form < 8; ++form) {
          // Many of up to 32 rows and columns are solved in lanes.
          for (const int64_t batch : {n % 3 + 1, int64_t{19}}) {
            TriangularSolveLayout layout{
                {batch, false}, n, others, (form & 1) != 0, (form & 2) != 0, (form & 4) != 0};
            CheckSolution<float>(layout, target, 1);
            CheckSolution<double>(layout, target, 1);
          }
        }
      }
    }
  }
  CheckSolution<float>({{1, false}, 300, 200, true, false, false}, HostVectorTarget(), 3);
  CheckSolution<double>({{1, false}, 290, 130, false, true, false}, HostVectorTarget(), 3);
}

// --- LU

template <class T>
struct LuResult {
  std::vector<T> factors;
  std::vector<int32_t> pivots, permutation;
  bool operator==(const LuResult&) const = default;
};
template <class T>
LuResult<T> FactorLu(const LuLayout& layout, std::vector<T>& a, VectorTarget target, int threads) {
  LuResult<T> r;
  r.factors.resize(a.size());
  r.pivots.resize(static_cast<size_t>(layout.batch * layout.Least()));
  r.permutation.resize(static_cast<size_t>(layout.batch * layout.m));
  RunLibrary(Lu, CheckLu, layout,
             {BufferOf(a), BufferOf(r.factors), BufferOf(r.pivots), BufferOf(r.permutation)},
             target, threads);
  return r;
}

template <class T>
void CheckFactors(int64_t batch, int64_t m, int64_t n, VectorTarget target, int threads) {
  const LuLayout layout{{batch, sizeof(T) == 8}, m, n};
  std::vector<T> a = RandomNumbers<T>(batch * m * n);
  const LuResult<T> lu = FactorLu(layout, a, target, threads);
  double error = 0;
  bool bounded = true, exchanged = true;
  for (int64_t b = 0; b < batch; ++b) {
    const T *f = lu.factors.data() + b * m * n, *from = a.data() + b * m * n;
    const int32_t* p = lu.permutation.data() + b * m;
    std::vector<int32_t> order(static_cast<size_t>(m));
    for (int64_t i = 0; i < m; ++i) order[static_cast<size_t>(i)] = static_cast<int32_t>(i);
    for (int64_t j = 0; j < layout.Least(); ++j) {
      const int32_t pivot = lu.pivots[static_cast<size_t>(b * layout.Least() + j)];
      REQUIRE((pivot >= j && pivot < m));
      std::swap(order[static_cast<size_t>(j)], order[static_cast<size_t>(pivot)]);
    }
    exchanged &= std::equal(order.begin(), order.end(), p);
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        double sum = 0;
        for (int64_t k = 0; k <= std::min(r, c) && k < layout.Least(); ++k)
          sum += (k == r ? 1.0 : static_cast<double>(f[r * n + k])) *
                 static_cast<double>(f[k * n + c]);
        error = std::max(error, std::abs(sum - static_cast<double>(from[p[r] * n + c])));
        bounded &= c >= r || std::abs(f[r * n + c]) <= 1 + kUnit<T>;
      }
    }
  }
  CAPTURE(batch, m, n, static_cast<int>(target), error);
  CHECK(exchanged);
  CHECK(bounded);
  CHECK(error <= static_cast<double>(64 + std::max(m, n)) * kUnit<T>);
}

TEST_CASE("Products of LU factors are the rows in their order") {
  for (const VectorTarget target : kMatrixTargets) {
    if (target > HostVectorTarget()) continue;
    for (const int64_t m : {1, 2, 7, 16, 33, 70}) {
      for (const int64_t n : {1, 3, 16, 31, 32, 65, 100}) {
        CheckFactors<float>(n % 3 + 1, m, n, target, 1);
        CheckFactors<double>(n % 3 + 1, m, n, target, 1);
        CheckFactors<float>(19, m, n, target, 1);  // up to 32 rows and columns in lanes
        CheckFactors<double>(19, m, n, target, 1);
      }
    }
  }
  CheckFactors<float>(1, 300, 310, HostVectorTarget(), 3);
  CheckFactors<double>(1, 290, 210, HostVectorTarget(), 3);
}

TEST_CASE("LU of equal elements, zeros and NaNs exchanges as few rows as it can") {
  const LuLayout layout{{1, true}, 3, 3};
  std::vector<double> zeros(9, 0.0), equal(9, 2.0), nan = RandomNumbers<double>(9);
  CHECK(FactorLu(layout, zeros, HostVectorTarget(), 1).pivots == std::vector<int32_t>{0, 1, 2});
  const LuResult<double> ones = FactorLu(layout, equal, HostVectorTarget(), 1);
  CHECK(ones.pivots == std::vector<int32_t>{0, 1, 2});
  CHECK(ones.factors == std::vector<double>{2, 2, 2, 1, 0, 0, 1, 0, 0});
  nan[0] = std::nan("");
  CHECK(FactorLu(layout, nan, HostVectorTarget(), 1).pivots == std::vector<int32_t>{0, 1, 2});
  // The reciprocal of a pivot may overflow.
  std::vector<double> tiny{1e-310, 1, 5e-311, 1};
  const LuResult<double> small = FactorLu<double>({{1, true}, 2, 2}, tiny, HostVectorTarget(), 1);
  CHECK(small.factors[2] == Approx(0.5));
}

// --- reflections

template <class T>
struct QrResult {
  std::vector<T> packed, taus;
  bool operator==(const QrResult&) const = default;
};
template <class T>
QrResult<T> Triangularise(const ReflectionsLayout& layout, std::vector<T>& a, VectorTarget target,
                          int threads) {
  QrResult<T> r;
  r.packed.resize(a.size());
  r.taus.resize(static_cast<size_t>(layout.batch * layout.count));
  RunLibrary(Qr, CheckQr, layout, {BufferOf(a), BufferOf(r.packed), BufferOf(r.taus)}, target,
             threads);
  return r;
}
template <class T>
std::vector<T> ProductOf(const ReflectionsLayout& layout, QrResult<T>& reflections,
                         VectorTarget target, int threads) {
  std::vector<T> q(reflections.packed.size());
  RunLibrary(HouseholderProduct, CheckHouseholderProduct, layout,
             {BufferOf(reflections.packed), BufferOf(reflections.taus), BufferOf(q)}, target,
             threads);
  return q;
}

// Q R is the matrix, Q^T Q the identity. Of wide matrices only the first m columns make Q.
template <class T>
void CheckQrOf(int64_t batch, int64_t m, int64_t n, VectorTarget target, int threads,
               double scale = 1) {
  const ReflectionsLayout layout{{batch, sizeof(T) == 8}, m, n, std::min(m, n)};
  std::vector<T> a = RandomNumbers<T>(batch * m * n);
  for (T& x : a) x = static_cast<T>(x * scale);
  QrResult<T> qr = Triangularise(layout, a, target, threads);
  const std::vector<T> q = ProductOf(layout, qr, target, threads);
  const int64_t k = std::min(m, n);
  double error = 0, skew = 0;
  for (int64_t b = 0; b < batch; ++b) {
    auto at = [&](const std::vector<T>& v, int64_t r, int64_t c) {
      return static_cast<double>(v[static_cast<size_t>((b * m + r) * n + c)]);
    };
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        double sum = 0;
        for (int64_t i = 0; i <= std::min(c, k - 1); ++i)
          sum += at(q, r, i) * (at(qr.packed, i, c) / scale);
        const double difference = std::abs(sum - at(a, r, c) / scale);
        if (!(difference <= error)) error = difference;
      }
    }
    for (int64_t c = 0; c < k; ++c) {
      for (int64_t d = 0; d <= c; ++d) {
        double sum = c == d ? -1 : 0;
        for (int64_t r = 0; r < m; ++r) sum += at(q, r, c) * at(q, r, d);
        if (!(std::abs(sum) <= skew)) skew = std::abs(sum);
      }
    }
  }
  CAPTURE(batch, m, n, static_cast<int>(target), scale, error, skew);
  CHECK(error <= 64 * kUnit<T>);
  CHECK(skew <= 32 * kUnit<T>);
}

TEST_CASE("The product of reflections times R is the matrix") {
  for (const VectorTarget target : kMatrixTargets) {
    if (target > HostVectorTarget()) continue;
    for (const int64_t m : {1, 2, 7, 16, 33, 70}) {
      for (const int64_t n : {1, 3, 16, 31, 32, 65, 100}) {
        CheckQrOf<float>(n % 3 + 1, m, n, target, 1);
        CheckQrOf<double>(n % 3 + 1, m, n, target, 1);
        CheckQrOf<float>(19, m, n, target, 1);  // up to 32 rows and columns in lanes
        CheckQrOf<double>(19, m, n, target, 1);
      }
    }
  }
  CheckQrOf<float>(1, 300, 310, HostVectorTarget(), 3);
  CheckQrOf<double>(1, 290, 210, HostVectorTarget(), 3);
  // Few columns: one after another, or in lanes.
  for (const int64_t batch : {1, 5, 19}) {
    for (const int64_t n : {2, 8, 16, 17}) {
      CheckQrOf<float>(batch, 300, n, HostVectorTarget(), 2);
      CheckQrOf<double>(batch, 300, n, HostVectorTarget(), 2);
    }
  }
  for (const int64_t n : {6, 20}) {
    for (const int64_t batch : {1, 19}) {
      for (const double scale : {1e-200, 1e200})
        CheckQrOf<double>(batch, 20, n, HostVectorTarget(), 1, scale);
      for (const double scale : {1e-30, 1e30})
        CheckQrOf<float>(batch, 20, n, HostVectorTarget(), 1, scale);
    }
  }
}

TEST_CASE("Reflections of a matrix do not depend on those in other lanes") {
  const int64_t n = 12, size = n * n;
  const ReflectionsLayout layout{{16, false}, n, n, n};
  std::vector<float> a = RandomNumbers<float>(16 * size);
  const QrResult<float> before = Triangularise(layout, a, HostVectorTarget(), 1);
  for (int64_t i = 0; i < size; ++i) {
    a[static_cast<size_t>(5 * size + i)] *= 1e30f;
    a[static_cast<size_t>(9 * size + i)] *= 1e-30f;
  }
  const QrResult<float> after = Triangularise(layout, a, HostVectorTarget(), 1);
  for (int64_t i = 0; i < 16 * size; ++i) {
    const auto at = static_cast<size_t>(i);
    if (i / size != 5 && i / size != 9) REQUIRE(after.packed[at] == before.packed[at]);
  }
}

TEST_CASE("Columns of zeros need no reflection") {
  const ReflectionsLayout layout{{1, false}, 4, 2, 2};
  std::vector<float> a{3, 5, 0, 0, 0, 0, 0, 0};
  const QrResult<float> qr = Triangularise(layout, a, HostVectorTarget(), 1);
  CHECK(qr.packed == a);
  CHECK(qr.taus == std::vector<float>{0, 0});
}

TEST_CASE("Factorisations and solves do not depend on the number of threads") {
  for (const int64_t batch : {1, 5}) {
    const LuLayout lu{{batch, false}, 230, 210};
    const ReflectionsLayout reflections{{batch, false}, 230, 210, 210};
    const TriangularSolveLayout triangles{{batch, false}, 230, 90, true, true, false};
    std::vector<float> a = RandomNumbers<float>(batch * 230 * 210),
                       t = RandomTriangles<float>(triangles),
                       b = RandomNumbers<float>(batch * 230 * 90);
    const VectorTarget target = HostVectorTarget();
    const LuResult<float> factors = FactorLu(lu, a, target, 1);
    QrResult<float> qr = Triangularise(reflections, a, target, 1);
    const std::vector<float> q = ProductOf(reflections, qr, target, 1),
                             x = SolveWith(triangles, t, b, target, 1);
    for (const int threads : {2, 5}) {
      CHECK(FactorLu(lu, a, target, threads) == factors);
      CHECK(Triangularise(reflections, a, target, threads) == qr);
      CHECK(ProductOf(reflections, qr, target, threads) == q);
      CHECK(SolveWith(triangles, t, b, target, threads) == x);
    }
  }
}

TEST_CASE("Calls of matrices that do not fit are refused") {
  const std::vector<int64_t> sizes(5, int64_t{1} << 20), four(4, int64_t{1} << 20);
  CHECK(CheckLu({sizes, std::vector<int64_t>{2, 0, 2, 8, 8}, false}).ok());
  CHECK_FALSE(CheckLu({sizes, std::vector<int64_t>{2, 0, 2, 8}, false}).ok());
  CHECK_FALSE(CheckLu({four, std::vector<int64_t>{2, 0, 2, 8, 8}, false}).ok());
  CHECK_FALSE(CheckLu({sizes, std::vector<int64_t>{-1, 0, 2, 8, 8}, false}).ok());
  CHECK_FALSE(
      CheckLu({sizes, std::vector<int64_t>{int64_t{1} << 50, 0, 2, 1 << 20, 1 << 20}, false}).ok());
  CHECK_FALSE(CheckQr({four, std::vector<int64_t>{2, 0, 2, 8, 8, 9}, false}).ok());
  CHECK_FALSE(CheckQr({four, std::vector<int64_t>{2, 0, 2, 8, 8, -1}, false}).ok());
  CHECK_FALSE(CheckTriangularSolve({four, std::vector<int64_t>{2, 0, 2, 8, 8, 1, 1}, false}).ok());
  CHECK_FALSE(
      CheckTriangularSolve({four, std::vector<int64_t>{2, 0, 2, -8, 8, 1, 1, 0}, false}).ok());
}

}  // namespace
}  // namespace sinter::runtime::cpu
