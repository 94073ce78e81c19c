#include "cuda/emulator/instrument.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/status.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ModuleSlotTracker.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::emulator {
namespace {

constexpr llvm::StringRef kNvvm = "llvm.nvvm.";

// Intrinsics that the host's code generator knows as well.
bool HostKnows(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::assume:
    case llvm::Intrinsic::bitreverse:
    case llvm::Intrinsic::bswap:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::ctlz:
    case llvm::Intrinsic::ctpop:
    case llvm::Intrinsic::cttz:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fptosi_sat:
    case llvm::Intrinsic::fptoui_sat:
    case llvm::Intrinsic::fshl:
    case llvm::Intrinsic::fshr:
    case llvm::Intrinsic::is_fpclass:
    case llvm::Intrinsic::maximum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::minimum:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::roundeven:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::vector_reduce_add:
    case llvm::Intrinsic::vector_reduce_fadd:
    case llvm::Intrinsic::vector_reduce_fmax:
    case llvm::Intrinsic::vector_reduce_fmin:
      return true;
    default:
      return false;
  }
}

class Rewriter {
 public:
  Rewriter(llvm::Module& module, const char* shared)
      : module_(module),
        context_(module.getContext()),
        shared_(shared),
        i32_(llvm::Type::getInt32Ty(context_)),
        i64_(llvm::Type::getInt64Ty(context_)),
        pointer_(llvm::PointerType::get(context_, 0)),
        slots_(&module) {
    auto* none = llvm::Type::getVoidTy(context_);
    access_ = module.getOrInsertFunction("SinterEmulatorAccess", none, pointer_, i32_);
    call_ = module.getOrInsertFunction("SinterEmulatorCall", none, i32_, pointer_, pointer_);
    jump_ = module.getOrInsertFunction("SinterEmulatorJump", none, i32_);
  }

  absl::StatusOr<Instrumented> Run() {
    for (llvm::Function& f : module_) {
      if (!f.isDeclaration()) RETURN_IF_ERROR(Check(f));
    }
    PlaceGlobals();
    // Sites first, while the text is the device's own.
    std::vector<std::pair<llvm::Instruction*, uint32_t>> work;
    for (llvm::Function& f : module_) {
      if (f.isDeclaration()) continue;
      slots_.incorporateFunction(f);
      order_.clear();
      for (llvm::BasicBlock& block : f) order_[&block] = order_.size();
      for (llvm::Instruction& i : llvm::instructions(f)) {
        std::optional<Site> site = SiteOf(i);
        if (!site) continue;
        site->function = f.getName().str();
        llvm::raw_string_ostream stream(site->text);
        i.print(stream, slots_);
        site->text.erase(0, site->text.find_first_not_of(' '));
        if (size_t metadata = site->text.find(", !"); metadata != std::string::npos)
          site->text.resize(metadata);
        if (size_t group = site->text.rfind(" #"); group != std::string::npos)
          site->text.resize(group);
        work.emplace_back(&i, static_cast<uint32_t>(out_.sites.size()));
        out_.sites.push_back(*std::move(site));
      }
    }
    for (auto& [instruction, site] : work) Announce(*instruction, site);
    for (llvm::Function& f : module_) {
      for (llvm::Instruction& i : llvm::make_early_inc_range(llvm::instructions(f)))
        ExpandMinMax(i);
    }
    for (auto& [g, offset] : shared_offsets_) {
      auto* address = llvm::ConstantInt::get(i64_, reinterpret_cast<uint64_t>(shared_) + offset);
      g->replaceAllUsesWith(llvm::ConstantExpr::getIntToPtr(address, g->getType()));
      g->eraseFromParent();
    }
    std::vector<llvm::Function*> kernels, unused;
    for (llvm::Function& f : module_) {
      if (!f.isDeclaration() && f.getCallingConv() == llvm::CallingConv::PTX_Kernel)
        kernels.push_back(&f);
      if (f.isDeclaration() && f.use_empty()) unused.push_back(&f);
    }
    for (llvm::Function* f : unused) f->eraseFromParent();
    for (llvm::Function* f : kernels) AddEntry(*f);
    for (llvm::Function& f : module_) MakeHost(f);
    std::string problems;
    llvm::raw_string_ostream stream(problems);
    RETURN_INTERNAL_IF(llvm::verifyModule(module_, &stream), "the emulator's rewriting: {}",
                       problems);
    return std::move(out_);
  }

