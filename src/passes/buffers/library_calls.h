// Instructions that are calls of the runtime's library, as it wants them written down.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"
#include "program/sort_layout.h"

namespace sinter {

// `threads`: those that work on a call at the same time.

// Of a sort along its minor dimension. Unimplemented for more than 2^32 - 1 elements.
absl::StatusOr<program::SortLayout> SortLayoutOf(const HloInstruction& i, int threads);
// Of a top-k of elements of 32 bits.
absl::StatusOr<program::TopKLayout> TopKLayoutOf(const HloInstruction& i, int threads);

// A call that an instruction is, besides sorts and top-k.
struct LibraryCallOf {
  std::string_view name;
  std::vector<int64_t> dims;
  int64_t scratch_bytes = 0;
  // Floating-point operations, for profiles: of a transform, those of radix 2.
  double operations = 0;
  bool wide = false;  // F64
};
// Nothing for instructions of other kinds.
std::optional<LibraryCallOf> ReadLibraryCall(const HloInstruction& i, int threads);

}  // namespace sinter
