// The one device of this build of tests/ops: a CUDA device, through the driver of the machine.
#include "base/status.h"
#include "ops/devices.h"
#include "ops/has_code.h"
#include "tools/device.h"

namespace sinter::testing {
namespace {

class CudaDevice : public Device {
 public:
  std::string_view name() const override { return "cuda"; }
  bool Covers(const HloModule& module) const override { return HasCode(module); }
  absl::Status RunChecks(const HloModule& module, Transfers& transfers) override {
    if (!device_) {
      ASSIGN_OR_RETURN(device_, tools::OpenDevice({.name = "cuda"}));
    }
    return RunOnDevice(*device_, module, transfers);
  }

 private:
  std::unique_ptr<tools::Device> device_;
};

}  // namespace

// Not being there is a failure: on_device.sh has asked before.
std::vector<std::unique_ptr<Device>> Devices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<CudaDevice>());
  return devices;
}

}  // namespace sinter::testing
