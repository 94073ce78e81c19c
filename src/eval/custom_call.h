// Calls of the host's functions, by what their instructions say.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "custom_call/call.h"
#include "ir/module.h"
#include "sinter/literal.h"

namespace sinter::eval {

// Calls the target of the custom call `i`: one of `targets` for the host, or one of the library's.
// Arrays have the layouts that the call states. Unimplemented where there is no such target.
absl::StatusOr<Literal> CallTarget(const HloInstruction& i, std::vector<Literal> operands,
                                   const CustomCallTargets& targets);

}  // namespace sinter::eval
