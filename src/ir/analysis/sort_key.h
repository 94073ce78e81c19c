// What a sort's comparator compares.
#pragma once

#include <cstddef>
#include <optional>

#include "ir/module.h"

namespace sinter {

// compare(f(a), f(b)) on the two elements a, b of one operand, where f is a computation of scalars.
struct SortKey {
  size_t operand = 0;
  const HloInstruction* value = nullptr;  // f(a), inside the comparator
  bool descending = false;
  bool total_order = false;  // of floats
};

// The key of a strict comparison (LT, GT); nothing if the comparator is anything else.
std::optional<SortKey> SortKeyOf(const HloInstruction& sort);

// Whether the comparator is a < b on the elements of operand 0, which are unsigned integers: the
// form that needs no comparator.
bool SortsByUnsignedKey(const HloInstruction& sort);

}  // namespace sinter
