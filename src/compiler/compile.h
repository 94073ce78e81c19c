// From a module to a program: passes, plans, kernels, code, buffers. What differs between targets
// is behind Backend.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/thread/workers.h"
#include "codegen/emit/emit.h"
#include "codegen/kernel/kernel.h"
#include "compiler/backend.h"
#include "ir/module.h"
#include "pass/pass.h"
#include "passes/partition/partition.h"
#include "program/program.h"

namespace sinter::compiler {

struct Options {
  bool verify = false;  // modules after each pass, and kernels
  emit::EmitOptions emit;
  PipelineOptions passes;
  // How many partitions run the program, and of a module that states shardings and was written for
  // so many, what may be cut. One: the module is what a device runs, whatever it states.
  int64_t partitions = 1;
  PartitionOptions partition;
  // Arguments and results are in the layouts that the entry states; else row-major.
  bool stated_layouts = false;
  // Receives every stage: name (sorts in order), text.
  std::function<void(std::string_view name, std::string_view text)> dump;
  // Receives each kernel that is compiled, in the order of its stages' functions in the code, which
  // is one then.
  std::function<void(const kernel::Kernel&)> see_kernel;
  // The threads that generate code, for a share of the kernels each; null: the caller's alone.
  Workers* workers = nullptr;
};

// `module` is consumed: passes rewrite it. Equal kernels are compiled once.
absl::StatusOr<program::Program> Compile(HloModule& module, Backend& backend,
                                         const Options& options);

// What `module` becomes before any of it is made plainer for a target: the program of one
// partition, without work that it need not do. It has a form in HLO text and StableHLO, if `module`
// has.
absl::Status Simplify(HloModule& module, const Options& options);

}  // namespace sinter::compiler
