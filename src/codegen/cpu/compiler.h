// Kernels to object code for the CPU.
//
//   ASSIGN_OR_RETURN(auto target, cpu::Target::Host());
//   ASSIGN_OR_RETURN(auto compiler, cpu::Compiler::Create(target));
//   ASSIGN_OR_RETURN(cpu::Compiled out, compiler->Compile({&kernel}, "softmax"));
//   // out.code is a program::Code; out.kernels[0].stages[i].function indexes out.code.symbols.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/cpu/target.h"
#include "codegen/kernel/kernel.h"
#include "codegen/llvm/compiled.h"

namespace sinter::cpu {

using codegen::Artifacts;
using codegen::Compiled;
using codegen::CompileTimes;
using codegen::KernelInfo;
using codegen::StageInfo;

class Generator;

// Thread-safe: threads compile at the same time, each with a code generator of its own that is
// reused by the next one.
class Compiler {
 public:
  static absl::StatusOr<std::unique_ptr<Compiler>> Create(Target target);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  const Target& target() const { return target_; }

  // Several kernels in one object: that costs less than one each. Symbols are
  // `prefix`_<kernel>_<stage>. Kernels are taken to be verified; whatever cannot be compiled is
  // Internal, also where LLVM would end the process (what it worked on is then leaked);
  // ResourceExhausted where there is no memory.
  absl::StatusOr<Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                   std::string_view prefix, Artifacts* artifacts = nullptr);

 private:
  explicit Compiler(Target target);
  struct Session;
  absl::StatusOr<Compiled> CompileIn(Session& session,
                                     absl::Span<const kernel::Kernel* const> kernels,
                                     std::string_view prefix, Artifacts* artifacts);

  const Target target_;
  struct Pool;
  const std::unique_ptr<Pool> pool_;
};

// The number of tasks of a kernel's stage, given its parameters.
absl::StatusOr<int64_t> TaskCount(const kernel::Kernel& kernel, int stage,
                                  absl::Span<const int64_t> dims);

}  // namespace sinter::cpu
