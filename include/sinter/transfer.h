// Transfers between running programs and their host: what infeeds take and outfeeds give.
//
//   client->TransferToInfeed(sinter::Literal::R1<float>({1, 2}));
//   f.Execute({});                                       // a program with Infeed and Outfeed
//   sinter::Literal y = client->TransferFromOutfeed().value();
#pragma once

#include <cstdint>

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

}  // namespace sinter
