// An exchange between processes, over the memory of each and messages.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "base/thread/fp_environment.h"
#include "runtime/transport.h"

namespace sinter::runtime::cpu {

// Results are those of the same exchange in one process, bit for bit. Large arrays are reduced a
// part in each process, and the parts are exchanged then (Thakur, Rabenseifner and Gropp,
// "Optimization of Collective Communication Operations in MPICH", 2005, section 4.4, but for the
// order of reduction, which is the group's); of small ones each process reduces all.
absl::StatusOr<std::unique_ptr<RemoteExchange>> MakeRemoteExchange(const Exchange& exchange,
                                                                   const Spread& spread,
                                                                   FpMode mode);

}  // namespace sinter::runtime::cpu
