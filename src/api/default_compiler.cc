#include "api/compiler.h"
#include "base/status.h"

namespace sinter::api {

// The pipeline and the loader are not joined to the client yet.
absl::StatusOr<Compiler> DefaultCompiler() {
  Compiler compiler;
  compiler.compile = [](const Module&, const CompileOptions&) -> absl::StatusOr<program::Program> {
    return Unimplemented("this build has no compiler for the CPU");
  };
  return compiler;
}

}  // namespace sinter::api
