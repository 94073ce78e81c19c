#include "runtime/cpu/sort.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "base/status.h"
#include "program/sort_layout.h"
#include "runtime/cpu/sort_order.h"
#include "runtime/cpu/sort_short_rows.h"
#include "runtime/cpu/sort_vectors.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

template <class Key>
void InsertionSort(Key* a, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Key e = a[i];
    size_t at = i;
    for (; at > 0 && e < a[at - 1]; --at) a[at] = a[at - 1];
    a[at] = e;
  }
}

// Keys of one or two bytes, by counting their values: the low byte first, then the other.
template <class Key>
void CountingSort(const Key* from, size_t n, Key* to, Key* spare) {
  constexpr size_t kBytes = sizeof(Key), kValues = 256;
  std::array<std::array<size_t, kValues>, kBytes> next{};
  for (size_t i = 0; i < n; ++i) {
    for (size_t b = 0; b < kBytes; ++b) ++next[b][static_cast<uint8_t>(from[i] >> (8 * b))];
  }
  for (auto& values : next) {
    size_t sum = 0;
    for (size_t& count : values) {
      const size_t here = count;
      count = sum;
      sum += here;
    }
  }
  for (size_t b = 0; b < kBytes; ++b) {
    Key* const out = b + 1 == kBytes ? to : spare;
    for (size_t i = 0; i < n; ++i)
      out[next[b][static_cast<uint8_t>(from[i] >> (8 * b))]++] = from[i];
    from = out;
  }
}

// From the bottom up: of two elements of which neither comes before the other, the earlier one
// stays first. Returns the array that holds the sorted positions.
template <class Before>
uint32_t* MergeSort(uint32_t* a, uint32_t* b, size_t n, Before before) {
  for (size_t width = 1; width < n; width *= 2) {
    for (size_t first = 0; first < n; first += 2 * width) {
      const size_t middle = std::min(first + width, n), last = std::min(first + 2 * width, n);
      size_t left = first, right = middle;
      for (size_t out = first; out < last; ++out) {
        const bool take_right = left == middle || (right < last && before(a[right], a[left]));
        b[out] = a[take_right ? right++ : left++];
      }
    }
    std::swap(a, b);
  }
  return a;
}

// What a row's elements are while they are sorted: the keys themselves, or keys and positions in
// one integer. Keys of 64 bits lose their low bits in that if they and the positions need more
// than 64.
template <class Key, class Entry>
struct Entries {
  const Key* keys;
  bool alone;
  int position_bits;
  OrderedBits<Key> order;
  Key least = 0;
  int dropped = 0;

  Entry At(size_t i) const {
    if (alone) return static_cast<Entry>(order(keys[i]));
    const Entry key = static_cast<Entry>((keys[i] - least) >> dropped);
    return static_cast<Entry>(key << position_bits) | static_cast<Entry>(i);
  }
  uint32_t PositionOf(Entry e) const {
    return static_cast<uint32_t>(e & ((Entry{1} << position_bits) - 1));
  }
  // The least entry of its key.
  Entry WithoutPosition(Entry e) const { return e >> position_bits << position_bits; }
  Key KeyOf(Entry e) const {
    if (dropped > 0) return keys[PositionOf(e)];
    return static_cast<Key>(static_cast<Key>(e >> position_bits) + least);
  }
  // Sorts by their whole keys the entries that look equal.
  void Finish(Entry* sorted, size_t n) const {
    if (dropped == 0) return;
    for (size_t first = 0; first < n;) {
      size_t end = first + 1;
      while (end < n && WithoutPosition(sorted[end]) == WithoutPosition(sorted[first])) ++end;
      if (end - first > 1) {
        std::sort(sorted + first, sorted + end, [&](Entry a, Entry b) {
          const Key x = keys[PositionOf(a)], y = keys[PositionOf(b)];
          return x != y ? x < y : a < b;
        });
      }
      first = end;
    }
  }
};

// Entries side by side, and where there is room for as many.
template <class Entry>
struct Stretch {
  Entry *at, *spare;
  size_t size;
};

