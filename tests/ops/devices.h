// The devices that tests run modules on.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "ir/module.h"
#include "sinter/literal.h"
#include "tools/device.h"

namespace sinter::testing {

// What infeeds of a run take, and outfeeds have given.
struct Transfers {
  std::vector<Literal> to_infeed, from_outfeed;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view name() const = 0;
  // Why this machine has no such device; empty where it has one. Tests on an absent one are
  // skipped.
  virtual std::string WhyAbsent() const { return ""; }
  // Whether the device claims to run the module; what it does not claim is not tested on it.
  virtual bool Covers(const HloModule&) const { return true; }
  // Runs a module without parameters; its checks are assertions, the first that fails is the
  // status.
  virtual absl::Status RunChecks(const HloModule& module, Transfers& transfers) = 0;
};

// RunChecks on a device of the tool's.
absl::Status RunOnDevice(tools::Device& device, const HloModule& module, Transfers& transfers);

// The interpreter, and the processor by all of its instructions. Adding a device is a line here.
std::vector<std::unique_ptr<Device>> Devices();

// The processor by each set of instructions below the one that it has.
std::vector<std::unique_ptr<Device>> LowerLevels();

// Those of which each kernel runs as machine code and on the kernel IR's interpreter.
std::vector<std::unique_ptr<Device>> KernelDevices();

}  // namespace sinter::testing
