// sinter run FILE: compiles and runs a program, prints or writes its results.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/status.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/npy.h"
#include "tools/report.h"
#include "types/literal_text.h"

namespace sinter::tools {
namespace {

struct RunFlags {
  ProgramFile program;
  std::string output, infeed, check = "device";
  DeviceOptions device;
  std::vector<std::string> inputs;
  uint64_t seed = 0;
};

absl::Status WriteResults(const std::string& directory, const std::vector<Literal>& results,
                          const std::vector<Literal>& outfed) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  if (error) return Unavailable("cannot make {}: {}", directory, error.message());
  for (size_t i = 0; i < results.size(); ++i) {
    RETURN_IF_ERROR(WriteFile(Format("{}/{}.npy", directory, i), ToNpy(results[i])));
  }
  for (size_t i = 0; i < outfed.size(); ++i) {
    std::vector<Literal> leaves;
    FlattenLiteral(outfed[i], &leaves);
    for (size_t k = 0; k < leaves.size(); ++k) {
      RETURN_IF_ERROR(WriteFile(Format("{}/outfeed.{}.{}.npy", directory, i, k), ToNpy(leaves[k])));
    }
  }
  return absl::OkStatus();
}

// One literal a line.
absl::Status FeedFromFile(Device& device, const std::string& file) {
  ASSIGN_OR_RETURN(const std::string text, ReadFile(file));
  int number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    absl::StatusOr<Literal> data = ParseLiteral(line);
    if (!data.ok()) {
      return AsInputError(InFile(data.status(), Format("{}:{}", file, number + 1)));
    }
    RETURN_IF_ERROR(device.TransferToInfeed(*std::move(data)));
  }
  return absl::OkStatus();
}

absl::Status Run(const RunFlags& flags) {
  DeviceOptions options = flags.device;
  options.strict_checks = flags.check == "strict";
  ASSIGN_OR_RETURN(const std::vector<Dims> sizes, SizesOf(flags.inputs));
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  ASSIGN_OR_RETURN(auto device, OpenDevice(options));
  if (!flags.infeed.empty()) RETURN_IF_ERROR(FeedFromFile(*device, flags.infeed));
  std::vector<Literal> results, outfed;
  auto run = [&]() -> absl::Status {
    ASSIGN_OR_RETURN(std::vector<Literal> inputs, MakeInputs(*module, flags.inputs, flags.seed));
    ASSIGN_OR_RETURN(auto program, device->Load(*module, {}, false));
    auto done = program->Run(inputs);
    if (absl::IsCancelled(done.status()))
      return InvalidArgument("its infeeds take more data than --infeed gives");
    if (!done.ok()) return done.status();
    results = *std::move(done);
    ASSIGN_OR_RETURN(outfed, device->TransferFromOutfeed());
    return absl::OkStatus();
  };
  if (absl::Status s = run(); !s.ok()) return InFile(s, flags.program.shown());
  if (!flags.output.empty()) return WriteResults(flags.output, results, outfed);
  for (const Literal& r : results) std::printf("%s\n", r.ToString().c_str());
  for (const Literal& data : outfed) std::printf("outfeed %s\n", data.ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

void AddRun(CLI::App& app, Action& action) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App* c = app.add_subcommand("run", "Compile and run a program");
  AddProgramOptions(*c, flags->program);
  c->add_option("--device", flags->device.name, "cpu, eval (the interpreter) or cuda")
      ->check(CLI::IsMember({"cpu", "eval", "cuda"}));
  c->add_option("--input", flags->inputs, "X.npy, one for each parameter in order")
      ->expected(1)
      ->take_all();
  c->add_option("--infeed", flags->infeed,
                "What infeeds take, in order: a file with a line for each, as results are printed: "
                "f32[2] {1, 2}");
  c->add_option("--random", flags->seed, "Seed of random inputs (0)");
  c->add_option("--output", flags->output,
                "Write DIR/0.npy, 1.npy ... and what outfeeds give as outfeed.0.0.npy ... instead "
                "of printing");
  c->add_option("--threads", flags->device.threads, "Threads to use (as many as there are)")
      ->check(CLI::Range(0, 1024));
  AddNumericOptions(*c, flags->device);
  c->add_option(
       "--check", flags->check,
       "strict: expect_almost_eq allows 3 units in the last place whatever its tolerance is, "
       "and checks allow compiled devices nothing extra")
      ->check(CLI::IsMember({"strict", "device"}));
  c->callback([flags, &action] { action = [flags] { return Run(*flags); }; });
}

}  // namespace sinter::tools
