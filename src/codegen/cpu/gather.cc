// Loads and stores of tiles whose columns are not contiguous: strided by shuffles, gathers and
// scatters.
#include <cstdlib>

#include "codegen/cpu/tiles.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace sinter::cpu {

using codegen::WidthOf;
using kernel::Op;
using llvm::Value;

bool Tiles::GathersInHardware(ElementType elem) const {
  return target_.avx512 && ByteWidth(elem) >= 4 && !IsPredicate(elem);
}

// All elements between the first and the last, contiguously, and of them every step-th: no byte is
// touched that is not between two elements of the tile; with a mask, none but theirs.
Value* Tiles::LoadStrided(const Site& site, int row, int chunk, int width, llvm::Constant* mask,
                          Value* otherwise) {
  const int step = static_cast<int>(*site.step), apart = std::abs(step);
  const int first = chunk * lanes_, lowest = step > 0 ? first : first + width - 1;
  const int span = (width - 1) * apart + 1;
  Value* start = Pointer(site.op, site.access, row, lowest);
  llvm::Type* elem = Memory(site.type.elem);
  std::vector<Value*> loaded;
  std::vector<int> starts;
  for (int at = 0; at < span; at += width) {
    starts.push_back(std::min(at, span - width));  // the last one overlaps instead of reaching past
    Value* p = b_.CreateConstGEP1_64(elem, start, static_cast<uint64_t>(starts.back()));
    if (mask == nullptr) {
      loaded.push_back(LoadContiguous(site, p, width, nullptr, nullptr));
      continue;
    }
    llvm::SmallVector<llvm::Constant*, 64> read;
    for (int i = starts.back(); i < starts.back() + width; i++) {
      const int lane = step > 0 ? i / apart : width - 1 - i / apart;
      read.push_back(i % apart == 0 ? mask->getAggregateElement(static_cast<unsigned>(lane))
                                    : b_.getFalse());
    }
    llvm::Constant* of_load = llvm::ConstantVector::get(read);
    llvm::Constant* zero = llvm::Constant::getNullValue(Memory(site.type.elem, width));
    loaded.push_back(of_load->isNullValue() ? zero
                                            : Fence(LoadContiguous(site, p, width, of_load, zero)));
  }
  std::vector<Lane> lanes;
  for (int i = 0; i < width; i++) {
    const int at = (step > 0 ? i : width - 1 - i) * apart;
    const auto which = static_cast<size_t>(at / width);
    lanes.push_back({loaded[which], at - starts[which]});
  }
  Value* all = Shuffle(lanes, elem);
  if (mask == nullptr) return all;
  return b_.CreateSelect(mask, all, otherwise);
}

// Whether all distances between a buffer's elements, and sums of a few of them, fit in 32 bits.
bool Tiles::IsShort(int buffer) const {
  constexpr int64_t kMost = int64_t{1} << 29;
  const kernel::Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
  int64_t span = 0;
  for (size_t d = 0; d < b.shape.size(); ++d) {
    const auto extent = facts_.Constant(b.shape[d]), stride = facts_.Constant(b.strides[d]);
    if (!extent || !stride || *extent > kMost || std::abs(*stride) > kMost) return false;
    span += *extent * std::abs(*stride);
    if (span > kMost) return false;
  }
  return true;
}

Value* Tiles::LaneOffsets(const Site& site, int row, int chunk, int width) {
  const Access& access = site.access;
  // A gather by one tile in units of elements: the instruction extends 32-bit indices itself.
  if (access.gathered.size() == 1 && access.cols == nullptr &&
      ConstantOf(access.gathered[0].stride) == 1 &&
      type(access.gathered[0].index).elem == ElementType::S32)
    return PartAt(access.gathered[0].index, row, chunk, site.type);
  // What the lanes that are used have as offsets is right modulo 2^32 too.
  const bool is_short = width > 1 && !access.gathered.empty() && IsShort(site.op.buffer);
  llvm::Type* const scalar = is_short ? b_.getInt32Ty() : b_.getInt64Ty();
  llvm::Type* const offset = codegen::Widen(scalar, width);
  auto of = [&](Value* stride) { return Splat(b_.CreateTrunc(stride, scalar), width); };
  Value* sum = nullptr;
  auto add = [&](Value* term) { sum = sum == nullptr ? term : b_.CreateAdd(sum, term); };
  if (access.cols != nullptr) {
    llvm::SmallVector<llvm::Constant*, 64> columns;
    for (int i = 0; i < width; i++)
      columns.push_back(llvm::ConstantInt::get(scalar, static_cast<uint64_t>(chunk * lanes_ + i)));
    Value* position = width == 1 ? columns[0] : llvm::ConstantVector::get(columns);
    add(b_.CreateMul(position, of(access.cols)));
  }
  for (const Access::Gathered& g : access.gathered) {
    Value* index = PartAt(g.index, row, chunk, site.type);
    index = b_.CreateIntCast(index, offset, !IsUnsigned(type(g.index).elem));
    if (ConstantOf(g.stride) != 1) index = b_.CreateMul(index, of(g.stride));
    add(index);
  }
  if (is_short) return sum;
  if (sum == nullptr) sum = llvm::Constant::getNullValue(offset);
  if (llvm::isa<llvm::Constant>(sum) && width > 1) {
    // Gathers take twice as many 32-bit offsets at a time.
    llvm::Type* narrow = codegen::Widen(b_.getInt32Ty(), width);
    Value* small = b_.CreateTrunc(sum, narrow);
    if (b_.CreateSExt(small, sum->getType()) == sum) return small;
  }
  return sum;
}

