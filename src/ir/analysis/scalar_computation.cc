#include "ir/analysis/scalar_computation.h"

#include <algorithm>

namespace sinter {
namespace {

bool IsScalarOrTuple(const Shape& s) {
  if (!s.is_tuple()) return s.is_scalar();
  return std::all_of(s.tuple_shapes().begin(), s.tuple_shapes().end(),
                     [](const Shape& e) { return e.is_scalar(); });
}

}  // namespace

bool IsScalarComputation(const HloComputation& computation) {
  for (const HloInstruction* i : computation.PostOrder()) {
    if (!IsScalarOrTuple(i->shape())) return false;
    switch (i->op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
        break;
      case HloOpcode::GetTupleElement:
        if (i->operand(0)->op() != HloOpcode::Parameter) return false;
        break;
      case HloOpcode::Tuple:
        if (i != computation.root()) return false;
        break;
      case HloOpcode::Broadcast:
      case HloOpcode::Reshape:
      case HloOpcode::OptimizationBarrier:
        break;
      default:
        if (!IsElementwise(i->op())) return false;
    }
  }
  return true;
}

bool IsScalarLoop(const HloInstruction& i) {
  return i.op() == HloOpcode::While && i.operand(0)->op() == HloOpcode::Tuple &&
         IsScalarComputation(*i.called(0)) && IsScalarComputation(*i.called(1));
}

}  // namespace sinter
