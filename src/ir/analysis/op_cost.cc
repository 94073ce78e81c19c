#include "ir/analysis/op_cost.h"

#include <algorithm>
#include <optional>

#include "absl/algorithm/container.h"
#include "ir/analysis/counted_loop.h"
#include "ir/analysis/scalar_computation.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Elements that a gather finds at one place: those of a row in memory.
int64_t ElementsAtPlace(const HloInstruction& gather) {
  const auto& a = gather.attrs<GatherAttrs>();
  const int64_t last = gather.shape().rank() - 1;
  if (a.slice_sizes.empty() || !absl::c_linear_search(a.offset_dims, last)) return 1;
  return std::max<int64_t>(1, a.slice_sizes.back());
}

// Of an element that runs a loop by itself, with what the loop computes of arrays.
double CostOfElementwiseLoop(const HloInstruction& loop) {
  const std::optional<CountedLoop> counted = CountTurns(loop);
  double turn = 0;
  for (const HloInstruction* i : loop.called(1)->PostOrder())
    if (i->shape().is_array() && i->shape().rank() > 0) turn += OpCost(*i);
  return turn * (counted ? static_cast<double>(counted->turns) : tuning::kUnknownTurns);
}

}  // namespace

double OpCost(const HloInstruction& i) {
  // Of a region: elements or scalars that run it.
  if (i.op() == HloOpcode::While && IsScalarLoop(i)) return 1;
  if (i.op() == HloOpcode::While && IsElementwiseLoop(i))
    return std::max(1., CostOfElementwiseLoop(i));
  const ElementType t = i.shape().is_array() ? i.shape().element_type() : ElementType::F32;
  const Work& work = Info(i.op()).work;
  if (i.op() == HloOpcode::Gather) {
    return std::max<double>(work.of_floats,
                            tuning::kGatheredElement / static_cast<double>(ElementsAtPlace(i)));
  }
  const int additions = IsComplex(t)   ? work.of_complexes
                        : IsInteger(t) ? work.of_integers
                                       : work.of_floats;
  return work.by_width && ByteWidth(t) >= 8 ? 2 * additions : additions;
}

}  // namespace sinter