// A vector of elements of a table that one or two registers hold: exchanges of their lanes, where a
// gather is a load for each lane. Null where it is no such table.
Value* Tiles::LookUp(const Site& site, int row, int chunk, int width, Value* mask,
                     Value* otherwise) {
  namespace id = llvm::Intrinsic;
  constexpr int kLanes = 16;
  const kernel::Buffer& table = kernel_.buffers[static_cast<size_t>(site.op.buffer)];
  const Access& access = site.access;
  if (!target_.avx512 || width != kLanes || !GathersInHardware(site.type.elem) ||
      ByteWidth(site.type.elem) != 4 || table.written || table.shape.size() != 1 ||
      access.gathered.size() != 1 || access.cols != nullptr || access.rows != nullptr)
    return nullptr;
  const auto extent = facts_.Constant(table.shape[0]);
  if (!extent || *extent < 1 || *extent > 2 * kLanes || ConstantOf(access.gathered[0].stride) != 1)
    return nullptr;
  llvm::Type* elem = Memory(site.type.elem);
  auto* vector = llvm::FixedVectorType::get(elem, kLanes);
  Value* start = Pointer(site.op, access, row, 0);
  auto part = [&](int first) -> Value* {
    const int left = static_cast<int>(*extent) - first;
    Value* from = b_.CreateConstGEP1_64(elem, start, static_cast<uint64_t>(first));
    llvm::SmallVector<llvm::Constant*, kLanes> exists;
    for (int i = 0; i < kLanes; i++) exists.push_back(b_.getInt1(i < left));
    Value* v = left >= kLanes ? static_cast<Value*>(b_.CreateAlignedLoad(vector, from, site.align))
                              : b_.CreateMaskedLoad(vector, from, site.align,
                                                    llvm::ConstantVector::get(exists),
                                                    llvm::Constant::getNullValue(vector));
    Tag(v, site.op.buffer);
    return v;
  };
  const kernel::Value tile = access.gathered[0].index;
  Value* index =
      b_.CreateIntCast(PartAt(tile, row, chunk, site.type), codegen::Widen(b_.getInt32Ty(), kLanes),
                       !IsUnsigned(type(tile).elem));
  const bool is_float = elem->isFloatTy();
  Value* v = nullptr;
  if (*extent <= kLanes) {
    v = b_.CreateIntrinsic(is_float ? id::x86_avx512_permvar_sf_512 : id::x86_avx512_permvar_si_512,
                           {part(0), index});
  } else {
    v = b_.CreateIntrinsic(
        is_float ? id::x86_avx512_vpermi2var_ps_512 : id::x86_avx512_vpermi2var_d_512,
        {part(0), index, part(kLanes)});
  }
  return mask == nullptr || otherwise == nullptr ? v : b_.CreateSelect(mask, v, otherwise);
}

// Elements of 8 and 16 bits, for which there is no gather: the words of 32 bits that they are in,
// which no page and no end of an allocation cuts.
Value* Tiles::GatherNarrow(const Site& site, Value* start, Value* offsets, Value* mask,
                           Value* otherwise) {
  constexpr uint64_t kLast = 3;  // byte of a word
  const int width = WidthOf(mask->getType()), bytes = ByteWidth(site.type.elem);
  Value* address = b_.CreatePtrToInt(start, b_.getInt64Ty());
  Value* first = b_.CreateAnd(address, b_.getInt64(kLast));
  Value* base = b_.CreateGEP(b_.getInt8Ty(), start, b_.CreateNeg(first));
  llvm::Type* offset = offsets->getType()->getScalarType();
  auto all = [&](uint64_t x) { return Splat(llvm::ConstantInt::get(offset, x), width); };
  Value* place = b_.CreateAdd(b_.CreateMul(offsets, all(static_cast<uint64_t>(bytes))),
                              Splat(b_.CreateTrunc(first, offset), width));
  Value* words = b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateAnd(place, all(~kLast)));
  llvm::Type* word = codegen::Widen(b_.getInt32Ty(), width);
  // Not tagged: other arrays may have the rest of a word.
  Value* v = b_.CreateMaskedGather(word, words, llvm::Align(4), mask, llvm::PoisonValue::get(word));
  Value* bit = b_.CreateShl(b_.CreateAnd(place, all(kLast)), all(3));
  v = b_.CreateLShr(v, b_.CreateZExtOrTrunc(bit, word));
  v = b_.CreateTrunc(v, codegen::Widen(b_.getIntNTy(static_cast<unsigned>(8 * bytes)), width));
  return b_.CreateSelect(mask, b_.CreateBitCast(v, otherwise->getType()), otherwise);
}

