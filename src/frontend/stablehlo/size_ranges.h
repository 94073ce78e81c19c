// Ranges of sizes that are computed when a program runs: sizes of dimensions are at most their
// bounds, and arithmetic on them is arithmetic on ranges. Bounds of results whose type states none
// follow from that.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter::stablehlo {

struct SizeRange {
  int64_t least = 0, most = 0;
};

class SizeRanges {
 public:
  // Of a scalar of integers or predicates; nothing where it depends on more than sizes. Results are
  // cached: instructions must not be removed while this lives.
  std::optional<SizeRange> Of(const HloInstruction& scalar);
  // `inner`, a parameter or an element of one, has the value of `outer`.
  void SetSame(const HloInstruction& inner, const HloInstruction& outer);

 private:
  // A number that is not known: the size of a dimension of an instruction, or (element -1 - e)
  // element e of one.
  using Unknown = std::pair<const HloInstruction*, int64_t>;
  struct Term {
    int64_t factor = 0;
    SizeRange range;
  };
  // A number: its range and, so that 2n - n is n, a sum that it is.
  struct Number {
    SizeRange range;
    int64_t constant = 0;
    std::map<Unknown, Term> terms;
  };
  using Numbers = std::optional<std::vector<Number>>;

  static Number Constant(int64_t value) { return {{value, value}, value, {}}; }
  static Number Opaque(const HloInstruction& i, int64_t place, SizeRange range);
  static std::optional<Number> Sum(const Number& a, const Number& b, int64_t factor);
  static std::optional<Number> Scaled(const Number& a, int64_t factor);
  static std::optional<Number> Combined(const HloInstruction& i, int64_t element,
                                        absl::Span<const Number* const> x);
  const Numbers& Elements(const HloInstruction& i, int depth);
  Numbers Computed(const HloInstruction& i, int depth);
  Numbers Moved(const HloInstruction& i, int depth);
  Numbers Called(const HloInstruction& i, int64_t result, int depth);

  absl::flat_hash_map<const HloInstruction*, Numbers> known_;
};

}  // namespace sinter::stablehlo
