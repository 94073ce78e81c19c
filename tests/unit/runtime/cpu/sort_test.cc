// The library's sort, called as a program's step calls it.
#include "runtime/cpu/sort.h"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <numeric>

#include "program/sort_layout.h"
#include "runtime/cpu/sort_columns_vectors.h"
#include "runtime/cpu/sort_digits.h"
#include "runtime/cpu/sort_vectors.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

// Pseudo-random numbers, the same each time.
uint64_t Next(uint64_t& state) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return state >> 20;
}

// Rows that are sorted by their only operand.
template <class Key>
SortLayout LayoutOf(int64_t rows, int64_t extent, const SortLayout::Key& key = {}) {
  return {rows, extent, 1, {{sizeof(Key)}}, {key}};
}

struct Call {
  SortLayout layout;
  std::vector<std::vector<uint8_t>> arrays;  // operands, results, scratch

  void Run(int threads, program::StageFunction stage = nullptr) {
    const size_t n = layout.operands.size();
    arrays.resize(2 * n);
    for (size_t k = 0; k < n; ++k) arrays[n + k].assign(arrays[k].size(), 0);
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

template <class T>
std::vector<uint8_t> BytesOf(const std::vector<T>& v) {
  auto* p = reinterpret_cast<const uint8_t*>(v.data());
  return {p, p + v.size() * sizeof(T)};
}

// Sorts rows of these keys, alone or with their positions.
template <class Key>
void CheckRows(const std::vector<Key>& keys, int64_t rows, int threads, bool payload) {
  const size_t n = keys.size() / static_cast<size_t>(rows);
  Call call{LayoutOf<Key>(rows, static_cast<int64_t>(n)), {}};
  std::vector<uint32_t> positions(keys.size());
  for (size_t i = 0; i < keys.size(); ++i) positions[i] = static_cast<uint32_t>(i % n);
  call.arrays = {BytesOf(keys)};
  if (payload) {
    call.layout.operands.push_back({4});
    call.arrays.push_back(BytesOf(positions));
  }
  call.Run(threads);
  const size_t results = call.layout.operands.size();
  bool same = true;
  for (size_t row = 0; row < keys.size(); row += n) {
    std::vector<uint32_t> sorted(positions.begin(), positions.begin() + static_cast<ptrdiff_t>(n));
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](uint32_t a, uint32_t b) { return keys[row + a] < keys[row + b]; });
    for (size_t e = 0; e < n; ++e) {
      same &= call.At<Key>(results, row + e) == keys[row + sorted[e]];
      if (payload) same &= call.At<uint32_t>(results + 1, row + e) == sorted[e];
    }
  }
  INFO("rows " << rows << " of " << n << ", " << sizeof(Key) << " bytes, threads " << threads);
  CHECK(same);
}

template <class Key>
void CheckKeys(int64_t rows, int64_t extent, int threads, bool payload, uint64_t mask) {
  uint64_t state = 7;
  std::vector<Key> keys(static_cast<size_t>(rows * extent));
  for (Key& k : keys) k = static_cast<Key>((Next(state) << 40 ^ Next(state)) & mask);
  CheckRows(keys, rows, threads, payload);
}

TEST_CASE("Sort by unsigned keys") {
  for (bool payload : {false, true}) {
    for (int64_t extent : {1, 2, 8, 9, 23, 64, 65, 300, 5000}) {
      CheckKeys<uint8_t>(6, extent, 1, payload, ~uint64_t{0});
      CheckKeys<uint16_t>(1, extent, 1, payload, 0x3ff);
      CheckKeys<uint32_t>(3, extent, 3, payload, ~uint64_t{0});
      CheckKeys<uint32_t>(5, extent, 2, payload, 0xff00);
      CheckKeys<uint64_t>(2, extent, 2, payload, ~uint64_t{0});
      CheckKeys<uint64_t>(2, extent, 1, payload, 0xffff00000000000full);
      CheckKeys<uint64_t>(1, extent, 1, payload, 0xff0000);
    }
  }
}

