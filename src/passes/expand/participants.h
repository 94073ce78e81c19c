// Collectives of one participant.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// A collective that has no other participant becomes its operands, the numbers of replica and
// partition zero. Unimplemented for what needs others, and for transfers.
std::unique_ptr<Pass> MakeExpandParticipantsPass();

}  // namespace sinter
