#include "codegen/gpu/generator.h"

#include <mutex>

#include "base/status.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::gpu {
namespace {

constexpr const char* kTriple = "nvptx64-nvidia-cuda";

// The registry belongs to the LLVM that is linked into this library.
void RegisterNvptx() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

}  // namespace

absl::StatusOr<std::unique_ptr<Generator>> Generator::Create(const Target& target) {
  RegisterNvptx();
  const llvm::Triple triple(kTriple);
  std::string error;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (backend == nullptr) return Unimplemented("no code generator for {}: {}", kTriple, error);
  llvm::TargetOptions options;
  // Also writes `mul.rn` and `add.rn`, which ptxas may not contract either.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  std::unique_ptr<llvm::TargetMachine> machine(backend->createTargetMachine(
      triple, target.name, Format("+ptx{}", target.ptx), options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return Internal("no code generator for {}", target.Key());
  return std::unique_ptr<Generator>(new Generator(std::move(machine)));
}

Generator::Generator(std::unique_ptr<llvm::TargetMachine> machine)
    : machine_(std::move(machine)), simplify_(*machine_) {}

std::unique_ptr<llvm::Module> Generator::NewModule(llvm::LLVMContext& context,
                                                   const std::string& name) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setTargetTriple(machine_->getTargetTriple());
  module->setDataLayout(machine_->createDataLayout());
  return module;
}

absl::StatusOr<std::string> Generator::Generate(llvm::Module& module) {
  RETURN_IF_ERROR(CheckSelectable(module));
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  // A member: what LLVM leaves by an exception is leaked with this.
  auto& passes = passes_.emplace();
  if (machine_->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::AssemblyFile,
                                    /*DisableVerify=*/true)) {
    passes_.reset();
    return Internal("LLVM cannot write PTX");
  }
  passes.run(module);
  passes_.reset();
  return std::string(text.str());
}

}  // namespace sinter::gpu
