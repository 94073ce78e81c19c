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

bool IsScalarComputation(const Computation& computation) {
  for (const Instruction* i : computation.PostOrder()) {
    if (!IsScalarOrTuple(i->shape())) return false;
    switch (i->op()) {
      case Op::Parameter:
      case Op::Constant:
        break;
      case Op::GetTupleElement:
        if (i->operand(0)->op() != Op::Parameter) return false;
        break;
      case Op::Tuple:
        if (i != computation.root()) return false;
        break;
      case Op::Broadcast:
      case Op::Reshape:
      case Op::OptimizationBarrier:
        break;
      default:
        if (!IsElementwise(i->op())) return false;
    }
  }
  return true;
}

bool IsScalarLoop(const Instruction& i) {
  return i.op() == Op::While && i.operand(0)->op() == Op::Tuple &&
         IsScalarComputation(*i.called(0)) && IsScalarComputation(*i.called(1));
}

}  // namespace sinter
