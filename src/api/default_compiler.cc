#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#include "api/compiler.h"
#include "base/status.h"
#include "codegen/cpu/compiler.h"
#include "compiler/compile.h"
#include "ir/analysis/equality.h"
#include "jit/loader.h"

namespace sinter::api {
namespace {

// One code generator an instruction set, made when first asked for.
class CodeGenerators {
 public:
  absl::StatusOr<cpu::Compiler*> Get(const std::string& isa) {
    std::lock_guard lock(mutex_);
    std::unique_ptr<cpu::Compiler>& c = by_isa_[isa];
    if (!c) {
      ASSIGN_OR_RETURN(cpu::Target target, isa.empty() ? cpu::Target::Host() : cpu::Target::Level(isa == "sse4" ? "sse4.2" : isa));
      ASSIGN_OR_RETURN(c, cpu::Compiler::Create(std::move(target)));
    }
    return c.get();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<cpu::Compiler>> by_isa_;
};

absl::Status Write(const std::string& directory, std::string_view name, std::string_view text) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  std::ofstream out(std::filesystem::path(directory) / std::string(name), std::ios::binary);
  out << text;
  out.close();
  if (!out) return Unavailable("cannot write {}/{}", directory, name);
  return absl::OkStatus();
}

absl::StatusOr<program::Program> Compile(CodeGenerators& generators, const Module& module, const CompileOptions& options,
                                         compiler::Report* report) {
  ASSIGN_OR_RETURN(cpu::Compiler * code, generators.Get(options.isa));
  compiler::Options o;
  o.passes.disabled = options.disabled_passes;
  o.passes.limit = options.pass_limit;
#if SINTER_ASSERTIONS
  o.verify = true;
#endif
  absl::Status dumped = absl::OkStatus();
  if (!options.dump_directory.empty()) {
    o.dump = [&](std::string_view name, std::string_view text) {
      if (dumped.ok()) dumped = Write(options.dump_directory, name, text);
    };
  }
  std::unique_ptr<Module> copy = module.Clone();
  absl::StatusOr<program::Program> program = compiler::Compile(*copy, *code, o, report);
  if (program.ok()) RETURN_IF_ERROR(dumped);
  return program;
}

}  // namespace

absl::StatusOr<Compiler> DefaultCompiler() {
  Compiler compiler;
  auto generators = std::make_shared<CodeGenerators>();
  compiler.compile = [generators](const Module& module, const CompileOptions& options) {
    return Compile(*generators, module, options, nullptr);
  };
  compiler.key = [](const Module& module) {
    const Hash128 h = ModuleFingerprint(module);
    return std::string(reinterpret_cast<const char*>(&h), sizeof(h));
  };
  ASSIGN_OR_RETURN(std::unique_ptr<program::Loader> loader, jit::CreateLoader());
  compiler.loader = std::move(loader);
  return compiler;
}

}  // namespace sinter::api
