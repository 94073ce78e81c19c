// Known divisors of index values.
#pragma once

#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// What is known at compile time to divide the index scalars of one kernel, from constants,
// parameters' `multiple`, loop bounds and steps, and index arithmetic.
class Multiples {
 public:
  explicit Multiples(const Kernel& kernel);

  // A number >= 1 that divides the value, or 0 where the value is 0.
  int64_t Of(Value v) const;
  bool Divides(int64_t by, Value v) const { return Of(v) % by == 0; }

 private:
  int64_t Of(Value v, int depth) const;

  const Kernel& k_;
  std::vector<const Op*> definition_;  // of each value
  std::vector<const Op*> loop_;        // whose induction variable it is
};

}  // namespace sinter::kernel
