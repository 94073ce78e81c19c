#include "ops/devices.h"

#include "base/status.h"
#include "codegen/cpu/compiler.h"
#include "codegen/cpu/target.h"
#include "eval/eval.h"
#include "jit/loader.h"
#include "kernels/program_run.h"
#include "ops/has_code.h"
#include "tools/check.h"
#include "tools/device.h"
#include "transfer/host.h"

namespace sinter::testing {
namespace {

// The reference interpreter, by the strict rules.
class EvalDevice : public Device {
 public:
  std::string_view name() const override { return "eval"; }
  absl::Status RunChecks(const HloModule& module, Transfers& transfers) override {
    TransferQueues queues;
    queues.Cancel();
    for (const Literal& data : transfers.to_infeed) RETURN_IF_ERROR(queues.to_infeed().Offer(data));
    EvalOptions options;
    options.transfers = &queues;
    const std::shared_ptr<const HostTransfers> host = EchoingHost();
    options.host = host.get();
    RETURN_IF_ERROR(Evaluate(module, {}, options).status());
    ASSIGN_OR_RETURN(transfers.from_outfeed,
                     tools::TakeAll([&] { return queues.from_outfeed().Take(); }));
    return absl::OkStatus();
  }
};

// A compiled device: checks become further results, which the host compares.
class CompiledDevice : public Device {
 public:
  explicit CompiledDevice(std::string isa) : name_("cpu " + isa), isa_(std::move(isa)) {}
  std::string_view name() const override { return name_; }
  bool Covers(const HloModule& module) const override { return HasCode(module); }
  absl::Status RunChecks(const HloModule& module, Transfers& transfers) override {
    if (!device_) {
      ASSIGN_OR_RETURN(device_, tools::OpenDevice({.name = "cpu", .threads = 2, .isa = isa_}));
    }
    return RunOnDevice(*device_, module, transfers);
  }

 private:
  std::string name_, isa_;
  std::unique_ptr<tools::Device> device_;
};

// Each kernel of the compiled program as machine code against the interpreter of the kernel IR.
class KernelDevice : public Device {
 public:
  explicit KernelDevice(std::string isa)
      : name_("kernels of cpu " + isa + " against their interpreter"), isa_(std::move(isa)) {}
  std::string_view name() const override { return name_; }
  // Bytes that stand for small floats are compared as bytes: where such a float is NaN, its sign is
  // the processor's.
  bool Covers(const HloModule& module) const override {
    return HasCode(module) && !HasSmallFloats(module) && !HasTransfers(module);
  }
  absl::Status RunChecks(const HloModule& module, Transfers&) override {
    if (!compiler_) {
      ASSIGN_OR_RETURN(cpu::Target target, cpu::Target::Level(isa_));
      ASSIGN_OR_RETURN(compiler_, cpu::Compiler::Create(std::move(target)));
      ASSIGN_OR_RETURN(loader_, jit::CreateLoader());
    }
    ASSIGN_OR_RETURN(tools::CheckedProgram checked, tools::ExtractChecks(module));
    PipelineOptions passes;
    passes.disabled = {"constant-folding"};  // inputs are constants: it would be all that is tested
    ASSIGN_OR_RETURN(ProgramRun run,
                     ProgramRun::Compile(*checked.module, *compiler_, *loader_, passes));
    ASSIGN_OR_RETURN(std::vector<Literal> leaves, run.Run({}));
    return tools::RunChecks(checked, leaves, /*strict=*/false);
  }

 private:
  std::string name_, isa_;
  std::unique_ptr<cpu::Compiler> compiler_;
  std::unique_ptr<program::Loader> loader_;
};

}  // namespace

std::vector<std::unique_ptr<Device>> Devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<EvalDevice>());
  devices.push_back(std::make_unique<CompiledDevice>(cpu::Target::RunnableLevels().back()));
  return devices;
}

std::vector<std::unique_ptr<Device>> LowerLevels() {
  std::vector<std::unique_ptr<Device>> devices;
  std::vector<std::string> levels = cpu::Target::RunnableLevels();
  levels.pop_back();
  for (std::string& level : levels)
    devices.push_back(std::make_unique<CompiledDevice>(std::move(level)));
  return devices;
}

std::vector<std::unique_ptr<Device>> KernelDevices() {
  std::vector<std::unique_ptr<Device>> devices;
  for (const std::string& level : cpu::Target::RunnableLevels())
    devices.push_back(std::make_unique<KernelDevice>(level));
  return devices;
}

}  // namespace sinter::testing
