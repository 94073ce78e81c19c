// sinter explain FILE: what became of each operation.
#include <cstdio>

#include "base/status.h"
#include "codegen/cpu/compiler.h"
#include "compiler/compile.h"
#include "tools/commands.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

std::string Text(const compiler::Report& report) {
  std::string out;
  for (const auto& k : report.kernels) {
    out += Format("kernel {}: {}, {} task{}{}\n", k.name, k.nest, k.tasks, k.tasks == 1 ? "" : "s",
                  k.shared ? ", code shared with an equal kernel" : "");
    for (const std::string& operation : k.operations) out += Format("  {}\n", operation);
    for (const std::string& kept : k.kept) out += Format("  kept in a task buffer: {}\n", kept);
  }
  out += Format("{} kernels; passes {:.2f} ms, kernel IR {:.2f} ms, code {:.2f} ms\n",
                report.kernels.size(), report.pass_ms, report.emit_ms, report.codegen_ms);
  return out;
}

absl::Status Explain(const std::string& file) {
  ASSIGN_OR_RETURN(auto module, LoadProgram(file));
  ASSIGN_OR_RETURN(cpu::Target target, cpu::Target::Host());
  ASSIGN_OR_RETURN(auto code, cpu::Compiler::Create(target));
  compiler::Report report;
  RETURN_IF_ERROR(compiler::Compile(*module, *code, {}, &report).status());
  std::printf("%s", Text(report).c_str());
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
