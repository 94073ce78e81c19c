// Programs of several participants, on the interpreter and on the devices of a client: of one
// process, or of several that all run the same tests (processes.py).
#pragma once

#include <string>
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

}  // namespace sinter::testing
