#include "runtime/cpu/sort_short_rows.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "runtime/cpu/sort_columns_vectors.h"
#include "runtime/cpu/sort_order.h"
#include "runtime/cpu/sort_vectors.h"
#include "runtime/cpu/tasks.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

constexpr auto kColumns = static_cast<int64_t>(ColumnSort<uint32_t>::kColumns);

// Batcher's merge exchange (Knuth 5.2.2, algorithm M).
std::vector<Exchange> NetworkOf(int64_t n) {
  std::vector<Exchange> exchanges;
  int64_t top = 1;
  while (2 * top < n) top *= 2;
  for (int64_t p = top; p > 0; p /= 2) {
    int64_t distance = p, remainder = 0;
    for (int64_t q = top;; q /= 2) {
      for (int64_t i = 0; i + distance < n; ++i) {
        if ((i & p) == remainder)
          exchanges.push_back({static_cast<uint8_t>(i), static_cast<uint8_t>(i + distance)});
      }
      if (q == p) break;
      distance = q - p;
      remainder = p;
    }
  }
  return exchanges;
}

class ShortRowSorter {
 public:
  ShortRowSorter(const LibraryArguments& arguments, const SortLayout& layout)
      : arguments_(arguments),
        layout_(layout),
        operands_(layout.operands.size()),
        places_(layout.extent) {}

  void Run() {
    if (layout_.rows == 0 || places_ == 0) return;
    if (places_ > 1) network_ = NetworkOf(places_);
    constexpr double kNanoseconds = 1, kTask = 5000;  // an element, roughly
    const double work = kNanoseconds * static_cast<double>(places_ * layout_.rows);
    const auto threads = static_cast<int>(std::min<int64_t>(
        arguments_.workers.parallelism(), static_cast<int64_t>(work / kTask) + 1));
    const int64_t blocks = (layout_.rows + kColumns - 1) / kColumns;
    ForEachTask(arguments_, blocks, threads, [&](int64_t block, int) {
      const int64_t first = block * kColumns;
      SortBlock(first, std::min(kColumns, layout_.rows - first));
    });
  }

 private:
  template <class Entry>
  using Matrix = std::array<Entry, static_cast<size_t>(kColumns* SortLayout::kLongestShort)>;

  void SortBlock(int64_t first, int64_t count) const {
    switch (layout_.KeyBytes()) {
      case 1:
        return SortKeys<uint8_t>(first, count);
      case 2:
        return SortKeys<uint16_t>(first, count);
      case 4:
        return SortKeys<uint32_t>(first, count);
      default:
        return IsAlone() ? SortAlone<uint64_t, uint64_t>(first, count)
                         : SortWithOthers<uint64_t, true>(first, count);
    }
  }
  template <class Key>
  void SortKeys(int64_t first, int64_t count) const {
    if (IsAlone()) return SortAlone<Key, uint32_t>(first, count);
    if (layout_.KeyBits() + layout_.PositionBits() <= 32)
      return SortWithOthers<uint32_t, false>(first, count);
    SortWithOthers<uint64_t, false>(first, count);
  }
  bool IsAlone() const { return operands_ == 1 && layout_.SortsKeysAlone(); }

  // body(column, size, at) for each run of rows that lie side by side: the first elements are those
  // from `at` on.
  template <class Body>
  void ForRuns(int64_t first, int64_t count, Body body) const {
    const int64_t outer = layout_.inner * places_;
    int64_t inside = first % layout_.inner, at = first / layout_.inner * outer;
    for (int64_t column = 0; column < count; at += outer, inside = 0) {
      const int64_t size = std::min(layout_.inner - inside, count - column);
      body(column, size, at + inside);
      column += size;
    }
  }
  // body(entry, element) for all elements of rows, in the order in which they are in memory.
  template <class Body>
  void ForElements(int64_t first, int64_t count, Body body) const {
    if (layout_.inner == 1) {
      int64_t element = first * places_;
      for (int64_t column = 0; column < count; ++column) {
        for (int64_t p = 0; p < places_; ++p) body(p * kColumns + column, element++);
      }
      return;
    }
    ForRuns(first, count, [&](int64_t column, int64_t size, int64_t at) {
      for (int64_t p = 0; p < places_; ++p) {
        const int64_t entry = p * kColumns + column, element = at + p * layout_.inner;
        for (int64_t k = 0; k < size; ++k) body(entry + k, element + k);
      }
    });
  }

  template <class T>
  const T* Operand(size_t k) const {
    return static_cast<const T*>(arguments_.buffers[k]);
  }
  template <class T>
  T* Result(size_t k) const {
    return static_cast<T*>(arguments_.buffers[operands_ + k]);
  }

