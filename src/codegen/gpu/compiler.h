// Kernels to PTX.
//
//   ASSIGN_OR_RETURN(auto target, gpu::Target::Parse("sm_90a"));
//   ASSIGN_OR_RETURN(auto compiler, gpu::Compiler::Create(target));
//   ASSIGN_OR_RETURN(gpu::Compiled out, compiler->Compile({&kernel}, "softmax"));
//   // out.code.object is PTX text; out.kernels[0].stages[i].function indexes out.code.symbols.
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/gpu/target.h"
#include "codegen/kernel/kernel.h"
#include "codegen/llvm/compiled.h"

namespace sinter::gpu {

using codegen::Artifacts;
using codegen::Compiled;
using codegen::KernelInfo;
using codegen::StageInfo;

// Thread-safe: threads compile at the same time, each with a code generator of its own that is
// reused by the next one.
class Compiler {
 public:
  static absl::StatusOr<std::unique_ptr<Compiler>> Create(Target target);
  ~Compiler();
  Compiler(const Compiler&) = delete;
  Compiler& operator=(const Compiler&) = delete;

  const Target& target() const { return target_; }

  // Several kernels in one text. Symbols are `prefix`_<kernel>_<stage>. Kernels are laid out
  // (Kernel::warps, layouts, barriers) and verified. Whatever cannot be compiled is Internal, also
  // where LLVM would end the process (what it worked on is then leaked); ResourceExhausted where
  // there is no memory; Unimplemented where a kernel needs more tasks than a launch has blocks, or
  // more shared memory than a block has.
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

}  // namespace sinter::gpu