TEST_CASE("Rows that threads share") {
  for (bool payload : {false, true}) {
    for (int threads : {1, 2, 3, 5}) {
      CheckKeys<uint16_t>(1, 40000, threads, payload, ~uint64_t{0});
      CheckKeys<uint32_t>(2, 33333, threads, payload, ~uint64_t{0});
      CheckKeys<uint32_t>(1, 40000, threads, payload, 3);
      CheckKeys<uint64_t>(1, 50000, threads, payload, ~uint64_t{0});
      CheckKeys<uint64_t>(1, 33000, threads, payload, 0xf000000000000001ull);
    }
  }
}

// Orders that sorts are known to be slow or wrong for.
TEST_CASE("Sort of keys that are in order, equal, or organ pipes") {
  for (size_t n : {100u, 257u, 4096u, 70000u}) {
    std::vector<uint32_t> up(n), down(n), equal(n, ~0u), pipes(n), few(n);
    for (uint32_t i = 0; i < n; ++i) {
      up[i] = i;
      down[i] = static_cast<uint32_t>(n) - i;
      pipes[i] = std::min(i, static_cast<uint32_t>(n) - i);
      few[i] = i % 16 == 0 ? i : ~0u;
    }
    for (const auto& keys : {up, down, equal, pipes, few}) {
      CheckRows(keys, 1, 2, false);
      CheckRows(keys, 1, 2, true);
    }
  }
}

