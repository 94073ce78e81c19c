// splitmix64, and draws from it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sinter::fuzz {

class Random {
 public:
  // Mixed, or the numbers of a seed would be those of the one before but for the first.
  explicit Random(uint64_t seed) : state_(seed) { state_ = Next() ^ 0x5851f42d4c957f2du; }
  uint64_t Next() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  // In [0, n).
  int64_t Below(int64_t n) { return static_cast<int64_t>(Next() % static_cast<uint64_t>(n)); }
  // In [lo, hi].
  int64_t In(int64_t lo, int64_t hi) { return lo + Below(hi - lo + 1); }
  bool Chance(int percent) { return Below(100) < percent; }
  double Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }
  template <class T>
  const T& Of(const std::vector<T>& list) {
    return list[static_cast<size_t>(Below(static_cast<int64_t>(list.size())))];
  }
  template <class T>
  T Of(std::initializer_list<T> list) {
    return list.begin()[Below(static_cast<int64_t>(list.size()))];
  }
  template <class T>
  void Shuffle(std::vector<T>& list) {
    for (size_t i = list.size(); i > 1; --i) {
      std::swap(list[i - 1], list[static_cast<size_t>(Below(static_cast<int64_t>(i)))]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace sinter::fuzz
