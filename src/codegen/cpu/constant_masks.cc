#include "codegen/cpu/constant_masks.h"

#include <optional>
#include <vector>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalVariable.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace sinter::cpu {
namespace {

// Mask registers are seven; comparisons need some.
constexpr size_t kMostLoadedMasks = 4;

// The lanes of a constant mask; nothing where it is no constant.
std::optional<llvm::SmallVector<bool, 64>> LanesOf(const llvm::Value* mask) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(mask->getType());
  if (constant == nullptr || type == nullptr) return std::nullopt;
  llvm::SmallVector<bool, 64> lanes;
  for (unsigned i = 0; i < type->getNumElements(); i++) {
    const llvm::Constant* lane = constant->getAggregateElement(i);
    if (lane == nullptr || !llvm::isa<llvm::ConstantInt>(lane)) return std::nullopt;
    lanes.push_back(!lane->isNullValue());
  }
  return lanes;
}

// The lane that is set, if it is the only one.
std::optional<unsigned> OnlyLane(const llvm::Value* mask) {
  const auto lanes = LanesOf(mask);
  if (!lanes || llvm::count(*lanes, true) != 1) return std::nullopt;
  return static_cast<unsigned>(llvm::find(*lanes, true) - lanes->begin());
}

// The mask of a load or store; null of other instructions.
llvm::Use* MaskOf(llvm::Instruction& i) {
  auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  if (call == nullptr) return nullptr;
  switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::masked_load:
      return &call->getArgOperandUse(1);
    case llvm::Intrinsic::masked_store:
      return &call->getArgOperandUse(2);
    default:
      return nullptr;
  }
}

// The lanes as a number, of as many bits as a mask register is read from memory in.
std::optional<llvm::APInt> BitsOf(const llvm::Value* mask) {
  const auto lanes = LanesOf(mask);
  if (!lanes || lanes->size() < 8 || lanes->size() > 64 || !llvm::isPowerOf2_64(lanes->size()))
    return std::nullopt;
  llvm::APInt bits(static_cast<unsigned>(lanes->size()), 0);
  for (unsigned k = 0; k < lanes->size(); ++k)
    if ((*lanes)[k]) bits.setBit(k);
  if (bits.isZero() || bits.isAllOnes()) return std::nullopt;
  return bits;
}

}  // namespace

void StoreSingleLanes(llvm::Function& f) {
  std::vector<llvm::IntrinsicInst*> stores;
  for (llvm::BasicBlock& block : f) {
    for (llvm::Instruction& i : block) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (call != nullptr && call->getIntrinsicID() == llvm::Intrinsic::masked_store &&
          OnlyLane(call->getArgOperand(2)))
        stores.push_back(call);
    }
  }
  for (llvm::IntrinsicInst* call : stores) {
    llvm::IRBuilder<> b(call);
    llvm::Value* vector = call->getArgOperand(0);
    llvm::Type* elem = vector->getType()->getScalarType();
    const unsigned lane = *OnlyLane(call->getArgOperand(2));
    llvm::Value* address = b.CreateConstGEP1_64(elem, call->getArgOperand(1), lane);
    const llvm::Align align = llvm::commonAlignment(
        call->getParamAlign(1).valueOrOne(), lane * f.getDataLayout().getTypeStoreSize(elem));
    b.CreateAlignedStore(b.CreateExtractElement(vector, lane), address, align)->copyMetadata(*call);
    call->eraseFromParent();
  }
}

void LoadMasksOnce(llvm::Function& f) {
  llvm::MapVector<llvm::Value*, llvm::SmallVector<llvm::Use*, 4>> uses;
  llvm::BasicBlock& entry = f.getEntryBlock();
  for (llvm::BasicBlock& block : f) {
    if (&block == &entry) continue;
    for (llvm::Instruction& i : block) {
      llvm::Use* mask = MaskOf(i);
      if (mask != nullptr && BitsOf(mask->get())) uses[mask->get()].push_back(mask);
    }
  }
  if (uses.size() > kMostLoadedMasks) return;
  llvm::IRBuilder<> b(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  for (auto& [mask, places] : uses) {
    auto* bits = llvm::ConstantInt::get(f.getContext(), *BitsOf(mask));
    auto* place = new llvm::GlobalVariable(*f.getParent(), bits->getType(), /*isConstant=*/true,
                                           llvm::GlobalValue::PrivateLinkage, bits, "mask");
    llvm::Value* loaded = b.CreateBitCast(b.CreateLoad(bits->getType(), place), mask->getType());
    for (llvm::Use* use : places) use->set(loaded);
  }
}

}  // namespace sinter::cpu
