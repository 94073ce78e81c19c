#include "codegen/emit/reducer.h"

#include "codegen/emit/elementwise.h"
#include "ir/analysis/scalar_computation.h"

namespace sinter::emit {

const HloInstruction* SingleOp(const HloInstruction& reduce, size_t k) {
  return CombinerOf(*reduce.called(0), reduce.operands().size() / 2, k);
}

std::optional<double> NeutralOf(const HloInstruction& reduce, size_t k) {
  const HloInstruction* op = SingleOp(reduce, k);
  if (op == nullptr || AccumulatorOf(reduce, k) == ElementType::PRED) return std::nullopt;
  switch (op->op()) {
    case HloOpcode::Add:  // of floats -0: a sum of -0 alone stays -0
      return IsInteger(op->shape().element_type()) ? 0.0 : -0.0;
    case HloOpcode::Multiply:
      return 1;
    case HloOpcode::Xor:
      return 0;
    default:  // of maximum, minimum, and, or the initial value may enter any number of times
      return std::nullopt;
  }
}

bool SumsFloats(const HloInstruction& reduce, size_t k) {
  const HloInstruction* op = SingleOp(reduce, k);
  if (op == nullptr || op->op() != HloOpcode::Add) return false;
  return IsFloat(op->shape().element_type()) || IsComplex(op->shape().element_type());
}

bool HasSingleOps(const HloInstruction& reduce) {
  for (size_t k = 0; k < reduce.operands().size() / 2; ++k) {
    if (SingleOp(reduce, k) == nullptr) return false;
  }
  return true;
}

}  // namespace sinter::emit
