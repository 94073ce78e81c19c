// Loads and stores of tiles whose columns are neighbours: contiguous, masked, reversed, past the
// caches.
#include <bit>

#include "base/status.h"
#include "codegen/cpu/tiles.h"
#include "llvm/Analysis/VectorUtils.h"

namespace sinter::cpu {

using codegen::WidthOf;
using kernel::Op;
using llvm::Value;

bool Tiles::MasksInHardware(ElementType elem) const {
  return target_.avx512 || (target_.masked_memory && ByteWidth(elem) >= 4);
}

Value* Tiles::ToMemory(Value* x) {
  if (!x->getType()->getScalarType()->isIntegerTy(1)) return x;
  return b_.CreateZExt(x, codegen::Widen(b_.getInt8Ty(), WidthOf(x->getType())));
}
Value* Tiles::FromMemory(Value* x, ElementType elem) {
  if (!IsPredicate(elem)) return x;
  return b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
}

namespace {

// So many lanes from the first one on are set, and no other; none: that is not known.
std::optional<int> PrefixOf(Value* mask) {
  auto* known = llvm::dyn_cast<llvm::Constant>(mask);
  if (known == nullptr || !mask->getType()->isVectorTy()) return std::nullopt;
  int prefix = 0;
  bool ended = false;
  for (int lane = 0; lane < WidthOf(mask->getType()); ++lane) {
    auto* bit = llvm::dyn_cast_or_null<llvm::ConstantInt>(
        known->getAggregateElement(static_cast<unsigned>(lane)));
    if (bit == nullptr || (ended && bit->isOne())) return std::nullopt;
    ended |= bit->isZero();
    prefix += bit->isOne();
  }
  return prefix;
}

// Calls `visit` with the places and the sizes, which are powers of two, of parts of a prefix.
template <class Visit>
void ForPowersOfTwo(int prefix, const Visit& visit) {
  for (int from = 0; from < prefix;) {
    const int size = static_cast<int>(std::bit_floor(static_cast<unsigned>(prefix - from)));
    visit(from, size);
    from += size;
  }
}

}  // namespace

// The condition that all lanes of a mask have in common; null: there is none.
Value* Tiles::CommonCondition(Value* mask) {
  if (Value* condition = llvm::getSplatValue(mask)) return condition;
  auto* both = llvm::dyn_cast<llvm::BinaryOperator>(mask);
  if (both == nullptr || both->getOpcode() != llvm::Instruction::And) return nullptr;
  Value *a = CommonCondition(both->getOperand(0)), *c = CommonCondition(both->getOperand(1));
  return a == nullptr ? c : c == nullptr ? a : b_.CreateAnd(a, c);
}

llvm::AllocaInst* Tiles::Slot(llvm::Type* elem, int width) {
  llvm::IRBuilder<>::InsertPointGuard guard(b_);
  llvm::BasicBlock& entry = function_.getEntryBlock();
  b_.SetInsertPoint(&entry, entry.begin());
  return b_.CreateAlloca(codegen::Widen(elem, width));
}

void Tiles::ForLanes(Value* mask, const std::function<void(Value*)>& body) {
  const int width = WidthOf(mask->getType());
  Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(static_cast<unsigned>(width)));
  bits = b_.CreateZExt(bits, b_.getInt64Ty());
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = NewBlock("lane"),
                   *done = NewBlock("done");
  b_.CreateCondBr(b_.CreateICmpNE(bits, b_.getInt64(0)), loop, done);
  b_.SetInsertPoint(loop);
  llvm::PHINode* left = b_.CreatePHI(b_.getInt64Ty(), 2);
  left->addIncoming(bits, before);
  body(b_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, left, b_.getTrue()));
  Value* next = b_.CreateAnd(left, b_.CreateSub(left, b_.getInt64(1)));
  left->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpNE(next, b_.getInt64(0)), loop, done);
  b_.SetInsertPoint(done);
}

// --- loads ---------------------------------------------------------------------------------------

void Tiles::EmitLoad(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  const auto dims = kernel_.buffers[static_cast<size_t>(op.buffer)].shape.size();
  Site site{op, t, Resolve(op, 0), std::nullopt,
            llvm::Align(static_cast<uint64_t>(ByteWidth(t.elem)))};
  site.step = site.access.cols == nullptr ? 0 : ConstantOf(site.access.cols);
  if (op.int_value != 0) FetchAhead(site);
  const std::optional<RowPlace> place = RowPlaceOf(site);
  Parts out;
  for (int row = 0; row < t.rows; row++) {
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      Value *mask = nullptr, *otherwise = nullptr;
      if (op.masked) {
        mask = PartAt(op.operands[dims], row, chunk, t);
        otherwise = ToMemory(PartAt(op.operands[dims + 1], row, chunk, t));
        if (AllTrue(mask)) mask = nullptr;
      }
      if (place && mask == nullptr) {
        out.push_back(LoadFromRows(site, *place, chunk));
        continue;
      }
      out.push_back(FromMemory(LoadPart(site, row, chunk, mask, otherwise), t.elem));
    }
  }
  Bind(op.results[0], std::move(out));
}

