// sinter diff FILE: the same inputs on several devices, results compared.
#include <cmath>
#include <cstdio>
#include <limits>

#include "base/status.h"
#include "sinter/testing.h"
#include "tools/commands.h"
#include "tools/compare.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

struct DiffFlags {
  ProgramFile program;
  std::vector<std::string> devices = {"eval", "cpu"}, inputs;
  uint64_t seed = 0;
  double rtol = -1, atol = -1;
  int threads = 0;
};

absl::Status Diff(const DiffFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<Dims> sizes, SizesOf(flags.inputs));
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  ASSIGN_OR_RETURN(std::vector<Literal> inputs, MakeInputs(*module, flags.inputs, flags.seed));
  std::vector<std::vector<Literal>> results;
  for (const std::string& name : flags.devices) {
    ASSIGN_OR_RETURN(auto device, OpenDevice({.name = name, .threads = flags.threads}));
    ASSIGN_OR_RETURN(auto program, device->Load(*module, {}, false));
    auto run = program->Run(inputs);
    if (!run.ok()) return Annotate(run.status(), name);
    results.push_back(std::move(*run));
  }
  absl::Status first;
  for (size_t d = 1; d < results.size(); ++d) {
    for (size_t i = 0; i < results[0].size(); ++i) {
      const Literal &expected = results[0][i], &actual = results[d][i];
      if (!expected.shape().is_array()) continue;
      std::printf("output %zu, %s: %s\n", i, flags.devices[d].c_str(),
                  LargestError(actual, expected).c_str());
      bool given = flags.rtol >= 0 || flags.atol >= 0;
      Tolerance tolerance = given ? Tolerance{.max_ulp = 0,
                                              .rtol = std::max(flags.rtol, 0.0),
                                              .atol = std::max(flags.atol, 0.0)}
                                  : DeviceTolerance(*module, expected.shape().element_type());
      absl::Status s = ExpectClose(actual, expected, tolerance);
      if (!s.ok() && first.ok()) first = Annotate(s, Format("output {}", i));
    }
  }
  return first;
}

}  // namespace

void AddDiff(CLI::App& app, Action& action) {
  auto flags = std::make_shared<DiffFlags>();
  CLI::App* c = app.add_subcommand("diff", "Run on several devices and compare the results");
  AddProgramOptions(*c, flags->program);
  c->add_option("--devices", flags->devices, "The first one is what others are compared to")
      ->delimiter(',');
  c->add_option("--input", flags->inputs, "X.npy, one for each parameter in order")
      ->expected(1)
      ->take_all();
  c->add_option("--random", flags->seed, "Seed of random inputs (0)");
  c->add_option("--threads", flags->threads, "Threads to use (as many as there are)")
      ->check(CLI::Range(0, 1024));
  c->add_option("--rtol", flags->rtol, "Allowed difference relative to the expected element");
  c->add_option("--atol", flags->atol, "Allowed absolute difference");
  c->callback([flags, &action] {
    action = [flags] { return InFile(Diff(*flags), flags->program.shown()); };
  });
}

}  // namespace sinter::tools
