// Copies from global to shared memory that no register takes part in: cp.async (PTX ISA).
#include <algorithm>

#include "base/status.h"
#include "codegen/gpu/tiles.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace sinter::gpu {

using kernel::Op;
using kernel::OpCode;
using kernel::Space;
using llvm::Value;

namespace {
constexpr int kOldestSm = 80;  // of those that have the instruction
}  // namespace

void Tiles::FindCopies(const kernel::Block& block, const std::vector<int>& uses) {
  if (target_.sm < kOldestSm) return;
  for (const Op& op : block.ops) {
    for (const kernel::Block& region : op.regions) FindCopies(region, uses);
    if (op.code != OpCode::kStore || !op.async || uses[static_cast<size_t>(op.operands[0])] != 1)
      continue;
    for (const Op& load : block.ops) {
      if (&load == &op) break;
      if (load.code != OpCode::kLoad || load.results[0] != op.operands[0]) continue;
      const kernel::Buffer& from = kernel_.buffers[static_cast<size_t>(load.buffer)];
      const bool global = from.space == Space::kArgument || from.space == Space::kScratch;
      if (global && IsReadOnly(load.buffer) && !IsPredicate(from.elem))
        copies_[op.operands[0]] = &load;
    }
  }
}

// Whether both sides can move by 16 bytes (or 8, or 4) at a time. What a mask lets through of an
// access is all or nothing, and zero where nothing.
bool Tiles::EmitCopy(const Op& load, const Op& store) {
  const kernel::Type& t = type(store.operands[0]);
  const Site from = SiteOf(load, t, 0), to = SiteOf(store, t, 1);
  const int width = std::min(from.width, to.width), bytes = width * ByteWidth(t.elem);
  if (bytes < 4 || (width > 1 && from.axis != to.axis)) return false;
  const size_t dims = kernel_.buffers[static_cast<size_t>(load.buffer)].shape.size();
  std::map<int, Value*> masks;  // of each access, by its first part
  bool fits = true;
  if (load.masked) {
    ForAccesses(to, width, [&](llvm::ArrayRef<int> parts) {
      masks[parts[0]] = Part(load.operands[dims], parts[0], t);
      for (int part : parts) {
        const auto* otherwise =
            llvm::dyn_cast<llvm::Constant>(Part(load.operands[dims + 1], part, t));
        fits &= Part(load.operands[dims], part, t) == masks[parts[0]] && otherwise != nullptr &&
                otherwise->isNullValue();
      }
    });
  }
  if (!fits) return false;
  // Where the whole lines of a warp's accesses are used, nothing is gained by the first-level
  // cache.
  const llvm::Intrinsic::ID plain = bytes == 16 ? llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16
                                    : bytes == 8
                                        ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8
                                        : llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4;
  const llvm::Intrinsic::ID sized =
      bytes == 16  ? llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16_s
      : bytes == 8 ? llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8_s
                   : llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4_s;
  Under(IsOwner(t), [&] {
    ForAccesses(to, width, [&](llvm::ArrayRef<int> parts) {
      llvm::SmallVector<Value*, 3> args{PointerOf(to, parts[0]), PointerOf(from, parts[0])};
      Value* mask = load.masked ? masks[parts[0]] : nullptr;
      if (mask == nullptr || AllTrue(mask)) {
        b_.CreateIntrinsic(plain, {}, args);
        return;
      }
      args.push_back(
          b_.CreateSelect(mask, b_.getInt32(static_cast<uint32_t>(bytes)), b_.getInt32(0)));
      b_.CreateIntrinsic(sized, {}, args);
    });
  });
  return true;
}

void Tiles::EmitCommit() {
  if (target_.sm >= kOldestSm) b_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_commit_group, {});
}

void Tiles::EmitWait(const Op& op) {
  if (target_.sm >= kOldestSm) {
    b_.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_group, {},
                       {b_.getInt32(static_cast<uint32_t>(op.int_value))});
  }
  Barrier();
}

}  // namespace sinter::gpu
