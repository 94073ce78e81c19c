// sinter run FILE: compiles and runs a program, prints or writes its results.
#include <cstdio>
#include <filesystem>

#include "base/status.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/npy.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

struct RunFlags {
  std::string file, entry, output, check = "device";
  DeviceOptions device;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
};

absl::Status WriteResults(const std::string& directory, const std::vector<Literal>& results) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Unavailable("cannot make {}: {}", directory, error.message());
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(WriteFile(Format("{}/{}.npy", directory, i), ToNpy(results[i])));
  }
  return absl::OkStatus();
}

absl::Status Run(const RunFlags& flags) {
  DeviceOptions options = flags.device;
  options.strict_checks = flags.check == "strict";
  std::vector<Dims> sizes;
  for (const std::string& file : flags.inputs) {
    ASSIGN_OR_RETURN(const std::string bytes, ReadFile(file));
    absl::StatusOr<Dims> of = NpySizes(bytes);
    if (!of.ok()) return AsInputError(InFile(of.status(), file));
    sizes.push_back(*std::move(of));
  }
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.file, flags.entry, sizes));
  ASSIGN_OR_RETURN(auto device, OpenDevice(options));
  std::vector<Literal> results;
  auto run = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::vector<Literal> inputs, MakeInputs(*module, flags.inputs, flags.seed));
    ASSIGN_OR_RETURN(auto program, device->Load(*module, {}, false));
    ASSIGN_OR_RETURN(results, program->Run(inputs));
    return absl::OkStatus();
  };
  if (absl::Status s = run(); !s.ok()) return InFile(s, flags.file == "-" ? "<stdin>" : flags.file);
  if (!flags.output.empty()) return WriteResults(flags.output, results);
  for (const Literal& r : results) std::printf("%s\n", r.ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

void AddRun(CLI::App& app, Action& action) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* c = app.add_subcommand("run", "Compile and run a program");
  c->add_option("FILE", flags->file, "HLO or StableHLO text; - is standard input")->required();
  c->add_option("--device", flags->device.name, "cpu, eval (the interpreter) or cuda")
      ->check(CLI::IsMember({"cpu", "eval", "cuda"}));
  c->add_option("--entry", flags->entry, "The function to run, instead of main");
  c->add_option("--input", flags->inputs, "X.npy, one for each parameter in order")
      ->expected(1)
      ->take_all();
  c->add_option("--random", flags->seed, "Seed of random inputs (0)");
  c->add_option("--output", flags->output, "Write DIR/0.npy, 1.npy ... instead of printing");
  c->add_option("--threads", flags->device.threads, "Threads to use (as many as there are)")
      ->check(CLI::Range(0, 1024));
  c->add_option("--check", flags->check, "strict: checks allow compiled devices nothing extra")
      ->check(CLI::IsMember({"strict", "device"}));
  c->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace sinter::tools
