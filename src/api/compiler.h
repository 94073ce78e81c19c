// What the client needs of the compiler, in one place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "program/program.h"
#include "sinter/options.h"

namespace sinter {

class Module;

// What a compilation leaves besides the program, for tools and dumps: stages on the way, by name ("pass.07.fusion.hlo",
// "kernel.add.ll"), in their order.
struct Artifacts {
  std::vector<std::pair<std::string, std::string>> texts;
};

// Runs the passes and generates code. `artifacts` may be null.
absl::StatusOr<program::Program> CompileToProgram(const Module& module, const CompileOptions& options,
                                                  Artifacts* artifacts);

namespace api {

// The compiler as a client sees it; tests put others in its place.
struct Compiler {
  std::function<absl::StatusOr<program::Program>(const Module&, const CompileOptions&)> compile;
  // All of a module that its code depends on, as bytes; empty: such modules are not cached.
  std::function<std::string(const Module&)> key;
  std::shared_ptr<program::Loader> loader;
};

// The library's own.
absl::StatusOr<Compiler> DefaultCompiler();

}  // namespace api
}  // namespace sinter
