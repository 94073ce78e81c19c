#include "base/status.h"
#include "codegen/kernel/assign_layouts.h"
#include "codegen/kernel/place_syncs.h"
#include "compiler/lower.h"

namespace sinter::compiler {
namespace {

class Cuda final : public Backend {
 public:
  Cuda(gpu::Compiler& compiler, const GpuMachine& machine)
      : compiler_(compiler), target_(On(compiler.target(), machine)) {}

  absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                const emit::EmitOptions& options) override {
    ASSIGN_OR_RETURN(Lowered out, LowerFor(target_, region, options));
    RETURN_IF_ERROR(kernel::AssignLayouts(out.kernel, kernel::GpuShape{.warps = out.plan.warps}));
    RETURN_IF_ERROR(kernel::PlaceSyncs(out.kernel));
    return out;
  }
  absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                            std::string_view prefix,
                                            codegen::Artifacts* artifacts) override {
    return compiler_.Compile(kernels, prefix, artifacts);
  }
  const TargetInfo& target() const override { return target_; }
  std::string_view extension() const override { return "ptx"; }

 private:
  static TargetInfo On(const gpu::Target& target, GpuMachine machine) {
    // Reductions and exchanges between threads need some too.
    constexpr int64_t kExchanges = 16 << 10;
    machine.sm = target.sm;
    machine.product_bytes = target.shared_bytes - kExchanges;
    return machine;
  }

  gpu::Compiler& compiler_;
  const TargetInfo target_;
};

}  // namespace

std::unique_ptr<Backend> CudaBackend(gpu::Compiler& compiler, GpuMachine machine) {
  return std::make_unique<Cuda>(compiler, machine);
}

}  // namespace sinter::compiler
