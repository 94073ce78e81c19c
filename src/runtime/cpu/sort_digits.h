// Sorting unsigned integers by their digits, the least first (Knuth, The Art of Computer
// Programming 3, section 5.2.5): in time linear in their number, for each byte of the keys.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace sinter::runtime::cpu {

// Bytes are the digits: as many lines as they have values stay in the first-level cache, so that
// each store finds its own there (digits of 11 bits: 0.85 times the time where all is in the
// second-level cache, and up to twice where it is not).
inline constexpr int kDigitBits = 8;

inline int DigitsOf(int bits) { return (bits + kDigitBits - 1) / kDigitBits; }

template <class T, int kDigits>
class DigitSort {
  static constexpr size_t kValues = size_t{1} << kDigitBits;
  // Elements that are read before the first of them is stored: the processor otherwise takes the
  // load of a count to be that of the store before it, and waits (1.6 times as long).
  static constexpr size_t kAhead = 8;

 public:
  DigitSort(size_t n, int low) : n_(n), low_(low) {}

  void Run(const T* from, T* to, T* spare) {
    Count(from);
    // Digits that are the same everywhere sort nothing.
    std::array<int, kDigits> used{};
    int count = 0;
    for (int d = 0; d < kDigits; ++d) {
      auto& next = next_[static_cast<size_t>(d)];
      if (next[Value(from[0], d)] == n_) continue;
      used[static_cast<size_t>(count++)] = d;
      size_t sum = 0;
      for (size_t& v : next) sum += std::exchange(v, sum);
    }
    if (from == to && count % 2 == 1) {
      std::copy_n(from, n_, spare);
      from = spare;
    } else if (count == 0 && from != to) {
      std::copy_n(from, n_, to);
    }
    // In turn to `spare` and to `to`, where the last one ends.
    for (int k = 0; k < count; ++k) {
      T* const out = (count - k) % 2 == 1 ? to : spare;
      Distribute(from, used[static_cast<size_t>(k)], out);
      from = out;
    }
  }

 private:
  size_t Value(T x, int digit) const {
    return static_cast<size_t>(static_cast<T>(x >> (low_ + digit * kDigitBits)) & (kValues - 1));
  }
  void Count(const T* from) {
    for (size_t i = 0; i < n_; ++i) {
      T x = static_cast<T>(from[i] >> low_);
#pragma GCC unroll 8
      for (size_t d = 0; d < kDigits; ++d) {
        ++next_[d][static_cast<size_t>(x & (kValues - 1))];
        x = static_cast<T>(x >> (kDigits > 1 ? kDigitBits : 0));
      }
    }
  }
  void Distribute(const T* from, int digit, T* out) {
    auto& next = next_[static_cast<size_t>(digit)];
    size_t i = 0;
    for (; i + kAhead <= n_; i += kAhead) {
      std::array<T, kAhead> x;
#pragma GCC unroll 8
      for (size_t k = 0; k < kAhead; ++k) x[k] = from[i + k];
#pragma GCC unroll 8
      for (size_t k = 0; k < kAhead; ++k) out[next[Value(x[k], digit)]++] = x[k];
    }
    for (; i < n_; ++i) out[next[Value(from[i], digit)]++] = from[i];
  }

  const size_t n_;
  const int low_;
  // How many elements have each value of a digit, and then where the next one of them goes.
  std::array<std::array<size_t, kValues>, kDigits> next_{};
};

// Sorts n integers by their bits from `low` on, to `to`; of those that are equal there, the earlier
// ones stay first. Bits from `high` on are the same in all. `from` may be `to`, `spare` has room
// for n and is neither.
template <class T, int kDigits = 1>
void SortByDigits(const T* from, size_t n, int low, int high, T* to, T* spare) {
  if (n == 0) return;
  if constexpr (kDigits * kDigitBits < 8 * static_cast<int>(sizeof(T))) {
    if (DigitsOf(high - low) > kDigits)
      return SortByDigits<T, kDigits + 1>(from, n, low, high, to, spare);
  }
  DigitSort<T, kDigits>(n, low).Run(from, to, spare);
}

}  // namespace sinter::runtime::cpu