TEST_CASE("Sorts and partitions of each instruction set") {
  for (VectorTarget target :
       {VectorTarget::kBits128, VectorTarget::kBits256, VectorTarget::kBits512}) {
    if (target > HostVectorTarget()) continue;
    const VectorSort<uint64_t> sort64 = VectorSortFor<uint64_t>(target);
    const VectorSort<uint32_t> sort32 = VectorSortFor<uint32_t>(target);
    uint64_t state = 3;
    for (size_t n = 0; n < 600; n += n < 40 ? 1 : 13) {
      auto check = [&](auto sort, auto key) {
        using Key = decltype(key);
        std::vector<Key> keys(n);
        for (Key& k : keys) k = static_cast<Key>(Next(state) * 0x9e3779b97f4a7c15u);
        std::vector<Key> sorted = keys, low(n + 8, Key{77}), high(n + 8, Key{77});
        std::sort(sorted.begin(), sorted.end());
        const Key pivot = n == 0 ? Key{5} : keys[n / 2];
        const size_t below = sort.partition(keys.data(), n, pivot, low.data(), high.data());
        std::vector<Key> want_low, want_high;
        for (Key k : keys) (k < pivot ? want_low : want_high).push_back(k);
        low.resize(below);
        CHECK(low == want_low);
        CHECK(std::equal(want_high.begin(), want_high.end(), high.begin()));
        CHECK(high.back() == 77);
        std::vector<Key> parted = keys;
        CHECK(sort.part(parted.data(), n, pivot) == below);
        CHECK(std::is_partitioned(parted.begin(), parted.end(), [&](Key k) { return k < pivot; }));
        std::sort(parted.begin(), parted.end());
        CHECK(parted == sorted);
        sort.sort(keys.data(), n);
        CHECK(keys == sorted);
      };
      check(sort64, uint64_t{});
      check(sort32, uint32_t{});
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

// Sorts pseudo-random integers below `most` by their bits from `low` on, elsewhere and in place.
template <class T>
void CheckDigits(size_t n, uint64_t most, int low) {
  uint64_t state = n + most;
  std::vector<T> keys(n);
  for (T& k : keys) k = static_cast<T>(Next(state) * Next(state) % most);
  std::vector<T> want = keys, to(n), spare(n), in_place = keys;
  std::stable_sort(want.begin(), want.end(), [&](T a, T b) { return a >> low < b >> low; });
  int high = low;
  while (high < 64 && (most - 1) >> high != 0) ++high;
  INFO(n << " of " << sizeof(T) << " bytes below " << most << " from bit " << low << " on");
  SortByDigits(keys.data(), n, low, high, to.data(), spare.data());
  CHECK(to == want);
  SortByDigits(in_place.data(), n, low, high, in_place.data(), spare.data());
  CHECK(in_place == want);
}

TEST_CASE("Sort by digits, some of which are the same everywhere") {
  for (size_t n : {0, 1, 2, 7, 8, 300, 5000}) {
    for (uint64_t most : {uint64_t{1}, uint64_t{200}, uint64_t{1} << 16, uint64_t{1} << 32})
      for (int low : {0, 8, 13, 24}) CheckDigits<uint32_t>(n, most, low);
    for (uint64_t most : {uint64_t{9}, uint64_t{1} << 31, uint64_t{1} << 45, uint64_t{1} << 63})
      for (int low : {0, 20, 45}) CheckDigits<uint64_t>(n, most, low);
    CheckDigits<uint16_t>(n, 1 << 16, 0);
    CheckDigits<uint8_t>(n, 200, 0);
  }
}

TEST_CASE("Sort by a comparator") {
  for (int64_t extent : {1, 2, 3, 7, 64, 65, 1000}) {
    for (int64_t rows : {2, 6}) {
      Call call{{rows, extent, 1, {{2}, {8}}, {}}, {}};
      const auto n = static_cast<size_t>(rows * extent);
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
      for (int64_t o = 0; o < rows; ++o) {
        std::vector<size_t> row;
        for (int64_t e = 0; e < extent; ++e) row.push_back(static_cast<size_t>(o * extent + e));
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
      CHECK(same);
    }
  }
}

// Elements by their own order: what comes before what by sign and magnitude, written down otherwise
// than the library has it.
template <class Key>
bool ComesBefore(const SortLayout::Key& by, Key a, Key b) {
  if (by.descending) std::swap(a, b);
  using Signed = std::make_signed_t<Key>;
  const auto x = static_cast<Signed>(a), y = static_cast<Signed>(b);
  if (by.order == SortLayout::kUnsigned) return a < b;
  if (by.order == SortLayout::kSigned) return x < y;
  const Key sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
  auto rank = [&](Key k) -> std::pair<int, int64_t> {
    const auto magnitude = static_cast<int64_t>(k & static_cast<Key>(~sign));
    const bool merged = by.order == SortLayout::kMerged;
    if (merged && magnitude > by.infinity) return {1, 0};
    if ((k & sign) == 0) return {0, magnitude};
    return {0, merged ? -magnitude : -magnitude - 1};
  };
  return rank(a) < rank(b);
}

template <class Key>
void CheckOrders(int64_t extent, int threads, int64_t infinity) {
  for (auto order :
       {SortLayout::kUnsigned, SortLayout::kSigned, SortLayout::kFloat, SortLayout::kMerged}) {
    for (bool descending : {false, true}) {
      const SortLayout::Key by{0, order, descending, infinity};
      uint64_t state = static_cast<uint64_t>(extent);
      std::vector<Key> keys(static_cast<size_t>(2 * extent));
      for (Key& k : keys) {
        k = static_cast<Key>(Next(state) << 24 ^ Next(state));
        const auto sign = static_cast<Key>(k & static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1)));
        if (k % 5 == 0) k = sign;                                                         // a zero
        if (k % 7 == 1) k = static_cast<Key>(sign | static_cast<Key>(infinity + k % 3));  // or NaN
      }
      Call call{LayoutOf<Key>(2, extent, by), {BytesOf(keys)}};
      call.Run(threads);
      bool same = true;
      for (size_t row = 0; row < 2; ++row) {
        const auto first = keys.begin() + static_cast<ptrdiff_t>(row) * extent;
        std::stable_sort(first, first + extent,
                         [&](Key a, Key b) { return ComesBefore(by, a, b); });
      }
      for (size_t i = 0; i < keys.size(); ++i) same &= call.At<Key>(1, i) == keys[i];
      INFO(extent << " of " << sizeof(Key) << " bytes, order " << order << ", descending "
                  << descending << ", threads " << threads);
      CHECK(same);
    }
  }
}

TEST_CASE("Sort of elements by their own order") {
  for (int threads : {1, 2, 3}) {
    for (int64_t extent : {1, 7, 64, 65, 1000}) {
      CheckOrders<uint8_t>(extent, threads, 0x70);
      CheckOrders<uint16_t>(extent, threads, 0x7c00);
      CheckOrders<uint32_t>(extent, threads, 0x7f800000);
      CheckOrders<uint64_t>(extent, threads, 0x7ff0000000000000);
    }
    CheckOrders<uint16_t>(SortLayout::kCounted, threads, 0x7f80);
    CheckOrders<uint16_t>(SortLayout::kCounted + 12345, threads, 0x7c00);
    CheckOrders<uint32_t>(50000, threads, 0x7f800000);
    CheckOrders<uint64_t>(50000, threads, 0x7ff0000000000000);
  }
}

// Of rows that are so short that several are sorted at once, one after another or side by side.
template <class Key>
void CheckShortRows(SortLayout layout, int threads) {
  const auto rows = static_cast<size_t>(layout.rows), n = static_cast<size_t>(layout.extent),
             inner = static_cast<size_t>(layout.inner), others = layout.operands.size() - 1;
  const SortLayout::Key by = layout.keys[0];
  uint64_t state = rows * n;
  std::vector<Key> keys(rows * n);
  for (Key& k : keys) {
    k = static_cast<Key>(Next(state) << 24 ^ Next(state));
    const auto sign = static_cast<Key>(k & static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1)));
    if (k % 5 == 0) k = sign;
    if (k % 7 == 1) k = static_cast<Key>(sign | static_cast<Key>(by.infinity + k % 3));
  }
  std::vector<uint64_t> values(rows * n), places(rows * n);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = i * 77;
    places[i] = i / inner % n;
  }
  Call call{layout, {BytesOf(keys)}};
  if (others > 0) call.arrays.push_back(BytesOf(values));
  if (others > 1) call.arrays.push_back(BytesOf(places));
  call.Run(threads);
  bool same = true;
  for (size_t row = 0; row < rows; ++row) {
    const size_t first = row / inner * inner * n + row % inner;
    std::vector<size_t> sorted(n);
    for (size_t e = 0; e < n; ++e) sorted[e] = first + e * inner;
    std::stable_sort(sorted.begin(), sorted.end(),
                     [&](size_t a, size_t b) { return ComesBefore(by, keys[a], keys[b]); });
    for (size_t e = 0; e < n; ++e) {
      const size_t at = first + e * inner;
      same &= call.At<Key>(others + 1, at) == keys[sorted[e]];
      if (others > 0) same &= call.At<uint64_t>(others + 2, at) == values[sorted[e]];
      if (others > 1) same &= call.At<uint64_t>(others + 3, at) == places[sorted[e]];
    }
  }
  INFO(rows << " rows of " << n << ", " << inner << " side by side, " << sizeof(Key)
            << " bytes, order " << by.order << ", descending " << by.descending << ", others "
            << others);
  CHECK(same);
}

