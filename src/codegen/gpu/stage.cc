#include "codegen/gpu/stage.h"

#include <algorithm>

#include "base/status.h"
#include "codegen/gpu/pointwise_nvptx.h"
#include "codegen/gpu/tiles.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace sinter::gpu {
namespace {

using kernel::Buffer;
using kernel::Kernel;
using kernel::Op;
using kernel::OpCode;
using kernel::Space;
using kernel::Tail;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1;
constexpr int64_t kSharedAlign = 16;

class StageEmitter final : public Tiles {
 public:
  using Tiles::Tiles;

  void Run(const Op& stage, const kernel::TaskMemory& memory) {
    EmitEntry();
    BindArguments(memory);
    for (const Op& op : kernel_.top.ops)
      if (op.code != OpCode::kFor && use_.Uses(op)) Emit(op);
    RunTask(stage);
    b_.CreateRetVoid();
  }

 private:
  void BindArguments(const kernel::TaskMemory& memory) {
    const std::vector<int> order = kernel::LaunchBuffers(kernel_);
    for (size_t i = 0; i < order.size(); i++)
      pointers_[static_cast<size_t>(order[i])] = function_.getArg(static_cast<unsigned>(i));
    for (size_t i = 0; i < kernel_.params.size(); i++)
      Bind(kernel_.params[i].value, {function_.getArg(static_cast<unsigned>(order.size() + i))});
    for (size_t i = 0; i < kernel_.buffers.size(); i++) {
      if (!use_.buffers[i]) continue;
      const Buffer& buffer = kernel_.buffers[i];
      if (buffer.space == Space::kTask) pointers_[i] = SharedMemory(memory.offsets[i]);
      if (buffer.space == Space::kConstant) pointers_[i] = ConstantData(buffer);
    }
  }

  // In global memory: what PTX calls constant memory is slow where threads read apart, and small.
  Value* ConstantData(const Buffer& buffer) {
    auto* data = llvm::ConstantDataArray::get(b_.getContext(), llvm::ArrayRef(buffer.data));
    auto* global = new llvm::GlobalVariable(
        *function_.getParent(), data->getType(), true, llvm::GlobalValue::InternalLinkage, data,
        "data", nullptr, llvm::GlobalValue::NotThreadLocal, kGlobalSpace);
    global->setAlignment(llvm::Align(16));
    return global;
  }

  // Block x is the task.
  void RunTask(const Op& stage) {
    Value *lo = Scalar(stage.operands[0]), *hi = Scalar(stage.operands[1]);
    const auto step = static_cast<uint64_t>(stage.int_value);
    Value* block = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, {});
    Value* task = b_.CreateZExt(block, b_.getInt64Ty());
    Value* iv = b_.CreateAdd(lo, b_.CreateMul(task, b_.getInt64(step)));
    const bool full = step == 1 || stage.tail == Tail::kExact;
    Value* whole = b_.getFalse();
    if (!full && stage.tail == Tail::kPeel) {
      Value* range = b_.CreateSub(hi, lo);
      const auto extent = ConstantOf(range);
      whole = extent && *extent % stage.int_value == 0
                  ? b_.getTrue()
                  : b_.CreateICmpSLE(b_.CreateAdd(iv, b_.getInt64(step)), hi);
    }
    if (full) whole = b_.getTrue();
    facts_.EnterFull(stage);
    EmitOnce(stage, iv, whole, {});
    facts_.LeaveFull();
    EmitOnce(stage, iv, b_.CreateNot(whole), {});
  }
};

void Prepare(llvm::Function& f) {
  f.addFnAttr(llvm::Attribute::NoUnwind);
  f.addFnAttr("no-builtins");
}

llvm::Function* DeclareStage(const Kernel& kernel, const kernel::StageUse& use,
                             const std::string& symbol, llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  const std::vector<int> order = kernel::LaunchBuffers(kernel);
  std::vector<llvm::Type*> args(order.size(), llvm::PointerType::get(context, kGlobalSpace));
  args.insert(args.end(), kernel.params.size(), llvm::Type::getInt64Ty(context));
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), args, false);
  auto* function = llvm::Function::Create(type, llvm::Function::ExternalLinkage, symbol, module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  Prepare(*function);
  function->addFnAttr("nvvm.maxntid", Format("{}", 32 * kernel.warps));
  for (size_t i = 0; i < order.size(); i++) {
    const auto arg = static_cast<unsigned>(i);
    const auto buffer = static_cast<size_t>(order[i]);
    function->addParamAttr(arg, llvm::Attribute::getWithAlignment(context, llvm::Align(16)));
    if (kernel.buffers[buffer].alias_group < 0)
      function->addParamAttr(arg, llvm::Attribute::NoAlias);
    if (!use.written[buffer]) function->addParamAttr(arg, llvm::Attribute::ReadOnly);
  }
  return function;
}

}  // namespace

absl::StatusOr<int64_t> EmitStage(const Kernel& kernel, const Op& stage, const Target& target,
                                  const std::string& symbol, llvm::Module& module) {
  RETURN_INTERNAL_IF(kernel.warps < 1 || kernel.warps > kernel::kMaxWarps,
                     "kernel {}: a block of {} warps", kernel.name, kernel.warps);
  for (const kernel::Type& t : kernel.types) {
    const auto layout = static_cast<size_t>(t.layout);
    RETURN_INTERNAL_IF(layout >= kernel.layouts.size() || (layout == 0 && !t.is_scalar()),
                       "kernel {}: a tile of {}x{} has no layout", kernel.name, t.rows, t.cols);
    const std::string error = kernel::LayoutError(kernel.layouts[layout], kernel.warps);
    RETURN_INTERNAL_IF(!error.empty(), "kernel {}: layout {}: {}", kernel.name, layout, error);
  }
  const kernel::StageUse use = kernel::UseOf(kernel, stage);
  ASSIGN_OR_RETURN(const kernel::TaskMemory memory,
                   kernel::LayOutTaskMemory(kernel, kSharedAlign, /*apart=*/false));
  const bool uses_tasks = [&] {
    for (size_t i = 0; i < kernel.buffers.size(); i++)
      if (use.buffers[i] && memory.offsets[i] >= 0) return true;
    return false;
  }();
  llvm::Function* function = DeclareStage(kernel, use, symbol, module);
  llvm::IRBuilder<> builder(module.getContext());
  codegen::SoftFunctions soft(module, Prepare);
  PointwiseNvptx pointwise(builder, target, soft);
  StageEmitter emitter(kernel, stage, use, target, uses_tasks ? memory.bytes : 0, *function,
                       builder, pointwise);
  emitter.Run(stage, memory);
  RETURN_IF_ERROR(emitter.status());
  return emitter.shared_bytes();
}

}  // namespace sinter::gpu
