// sinter compile FILE: code for a target, and each stage of its compilation. Needs no device.
#include <cstdio>

#include "base/status.h"
#include "compiler/compile.h"
#include "tools/commands.h"
#include "tools/inputs.h"
#include "tools/load.h"
#include "tools/report.h"

namespace sinter::tools {
namespace {

struct CompileFlags {
  ProgramFile program;
  std::string emit, output = "-", target = "host";
  std::vector<std::string> inputs;
};

// A compiler for a target by name, with what keeps it alive.
struct TargetCompiler {
  std::unique_ptr<cpu::Compiler> cpu;
  std::unique_ptr<gpu::Compiler> gpu;
  std::unique_ptr<compiler::Backend> backend;
};

absl::StatusOr<TargetCompiler> CompilerFor(const std::string& name) {
  TargetCompiler out;
  if (name.rfind("sm_", 0) == 0) {
    ASSIGN_OR_RETURN(gpu::Target target, gpu::Target::Parse(name));
    ASSIGN_OR_RETURN(out.gpu, gpu::Compiler::Create(std::move(target)));
    out.backend = compiler::CudaBackend(*out.gpu);
    return out;
  }
  auto target = name == "host" ? cpu::Target::Host() : cpu::Target::Level(name);
  if (!target.ok()) {
    return InvalidArgument("unknown target \"{}\": host, {}, {}", name,
                           Join(cpu::Target::Levels(), ", "), Join(gpu::Target::Names(), ", "));
  }
  ASSIGN_OR_RETURN(out.cpu, cpu::Compiler::Create(*std::move(target)));
  out.backend = compiler::CpuBackend(*out.cpu);
  return out;
}

// The stage that `emit` names, of a program's kernels; empty where it has none.
absl::StatusOr<std::string> StageOf(const CompileFlags& flags) {
  ASSIGN_OR_RETURN(TargetCompiler compiler, CompilerFor(flags.target));
  const std::string code = compiler.gpu != nullptr ? "ptx" : "obj";
  const std::string assembly = compiler.gpu != nullptr ? "ptx" : "asm";
  const std::string emit = flags.emit.empty() ? code : flags.emit;
  if (emit != code && emit != assembly && emit != "llvm" && emit != "kernel") {
    return InvalidArgument("--emit={} is not for --target={}, which has {}, llvm, kernel", emit,
                           flags.target, code == assembly ? code : code + ", " + assembly);
  }
  ASSIGN_OR_RETURN(const std::vector<Dims> sizes, SizesOf(flags.inputs));
  ASSIGN_OR_RETURN(auto module, LoadProgram(flags.program, sizes));
  std::string kernels, llvm_ir, text;
  compiler::Options options;
  options.verify = true;
  if (emit != code) {
    options.dump = [&](std::string_view name, std::string_view stage) {
      if (name.ends_with(".kernel")) kernels += stage;
      if (name == "60-module.ll") llvm_ir = stage;
      if (name.starts_with("70-module.")) text = stage;
    };
  }
  ASSIGN_OR_RETURN(program::Program program,
                   compiler::Compile(*module, *compiler.backend, options));
  if (emit == "kernel") return kernels;
  if (emit == "llvm") return llvm_ir;
  if (emit != code) return text;
  if (program.codes.empty()) return std::string();
  const std::vector<uint8_t>& object = program.codes[0].object;
  return std::string(object.begin(), object.end());
}

absl::Status CompileFile(const CompileFlags& flags) {
  auto text = StageOf(flags);
  if (!text.ok()) return InFile(text.status(), flags.program.shown());
  if (flags.output != "-") return WriteFile(flags.output, *text);
  std::fwrite(text->data(), 1, text->size(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddCompile(CLI::App& app, Action& action) {
  auto flags = std::make_shared<CompileFlags>();
  CLI::App* c = app.add_subcommand("compile", "Compile ahead of time, for any target");
  AddProgramOptions(*c, flags->program);
  c->add_option("--input", flags->inputs, kSizesHelp)->expected(1)->take_all();
  c->add_option("-o,--output", flags->output, "Where to write; - is standard output");
  c->add_option("--target", flags->target,
                "host, sse4.2, avx2, avx2-vnni, avx512, avx512-bf16, avx512-amx, or a GPU: sm_80, "
                "sm_90a, ...");
  c->add_option("--emit", flags->emit,
                "What to write: obj, asm, ptx, llvm, kernel; by default the target's code")
      ->check(CLI::IsMember({"obj", "asm", "ptx", "llvm", "kernel"}));
  c->callback([flags, &action] { action = [flags] { return CompileFile(*flags); }; });
}

}  // namespace sinter::tools
