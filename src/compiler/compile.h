// From a module to a program: passes, plans, kernels, code, buffers. What differs between targets
// is behind Backend.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/kernel.h"
#include "compiler/backend.h"
#include "ir/module.h"
#include "pass/pass.h"
#include "program/program.h"

namespace sinter::compiler {

struct Options {
  bool verify = false;  // modules after each pass, and kernels
  emit::EmitOptions emit;
  PipelineOptions passes;
  // Receives every stage: name (sorts in order), text.
  std::function<void(std::string_view name, std::string_view text)> dump;
  // Receives each kernel that is compiled, in the order of its stages' functions in the code.
  std::function<void(const kernel::Kernel&)> see_kernel;
};

// How the program was compiled, for `explain`.
struct KernelReport {
  std::string name;
  std::string nest;                     // loop, split, gemm; with the tile where there is one
  std::vector<std::string> operations;  // the HLO instructions in it
  std::vector<std::string> cached;      // values that wait in a task buffer
  int64_t tasks = 0;
  bool shared = false;  // code shared with an equal kernel before
};
struct Report {
  std::vector<KernelReport> kernels;
  std::vector<std::string> outside;  // operations without a kernel: views, control flow over arrays
  double pass_ms = 0, emit_ms = 0, codegen_ms = 0;
};

// `module` is consumed: passes rewrite it. Equal kernels are compiled once.
absl::StatusOr<program::Program> Compile(HloModule& module, Backend& backend,
                                         const Options& options, Report* report = nullptr);

}  // namespace sinter::compiler
