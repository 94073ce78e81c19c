// Updates of a part of an array that are computed from that part.
#pragma once

#include "absl/functional/function_ref.h"
#include "ir/module.h"

namespace sinter {

// What a dynamic-update-slice needs of the array that it updates, beside what stays.
enum class OwnReads {
  kNone,
  kWindow,  // each element of the update the same element of the window, and no other
  kOther,
};

// Of what is computed for the update and its place by instructions of which `is_code` holds; what
// others give is complete before. Past some hundreds of them kOther, which is always right.
OwnReads ReadsOfOwnArray(const HloInstruction& update,
                         absl::FunctionRef<bool(const HloInstruction&)> is_code);

// Whether the instruction is the part of the array that the update overwrites.
bool IsOwnWindow(const HloInstruction& i, const HloInstruction& update);

}  // namespace sinter
