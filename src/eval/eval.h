// The reference interpreter: what a module means, evaluated on literals.
//
//   ASSIGN_OR_RETURN(Literal sum, Evaluate(module, {x, y}));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collective/groups.h"
#include "ir/module.h"
#include "sinter/literal.h"
#include "sinter/transfer.h"
#include "transfer/queues.h"

namespace sinter {

struct EvalOptions {
  // Evaluates custom calls. Where it is empty or gives nothing, check.expect_eq,
  // check.expect_close and check.expect_almost_eq are strict assertions (sinter/testing.h), and
  // others are called where the process has registered them for the host (sinter/custom_call.h) or
  // the library has them itself, else Unimplemented.
  using CustomCall = std::function<absl::StatusOr<std::optional<Literal>>(
      const HloInstruction&, absl::Span<const Literal>)>;
  CustomCall custom_call;
  // What infeeds and outfeeds exchange data with; null: they are Unimplemented.
  TransferQueues* transfers = nullptr;
  // Who answers sends to the host and receives from it; null: they are FailedPrecondition.
  const HostTransfers* host = nullptr;
  // Past these evaluation ends with ResourceExhausted. Bytes of one array; instructions executed,
  // those of called computations each time they run (0: no limit).
  int64_t max_value_bytes = int64_t{1} << 33;
  int64_t max_instructions = 0;
};

// The result of the entry computation, run by one participant, a tuple literal where the result is
// a tuple. InvalidArgument where the arguments are not what the parameters declare (layouts aside).
absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options = {});

// What each participant of a program gets: as many as the module has replicas and partitions, or as
// many as there are lists of arguments, which must be so many. Participant replica * partitions +
// partition has the arguments and the result of that number. Besides the errors of Evaluate:
// InvalidArgument where participants meet in operations that disagree, or wait for one another for
// ever, naming the participants and what each of them is in; ResourceExhausted for more
// participants than the interpreter or the system has threads. The first error of a participant
// ends the others.
absl::StatusOr<std::vector<Literal>> EvaluateParticipants(
    const HloModule& module, absl::Span<const std::vector<Literal>> arguments,
    const EvalOptions& options = {});
// The same of a computation for each participant, which may be of several modules.
absl::StatusOr<std::vector<Literal>> EvaluateParticipants(
    absl::Span<const HloComputation* const> computations,
    absl::Span<const std::vector<Literal>> arguments, const collective::Grid& grid,
    const EvalOptions& options = {});

absl::StatusOr<Literal> EvaluateComputation(const HloComputation& computation,
                                            absl::Span<const Literal> arguments,
                                            const EvalOptions& options = {});

// The result of one instruction (not a parameter) for given values of its operands, as constant
// folding needs it.
absl::StatusOr<Literal> EvaluateInstruction(const HloInstruction& instruction,
                                            absl::Span<const Literal* const> operands,
                                            const EvalOptions& options = {});

}  // namespace sinter
