#include "codegen/kernel/fetch_ahead.h"
#include "compiler/lower.h"

namespace sinter::compiler {
namespace {

class Cpu final : public Backend {
 public:
  Cpu(cpu::Compiler& compiler, const CpuMachine& machine)
      : compiler_(compiler), target_(On(compiler.target(), machine)) {}

  absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                const emit::EmitOptions& options) override {
    ASSIGN_OR_RETURN(Lowered lowered, LowerFor(target_, region, options));
    kernel::FetchRowsAhead(lowered.kernel, target_.cpu()->l2_bytes);
    return lowered;
  }
  absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                            std::string_view prefix,
                                            codegen::Artifacts* artifacts) override {
    return compiler_.Compile(kernels, prefix, artifacts);
  }
  const TargetInfo& target() const override { return target_; }
  std::string_view extension() const override { return "s"; }

 private:
  static TargetInfo On(const cpu::Target& target, CpuMachine machine) {
    machine.vector_bytes = target.vector_bytes;
    machine.fma = target.fma;
    machine.dot_bf16 = target.dot_bf16;
    machine.dot_bytes = target.dot_bytes;
    machine.dot_tiles = target.dot_tiles;
    machine.vector_registers = target.avx512 ? 32 : 16;
    return machine;
  }

  cpu::Compiler& compiler_;
  const TargetInfo target_;
};

}  // namespace

std::unique_ptr<Backend> CpuBackend(cpu::Compiler& compiler, CpuMachine machine) {
  return std::make_unique<Cpu>(compiler, machine);
}

}  // namespace sinter::compiler
