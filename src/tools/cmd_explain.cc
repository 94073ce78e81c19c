// sinter explain FILE: which operations share a kernel, and why others do not.
#include <cstdio>

#include "base/status.h"
#include "tools/commands.h"
#include "tools/device.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

struct ExplainFlags {
  ProgramFile program;
  std::vector<std::string> inputs;
  DeviceOptions device;
};

absl::Status Explain(const ExplainFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<Dims> sizes, SizesOf(flags.inputs));
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  ASSIGN_OR_RETURN(auto device, OpenDevice(flags.device));
  ASSIGN_OR_RETURN(auto program, device->Load(*module, {}, /*cold=*/true));
  ASSIGN_OR_RETURN(Explanation explanation, program->Explain());
  std::printf("%s", explanation.ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  auto flags = std::make_shared<ExplainFlags>();
  CLI::App* c = app.add_subcommand("explain", "What became of each operation, and why");
  AddProgramOptions(*c, flags->program);
  c->add_option("--input", flags->inputs, kSizesHelp)->expected(1)->take_all();
  c->add_option("--device", flags->device.name, "cpu or cuda")
      ->check(CLI::IsMember({"cpu", "cuda"}));
  c->add_option("--threads", flags->device.threads, "Threads to compile for (as many as there are)")
      ->check(CLI::Range(0, 1024));
  c->callback([flags, &action] {
    action = [flags] { return InFile(Explain(*flags), flags->program.shown()); };
  });
}

}  // namespace sinter::tools
