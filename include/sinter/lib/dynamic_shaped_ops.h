// Branches whose results differ in their sizes (xla/hlo/builder/lib/dynamic_shaped_ops.h).
//
//   sinter::Op y = sinter::DynamicConditional(&b, p, x, shorter, x, longer);
#pragma once

#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/export.h"
#include "sinter/op.h"

namespace sinter {

// Conditional (sinter/ops.h) of branches whose results, arrays or tuples of equal ranks and types,
// may differ in sizes: where they do, the result's dimension is dynamic, with the largest of them
// as its bound.
SINTER_API Op DynamicConditional(Builder* builder, const Operand& predicate,
                                 const Operand& true_operand, const Computation& true_computation,
                                 const Operand& false_operand,
                                 const Computation& false_computation);
SINTER_API Op DynamicConditional(Builder* builder, const Operand& branch_index,
                                 absl::Span<const Computation* const> branch_computations,
                                 absl::Span<const Op> branch_operands);

}  // namespace sinter