 private:
  absl::Status Check(llvm::Function& f) {
    for (llvm::Instruction& i : llvm::instructions(f)) {
      const std::string function = f.getName().str();
      if (i.isAtomic() || llvm::isa<llvm::MemIntrinsic>(i))
        return Unimplemented("{}: the emulator has no {}", function,
                             std::string(i.getOpcodeName()));
      auto* call = llvm::dyn_cast<llvm::CallBase>(&i);
      if (call == nullptr) continue;
      const llvm::Function* callee = call->getCalledFunction();
      if (callee == nullptr)
        return Unimplemented("{}: the emulator has no indirect calls", function);
      if (!callee->isDeclaration()) continue;
      const std::string name = callee->getName().str();
      if (callee->getName().starts_with(kNvvm)) {
        if (FindIntrinsic(std::string_view(name).substr(kNvvm.size())) == nullptr)
          return Unimplemented("{}: the emulator has no {}", function, name);
      } else if (!HostKnows(callee->getIntrinsicID())) {
        return Unimplemented("{}: calls {}, which the emulator lacks", function, name);
      }
    }
    return absl::OkStatus();
  }

  // Shared variables get addresses; others remain the module's own.
  void PlaceGlobals() {
    std::vector<llvm::GlobalVariable*> fixed, dynamic;
    for (llvm::GlobalVariable& g : module_.globals()) {
      if (g.getAddressSpace() == 3) {
        (g.isDeclaration() ? dynamic : fixed).push_back(&g);
      } else {
        g.setLinkage(llvm::GlobalValue::ExternalLinkage);
        g.setVisibility(llvm::GlobalValue::DefaultVisibility);
        g.setDSOLocal(true);
        out_.constants.push_back(g.getName().str());
        out_.constant_bytes.push_back(module_.getDataLayout().getTypeAllocSize(g.getValueType()));
      }
    }
    size_t offset = 0;
    for (llvm::GlobalVariable* g : fixed) {
      const size_t align = std::max<size_t>(16, g->getAlign().valueOrOne().value());
      offset = (offset + align - 1) / align * align;
      shared_offsets_.emplace_back(g, offset);
      offset += module_.getDataLayout().getTypeAllocSize(g->getValueType());
    }
    out_.static_shared_bytes = (offset + 15) / 16 * 16;
    for (llvm::GlobalVariable* g : dynamic)
      shared_offsets_.emplace_back(g, out_.static_shared_bytes);
  }

