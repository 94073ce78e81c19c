// Runs compiled programs launch by launch, each kernel on the interpreter of the kernel IR and as
// machine code from the same memory, and compares every byte that they leave.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/cpu/compiler.h"
#include "compiler/compile.h"
#include "ir/module.h"
#include "program/program.h"
#include "sinter/literal.h"
#include "target/target.h"

namespace sinter::testing {

class ProgramRun {
 public:
  // Compiles a copy of the module; every kernel is verified. `code`: the generator for the
  // instruction set in question, which `machine` need not say.
  static absl::StatusOr<ProgramRun> Compile(const HloModule& module, cpu::Compiler& code,
                                            program::Loader& loader,
                                            const PipelineOptions& passes = {},
                                            const CpuMachine& machine = {});

  // The results' leaves from the parameters' leaves. DataLoss, with the kernel's text and the
  // element, where machine code leaves other bits than the interpreter (NaNs are all the same);
  // the interpreter's status where it finds an access outside of a buffer. Tasks of a stage run in
  // two pieces, the later first. Buffers lie against a page that may not be touched, in turn at
  // their ends and at their beginnings, so that machine code that leaves them ends the process.
  absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> arguments) const;

  // Launches of kernels so far, for tests of the test.
  int64_t launches() const { return launches_; }

 private:
  struct Memory;  // of one run
  absl::Status Steps(const std::vector<program::Step>& steps, Memory& memory) const;
  absl::Status Launch(const program::Launch& launch, Memory& memory) const;
  absl::Status Call(const program::LibraryCall& call, Memory& memory) const;

  program::Program program_;
  std::vector<kernel::Kernel> kernels_;
  std::vector<size_t> kernel_of_;  // each function's
  std::shared_ptr<program::LoadedCode> code_;
  mutable int64_t launches_ = 0;
};

}  // namespace sinter::testing
