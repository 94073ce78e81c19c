// Replaces calls by the bodies of what they call.
#pragma once

#include "pass/pass.h"

namespace sinter {

// Every call, and every composite that became one, is inlined, callees first, so that one round
// suffices. So are the fusions of the text: the fusion pass forms regions anew. Computations that
// are no longer reachable are removed.
std::unique_ptr<Pass> MakeInlineCallsPass();

}  // namespace sinter
