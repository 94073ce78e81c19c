#include "ir/analysis/op_cost.h"

#include "ir/analysis/scalar_computation.h"

namespace sinter {

double OpCost(const HloInstruction& i) {
  const ElementType t = i.shape().is_array() ? i.shape().element_type() : ElementType::F32;
  const double wide = ByteWidth(t) >= 8 ? 2 : 1;
  switch (i.op()) {
    case HloOpcode::Cbrt:
    case HloOpcode::Cosine:
    case HloOpcode::Sine:
    case HloOpcode::Tan:
    case HloOpcode::Log:
    case HloOpcode::Log1p:
    case HloOpcode::Erf:
    case HloOpcode::Expm1:
      return 25 * wide;
    case HloOpcode::Exp:
    case HloOpcode::Tanh:
    case HloOpcode::Logistic:
      return 18 * wide;
    case HloOpcode::Cosh:
    case HloOpcode::Sinh:
      return 30 * wide;
    case HloOpcode::Acos:
    case HloOpcode::Acosh:
    case HloOpcode::Asin:
    case HloOpcode::Asinh:
    case HloOpcode::Atan:
    case HloOpcode::Atan2:
    case HloOpcode::Atanh:
      return 35 * wide;
    case HloOpcode::Power:
      return 60 * wide;
    case HloOpcode::Divide:
    case HloOpcode::Remainder:
      return (IsInteger(t) ? 20 : 5) * wide;
    case HloOpcode::Sqrt:
    case HloOpcode::Rsqrt:
      return 6 * wide;
    case HloOpcode::Parameter:
    case HloOpcode::Constant:
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
    case HloOpcode::Windows:
    case HloOpcode::GetTupleElement:
    case HloOpcode::Tuple:
    case HloOpcode::Copy:
      return 0;
    case HloOpcode::While:  // in a region; the number of iterations is not known
      return IsScalarLoop(i) ? 1 : 50;
    case HloOpcode::Pad:
    case HloOpcode::Concatenate:
    case HloOpcode::DynamicUpdateSlice:
    case HloOpcode::Gather:
      return 2;
    default:
      return IsComplex(t) ? 4 : 1;
  }
}

}  // namespace sinter
