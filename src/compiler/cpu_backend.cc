#include "codegen/kernel/fetch_ahead.h"
#include "compiler/lower.h"

namespace sinter::compiler {
namespace {

class Cpu final : public Backend {
 public:
  Cpu(cpu::Compiler& compiler, int threads) : compiler_(compiler) {
    const cpu::Target& target = compiler.target();
    machine_.vector_bytes = target.vector_bytes;
    machine_.fma = target.fma;
    machine_.dot_bf16 = target.dot_bf16;
    machine_.dot_bytes = target.dot_bytes;
    machine_.vector_registers = target.avx512 ? 32 : 16;
    machine_.threads = threads;
  }

  absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                const emit::EmitOptions& options) override {
    ASSIGN_OR_RETURN(Lowered lowered, LowerFor(machine_, region, options));
    kernel::FetchRowsAhead(lowered.kernel);
    return lowered;
  }
  absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                            std::string_view prefix,
                                            codegen::Artifacts* artifacts) override {
    return compiler_.Compile(kernels, prefix, artifacts);
  }
  bool calls_library() const override { return true; }
  bool joins_loops() const override { return true; }
  bool chains_products() const override { return true; }
  std::string_view extension() const override { return "s"; }

 private:
  cpu::Compiler& compiler_;
  plan::Machine machine_;
};

}  // namespace

std::unique_ptr<Backend> CpuBackend(cpu::Compiler& compiler, int threads) {
  return std::make_unique<Cpu>(compiler, threads);
}

}  // namespace sinter::compiler
