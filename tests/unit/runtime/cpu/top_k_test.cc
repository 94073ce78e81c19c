// The library's top-k, called as a program's step calls it.
#include "runtime/cpu/top_k.h"

#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "program/sort_layout.h"

namespace sinter::runtime::cpu {
namespace {

using program::TopKLayout;

std::vector<uint32_t> Run(const TopKLayout& layout, std::vector<uint32_t> x, int threads,
                          std::vector<uint32_t>* values, VectorTarget target = HostVectorTarget()) {
  const auto results = static_cast<size_t>(layout.rows * layout.k);
  std::vector<uint32_t> positions(results);
  values->assign(results, 0);
  std::vector<uint64_t> scratch(static_cast<size_t>(layout.ScratchBytes() / 8 + 8));
  auto* aligned =
      reinterpret_cast<void*>((reinterpret_cast<uintptr_t>(scratch.data()) + 63) / 64 * 64);
  void* buffers[] = {x.data(), values->data(), positions.data(), aligned};
  const std::vector<int64_t> dims = layout.ToDims(),
                             sizes{static_cast<int64_t>(4 * x.size()),
                                   static_cast<int64_t>(4 * results),
                                   static_cast<int64_t>(4 * results), layout.ScratchBytes()};
  REQUIRE(CheckTopK({sizes, dims, false}).ok());
  auto workers = threads == 1 ? MakeInlineWorkers() : MakePoolWorkers(threads);
  TopK({buffers, dims.data(), nullptr, *workers, FpMode::kKeepDenormals, target});
  return positions;
}

bool Before(const TopKLayout& layout, uint32_t a, uint32_t b) {
  if (!layout.largest) std::swap(a, b);
  if (layout.order == TopKLayout::kUnsigned) return a > b;
  if (layout.order == TopKLayout::kMerged) {
    const auto v = std::bit_cast<float>(a), w = std::bit_cast<float>(b);
    return std::isnan(v) ? !std::isnan(w) : v > w;
  }
  auto x = static_cast<int32_t>(a), y = static_cast<int32_t>(b);
  // The total order of floats is that of sign and magnitude.
  if (layout.order == TopKLayout::kFloat) {
    if (x < 0) x ^= 0x7fffffff;
    if (y < 0) y ^= 0x7fffffff;
  }
  return x > y;
}

void Check(const TopKLayout& layout, const std::vector<uint32_t>& x, int threads) {
  std::vector<uint32_t> values;
  const std::vector<uint32_t> positions = Run(layout, x, threads, &values);
  const auto n = static_cast<size_t>(layout.extent), k = static_cast<size_t>(layout.k);
  bool same = true;
  for (size_t row = 0; row < static_cast<size_t>(layout.rows); ++row) {
    std::vector<uint32_t> sorted(n);
    std::iota(sorted.begin(), sorted.end(), 0u);
    std::stable_sort(sorted.begin(), sorted.end(), [&](uint32_t a, uint32_t b) {
      return Before(layout, x[row * n + a], x[row * n + b]);
    });
    for (size_t i = 0; i < k; ++i) {
      same &= positions[row * k + i] == sorted[i];
      same &= values[row * k + i] == x[row * n + sorted[i]];
    }
  }
  INFO(layout.k << " of " << layout.extent << " in " << layout.rows << " rows, order "
                << layout.order << ", threads " << threads);
  CHECK(same);
}

TEST_CASE("The first k of rows") {
  uint64_t state = 11;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(state >> 31);
  };
  for (auto order :
       {TopKLayout::kUnsigned, TopKLayout::kSigned, TopKLayout::kFloat, TopKLayout::kMerged}) {
    for (bool largest : {true, false}) {
      for (auto [rows, extent, k] : std::vector<std::array<int64_t, 3>>{{1, 1, 1},
                                                                        {3, 5, 0},
                                                                        {2, 7, 7},
                                                                        {4, 100, 3},
                                                                        {20, 1000, 40},
                                                                        {9, 300, 51},
                                                                        {9, 64, 2},
                                                                        {8, 1, 1},
                                                                        {40, 8, 2},
                                                                        {17, 70, 1},
                                                                        {33, 100, 16},
                                                                        {50, 300, 5},
                                                                        {21, 16, 16},
                                                                        {1, 5000, 600},
                                                                        {2, 3000, 2999},
                                                                        {1, 40000, 1},
                                                                        {3, 40000, 64},
                                                                        {1, 70000, 5000}}) {
        for (uint32_t mask : {~0u, 3u, 0x80000000u}) {
          std::vector<uint32_t> x(static_cast<size_t>(rows * extent));
          for (uint32_t& e : x) e = next() & mask;
          Check({rows, extent, k, order, largest}, x, extent > 30000 ? 3 : 1);
        }
      }
    }
  }
}

TEST_CASE("The first k of rows in order, and of floats that are no numbers") {
  constexpr uint32_t kCount = 50000;
  std::vector<uint32_t> up(kCount), down(kCount), floats(kCount);
  for (uint32_t i = 0; i < kCount; ++i) {
    up[i] = i;
    down[i] = kCount - i;
    floats[i] = std::bit_cast<uint32_t>(i % 5 == 0   ? std::numeric_limits<float>::quiet_NaN()
                                        : i % 5 == 1 ? -std::numeric_limits<float>::infinity()
                                        : i % 5 == 2 ? -0.0f
                                        : i % 5 == 3 ? 0.0f
                                                     : -std::numeric_limits<float>::quiet_NaN());
  }
  for (bool largest : {true, false}) {
    for (int64_t k : {10, 1000, 20000}) {
      Check({1, kCount, k, TopKLayout::kUnsigned, largest}, up, 2);
      Check({1, kCount, k, TopKLayout::kUnsigned, largest}, down, 2);
      Check({1, kCount, k, TopKLayout::kFloat, largest}, floats, 2);
      Check({10, kCount / 10, k / 10, TopKLayout::kFloat, largest}, floats, 1);
      Check({1, kCount, k, TopKLayout::kMerged, largest}, floats, 2);
      Check({50, kCount / 50, k / 100, TopKLayout::kMerged, largest}, floats, 1);
    }
  }
}

TEST_CASE("The first k by each instruction set") {
  std::vector<uint32_t> x(9000), expected;
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<uint32_t>(i * 2654435761u);
  for (const auto order : {TopKLayout::kFloat, TopKLayout::kMerged}) {
    const TopKLayout layout{3, 3000, 50, order, true};
    const std::vector<uint32_t> at = Run(layout, x, 1, &expected);
    for (VectorTarget target : {VectorTarget::kBits128, VectorTarget::kBits256}) {
      if (target > HostVectorTarget()) continue;
      std::vector<uint32_t> values;
      CHECK(Run(layout, x, 1, &values, target) == at);
      CHECK(values == expected);
    }
  }
}

TEST_CASE("A call of top-k that does not fit its buffers is refused") {
  const TopKLayout layout{2, 10, 3, TopKLayout::kFloat, true};
  const std::vector<int64_t> dims = layout.ToDims();
  const int64_t scratch = layout.ScratchBytes();
  auto check = [&](std::vector<int64_t> sizes, std::vector<int64_t> d) {
    return CheckTopK({sizes, d, false}).ok();
  };
  CHECK(check({80, 24, 24, scratch}, dims));
  CHECK_FALSE(check({79, 24, 24, scratch}, dims));
  CHECK_FALSE(check({80, 23, 24, scratch}, dims));
  CHECK_FALSE(check({80, 24, 23, scratch}, dims));
  CHECK_FALSE(check({80, 24, 24, scratch - 1}, dims));
  CHECK_FALSE(check({80, 24, 24}, dims));
  CHECK_FALSE(check({80, 24, 24, scratch}, {2, 10, 11, 2, 1, 2}));
  CHECK_FALSE(check({80, 24, 24, scratch}, {2, -10, 3, 2, 1, 2}));
  CHECK_FALSE(check({80, 24, 24, scratch}, {int64_t{1} << 62, 10, 3, 2, 1, 2}));
  CHECK_FALSE(check({80, 24, 24, scratch}, {2, 10, 3, 4, 1, 2}));
}

}  // namespace
}  // namespace sinter::runtime::cpu
