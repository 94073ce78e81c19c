// sinter opt FILE: parses, verifies, runs passes, prints.
#include <cstdio>

#include "base/status.h"
#include "frontend/stablehlo_text/printer.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "pipelines/pipeline.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

struct OptFlags {
  ProgramFile program;
  std::string emit = "hlo", print_after;
  std::vector<std::string> passes, inputs;
};

// The pipeline without the passes that are not named: they run in its order.
absl::Status RunPasses(const OptFlags& flags, HloModule* module) {
  Pipeline pipeline = MakePipeline();
  PipelineOptions options;
  options.verify = true;
  std::vector<std::string> known = pipeline.PassNames();
  auto contains = [](const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  std::vector<std::string> asked = flags.passes;
  if (!flags.print_after.empty() && flags.print_after != "all") asked.push_back(flags.print_after);
  for (const std::string& name : asked) {
    if (!contains(known, name) && name != "all") {
      return InvalidArgument("'{}' is no pass: there are {}", name, Join(known, ", "));
    }
  }
  for (const std::string& name : known) {
    if (!contains(flags.passes, name) && !contains(flags.passes, "all")) {
      options.disabled.push_back(name);
    }
  }
  if (!flags.print_after.empty()) {
    options.dump = [&](std::string_view name, const HloModule& m) {
      if (flags.print_after != "all" && name.find(flags.print_after) == name.npos) return;
      std::printf("// after %.*s\n%s\n", static_cast<int>(name.size()), name.data(),
                  Print(m).c_str());
    };
  }
  RETURN_IF_ERROR(pipeline.Run(*module, options));
  return VerifyModule(*module);
}

absl::Status Opt(const OptFlags& flags) {
  ASSIGN_OR_RETURN(const std::vector<Dims> sizes, SizesOf(flags.inputs));
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  if (!flags.passes.empty()) {
    absl::Status s = RunPasses(flags, module.get());
    if (!s.ok()) return InFile(s, flags.program.shown());
  }
  std::string text;
  if (flags.emit == "stablehlo") {
    ASSIGN_OR_RETURN(text, PrintStablehlo(*module));
  } else {
    text = Print(*module);
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddOpt(CLI::App& app, Action& action) {
  auto flags = std::make_shared<OptFlags>();
  CLI::App* c = app.add_subcommand("opt", "Parse, verify, run the passes named, print");
  AddProgramOptions(*c, flags->program);
  c->add_option("--input", flags->inputs, kSizesHelp)->expected(1)->take_all();
  c->add_option("--pass", flags->passes, "Names of passes, or all")->delimiter(',');
  c->add_option("--print-after", flags->print_after,
                "Also print after the pass of that name, or all");
  c->add_option("--emit", flags->emit, "The form to print: hlo or stablehlo")
      ->check(CLI::IsMember({"hlo", "stablehlo"}));
  c->callback([flags, &action] { action = [flags] { return Opt(*flags); }; });
}

}  // namespace sinter::tools
