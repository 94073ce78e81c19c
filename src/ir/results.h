// Results of instructions that give one array, or several as a tuple.
#pragma once

#include "ir/module.h"

namespace sinter {

// The shape of the result of that number; of an instruction without a tuple, of its only one.
inline const Shape& ResultShape(const HloInstruction& i, size_t k = 0) {
  return i.shape().is_tuple() ? i.shape().tuple_shapes()[k] : i.shape();
}

}  // namespace sinter
