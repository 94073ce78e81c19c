// Which arrays are computed with their short dimensions first.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

namespace sinter::layout {

// A loop whose state may be rotated: `condition` and `body` are of this loop alone, and its state
// is a tuple of arrays that is only taken apart and put together.
struct Loop {
  HloInstruction* loop = nullptr;
  HloInstruction* init = nullptr;  // the tuples that it starts from, and that its body ends with
  HloInstruction* next = nullptr;
};

struct Rotations {
  // By how many dimensions, of the arrays that are rotated; for elements of a loop's state: of
  // every get-tuple-element of them.
  absl::flat_hash_map<const HloInstruction*, int> of;
  // The elements of the state that are rotated, by loop: rotations, 0 for the others.
  absl::flat_hash_map<const HloInstruction*, std::vector<int>> states;
  std::vector<Loop> loops;
};

// Groups of arrays that are rotated together, as none needs the other as it was, are rotated where
// the work on their short dimensions is more than the transposes around them.
Rotations ChooseRotations(const HloModule& module);

// Whether the operation can be done on rotated arrays: then it takes them, and gives one if its
// result has short dimensions.
bool TakesRotated(const HloInstruction& i, size_t operand);
bool GivesRotated(const HloInstruction& i);
// The same of a product's operand, which has `shape` in the order of the program: its one free
// dimension, or all of the long ones, remain in order where its short dimension comes first.
bool TakesRotatedFactor(const HloInstruction& dot, size_t operand, const Shape& shape);

}  // namespace sinter::layout
