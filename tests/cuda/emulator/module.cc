#include <algorithm>
#include <mutex>
#include <numeric>
#include <random>

#include "base/status.h"
#include "cuda/emulator/block.h"
#include "cuda/emulator/emulator.h"
#include "cuda/emulator/instrument.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::emulator {
namespace {

absl::Status Failed(std::string_view what, llvm::Error error) {
  return Internal("{}: {}", what, llvm::toString(std::move(error)));
}

// Stacks and shared memory are reused from module to module; under LaunchMutex.
Block& TheBlock() {
  static auto* block = new Block;
  return *block;
}

}  // namespace

struct Module::Impl {
  std::unique_ptr<llvm::orc::LLJIT> jit;
  Instrumented facts;
  std::vector<ModuleRange> constants;
  std::vector<void (*)(void* const*)> entries;  // of facts.kernels; null until launched

  const Kernel* Find(std::string_view symbol) const {
    for (const Kernel& k : facts.kernels) {
      if (k.symbol == symbol) return &k;
    }
    return nullptr;
  }
  absl::Status Compile(std::unique_ptr<llvm::Module> module,
                       std::unique_ptr<llvm::LLVMContext> context);
};

absl::Status Module::Impl::Compile(std::unique_ptr<llvm::Module> module,
                                   std::unique_ptr<llvm::LLVMContext> context) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto machine = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!machine) return Failed("the host", machine.takeError());
  // LLVM 22 lets llvm.maximum lose a signaling NaN there (vfpclass is not asked for them).
  machine->getFeatures().AddFeature("avx512dq", false);
  // Kernels run a few times; to compile them is what takes the time.
  machine->setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
  auto made = llvm::orc::LLJITBuilder()
                  .setJITTargetMachineBuilder(std::move(*machine))
                  .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                  .create();
  if (!made) return Failed("LLVM's JIT", made.takeError());
  jit = std::move(*made);
  module->setTargetTriple(jit->getTargetTriple());
  module->setDataLayout(jit->getDataLayout());
  llvm::orc::SymbolMap symbols;
  auto add = [&](const char* name, auto* function) {
    symbols[jit->mangleAndIntern(name)] = {llvm::orc::ExecutorAddr::fromPtr(function),
                                           llvm::JITSymbolFlags::Exported};
  };
  add("SinterEmulatorAccess", &SinterEmulatorAccess);
  add("SinterEmulatorCall", &SinterEmulatorCall);
  add("SinterEmulatorJump", &SinterEmulatorJump);
  if (auto error = jit->getMainJITDylib().define(llvm::orc::absoluteSymbols(std::move(symbols))))
    return Failed("LLVM's JIT", std::move(error));
  if (auto error =
          jit->addIRModule(llvm::orc::ThreadSafeModule(std::move(module), std::move(context))))
    return Failed("LLVM's JIT", std::move(error));
  for (const Kernel& k : facts.kernels) {
    auto entry = jit->lookup(k.entry);
    if (!entry) return Failed(k.symbol, entry.takeError());
    entries.push_back(entry->toPtr<void (*)(void* const*)>());
  }
  for (size_t i = 0; i < facts.constants.size(); i++) {
    auto address = jit->lookup(facts.constants[i]);
    if (!address) return Failed(facts.constants[i], address.takeError());
    constants.push_back({facts.constants[i], address->toPtr<char*>(), facts.constant_bytes[i]});
  }
  return absl::OkStatus();
}

Module::Module(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Module::~Module() = default;

absl::StatusOr<std::unique_ptr<Module>> Module::Load(std::string_view llvm_ir) {
  auto context = std::make_unique<llvm::LLVMContext>();
  llvm::SMDiagnostic diagnostic;
  const std::string text(llvm_ir);  // the parser wants a zero behind it
  auto module = llvm::parseAssemblyString(text, diagnostic, *context);
  if (!module) {
    return InvalidArgument("device LLVM IR, line {}: {}", diagnostic.getLineNo(),
                           diagnostic.getMessage().str());
  }
  std::string problems;
  llvm::raw_string_ostream stream(problems);
  if (llvm::verifyModule(*module, &stream)) return InvalidArgument("device LLVM IR: {}", problems);
  auto impl = std::make_unique<Impl>();
  const char* shared = nullptr;
  {
    std::lock_guard lock(LaunchMutex());
    RETURN_IF_ERROR(TheBlock().Init());
    shared = TheBlock().shared();
  }
  ASSIGN_OR_RETURN(impl->facts, Instrument(*module, shared));
  RETURN_IF_ERROR(impl->Compile(std::move(module), std::move(context)));
  return std::unique_ptr<Module>(new Module(std::move(impl)));
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const Kernel& k : impl_->facts.kernels) names.push_back(k.symbol);
  return names;
}

