// Options of the plugin's clients: create_options of PJRT_Client_Create, and the environment
// variables SINTER_PJRT_OPTIONS ("threads=2,platform=cuda") and SINTER_DEVICES ("8"), which
// override them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "pjrt/named_values.h"

namespace sinter::pjrt {

struct ClientState;

struct PluginOptions {
  std::string platform = "cpu";   // "cpu", "cuda" or "interpreter"
  int64_t device = 0;             // CUDA: the driver's number of the device
  int64_t devices = 1;            // of a client of the CPU
  int64_t node_id = 0;            // the number of this process, of
  int64_t num_nodes = 1;          // so many, each with such devices
  double collective_timeout = 0;  // seconds, as CpuOptions::collective_timeout
  int64_t threads = 0;            // those that a program may use; 0: as many as the process has
  bool inline_execution = false;  // no threads at all: everything runs in the call
  int64_t memory_limit = 0;       // bytes; 0: none
  int64_t memory_pool_limit = int64_t{1} << 30;
  int64_t cache_entries = 256;
};

// InvalidArgument for unknown names, and values of other types or out of range.
absl::Status SetOption(const NamedValue& option, PluginOptions& options);
// Of text, in the form of the environment variable.
absl::Status SetOptions(std::string_view text, PluginOptions& options);
absl::StatusOr<PluginOptions> ReadOptions(const PJRT_NamedValue* values, size_t count);

// Of a client with these options, in this process: a GPU's has one.
inline int DeviceCount(const PluginOptions& options) {
  return options.platform == "cuda" ? 1 : static_cast<int>(options.devices);
}

// In the form of the environment variable, so that SetOptions reads it back.
std::string ToString(const PluginOptions& options);

}  // namespace sinter::pjrt
