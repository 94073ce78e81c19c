// sinter explain FILE: which operations share a kernel.
#include <cstdio>

#include "api/explain_module.h"
#include "base/status.h"
#include "tools/commands.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

absl::Status Explain(const std::string& file) {
  ASSIGN_OR_RETURN(auto module, LoadProgram(file));
  ASSIGN_OR_RETURN(Explanation explanation, api::ExplainModule(*module));
  std::printf("%s", explanation.ToString().c_str());
  return absl::OkStatus();
}

}  // namespace

void AddExplain(CLI::App& app, Action& action) {
  auto file = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("explain", "What became of each operation on the CPU");
  c->add_option("FILE", *file, "HLO or StableHLO text; - is standard input")->required();
  c->callback([file, &action] {
    action = [file] { return InFile(Explain(*file), *file == "-" ? "<stdin>" : *file); };
  });
}

}  // namespace sinter::tools