// One prefetch a cache line. What is not there raises nothing.
void Tiles::FetchAhead(const Site& site) {
  constexpr int kLine = 64;
  if (!site.access.gathered.empty() || site.step != 1) return;
  const int elem = ByteWidth(site.type.elem);
  for (int row = 0; row < site.type.rows; row++) {
    for (int col = 0; col < site.type.cols; col += std::max(1, kLine / elem)) {
      Value* p = b_.CreateConstGEP1_64(b_.getInt8Ty(), Pointer(site.op, site.access, row, col),
                                       static_cast<uint64_t>(site.op.int_value * elem));
      b_.CreateIntrinsic(
          llvm::Intrinsic::prefetch, {p->getType()},
          {p, b_.getInt32(/*read*/ 0), b_.getInt32(/*all levels*/ 3), b_.getInt32(/*data*/ 1)});
    }
  }
}

Value* Tiles::LoadPart(const Site& site, int row, int chunk, Value* mask, Value* otherwise) {
  const int width = ChunkWidth(site.type, chunk), first = chunk * lanes_;
  if (mask != nullptr && llvm::isa<llvm::Constant>(mask) &&
      llvm::cast<llvm::Constant>(mask)->isNullValue())
    return otherwise;
  // One condition for all lanes: a branch, unless the hardware masks anyway.
  if (mask != nullptr && (width == 1 || !MasksInHardware(site.type.elem))) {
    Value* condition = width == 1 ? mask : llvm::getSplatValue(mask);
    if (condition != nullptr)
      return EmitIf(
          condition, [&] { return LoadPart(site, row, chunk, nullptr, nullptr); }, otherwise);
  }
  if (!site.access.gathered.empty() || !site.step)
    return Gather(site, row, chunk, width, mask, otherwise);
  Access access = site.access;
  // Where no lane is wanted, the place may be far outside of the array: a processor takes 17 ns
  // (Intel) or 400 (Zen 4) to find that it does not need memory that is not there.
  if (Value* condition = mask == nullptr ? nullptr : CommonCondition(mask))
    access.base =
        b_.CreateSelect(condition, access.base, pointers_[static_cast<size_t>(site.op.buffer)]);
  if (width == 1 || *site.step == 1)
    return LoadContiguous(site, Pointer(site.op, access, row, first), width, mask, otherwise);
  if (*site.step == 0) {
    Value* p = Pointer(site.op, site.access, row, 0);
    auto load = [&] { return Splat(LoadContiguous(site, p, 1, nullptr, nullptr), width); };
    if (mask == nullptr) return load();
    Value* bits = b_.CreateBitCast(mask, b_.getIntNTy(static_cast<unsigned>(width)));
    Value* any = b_.CreateICmpNE(bits, llvm::Constant::getNullValue(bits->getType()));
    return b_.CreateSelect(mask, EmitIf(any, load, otherwise), otherwise);
  }
  if (*site.step == -1) {
    Value* p = Pointer(site.op, access, row, first + width - 1);
    if (mask == nullptr)
      return b_.CreateVectorReverse(LoadContiguous(site, p, width, nullptr, nullptr));
    Value* zero = llvm::Constant::getNullValue(otherwise->getType());
    Value* v = Fence(LoadContiguous(site, p, width, b_.CreateVectorReverse(mask), zero));
    return b_.CreateSelect(mask, b_.CreateVectorReverse(v), otherwise);
  }
  const int64_t reach = target_.avx512 ? 8 : 4;
  auto* known = mask == nullptr ? nullptr : llvm::dyn_cast<llvm::Constant>(mask);
  if ((mask == nullptr || known != nullptr) && *site.step >= -reach && *site.step <= reach)
    return LoadStrided(site, row, chunk, width, known, otherwise);
  return Gather(site, row, chunk, width, mask, otherwise);
}

// LLVM 22 folds a masked load, a permutation and a select by the same mask into one permutation
// that reads memory, and AVX-512's permutations (vpermps, vpermd, vpermw, vpermq) read elements
// that the mask leaves out: what is fenced stays a load of its own.
Value* Tiles::Fence(Value* v) {
  llvm::Type* type = v->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
  if (bits % 32 != 0) return v;  // permuted as bytes, which are loaded apart
  llvm::Type* floats = llvm::FixedVectorType::get(b_.getFloatTy(), bits / 32);
  Value* fenced = b_.CreateIntrinsic(llvm::Intrinsic::arithmetic_fence, {floats},
                                     {b_.CreateBitCast(v, floats)});
  return b_.CreateBitCast(fenced, type);
}