class Sorter {
 public:
  explicit Sorter(const LibraryArguments& arguments)
      : arguments_(arguments),
        layout_(SortLayout::FromDims(arguments.dims, arguments.stage != nullptr)),
        operands_(layout_.widths.size()) {}

  void Run() {
    if (layout_.rows == 0 || layout_.extent == 0) return;
    constexpr double kNanoseconds = 5, kTask = 5000;  // an element, roughly
    const double work = kNanoseconds * static_cast<double>(layout_.extent * layout_.rows);
    const int64_t useful =
        std::min<int64_t>(arguments_.workers.parallelism(), static_cast<int64_t>(work / kTask) + 1);
    if (layout_.SharesRows() && useful > 1) {
      for (int64_t row = 0; row < layout_.rows; ++row) SortRow(row, 0, static_cast<int>(useful));
      return;
    }
    const int threads = static_cast<int>(std::min<int64_t>(layout_.Slots(), useful));
    ForEachTask(arguments_, layout_.rows, threads,
                [&](int64_t row, int seat) { SortRow(row, seat, 1); });
  }

 private:
  template <class T>
  const T* Operand(size_t k, int64_t row) const {
    return static_cast<const T*>(arguments_.buffers[k]) + row * layout_.extent;
  }
  template <class T>
  T* Result(size_t k, int64_t row) const {
    return static_cast<T*>(arguments_.buffers[operands_ + k]) + row * layout_.extent;
  }
  template <class T>
  T* List(int seat, int64_t number) const {
    char* scratch = static_cast<char*>(arguments_.buffers[2 * operands_]);
    return reinterpret_cast<T*>(scratch + layout_.RowBytes() * seat +
                                layout_.RowBytes() / layout_.Lists() * number);
  }

  // `seat` says which scratch memory the row has.
  void SortRow(int64_t row, int seat, int threads) const {
    if (layout_.has_comparator) return SortByComparator(row, seat);
    switch (layout_.widths[0]) {
      case 1:
        return SortBytes<uint8_t>(row, seat, threads);
      case 2:
        return SortBytes<uint16_t>(row, seat, threads);
      case 4:
        return SortByKey<uint32_t>(row, seat, threads);
      default:
        return SortByKey<uint64_t>(row, seat, threads);
    }
  }

  template <class Key>
  void SortBytes(int64_t row, int seat, int threads) const {
    if (operands_ > 1) return SortByKey<Key>(row, seat, threads);
    constexpr size_t kFew = 64;
    const auto n = static_cast<size_t>(layout_.extent);
    const OrderedBits<Key> order(layout_);
    const Key* from = Operand<Key>(0, row);
    Key* to = Result<Key>(0, row);
    if (layout_.CountsValues()) {
      if constexpr (sizeof(Key) == 2) SortByCounts(from, n, to, order, threads);
    } else if (n > kFew) {
      Key* keys = List<Key>(seat, 1);
      for (size_t i = 0; i < n; ++i) keys[i] = order(from[i]);
      CountingSort(keys, n, to, List<Key>(seat, 0));
      for (size_t i = 0; i < n; ++i) to[i] = order.Inverse(to[i]);
    } else {
      for (size_t i = 0; i < n; ++i) to[i] = order(from[i]);
      InsertionSort(to, n);
      for (size_t i = 0; i < n; ++i) to[i] = order.Inverse(to[i]);
    }
    order.Restore(from, n, to);
  }