template <class Key>
void CheckShortRows(int64_t infinity) {
  for (int64_t extent : {1, 2, 3, 9, 16, 31, 64}) {
    for (auto [rows, inner] :
         {std::pair<int64_t, int64_t>{16, 1}, {200, 1}, {130, 130}, {99, 33}}) {
      SortLayout layout = LayoutOf<Key>(rows, extent);
      layout.inner = inner;
      REQUIRE(layout.HasShortRows());
      for (auto order :
           {SortLayout::kUnsigned, SortLayout::kSigned, SortLayout::kFloat, SortLayout::kMerged}) {
        for (bool descending : {false, true}) {
          layout.keys[0] = {0, order, descending, infinity};
          layout.operands.resize(1);
          CheckShortRows<Key>(layout, 2);
          layout.operands.push_back({8});
          CheckShortRows<Key>(layout, 3);
          layout.operands.push_back({8, SortLayout::kPositions});
          CheckShortRows<Key>(layout, 1);
        }
      }
    }
  }
}

TEST_CASE("Sorts of many short rows") {
  CheckShortRows<uint8_t>(0x70);
  CheckShortRows<uint16_t>(0x7c00);
  CheckShortRows<uint32_t>(0x7f800000);
  CheckShortRows<uint64_t>(0x7ff0000000000000);
}