Value* Tiles::LoadContiguous(const Site& site, Value* p, int width, Value* mask, Value* otherwise) {
  llvm::Type* type = Memory(site.type.elem, width);
  const int buffer = site.op.buffer;
  if (mask == nullptr) {
    Value* v = b_.CreateAlignedLoad(type, p, site.align);
    Tag(v, buffer);
    return v;
  }
  if (MasksInHardware(site.type.elem)) {
    Value* v = b_.CreateMaskedLoad(type, p, site.align, mask, otherwise);
    Tag(v, buffer);
    return v;
  }
  llvm::Type* elem = Memory(site.type.elem);
  if (const std::optional<int> prefix = PrefixOf(mask)) {
    Value* all = otherwise;
    ForPowersOfTwo(*prefix, [&](int from, int size) {
      Value* part = b_.CreateAlignedLoad(
          Memory(site.type.elem, size), b_.CreateConstGEP1_64(elem, p, static_cast<uint64_t>(from)),
          site.align);
      Tag(part, buffer);
      llvm::SmallVector<int, 64> wide, lanes;
      for (int lane = 0; lane < width; ++lane) {
        wide.push_back(lane < size ? lane : -1);
        lanes.push_back(from <= lane && lane < from + size ? width + lane - from : lane);
      }
      if (size == 1) {
        all = b_.CreateInsertElement(all, part, static_cast<uint64_t>(from));
      } else {
        all = b_.CreateShuffleVector(all, b_.CreateShuffleVector(part, wide), lanes);
      }
    });
    // LLVM 22 takes the quotient of lanes that it knows to be zero for zero, and leaves out the
    // select that replaces it.
    return Fence(all);
  }
  llvm::AllocaInst* slot = Slot(elem, width);
  b_.CreateStore(otherwise, slot);
  ForLanes(mask, [&](Value* lane) {
    Value* v = b_.CreateAlignedLoad(elem, b_.CreateGEP(elem, p, lane), site.align);
    Tag(v, buffer);
    b_.CreateStore(v, b_.CreateGEP(elem, slot, lane));
  });
  return b_.CreateLoad(type, slot);
}

// --- stores --------------------------------------------------------------------------------------

void Tiles::EmitStore(const Op& op) {
  if (tile_registers_.contains(op.operands[0])) return StoreTileRegister(op);
  const auto dims = kernel_.buffers[static_cast<size_t>(op.buffer)].shape.size();
  const kernel::Type& t = type(op.operands[0]);
  Site site{op, t, Resolve(op, 1), std::nullopt,
            llvm::Align(static_cast<uint64_t>(ByteWidth(t.elem)))};
  site.step = site.access.cols == nullptr ? 0 : ConstantOf(site.access.cols);
  bool is_whole = true;
  for (int row = 0; op.masked && row < t.rows; ++row)
    for (int chunk = 0; chunk < Chunks(t); ++chunk)
      is_whole &= AllTrue(PartAt(op.operands[1 + dims], row, chunk, t));
  if (op.non_temporal && is_whole && site.access.gathered.empty() && site.step == 1)
    return StoreNonTemporal(op, site);
  if (const std::optional<RowPlace> place = RowPlaceOf(site);
      place && is_whole && StoreToRows(site, *place))
    return;
  for (int row = 0; row < t.rows; row++) {
    for (int chunk = 0; chunk < Chunks(t); chunk++) {
      Value* x = ToMemory(PartAt(op.operands[0], row, chunk, t));
      Value* mask = op.masked ? PartAt(op.operands[1 + dims], row, chunk, t) : nullptr;
      if (mask != nullptr && AllTrue(mask)) mask = nullptr;
      StorePart(site, row, chunk, x, mask);
    }
  }
}

void Tiles::StorePart(const Site& site, int row, int chunk, Value* x, Value* mask) {
  const int width = WidthOf(x->getType()), first = chunk * lanes_;
  if (mask != nullptr && llvm::isa<llvm::Constant>(mask) &&
      llvm::cast<llvm::Constant>(mask)->isNullValue())
    return;
  if (mask != nullptr && (width == 1 || !MasksInHardware(site.type.elem))) {
    if (Value* condition = width == 1 ? mask : llvm::getSplatValue(mask); condition != nullptr) {
      EmitIf(
          condition,
          [&]() -> Value* {
            StorePart(site, row, chunk, x, nullptr);
            return nullptr;
          },
          nullptr);
      return;
    }
  }
  if (!site.access.gathered.empty() || !site.step) return Scatter(site, row, chunk, x, mask);
  if (width == 1 || *site.step == 1)
    return StoreContiguous(site, Pointer(site.op, site.access, row, first), x, mask);
  if (*site.step == -1) {
    Value* p = Pointer(site.op, site.access, row, first + width - 1);
    if (mask != nullptr) mask = b_.CreateVectorReverse(mask);
    return StoreContiguous(site, p, b_.CreateVectorReverse(x), mask);
  }
  Scatter(site, row, chunk, x, mask);
}

