// What a sort's comparator compares.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "ir/module.h"

namespace sinter {

// compare(f(a), f(b)) on the two elements a, b of one operand, where f is a computation of scalars.
struct SortKey {
  size_t operand = 0;
  const HloInstruction* value = nullptr;  // f(a), inside the comparator
  bool descending = false;
  bool total_order = false;  // of floats
};

// The keys that a comparator compares one after another, the first that differs decides: a strict
// comparison (LT, GT), or one that another follows where its keys are equal, written with or and
// and, or with a select. Empty if the comparator is anything else.
std::vector<SortKey> SortKeysOf(const HloInstruction& sort);

// The orders in which the library sorts the elements of an operand by themselves.
enum class SortOrder : uint8_t {
  kUnsigned,
  kSigned,
  kFloat,   // by the total order of IEEE 754
  kMerged,  // the same, but zeros are equal, and NaNs, which are the greatest
};
// The elements of an operand as a key of the library.
struct LibraryKey {
  size_t operand = 0;
  SortOrder order = SortOrder::kUnsigned;
  bool descending = false;
};
// The keys of a sort that needs no comparator: of 64 bits together at most. Empty for any other.
std::vector<LibraryKey> LibraryKeysOf(const HloInstruction& sort);
// The key of a sort of one operand by its own elements, or of several by the first, of unsigned
// integers, ascending, of which of two different elements one comes before the other, but of a
// merged order. Nothing for any other.
std::optional<LibraryKey> OnlyKeyOf(const HloInstruction& sort);

// How a top-k compares two of its elements, of which the one that is first comes before.
CompareAttrs ComparisonOf(const HloInstruction& topk);

// Which results of a sort are read; all, if it has no users yet.
std::vector<bool> ReadResults(const HloInstruction& sort);

}  // namespace sinter
