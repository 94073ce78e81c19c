#include "codegen/cpu/generator.h"

#include <mutex>
#include <optional>
#include <string_view>

#include "base/status.h"
#include "codegen/cpu/constant_masks.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Scalar.h"

namespace sinter::cpu {
namespace {

// Only what code for x86 needs. The registry belongs to the LLVM that is linked into this library.
void RegisterX86() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
}

}  // namespace

// Making one takes a tenth of a small kernel's compilation. LLVM's own tools run one twice, too
// (llc -compile-twice), and a test of ours holds that it leaves nothing behind.
struct Generator::Pipeline {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream{bytes};
  llvm::legacy::PassManager passes;
};

absl::StatusOr<std::unique_ptr<Generator>> Generator::Create(const Target& target) {
  RegisterX86();
  const llvm::Triple triple(target.triple);
  std::string error;
  const llvm::Target* backend = llvm::TargetRegistry::lookupTarget(triple, error);
  if (backend == nullptr)
    return Unimplemented("no code generator for {}: {}", target.triple, error);
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  // LLVM's default for code in memory is the large model, which costs an instruction for each
  // constant.
  std::unique_ptr<llvm::TargetMachine> machine(
      backend->createTargetMachine(triple, target.cpu, target.features, options, llvm::Reloc::PIC_,
                                   llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
  if (machine == nullptr) return Internal("no code generator for {}", target.Key());
  return std::unique_ptr<Generator>(new Generator(std::move(machine), target.avx512));
}

Generator::Generator(std::unique_ptr<llvm::TargetMachine> machine, bool has_mask_registers)
    : machine_(std::move(machine)), has_mask_registers_(has_mask_registers), simplify_(*machine_) {}
Generator::~Generator() = default;

std::unique_ptr<llvm::Module> Generator::NewModule(llvm::LLVMContext& context,
                                                   const std::string& name) {
  auto module = std::make_unique<llvm::Module>(name, context);
  module->setTargetTriple(machine_->getTargetTriple());
  module->setDataLayout(machine_->createDataLayout());
  return module;
}

void Generator::Simplify(llvm::Module& module) {
  simplify_.Run(module);
  for (llvm::Function& f : module) {
    // Now that constant masks are seen to be.
    if (f.isDeclaration()) continue;
    StoreSingleLanes(f);
    if (has_mask_registers_) LoadMasksOnce(f);
  }
}

namespace {

// Passes that are for other code or gain nothing here, by their names in LLVM. Each costs
// compilation at least the analyses that it needs. A pass that a later LLVM renames runs again.
constexpr std::string_view kUnwanted[] = {
    // For what kernels never contain: calls, exceptions, garbage collection, debug information,
    // instrumentation, tiles, hardening against speculation. (Kernels do contain scalars of x87:
    // numbers of U64 become floats through it where there is no AVX-512.)
    "cfi-instr-inserter", "fentry-insert", "fixup-statepoint-caller-saved", "funclet-layout",
    "gc-analysis", "kcfi", "livedebugvalues", "localstackalloc", "machine-sanmd",
    "patchable-function", "pseudo-probe-inserter", "regallocscoringpass",
    "remove-loads-into-fake-uses", "removeredundantdebugvalues", "stack-coloring",
    "stack-frame-layout", "stackmap-liveness", "tilepreconfig", "unpack-mi-bundles", "x86-cf-opt",
    "x86-dyn-alloca-expander", "x86-lower-tile-copy", "x86-lvi-load", "x86-lvi-ret",
    "x86-return-thunks", "x86-seses", "x86-slh", "x86-tile-config", "x86argumentstackrebase",
    "xray-instrumentation",
    // The walk has done this work: values are computed where the plan says, tiles are interleaved
    // as far as registers reach, and branches have one form.
    "early-machinelicm", "machine-scheduler", "machine-sink", "machinelicm", "post-RA-sched",
    "postra-machine-sink", "shrink-wrap",
    // These find little or nothing in such code.
    "detect-dead-lanes", "early-ifcvt", "early-tailduplication", "machine-combiner", "machine-cp",
    "machine-latecleanup", "opt-phis", "rename-independent-subregs", "stack-slot-coloring",
    "tailduplication", "x86-avoid-sfb", "x86-cmov-conversion", "x86-domain-reassignment",
    "x86-execution-domain-fix", "x86-fixup-bw-insts", "x86-fixup-inst-tuning", "x86-fixup-leas",
    "x86-fixup-setcc", "x86-optimize-leas"};

// Gives a pass manager only the passes that are worth running.
class Filter final : public llvm::legacy::PassManagerBase {
 public:
  explicit Filter(llvm::legacy::PassManager& passes) : passes_(passes) {}

  void add(llvm::Pass* pass) override {
    const llvm::PassInfo* info =
        llvm::PassRegistry::getPassRegistry()->getPassInfo(pass->getPassID());
    if (info != nullptr &&
        llvm::is_contained(kUnwanted, std::string_view(info->getPassArgument()))) {
      delete pass;
    } else {
      passes_.add(pass);
    }
  }

 private:
  llvm::legacy::PassManager& passes_;
};

}  // namespace

// LLVM's own list of passes before instruction selection has two dozen more: loop strength
// reduction, which costs up to a third of a compilation and finds nothing, as addresses come
// hoisted; and lowerings of what the walk never emits.
absl::Status Generator::AddPasses(llvm::CodeGenFileType type, Pipeline& pipeline) {
  Filter passes(pipeline.passes);
  llvm::TargetPassConfig* config = machine_->createPassConfig(passes);
  RETURN_INTERNAL_IF(config == nullptr, "LLVM's code generator has no pipeline");
  config->setDisableVerify(true);
  passes.add(config);
  auto* machine_module = new llvm::MachineModuleInfoWrapperPass(machine_.get());
  passes.add(machine_module);
  passes.add(llvm::createTargetTransformInfoWrapperPass(machine_->getTargetIRAnalysis()));
  passes.add(llvm::createScopedNoAliasAAWrapperPass());
  passes.add(llvm::createBasicAAWrapperPass());
  passes.add(llvm::createScalarizeMaskedMemIntrinLegacyPass());
  config->addCodeGenPrepare();
  RETURN_INTERNAL_IF(config->addInstSelector(), "LLVM cannot select instructions");
  passes.add(llvm::Pass::createPass(&llvm::FinalizeISelID));
  config->addMachinePasses();
  config->setInitialized();
  RETURN_INTERNAL_IF(machine_->addAsmPrinter(passes, pipeline.stream, nullptr, type,
                                             machine_module->getMMI().getContext()),
                     "LLVM cannot emit this kind of file");
  passes.add(llvm::createFreeMachineFunctionPass());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> Generator::Generate(llvm::Module& module,
                                                         llvm::CodeGenFileType type) {
  std::unique_ptr<Pipeline>& pipeline =
      type == llvm::CodeGenFileType::ObjectFile ? object_ : assembly_;
  if (pipeline == nullptr) {
    // In its place before LLVM works on it: what LLVM leaves by an exception is leaked with this.
    pipeline = std::make_unique<Pipeline>();
    if (absl::Status s = AddPasses(type, *pipeline); !s.ok()) {
      pipeline.reset();
      return s;
    }
  }
  pipeline->bytes.clear();
  pipeline->passes.run(module);
  return std::vector<uint8_t>(pipeline->bytes.begin(), pipeline->bytes.end());
}

absl::Status CheckSelfContained(const std::vector<uint8_t>& object) {
  const llvm::StringRef bytes(reinterpret_cast<const char*>(object.data()), object.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, "kernel"));
  if (!file) return Internal("generated object: {}", llvm::toString(file.takeError()));
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    auto name = symbol.getName();
    if (!flags) return Internal("generated object: {}", llvm::toString(flags.takeError()));
    if (!name) return Internal("generated object: {}", llvm::toString(name.takeError()));
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) != 0 && !name->empty())
      return Internal("generated code refers to the symbol {}", name->str());
  }
  return absl::OkStatus();
}

}  // namespace sinter::cpu
