// Exchanges between participants of one process: copies, and reductions tile by tile.
#pragma once

#include <memory>

#include "base/thread/fp_environment.h"
#include "runtime/transport.h"

namespace sinter::runtime::cpu {

// A reduction reads each element from every participant of the group once, combines in the group's
// order in tiles that stay in the cache, and writes each result once. An operand and the result of
// the same number may share memory in an all-reduce.
std::shared_ptr<Transport> MakeMemoryTransport(FpMode mode);

}  // namespace sinter::runtime::cpu
