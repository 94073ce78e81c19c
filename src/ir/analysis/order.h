// Orders over a whole module.
#pragma once

#include <vector>

#include "ir/module.h"

namespace sinter {

// Every instruction that the entry needs, operands before users, called computations' instructions
// before their callers'.
std::vector<HloInstruction*> PostOrder(const HloModule& module);

// Positions in a computation's PostOrder by instruction id; -1 for what is not in it.
class Positions {
 public:
  explicit Positions(const HloComputation& computation);
  int operator[](const HloInstruction* i) const {
    auto at = static_cast<size_t>(i->id() - first_);
    return i->id() >= first_ && at < positions_.size() ? positions_[at] : -1;
  }

 private:
  // Ids of a computation are close together, and a module has many computations.
  int32_t first_ = 0;
  std::vector<int> positions_;
};

}  // namespace sinter