  // Elements of two bytes by counting their values: each thread counts a part of the row, and then
  // writes a part of the values as often as they occur.
  void SortByCounts(const uint16_t* from, size_t n, uint16_t* to,
                    const OrderedBits<uint16_t>& order, int threads) const {
    constexpr size_t kValues = 1 << 16;
    const auto parts = static_cast<size_t>(std::clamp<int64_t>(
        layout_.RowBytes() / SortLayout::kCountBytes, 1, std::min<int64_t>(threads, kMostParts)));
    auto* counts = List<uint32_t>(0, 0);
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
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
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
      const auto part = static_cast<size_t>(task);
      uint16_t* at = to + begin[part];
      for (size_t value = first(part); value < first(part + 1); ++value)
        at = std::fill_n(at, counts[value], order.Inverse(static_cast<uint16_t>(value)));
    });
  }

  template <class Key>
  void SortByKey(int64_t row, int seat, int threads) const {
    if (operands_ > 1) {
      if (layout_.EntryBytes() == 4) return SortEntries<Key, uint32_t>(row, seat, threads);
      return SortEntries<Key, uint64_t>(row, seat, threads);
    }
    if constexpr (sizeof(Key) >= 4) return SortEntries<Key, Key>(row, seat, threads);
  }

  template <class Key, class Entry>
  void SortEntries(int64_t row, int seat, int threads) const {
    constexpr size_t kFew = 8;
    const auto n = static_cast<size_t>(layout_.extent);
    const bool alone = operands_ == 1;
    Entries<Key, Entry> entries{Operand<Key>(0, row), alone,
                                alone ? 0 : static_cast<int>(layout_.PositionBits()),
                                OrderedBits<Key>(layout_)};
    const VectorSort<Entry> vectors = VectorSortFor<Entry>(arguments_.target);
    if (sizeof(Key) == 8 && !alone) Shorten(entries, n);
    if (threads > 1) {
      SortShared(row, entries, vectors, threads);
      if (alone) entries.order.Restore(entries.keys, n, Result<Key>(0, row));
      return;
    }
    Entry* const list =
        alone ? reinterpret_cast<Entry*>(Result<Key>(0, row)) : List<Entry>(seat, 0);
    Map(entries, vectors, 0, n, list);
    if (n <= kFew) {
      InsertionSort(list, n);
    } else {
      vectors.sort(list, n, List<Entry>(seat, 1));
    }
    if (alone) {
      Unmap(entries, vectors, list, n);
      return entries.order.Restore(entries.keys, n, Result<Key>(0, row));
    }
    entries.Finish(list, n);
    WriteOut(row, entries, list, 0, n);
  }

  // The entries of elements from `begin` on, and the elements of entries that are keys alone.
  template <class Key, class Entry>
  static void Map(const Entries<Key, Entry>& entries, const VectorSort<Entry>& vectors,
                  size_t begin, size_t n, Entry* to) {
    if constexpr (std::is_same_v<Key, Entry>) {
      if (entries.alone) return vectors.map(entries.keys + begin, n, entries.order.Steps(), to);
    }
    for (size_t i = 0; i < n; ++i) to[i] = entries.At(begin + i);
  }
  template <class Key, class Entry>
  static void Unmap(const Entries<Key, Entry>& entries, const VectorSort<Entry>& vectors,
                    Entry* list, size_t n) {
    if constexpr (std::is_same_v<Key, Entry>) {
      if (!entries.order.IsPlain()) vectors.unmap(list, n, entries.order.Steps());
    }
  }

  // Chooses which bits of the keys go into entries.
  template <class Key, class Entry>
  static void Shorten(Entries<Key, Entry>& entries, size_t n) {
    const auto [least, most] = std::minmax_element(entries.keys, entries.keys + n);
    int bits = entries.position_bits;
    for (Key range = *most - *least; range > 0; range >>= 1) ++bits;
    entries.least = *least;
    entries.dropped = std::max(0, bits - static_cast<int>(8 * sizeof(Entry)));
  }

  static constexpr size_t kMostParts = 16, kSamples = 64;

  // A row by several threads, which find between them parts of about the same size and sort these.
  // Three stages: a chunk of the row into parts; the parts of all chunks together; each part.
  template <class Key, class Entry>
  void SortShared(int64_t row, const Entries<Key, Entry>& entries, const VectorSort<Entry>& vectors,
                  int threads) const {
    const bool alone = operands_ == 1;
    const auto n = static_cast<size_t>(layout_.extent);
    size_t parts = 2;
    while (parts < kMostParts && parts < static_cast<size_t>(threads)) parts *= 2;
    Entry *const first = List<Entry>(0, 0), *const second = List<Entry>(0, 1);
    Entry* const sorted = alone ? reinterpret_cast<Entry*>(Result<Key>(0, row)) : List<Entry>(0, 2);

    std::array<Entry, kMostParts * kSamples> samples;
    const size_t count = parts * kSamples;
    for (size_t k = 0; k < count; ++k) samples[k] = entries.At(k * (n / count));
    std::sort(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(count));
    std::array<Entry, kMostParts> pivots{};  // the least entry of each part, but of the first
    for (size_t part = 1; part < parts; ++part)
      pivots[part] = entries.WithoutPosition(samples[part * kSamples]);

    std::array<std::array<Stretch<Entry>, kMostParts>, kMostParts> pieces{};  // by chunk and part
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
      const auto chunk = static_cast<size_t>(task);
      const size_t lo = n * chunk / parts, size = n * (chunk + 1) / parts - lo;
      Map(entries, vectors, lo, size, first + lo);
      // Halves of the parts, then of those.
      std::array<Stretch<Entry>, 2 * kMostParts> runs{};
      runs[1] = {first + lo, second + lo, size};
      for (size_t r = 1; r < parts; ++r) {
        size_t left = r;  // the first part below it
        while (left < parts) left *= 2;
        size_t width = parts;
        for (size_t k = r; k > 1; k /= 2) width /= 2;
        const Stretch<Entry>& run = runs[r];
        const size_t low = vectors.partition(run.at, run.size, pivots[left - parts + width / 2],
                                             run.at, run.spare);
        runs[2 * r] = {run.at, run.spare + (run.size - low), low};
        runs[2 * r + 1] = {run.spare, run.at + low, run.size - low};
      }
      for (size_t part = 0; part < parts; ++part) pieces[chunk][part] = runs[parts + part];
    });

    std::array<size_t, kMostParts + 1> begin{};
    for (size_t part = 0; part < parts; ++part) {
      begin[part + 1] = begin[part];
      for (size_t chunk = 0; chunk < parts; ++chunk) begin[part + 1] += pieces[chunk][part].size;
    }
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
      const auto part = static_cast<size_t>(task);
      Entry* to = sorted + begin[part];
      for (size_t chunk = 0; chunk < parts; ++chunk)
        to = std::copy_n(pieces[chunk][part].at, pieces[chunk][part].size, to);
    });
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
      const auto part = static_cast<size_t>(task);
      const size_t size = begin[part + 1] - begin[part];
      vectors.sort(sorted + begin[part], size, first + begin[part]);
      if (alone) return Unmap(entries, vectors, sorted + begin[part], size);
      entries.Finish(sorted + begin[part], size);
      WriteOut(row, entries, sorted, begin[part], begin[part + 1]);
    });
  }

  // Results [begin, end) of a row that is sorted.
  template <class Key, class Entry>
  void WriteOut(int64_t row, const Entries<Key, Entry>& entries, const Entry* sorted, size_t begin,
                size_t end) const {
    Key* to = Result<Key>(0, row);
    for (size_t i = begin; i < end; ++i) to[i] = entries.KeyOf(sorted[i]);
    for (size_t k = 1; k < operands_; ++k)
      Permute(k, row, begin, end, [&](size_t i) { return entries.PositionOf(sorted[i]); });
  }

  void SortByComparator(int64_t row, int seat) const {
    const auto n = static_cast<size_t>(layout_.extent);
    auto* positions = List<uint32_t>(seat, 0);
    for (size_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(i);
    // The comparator reads the elements in place.
    constexpr size_t kOnStack = 64;
    void* small[kOnStack];
    std::vector<void*> large;
    void** buffers = small;
    if (2 * operands_ + 1 > kOnStack) {
      large.resize(2 * operands_ + 1);
      buffers = large.data();
    }
    uint8_t answer = 0;
    buffers[2 * operands_] = &answer;
    auto point_at = [&](size_t side, uint32_t position) {
      const int64_t element = row * layout_.extent + static_cast<int64_t>(position);
      for (size_t k = 0; k < operands_; ++k)
        buffers[2 * k + side] =
            static_cast<char*>(arguments_.buffers[k]) + element * layout_.widths[k];
    };
    const uint32_t* sorted =
        MergeSort(positions, List<uint32_t>(seat, 1), n, [&](uint32_t a, uint32_t b) {
          point_at(0, a);
          point_at(1, b);
          arguments_.stage(buffers, nullptr, 0, 1, nullptr);
          return answer != 0;
        });
    for (size_t k = 0; k < operands_; ++k)
      Permute(k, row, 0, n, [&](size_t i) { return sorted[i]; });
  }

  template <class PositionOf>
  void Permute(size_t k, int64_t row, size_t begin, size_t end, PositionOf position_of) const {
    switch (layout_.widths[k]) {
      case 1:
        return PermuteAs<uint8_t>(k, row, begin, end, position_of);
      case 2:
        return PermuteAs<uint16_t>(k, row, begin, end, position_of);
      case 4:
        return PermuteAs<uint32_t>(k, row, begin, end, position_of);
      case 8:
        return PermuteAs<uint64_t>(k, row, begin, end, position_of);
      default:
        return PermuteAs<std::array<uint64_t, 2>>(k, row, begin, end, position_of);
    }
  }
  template <class T, class PositionOf>
  void PermuteAs(size_t k, int64_t row, size_t begin, size_t end, PositionOf position_of) const {
    const T* from = Operand<T>(k, row);
    T* to = Result<T>(k, row);
    if constexpr (std::is_integral_v<T>) {
      if (static_cast<int64_t>(k) == layout_.positions) {
        for (size_t i = begin; i < end; ++i) to[i] = static_cast<T>(position_of(i));
        return;
      }
    }
    for (size_t i = begin; i < end; ++i) to[i] = from[position_of(i)];
  }

  const LibraryArguments& arguments_;
  const SortLayout layout_;
  const size_t operands_;
};

}  // namespace

