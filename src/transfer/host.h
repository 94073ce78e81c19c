// Sends to the host and receives from it, checked.
#pragma once

#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sinter/transfer.h"

namespace sinter {

// `host`, which may be null, is asked. FailedPrecondition where it does not answer; InvalidArgument
// for data of another shape; Internal for what a function throws; errors name the channel.
absl::Status SendToHost(const HostTransfers* host, const HostTransfer& to, Literal data);
absl::StatusOr<Literal> ReceiveFromHost(const HostTransfers* host, const HostTransfer& from,
                                        const Shape& shape);

// A host that gives what it has been sent: each channel of a participant is a queue, and a receive
// from an empty one is FailedPrecondition.
std::shared_ptr<const HostTransfers> EchoingHost();

}  // namespace sinter