  // What is in no row is there to be sorted all the same.
  template <class Entry>
  void ClearColumns(Matrix<Entry>& matrix, int64_t count) const {
    for (int64_t p = 0; p < places_; ++p) {
      Entry* const row = matrix.data() + p * kColumns;
      std::fill(row + count, row + kColumns, Entry{0});
    }
  }

  template <class Key, class Entry>
  void SortAlone(int64_t first, int64_t count) const {
    alignas(64) Matrix<Entry> matrix;
    ClearColumns(matrix, count);
    const Key* from = Operand<Key>(0);
    Key* to = Result<Key>(0);
    // Narrow elements are the high bits of entries, whose order is the same.
    constexpr int kShift = 8 * static_cast<int>(sizeof(Entry) - sizeof(Key));
    const OrderedBits<Key> order(layout_.keys[0]);
    const KeySteps<Entry> steps = order.template StepsOfHighBits<Entry>();
    ForElements(first, count, [&](int64_t entry, int64_t i) {
      matrix[static_cast<size_t>(entry)] =
          static_cast<Entry>(static_cast<Entry>(from[i]) << kShift);
    });
    const auto n = static_cast<size_t>(places_ * kColumns);
    const bool has_special =
        steps.merges &&
        ColumnSortFor<Entry>(arguments_.target).has_special(matrix.data(), n, steps.infinity);
    const VectorSort<Entry> vectors = VectorSortFor<Entry>(arguments_.target);
    if (!order.IsPlain()) vectors.map(matrix.data(), n, steps, matrix.data());
    ColumnSortFor<Entry>(arguments_.target).run(matrix.data(), network_.data(), network_.size());
    if (!order.IsPlain()) vectors.unmap(matrix.data(), n, steps);
    ForElements(first, count, [&](int64_t entry, int64_t i) {
      to[i] = static_cast<Key>(matrix[static_cast<size_t>(entry)] >> kShift);
    });
    if (!has_special) return;
    ForRuns(first, count, [&](int64_t, int64_t size, int64_t at) {
      for (int64_t k = at; k < at + size; ++k) {
        std::array<Key, SortLayout::kLongestShort> row, sorted;
        for (int64_t p = 0; p < places_; ++p) {
          row[static_cast<size_t>(p)] = from[k + p * layout_.inner];
          sorted[static_cast<size_t>(p)] = to[k + p * layout_.inner];
        }
        order.Restore(row.data(), static_cast<size_t>(places_), sorted.data());
        for (int64_t p = 0; p < places_; ++p)
          to[k + p * layout_.inner] = sorted[static_cast<size_t>(p)];
      }
    });
  }

  // Keys and positions in one integer, the keys above; kApart: positions in a matrix of their own,
  // as keys have too many bits.
  template <class Entry, bool kApart>
  void SortWithOthers(int64_t first, int64_t count) const {
    alignas(64) Matrix<Entry> matrix;
    alignas(64) std::conditional_t<kApart, Matrix<Entry>, std::array<Entry, 1>> places;
    ClearColumns(matrix, count);
    for (const SortLayout::Key& key : layout_.keys) {
      switch (layout_.WidthOf(key)) {
        case 1:
          JoinKey<uint8_t, kApart>(key, first, count, matrix);
          break;
        case 2:
          JoinKey<uint16_t, kApart>(key, first, count, matrix);
          break;
        case 4:
          JoinKey<uint32_t, kApart>(key, first, count, matrix);
          break;
        default:
          JoinKey<uint64_t, kApart>(key, first, count, matrix);
      }
    }
    const ColumnSort<Entry> columns = ColumnSortFor<Entry>(arguments_.target);
    if constexpr (kApart) {
      for (int64_t p = 0; p < places_; ++p)
        std::fill_n(places.data() + p * kColumns, kColumns, static_cast<Entry>(p));
      columns.run_pairs(matrix.data(), places.data(), network_.data(), network_.size());
      WriteOut(first, count, matrix, 0, places);
    } else {
      columns.run(matrix.data(), network_.data(), network_.size());
      WriteOut(first, count, matrix, layout_.PositionBits(), matrix);
    }
  }
  // Adds a key below those before it, and below the last one the position.
  template <class Part, bool kApart, class Entry>
  void JoinKey(const SortLayout::Key& key, int64_t first, int64_t count,
               Matrix<Entry>& matrix) const {
    if constexpr (sizeof(Part) <= sizeof(Entry)) {
      const int64_t bits = kApart ? 0 : layout_.PositionBits();
      const bool is_first = &key == &layout_.keys.front(), is_last = &key == &layout_.keys.back();
      if (is_first && is_last) {
        return ForKeys<Part>(key, first, count, [&](int64_t entry, Part part) {
          matrix[static_cast<size_t>(entry)] =
              static_cast<Entry>(static_cast<Entry>(part) << bits) |
              static_cast<Entry>(kApart ? 0 : entry / kColumns);
        });
      }
      if constexpr (sizeof(Part) < sizeof(Entry)) {
        ForKeys<Part>(key, first, count, [&](int64_t entry, Part part) {
          Entry& e = matrix[static_cast<size_t>(entry)];
          e = is_first ? Entry{part} : static_cast<Entry>(e << (8 * sizeof(Part))) | part;
          if (!kApart && is_last)
            e = static_cast<Entry>(e << bits) | static_cast<Entry>(entry / kColumns);
        });
      }
    }
  }
  // body(entry, key) for the keys of all elements of rows.
  template <class Part, class Body>
  void ForKeys(const SortLayout::Key& key, int64_t first, int64_t count, Body body) const {
    const OrderedBits<Part> order(key);
    const Part* from = Operand<Part>(static_cast<size_t>(key.operand));
    if (layout_.inner > 1) {
      ForRuns(first, count, [&](int64_t column, int64_t size, int64_t at) {
        std::array<Part, static_cast<size_t>(kColumns)> keys;
        for (int64_t p = 0; p < places_; ++p) {
          MapBlock(order, arguments_.target, from + at + p * layout_.inner,
                   static_cast<size_t>(size), keys.data());
          for (int64_t k = 0; k < size; ++k)
            body(p * kColumns + column + k, keys[static_cast<size_t>(k)]);
        }
      });
      return;
    }
    alignas(64) Matrix<Part> keys;
    const auto n = static_cast<size_t>(count * places_);
    for (size_t k = 0; k < n; k += kOrderedBlock) {
      MapBlock(order, arguments_.target, from + static_cast<size_t>(first * places_) + k,
               std::min(kOrderedBlock, n - k), keys.data() + k);
    }
    const Part* next = keys.data();
    for (int64_t column = 0; column < count; ++column) {
      for (int64_t p = 0; p < places_; ++p) body(p * kColumns + column, *next++);
    }
  }

