#include "codegen/plan/live_values.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

template <class Order, class IsValue>
int MostAlive(const Order& order, IsValue is_value) {
  absl::flat_hash_map<const HloInstruction*, int> uses;  // of values, still to come
  for (const HloInstruction* i : order) {
    for (const HloInstruction* o : i->operands())
      if (is_value(*o)) ++uses[o];
  }
  int live = 0, most = 0;
  for (const HloInstruction* i : order) {
    if (!is_value(*i)) continue;
    most = std::max(most, ++live);
    for (const HloInstruction* o : i->operands()) live -= is_value(*o) && --uses[o] == 0;
  }
  return most;
}

bool IsElementwiseArray(const HloInstruction& i) {
  return IsElementwise(i.op()) && !i.shape().is_scalar();
}

}  // namespace

int MostAlive(const std::vector<const HloInstruction*>& order) {
  return MostAlive(order, IsElementwiseArray);
}

int VectorsOfLoop(const std::vector<const HloInstruction*>& order, int registers) {
  const auto loop =
      absl::c_find_if(order, [](const HloInstruction* i) { return i->op() == HloOpcode::While; });
  if (loop == order.end()) return 0;
  const std::vector<HloInstruction*> turn = (*loop)->called(1)->PostOrder();
  const int alive = MostAlive(turn, [](const HloInstruction& i) {
    return IsElementwiseArray(i) ||
           (i.op() == HloOpcode::GetTupleElement && i.shape().is_array() && i.shape().rank() > 0);
  });
  int vectors = 4;
  while (vectors > 1 && vectors * alive > tuning::kMostLoopValues * registers) vectors /= 2;
  return vectors;
}

}  // namespace sinter::plan
