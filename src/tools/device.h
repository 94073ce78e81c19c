// Devices as the tool sees them: the interpreter, and clients of the library.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/module.h"
#include "sinter/explain.h"
#include "sinter/literal.h"
#include "sinter/profile.h"
#include "sinter/transfer.h"

namespace sinter::tools {

// A program made ready by a device.
class LoadedProgram {
 public:
  virtual ~LoadedProgram() = default;
  // From leaves of the parameters to leaves of the result. Checks in the program are executed.
  virtual absl::StatusOr<std::vector<Literal>> Run(absl::Span<const Literal> inputs) = 0;

  // Puts inputs where they stay; results take over those that are donated, and are the next run's
  // inputs.
  virtual absl::Status Upload(std::vector<Literal> inputs, const std::vector<int64_t>& donate) = 0;
  // Runs on what was uploaded and waits for every result.
  virtual absl::Status RunResident() = 0;

  // Milliseconds of one run on what was uploaded, by the device's own clock around `runs` of them
  // that are submitted together; nothing where the device has no clock.
  virtual absl::StatusOr<std::optional<double>> TimeResident(int /*runs*/) { return std::nullopt; }

  // What the compiler made of it.
  virtual absl::StatusOr<Explanation> Explain() const = 0;
  // Where the time of runs on what was uploaded goes; nothing is donated.
  virtual absl::StatusOr<Profile> ProfileResident(const ProfileOptions& options) = 0;

  virtual int64_t kernels() const { return 0; }
  virtual int64_t temp_bytes() const { return 0; }
};

class Device {
 public:
  virtual ~Device() = default;
  // Compiles; `cold` bypasses every cache.
  virtual absl::StatusOr<std::unique_ptr<LoadedProgram>> Load(const HloModule& module,
                                                              const std::vector<int64_t>& donate,
                                                              bool cold) = 0;
  // Data for the infeeds of its programs. None waits: without data, a run that takes some fails.
  virtual absl::Status TransferToInfeed(Literal data) = 0;
  // What outfeeds have given since the last call.
  virtual absl::StatusOr<std::vector<Literal>> TransferFromOutfeed() = 0;
  virtual int threads() const { return 1; }
  // What it is, where that is not this machine's processors: its name and its driver's version.
  virtual std::string description() const { return ""; }
};

struct DeviceOptions {
  std::string name = "cpu";
  int threads = 0;             // 0: as many as the process may use
  bool strict_checks = false;  // RunChecks
  std::string isa;             // as CompileOptions::isa: "" for all that the processor has
  // As those of CompileOptions.
  bool allow_contraction = false, allow_excess_precision = false, flush_denormals = false;
};
// InvalidArgument for a name that is no device's, Unavailable where this machine or build lacks it.
absl::StatusOr<std::unique_ptr<Device>> OpenDevice(const DeviceOptions& options);

std::unique_ptr<Device> OpenInterpreter(bool strict_checks = false);
absl::StatusOr<std::unique_ptr<Device>> OpenCpu(const DeviceOptions& options);
absl::StatusOr<std::unique_ptr<Device>> OpenCuda(const DeviceOptions& options);

// No limit: the tool holds what it is given.
inline TransferOptions UnlimitedTransfers() { return {.queue_bytes = INT64_MAX}; }
// All data that `take` gives before it is Cancelled.
absl::StatusOr<std::vector<Literal>> TakeAll(const std::function<absl::StatusOr<Literal>()>& take);

// For each donated parameter leaf the result leaf that takes it over: -1 where there is none.
std::vector<int64_t> FeedbackOf(const HloModule& module, const std::vector<int64_t>& donate);

}  // namespace sinter::tools
