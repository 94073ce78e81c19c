#include "codegen/plan/live_values.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/scalar_computation.h"
#include "target/tuning.h"

namespace sinter::plan {

int MostAlive(absl::Span<const HloInstruction* const> order) {
  absl::flat_hash_map<const HloInstruction*, int> uses;  // still to come
  for (const HloInstruction* i : order)
    for (const HloInstruction* o : i->operands()) ++uses[o];
  int live = 0, most = 0;
  for (const HloInstruction* i : order) {
    if (!IsElementwise(i->op()) || i->shape().is_scalar()) continue;
    most = std::max(most, ++live);
    for (const HloInstruction* o : i->operands())
      live -= --uses[o] == 0 && IsElementwise(o->op()) && !o->shape().is_scalar();
  }
  return most;
}

int LoopVectors(absl::Span<const HloInstruction* const> order) {
  int vectors = 8;
  for (const HloInstruction* i : order)
    while (i->op() == HloOpcode::While && vectors > 1 &&
           CarriedRegisters(*i, vectors) > tuning::kMostCarriedRegisters)
      vectors /= 2;
  return vectors;
}

}  // namespace sinter::plan
