#include "ir/analysis/order.h"

#include <algorithm>

namespace sinter {

std::vector<HloInstruction*> PostOrder(const HloModule& module) {
  std::vector<HloInstruction*> all;
  for (const HloComputation* c : module.PostOrder()) {
    std::vector<HloInstruction*> order = c->PostOrder();
    all.insert(all.end(), order.begin(), order.end());
  }
  return all;
}

Positions::Positions(const HloComputation& computation) {
  std::vector<HloInstruction*> order = computation.PostOrder();
  if (order.empty()) return;
  auto by_id = [](const HloInstruction* a, const HloInstruction* b) { return a->id() < b->id(); };
  auto [least, greatest] = std::minmax_element(order.begin(), order.end(), by_id);
  first_ = (*least)->id();
  positions_.assign(static_cast<size_t>((*greatest)->id() - first_) + 1, -1);
  for (size_t n = 0; n < order.size(); ++n)
    positions_[static_cast<size_t>(order[n]->id() - first_)] = static_cast<int>(n);
}

}  // namespace sinter
