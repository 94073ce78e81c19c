// Which arrays hold no -0: x + 0 is x for all other numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter {

class NegativeZeros {
 public:
  // Of a module that is not changed but by what gives the same values.
  explicit NegativeZeros(const HloModule& module);

  // Whether no element of the array, of real numbers, is -0, as follows from the operations that it
  // is computed by: sums of two of which one is none are none, nor is what a loop carries, if it
  // begins and goes on as none. Past some hundreds of operations false, which is always right.
  bool HasNone(const HloInstruction& x);
  // The loop of which a computation is the body, and of no other; or null.
  const HloInstruction* LoopOf(const HloComputation& body) const;

 private:
  using Carried = std::pair<const HloInstruction*, int64_t>;  // a loop, an element of its state
  bool Look(const HloInstruction& x);
  bool LookAt(const HloInstruction& loop, int64_t element);

  absl::flat_hash_map<const HloComputation*, const HloInstruction*> loops_;
  std::vector<Carried> assumed_;  // what follows if all of these hold does
  int steps_ = 0;
};

}  // namespace sinter
