// The one device of this build of tests/ops: the compiler for CUDA and the emulator, under two
// schedules.
#include "base/status.h"
#include "cuda/device/emulated.h"
#include "ops/devices.h"
#include "ops/has_code.h"
#include "tools/check.h"

namespace sinter::testing {
namespace {

class EmulatorDevice : public Device {
 public:
  std::string_view name() const override { return "emulator"; }
  bool Covers(const HloModule& module) const override {
    return HasCode(module) && !HasTransfers(module);
  }
  absl::Status RunChecks(const HloModule& module, Transfers&) override {
    ASSIGN_OR_RETURN(tools::CheckedProgram checked, tools::ExtractChecks(module));
    emulator::EmulatedProgram::Options options;
    // Inputs are constants: it would be all that is tested.
    options.disabled_passes = {"constant-folding"};
    ASSIGN_OR_RETURN(auto program, emulator::EmulatedProgram::Compile(*checked.module, options));
    for (uint64_t seed : {1, 2}) {
      ASSIGN_OR_RETURN(std::vector<Literal> leaves, program->Run({}, seed));
      RETURN_IF_ERROR(tools::RunChecks(checked, leaves, /*strict=*/false));
    }
    return absl::OkStatus();
  }
};

}  // namespace

std::vector<std::unique_ptr<Device>> Devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<EmulatorDevice>());
  return devices;
}

}  // namespace sinter::testing
