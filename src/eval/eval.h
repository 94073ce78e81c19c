// The reference interpreter: what a module means, evaluated on literals.
//
//   ASSIGN_OR_RETURN(Literal sum, Evaluate(module, {x, y}));
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "sinter/literal.h"
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
  // Past these evaluation ends with ResourceExhausted. Bytes of one array; instructions executed,
  // those of called computations each time they run (0: no limit).
  int64_t max_value_bytes = int64_t{1} << 33;
  int64_t max_instructions = 0;
};

// The result of the entry computation, a tuple literal where the result is a tuple. InvalidArgument
// where the arguments are not what the parameters declare (layouts aside).
absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal> arguments,
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
