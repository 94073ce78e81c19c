// What the client needs of the compiler, in one place.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "program/program.h"
#include "sinter/options.h"

namespace sinter {

class HloModule;
class Hasher;
class Workers;

namespace api {

struct Compiled {
  program::Program program;
  // Flattened parameters that results may take over. Every run consumes them, whether or not the
  // program could make use of it, so that what happens to a buffer does not depend on the
  // compiler's success.
  std::vector<int64_t> donated;
  // Of a program that the interpreter runs: what it evaluates.
  std::shared_ptr<const HloModule> interpreted;
};

// The compiler as a client sees it; tests put others in its place.
struct Compiler {
  // For programs that run on these threads, which compile too; no result depends on their number.
  std::function<absl::StatusOr<Compiled>(const HloModule&, const CompileOptions&, Workers&)>
      compile;
  // Adds to a cache key all of a module that its code depends on; empty: modules are not cached.
  std::function<void(const HloModule&, Hasher&)> key;
  // Unavailable where this device does not run code for the target (program::Code::target); empty:
  // there is no code.
  std::function<absl::Status(const std::string&)> check_target;
  std::shared_ptr<program::Loader> loader;
};

// The library's own for the host's processor.
absl::StatusOr<Compiler> DefaultCompiler();

// The same for a CUDA GPU: `compute_capability` 90 is version 9.0, `driver_version` as the driver
// gives it. Unavailable where the driver is too old for the GPU or the GPU is unknown.
absl::StatusOr<Compiler> CudaCompiler(int compute_capability, int driver_version,
                                      int multiprocessors);

// A copy of the module, simplified (sinter::Simplify).
absl::StatusOr<std::unique_ptr<HloModule>> SimplifyModule(const HloModule& module,
                                                          const CompileOptions& options);

// Lets results of the entry take over the flattened parameters named: each the first result of its
// shape that takes over none yet. Those that no result fits are left alone. InvalidArgument for one
// that there is not.
absl::Status AddDonations(HloModule& module, absl::Span<const int64_t> parameters);

// The flattened parameters that the module's aliases name, in order.
std::vector<int64_t> AliasedParameters(const HloModule& module);

}  // namespace api
}  // namespace sinter
