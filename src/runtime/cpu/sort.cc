#include "runtime/cpu/sort.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/status.h"
#include "program/sort_layout.h"

namespace sinter::runtime::cpu {
namespace {

using program::SortLayout;

constexpr size_t kFewElements = 24;  // insertion sort below

template <class Key>
struct Keyed {
  Key key;
  uint32_t position;
};
template <class Key>
Key KeyOf(const Keyed<Key>& e) {
  return e.key;
}
inline uint8_t KeyOf(uint8_t e) { return e; }
inline uint16_t KeyOf(uint16_t e) { return e; }
inline uint32_t KeyOf(uint32_t e) { return e; }
inline uint64_t KeyOf(uint64_t e) { return e; }

template <class Entry>
void InsertionSort(Entry* a, size_t n) {
  for (size_t i = 1; i < n; ++i) {
    const Entry e = a[i];
    size_t at = i;
    for (; at > 0 && KeyOf(e) < KeyOf(a[at - 1]); --at) a[at] = a[at - 1];
    a[at] = e;
  }
}

// By the digits of the keys, the least significant first; digits that all keys share are skipped.
// Returns the array that holds the sorted entries: `a` or `b`.
template <class Entry>
Entry* RadixSort(Entry* a, Entry* b, size_t n) {
  using Key = decltype(KeyOf(*a));
  constexpr size_t kDigits = sizeof(Key), kValues = 256;
  if (n < kFewElements) {
    InsertionSort(a, n);
    return a;
  }
  std::array<std::array<uint32_t, kValues>, kDigits> counts{};
  for (size_t i = 0; i < n; ++i) {
    const Key key = KeyOf(a[i]);
    for (size_t d = 0; d < kDigits; ++d) ++counts[d][static_cast<uint8_t>(key >> (8 * d))];
  }
  for (size_t d = 0; d < kDigits; ++d) {
    auto digit = [d](const Entry& e) { return static_cast<uint8_t>(KeyOf(e) >> (8 * d)); };
    std::array<uint32_t, kValues>& next = counts[d];
    if (next[digit(a[0])] == n) continue;
    uint32_t sum = 0;
    for (uint32_t& c : next) {
      const uint32_t here = c;
      c = sum;
      sum += here;
    }
    for (size_t i = 0; i < n; ++i) b[next[digit(a[i])]++] = a[i];
    std::swap(a, b);
  }
  return a;
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

// One row of an array: elements `stride` elements apart.
template <class T>
struct Row {
  T* data;
  int64_t stride;
  T& operator[](int64_t i) const { return data[i * stride]; }
};

class Sorter {
 public:
  explicit Sorter(const LibraryArguments& arguments)
      : arguments_(arguments),
        layout_(SortLayout::FromDims(arguments.dims, arguments.stage != nullptr)),
        operands_(layout_.widths.size()) {}

  void Run() {
    if (layout_.rows() == 0 || layout_.extent == 0) return;
    constexpr double kNanoseconds = 10;  // an element, roughly
    const int64_t rows = layout_.rows();
    const double work = kNanoseconds * static_cast<double>(layout_.extent * rows);
    const int threads =
        static_cast<int>(std::min<int64_t>({layout_.Slots(), arguments_.workers.parallelism(),
                                            static_cast<int64_t>(work / 5000) + 1}));
    if (threads <= 1) {
      for (int64_t row = 0; row < rows; ++row) SortRow(row, 0);
      return;
    }
    arguments_.workers.Run(
        rows, threads, 4,
        [](void* context, int64_t lo, int64_t hi, int seat) {
          auto& self = *static_cast<Sorter*>(context);
          ScopedFpEnvironment fp(self.arguments_.mode);
          for (int64_t row = lo; row < hi; ++row) self.SortRow(row, seat);
        },
        this);
  }

 private:
  // Elements before the first of the row.
  int64_t First(int64_t row) const {
    return row / layout_.inner * layout_.inner * layout_.extent + row % layout_.inner;
  }
  char* Operand(size_t k) const { return static_cast<char*>(arguments_.buffers[k]); }
  char* Result(size_t k) const { return static_cast<char*>(arguments_.buffers[operands_ + k]); }
  void* Scratch(int seat) const {
    return static_cast<char*>(arguments_.buffers[2 * operands_]) + layout_.RowBytes() * seat;
  }

  void SortRow(int64_t row, int seat) const {
    if (layout_.has_comparator) return SortByComparator(row, seat);
    switch (layout_.widths[0]) {
      case 1:
        return SortByKey<uint8_t>(row, seat);
      case 2:
        return SortByKey<uint16_t>(row, seat);
      case 4:
        return SortByKey<uint32_t>(row, seat);
      default:
        return SortByKey<uint64_t>(row, seat);
    }
  }

  template <class Key>
  void SortByKey(int64_t row, int seat) const {
    const int64_t n = layout_.extent;
    const Row<const Key> from{reinterpret_cast<const Key*>(Operand(0)) + First(row), layout_.inner};
    const Row<Key> to{reinterpret_cast<Key*>(Result(0)) + First(row), layout_.inner};
    if (operands_ == 1) {
      Key* keys = static_cast<Key*>(Scratch(seat));
      for (int64_t i = 0; i < n; ++i) keys[i] = from[i];
      const Key* sorted = RadixSort(keys, keys + n, static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) to[i] = sorted[i];
      return;
    }
    auto* entries = static_cast<Keyed<Key>*>(Scratch(seat));
    for (int64_t i = 0; i < n; ++i) entries[i] = {from[i], static_cast<uint32_t>(i)};
    const Keyed<Key>* sorted = RadixSort(entries, entries + n, static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) to[i] = sorted[i].key;
    for (size_t k = 1; k < operands_; ++k)
      Permute(k, row, [&](int64_t i) { return sorted[i].position; });
  }

  void SortByComparator(int64_t row, int seat) const {
    const int64_t n = layout_.extent;
    auto* positions = static_cast<uint32_t*>(Scratch(seat));
    for (int64_t i = 0; i < n; ++i) positions[i] = static_cast<uint32_t>(i);
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
      for (size_t k = 0; k < operands_; ++k) {
        const int64_t element = First(row) + static_cast<int64_t>(position) * layout_.inner;
        buffers[2 * k + side] = Operand(k) + element * layout_.widths[k];
      }
    };
    const uint32_t* sorted =
        MergeSort(positions, positions + n, static_cast<size_t>(n), [&](uint32_t a, uint32_t b) {
          point_at(0, a);
          point_at(1, b);
          arguments_.stage(buffers, nullptr, 0, 1, nullptr);
          return answer != 0;
        });
    for (size_t k = 0; k < operands_; ++k) Permute(k, row, [&](int64_t i) { return sorted[i]; });
  }

  template <class PositionOf>
  void Permute(size_t k, int64_t row, PositionOf position_of) const {
    switch (layout_.widths[k]) {
      case 1:
        return PermuteAs<uint8_t>(k, row, position_of);
      case 2:
        return PermuteAs<uint16_t>(k, row, position_of);
      case 4:
        return PermuteAs<uint32_t>(k, row, position_of);
      case 8:
        return PermuteAs<uint64_t>(k, row, position_of);
      default:
        return PermuteAs<std::array<uint64_t, 2>>(k, row, position_of);
    }
  }
  template <class T, class PositionOf>
  void PermuteAs(size_t k, int64_t row, PositionOf position_of) const {
    const Row<const T> from{reinterpret_cast<const T*>(Operand(k)) + First(row), layout_.inner};
    const Row<T> to{reinterpret_cast<T*>(Result(k)) + First(row), layout_.inner};
    for (int64_t i = 0; i < layout_.extent; ++i) to[i] = from[position_of(i)];
  }

  const LibraryArguments& arguments_;
  const SortLayout layout_;
  const size_t operands_;
};

}  // namespace

void Sort(const LibraryArguments& arguments) { Sorter(arguments).Run(); }

absl::Status CheckSort(const LibrarySignature& s) {
  RETURN_INTERNAL_IF(
      s.dims.size() < 5 || s.dims[3] < 1 || static_cast<int64_t>(s.dims.size()) != 4 + s.dims[3],
      "sort: {} integers", s.dims.size());
  const SortLayout layout = SortLayout::FromDims(s.dims.data(), s.has_stage);
  RETURN_INTERNAL_IF(
      layout.outer < 0 || layout.extent < 0 || layout.inner < 0 || layout.extent > UINT32_MAX,
      "sort: an array of {} x {} x {}", layout.outer, layout.extent, layout.inner);
  const size_t n = layout.widths.size();
  RETURN_INTERNAL_IF(s.sizes.size() != 2 * n + 1 || s.sizes[2 * n] < layout.ScratchBytes(),
                     "sort: {} buffers for {} operands", s.sizes.size(), n);
  for (size_t k = 0; k < n; ++k) {
    const int64_t width = layout.widths[k], bytes = layout.rows() * layout.extent * width;
    RETURN_INTERNAL_IF(width != 1 && width != 2 && width != 4 && width != 8 && width != 16,
                       "sort: elements of {} bytes", width);
    RETURN_INTERNAL_IF(s.sizes[k] < bytes || s.sizes[n + k] < bytes,
                       "sort: operand {} of {} bytes, not {}", k, s.sizes[k], bytes);
  }
  RETURN_INTERNAL_IF(!s.has_stage && layout.widths[0] > 8, "sort: keys of {} bytes",
                     layout.widths[0]);
  return absl::OkStatus();
}

}  // namespace sinter::runtime::cpu
