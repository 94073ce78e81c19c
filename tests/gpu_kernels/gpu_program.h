// Programs as a GPU gets them, run without one: planned for it, with layouts and barriers, and
// interpreted.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"
#include "codegen/plan/plan.h"
#include "ir/module.h"
#include "passes/buffers/assign.h"
#include "sinter/literal.h"

namespace sinter::testing {

struct GpuProgramOptions {
  GpuMachine machine;
  bool simplify = true;
};

class GpuProgram {
 public:
  // Plans, emits and lays out every kernel of a module (which passes rewrite), and checks each:
  // Verify, its text read back, the size of its task buffers.
  static absl::StatusOr<std::unique_ptr<GpuProgram>> Make(std::unique_ptr<HloModule> module,
                                                          const GpuProgramOptions& options = {});

  // From leaves of the parameters to leaves of the result. Internal where a kernel races on shared
  // memory.
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> arguments) const;

  struct Unit {
    std::unique_ptr<HloModule> merged;  // what the plan speaks of, where not the region itself
    plan::Plan plan;
    kernel::Kernel kernel;
  };
  const std::vector<Unit>& units() const { return units_; }

 private:
  absl::Status AddUnit(const HloInstruction& fusion, const GpuProgramOptions& options);
  absl::Status Execute(const std::vector<program::Step>& steps,
                       absl::Span<std::byte* const> bases) const;
  absl::Status Execute(const program::Launch& launch, absl::Span<std::byte* const> bases) const;

  std::unique_ptr<HloModule> module_;
  std::vector<Unit> units_;
  absl::flat_hash_map<const HloInstruction*, size_t> unit_of_;
  absl::flat_hash_map<const HloInstruction*, KernelFacts> facts_;
  BufferAssignment assigned_;
};

}  // namespace sinter::testing
