// A handler of XLA's foreign function interface as a target of custom calls.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "pjrt/ffi_abi.h"
#include "sinter/custom_call.h"

namespace sinter::pjrt::ffi {

// Asks the handler for the version of the interface that it was compiled for. Unimplemented for one
// that cannot be called: another major version, and handlers with state.
absl::StatusOr<CustomCallFunction> MakeTarget(std::string name, Handler* handler);

}  // namespace sinter::pjrt::ffi