  std::optional<Site> SiteOf(llvm::Instruction& i) {
    const llvm::DataLayout& layout = module_.getDataLayout();
    Site s;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&i)) {
      s.kind = Site::Kind::kLoad;
      s.space = load->getPointerAddressSpace();
      s.bytes = static_cast<uint32_t>(layout.getTypeStoreSize(load->getType()));
      s.align = static_cast<uint32_t>(load->getAlign().value());
      s.read_only = load->hasMetadata(llvm::LLVMContext::MD_invariant_load);
      return s;
    }
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&i)) {
      s.kind = Site::Kind::kStore;
      s.space = store->getPointerAddressSpace();
      s.bytes = static_cast<uint32_t>(layout.getTypeStoreSize(store->getValueOperand()->getType()));
      s.align = static_cast<uint32_t>(store->getAlign().value());
      return s;
    }
    if (auto* call = llvm::dyn_cast<llvm::CallBase>(&i)) {
      if (!call->getCalledFunction()->getName().starts_with(kNvvm)) return std::nullopt;
      s.kind = Site::Kind::kCall;
      const std::string name = call->getCalledFunction()->getName().str();
      s.callee = FindIntrinsic(std::string_view(name).substr(kNvvm.size()));
      return s;
    }
    // Every loop has a jump to a block that stands no later.
    if (!i.isTerminator()) return std::nullopt;
    for (llvm::BasicBlock* next : llvm::successors(&i)) {
      if (order_.at(next) > order_.at(i.getParent())) continue;
      s.kind = Site::Kind::kJump;
      return s;
    }
    return std::nullopt;
  }

  void Announce(llvm::Instruction& i, uint32_t site) {
    llvm::IRBuilder<> b(&i);
    switch (out_.sites[site].kind) {
      case Site::Kind::kLoad:
      case Site::Kind::kStore: {
        llvm::Value* p = llvm::getLoadStorePointerOperand(&i);
        if (llvm::isa<llvm::AllocaInst>(p->stripInBoundsOffsets())) return;
        b.CreateCall(access_, {Flat(b, p), b.getInt32(site)});
        return;
      }
      case Site::Kind::kJump:
        b.CreateCall(jump_, {b.getInt32(site)});
        return;
      case Site::Kind::kCall:
        break;
    }
    auto& call = llvm::cast<llvm::CallBase>(i);
    std::vector<llvm::Type*> fields;
    if (auto* record = llvm::dyn_cast<llvm::StructType>(call.getType())) {
      fields.assign(record->element_begin(), record->element_end());
    } else if (!call.getType()->isVoidTy()) {
      fields.push_back(call.getType());
    }
    llvm::Value* arguments = Words(*call.getFunction(), call.arg_size());
    llvm::Value* results = Words(*call.getFunction(), fields.size());
    for (unsigned k = 0; k < call.arg_size(); k++)
      b.CreateStore(ToWord(b, call.getArgOperand(k)), b.CreateConstGEP1_32(i64_, arguments, k));
    b.CreateCall(call_, {b.getInt32(site), arguments, results});
    if (!fields.empty()) {
      llvm::Value* value = llvm::PoisonValue::get(call.getType());
      for (unsigned k = 0; k < fields.size(); k++) {
        // The host is little-endian: the value is at the word's address.
        llvm::Value* field = b.CreateLoad(fields[k], b.CreateConstGEP1_32(i64_, results, k));
        value = call.getType()->isStructTy() ? b.CreateInsertValue(value, field, k) : field;
      }
      call.replaceAllUsesWith(value);
    }
    call.eraseFromParent();
  }

  // LLVM 22's code for x86 with AVX-512 takes signalling NaNs for numbers in `maximum` and
  // `minimum`.
  void ExpandMinMax(llvm::Instruction& i) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
    if (call == nullptr) return;
    const bool is_max = call->getIntrinsicID() == llvm::Intrinsic::maximum;
    if (!is_max && call->getIntrinsicID() != llvm::Intrinsic::minimum) return;
    llvm::IRBuilder<> b(call);
    llvm::Value *x = call->getArgOperand(0), *y = call->getArgOperand(1);
    llvm::Type* bits =
        x->getType()->getWithNewType(b.getIntNTy(x->getType()->getScalarSizeInBits()));
    llvm::Value *p = b.CreateBitCast(x, bits), *q = b.CreateBitCast(y, bits);
    // Of equals, zeros of two signs differ.
    llvm::Value* equal =
        b.CreateBitCast(is_max ? b.CreateAnd(p, q) : b.CreateOr(p, q), x->getType());
    llvm::Value* other = is_max ? b.CreateFCmpOLT(x, y) : b.CreateFCmpOGT(x, y);
    llvm::Value* value = b.CreateSelect(b.CreateFCmpOEQ(x, y), equal, b.CreateSelect(other, y, x));
    value = b.CreateSelect(b.CreateFCmpUNO(x, y), b.CreateFAdd(x, y), value);
    call->replaceAllUsesWith(value);
    call->eraseFromParent();
  }

  llvm::Value* Words(llvm::Function& f, size_t count) {
    llvm::IRBuilder<> b(&*f.getEntryBlock().begin());
    return b.CreateAlloca(i64_, b.getInt32(static_cast<uint32_t>(std::max<size_t>(count, 1))));
  }
  llvm::Value* ToWord(llvm::IRBuilder<>& b, llvm::Value* v) {
    if (v->getType()->isPointerTy()) return b.CreatePtrToInt(v, i64_);
    const auto bits =
        static_cast<unsigned>(module_.getDataLayout().getTypeSizeInBits(v->getType()));
    return b.CreateZExtOrTrunc(b.CreateBitCast(v, b.getIntNTy(bits)), i64_);
  }
  llvm::Value* Flat(llvm::IRBuilder<>& b, llvm::Value* p) {
    return p->getType()->getPointerAddressSpace() == 0 ? p : b.CreateAddrSpaceCast(p, pointer_);
  }

  // void(void* const* arguments): loads each argument from where the launch keeps it.
  void AddEntry(llvm::Function& f) {
    Kernel k;
    k.symbol = f.getName().str();
    k.entry = "SinterEmulatorEntry." + k.symbol;
    if (auto limit = f.getFnAttribute("nvvm.maxntid"); limit.isValid()) {
      uint64_t threads = 1;
      llvm::SmallVector<llvm::StringRef, 3> extents;
      limit.getValueAsString().split(extents, ',');
      for (llvm::StringRef text : extents) {
        uint64_t n = 1;
        if (!text.trim().getAsInteger(10, n)) threads *= n;
      }
      k.max_threads = static_cast<uint32_t>(std::min<uint64_t>(threads, Block::kMaxThreads));
    }
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context_), {pointer_}, false);
    auto* entry =
        llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, k.entry, module_);
    llvm::IRBuilder<> b(llvm::BasicBlock::Create(context_, "", entry));
    std::vector<llvm::Value*> values;
    for (llvm::Argument& a : f.args()) {
      llvm::Value* slot = b.CreateConstGEP1_32(pointer_, entry->getArg(0), a.getArgNo());
      values.push_back(
          b.CreateAlignedLoad(a.getType(), b.CreateLoad(pointer_, slot), llvm::Align(1)));
      k.parameter_bytes.push_back(module_.getDataLayout().getTypeStoreSize(a.getType()));
    }
    auto* call = b.CreateCall(&f, values);
    call->setCallingConv(f.getCallingConv());
    b.CreateRetVoid();
    out_.kernels.push_back(std::move(k));
  }

  void MakeHost(llvm::Function& f) {
    for (llvm::Use& use : f.uses()) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser()))
        call->setCallingConv(llvm::CallingConv::C);
    }
    f.setCallingConv(llvm::CallingConv::C);
    // Attributes name processors and promises of the device.
    if (!f.isIntrinsic()) f.setAttributes({});
  }

  llvm::Module& module_;
  llvm::LLVMContext& context_;
  const char* shared_;
  llvm::Type *i32_, *i64_;
  llvm::PointerType* pointer_;
  llvm::ModuleSlotTracker slots_;
  llvm::FunctionCallee access_, call_, jump_;
  std::vector<std::pair<llvm::GlobalVariable*, size_t>> shared_offsets_;
  std::map<const llvm::BasicBlock*, size_t> order_;  // of the function at hand
  Instrumented out_;
};

}  // namespace

absl::StatusOr<Instrumented> Instrument(llvm::Module& module, const char* shared) {
  return Rewriter(module, shared).Run();
}

}  // namespace sinter::emulator
