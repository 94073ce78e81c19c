// Tiles that are computed in one of two ways, by one branch: as almost all are, or as is right for
// any.
#include "codegen/cpu/tiles.h"
#include "llvm/IR/MDBuilder.h"

namespace sinter::cpu {

using llvm::Value;

Value* Tiles::AnyLane(llvm::ArrayRef<Value*> masks) {
  Value *any = nullptr, *lanes = nullptr;
  auto collect = [&] {
    const auto width = static_cast<unsigned>(codegen::WidthOf(lanes->getType()));
    Value* some = b_.CreateIsNotNull(b_.CreateBitCast(lanes, b_.getIntNTy(width)));
    any = any == nullptr ? some : b_.CreateOr(any, some);
  };
  for (Value* mask : masks) {
    if (lanes != nullptr && lanes->getType() != mask->getType()) {
      collect();
      lanes = nullptr;
    }
    lanes = lanes == nullptr ? mask : b_.CreateOr(lanes, mask);
  }
  collect();
  return any;
}

void Tiles::InTwoWays(const kernel::Op& op, Value* rare, llvm::StringRef name,
                      const std::function<Value*(size_t)>& usual,
                      const std::function<Value*(size_t)>& other) {
  const auto count = static_cast<size_t>(Count(type(op.results[0])));
  llvm::BasicBlock *often = NewBlock((name + ".usual").str().c_str()),
                   *seldom = NewBlock((name + ".other").str().c_str()),
                   *done = NewBlock(name.str().c_str());
  b_.CreateCondBr(rare, seldom, often,
                  llvm::MDBuilder(b_.getContext()).createUnlikelyBranchWeights());
  auto emit = [&](llvm::BasicBlock*& block, const std::function<Value*(size_t)>& way) {
    b_.SetInsertPoint(block);
    Parts parts;
    for (size_t part = 0; part < count; part++) parts.push_back(way(part));
    block = b_.GetInsertBlock();  // a way may have blocks of its own
    b_.CreateBr(done);
    return parts;
  };
  const Parts first = emit(often, usual), second = emit(seldom, other);
  b_.SetInsertPoint(done);
  Parts out;
  for (size_t part = 0; part < count; part++) {
    llvm::PHINode* phi = b_.CreatePHI(first[part]->getType(), 2);
    phi->addIncoming(first[part], often);
    phi->addIncoming(second[part], seldom);
    out.push_back(phi);
  }
  Bind(op.results[0], std::move(out));
}

}  // namespace sinter::cpu
