// Programs of several participants, on the interpreter and on the devices of a client: of one
// process, or of several that all run the same tests (processes.py).
#pragma once

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "collective/groups.h"
#include "ir/module.h"
#include "sinter/client.h"

namespace sinter::testing {

// The environment variable SINTER_TEST_PROCESSES says how this process finds others: "mpi", or "tcp
// ID ADDRESS ADDRESS ..."; without it there are none.
DistributedOptions FromEnvironment();

// A client of eight devices, of which this process has its share.
std::shared_ptr<Client> ClientOfEight(CpuOptions options = {});

// Counts calls of the host that go on: one that a run was given up over may still do so when the
// run has ended, and needs what it refers to. Its end waits for theirs.
class CallsGoingOn {
 public:
  ~CallsGoingOn() {
    while (count_ > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  template <class Call>
  auto Within(const Call& call) {
    const struct One {
      std::atomic<int>& count;
      explicit One(std::atomic<int>& c) : count(c) { ++count; }
      ~One() { --count; }
    } one(count_);
    return call();
  }

 private:
  std::atomic<int> count_{0};
};

using Arguments = std::vector<std::vector<Literal>>;  // of each participant

inline std::string Told(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

// HLO text for so many participants.
absl::StatusOr<std::shared_ptr<HloModule>> ParseFor(const std::string& text, collective::Grid grid);
absl::StatusOr<std::vector<Literal>> Interpreted(const HloModule& module,
                                                 const Arguments& arguments);
// On devices `assignment` of the client, or on the first; of a client of several processes one of
// each in turn. Gives what the participants of this process have.
absl::StatusOr<std::vector<Literal>> OnDevices(Client& client, const HloModule& module,
                                               const Arguments& arguments, bool async = false,
                                               std::vector<int> assignment = {},
                                               CompileOptions options = {});
// Bit for bit, NaNs aside.
absl::Status SameOnDevices(Client& client, const std::string& text, collective::Grid grid,
                           const Arguments& arguments);

// Targets by name: "tests.delay" gives its one operand as its result, a quarter of the calls after
// up to half a millisecond; the times follow from the numbers of the calls.
std::shared_ptr<CustomCallRegistry> Delays();
// So many runs of `delayed`, several at a time, of which each must give what the interpreter has
// for `text`.
absl::Status SameInRuns(Client& client, const std::string& text, const std::string& delayed,
                        collective::Grid grid, const Arguments& arguments, int runs);

}  // namespace sinter::testing
