// Loops that stand in branches, and that differ in nothing but the buffers that they go over, as
// functions of the module: code for what hardly ever runs (a huge angle's reduction) is as long as
// what it stands beside, and programs have hundreds of sines.
#include <map>
#include <string>

#include "base/text.h"
#include "codegen/cpu/tiles.h"

namespace sinter::cpu {

using kernel::Op;
using kernel::OpCode;
using llvm::Value;

// What a call needs is in memory: no carries.
void Tiles::FindLoopsIn(const kernel::Block& block, bool in_branch) {
  for (const Op& op : block.ops) {
    if (op.code == OpCode::kFor && in_branch) {
      SharedLoop shared;
      if (op.loop != kernel::LoopKind::kSeq || !op.results.empty()) continue;
      const auto hash = kernel::HashOfClosed(kernel_, op, shared.buffers);
      if (!hash) continue;
      shared.hash = *hash;
      shared_loops_.emplace(&op, std::move(shared));
      continue;
    }
    for (const kernel::Block& region : op.regions)
      FindLoopsIn(region, in_branch || op.code == OpCode::kIf);
  }
}

void Tiles::FindSharedLoops() {
  found_shared_loops_ = true;
  FindLoopsIn(kernel_.top, false);
  std::map<kernel::KernelHash, int> count;
  for (const auto& [op, shared] : shared_loops_) count[shared.hash]++;
  absl::erase_if(shared_loops_, [&](const auto& e) { return count[e.second.hash] < 2; });
}

llvm::Function* Tiles::FunctionOf(const Op& loop, const SharedLoop& shared) {
  llvm::Module& module = *function_.getParent();
  const std::string name = Format("loop.{:016x}{:016x}", shared.hash.hi, shared.hash.lo);
  if (llvm::Function* known = module.getFunction(name)) return known;
  const std::vector<llvm::Type*> pointers(shared.buffers.size(), b_.getPtrTy());
  auto* type = llvm::FunctionType::get(b_.getVoidTy(), pointers, false);
  auto* f = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  f->copyAttributesFrom(&function_);
  f->setDSOLocal(true);  // as its linkage asks; the other function's need not be
  // Values around the branch stay in their registers, as if there was no call.
  f->setCallingConv(llvm::CallingConv::Intel_OCL_BI);
  llvm::IRBuilder<>::InsertPointGuard guard(b_);
  Tiles body(kernel_, *f, b_, pointwise_, target_);
  b_.SetInsertPoint(body.NewBlock("entry"));
  for (size_t i = 0; i < shared.buffers.size(); i++)
    body.pointers_[static_cast<size_t>(shared.buffers[i])] = f->getArg(static_cast<unsigned>(i));
  for (const Op& op : kernel_.top.ops)
    if (op.code == OpCode::kConst) body.Emit(op);
  body.found_shared_loops_ = true;  // none in it
  body.Emit(loop);
  b_.CreateRetVoid();
  if (!body.status().ok()) Fail(body.status());
  used_non_temporal_ |= body.used_non_temporal_;
  return f;
}

bool Tiles::EmitOwnLoop(const Op& op) {
  if (EmitDotLoop(op)) return true;
  if (!found_shared_loops_) FindSharedLoops();
  const auto it = shared_loops_.find(&op);
  if (it == shared_loops_.end()) return false;
  llvm::Function* f = FunctionOf(op, it->second);
  std::vector<Value*> arguments;
  for (int buffer : it->second.buffers) arguments.push_back(pointers_[static_cast<size_t>(buffer)]);
  b_.CreateCall(f, arguments)->setCallingConv(f->getCallingConv());
  return true;
}

}  // namespace sinter::cpu
