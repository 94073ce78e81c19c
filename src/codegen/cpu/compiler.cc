#include "codegen/cpu/compiler.h"

#include <chrono>
#include <mutex>
#include <new>
#include <utility>

#include "base/status.h"
#include "codegen/cpu/generator.h"
#include "codegen/cpu/stage.h"
#include "codegen/llvm/fatal.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::cpu {
namespace {

using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;

class Stopwatch {
 public:
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Keeps what LLVM reports, instead of letting it print.
class Diagnostics final : public llvm::DiagnosticHandler {
 public:
  explicit Diagnostics(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override {
    if (info.getSeverity() != llvm::DS_Error) return true;
    llvm::raw_string_ostream stream(errors_);
    llvm::DiagnosticPrinterRawOStream printer(stream);
    info.print(printer);
    return true;
  }

 private:
  std::string& errors_;
};

// Index arithmetic of a kernel's top on given parameters: enough for the bounds of its stages.
class TopEvaluator {
 public:
  TopEvaluator(const Kernel& kernel, absl::Span<const int64_t> dims)
      : values_(kernel.types.size()) {
    for (size_t i = 0; i < kernel.params.size() && i < dims.size(); i++)
      values_[static_cast<size_t>(kernel.params[i].value)] = dims[i];
    for (const Op& op : kernel.top.ops)
      if (op.results.size() == 1 && op.regions.empty())
        values_[static_cast<size_t>(op.results[0])] = Evaluate(op);
  }
  std::optional<int64_t> operator[](kernel::Value v) const {
    return values_[static_cast<size_t>(v)];
  }

 private:
  std::optional<int64_t> Evaluate(const Op& op) const {
    if (op.code == OpCode::kConst) return op.int_value;
    if (op.operands.size() != 2) return std::nullopt;
    const auto a = (*this)[op.operands[0]], b = (*this)[op.operands[1]];
    if (!a || !b) return std::nullopt;
    const auto x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
    const bool divides = *b != 0 && *b != -1;
    switch (op.code) {
      case OpCode::kAdd:
        return static_cast<int64_t>(x + y);
      case OpCode::kSub:
        return static_cast<int64_t>(x - y);
      case OpCode::kMul:
        return static_cast<int64_t>(x * y);
      case OpCode::kDiv:
        if (!divides) return *b == 0 ? -1 : static_cast<int64_t>(0 - x);
        return *a / *b;
      case OpCode::kRem:
        if (!divides) return *b == 0 ? *a : 0;
        return *a % *b;
      case OpCode::kMin:
        return std::min(*a, *b);
      case OpCode::kMax:
        return std::max(*a, *b);
      default:
        return std::nullopt;
    }
  }

  std::vector<std::optional<int64_t>> values_;
};

std::optional<int64_t> TasksOf(const Op& stage, const TopEvaluator& top) {
  const auto lo = top[stage.operands[0]], hi = top[stage.operands[1]];
  if (!lo || !hi) return std::nullopt;
  if (*hi <= *lo) return 0;
  return (*hi - *lo + stage.int_value - 1) / stage.int_value;
}

std::string PrintModule(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

}  // namespace

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
  Stopwatch watch;
  CompileTimes times;
  ASSIGN_OR_RETURN(work.generator, Acquire());
  std::unique_ptr<Generator>& generator = work.generator;
  llvm::LLVMContext& context = work.context;
  context.setDiscardValueNames(artifacts == nullptr || !artifacts->want_text);
  std::string& errors = work.errors;
  context.setDiagnosticHandler(std::make_unique<Diagnostics>(errors));
  work.module = generator->NewModule(context, std::string(prefix));
  std::unique_ptr<llvm::Module>& module = work.module;

  Compiled out;
  out.code.target = target_.Key();
  for (size_t i = 0; i < kernels.size(); i++) {
    const Kernel& kernel = *kernels[i];
    KernelInfo info;
    ASSIGN_OR_RETURN(std::vector<const Op*> stages, StagesOf(kernel));
    const TopEvaluator top(kernel, {});
    for (size_t j = 0; j < stages.size(); j++) {
      const std::string symbol = Format("{}_{}_{}", prefix, i, j);
      RETURN_IF_ERROR(EmitStage(kernel, *stages[j], target_, symbol, *module));
      info.stages.push_back({static_cast<int>(out.code.symbols.size()), TasksOf(*stages[j], top)});
      out.code.symbols.push_back(symbol);
    }
    info.buffers = LaunchBuffers(kernel);
    ASSIGN_OR_RETURN(TaskMemory memory, LayOutTaskMemory(kernel));
    info.task_bytes = memory.bytes;
    out.kernels.push_back(std::move(info));
  }
  times.emit = watch.Lap();
#if SINTER_ASSERTIONS
  {
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    RETURN_INTERNAL_IF(llvm::verifyModule(*module, &stream), "kernel {}: LLVM: {}", prefix,
                       problems);
  }
#endif
  watch.Lap();
  generator->Simplify(*module);
  times.passes = watch.Lap();
  if (artifacts != nullptr && artifacts->want_text) {
    artifacts->llvm_ir = PrintModule(*module);
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
  ASSIGN_OR_RETURN(std::vector<const Op*> stages, StagesOf(kernel));
  RETURN_INTERNAL_IF(stage < 0 || stage >= static_cast<int>(stages.size()),
                     "kernel {} has no stage {}", kernel.name, stage);
  const auto tasks = TasksOf(*stages[static_cast<size_t>(stage)], TopEvaluator(kernel, dims));
  RETURN_INTERNAL_IF(!tasks, "kernel {}: the bounds of stage {} are not index arithmetic",
                     kernel.name, stage);
  return *tasks;
}

}  // namespace sinter::cpu
