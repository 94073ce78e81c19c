// Collectives and transfers, as the rest of the compiler finds them.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// A collective that has no other participant becomes its operands; numbers of replica and partition
// of which there is one become zero. Others are checked against the participants that the module
// states (InvalidArgument, naming the instruction), and get operands of their results' element
// types; those that reduce elements of at most 8 bits which are no bytes do so in a wider type,
// rounding after each step. Unimplemented for transfers with the host through channels,
// permutations of slices, and dynamic dimensions.
std::unique_ptr<Pass> MakeExpandParticipantsPass();

}  // namespace sinter
