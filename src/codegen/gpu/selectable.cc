// What the walk may emit: whatever is not listed here might end the process inside LLVM.
#include <algorithm>

#include "base/status.h"
#include "codegen/gpu/generator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::gpu {
namespace {

using llvm::Instruction;
namespace id = llvm::Intrinsic;

constexpr id::ID kIntrinsics[] = {
    // of the device
    id::nvvm_read_ptx_sreg_tid_x,
    id::nvvm_read_ptx_sreg_ctaid_x,
    id::nvvm_barrier_cta_sync_aligned_all,
    id::nvvm_shfl_sync_bfly_i32,
    id::nvvm_shfl_sync_idx_i32,
    id::nvvm_cp_async_ca_shared_global_4,
    id::nvvm_cp_async_ca_shared_global_4_s,
    id::nvvm_cp_async_ca_shared_global_8,
    id::nvvm_cp_async_ca_shared_global_8_s,
    id::nvvm_cp_async_cg_shared_global_16,
    id::nvvm_cp_async_cg_shared_global_16_s,
    id::nvvm_cp_async_commit_group,
    id::nvvm_cp_async_wait_group,
    id::nvvm_f2tf32_rna,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16,
    id::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16,
    id::nvvm_mma_m16n8k8_row_col_f32_f32,
    id::nvvm_mma_m16n8k8_row_col_tf32,
    id::nvvm_mma_m16n8k16_row_col_bf16,
    id::nvvm_mma_m16n8k16_row_col_f32_f32,
    id::nvvm_mma_m16n8k32_row_col_s8,
    // of all targets
    id::abs,
    id::ceil,
    id::copysign,
    id::ctlz,
    id::ctpop,
    id::cttz,
    id::fabs,
    id::floor,
    id::fma,
    id::maximum,
    id::minimum,
    id::roundeven,
    id::smax,
    id::smin,
    id::sqrt,
    id::trunc,
    id::umax,
    id::umin,
};

// Scalars of at most 64 bits, pointers, and vectors that one access moves.
bool IsPlain(const llvm::Type* type) {
  if (type->isVoidTy() || type->isPointerTy()) return true;
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    return vector->getPrimitiveSizeInBits() <= 128 && IsPlain(vector->getElementType());
  }
  if (type->isIntegerTy()) return type->getIntegerBitWidth() <= 64;
  return type->isHalfTy() || type->isFloatTy() || type->isDoubleTy();
}

// What ldmatrix and mma.sync return.
bool IsFragment(const llvm::Type* type) {
  const auto* all = llvm::dyn_cast<llvm::StructType>(type);
  return all != nullptr && llvm::all_of(all->elements(), [](const llvm::Type* t) {
           return t->isIntegerTy(32) || t->isFloatTy();
         });
}

// Of 128-bit integers, what the upper half of a product takes.
bool IsWide(const llvm::Type* type) { return type->isIntegerTy(128); }

bool IsSelectable(const Instruction& i) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) {
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr || !(IsPlain(call->getType()) || IsFragment(call->getType())))
      return false;
    if (!callee->isDeclaration()) return true;
    // Floats of other widths than 32 and 64 bits have few of them.
    if (call->getType()->isHalfTy()) return false;
    return std::find(std::begin(kIntrinsics), std::end(kIntrinsics), callee->getIntrinsicID()) !=
           std::end(kIntrinsics);
  }
  switch (i.getOpcode()) {
    case Instruction::Mul:
    case Instruction::ZExt:
    case Instruction::SExt:
    case Instruction::LShr:
      return IsPlain(i.getType()) || IsWide(i.getType());
    case Instruction::ExtractValue:
      return IsFragment(i.getOperand(0)->getType());
    case Instruction::Trunc:
      return IsPlain(i.getType());
    case Instruction::FAdd:
    case Instruction::FSub:
    case Instruction::FMul:
    case Instruction::FDiv:
    case Instruction::FNeg:
    case Instruction::FCmp:
      return i.getOperand(0)->getType()->isFloatTy() || i.getOperand(0)->getType()->isDoubleTy();
    case Instruction::Ret:
    case Instruction::Br:
    case Instruction::PHI:
    case Instruction::Select:
    case Instruction::Freeze:
    case Instruction::Load:
    case Instruction::Store:
    case Instruction::GetElementPtr:
    case Instruction::ExtractElement:
    case Instruction::InsertElement:
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::UDiv:
    case Instruction::SDiv:
    case Instruction::URem:
    case Instruction::SRem:
    case Instruction::Shl:
    case Instruction::AShr:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::ICmp:
    case Instruction::FPTrunc:
    case Instruction::FPExt:
    case Instruction::FPToUI:
    case Instruction::FPToSI:
    case Instruction::UIToFP:
    case Instruction::SIToFP:
    case Instruction::BitCast:
      return IsPlain(i.getType()) &&
             std::all_of(i.op_begin(), i.op_end(), [](const llvm::Use& operand) {
               return operand->getType()->isLabelTy() || IsPlain(operand->getType());
             });
    default:
      return false;
  }
}

}  // namespace

absl::Status CheckSelectable(const llvm::Module& module) {
  for (const llvm::Function& function : module) {
    for (const Instruction& i : llvm::instructions(function)) {
      if (IsSelectable(i)) continue;
      std::string text;
      llvm::raw_string_ostream stream(text);
      i.print(stream);
      return Internal("function {}: not for NVPTX:{}", function.getName().str(), text);
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter::gpu
