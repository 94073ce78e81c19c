// Transfers between running programs and their host: what infeeds take and outfeeds give, and the
// sends and receives of channels to the host.
//
//   client->TransferToInfeed(sinter::Literal::R1<float>({1, 2}));
//   f.Execute({});                                       // a program with Infeed and Outfeed
//   sinter::Literal y = client->TransferFromOutfeed().value();
//
//   sinter::HostTransfers host;                          // a program with SendToHost
//   host.send = [&](const sinter::HostTransfer& to, sinter::Literal data) -> absl::Status { ... };
//   options.host_transfers = std::make_shared<sinter::HostTransfers>(std::move(host));
//   f.Execute(arguments, options);
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter {

// Of a client's two queues, one for each direction, which all its programs share.
struct TransferOptions {
  // Bytes that wait in each queue for the other side. An outfeed waits until there is room,
  // Client::TransferToInfeed is ResourceExhausted. Data larger than that pass through an empty
  // queue.
  int64_t queue_bytes = int64_t{1} << 30;
  // How long an infeed waits for data, an outfeed for room, and Client::TransferFromOutfeed for
  // data, in seconds; past it, DeadlineExceeded. 0: without end.
  double timeout_seconds = 0;
};

// A send to the host or a receive from it: StableHLO's send and recv with is_host_transfer,
// SendToHost and RecvFromHost.
struct HostTransfer {
  int64_t channel_id = 0;
  // Who sends or receives: replica * partitions + partition.
  int64_t participant = 0;
};

// What a run exchanges with its host through channels (ExecuteOptions::host_transfers). The
// functions are called on the thread that the run is on, by several at a time for several runs and
// participants, in the order of the program's tokens. The run waits for them: they must not wait
// for another participant of the same run. Their errors are those of the run; an empty function is
// FailedPrecondition where the program comes to such a transfer.
struct HostTransfers {
  // Takes what a send gives.
  std::function<absl::Status(const HostTransfer&, Literal)> send;
  // Gives what a receive takes, a literal of `shape` (InvalidArgument for another).
  std::function<absl::StatusOr<Literal>(const HostTransfer&, const Shape& shape)> receive;
};

}  // namespace sinter
