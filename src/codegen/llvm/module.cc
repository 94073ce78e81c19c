#include "codegen/llvm/module.h"

#include "base/status.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

namespace sinter::codegen {

bool Diagnostics::handleDiagnostics(const llvm::DiagnosticInfo& info) {
  if (info.getSeverity() != llvm::DS_Error) return true;
  llvm::raw_string_ostream stream(errors_);
  llvm::DiagnosticPrinterRawOStream printer(stream);
  info.print(printer);
  return true;
}

std::string PrintModule(const llvm::Module& module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

absl::Status VerifyModule(const llvm::Module& module) {
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  RETURN_INTERNAL_IF(llvm::verifyModule(module, &stream), "module {}: LLVM: {}",
                     module.getModuleIdentifier(), problems);
  return absl::OkStatus();
}

CommonSubexpressions::CommonSubexpressions(llvm::TargetMachine& machine) {
  analyses_.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses_.registerPass([] { return llvm::TargetLibraryAnalysis(); });
  analyses_.registerPass([&machine] { return machine.getTargetIRAnalysis(); });
  analyses_.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses_.registerPass([] { return llvm::AssumptionAnalysis(); });
}

void CommonSubexpressions::Run(llvm::Module& module) {
  llvm::EarlyCSEPass pass;
  for (llvm::Function& f : module)
    if (!f.isDeclaration()) pass.run(f, analyses_);
  analyses_.clear();
}

}  // namespace sinter::codegen
