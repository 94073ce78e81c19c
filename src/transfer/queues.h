// The queues of a client's transfers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>

#include "absl/status/statusor.h"
#include "sinter/literal.h"
#include "sinter/transfer.h"

namespace sinter {

// A queue of literals in one direction, first in, first out. Thread-safe.
class TransferQueue {
 public:
  TransferQueue(std::string_view name, const TransferOptions& options)
      : name_(name), options_(options) {}

  // ResourceExhausted where there is no room.
  absl::Status Offer(Literal data);
  // Waits for room. DeadlineExceeded; Cancelled.
  absl::Status Put(Literal data);
  // Waits for data. DeadlineExceeded; Cancelled.
  absl::StatusOr<Literal> Take();
  // From now on calls that would wait return Cancelled.
  void Cancel();

 private:
  bool HasRoom(int64_t bytes) const {
    return data_.empty() || bytes <= options_.queue_bytes - bytes_;
  }
  void Append(Literal data, int64_t bytes);
  // Until `ready` holds, which is asked with the mutex locked, as Take is documented.
  template <class Ready>
  absl::Status Wait(std::unique_lock<std::mutex>& lock, std::string_view what, Ready ready);

  const std::string_view name_;  // a string literal
  const TransferOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Literal> data_;
  int64_t bytes_ = 0;  // of data_
  bool cancelled_ = false;
};

class TransferQueues {
 public:
  explicit TransferQueues(const TransferOptions& options = {})
      : to_infeed_("infeed", options), from_outfeed_("outfeed", options) {}
  // InvalidArgument for a negative limit.
  static absl::Status Check(const TransferOptions& options);

  TransferQueue& to_infeed() { return to_infeed_; }
  TransferQueue& from_outfeed() { return from_outfeed_; }
  void Cancel() {
    to_infeed_.Cancel();
    from_outfeed_.Cancel();
  }

  // The next data for an infeed, as a literal of `shape`. Their arrays must be those of the shape
  // in this order, in whatever tuples (InvalidArgument else; the data are lost): what is one array
  // in a program is a tuple of one in what another tool makes of it.
  absl::StatusOr<Literal> TakeForInfeed(const Shape& shape);

 private:
  TransferQueue to_infeed_, from_outfeed_;
};

}  // namespace sinter
