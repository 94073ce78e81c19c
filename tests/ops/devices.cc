#include "ops/devices.h"

#include "base/status.h"
#include "codegen/cpu/target.h"
#include "codegen/emit/elementwise.h"
#include "eval/eval.h"
#include "tools/check.h"
#include "tools/device.h"

namespace sinter::testing {
namespace {

// The reference interpreter, by the strict rules.
class EvalDevice : public Device {
 public:
  std::string_view name() const override { return "eval"; }
  absl::Status RunChecks(const HloModule& module) override { return Evaluate(module, {}).status(); }
};

// A compiled device: checks become further results, which the host compares.
class CompiledDevice : public Device {
 public:
  explicit CompiledDevice(std::string isa) : name_("cpu " + isa), isa_(std::move(isa)) {}
  std::string_view name() const override { return name_; }
  bool Covers(const HloModule& module) const override {
    for (const auto& c : module.computations()) {
      for (const auto& i : c->instructions()) {
        if (!i->shape().is_array()) continue;
        if (!emit::HasElementType(i->shape().element_type())) return false;
        if (!IsElementwise(i->op())) continue;
        for (const HloInstruction* o : i->operands()) {
          if (!emit::HasElementwise(i->op(), o->shape().element_type())) return false;
        }
      }
    }
    return true;
  }
  absl::Status RunChecks(const HloModule& module) override {
    if (!device_) {
      ASSIGN_OR_RETURN(device_, tools::OpenDevice({.name = "cpu", .threads = 2, .isa = isa_}));
    }
    ASSIGN_OR_RETURN(auto program, device_->Load(module, {}, false));
    return program->Run({}).status();
  }

 private:
  std::string name_, isa_;
  std::unique_ptr<tools::Device> device_;
};

}  // namespace

std::vector<std::unique_ptr<Device>> AllDevices() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(std::make_unique<EvalDevice>());
  for (const std::string& level : cpu::Target::RunnableLevels()) {
    devices.push_back(std::make_unique<CompiledDevice>(level));
  }
  return devices;
}

}  // namespace sinter::testing