TEST_CASE("Columns that each instruction set sorts") {
  for (VectorTarget target :
       {VectorTarget::kBits128, VectorTarget::kBits256, VectorTarget::kBits512}) {
    if (target > HostVectorTarget()) continue;
    auto check = [&](auto key) {
      using Key = decltype(key);
      const ColumnSort<Key> columns = ColumnSortFor<Key>(target);
      constexpr size_t kColumns = ColumnSort<Key>::kColumns;
      alignas(64) std::array<Key, 3 * kColumns> keys, seconds;
      uint64_t state = 11;
      for (size_t i = 0; i < keys.size(); ++i) {
        keys[i] = static_cast<Key>(Next(state) % 3 * (~Key{0} / 2));
        seconds[i] = static_cast<Key>(i / kColumns);
      }
      alignas(64) auto alone = keys, pairs = keys;
      const Exchange exchanges[] = {{0, 1}, {1, 2}, {0, 1}};
      columns.run(alone.data(), exchanges, 3);
      columns.run_pairs(pairs.data(), seconds.data(), exchanges, 3);
      for (size_t c = 0; c < kColumns; ++c) {
        std::array<std::pair<Key, Key>, 3> want;
        for (size_t r = 0; r < 3; ++r) want[r] = {keys[r * kColumns + c], static_cast<Key>(r)};
        std::sort(want.begin(), want.end());
        for (size_t r = 0; r < 3; ++r) {
          const size_t at = r * kColumns + c;
          CHECK(alone[at] == want[r].first);
          CHECK((pairs[at] == want[r].first && seconds[at] == want[r].second));
        }
      }
      std::array<Key, kColumns> floats{};
      const auto sign = static_cast<Key>(Key{1} << (8 * sizeof(Key) - 1));
      const auto infinity = static_cast<Key>(sign / 2);
      for (size_t i = 0; i < kColumns; ++i) {
        for (Key x : {Key{0}, infinity, static_cast<Key>(sign | infinity), Key{7}}) {
          floats[i] = x;
          CHECK_FALSE(columns.has_special(floats.data(), kColumns, infinity));
        }
        for (Key x :
             {sign, static_cast<Key>(infinity + 1), static_cast<Key>(sign | (infinity + 1))}) {
          floats[i] = x;
          CHECK(columns.has_special(floats.data(), kColumns, infinity));
        }
        floats[i] = 0;
      }
    };
    check(uint32_t{});
    check(uint64_t{});
  }
}

