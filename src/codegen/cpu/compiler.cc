#include "codegen/cpu/compiler.h"

#include <utility>

#include "base/status.h"
#include "codegen/cpu/generator.h"
#include "codegen/cpu/stage.h"
#include "codegen/kernel/hoist_invariants.h"
#include "codegen/llvm/session.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::cpu {

using kernel::Kernel;
using kernel::Op;

struct Compiler::Pool : codegen::GeneratorPool<Generator> {};
struct Compiler::Session : codegen::Session<Generator> {};

Compiler::Compiler(Target target) : target_(std::move(target)), pool_(std::make_unique<Pool>()) {}
Compiler::~Compiler() = default;

absl::StatusOr<std::unique_ptr<Compiler>> Compiler::Create(Target target) {
  std::unique_ptr<Compiler> compiler(new Compiler(std::move(target)));
  RETURN_IF_ERROR(compiler->pool_->Try(compiler->target_));
  return compiler;
}

absl::StatusOr<Compiled> Compiler::Compile(absl::Span<const Kernel* const> kernels,
                                           std::string_view prefix, Artifacts* artifacts) {
  return codegen::RunSession<Session>(
      prefix, [&](Session& session) { return CompileIn(session, kernels, prefix, artifacts); });
}

absl::StatusOr<Compiled> Compiler::CompileIn(Session& session,
                                             absl::Span<const Kernel* const> kernels,
                                             std::string_view prefix, Artifacts* artifacts) {
  codegen::Stopwatch watch;
  CompileTimes times;
  ASSIGN_OR_RETURN(auto acquired, pool_->Acquire(target_));
  session.Start(std::move(acquired), prefix, artifacts != nullptr && artifacts->want_text);
  Generator* generator = session.generator.get();
  std::unique_ptr<llvm::Module>& module = session.module;

  Compiled out;
  out.code.target = target_.Key();
  for (size_t i = 0; i < kernels.size(); i++) {
    const Kernel kernel = kernel::HoistInvariants(*kernels[i]);
    KernelInfo info;
    ASSIGN_OR_RETURN(std::vector<const Op*> stages, StagesOf(kernel));
    for (size_t j = 0; j < stages.size(); j++) {
      const std::string symbol = Format("{}_{}_{}", prefix, i, j);
      RETURN_IF_ERROR(EmitStage(kernel, *stages[j], target_, symbol, *module));
      info.stages.push_back(
          {static_cast<int>(out.code.symbols.size()), kernel::TasksOf(kernel, *stages[j], {})});
      out.code.symbols.push_back(symbol);
    }
    info.buffers = kernel::LaunchBuffers(kernel);
    ASSIGN_OR_RETURN(kernel::TaskMemory memory, TaskMemoryOf(kernel));
    info.task_bytes = memory.bytes;
    out.kernels.push_back(std::move(info));
  }
  times.emit = watch.Lap();
#if SINTER_ASSERTIONS
  RETURN_IF_ERROR(codegen::VerifyModule(*module));
#endif
  watch.Lap();
  generator->Simplify(*module);
  times.passes = watch.Lap();
  if (artifacts != nullptr && artifacts->want_text) {
    artifacts->llvm_ir = codegen::PrintModule(*module);
    ASSIGN_OR_RETURN(auto text, generator->Generate(*llvm::CloneModule(*module),
                                                    llvm::CodeGenFileType::AssemblyFile));
    artifacts->assembly.assign(text.begin(), text.end());
    watch.Lap();
  }
  ASSIGN_OR_RETURN(out.code.object,
                   generator->Generate(*module, llvm::CodeGenFileType::ObjectFile));
  times.codegen = watch.Lap();
  module.reset();
  RETURN_INTERNAL_IF(!session.errors.empty(), "kernel {}: LLVM: {}", prefix, session.errors);
  RETURN_IF_ERROR(CheckSelfContained(out.code.object));
  if (artifacts != nullptr) artifacts->times = times;
  pool_->Release(std::move(session.generator));
  return out;
}

absl::StatusOr<int64_t> TaskCount(const Kernel& kernel, int stage, absl::Span<const int64_t> dims) {
  ASSIGN_OR_RETURN(std::vector<const Op*> stages, kernel::StagesOf(kernel));
  RETURN_INTERNAL_IF(stage < 0 || stage >= static_cast<int>(stages.size()),
                     "kernel {} has no stage {}", kernel.name, stage);
  const auto tasks = kernel::TasksOf(kernel, *stages[static_cast<size_t>(stage)], dims);
  RETURN_INTERNAL_IF(!tasks, "kernel {}: the bounds of stage {} are not index arithmetic",
                     kernel.name, stage);
  return *tasks;
}

}  // namespace sinter::cpu
