// Complex arithmetic on pairs of tiles.
#pragma once

#include "absl/types/span.h"
#include "codegen/emit/parts.h"
#include "ir/module.h"

namespace sinter::emit {

// add, subtract, negate: by parts. multiply: (ac - bd) + (ad + bc)i, each operation rounded.
// divide: for C64 in F64 and rounded once, for C128 by Smith's method (R. L. Smith, Algorithm 116,
// CACM 1962). abs: without intermediate overflow. sign: x / |x|, 0 for 0. compare: EQ and NE.
// maximum, minimum: in the order of the pairs of parts. Elementary functions: math/complex.h, of
// C64 in F64 and rounded once. For every op that computes (elementwise.h) and whose row allows
// complex elements.
Parts EmitComplex(kernel::Builder& b, const HloInstruction& instruction,
                  absl::Span<const Parts> operands, ElementType type);

}  // namespace sinter::emit
