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

// Applies `instruction` to operands of element type `in` (of operand 0; a select's data operands),
// giving `out`. BF16 and F16 compute in F32 and round once to `out`. Unimplemented, naming op and
// type, where there is no code.
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

// Whether EmitElementwise has code for the op at this element type (of operand 0).
bool HasElementwise(HloOpcode op, ElementType in);

}  // namespace sinter::emit
