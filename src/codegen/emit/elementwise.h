// What each elementwise op does to one element, written once on tiles of any shape for every
// target.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/emit/parts.h"
#include "ir/module.h"

namespace sinter::emit {

// The type in which kernels compute with elements of type `t` and accumulate them: F32 for BF16 and
// F16, else `t`.
inline ElementType ComputedIn(ElementType t) {
  return t == ElementType::BF16 || t == ElementType::F16 ? ElementType::F32 : t;
}

// The type in which a reduction or scan accumulates its k-th result: the reducer's own, computed.
inline ElementType AccumulatorOf(const HloInstruction& reduce, size_t k) {
  return ComputedIn(reduce.called(0)->parameter(k)->shape().element_type());
}

// Elementwise ops that move or convert whole elements of any type, and the others, which compute:
// each of those needs code for real elements and, where its row allows them, for complex ones.
constexpr bool MovesWholeElements(const OpInfo& info) {
  switch (info.op) {
    case HloOpcode::Complex:
    case HloOpcode::Convert:
    case HloOpcode::Copy:
    case HloOpcode::Imag:
    case HloOpcode::Real:
    case HloOpcode::ReducePrecision:
    case HloOpcode::Select:
      return true;
    default:
      return false;
  }
}
constexpr bool ComputesElements(const OpInfo& info) {
  return info.kind == OpKind::kElementwise && !MovesWholeElements(info);
}

// Applies `instruction` to operands of element type `in` (of operand 0; a select's data operands),
// giving `out`. BF16 and F16 compute in F32 and round once to `out`.
absl::StatusOr<Parts> EmitElementwise(kernel::Builder& b, const HloInstruction& instruction,
                                      absl::Span<const Parts> operands, ElementType in,
                                      ElementType out);

// A converted value: the semantics of HLO's convert between any two element types.
Parts EmitConvert(kernel::Builder& b, Parts x, ElementType from, ElementType to);

// A scalar constant of an element type, read from a literal's only element.
Parts EmitScalarConstant(kernel::Builder& b, const Literal& literal, int64_t index = 0);

// Whether kernels hold and compute elements of this type: predicates, integers of 8 to 64 bits,
// BF16, F16, F32, F64 and complex numbers.
bool HasElementType(ElementType type);

}  // namespace sinter::emit
