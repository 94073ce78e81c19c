// Transfers with the host.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Infeeds, outfeeds, and sends and receives of channels to the host become custom calls by the
// names of transfer/targets.h, so that other passes know them as code of the host's.
// InvalidArgument where what a send or receive has begun is used by more than its end.
std::unique_ptr<Pass> MakeExpandTransfersPass();

}  // namespace sinter