void Tiles::StoreContiguous(const Site& site, Value* p, Value* x, Value* mask) {
  const int buffer = site.op.buffer;
  if (mask == nullptr) return Tag(b_.CreateAlignedStore(x, p, site.align), buffer);
  llvm::Type* elem = Memory(site.type.elem);
  // AMD's processors without AVX-512 take 18 to 42 operations for a masked store (vmaskmovps). With
  // it, what is read from the same memory next, as rows that are changed in place are, would wait
  // for such a store, which counts as one of all of its lanes there.
  const bool is_read = kernel_.buffers[static_cast<size_t>(buffer)].alias_group >= 0;
  if (const std::optional<int> prefix = PrefixOf(mask); prefix && (!target_.avx512 || is_read)) {
    ForPowersOfTwo(*prefix, [&](int from, int size) {
      llvm::SmallVector<int, 64> lanes;
      for (int lane = from; lane < from + size; ++lane) lanes.push_back(lane);
      Value* part = size == 1 ? b_.CreateExtractElement(x, static_cast<uint64_t>(from))
                              : b_.CreateShuffleVector(x, lanes);
      Tag(b_.CreateAlignedStore(part, b_.CreateConstGEP1_64(elem, p, static_cast<uint64_t>(from)),
                                site.align),
          buffer);
    });
    return;
  }
  if (MasksInHardware(site.type.elem))
    return Tag(b_.CreateMaskedStore(x, p, site.align, mask), buffer);
  llvm::AllocaInst* slot = Slot(elem, WidthOf(x->getType()));
  b_.CreateStore(x, slot);
  ForLanes(mask, [&](Value* lane) {
    Value* v = b_.CreateLoad(elem, b_.CreateGEP(elem, slot, lane));
    Tag(b_.CreateAlignedStore(v, b_.CreateGEP(elem, p, lane), site.align), buffer);
  });
}

// Past the caches, where the address is a multiple of the vector's size; else, as the hardware
// cannot, ordinarily. One test a tile: where its first element is aligned and rows are whole
// vectors apart, all of it is.
void Tiles::StoreNonTemporal(const Op& op, const Site& site) {
  const kernel::Type& t = site.type;
  const int elem_bytes = ByteWidth(t.elem);
  const int chunk_bytes = std::min(lanes_, t.cols) * elem_bytes;
  const int vector = std::min(target_.vector_bytes, chunk_bytes);
  const bool whole = t.cols % std::min(lanes_, t.cols) == 0 && chunk_bytes % vector == 0 &&
                     vector % 16 == 0 && (vector & (vector - 1)) == 0;
  auto store_all = [&](bool past) {
    for (int row = 0; row < t.rows; row++) {
      for (int chunk = 0; chunk < Chunks(t); chunk++) {
        Value* x = ToMemory(PartAt(op.operands[0], row, chunk, t));
        Value* p = Pointer(op, site.access, row, chunk * lanes_);
        const llvm::Align align = past ? llvm::Align(static_cast<uint64_t>(vector)) : site.align;
        llvm::StoreInst* store = b_.CreateAlignedStore(x, p, align);
        Tag(store, op.buffer);
        if (!past) continue;
        auto* one = llvm::ConstantAsMetadata::get(b_.getInt32(1));
        store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                           llvm::MDNode::get(b_.getContext(), {one}));
      }
    }
  };
  if (!whole) return store_all(false);
  used_non_temporal_ = true;
  Value* start = b_.CreatePtrToInt(Pointer(op, site.access, 0, 0), b_.getInt64Ty());
  if (t.rows > 1 && site.access.rows != nullptr) {
    Value* step = b_.CreateMul(site.access.rows, b_.getInt64(static_cast<uint64_t>(elem_bytes)));
    start = b_.CreateOr(start, step);
  }
  Value* low = b_.CreateAnd(start, b_.getInt64(static_cast<uint64_t>(vector - 1)));
  llvm::BasicBlock *past = NewBlock("past"), *plain = NewBlock("plain"), *done = NewBlock("stored");
  b_.CreateCondBr(b_.CreateICmpEQ(low, b_.getInt64(0)), past, plain);
  b_.SetInsertPoint(past);
  store_all(true);
  b_.CreateBr(done);
  b_.SetInsertPoint(plain);
  store_all(false);
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
}

}  // namespace sinter::cpu
