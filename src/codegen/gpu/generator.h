// LLVM's code generator for NVIDIA GPUs, reused by compilations.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/gpu/target.h"
#include "codegen/llvm/module.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::gpu {

// Used by one thread at a time.
class Generator {
 public:
  static absl::StatusOr<std::unique_ptr<Generator>> Create(const Target& target);

  // A module for this target, with its data layout, in `context`.
  std::unique_ptr<llvm::Module> NewModule(llvm::LLVMContext& context, const std::string& name);
  void Simplify(llvm::Module& module) { simplify_.Run(module); }
  // The module as PTX text; Internal where it holds what CheckSelectable refuses. The module is of
  // no use afterwards.
  absl::StatusOr<std::string> Generate(llvm::Module& module);

 private:
  explicit Generator(std::unique_ptr<llvm::TargetMachine> machine);

  std::unique_ptr<llvm::TargetMachine> machine_;
  codegen::CommonSubexpressions simplify_;
  std::optional<llvm::legacy::PassManager> passes_;
};

// Internal if a module holds an instruction or calls a function that is not among those the walk
// emits: LLVM ends the process where it cannot select one.
absl::Status CheckSelectable(const llvm::Module& module);

}  // namespace sinter::gpu
