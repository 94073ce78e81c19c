// LLVM's code generator, reused by compilations: creating one costs more than a small kernel.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/cpu/target.h"
#include "codegen/llvm/module.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::cpu {

// Used by one thread at a time.
class Generator {
 public:
  static absl::StatusOr<std::unique_ptr<Generator>> Create(const Target& target);
  ~Generator();

  // A module for this target, with its data layout, in `context`.
  std::unique_ptr<llvm::Module> NewModule(llvm::LLVMContext& context, const std::string& name);
  // Removes common subexpressions: all that LLVM's middle end does for us. Then gives constant
  // masks the form that LLVM makes good code of (constant_masks.h).
  void Simplify(llvm::Module& module);
  // The module as an object or as assembly. It is of no use afterwards.
  absl::StatusOr<std::vector<uint8_t>> Generate(llvm::Module& module, llvm::CodeGenFileType type);

 private:
  // LLVM's passes from IR to one kind of file, which run on one module after the other.
  struct Pipeline;

  Generator(std::unique_ptr<llvm::TargetMachine> machine, bool has_mask_registers);
  absl::Status AddPasses(llvm::CodeGenFileType type, Pipeline& pipeline);

  std::unique_ptr<llvm::TargetMachine> machine_;
  bool has_mask_registers_;
  codegen::CommonSubexpressions simplify_;
  std::unique_ptr<Pipeline> object_, assembly_;  // made when first asked for
};

// Internal if an ELF object refers to a symbol that it does not define: code must call nothing.
absl::Status CheckSelfContained(const std::vector<uint8_t>& object);

}  // namespace sinter::cpu
