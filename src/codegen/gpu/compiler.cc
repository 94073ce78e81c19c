#include "codegen/gpu/compiler.h"

#include <utility>
#include <vector>

#include "base/status.h"
#include "codegen/gpu/generator.h"
#include "codegen/gpu/stage.h"
#include "codegen/kernel/stages.h"
#include "codegen/llvm/session.h"

namespace sinter::gpu {

using kernel::Kernel;
using kernel::Op;

namespace {
// Blocks of a launch along x.
constexpr int64_t kMaxTasks = (int64_t{1} << 31) - 1;
}  // namespace

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
  codegen::CompileTimes times;
  ASSIGN_OR_RETURN(auto acquired, pool_->Acquire(target_));
  session.Start(std::move(acquired), prefix, artifacts != nullptr && artifacts->want_text);
  Generator* generator = session.generator.get();
  std::unique_ptr<llvm::Module>& module = session.module;

  Compiled out;
  out.code.target = target_.name;
  for (size_t i = 0; i < kernels.size(); i++) {
    const Kernel& kernel = *kernels[i];
    KernelInfo info;
    info.threads = 32 * kernel.warps;
    info.buffers = kernel::LaunchBuffers(kernel);
    ASSIGN_OR_RETURN(std::vector<const Op*> stages, kernel::StagesOf(kernel));
    for (size_t j = 0; j < stages.size(); j++) {
      const std::string symbol = Format("{}_{}_{}", prefix, i, j);
      ASSIGN_OR_RETURN(const int64_t bytes,
                       EmitStage(kernel, *stages[j], target_, symbol, *module));
      info.task_bytes = std::max(info.task_bytes, bytes);
      const auto tasks = kernel::TasksOf(kernel, *stages[j], {});
      if (tasks.value_or(0) > kMaxTasks) {
        return Unimplemented("kernel {}: {} tasks exceed the {} blocks of a launch", kernel.name,
                             *tasks, kMaxTasks);
      }
      info.stages.push_back({static_cast<int>(out.code.symbols.size()), tasks});
      out.code.symbols.push_back(symbol);
    }
    if (info.task_bytes > target_.shared_bytes) {
      return Unimplemented("kernel {}: {} bytes of shared memory exceed the {} of a block on {}",
                           kernel.name, info.task_bytes, target_.shared_bytes, target_.name);
    }
    out.kernels.push_back(std::move(info));
  }
  times.emit = watch.Lap();
#if SINTER_ASSERTIONS
  RETURN_IF_ERROR(codegen::VerifyModule(*module));
#endif
  watch.Lap();
  generator->Simplify(*module);
  times.passes = watch.Lap();
  if (artifacts != nullptr && artifacts->want_text)
    artifacts->llvm_ir = codegen::PrintModule(*module);
  watch.Lap();
  ASSIGN_OR_RETURN(const std::string ptx, generator->Generate(*module));
  times.codegen = watch.Lap();
  out.code.object.assign(ptx.begin(), ptx.end());
  module.reset();
  RETURN_INTERNAL_IF(!session.errors.empty(), "kernel {}: LLVM: {}", prefix, session.errors);
  if (artifacts != nullptr) {
    if (artifacts->want_text) artifacts->assembly = ptx;
    artifacts->times = times;
  }
  pool_->Release(std::move(session.generator));
  return out;
}

}  // namespace sinter::gpu
