#include "codegen/cpu/stage.h"

#include <algorithm>

#include "base/status.h"
#include "codegen/cpu/pointwise_x86.h"
#include "codegen/cpu/tiles.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace sinter::cpu {
namespace {

using kernel::Buffer;
using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;
using kernel::Space;
using kernel::Tail;
using llvm::Value;

class StageEmitter final : public Tiles {
 public:
  using Tiles::Tiles;

  void Run(const Op& stage) {
    const kernel::StageUse used = kernel::UseOf(kernel_, stage);
    b_.SetInsertPoint(NewBlock("entry"));
    LoadParams(used);
    LoadPointers(used);
    for (const Op& op : kernel_.top.ops)
      if (!IsStage(op) && used.Uses(op)) Emit(op);
    const bool tiles = UsesTileRegisters(stage);
    if (tiles)
      b_.CreateIntrinsic(llvm::Intrinsic::x86_ldtilecfg, {ConstantData(TileConfiguration())});
    RunTasks(stage);
    if (tiles) b_.CreateIntrinsic(llvm::Intrinsic::x86_tilerelease, {});
    if (used_non_temporal()) {
      // Such stores are not ordered; the threads that wait for this stage must see them.
      b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
    }
    b_.CreateRetVoid();
  }

 private:
  void LoadParams(const kernel::StageUse& used) {
    for (size_t i = 0; i < kernel_.params.size(); i++) {
      const kernel::Value v = kernel_.params[i].value;
      if (!used.values[static_cast<size_t>(v)]) continue;
      Value* p = b_.CreateConstGEP1_64(b_.getInt64Ty(), function_.getArg(1), i);
      Bind(v, {b_.CreateLoad(b_.getInt64Ty(), p)});
    }
  }

  void LoadPointers(const kernel::StageUse& used) {
    const std::vector<int> order = kernel::LaunchBuffers(kernel_);
    auto memory = TaskMemoryOf(kernel_);
    if (!memory.ok()) return Fail(memory.status());
    for (size_t i = 0; i < kernel_.buffers.size(); i++) {
      if (!used.buffers[i]) continue;
      const Buffer& buffer = kernel_.buffers[i];
      if (buffer.space == Space::kTask) {
        pointers_[i] = b_.CreateConstGEP1_64(b_.getInt8Ty(), function_.getArg(4),
                                             static_cast<uint64_t>(memory->offsets[i]));
      } else if (buffer.space == Space::kConstant) {
        pointers_[i] = ConstantData(buffer.data);
      } else {
        const auto at = std::find(order.begin(), order.end(), static_cast<int>(i)) - order.begin();
        Value* p =
            b_.CreateConstGEP1_64(b_.getPtrTy(), function_.getArg(0), static_cast<uint64_t>(at));
        pointers_[i] = b_.CreateLoad(b_.getPtrTy(), p);
      }
    }
  }

  Value* ConstantData(llvm::ArrayRef<uint8_t> bytes) {
    auto* data = llvm::ConstantDataArray::get(b_.getContext(), bytes);
    auto* global = new llvm::GlobalVariable(*function_.getParent(), data->getType(), true,
                                            llvm::GlobalValue::PrivateLinkage, data);
    global->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
    global->setAlignment(llvm::Align(64));
    return global;
  }

  void RunTasks(const Op& stage) {
    Value *lo = Scalar(stage.operands[0]), *hi = Scalar(stage.operands[1]);
    Value *first = function_.getArg(2), *end = function_.getArg(3);
    const int64_t step = stage.int_value;
    Value* step_value = b_.getInt64(static_cast<uint64_t>(step));
    auto iv_of = [&](Value* task) { return b_.CreateAdd(lo, b_.CreateMul(task, step_value)); };
    if (step > 1 && stage.tail == Tail::kPeel) {
      Value* whole = b_.CreateSDiv(b_.CreateSub(hi, lo), step_value);
      Value* middle = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, whole, end);
      facts_.EnterFull(stage);
      EmitLoop(stage, first, middle, 1, {}, iv_of);
      facts_.LeaveFull();
      Value* rest = b_.CreateAnd(b_.CreateICmpSLE(first, whole), b_.CreateICmpSLT(whole, end));
      EmitOnce(stage, iv_of(whole), rest, {});
      return;
    }
    const bool full = step == 1 || stage.tail == Tail::kExact;
    if (full) facts_.EnterFull(stage);
    EmitLoop(stage, first, end, 1, {}, iv_of);
    if (full) facts_.LeaveFull();
  }
};

void Prepare(llvm::Function& f) {
  f.addFnAttr(llvm::Attribute::NoUnwind);
  f.addFnAttr("no-builtins");  // no loop of ours may become a call of memset
  // Vectors that registers have no room for lie within lines of the cache: LLVM aligns the stack
  // for them only where it knows that it has to before it allocates registers.
  f.addFnAttr("stackrealign");
}

}  // namespace

absl::StatusOr<kernel::TaskMemory> TaskMemoryOf(const Kernel& kernel) {
  return kernel::LayOutTaskMemory(kernel, /*align=*/64, /*apart=*/true);
}

absl::Status EmitStage(const Kernel& kernel, const Op& stage, const Target& target,
                       const std::string& symbol, llvm::Module& module) {
  RETURN_INTERNAL_IF(kernel.lanes < 1 || (kernel.lanes & (kernel.lanes - 1)) != 0,
                     "kernel {}: {} lanes are not a power of two", kernel.name, kernel.lanes);
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context),
                                       {pointer, pointer, i64, i64, pointer}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  Prepare(*function);
  llvm::IRBuilder<> builder(context);
  codegen::SoftFunctions soft(module, Prepare);
  PointwiseX86 pointwise(builder, target, soft);
  StageEmitter emitter(kernel, *function, builder, pointwise, target);
  emitter.Run(stage);
  return emitter.status();
}

}  // namespace sinter::cpu
