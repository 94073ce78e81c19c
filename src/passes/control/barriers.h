#pragma once

#include "pass/pass.h"

namespace sinter {

// An optimization barrier of one array becomes that array, so that what stands before it and after
// it may share a kernel. It has done its work when no other pass would compute across it; that of
// several values still says what comes before what (a checkpoint's recomputation), and that of a
// constant keeps it in memory.
std::unique_ptr<Pass> MakeBarriersPass();

}  // namespace sinter
