// Programs that check themselves: custom calls check.expect_eq, check.expect_close,
// check.expect_almost_eq.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "sinter/literal.h"

namespace sinter::tools {

// A check that has been taken out of a program: its operands are results of the program instead.
struct ExtractedCheck {
  std::string target, options;
  Metadata place;
  size_t leaves = 1;  // arrays in each operand
};
struct CheckedProgram {
  std::unique_ptr<HloModule> module;
  size_t results = 0;  // leaves that are the program's own; two for each check follow
  std::vector<ExtractedCheck> checks;
  bool reorders = false;  // holds operations whose sums have an order of their own
};

// For devices that cannot run checks: a copy of the module whose result is a tuple of its own and
// the operands of its checks. Functions that hold checks are inlined. Unimplemented for checks
// inside of loops and branches.
absl::StatusOr<CheckedProgram> ExtractChecks(const HloModule& module);

// Compares what the checks compare, by their rules; FailedPrecondition at the first that fails,
// with its place. `leaves` are the program's flattened results. `strict`: compiled devices are
// allowed nothing extra, and expect_almost_eq no more units in the last place than expect_close.
absl::Status RunChecks(const CheckedProgram& program, absl::Span<const Literal> leaves,
                       bool strict);

// "FILE:LINE: what" for a failure at `place`.
absl::Status AtPlace(const absl::Status& status, const Metadata& place);

}  // namespace sinter::tools
