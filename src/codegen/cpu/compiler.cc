#include "codegen/cpu/compiler.h"

#include <mutex>
#include <new>
#include <utility>

#include "base/status.h"
#include "codegen/cpu/generator.h"
#include "codegen/cpu/stage.h"
#include "codegen/llvm/fatal.h"
#include "codegen/llvm/module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::cpu {

using kernel::Kernel;
using kernel::Op;

struct Compiler::Pool {
  std::mutex mutex;
  std::vector<std::unique_ptr<Generator>> idle;
};

Compiler::Compiler(Target target) : target_(std::move(target)), pool_(std::make_unique<Pool>()) {}
Compiler::~Compiler() = default;

absl::StatusOr<std::unique_ptr<Compiler>> Compiler::Create(Target target) {
  std::unique_ptr<Compiler> compiler(new Compiler(std::move(target)));
  // Shows now, not at the first kernel, whether there is a code generator for the target.
  RETURN_IF_ERROR(codegen::CatchFatalErrors([&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::unique_ptr<Generator> generator, compiler->Acquire());
    compiler->Release(std::move(generator));
    return absl::OkStatus();
  }));
  return compiler;
}

absl::StatusOr<std::unique_ptr<Generator>> Compiler::Acquire() {
  {
    std::lock_guard lock(pool_->mutex);
    if (!pool_->idle.empty()) {
      std::unique_ptr<Generator> generator = std::move(pool_->idle.back());
      pool_->idle.pop_back();
      return generator;
    }
  }
  return Generator::Create(target_);
}

void Compiler::Release(std::unique_ptr<Generator> generator) {
  std::lock_guard lock(pool_->mutex);
  pool_->idle.push_back(std::move(generator));
}

// All of LLVM's that a compilation works on.
struct Compiler::Work {
  std::string errors;
  std::unique_ptr<Generator> generator;
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
};

absl::StatusOr<Compiled> Compiler::Compile(absl::Span<const Kernel* const> kernels,
                                           std::string_view prefix, Artifacts* artifacts) {
  auto work = std::make_unique<Work>();
  codegen::FatalErrorsThrow guard;
  try {
    return CompileWith(*work, kernels, prefix, artifacts);
  } catch (const codegen::FatalError& e) {
    (void)work.release();  // in whatever state it is
    return Internal("kernel {}: LLVM: {}", prefix, e.what());
  } catch (const std::bad_alloc&) {
    (void)work.release();
    return ResourceExhausted("kernel {}: the system has no memory for compiling it", prefix);
  }
}

absl::StatusOr<Compiled> Compiler::CompileWith(Work& work, absl::Span<const Kernel* const> kernels,
                                               std::string_view prefix, Artifacts* artifacts) {
  codegen::Stopwatch watch;
  CompileTimes times;
  ASSIGN_OR_RETURN(work.generator, Acquire());
  std::unique_ptr<Generator>& generator = work.generator;
  llvm::LLVMContext& context = work.context;
  context.setDiscardValueNames(artifacts == nullptr || !artifacts->want_text);
  std::string& errors = work.errors;
  context.setDiagnosticHandler(std::make_unique<codegen::Diagnostics>(errors));
  work.module = generator->NewModule(context, std::string(prefix));
  std::unique_ptr<llvm::Module>& module = work.module;

  Compiled out;
  out.code.target = target_.Key();
  for (size_t i = 0; i < kernels.size(); i++) {
    const Kernel& kernel = *kernels[i];
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
  RETURN_INTERNAL_IF(!errors.empty(), "kernel {}: LLVM: {}", prefix, errors);
  RETURN_IF_ERROR(CheckSelfContained(out.code.object));
  if (artifacts != nullptr) artifacts->times = times;
  Release(std::move(generator));
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
