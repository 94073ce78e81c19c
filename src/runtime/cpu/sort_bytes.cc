#include "runtime/cpu/sort_bytes.h"

#include <array>

#include "runtime/cpu/sort_digits.h"
#include "runtime/cpu/sort_order.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

// Elements of two bytes by counting their values: each thread counts a part of the row, and then
// writes a part of the values as often as they occur.
void SortByCounts(const LibraryArguments& arguments, const SortLayout& layout, const uint16_t* from,
                  uint16_t* to, uint32_t* counts, int threads) {
  constexpr size_t kValues = 1 << 16, kMostParts = SortLayout::kMostCountParts;
  const auto n = static_cast<size_t>(layout.extent);
  const OrderedBits<uint16_t> order(layout.keys[0]);
  const auto parts = static_cast<size_t>(std::min<int64_t>(threads, layout.CountParts()));
  ForEachTask(arguments, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
    const auto part = static_cast<size_t>(task);
    uint32_t* own = counts + part * kValues;
    std::fill_n(own, kValues, 0u);
    for (size_t i = n * part / parts; i < n * (part + 1) / parts; ++i) ++own[order(from[i])];
  });
  std::array<size_t, kMostParts + 1> begin{};  // where the values of a part begin
  auto first = [&](size_t part) { return kValues * part / parts; };
  for (size_t part = 0; part < parts; ++part) {
    begin[part + 1] = begin[part];
    for (size_t value = first(part); value < first(part + 1); ++value) {
      for (size_t other = 1; other < parts; ++other)
        counts[value] += counts[other * kValues + value];
      begin[part + 1] += counts[value];
    }
  }
  ForEachTask(arguments, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
    const auto part = static_cast<size_t>(task);
    uint16_t* at = to + begin[part];
    for (size_t value = first(part); value < first(part + 1); ++value)
      at = std::fill_n(at, counts[value], order.Inverse(static_cast<uint16_t>(value)));
  });
}

template <class Key>
void SortBytesAs(const SortLayout& layout, const Key* from, Key* to, Key* first, Key* second) {
  constexpr size_t kFew = 64;
  const auto n = static_cast<size_t>(layout.extent);
  const OrderedBits<Key> order(layout.keys[0]);
  if (n > kFew) {
    for (size_t i = 0; i < n; ++i) second[i] = order(from[i]);
    SortByDigits(second, n, 0, 8 * static_cast<int>(sizeof(Key)), to, first);
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = order(from[i]);
    InsertionSort(to, n);
  }
  for (size_t i = 0; i < n; ++i) to[i] = order.Inverse(to[i]);
}

}  // namespace

void SortBytes(const LibraryArguments&, const SortLayout& layout, const uint8_t* from, uint8_t* to,
               uint8_t* first, uint8_t* second, int) {
  SortBytesAs(layout, from, to, first, second);
  OrderedBits<uint8_t>(layout.keys[0]).Restore(from, static_cast<size_t>(layout.extent), to);
}
void SortBytes(const LibraryArguments& arguments, const SortLayout& layout, const uint16_t* from,
               uint16_t* to, uint16_t* first, uint16_t* second, int threads) {
  if (layout.CountsValues()) {
    SortByCounts(arguments, layout, from, to, reinterpret_cast<uint32_t*>(first), threads);
  } else {
    SortBytesAs(layout, from, to, first, second);
  }
  OrderedBits<uint16_t>(layout.keys[0]).Restore(from, static_cast<size_t>(layout.extent), to);
}

}  // namespace sinter::runtime::cpu
