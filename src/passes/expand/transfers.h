// Transfers with the host.
#pragma once

#include <memory>

#include "pass/pass.h"

namespace sinter {

// Infeeds and outfeeds become custom calls by the names of transfer/targets.h, so that other passes
// know them as code of the host's.
std::unique_ptr<Pass> MakeExpandTransfersPass();

}  // namespace sinter
