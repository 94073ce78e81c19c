// Checks the invariants of kernels that README.md states, before a kernel is lowered: a violation
// is a bug of its builder.
#pragma once

#include "absl/status/status.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

struct VerifyOptions {
  // Show that every index stays within its dimension.
  bool bounds = true;
  // With `bounds`: show that alias groups are read before they are written. Not so in kernels that
  // others were composed to (compose.h).
  bool aliases = true;
};

// Internal with the first violations, a line each, or OK.
absl::Status Verify(const Kernel& kernel, const VerifyOptions& options = {});

}  // namespace sinter::kernel