void Sort(const LibraryArguments& arguments) {
  const SortLayout layout = SortLayout::FromDims(arguments.dims, arguments.stage != nullptr);
  if (layout.HasShortRows()) return SortShortRows(arguments, layout);
  Sorter(arguments).Run();
}

absl::Status CheckSort(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(
      s.dims.size() < 9 || s.dims[2] < 1 || static_cast<int64_t>(s.dims.size()) != 8 + s.dims[2],
      "sort: {} integers", s.dims.size());
  const SortLayout layout = SortLayout::FromDims(s.dims.data(), s.has_stage);
  RETURN_INTERNAL_IF(layout.rows < 0 || layout.extent < 0 || layout.extent > UINT32_MAX,
                     "sort: {} rows of {}", layout.rows, layout.extent);
  RETURN_INTERNAL_IF(layout.inner < 1 || layout.rows % layout.inner != 0 ||
                         (layout.inner > 1 && !layout.HasShortRows()),
                     "sort: {} rows of {}, {} side by side", layout.rows, layout.extent,
                     layout.inner);
  const size_t n = layout.widths.size();
  for (const int64_t width : layout.widths) {
    RETURN_INTERNAL_IF(width != 1 && width != 2 && width != 4 && width != 8 && width != 16,
                       "sort: elements of {} bytes", width);
  }
  const bool plain = layout.order == SortLayout::kUnsigned && !layout.descending;
  RETURN_INTERNAL_IF(layout.order < SortLayout::kUnsigned || layout.order > SortLayout::kMerged ||
                         (!plain && (s.has_stage || n > 1)),
                     "sort: of {} operands by order {}", n, static_cast<int64_t>(layout.order));
  RETURN_INTERNAL_IF(
      layout.positions >= static_cast<int64_t>(n) ||
          (layout.positions >= 0 && layout.widths[static_cast<size_t>(layout.positions)] != 4 &&
           layout.widths[static_cast<size_t>(layout.positions)] != 8),
      "sort: positions in operand {}", layout.positions);
  RETURN_INTERNAL_IF(!s.has_stage && layout.widths[0] > 8, "sort: keys of {} bytes",
                     layout.widths[0]);
  RETURN_INTERNAL_IF(s.sizes.size() != 2 * n + 1 || s.sizes[2 * n] < layout.ScratchBytes(),
                     "sort: {} buffers for {} operands", s.sizes.size(), n);
  for (size_t k = 0; k < n; ++k) {
    const int64_t bytes = layout.rows * layout.extent * layout.widths[k];
    RETURN_INTERNAL_IF(s.sizes[k] < bytes || s.sizes[n + k] < bytes,
                       "sort: operand {} of {} bytes, not {}", k, s.sizes[k], bytes);
  }
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
