// Transfers of compiled programs, as functions of the host's that they call.
#pragma once

#include <memory>
#include <string_view>

#include "custom_call/call.h"
#include "runtime/device.h"
#include "transfer/queues.h"

namespace sinter::runtime {

// The function behind a name of transfer/targets.h, empty for any other. It waits for the queue or
// the run's host, on devices with memory of their own also for what has been submitted, and copies.
// Errors: the queue's, the host's (transfer/host.h), the device's.
OwnTarget FindTransfer(std::string_view target, std::shared_ptr<Device> device,
                       std::shared_ptr<TransferQueues> queues);

}  // namespace sinter::runtime
