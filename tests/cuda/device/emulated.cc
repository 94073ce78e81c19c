#include "cuda/device/emulated.h"

#include <map>
#include <mutex>

#include "base/status.h"
#include "compiler/compile.h"

namespace sinter::emulator {
namespace {

absl::StatusOr<gpu::Compiler*> CompilerFor(const std::string& target) {
  static auto* compilers = new std::map<std::string, std::unique_ptr<gpu::Compiler>>;
  static auto* mutex = new std::mutex;
  std::lock_guard lock(*mutex);
  auto& compiler = (*compilers)[target];
  if (compiler == nullptr) {
    ASSIGN_OR_RETURN(gpu::Target parsed, gpu::Target::Parse(target));
    ASSIGN_OR_RETURN(compiler, gpu::Compiler::Create(std::move(parsed)));
  }
  return compiler.get();
}

// The backend as it is, with something to do between kernels and code.
class Changed final : public compiler::Backend {
 public:
  Changed(std::unique_ptr<Backend> backend, std::function<void(kernel::Kernel&)> change)
      : backend_(std::move(backend)), change_(std::move(change)) {}

  absl::StatusOr<Lowered> Lower(const HloComputation& region,
                                const emit::EmitOptions& options) override {
    ASSIGN_OR_RETURN(Lowered lowered, backend_->Lower(region, options));
    if (change_) change_(lowered.kernel);
    return lowered;
  }
  absl::StatusOr<codegen::Compiled> Compile(absl::Span<const kernel::Kernel* const> kernels,
                                            std::string_view prefix,
                                            codegen::Artifacts* artifacts) override {
    return backend_->Compile(kernels, prefix, artifacts);
  }
  const TargetInfo& target() const override { return backend_->target(); }
  std::string_view extension() const override { return backend_->extension(); }

 private:
  std::unique_ptr<Backend> backend_;
  std::function<void(kernel::Kernel&)> change_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<EmulatedProgram>> EmulatedProgram::Compile(const HloModule& module,
                                                                          const Options& options) {
  ASSIGN_OR_RETURN(gpu::Compiler * code, CompilerFor(options.target));
  Changed backend(compiler::CudaBackend(*code, options.machine), options.change);
  auto out = std::make_unique<EmulatedProgram>();
  compiler::Options how;
  // A planted mistake need not verify.
  how.verify = options.change == nullptr;
  how.passes.disabled = options.disabled_passes;
  // Of all that is dumped, only what code generation is given matters here.
  how.passes.dump = [](std::string_view, const HloModule&) {};
  how.dump = [&](std::string_view name, std::string_view text) {
    if (name.ends_with(".ll")) out->ir_ = text;
  };
  std::unique_ptr<HloModule> copy = module.Clone();
  for (const auto& computation : copy->computations()) {
    for (const auto& i : computation->instructions()) {
      if (options.tf32 || i->op() != HloOpcode::Dot) continue;
      auto& dot = i->mutable_attrs<DotAttrs>();
      dot.lhs_precision = dot.rhs_precision = Precision::kHighest;
    }
  }
  ASSIGN_OR_RETURN(out->program_, compiler::Compile(*copy, backend, how));
  for (const program::Code& c : out->program_.codes) {
    RegisterDeviceIr({reinterpret_cast<const char*>(c.object.data()), c.object.size()}, out->ir_);
  }
  ASSIGN_OR_RETURN(out->runner_, ProgramRunner::Load(out->program_));
  return out;
}

}  // namespace sinter::emulator
