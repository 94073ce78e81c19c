// Programs with dynamic dimensions at their boundary: callers' arrays have their real sizes, the
// program's those of the bounds.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "program/program.h"
#include "runtime/executable.h"
#include "sinter/buffer.h"
#include "sinter/options.h"

namespace sinter::api {

inline bool HasSizes(const program::Program& p) {
  return !p.argument_sizes.empty() || !p.result_sizes.empty();
}

// The arrays of parameters and results as the computation states them.
std::vector<Shape> StatedArguments(const program::Program& p);
std::vector<Shape> StatedResults(const program::Program& p);

// The elements of an array at the same places of one of other sizes, as far as there are such; the
// rest are zeros.
Literal Resized(const Literal& from, const std::vector<int64_t>& sizes);

// Runs with arguments of sizes up to the bounds, and returns results of their real sizes; waits for
// them. InvalidArgument for a wrong count of arguments and one that is not of its stated shape. Of
// arguments whose dimensions are dynamic, copies are used: donated, they are deleted. `times` as in
// runtime::Executable::Execute.
absl::StatusOr<std::vector<Buffer>> ExecuteSized(runtime::Executable& executable,
                                                 const std::shared_ptr<ClientCore>& client,
                                                 absl::Span<const Buffer> arguments,
                                                 const ExecuteOptions& options,
                                                 runtime::StepTimes* times = nullptr);

}  // namespace sinter::api
