#include "ops/devices.h"

#include "eval/eval.h"

namespace sinter::testing {
namespace {

// The reference interpreter, by the strict rules.
class EvalDevice : public Device {
 public:
  std::string_view name() const override { return "eval"; }
  absl::Status RunChecks(const Module& module) override { return Evaluate(module, {}).status(); }
};

}  // namespace

std::vector<std::unique_ptr<Device>> AllDevices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<EvalDevice>());
  return devices;
}

}  // namespace sinter::testing
