// Transfers of compiled programs, as functions of the host's that they call.
#pragma once

#include <memory>
#include <string_view>

#include "runtime/device.h"
#include "sinter/custom_call.h"
#include "transfer/queues.h"

namespace sinter::runtime {

// The function behind a name of transfer/targets.h, empty for any other. It waits for the queue, on
// devices with memory of their own also for what has been submitted, and copies. Errors: the
// queue's, the device's.
CustomCallFunction FindTransfer(std::string_view target, std::shared_ptr<Device> device,
                                std::shared_ptr<TransferQueues> queues);

}  // namespace sinter::runtime