  // Keys are above `bits` bits of entries, positions the low bits of `places`.
  template <class Entry>
  void WriteOut(int64_t first, int64_t count, const Matrix<Entry>& matrix, int64_t bits,
                const Matrix<Entry>& places) const {
    for (size_t k = 0; k < operands_; ++k) {
      if (layout_.operands[k].use == SortLayout::kUnread) continue;
      switch (layout_.operands[k].width) {
        case 1:
          WriteOut<uint8_t>(k, first, count, matrix, bits, places);
          break;
        case 2:
          WriteOut<uint16_t>(k, first, count, matrix, bits, places);
          break;
        case 4:
          WriteOut<uint32_t>(k, first, count, matrix, bits, places);
          break;
        case 8:
          WriteOut<uint64_t>(k, first, count, matrix, bits, places);
          break;
        default:
          MoveOther<std::array<uint64_t, 2>>(k, first, count, places);
      }
    }
  }
  template <class T, class Entry>
  void WriteOut(size_t k, int64_t first, int64_t count, const Matrix<Entry>& matrix, int64_t bits,
                const Matrix<Entry>& places) const {
    const SortLayout::Key* key = layout_.KeyOf(k);
    if (key == nullptr || key->order == SortLayout::kMerged)
      return MoveOther<T>(k, first, count, places);
    for (const SortLayout::Key* after = &layout_.keys.back(); after != key; --after)
      bits += 8 * layout_.WidthOf(*after);
    const OrderedBits<T> order(*key);
    T* to = Result<T>(k);
    ForElements(first, count, [&](int64_t entry, int64_t i) {
      to[i] = order.Inverse(static_cast<T>(matrix[static_cast<size_t>(entry)] >> bits));
    });
  }
  template <class T, class Entry>
  void MoveOther(size_t k, int64_t first, int64_t count, const Matrix<Entry>& matrix) const {
    const Entry mask = static_cast<Entry>((Entry{1} << layout_.PositionBits()) - 1);
    auto position = [&](int64_t entry) {
      return static_cast<int64_t>(matrix[static_cast<size_t>(entry)] & mask);
    };
    T* to = Result<T>(k);
    if constexpr (std::is_integral_v<T>) {
      if (layout_.operands[k].use == SortLayout::kPositions) {
        return ForElements(first, count, [&](int64_t entry, int64_t i) {
          to[i] = static_cast<T>(position(entry));
        });
      }
    }
    const T* from = Operand<T>(k);
    ForElements(first, count, [&](int64_t entry, int64_t i) {
      to[i] = from[i + (position(entry) - entry / kColumns) * layout_.inner];
    });
  }

  const LibraryArguments& arguments_;
  const SortLayout& layout_;
  const size_t operands_;
  const int64_t places_;
  std::vector<Exchange> network_;
};

}  // namespace

void SortShortRows(const LibraryArguments& arguments, const SortLayout& layout) {
  ShortRowSorter(arguments, layout).Run();
}

}  // namespace sinter::runtime::cpu
