// Facts of a kernel that a walk needs, independent of LLVM: where values are defined, and which
// masks are all true.
#pragma once

#include <optional>
#include <vector>

#include "codegen/kernel/kernel.h"

namespace sinter::codegen {

class Facts {
 public:
  explicit Facts(const kernel::Kernel& kernel);

  // The operation that defines a value, or null for parameters and block arguments.
  const kernel::Op* Definition(kernel::Value v) const {
    return definition_[static_cast<size_t>(v)];
  }
  std::optional<int64_t> Constant(kernel::Value v) const;
  // The loop of which it is the induction variable, or null.
  const kernel::Op* LoopOf(kernel::Value v) const { return loop_of_[static_cast<size_t>(v)]; }

  // Loops of which the body being emitted runs only for whole steps, so that iv + step <= hi.
  // Innermost last.
  void EnterFull(const kernel::Op& loop) { full_.push_back(&loop); }
  void LeaveFull() { full_.pop_back(); }

  // Whether base + extent <= limit holds in the body being emitted, so that a mask of `extent`
  // positions is all true.
  bool AlwaysBelow(kernel::Value base, int64_t extent, kernel::Value limit) const {
    return Below(base, extent, limit, 1, 8);
  }
  // Whether a loop from lo to hi, entered here, makes its first step, a whole one if `step` > 1.
  bool Runs(kernel::Value lo, kernel::Value hi, int64_t step = 1) const {
    return AlwaysBelow(lo, step, hi);
  }

 private:
  // Whether factor * (v + plus) <= limit.
  bool Below(kernel::Value v, int64_t plus, kernel::Value limit, int64_t factor, int depth) const;

  std::vector<const kernel::Op*> definition_;
  std::vector<const kernel::Op*> loop_of_;  // of an induction variable
  std::vector<const kernel::Op*> full_;
};

}  // namespace sinter::codegen
