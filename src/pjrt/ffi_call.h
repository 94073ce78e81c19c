// A handler of XLA's foreign function interface as a target of custom calls.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "pjrt/ffi_abi.h"
#include "sinter/custom_call.h"

namespace sinter::pjrt::ffi {

// The functions of a target. All but `execute` may be null.
struct Handlers {
  Handler* instantiate = nullptr;  // once for each place that calls, when the program is made
  Handler* prepare = nullptr;      // before each call, on its arrays
  Handler* initialize = nullptr;   // then
  Handler* execute = nullptr;
};

// Asks the handlers for the version of the interface that they were compiled for. Unimplemented for
// ones that cannot be called: of another major version.
absl::StatusOr<CustomCallFactory> MakeTarget(std::string name, const Handlers& handlers);

}  // namespace sinter::pjrt::ffi