absl::StatusOr<KernelAttributes> Module::Attributes(std::string_view kernel) const {
  const Kernel* k = impl_->Find(kernel);
  if (k == nullptr) return NotFound("the module has no kernel {}", kernel);
  return KernelAttributes{k->parameter_bytes, impl_->facts.static_shared_bytes, k->max_threads};
}

absl::Status Module::Run(const Launch& launch, Memory& memory) {
  const Kernel* k = impl_->Find(launch.symbol);
  if (k == nullptr) return NotFound("the module has no kernel {}", launch.symbol);
  const auto& [gx, gy, gz] = launch.grid;
  const auto& [bx, by, bz] = launch.block;
  const uint64_t threads = uint64_t{bx} * by * bz;
  if (gx == 0 || gx > 0x7fffffff || gy == 0 || gy > 65535 || gz == 0 || gz > 65535)
    return InvalidArgument("kernel {}: a grid of ({},{},{}) blocks", k->symbol, gx, gy, gz);
  if (bx > 1024 || by > 1024 || bz > 64 || threads == 0 || threads > Block::kMaxThreads ||
      threads > k->max_threads) {
    return InvalidArgument("kernel {}: a block of ({},{},{}) threads, when {} are allowed",
                           k->symbol, bx, by, bz, k->max_threads);
  }
  const size_t shared_bytes = impl_->facts.static_shared_bytes + launch.shared_bytes;
  if (launch.shared_bytes > Block::kMaxShared || shared_bytes > Block::kMaxShared)
    return InvalidArgument("kernel {}: {} bytes of shared memory", k->symbol, shared_bytes);
  if (launch.arguments.size() != k->parameter_bytes.size()) {
    return InvalidArgument("kernel {}: {} arguments for {} parameters", k->symbol,
                           launch.arguments.size(), k->parameter_bytes.size());
  }
  for (const Launch::Range& r : launch.ranges) RETURN_IF_ERROR(memory.Check(r.data, r.bytes));

  std::lock_guard lock(LaunchMutex());
  Block& block = TheBlock();
  Block::Work work;
  work.sites = &impl_->facts.sites;
  work.constants = &impl_->constants;
  work.entry = impl_->entries[static_cast<size_t>(k - impl_->facts.kernels.data())];
  work.arguments = launch.arguments.data();
  work.symbol = k->symbol;
  work.shared_bytes = shared_bytes;
  work.ranges = &launch.ranges;
  work.memory = &memory.impl();
  work.max_steps = launch.max_steps;
  work.banks = launch.banks;
  work.geometry.grid = launch.grid;
  work.geometry.block = launch.block;
  RETURN_IF_ERROR(block.Begin(work, launch.seed));
  const uint64_t blocks = uint64_t{gx} * gy * gz;
  // Any order of blocks: a permutation drawn on the go, without a list of what may be 2^31 of them.
  // The step has no common divisor with the count.
  std::mt19937_64 random(launch.seed);
  const uint64_t start = random() % blocks;
  uint64_t step = 1 + random() % blocks;
  while (std::gcd(step, blocks) != 1) step++;
  for (uint64_t i = 0; i < blocks; i++) {
    const auto n = static_cast<uint64_t>((static_cast<__uint128_t>(step) * i + start) % blocks);
    RETURN_IF_ERROR(block.Run({static_cast<uint32_t>(n % gx), static_cast<uint32_t>(n / gx % gy),
                               static_cast<uint32_t>(n / gx / gy)}));
  }
  return absl::OkStatus();
}

}  // namespace sinter::emulator
