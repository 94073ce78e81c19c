#include "ir/analysis/op_cost.h"

namespace sinter {

double OpCost(const Instruction& i) {
  const ElementType t = i.shape().is_array() ? i.shape().element_type() : ElementType::F32;
  const double wide = ByteWidth(t) >= 8 ? 2 : 1;
  switch (i.op()) {
    case Op::Cbrt:
    case Op::Cosine:
    case Op::Sine:
    case Op::Tan:
    case Op::Log:
    case Op::Log1p:
    case Op::Erf:
    case Op::Expm1:
      return 25 * wide;
    case Op::Exp:
    case Op::Tanh:
    case Op::Logistic:
      return 18 * wide;
    case Op::Atan2:
      return 35 * wide;
    case Op::Power:
      return 60 * wide;
    case Op::Divide:
    case Op::Remainder:
      return (IsInteger(t) ? 20 : 5) * wide;
    case Op::Sqrt:
    case Op::Rsqrt:
      return 6 * wide;
    case Op::Parameter:
    case Op::Constant:
    case Op::Broadcast:
    case Op::Reshape:
    case Op::Transpose:
    case Op::Slice:
    case Op::Reverse:
    case Op::GetTupleElement:
    case Op::Tuple:
    case Op::Copy:
      return 0;
    case Op::Pad:
    case Op::Concatenate:
    case Op::DynamicUpdateSlice:
      return 2;
    default:
      return IsComplex(t) ? 4 : 1;
  }
}

}  // namespace sinter
