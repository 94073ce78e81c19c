#include "base/status.h"
#include "codegen/kernel/assign_layouts.h"
#include "codegen/kernel/place_syncs.h"
#include "compiler/lower.h"

namespace sinter::compiler {
namespace {

class Cuda final : public Backend {
 public:
  Cuda(gpu::Compiler& compiler, plan::GpuMachine machine) : compiler_(compiler), machine_(machine) {
    // Reductions and exchanges between threads need some too.
    constexpr int64_t kExchanges = 16 << 10;
    machine_.sm = compiler.target().sm;
    machine_.product_bytes = compiler.target().shared_bytes - kExchanges;
  }

  absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                const emit::EmitOptions& options) override {
    ASSIGN_OR_RETURN(Lowered out, LowerFor(machine_, region, options));
    RETURN_IF_ERROR(kernel::AssignLayouts(out.kernel, kernel::GpuShape{.warps = out.plan.warps}));
    RETURN_IF_ERROR(kernel::PlaceSyncs(out.kernel));
    return out;
  }
  absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                            std::string_view prefix,
                                            codegen::Artifacts* artifacts) override {
    return compiler_.Compile(kernels, prefix, artifacts);
  }
  bool calls_library() const override { return false; }
  bool joins_loops() const override { return false; }
  bool chains_products() const override { return false; }
  std::string_view extension() const override { return "ptx"; }

 private:
  gpu::Compiler& compiler_;
  plan::GpuMachine machine_;
};

}  // namespace

std::unique_ptr<Backend> CudaBackend(gpu::Compiler& compiler, plan::GpuMachine machine) {
  return std::make_unique<Cuda>(compiler, machine);
}

}  // namespace sinter::compiler
