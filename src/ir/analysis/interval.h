// Intervals of integers, as indices have them. All operations saturate: what does not fit is
// unbounded.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sinter {

// lo <= x < hi; a side at the end of the type's range is unbounded. Empty where lo >= hi.
struct Interval {
  int64_t lo = INT64_MIN, hi = INT64_MAX;

  static Interval Of(int64_t value) { return {value, value + 1}; }

  bool bounded() const { return lo != INT64_MIN && hi != INT64_MAX; }
  bool empty() const { return lo >= hi; }
  int64_t size() const { return empty() ? 0 : hi - lo; }
  // Whether all of this lies inside.
  bool IsIn(const Interval& other) const { return lo >= other.lo && hi <= other.hi; }
  bool Meets(const Interval& other) const { return lo < other.hi && other.lo < hi; }
  Interval And(const Interval& other) const {
    return {std::max(lo, other.lo), std::min(hi, other.hi)};
  }
  // The sums of an element of each.
  Interval Plus(const Interval& other) const {
    Interval r;
    if (!bounded() || !other.bounded() || __builtin_add_overflow(lo, other.lo, &r.lo) ||
        __builtin_add_overflow(hi - 1, other.hi, &r.hi))
      return {};
    return r;
  }
  Interval Plus(int64_t by) const { return Plus(Of(by)); }
  // The least interval of `factor` times each element.
  Interval Times(int64_t factor) const {
    Interval r;
    if (factor == 0) return Of(0);
    if (!bounded() || empty() || __builtin_mul_overflow(factor > 0 ? lo : hi - 1, factor, &r.lo) ||
        __builtin_mul_overflow(factor > 0 ? hi - 1 : lo, factor, &r.hi))
      return {};
    ++r.hi;
    return r;
  }

  bool operator==(const Interval&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Interval& i) {
    return H::combine(std::move(h), i.lo, i.hi);
  }
};

// An interval for each axis of an array.
using Box = std::vector<Interval>;

inline int64_t ElementsIn(const Box& box) {
  int64_t n = 1;
  for (const Interval& i : box) n *= i.size();
  return n;
}

}  // namespace sinter
