#include "ir/analysis/order.h"

#include <algorithm>

namespace sinter {

std::vector<Instruction*> PostOrder(const Module& module) {
  std::vector<Instruction*> all;
  for (const Computation* c : module.PostOrder()) {
    std::vector<Instruction*> order = c->PostOrder();
    all.insert(all.end(), order.begin(), order.end());
  }
  return all;
}

Positions::Positions(const Computation& computation) {
  std::vector<Instruction*> order = computation.PostOrder();
  if (order.empty()) return;
  auto by_id = [](const Instruction* a, const Instruction* b) { return a->id() < b->id(); };
  auto [least, greatest] = std::minmax_element(order.begin(), order.end(), by_id);
  first_ = (*least)->id();
  positions_.assign(static_cast<size_t>((*greatest)->id() - first_) + 1, -1);
  for (size_t n = 0; n < order.size(); ++n)
    positions_[static_cast<size_t>(order[n]->id() - first_)] = static_cast<int>(n);
}

}  // namespace sinter
