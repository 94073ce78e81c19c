#include "runtime/cpu/sort.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/status.h"
#include "program/sort_layout.h"
#include "runtime/cpu/sort_bytes.h"
#include "runtime/cpu/sort_digits.h"
#include "runtime/cpu/sort_entries.h"
#include "runtime/cpu/sort_in_place.h"
#include "runtime/cpu/sort_parts.h"
#include "runtime/cpu/sort_short_rows.h"
#include "runtime/cpu/sort_vectors.h"
#include "runtime/cpu/tasks.h"
#include "target/tuning.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

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

class Sorter {
 public:
  explicit Sorter(const LibraryArguments& arguments)
      : arguments_(arguments),
        layout_(SortLayout::FromDims(arguments.dims)),
        operands_(layout_.operands.size()) {}

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
    return reinterpret_cast<T*>(scratch + layout_.RowBytes() * seat + layout_.ListBytes() * number);
  }

  // `seat` says which scratch memory the row has.
  void SortRow(int64_t row, int seat, int threads) const {
    if (layout_.HasComparator()) return SortByComparator(row, seat);
    switch (layout_.KeyBytes()) {
      case 1:
        return SortShort<uint8_t>(row, seat, threads);
      case 2:
        return SortShort<uint16_t>(row, seat, threads);
      case 4:
        return SortByKey<uint32_t>(row, seat, threads);
      default:
        return SortByKey<uint64_t>(row, seat, threads);
    }
  }

  template <class Key>
  void SortShort(int64_t row, int seat, int threads) const {
    if (!layout_.SortsKeysAlone()) return SortByKey<Key>(row, seat, threads);
    if (layout_.operands[0].use == SortLayout::kUnread) return;
    SortBytes(arguments_, layout_, Operand<Key>(0, row), Result<Key>(0, row), List<Key>(seat, 0),
              List<Key>(seat, 1), threads);
  }

  template <class Key>
  void SortByKey(int64_t row, int seat, int threads) const {
    if constexpr (sizeof(Key) >= 4) {
      if (layout_.SortsKeysAlone()) return SortKeysAlone<Key>(row, seat, threads);
    }
    const auto n = static_cast<size_t>(layout_.extent);
    const bool joins = layout_.keys.size() > 1;
    RowKeys<Key> keys;
    Key* joint = nullptr;
    if (joins) {
      keys.at = joint = List<Key>(seat, layout_.Lists());
    } else {
      keys.at = Operand<Key>(KeyOperand(), row);
      keys.order = OrderedBits<Key>(layout_.keys[0]);
    }
    const bool measures =
        layout_.EntryBytes() == 8 && (joins || sizeof(Key) == 8 || IsNarrow(keys, n));
    if (joins || measures) {
      std::array<RowKeys<Key>, kMostSortParts> measured;
      const auto parts = std::min(static_cast<size_t>(threads), kMostSortParts);
      measured.fill(keys);
      ForEachPart(parts, threads, n, [&](size_t part, size_t lo, size_t size) {
        if (joins) JoinKeys(row, lo, size, joint + lo);
        if (measures) Measure(lo, size, measured[part]);
      });
      keys = measured[0];
      for (size_t part = 1; part < parts; ++part) {
        keys.least = std::min(keys.least, measured[part].least);
        keys.most = std::max(keys.most, measured[part].most);
      }
    }
    if (layout_.EntryBytes() == 4 || keys.Bits() + layout_.PositionBits() <= 32) {
      SortEntries<Key, uint32_t>(row, keys, seat, threads);
    } else {
      SortEntries<Key, uint64_t>(row, keys, seat, threads);
    }
  }
  size_t KeyOperand() const { return static_cast<size_t>(layout_.keys[0].operand); }

  // Where the result is to be; several keys, put together, in the list of them.
  template <class Key>
  void SortKeysAlone(int64_t row, int seat, int threads) const {
    const auto n = static_cast<size_t>(layout_.extent);
    const bool joins = layout_.keys.size() > 1;
    if (!joins && layout_.operands[KeyOperand()].use == SortLayout::kUnread) return;
    const VectorSort<Key> vectors = VectorSortFor<Key>(arguments_.target);
    const OrderedBits<Key> order = joins ? OrderedBits<Key>() : OrderedBits<Key>(layout_.keys[0]);
    Key* const sorted = joins ? List<Key>(seat, layout_.Lists()) : Result<Key>(KeyOperand(), row);
    const auto parts = std::min(static_cast<size_t>(threads), kMostSortParts);
    ForEachPart(parts, threads, n, [&](size_t, size_t lo, size_t size) {
      if (joins) {
        JoinKeys(row, lo, size, sorted + lo);
      } else {
        vectors.map(Operand<Key>(KeyOperand(), row) + lo, size, order.Steps(), sorted + lo);
      }
    });
    auto finish = [&](size_t begin, size_t end) {
      if (joins) return WriteOut(row, Entries<Key, Key>{{sorted, {}}, 0}, sorted, begin, end);
      if (!order.IsPlain()) vectors.unmap(sorted + begin, end - begin, order.Steps());
    };
    if (threads > 1) {
      SortInPlace<Key>(arguments_, vectors, sorted, n, threads).Run(finish);
    } else {
      vectors.sort(sorted, n);
      finish(0, n);
    }
    if (!joins) order.Restore(Operand<Key>(KeyOperand(), row), n, sorted);
  }

  // Whether keys may be so close together that they and the positions need 32 bits.
  template <class Key>
  bool IsNarrow(RowKeys<Key> keys, size_t n) const {
    keys.least = static_cast<Key>(~Key{0});
    keys.most = 0;
    for (size_t k = 0; k < kSortSamples; ++k) {
      const Key key = keys.order(keys.at[n * k / kSortSamples]);
      keys.least = std::min(keys.least, key);
      keys.most = std::max(keys.most, key);
    }
    return keys.Bits() + layout_.PositionBits() <= 32;
  }

  // body(part, begin, size) for parts of about the same size of n elements.
  template <class Body>
  void ForEachPart(size_t parts, int threads, size_t n, Body body) const {
    auto run = [&](int64_t task, int) {
      const auto part = static_cast<size_t>(task);
      const size_t lo = n * part / parts;
      body(part, lo, n * (part + 1) / parts - lo);
    };
    if (threads == 1) return run(0, 0);
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, run);
  }

  // The joint keys of `size` elements from `begin` on.
  template <class Key>
  void JoinKeys(int64_t row, size_t begin, size_t size, Key* joint) const {
    std::fill_n(joint, size, Key{0});
    for (const SortLayout::Key& key : layout_.keys) {
      switch (layout_.WidthOf(key)) {
        case 1:
          JoinKey<uint8_t>(key, row, begin, size, joint);
          break;
        case 2:
          JoinKey<uint16_t>(key, row, begin, size, joint);
          break;
        case 4:
          JoinKey<uint32_t>(key, row, begin, size, joint);
          break;
        default:
          JoinKey<uint64_t>(key, row, begin, size, joint);
      }
    }
  }
  template <class Part, class Key>
  void JoinKey(const SortLayout::Key& key, int64_t row, size_t begin, size_t size,
               Key* joint) const {
    if constexpr (sizeof(Part) < sizeof(Key)) {
      const Part* from = Operand<Part>(static_cast<size_t>(key.operand), row) + begin;
      InBlocks(OrderedBits<Part>(key), from, size, [&](const Part* part, size_t at, size_t count) {
        for (size_t i = 0; i < count; ++i)
          joint[at + i] = static_cast<Key>(joint[at + i] << (8 * sizeof(Part))) | part[i];
      });
    }
  }
  template <class Key>
  void Measure(size_t begin, size_t size, RowKeys<Key>& keys) const {
    keys.least = static_cast<Key>(~Key{0});
    keys.most = 0;
    InBlocks(keys.order, keys.at + begin, size, [&](const Key* block, size_t, size_t count) {
      Key least = keys.least, most = keys.most;
      for (size_t i = 0; i < count; ++i) {
        least = std::min(least, block[i]);
        most = std::max(most, block[i]);
      }
      keys.least = least;
      keys.most = most;
    });
  }
  // body(keys, begin, count) for blocks of the keys of n elements.
  template <class Key, class Body>
  void InBlocks(const OrderedBits<Key>& order, const Key* from, size_t n, Body body) const {
    std::array<Key, kOrderedBlock> keys;
    for (size_t begin = 0; begin < n; begin += kOrderedBlock) {
      const size_t count = std::min(kOrderedBlock, n - begin);
      MapBlock(order, arguments_.target, from + begin, count, keys.data());
      body(keys.data(), begin, count);
    }
  }

  template <class Key, class Entry>
  void SortEntries(int64_t row, const RowKeys<Key>& keys, int seat, int threads) const {
    constexpr size_t kFew = 8;
    const auto n = static_cast<size_t>(layout_.extent);
    Entries<Key, Entry> entries{keys, static_cast<int>(layout_.PositionBits())};
    entries.dropped =
        std::max(0, keys.Bits() + entries.position_bits - static_cast<int>(8 * sizeof(Entry)));
    const VectorSort<Entry> vectors = VectorSortFor<Entry>(arguments_.target);
    Entry *const list = List<Entry>(seat, 0), *const spare = List<Entry>(seat, 1);
    if (threads > 1) return SortShared(row, entries, vectors, threads, list, spare);
    Map(entries, 0, n, list);
    if (n <= kFew) {
      InsertionSort(list, n);
    } else {
      SortList(entries, vectors, list, n, spare);
    }
    Finish(row, entries, list, 0, n);
  }

  // Sorts n entries, which are in the order of their positions.
  template <class Key, class Entry>
  void SortList(const Entries<Key, Entry>& entries, const VectorSort<Entry>& vectors, Entry* list,
                size_t n, Entry* spare) const {
    const int low = entries.position_bits, high = entries.LastBit();
    const double digits = DigitsOf(high - low), size = static_cast<double>(n);
    const double by_digits =
        digits * (tuning::kSortDigit * size +
                  tuning::kSortDigitValue * static_cast<double>(1 << kDigitBits));
    const tuning::VectorSortTime& time =
        tuning::kVectorSorts[static_cast<size_t>(arguments_.target)][sizeof(Entry) / 8];
    if (by_digits < size * (time.base + time.of_level * std::log2(size))) {
      SortByDigits(list, n, low, high, list, spare);
    } else {
      vectors.sort(list, n);
    }
  }

  // The entries of elements from `begin` on.
  template <class Key, class Entry>
  void Map(const Entries<Key, Entry>& entries, size_t begin, size_t n, Entry* to) const {
    InBlocks(entries.keys.order, entries.keys.at + begin, n,
             [&, own = entries](const Key* keys, size_t at, size_t count) {
               for (size_t i = 0; i < count; ++i) to[at + i] = own.Of(keys[i], begin + at + i);
             });
  }

  // Results [begin, end) of a row, whose entries are sorted.
  template <class Key, class Entry>
  void Finish(int64_t row, const Entries<Key, Entry>& entries, Entry* sorted, size_t begin,
              size_t end) const {
    entries.Finish(sorted + begin, end - begin);
    WriteOut(row, entries, sorted, begin, end);
  }

  // A row by several threads: each counts of a chunk the entries of each part, of about the same
  // size, then brings them where these begin; at last the parts are sorted.
  template <class Key, class Entry>
  void SortShared(int64_t row, const Entries<Key, Entry>& entries, const VectorSort<Entry>& vectors,
                  int threads, Entry* sorted, Entry* spare) const {
    const auto n = static_cast<size_t>(layout_.extent);
    const size_t parts = SortParts(threads);
    std::array<Entry, kMostSortParts> pivots =
        SortPivots<Entry>(n, parts, [&](size_t i) { return entries.At(i); });
    for (Entry& pivot : pivots) pivot = entries.WithoutPosition(pivot);

    std::array<std::array<size_t, kMostSortParts>, kMostSortParts> at{};  // by chunk and part
    ForEachPart(parts, threads, n, [&](size_t chunk, size_t lo, size_t size) {
      InBlocks(entries.keys.order, entries.keys.at + lo, size,
               [&](const Key* keys, size_t, size_t in_block) {
                 size_t below = 0;
                 for (size_t part = 1; part <= parts; ++part) {
                   const size_t with_part =
                       part < parts ? CountBelow(keys, in_block, entries.LeastKey(pivots[part]))
                                    : in_block;
                   at[chunk][part - 1] += with_part - std::exchange(below, with_part);
                 }
               });
    });
    std::array<size_t, kMostSortParts + 1> begin{};
    for (size_t part = 0; part < parts; ++part) {
      begin[part + 1] = begin[part];
      for (size_t chunk = 0; chunk < parts; ++chunk)
        begin[part + 1] += std::exchange(at[chunk][part], begin[part + 1]);
    }
    ForEachPart(parts, threads, n, [&](size_t chunk, size_t lo, size_t size) {
      std::array<Entry, kOrderedBlock> first, second;
      for (size_t done = 0; done < size; done += kOrderedBlock) {
        const size_t count = std::min(kOrderedBlock, size - done);
        Map(entries, lo + done, count, first.data());
        Split<Entry>(vectors, pivots.data(), parts, {first.data(), second.data(), count},
                     [&](size_t part, const Entry* run, size_t found) {
                       std::copy_n(run, found, sorted + at[chunk][part]);
                       at[chunk][part] += found;
                     });
      }
    });
    ForEachTask(arguments_, static_cast<int64_t>(parts), threads, [&](int64_t task, int) {
      const auto part = static_cast<size_t>(task);
      const size_t size = begin[part + 1] - begin[part];
      SortList(entries, vectors, sorted + begin[part], size, spare + begin[part]);
      Finish(row, entries, sorted, begin[part], begin[part + 1]);
    });
  }
  template <class Key>
  size_t CountBelow(const Key* keys, size_t n, Key pivot) const {
    if constexpr (sizeof(Key) >= 4) {
      return VectorSortFor<Key>(arguments_.target).count(keys, n, pivot);
    } else {
      return static_cast<size_t>(
          std::count_if(keys, keys + n, [&](Key key) { return key < pivot; }));
    }
  }
  // Entries side by side, and room for as many.
  template <class Entry>
  struct Stretch {
    Entry *at, *spare;
    size_t size;
  };
  // take(part, entries, count) for the parts that `pivots` cut entries into, each in its order:
  // halves of the parts, then of those.
  template <class Entry, class Take>
  static void Split(const VectorSort<Entry>& vectors, const Entry* pivots, size_t parts,
                    const Stretch<Entry>& all, Take take, size_t first = 0) {
    if (parts == 1) return take(first, all.at, all.size);
    const size_t low =
        vectors.partition(all.at, all.size, pivots[first + parts / 2], all.at, all.spare);
    Split<Entry>(vectors, pivots, parts / 2, {all.at, all.spare + (all.size - low), low}, take,
                 first);
    Split<Entry>(vectors, pivots, parts / 2, {all.spare, all.at + low, all.size - low}, take,
                 first + parts / 2);
  }

  template <class Key, class Entry>
  void WriteOut(int64_t row, const Entries<Key, Entry>& entries, const Entry* sorted, size_t begin,
                size_t end) const {
    auto position_of = [own = entries, sorted](size_t i) { return own.PositionOf(sorted[i]); };
    for (size_t k = 0; k < operands_; ++k) {
      if (layout_.operands[k].use == SortLayout::kUnread) continue;
      int shift = 0;  // of the operand's key in all keys
      const SortLayout::Key* key = entries.dropped > 0 ? nullptr : layout_.KeyOf(k);
      if (key == nullptr) {
        Permute(k, row, begin, end, position_of);
        continue;
      }
      for (const SortLayout::Key* after = &layout_.keys.back(); after != key; --after)
        shift += static_cast<int>(8 * layout_.WidthOf(*after));
      auto key_of = [own = entries, sorted, shift](size_t i) {
        return static_cast<Key>(own.KeyOf(sorted[i]) >> shift);
      };
      switch (layout_.operands[k].width) {
        case 1:
          WriteKeys<uint8_t>(k, row, begin, end, *key, key_of, position_of);
          break;
        case 2:
          WriteKeys<uint16_t>(k, row, begin, end, *key, key_of, position_of);
          break;
        case 4:
          WriteKeys<uint32_t>(k, row, begin, end, *key, key_of, position_of);
          break;
        default:
          WriteKeys<uint64_t>(k, row, begin, end, *key, key_of, position_of);
      }
    }
  }
  // The elements that the keys of sorted entries stand for.
  template <class T, class KeyOf, class PositionOf>
  void WriteKeys(size_t k, int64_t row, size_t begin, size_t end, const SortLayout::Key& key,
                 KeyOf key_of, PositionOf position_of) const {
    const OrderedBits<T> order(key);
    const T* from = Operand<T>(k, row);
    T* to = Result<T>(k, row);
    const T zero = order(T{0}), nan = order(static_cast<T>(order.infinity + 1));
    std::array<T, kOrderedBlock> keys;
    for (; begin < end; begin += std::min(kOrderedBlock, end - begin)) {
      const size_t count = std::min(kOrderedBlock, end - begin);
      for (size_t i = 0; i < count; ++i) keys[i] = static_cast<T>(key_of(begin + i));
      std::copy_n(keys.data(), count, to + begin);
      UnmapBlock(order, arguments_.target, to + begin, count);
      if (order.order != SortLayout::kMerged) continue;
      for (size_t i = 0; i < count; ++i) {
        if (keys[i] == zero || keys[i] == nan) to[begin + i] = from[position_of(begin + i)];
      }
    }
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
            static_cast<char*>(arguments_.buffers[k]) + element * layout_.operands[k].width;
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
    switch (layout_.operands[k].width) {
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
      if (layout_.operands[k].use == SortLayout::kPositions) {
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
  const SortLayout layout = SortLayout::FromDims(arguments.dims);
  if (layout.HasShortRows()) return SortShortRows(arguments, layout);
  Sorter(arguments).Run();
}

absl::Status CheckSort(const LibrarySignature& s) {
  const auto integers = static_cast<int64_t>(s.dims.size());
  RETURN_INTERNAL_IF(
      integers < SortLayout::kFirst || integers != SortLayout::DimsCount(s.dims[3], s.dims[4]),
      "sort: {} integers", integers);
  const SortLayout layout = SortLayout::FromDims(s.dims.data());
  RETURN_INTERNAL_IF(layout.rows < 0 || layout.extent < 0 || layout.extent > UINT32_MAX,
                     "sort: {} rows of {}", layout.rows, layout.extent);
  const size_t n = layout.operands.size();
  for (const SortLayout::Operand& o : layout.operands) {
    RETURN_INTERNAL_IF(
        o.width != 1 && o.width != 2 && o.width != 4 && o.width != 8 && o.width != 16,
        "sort: elements of {} bytes", o.width);
    RETURN_INTERNAL_IF(o.use < SortLayout::kRead || o.use > SortLayout::kUnread ||
                           (o.use == SortLayout::kPositions && o.width != 4 && o.width != 8),
                       "sort: an operand of {} bytes for use {}", o.width,
                       static_cast<int64_t>(o.use));
  }
  RETURN_INTERNAL_IF(layout.HasComparator() != s.has_stage, "sort: {} keys and {} comparator",
                     layout.keys.size(), s.has_stage ? "a" : "no");
  int64_t bits = 0;
  for (const SortLayout::Key& key : layout.keys) {
    RETURN_INTERNAL_IF(key.operand < 0 || key.operand >= static_cast<int64_t>(n) ||
                           key.order < SortLayout::kUnsigned || key.order > SortLayout::kMerged,
                       "sort: operand {} by order {}", key.operand,
                       static_cast<int64_t>(key.order));
    bits += 8 * layout.WidthOf(key);
    RETURN_INTERNAL_IF(
        layout.operands[static_cast<size_t>(key.operand)].use == SortLayout::kPositions,
        "sort: positions are a key");
    RETURN_INTERNAL_IF(bits > 64, "sort: keys of {} bits", bits);
  }
  RETURN_INTERNAL_IF(layout.inner < 1 || layout.rows % layout.inner != 0 ||
                         (layout.inner > 1 && !layout.HasShortRows()),
                     "sort: {} rows of {}, {} side by side", layout.rows, layout.extent,
                     layout.inner);
  RETURN_INTERNAL_IF(s.sizes.size() != 2 * n + 1 || s.sizes[2 * n] < layout.ScratchBytes(),
                     "sort: {} buffers for {} operands", s.sizes.size(), n);
  for (size_t k = 0; k < n; ++k) {
    const int64_t bytes = layout.rows * layout.extent * layout.operands[k].width;
    const bool read = layout.operands[k].use != SortLayout::kPositions,
               written = layout.operands[k].use != SortLayout::kUnread;
    RETURN_INTERNAL_IF((read && s.sizes[k] < bytes) || (written && s.sizes[n + k] < bytes),
                       "sort: operand {} of {} bytes and a result of {}, not {}", k, s.sizes[k],
                       s.sizes[n + k], bytes);
  }
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
