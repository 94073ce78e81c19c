// Values that combining with leaves everything as it is.
#pragma once

#include <optional>

#include "ir/module.h"

namespace sinter {

// Of an operation of two elements of the type: x op value is x, bit by bit. Nothing where the op
// has none, or none that is known here: extremes of complex numbers and of floats of 8 bits and
// less.
std::optional<Literal> NeutralElement(HloOpcode op, ElementType type);

}  // namespace sinter
