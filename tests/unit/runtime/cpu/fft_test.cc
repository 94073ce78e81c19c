// The library's Fourier transforms, called as a program's step calls them, against sums in long
// double.
#include "runtime/cpu/fft.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "program/fft_layout.h"

namespace sinter::runtime::cpu {
namespace {

using program::FftLayout;
using Wide = std::complex<long double>;

std::vector<Wide> Roots(size_t n, int sign) {
  std::vector<Wide> roots(n);
  for (size_t k = 0; k < n; ++k) {
    roots[k] = std::polar(1.0L, sign * 2 * std::numbers::pi_v<long double> *
                                    static_cast<long double>(k) / static_cast<long double>(n));
  }
  return roots;
}

// `roots` are those of order n times `step`.
void Transform(std::vector<Wide>& x, const std::vector<Wide>& roots, size_t step) {
  const size_t n = x.size();
  if (n < 2) return;
  size_t p = 2;
  while (n % p != 0) p = p * p > n ? n : p + 1;
  const size_t m = n / p;
  std::vector<std::vector<Wide>> parts(p);
  for (size_t r = 0; r < p; ++r) {
    for (size_t j = r; j < n; j += p) parts[r].push_back(x[j]);
    Transform(parts[r], roots, step * p);
  }
  for (size_t k = 0; k < n; ++k) {
    Wide sum = 0;
    for (size_t r = 0, power = 0; r < p; ++r, power = (power + k) % n) {
      const Wide w = roots[power * step], v = parts[r][k % m];
      sum += Wide(w.real() * v.real() - w.imag() * v.imag(),
                  w.real() * v.imag() + w.imag() * v.real());
    }
    x[k] = sum;
  }
}

// Along one dimension of row-major data.
void TransformAlong(std::vector<Wide>& data, const std::vector<int64_t>& dims, size_t d, int sign) {
  size_t inner = 1, outer = 1;
  for (size_t k = 0; k < dims.size(); ++k) {
    if (k < d) outer *= static_cast<size_t>(dims[k]);
    if (k > d) inner *= static_cast<size_t>(dims[k]);
  }
  const auto n = static_cast<size_t>(dims[d]);
  std::vector<Wide> line(n);
  const std::vector<Wide> roots = Roots(n, sign);
  for (size_t o = 0; o < outer; ++o) {
    for (size_t i = 0; i < inner; ++i) {
      for (size_t k = 0; k < n; ++k) line[k] = data[(o * n + k) * inner + i];
      Transform(line, roots, 1);
      for (size_t k = 0; k < n; ++k) data[(o * n + k) * inner + i] = line[k];
    }
  }
}

// Numbers of T: pairs where they are complex. Of the whole batch.
template <class T>
std::vector<Wide> Expected(const FftLayout& layout, const std::vector<T>& x) {
  const int sign = layout.is_inverse() ? 1 : -1;
  const auto count = static_cast<size_t>(layout.Count() * layout.batch * layout.inner);
  std::vector<int64_t> dims = layout.lengths;
  dims.insert(dims.begin(), layout.batch);
  const size_t rank = dims.size();
  if (layout.inner > 1) dims.push_back(layout.inner);
  const auto last = static_cast<size_t>(dims.back()), half = static_cast<size_t>(layout.Half());
  std::vector<Wide> y(count);
  if (layout.type == FftLayout::kRealInverse) {
    std::vector<int64_t> half_dims = dims;
    half_dims.back() = layout.Half();
    std::vector<Wide> spectrum(count / last * half);
    for (size_t i = 0; i < spectrum.size(); ++i) spectrum[i] = {x[2 * i], x[2 * i + 1]};
    for (size_t d = 1; d + 1 < rank; ++d) TransformAlong(spectrum, half_dims, d, sign);
    for (size_t row = 0; row < count / last; ++row) {
      for (size_t k = 0; k < last; ++k) {
        Wide w = k < half ? spectrum[row * half + k] : std::conj(spectrum[row * half + last - k]);
        if (k == 0 || 2 * k == last) w = w.real();
        y[row * last + k] = w;
      }
    }
    TransformAlong(y, dims, rank - 1, sign);
  } else {
    const bool real = layout.type == FftLayout::kRealForward;
    for (size_t i = 0; i < count; ++i) y[i] = real ? Wide(x[i]) : Wide(x[2 * i], x[2 * i + 1]);
    for (size_t d = 1; d < rank; ++d) TransformAlong(y, dims, d, sign);
  }
  if (layout.is_inverse()) {
    for (Wide& w : y) w /= static_cast<long double>(layout.Count());
  }
  if (layout.type != FftLayout::kRealForward) return y;
  std::vector<Wide> spectrum;
  for (size_t i = 0; i < count; ++i) {
    if (i % last < half) spectrum.push_back(y[i]);
  }
  return spectrum;
}

template <class T>
std::vector<T> Run(const FftLayout& layout, std::vector<T> x, int threads,
                   VectorTarget target = HostVectorTarget()) {
  std::vector<T> y(static_cast<size_t>(layout.ResultBytes()) / sizeof(T));
  std::vector<uint64_t> scratch(static_cast<size_t>(layout.ScratchBytes() / 8 + 8));
  auto* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  const std::vector<T> argument = x;
  // The parts one after the other, if they are apart.
  std::vector<void*> buffers{x.data(), y.data(), aligned};
  if (layout.parts) buffers.insert(buffers.begin() + 1, x.data() + x.size() / 2);
  const std::vector<int64_t> dims = layout.ToDims(), sizes = layout.BufferBytes();
  REQUIRE(x.size() * sizeof(T) == static_cast<size_t>(layout.ArgumentBytes()));
  REQUIRE(CheckFft({sizes, dims, false}).ok());
  auto workers = threads == 1 ? MakeInlineWorkers() : MakePoolWorkers(threads);
  const std::shared_ptr<const void> prepared = PrepareFft(dims, target);
  Fft({buffers.data(), dims.data(), nullptr, *workers, FpMode::kKeepDenormals, target,
       prepared.get()});
  CHECK((x.empty() || std::memcmp(x.data(), argument.data(), x.size() * sizeof(T)) == 0));
  return y;
}

FftLayout Layout(FftLayout::Type type, bool wide, int64_t batch, std::vector<int64_t> lengths) {
  FftLayout layout;
  layout.type = type;
  layout.wide = wide;
  layout.batch = batch;
  layout.lengths = std::move(lengths);
  return layout;
}

template <class T>
std::vector<T> Normal(const FftLayout& layout) {
  std::mt19937 generator(7);
  std::normal_distribution<double> normal;
  std::vector<T> x(static_cast<size_t>(layout.ArgumentBytes()) / sizeof(T));
  for (T& v : x) v = static_cast<T>(normal(generator));
  return x;
}

template <class T>
void Check(FftLayout layout, VectorTarget target, int threads) {
  layout.wide = sizeof(T) == 8;
  const std::vector<T> x = Normal<T>(layout);
  const std::vector<Wide> expected = Expected(layout, x);
  const std::vector<T> y = Run(layout, x, threads, target);
  if (layout.type != FftLayout::kRealForward) {
    FftLayout apart = layout;
    apart.parts = true;
    std::vector<T> parts(x.size());
    for (size_t i = 0; i < x.size(); ++i) parts[i / 2 + i % 2 * (x.size() / 2)] = x[i];
    CHECK(Run(apart, parts, threads, target) == y);
  }
  long double error = 0, square = 0;
  for (size_t i = 0; i < expected.size(); ++i) {
    const Wide got =
        layout.type == FftLayout::kRealInverse ? Wide(y[i]) : Wide(y[2 * i], y[2 * i + 1]);
    error = std::max(error, std::abs(got - expected[i]));
    square += std::norm(expected[i]);
  }
  const long double mean = std::sqrt(square / static_cast<long double>(expected.size()));
  // Errors are those of the numbers' mean size: of about as many roundings as there are passes.
  const long double bound = 20 * std::numeric_limits<T>::epsilon() / 2 * mean;
  CAPTURE(layout.ToDims(), static_cast<int>(target), threads, static_cast<double>(error / bound));
  CHECK(error <= bound);
}

constexpr FftLayout::Type kTypes[] = {FftLayout::kForward, FftLayout::kInverse,
                                      FftLayout::kRealForward, FftLayout::kRealInverse};

void CheckAll(int64_t batch, const std::vector<int64_t>& lengths, VectorTarget target,
              int threads) {
  for (const FftLayout::Type type : kTypes) {
    Check<float>(Layout(type, false, batch, lengths), target, threads);
    Check<double>(Layout(type, true, batch, lengths), target, threads);
  }
}

std::vector<VectorTarget> Targets() {
  std::vector<VectorTarget> targets;
  for (const VectorTarget t :
       {VectorTarget::kBits128, VectorTarget::kBits256, VectorTarget::kBits512}) {
    if (t <= HostVectorTarget()) targets.push_back(t);
  }
  return targets;
}

TEST_CASE("Transforms of short lines are right on every instruction set") {
  for (const VectorTarget target : Targets()) {
    for (int64_t n = 1; n <= 40; ++n) CheckAll(n % 3 == 0 ? 17 : 5, {n}, target, 1);
    for (const int64_t n : {49, 59, 61, 64, 67, 71, 96, 105, 120, 128, 131})
      CheckAll(n % 2 == 0 ? 33 : 2, {n}, target, 1);
    // More of them than a vector has lanes, or a task has lines.
    for (const int64_t n : {1, 2, 3, 5, 8, 12, 31}) CheckAll(300, {n}, target, 2);
  }
}

TEST_CASE("Transforms of long lines are right") {
  const VectorTarget target = HostVectorTarget();
  // By two factors, in passes of primes, as convolutions with a chirp; by themselves and batched.
  for (const int64_t n : {143, 169, 251, 256, 509, 512, 1000, 1009, 1024, 2187})
    CheckAll(n % 2 == 0 ? 17 : 1, {n}, target, 1);
  for (const int64_t n : {2053, 3721, 4096, 16384, 30030}) CheckAll(1, {n}, target, 2);
  Check<float>(Layout(FftLayout::kForward, false, 1, {int64_t{1} << 20}), target, 2);
  Check<double>(Layout(FftLayout::kRealForward, true, 1, {int64_t{1} << 18}), target, 2);
  // A prime: some elements, by their sums.
  const size_t n = 100003;
  const FftLayout layout = Layout(FftLayout::kForward, true, 1, {static_cast<int64_t>(n)});
  const std::vector<double> x = Normal<double>(layout), y = Run(layout, x, 2, target);
  const std::vector<Wide> roots = Roots(n, -1);
  for (const size_t k : {size_t{0}, size_t{1}, n / 3, n / 2, n - 1}) {
    Wide sum = 0;
    for (size_t j = 0; j < n; ++j) sum += Wide(x[2 * j], x[2 * j + 1]) * roots[j * k % n];
    CHECK(std::abs(sum - Wide(y[2 * k], y[2 * k + 1])) <=
          20 * std::numeric_limits<double>::epsilon() * std::sqrt(static_cast<double>(2 * n)));
  }
  Check<float>(Layout(FftLayout::kRealInverse, false, 1, {226981}), target, 2);
}

TEST_CASE("Transforms of lengths with a large prime factor are right") {
  // A line of its own is a matrix of which one extent is a prime, or a convolution with a chirp.
  for (const VectorTarget target : Targets()) {
    for (const int64_t n : {127, 254, 889, 1018, 1778}) {
      for (const int64_t batch : {1, 5}) CheckAll(batch, {n}, target, 2);
    }
  }
  CheckAll(3, {4087}, HostVectorTarget(), 2);
  CheckAll(20, {1018}, HostVectorTarget(), 1);
  // Side by side: the prime's transforms are cyclic convolutions (67, 109, 127) or ones with a
  // chirp (1187, as 1186 = 2 x 593); of 67 x 71 the whole is one.
  for (const VectorTarget target : Targets()) {
    for (const int64_t n : {134, 201, 381}) CheckAll(33, {n}, target, 1);
    CheckAll(17, {763}, target, 1);
    CheckAll(3, {134, 9}, target, 2);
    CheckAll(2, {7, 201}, target, 2);
  }
  CheckAll(40, {2374}, HostVectorTarget(), 1);
  CheckAll(17, {4757}, HostVectorTarget(), 1);
}

TEST_CASE("Transforms of several dimensions are right") {
  for (const VectorTarget target : Targets()) {
    CheckAll(2, {5, 7}, target, 1);
    CheckAll(3, {16, 16}, target, 3);
    CheckAll(2, {4, 6, 10}, target, 1);
    CheckAll(1, {1, 1, 1}, target, 1);
    // Real lines of one element are rows and columns alike.
    for (const int64_t n : {1, 3, 8}) {
      CheckAll(1, {n, 1}, target, 1);
      CheckAll(2, {n, 1}, target, 1);
      CheckAll(3, {5, n, 1}, target, 1);
      CheckAll(3, {n, 1, 1}, target, 1);
      CheckAll(2, {n, 1, 3}, target, 1);
    }
    CheckAll(1, {3, 131, 20}, target, 1);
  }
  const VectorTarget target = HostVectorTarget();
  CheckAll(1, {30, 17, 67}, target, 3);
  CheckAll(1, {257, 3}, target, 1);
  CheckAll(1, {20000, 4}, target, 2);
  CheckAll(4, {32, 100}, target, 3);
  CheckAll(1, {200, 300}, target, 2);
}

TEST_CASE("A large batch is transformed in parts") {
  for (const FftLayout::Type type : kTypes) {
    const FftLayout whole = Layout(type, false, 24, {256, 640});
    const int64_t together = whole.Together();
    CHECK(together > 1);
    REQUIRE(together < 24);
    const FftLayout part = Layout(type, false, together, {256, 640});
    const std::vector<float> x = Normal<float>(whole), y = Run(whole, x, 2);
    const auto in = static_cast<size_t>(part.ArgumentBytes()) / sizeof(float),
               out = static_cast<size_t>(part.ResultBytes()) / sizeof(float);
    for (size_t k = 0; k < x.size() / in; ++k) {
      const std::vector<float> own(&x[k * in], &x[k * in] + in);
      CHECK(Run(part, own, 1) == std::vector<float>(&y[k * out], &y[k * out] + out));
    }
    if (type == FftLayout::kRealForward) continue;
    FftLayout apart = whole;
    apart.parts = true;
    std::vector<float> parts(x.size());
    for (size_t i = 0; i < x.size(); ++i) parts[i / 2 + i % 2 * (x.size() / 2)] = x[i];
    CHECK(Run(apart, parts, 2) == y);
  }
  // What is one stage needs no parts.
  CHECK(Layout(FftLayout::kForward, false, 10000, {64, 64}).Together() == 10000);
}

TEST_CASE("Transforms do not depend on the number of threads") {
  for (const FftLayout::Type type : kTypes) {
    for (const auto& [batch, lengths] : std::vector<std::pair<int64_t, std::vector<int64_t>>>{
             {100, {105}}, {1, {65536}}, {3, {64, 48}}, {1, {9, 300, 35}}, {1, {40009}}}) {
      const FftLayout layout = Layout(type, false, batch, lengths);
      const std::vector<float> x = Normal<float>(layout), serial = Run(layout, x, 1);
      for (const int threads : {2, 5}) CHECK(Run(layout, x, threads) == serial);
    }
  }
}

TEST_CASE("Columns that fill no vector, of one image after another") {
  for (const VectorTarget target : Targets())
    for (const int64_t n : {3, 8, 20, 28}) CheckAll(40, {n, n}, target, 2);
}

TEST_CASE("Lines do not see what others hold") {
  for (const FftLayout::Type type : kTypes) {
    for (const int64_t n : {12, 105, 67, 1024}) {
      const FftLayout layout = Layout(type, false, 20, {n});
      std::vector<float> x = Normal<float>(layout);
      const std::vector<float> before = Run(layout, x, 1);
      const size_t row = x.size() / 20, result = before.size() / 20;
      x[3 * row] = std::numeric_limits<float>::infinity();
      x[7 * row + 1] = std::numeric_limits<float>::quiet_NaN();
      const std::vector<float> after = Run(layout, x, 1);
      for (size_t i = 0; i < before.size(); ++i) {
        const size_t line = i / result;
        if (line != 3 && line != 7) REQUIRE(after[i] == before[i]);
      }
      bool finite = true;
      for (size_t i = 0; i < result; ++i) finite &= std::isfinite(after[3 * result + i]);
      CHECK(!finite);
    }
  }
}

TEST_CASE("Denormal numbers are transformed as others are") {
  for (const int64_t n : {16, 60, 1024}) {
    const FftLayout layout = Layout(FftLayout::kForward, true, 2, {n});
    std::vector<double> x = Normal<double>(layout);
    // Sums of integers below 2^20 are exact but for the roots.
    for (double& v : x) v = std::ldexp(std::round(v * 1024), -1074);
    const std::vector<double> y = Run(layout, x, 1);
    std::vector<double> scaled(x);
    for (double& v : scaled) v = std::ldexp(v, 1074);
    const std::vector<double> z = Run(layout, scaled, 1);
    for (size_t i = 0; i < y.size(); ++i) {
      // Each rounding to a denormal number loses half a unit at most.
      REQUIRE(std::abs(std::ldexp(y[i], 1074) - z[i]) <= 64);
    }
  }
}

TEST_CASE("Lines with others beside them") {
  for (const FftLayout::Type type : {FftLayout::kForward, FftLayout::kInverse}) {
    for (const int64_t n : {1, 8, 60, 331, 1000, 1009, 6007}) {
      for (const int64_t inner : {3, 16, 37}) {
        if (n > 2000 && inner > 3) continue;
        FftLayout layout = Layout(type, false, 2, {n});
        layout.inner = inner;
        Check<float>(layout, HostVectorTarget(), 2);
        if (n < 100) Check<double>(layout, HostVectorTarget(), 2);
      }
    }
  }
}

TEST_CASE("Empty batches and calls that do not fit are told apart") {
  const FftLayout empty = Layout(FftLayout::kForward, false, 0, {8});
  CHECK(Run<float>(empty, {}, 1).empty());
  const std::vector<int64_t> dims = Layout(FftLayout::kForward, false, 2, {8}).ToDims();
  auto check = [](std::vector<int64_t> of, std::vector<int64_t> sizes) {
    return CheckFft({sizes, of, false}).ok();
  };
  const std::vector<int64_t> sizes{128, 128, int64_t{1} << 30};
  CHECK(check(dims, sizes));
  CHECK_FALSE(check(dims, {127, 128, int64_t{1} << 30}));
  CHECK_FALSE(check(dims, {128, 127, int64_t{1} << 30}));
  CHECK_FALSE(check(dims, {128, 128, 0}));
  CHECK_FALSE(check({0, 0, 0, 2, 1, 2}, sizes));
  CHECK_FALSE(check({4, 0, 0, 2, 1, 2, 8}, sizes));
  CHECK_FALSE(check({0, 0, 0, 2, 1, 2, 0}, sizes));
  CHECK_FALSE(check({0, 0, 2, 2, 1, 2, 8}, sizes));
  CHECK_FALSE(check({2, 0, 1, 2, 1, 2, 8}, sizes));
  CHECK_FALSE(check({2, 0, 0, 2, 3, 2, 8}, sizes));
  CHECK(check({0, 0, 1, 2, 1, 2, 8}, {64, 64, 128, int64_t{1} << 30}));
  CHECK_FALSE(check({0, 0, 1, 2, 1, 2, 8}, sizes));
  CHECK(check({0, 0, 0, 1, 2, 2, 8}, sizes));
  CHECK_FALSE(check({0, 0, 0, 2, 1, 2, int64_t{1} << 40, int64_t{1} << 40}, sizes));
}

}  // namespace
}  // namespace sinter::runtime::cpu
