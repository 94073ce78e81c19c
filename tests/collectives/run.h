// Programs of several participants, on the interpreter and on the devices of a client.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status.h"
#include "collective/groups.h"
#include "ir/module.h"
#include "sinter/client.h"

namespace sinter::testing {

using Arguments = std::vector<std::vector<Literal>>;  // of each participant

inline std::string Told(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

// HLO text for so many participants.
absl::StatusOr<std::shared_ptr<HloModule>> ParseFor(const std::string& text, collective::Grid grid);
absl::StatusOr<std::vector<Literal>> Interpreted(const HloModule& module,
                                                 const Arguments& arguments);
// On devices `assignment` of the client, or on the first.
absl::StatusOr<std::vector<Literal>> OnDevices(Client& client, const HloModule& module,
                                               const Arguments& arguments, bool async = false,
                                               std::vector<int> assignment = {},
                                               CompileOptions options = {});
// Bit for bit, NaNs aside.
absl::Status SameOnDevices(Client& client, const std::string& text, collective::Grid grid,
                           const Arguments& arguments);

}  // namespace sinter::testing
