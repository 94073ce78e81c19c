// The verifier: what every module must satisfy.
#pragma once

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter {

// Checks ownership, operands and users, acyclicity of instructions and computations, unique names
// and ids, parameters, roots, aliases, and each instruction's shape against its op's rule. The
// first error is returned as "computation %instruction: ... (file:line)", with the place in the
// user's source where it is known.
absl::Status VerifyModule(const HloModule& module);

}  // namespace sinter
