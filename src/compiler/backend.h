// What the compiler needs of a target. Everything else about a program is the same for all.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/cpu/compiler.h"
#include "codegen/emit/emit.h"
#include "codegen/gpu/compiler.h"
#include "codegen/kernel/kernel.h"
#include "codegen/llvm/compiled.h"
#include "codegen/plan/plan.h"
#include "ir/module.h"
#include "target/target.h"

namespace sinter::compiler {

// Thread-safe.
class Backend {
 public:
  virtual ~Backend() = default;

  // A fused region's kernel, in the form that the target needs: planned, and on a GPU with layouts
  // and barriers.
  struct Lowered {
    // The region with merged dimensions, of which the plan speaks; null: the region as it was.
    std::unique_ptr<HloModule> merged;
    plan::Plan plan;
    kernel::Kernel kernel;
    std::vector<double> nanoseconds;  // estimated serial time of each stage, or one of all
  };
  virtual absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                        const emit::EmitOptions& options) = 0;

  // Kernels that Lower made, as one program::Code.
  virtual absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                                    std::string_view prefix,
                                                    codegen::Artifacts* artifacts) = 0;

  // What passes and plans may know of it.
  virtual const TargetInfo& target() const = 0;

  // Of the generated assembly, for dumps: "s", "ptx".
  virtual std::string_view extension() const = 0;
};

// Of `machine`, threads and caches count; the rest is the compiler's target's. The compiler must
// outlive the backend.
std::unique_ptr<Backend> CpuBackend(cpu::Compiler& compiler, CpuMachine machine = {});
// Of `machine`, the multiprocessors count; the rest is the compiler's target's.
std::unique_ptr<Backend> CudaBackend(gpu::Compiler& compiler, GpuMachine machine = {});

}  // namespace sinter::compiler
