// Constraints on the operands of products, which frontends check too.
#pragma once

#include "sinter/element_type.h"

namespace sinter::infer {

// Operands may differ in precision, which the specification lacks but XLA has: JAX's products of
// f32 and bf16, and of floats of 8 bits, rely on it.
bool AreOfOneKind(ElementType a, ElementType b);

}  // namespace sinter::infer
