// The subcommands, one file each. Each adds itself and its options to the application, and sets
// `action` when it is the one that was called.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

#include "absl/status/status.h"
#include "tools/device.h"
#include "tools/load.h"

namespace sinter::tools {

// The options that say what program a command takes, and its sizes.
inline void AddProgramOptions(CLI::App& command, ProgramFile& file) {
  command
      .add_option(
          "FILE", file.path,
          "HLO or StableHLO text, MLIR bytecode or a file of jax.export; - is standard input")
      ->required();
  command.add_option("--entry", file.entry, "The function to take, instead of main");
  command.add_option("--platform", file.platform,
                     "Of a file of jax.export the platform whose code to take (cpu)");
}
inline constexpr char kSizesHelp[] =
    "X.npy, one for each parameter in order: the sizes that the program leaves open";

using Action = std::function<absl::Status()>;

// What results may differ by.
inline void AddNumericOptions(CLI::App& command, DeviceOptions& device) {
  command.add_flag("--allow-contraction", device.allow_contraction,
                   "A multiplication and the addition that uses it may be rounded once");
  command.add_flag("--allow-excess-precision", device.allow_excess_precision,
                   "Values of bf16 and f16 may stay in f32 between operations");
  command.add_flag("--flush-denormals", device.flush_denormals,
                   "Denormal inputs and results of arithmetic count as zeros");
}

void AddBench(CLI::App& app, Action& action);
void AddCompile(CLI::App& app, Action& action);
void AddDiff(CLI::App& app, Action& action);
void AddExplain(CLI::App& app, Action& action);
void AddOpt(CLI::App& app, Action& action);
void AddRun(CLI::App& app, Action& action);

}  // namespace sinter::tools
