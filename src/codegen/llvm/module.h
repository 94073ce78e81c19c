// Operations on a module as a whole, between the walk and code generation.
#pragma once

#include <chrono>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::codegen {

// Milliseconds since the last lap.
class Stopwatch {
 public:
  double Lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Keeps the errors that LLVM reports, instead of letting it print.
class Diagnostics final : public llvm::DiagnosticHandler {
 public:
  explicit Diagnostics(std::string& errors) : errors_(errors) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo& info) override;

 private:
  std::string& errors_;
};

std::string PrintModule(const llvm::Module& module);

// Internal with what LLVM's verifier says.
absl::Status VerifyModule(const llvm::Module& module);

// Removes common subexpressions: all that LLVM's middle end does for us. Used by one thread at a
// time.
class CommonSubexpressions {
 public:
  explicit CommonSubexpressions(llvm::TargetMachine& machine);
  void Run(llvm::Module& module);

 private:
  llvm::FunctionAnalysisManager analyses_;
};

}  // namespace sinter::codegen
