// The library's sort, called as a program's step calls it.
#include "runtime/cpu/sort.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "program/sort_layout.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

// Pseudo-random numbers, the same each time.
uint64_t Next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 20;
}

struct Call {
  SortLayout layout;
  std::vector<std::vector<uint8_t>> arrays;  // operands, results, scratch

  void Run(int threads, program::StageFunction stage = nullptr) {
    arrays.resize(2 * layout.widths.size());
    for (size_t k = 0; k < layout.widths.size(); ++k)
      arrays[layout.widths.size() + k].assign(arrays[k].size(), 0);
    arrays.emplace_back(static_cast<size_t>(layout.ScratchBytes() + 64));
    std::vector<void*> buffers;
    std::vector<int64_t> sizes;
    for (auto& a : arrays) {
      buffers.push_back(a.data());
      sizes.push_back(static_cast<int64_t>(a.size()));
    }
    auto scratch = reinterpret_cast<uintptr_t>(buffers.back());
    buffers.back() = reinterpret_cast<void*>((scratch + 63) / 64 * 64);
    const std::vector<int64_t> dims = layout.ToDims();
    REQUIRE(CheckSort({sizes, dims, stage != nullptr}).ok());
    auto workers = threads == 1 ? MakeInlineWorkers() : MakePoolWorkers(threads);
    Sort(
        {buffers.data(), dims.data(), stage, *workers, FpMode::kKeepDenormals, HostVectorTarget()});
  }
  template <class T>
  T At(size_t array, size_t i) const {
    T x;
    std::memcpy(&x, arrays[array].data() + i * sizeof(T), sizeof(T));
    return x;
  }
};

template <class Key>
void CheckKeys(int64_t outer, int64_t extent, int64_t inner, int threads, bool payload,
               uint64_t mask) {
  Call call{{outer, extent, inner, false, {sizeof(Key)}}, {}};
  const auto n = static_cast<size_t>(outer * extent * inner);
  uint64_t state = 7;
  std::vector<Key> keys(n);
  for (Key& k : keys) k = static_cast<Key>(Next(state) & mask);
  std::vector<uint32_t> positions(n);
  std::iota(positions.begin(), positions.end(), 0u);
  auto bytes = [](const auto& v) {
    auto* p = reinterpret_cast<const uint8_t*>(v.data());
    return std::vector<uint8_t>(p, p + v.size() * sizeof(v[0]));
  };
  call.arrays = {bytes(keys)};
  if (payload) {
    call.layout.widths.push_back(4);
    call.arrays.push_back(bytes(positions));
  }
  call.Run(threads);
  const size_t results = call.layout.widths.size();
  bool same = true;
  for (int64_t o = 0; o < outer; ++o) {
    for (int64_t i = 0; i < inner; ++i) {
      std::vector<size_t> row;
      for (int64_t e = 0; e < extent; ++e)
        row.push_back(static_cast<size_t>((o * extent + e) * inner + i));
      std::vector<size_t> sorted = row;
      std::stable_sort(sorted.begin(), sorted.end(),
                       [&](size_t a, size_t b) { return keys[a] < keys[b]; });
      for (size_t e = 0; e < row.size(); ++e) {
        same &= call.At<Key>(results, row[e]) == keys[sorted[e]];
        if (payload) same &= call.At<uint32_t>(results + 1, row[e]) == sorted[e];
      }
    }
  }
  CHECK(same);
}

TEST_CASE("Sort by unsigned keys") {
  for (bool payload : {false, true}) {
    for (int64_t extent : {1, 2, 23, 24, 25, 300, 5000}) {
      CheckKeys<uint8_t>(2, extent, 3, 1, payload, ~uint64_t{0});
      CheckKeys<uint16_t>(1, extent, 1, 1, payload, 0x3ff);
      CheckKeys<uint32_t>(3, extent, 1, 3, payload, ~uint64_t{0});
      CheckKeys<uint32_t>(1, extent, 5, 2, payload, 0xff00);
      CheckKeys<uint64_t>(2, extent, 1, 2, payload, ~uint64_t{0});
    }
  }
}

// Larger by the low four bits of the first operand, then smaller by the second.
void Comparator(void* const* buffers, const int64_t*, int64_t, int64_t, void*) {
  const int a = *static_cast<const int16_t*>(buffers[0]) & 15,
            b = *static_cast<const int16_t*>(buffers[1]) & 15;
  const double c = *static_cast<const double*>(buffers[2]),
               d = *static_cast<const double*>(buffers[3]);
  *static_cast<uint8_t*>(buffers[4]) = a > b || (a == b && c < d);
}

TEST_CASE("Sort by a comparator") {
  for (int64_t extent : {1, 2, 3, 7, 64, 65, 1000}) {
    for (int64_t inner : {1, 3}) {
      Call call{{2, extent, inner, true, {2, 8}}, {}};
      const auto n = static_cast<size_t>(2 * extent * inner);
      uint64_t state = 5;
      std::vector<int16_t> x(n);
      std::vector<double> y(n);
      for (size_t i = 0; i < n; ++i) {
        x[i] = static_cast<int16_t>(Next(state));
        y[i] = static_cast<double>(Next(state) % 8);
      }
      auto* px = reinterpret_cast<const uint8_t*>(x.data());
      auto* py = reinterpret_cast<const uint8_t*>(y.data());
      call.arrays = {{px, px + 2 * n}, {py, py + 8 * n}};
      call.Run(2, Comparator);
      bool same = true;
      for (int64_t o = 0; o < 2; ++o) {
        for (int64_t i = 0; i < inner; ++i) {
          std::vector<size_t> row;
          for (int64_t e = 0; e < extent; ++e)
            row.push_back(static_cast<size_t>((o * extent + e) * inner + i));
          std::vector<size_t> sorted = row;
          std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
            const int p = x[a] & 15, q = x[b] & 15;
            return p > q || (p == q && y[a] < y[b]);
          });
          for (size_t e = 0; e < row.size(); ++e) {
            same &= call.At<int16_t>(2, row[e]) == x[sorted[e]];
            same &= call.At<double>(3, row[e]) == y[sorted[e]];
          }
        }
      }
      CHECK(same);
    }
  }
}

TEST_CASE("A call of sort that does not fit its buffers is refused") {
  SortLayout layout{1, 10, 1, false, {4}};
  const std::vector<int64_t> dims = layout.ToDims();
  const int64_t scratch = layout.ScratchBytes();
  auto check = [&](std::vector<int64_t> sizes, std::vector<int64_t> d) {
    return CheckSort({sizes, d, false}).ok();
  };
  CHECK(check({40, 40, scratch}, dims));
  CHECK_FALSE(check({40, 39, scratch}, dims));
  CHECK_FALSE(check({40, 40, scratch - 1}, dims));
  CHECK_FALSE(check({40, 40}, dims));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10}));
  CHECK_FALSE(check({40, 40, scratch}, {1, -10, 1, 1, 4}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 3}));
}

}  // namespace
}  // namespace sinter::runtime::cpu
