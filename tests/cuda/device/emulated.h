// A device made of the compiler for CUDA and the emulator.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/kernel/kernel.h"
#include "codegen/plan/plan.h"
#include "cuda/emulator/program_runner.h"
#include "ir/module.h"
#include "sinter/literal.h"

namespace sinter::emulator {

class EmulatedProgram {
 public:
  struct Options {
    std::string target = "sm_90";
    std::vector<std::string> disabled_passes;
    // Leaves f32 products at the precision that they ask for, which may be that of TF32; else they
    // are exact, so that results compare as on other devices.
    bool tf32 = false;
    GpuMachine machine;  // few multiprocessors: large tiles
    // Sees every kernel before code is made of it; may plant mistakes.
    std::function<void(kernel::Kernel&)> change;
  };
  // Compiles a copy of the module and registers what its PTX was made of. Errors of the compiler
  // and of Module::Load.
  static absl::StatusOr<std::unique_ptr<EmulatedProgram>> Compile(const HloModule& module,
                                                                  const Options& options);

  // From leaves of the parameters to leaves of the result, as ProgramRunner::Run.
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> arguments, uint64_t seed) {
    return runner_->Run(arguments, seed);
  }
  void CountBanks(std::vector<BankUse>* banks) { runner_->CountBanks(banks); }
  const program::Program& program() const { return program_; }
  const std::string& ir() const { return ir_; }

 private:
  program::Program program_;
  std::string ir_;
  std::unique_ptr<ProgramRunner> runner_;
};

}  // namespace sinter::emulator
