// How the contents of what participants exchange get from one to the other: in a process by one
// memory, between processes by messages (runtime/cpu/memory_transport.h, remote_exchange.h).
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "network/network.h"
#include "runtime/step_executor.h"
#include "sinter/event.h"

namespace sinter::runtime {

struct Participants;

// An exchange of a group that has met: nobody of it goes on before it is done.
struct Exchange {
  const program::Collective* step = nullptr;
  program::StageFunction reducer = nullptr;
  // Of participants, and of each the addresses of its operands and results, in the group's order. A
  // participant that meets nobody is alone, and the group empty.
  absl::Span<const int64_t> group;
  std::vector<void* const*> pointers;
  std::vector<int> devices;  // of each the client's device
  std::string_view program;  // for messages
  const Participants* participants = nullptr;
  // By member, null where it is not here: what they may submit whole. Empty where one of those here
  // offers nothing.
  std::vector<StepExecutor::Sequence*> sequences;
};

// Of an exchange between processes: the process of each of the group, and this one. Pointers are
// null for those of others.
struct Spread {
  std::vector<int> processes;
  int self = 0;
};

// The work of an exchange that is left for the threads of the participants, in pieces of which all
// may run at a time. The exchange is done when all have run.
class ExchangeWork {
 public:
  virtual ~ExchangeWork() = default;
  virtual int64_t pieces() const = 0;
  virtual void Run(int64_t piece) const = 0;
};

// An exchange between processes, as one of them sees it. It goes in rounds, as many in each
// process: in each, every process sends one message to every other one, and works on what it has
// been sent. Who has sent its first message has come to the exchange with all that are its own.
class RemoteExchange {
 public:
  virtual ~RemoteExchange() = default;
  // A round begins: a message to each process, in the order of `others`.
  virtual absl::StatusOr<std::vector<network::Bytes>> Pack() = 0;
  // What these have sent; the work is then to be done. InvalidArgument for messages of other sizes,
  // and operands that contradict themselves.
  virtual absl::StatusOr<std::unique_ptr<ExchangeWork>> Unpack(
      std::vector<network::Bytes> received) = 0;
  // Where Unpack waits for other processes: makes the call, which unpacks, on a thread of its own,
  // beside those of exchanges that share no participant. False: nothing is called.
  virtual bool CallAside(std::function<void()> /*call*/) { return false; }
  // Once the work is done: whether that was the last round.
  virtual bool done() const = 0;
  // The other processes, in ascending order.
  virtual const std::vector<int>& others() const = 0;
};

// The order in which runs of several processes are submitted, where what they exchange takes place
// in the order of submission: in another one on each process, devices would wait for one another.
class Turns {
 public:
  // `done` happens when the caller has been submitted; it waits for what is returned.
  Event Next(Event done) {
    std::lock_guard<std::mutex> lock(mutex_);
    return std::exchange(last_, std::move(done));
  }

 private:
  std::mutex mutex_;
  Event last_;
};

// Thread-safe.
class Transport {
 public:
  virtual ~Transport() = default;
  // Begins an exchange, or a whole sequence, of which it then says so. What the work depends on
  // lives until it is done. Results depend on the exchange alone: not on pieces, threads or time.
  // InvalidArgument for operands that contradict themselves: roots outside the group, rows outside
  // arrays.
  virtual absl::StatusOr<std::unique_ptr<ExchangeWork>> Begin(const Exchange& exchange) = 0;
  // The same of a group that is spread over processes, of which those that are here have met.
  virtual absl::StatusOr<std::unique_ptr<RemoteExchange>> BeginRemote(const Exchange& exchange,
                                                                      const Spread& spread) = 0;
  // Of exchanges that only begin, one participant at a time (an empty group). Where it begins,
  // maybe before the others come: what it has submitted comes before the exchange, and what it
  // submits from now on need not.
  virtual absl::Status Arrive(const Exchange& exchange);
  // Once the exchange is done for the host, or is given up: what it submits from now on comes after
  // the end.
  virtual absl::Status Join(const Exchange& exchange);
  // Null: exchanges of several runs may take place in any order.
  virtual Turns* turns() { return nullptr; }
};

inline absl::Status Transport::Arrive(const Exchange&) { return absl::OkStatus(); }
inline absl::Status Transport::Join(const Exchange&) { return absl::OkStatus(); }

}  // namespace sinter::runtime
