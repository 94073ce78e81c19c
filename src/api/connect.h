// The processes of a client, from its options.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "runtime/processes.h"
#include "sinter/distributed.h"

namespace sinter::api {

// Waits for all of them, each of which has so many devices or others. Null: there is only this one.
// InvalidArgument for options that contradict themselves; Unavailable.
absl::StatusOr<std::shared_ptr<runtime::Processes>> ConnectProcesses(
    const DistributedOptions& options, int devices);

}  // namespace sinter::api