Value* Tiles::Gather(const Site& site, int row, int chunk, int width, Value* mask,
                     Value* otherwise) {
  if (Value* v = LookUp(site, row, chunk, width, mask, otherwise)) return v;
  llvm::Type* elem = Memory(site.type.elem);
  llvm::Type* vector = codegen::Widen(elem, width);
  Value* start = Pointer(site.op, site.access, row, 0);
  Value* offsets = LaneOffsets(site, row, chunk, width);
  auto load = [&](Value* offset) {
    Value* v = b_.CreateAlignedLoad(elem, b_.CreateGEP(elem, start, offset), site.align);
    Tag(v, site.op.buffer);
    return v;
  };
  if (width == 1) return load(offsets);  // a scalar's mask has become a branch
  if (GathersInHardware(site.type.elem)) {
    Value* pointers = b_.CreateGEP(elem, start, offsets);
    if (mask == nullptr) mask = llvm::Constant::getAllOnesValue(Register(ElementType::PRED, width));
    if (otherwise == nullptr) otherwise = llvm::PoisonValue::get(vector);
    Value* v = b_.CreateMaskedGather(vector, pointers, site.align, mask, otherwise);
    Tag(v, site.op.buffer);
    return v;
  }
  if (mask == nullptr) {
    Value* v = llvm::PoisonValue::get(vector);
    for (int i = 0; i < width; i++) {
      const auto lane = static_cast<uint64_t>(i);
      v = b_.CreateInsertElement(v, load(b_.CreateExtractElement(offsets, lane)), lane);
    }
    return v;
  }
  if (target_.avx512) return GatherNarrow(site, start, offsets, mask, otherwise);
  llvm::Type* offset_type = offsets->getType()->getScalarType();
  llvm::AllocaInst *slot = Slot(elem, width), *offset_slot = Slot(offset_type, width);
  b_.CreateStore(otherwise, slot);
  b_.CreateStore(offsets, offset_slot);
  ForLanes(mask, [&](Value* lane) {
    Value* offset = b_.CreateLoad(offset_type, b_.CreateGEP(offset_type, offset_slot, lane));
    b_.CreateStore(load(offset), b_.CreateGEP(elem, slot, lane));
  });
  return b_.CreateLoad(vector, slot);
}

// Lanes are written in order, so that of equal addresses the last one stays.
void Tiles::Scatter(const Site& site, int row, int chunk, Value* x, Value* mask) {
  const int width = WidthOf(x->getType());
  llvm::Type* elem = Memory(site.type.elem);
  Value* start = Pointer(site.op, site.access, row, 0);
  Value* offsets = LaneOffsets(site, row, chunk, width);
  auto store = [&](Value* v, Value* offset) {
    Tag(b_.CreateAlignedStore(v, b_.CreateGEP(elem, start, offset), site.align), site.op.buffer);
  };
  if (width == 1) return store(x, offsets);
  if (GathersInHardware(site.type.elem)) {
    Value* pointers = b_.CreateGEP(elem, start, offsets);
    if (mask == nullptr) mask = llvm::Constant::getAllOnesValue(Register(ElementType::PRED, width));
    return Tag(b_.CreateMaskedScatter(x, pointers, site.align, mask), site.op.buffer);
  }
  if (mask == nullptr) {
    for (int i = 0; i < width; i++) {
      const auto lane = static_cast<uint64_t>(i);
      store(b_.CreateExtractElement(x, lane), b_.CreateExtractElement(offsets, lane));
    }
    return;
  }
  llvm::Type* offset_type = offsets->getType()->getScalarType();
  llvm::AllocaInst *slot = Slot(elem, width), *offset_slot = Slot(offset_type, width);
  b_.CreateStore(x, slot);
  b_.CreateStore(offsets, offset_slot);
  ForLanes(mask, [&](Value* lane) {
    Value* offset = b_.CreateLoad(offset_type, b_.CreateGEP(offset_type, offset_slot, lane));
    store(b_.CreateLoad(elem, b_.CreateGEP(elem, slot, lane)), offset);
  });
}

}  // namespace sinter::cpu