TEST_CASE("A call of sort that does not fit its buffers is refused") {
  const SortLayout layout = LayoutOf<uint32_t>(1, 10);
  const std::vector<int64_t> dims = layout.ToDims();
  const int64_t scratch = layout.ScratchBytes();
  auto check = [&](std::vector<int64_t> sizes, std::vector<int64_t> d) {
    return CheckSort({sizes, d, false}).ok();
  };
  CHECK(check({40, 40, scratch}, dims));
  CHECK_FALSE(check({40, 39, scratch}, dims));
  CHECK_FALSE(check({40, 40}, dims));
  // Positions and results that nobody reads have no memory; others do, and what is sorted.
  SortLayout positions = layout;
  positions.operands = {{4, SortLayout::kUnread}, {4, SortLayout::kPositions}};
  const int64_t lists = positions.ScratchBytes();
  CHECK(lists > 0);
  CHECK(check({40, 0, 0, 40, lists}, positions.ToDims()));
  CHECK_FALSE(check({39, 0, 0, 40, lists}, positions.ToDims()));
  CHECK_FALSE(check({40, 0, 0, 39, lists}, positions.ToDims()));
  CHECK_FALSE(check({40, 0, 0, 40, lists - 1}, positions.ToDims()));
  // rows, extent, side by side, operands, keys, threads; width and use of each operand; operand,
  // order, descending and infinity of each key
  CHECK(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, -1, 1, 2, 4, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 0, 2, 4, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, -10, 1, 1, 1, 2, 4, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 3, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 1, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 3, 0, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 0, 1, 0, 0, 0}));
  CHECK_FALSE(check({40, 40, scratch}, {1, 10, 1, 1, 1, 2, 4, 0, 0, 4, 0, 0}));
  CHECK_FALSE(check({160, 160, 1 << 20}, {1, 10, 1, 1, 1, 2, 16, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({20, 40, 20, 40, 1 << 20}, {1, 10, 1, 2, 1, 2, 2, 1, 4, 0, 1, 0, 0, 0}));
  CHECK_FALSE(
      check({40, 80, 40, 80, 1 << 20}, {1, 10, 1, 2, 2, 2, 4, 0, 8, 0, 1, 0, 0, 0, 0, 0, 0, 0}));
  // Rows side by side are short.
  CHECK(check({4000, 4000, 1 << 20}, {100, 10, 100, 1, 1, 2, 4, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({4000, 4000, 1 << 20}, {100, 10, 30, 1, 1, 2, 4, 0, 0, 0, 0, 0}));
  CHECK_FALSE(check({4000, 4000, 1 << 20}, {10, 100, 10, 1, 1, 2, 4, 0, 0, 0, 0, 0}));
}

// Bits of `width` bytes of which many are equal, many zeros and NaNs, of numbers up to `most`.
std::vector<uint8_t> SomeElements(int64_t width, size_t n, uint64_t most, uint64_t seed) {
  std::vector<uint8_t> bytes(n * static_cast<size_t>(width));
  uint64_t state = seed;
  for (size_t i = 0; i < n; ++i) {
    const uint64_t infinity = width == 4   ? 0x7f800000
                              : width == 8 ? 0x7ff0000000000000
                              : width == 2 ? 0x7c00
                                           : 0x70;
    uint64_t x = Next(state) << 24 ^ Next(state);
    if (x % 6 == 0) x = x >> 8 & (infinity + 1);
    if (x % 6 == 1) x = 0;
    const auto low = static_cast<size_t>(std::min<int64_t>(width, 8));  // the others are zero
    if (x % 6 == 2) x = uint64_t{1} << (8 * low - 1);
    if (most > 0) x = x % (most + 1) * 77;
    std::memcpy(bytes.data() + i * static_cast<size_t>(width), &x, low);
  }
  return bytes;
}

// -1, 0 or 1 as an element comes before another, is equal, or comes after.
int Compare(const SortLayout& layout, const SortLayout::Key& key, const uint8_t* a,
            const uint8_t* b) {
  auto compare = [&](auto x) {
    auto y = x;
    std::memcpy(&x, a, sizeof(x));
    std::memcpy(&y, b, sizeof(y));
    return ComesBefore(key, x, y) ? -1 : ComesBefore(key, y, x) ? 1 : 0;
  };
  switch (layout.WidthOf(key)) {
    case 1:
      return compare(uint8_t{});
    case 2:
      return compare(uint16_t{});
    case 4:
      return compare(uint32_t{});
    default:
      return compare(uint64_t{});
  }
}

void CheckKeys(const SortLayout& layout, uint64_t most, int threads) {
  const auto n = static_cast<size_t>(layout.rows * layout.extent),
             inner = static_cast<size_t>(layout.inner), extent = static_cast<size_t>(layout.extent);
  Call call{layout, {}};
  for (const SortLayout::Operand& o : layout.operands) {
    call.arrays.push_back(SomeElements(o.width, n, most, 3 * call.arrays.size() + extent));
    if (o.use != SortLayout::kPositions) continue;
    for (size_t i = 0; i < n; ++i) {
      const uint64_t position = i / inner % extent;
      std::memcpy(call.arrays.back().data() + i * static_cast<size_t>(o.width), &position,
                  static_cast<size_t>(o.width));
    }
  }
  call.Run(threads);
  auto at = [&](size_t array, size_t i) {
    const auto width = static_cast<size_t>(layout.operands[array % layout.operands.size()].width);
    return call.arrays[array].data() + i * width;
  };
  bool same = true;
  for (size_t row = 0; row < static_cast<size_t>(layout.rows); ++row) {
    const size_t first = row / inner * inner * extent + row % inner;
    std::vector<size_t> sorted(extent);
    for (size_t e = 0; e < extent; ++e) sorted[e] = first + e * inner;
    std::stable_sort(sorted.begin(), sorted.end(), [&](size_t a, size_t b) {
      for (const SortLayout::Key& key : layout.keys) {
        const auto k = static_cast<size_t>(key.operand);
        if (const int c = Compare(layout, key, at(k, a), at(k, b)); c != 0) return c < 0;
      }
      return false;
    });
    for (size_t k = 0; k < layout.operands.size(); ++k) {
      if (layout.operands[k].use == SortLayout::kUnread) continue;
      for (size_t e = 0; e < extent; ++e)
        same &= std::memcmp(at(layout.operands.size() + k, first + e * inner), at(k, sorted[e]),
                            static_cast<size_t>(layout.operands[k].width)) == 0;
    }
  }
  INFO(layout.rows << " rows of " << extent << ", " << layout.operands.size() << " operands, "
                   << layout.keys.size() << " keys of " << layout.KeyBits() << " bits, at most "
                   << most << ", threads " << threads);
  CHECK(same);
}

TEST_CASE("Sort by several keys, of operands that are read or not") {
  constexpr auto kRead = SortLayout::kRead;
  const SortLayout::Key by_float{0, SortLayout::kMerged, false, 0x7f800000},
      by_signed{1, SortLayout::kSigned, true, 0}, by_double{0, SortLayout::kFloat, true, 0},
      by_byte{2, SortLayout::kUnsigned, false, 0}, by_short{1, SortLayout::kMerged, true, 0x7c00};
  const std::vector<SortLayout> layouts = {
      // one key, and what it takes along
      {1, 1, 1, {{4}, {4}}, {by_float}},
      {1, 1, 1, {{8}, {16}, {4, SortLayout::kPositions}}, {by_double}},
      {1, 1, 1, {{4, SortLayout::kUnread}, {2}, {8, SortLayout::kUnread}}, {by_float}},
      {1, 1, 1, {{8}, {2}}, {by_short}},
      // several keys, alone
      {1, 1, 1, {{4}, {4}}, {by_signed, {0, SortLayout::kFloat, false, 0}}},
      {1, 1, 1, {{1}, {1}, {1}}, {by_signed, by_byte, {0}}},
      {1, 1, 1, {{4}, {4}}, {by_signed, by_float}},
      {1, 1, 1, {{4, SortLayout::kUnread}, {4}}, {by_signed, by_float}},
      // and with others
      {1, 1, 1, {{4}, {2}, {1}, {1}}, {by_short, by_float, by_byte}},
      {1, 1, 1, {{2}, {2}, {1}, {8}}, {by_byte, by_short}},
      {1, 1, 1, {{4}, {8, SortLayout::kPositions}, {4, kRead}}, {by_float, by_byte}},
  };
  for (SortLayout layout : layouts) {
    for (uint64_t most : {uint64_t{0}, uint64_t{5}, uint64_t{1000}}) {
      for (auto [rows, extent, inner] : {std::array<int64_t, 3>{3, 1, 1},
                                         {3, 8, 1},
                                         {2, 1000, 1},
                                         {40, 17, 1},
                                         {80, 64, 40},
                                         {1, 40000, 1}}) {
        layout.rows = rows;
        layout.extent = extent;
        layout.inner = inner;
        CheckKeys(layout, most, 1);
        CheckKeys(layout, most, 3);
      }
    }
  }
}

}  // namespace
}  // namespace sinter::runtime::cpu
