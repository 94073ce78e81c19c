// Loads and stores of tiles, and tiles that are computed from positions.
#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "codegen/gpu/tiles.h"

namespace sinter::gpu {

using codegen::Expr;
using kernel::Axis;
using kernel::Buffer;
using kernel::Op;
using kernel::Space;
using llvm::Value;

namespace {
constexpr int kWidestAccess = 16;  // bytes
}  // namespace

Value* Tiles::ToMemory(Value* x) {
  return x->getType()->isIntegerTy(1) ? b_.CreateZExt(x, b_.getInt8Ty()) : x;
}
Value* Tiles::FromMemory(Value* x, ElementType elem) {
  return IsPredicate(elem) ? b_.CreateICmpNE(x, b_.getInt8(0)) : x;
}

bool Tiles::IsReadOnly(int buffer) const {
  const auto at = static_cast<size_t>(buffer);
  if (use_.written[at]) return false;
  const int group = kernel_.buffers[at].alias_group;
  for (size_t i = 0; group >= 0 && i < kernel_.buffers.size(); i++)
    if (use_.written[i] && kernel_.buffers[i].alias_group == group) return false;
  return true;
}

// Others may write it meanwhile, which would be a race though the value is dropped; and a small
// buffer has fewer elements.
bool Tiles::MayReadFirst(int buffer, int count) const {
  const Buffer& b = kernel_.buffers[static_cast<size_t>(buffer)];
  if (b.space == Space::kTask || !IsReadOnly(buffer)) return false;
  auto least = [&](kernel::Value extent) -> int64_t {
    if (const auto value = facts_.Constant(extent)) return *value;
    for (const kernel::Param& p : kernel_.params)
      if (p.value == extent) return p.lo;
    return 0;
  };
  int64_t elements = 1;
  for (kernel::Value extent : b.shape)
    elements = std::min<int64_t>(elements, count) * least(extent);
  return elements >= count;
}

// --- addresses -----------------------------------------------------------------------------------

// The thread's share of the address comes first: it is the same for all iterations.
Value* Tiles::StartOf(const Op& op, const Access& steps) {
  const kernel::Type& t = type(op.results.empty() ? op.operands[0] : op.results[0]);
  Value* pointer = pointers_[static_cast<size_t>(op.buffer)];
  if (matrix_offset_ != nullptr) return Offset(pointer, matrix_offset_, op.buffer, 0);
  auto add = [&](Value* step, Axis axis) {
    if (step == nullptr || Extent(t, axis) == 1) return;
    Value* thread = ThreadCoordinate(t, axis);
    if (thread == nullptr) return;
    Value* wide = InEntry([&] { return b_.CreateZExt(thread, b_.getInt64Ty()); });
    const auto constant = ConstantOf(step);
    if (constant && *constant != 1) wide = InEntry([&] { return b_.CreateMul(wide, step); });
    if (!constant) wide = Product(wide, step);
    pointer = Offset(pointer, wide, op.buffer, std::max(Depth(pointer), Depth(wide)));
  };
  add(steps.rows, Axis::kRows);
  add(steps.cols, Axis::kCols);
  return pointer;
}

// The widest access divides the registers that follow one another in a thread, and every other term
// of the address.
Tiles::Site Tiles::SiteOf(const Op& op, const kernel::Type& t, size_t first) {
  Site site{op, t, Resolve(op, first)};
  const Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
  auto is_one = [&](Value* step) { return step != nullptr && ConstantOf(step) == 1; };
  if (t.cols > 1 && is_one(site.access.cols)) {
    site.axis = Axis::kCols;
  } else if (t.rows > 1 && is_one(site.access.rows)) {
    site.axis = Axis::kRows;
  } else {
    return site;
  }
  const bool along_cols = site.axis == Axis::kCols;
  // What divides the address of a run's first element; 0: everything. Only small numbers matter.
  auto divisor = [&](kernel::Value v) { return std::gcd(multiples_.Of(v), int64_t{1} << 20); };
  int64_t multiple = Run(t, site.axis);
  bool gathers_apart = true;
  for (size_t d = 0; d < buffer.shape.size(); d++) {
    const kernel::Value index = op.operands[first + d];
    const int64_t stride = divisor(buffer.strides[d]);
    const kernel::Step& step = op.steps[d];
    const int other = along_cols ? step.rows : step.cols;
    if (other != 0 && Extent(t, along_cols ? Axis::kRows : Axis::kCols) > 1)
      multiple = std::gcd(multiple, other * stride);
    if (type(index).is_scalar()) {
      multiple = std::gcd(multiple, divisor(index) * stride);
    } else {
      multiple = std::gcd(multiple, stride);
      gathers_apart &= Extent(type(index), site.axis) == 1;
    }
  }
  if (!gathers_apart) return site;
  const int64_t widest = kWidestAccess / ByteWidth(t.elem);
  while (site.width < widest && multiple % (2 * site.width) == 0) site.width *= 2;
  return site;
}

void Tiles::ForAccesses(const Site& site, int width,
                        const std::function<void(llvm::ArrayRef<int>)>& f) const {
  const int rows = Registers(site.type, Axis::kRows), cols = Registers(site.type, Axis::kCols);
  const bool along_cols = site.axis == Axis::kCols;
  const int row_step = along_cols ? 1 : width, col_step = along_cols ? width : 1;
  for (int row = 0; row < rows; row += row_step) {
    for (int col = 0; col < cols; col += col_step) {
      llvm::SmallVector<int, 16> parts;
      for (int i = 0; i < width; i++)
        parts.push_back(along_cols ? row * cols + col + i : (row + i) * cols + col);
      f(parts);
    }
  }
}

Value* Tiles::PointerOf(const Site& site, int part) {
  const int cols = Registers(site.type, Axis::kCols);
  Value* p = Pointer(site.op, site.access, RegisterCoordinate(site.type, Axis::kRows, part / cols),
                     RegisterCoordinate(site.type, Axis::kCols, part % cols));
  llvm::Type* elem = Memory(site.type.elem);
  for (const Access::Gathered& g : site.access.gathered) {
    Value* index = Part(g.index, part, site.type);
    index = IsUnsigned(type(g.index).elem) ? b_.CreateZExt(index, b_.getInt64Ty())
                                           : b_.CreateSExt(index, b_.getInt64Ty());
    if (ConstantOf(g.stride) != 1) index = b_.CreateMul(index, g.stride);
    p = b_.CreateGEP(elem, p, index);
  }
  return p;
}

// Elements below 32 bits travel in words: LLVM's vectors of them go through more instructions.
llvm::Type* Tiles::WordType(ElementType elem, int width) {
  const int bits = 8 * ByteWidth(elem) * width;
  if (ByteWidth(elem) >= 4) return codegen::Widen(Memory(elem), width);
  if (bits <= 32) return b_.getIntNTy(static_cast<unsigned>(bits));
  return codegen::Widen(b_.getInt32Ty(), bits / 32);
}

Value* Tiles::Pack(llvm::ArrayRef<Value*> elements, ElementType elem) {
  const int width = static_cast<int>(elements.size());
  if (width == 1) return ToMemory(elements[0]);
  llvm::Type* type = WordType(elem, width);
  if (ByteWidth(elem) >= 4) {
    Value* v = llvm::PoisonValue::get(type);
    for (size_t i = 0; i < elements.size(); i++) v = b_.CreateInsertElement(v, elements[i], i);
    return v;
  }
  const auto per_word = static_cast<size_t>(std::min(width, 4 / ByteWidth(elem)));
  llvm::Type* word = type->getScalarType();
  Value* all = type->isVectorTy() ? llvm::PoisonValue::get(type) : nullptr;
  for (size_t i = 0; i < elements.size(); i += per_word) {
    Value* sum = b_.CreateZExt(ToMemory(elements[i]), word);
    for (size_t j = 1; j < per_word; j++) {
      Value* next = b_.CreateZExt(ToMemory(elements[i + j]), word);
      const auto shift = j * 8 * static_cast<size_t>(ByteWidth(elem));
      sum = b_.CreateOr(sum, b_.CreateShl(next, llvm::ConstantInt::get(word, shift)));
    }
    if (all == nullptr) return sum;
    all = b_.CreateInsertElement(all, sum, i / per_word);
  }
  return all;
}

Value* Tiles::Unpack(Value* words, int index, int width, ElementType elem) {
  if (width == 1) return FromMemory(words, elem);
  if (ByteWidth(elem) >= 4) return b_.CreateExtractElement(words, static_cast<uint64_t>(index));
  const int per_word = std::min(width, 4 / ByteWidth(elem));
  Value* word = words->getType()->isVectorTy()
                    ? b_.CreateExtractElement(words, static_cast<uint64_t>(index / per_word))
                    : words;
  const int shift = index % per_word * 8 * ByteWidth(elem);
  if (shift != 0)
    word =
        b_.CreateLShr(word, llvm::ConstantInt::get(word->getType(), static_cast<uint64_t>(shift)));
  return FromMemory(b_.CreateTrunc(word, Memory(elem)), elem);
}

// --- loads ---------------------------------------------------------------------------------------

void Tiles::EmitLoad(const Op& op) {
  if (copies_.contains(op.results[0]) || EmitMatrixLoad(op)) return;
  LoadNow(op);
}

void Tiles::LoadNow(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  const auto dims = kernel_.buffers[static_cast<size_t>(op.buffer)].shape.size();
  const Site site = SiteOf(op, t, 0);
  Parts out(static_cast<size_t>(Count(t)));
  ForAccesses(site, site.width, [&](llvm::ArrayRef<int> parts) {
    if (!op.masked) return LoadAccess(site, parts, nullptr, {}, out);
    llvm::SmallVector<Value*, 16> masks, otherwise;
    for (int part : parts) {
      masks.push_back(Part(op.operands[dims], part, t));
      otherwise.push_back(Part(op.operands[dims + 1], part, t));
    }
    if (llvm::all_equal(masks)) return LoadAccess(site, parts, masks[0], otherwise, out);
    for (size_t i = 0; i < parts.size(); i++)
      LoadAccess(site, parts.slice(i, 1), masks[i], otherwise[i], out);
  });
  Bind(op.results[0], std::move(out));
}

// The registers `parts`, by one access.
void Tiles::LoadAccess(const Site& site, llvm::ArrayRef<int> parts, Value* mask,
                       llvm::ArrayRef<Value*> otherwise, Parts& out) {
  const int buffer = site.op.buffer, width = static_cast<int>(parts.size());
  const ElementType elem = site.type.elem;
  llvm::Type* type = WordType(elem, width);
  if (mask != nullptr && AllTrue(mask)) mask = nullptr;
  if (mask != nullptr && llvm::isa<llvm::Constant>(mask)) {  // nothing is read
    for (size_t i = 0; i < parts.size(); i++) out[static_cast<size_t>(parts[i])] = otherwise[i];
    return;
  }
  auto load = [&](Value* p) -> Value* {
    const auto align = llvm::Align(static_cast<uint64_t>(ByteWidth(elem) * width));
    llvm::LoadInst* v = b_.CreateAlignedLoad(type, p, align);
    Tag(v, buffer);
    if (kernel_.buffers[static_cast<size_t>(buffer)].space != Space::kTask && IsReadOnly(buffer))
      v->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b_.getContext(), {}));
    return v;
  };
  Value* words = nullptr;
  if (mask == nullptr) {
    words = load(PointerOf(site, parts[0]));
  } else if (MayReadFirst(buffer, width)) {
    // No branch, so that loads of several registers are in flight together.
    Value* first = pointers_[static_cast<size_t>(buffer)];
    words = load(b_.CreateSelect(mask, PointerOf(site, parts[0]), first));
  } else {
    Value* p = PointerOf(site, parts[0]);
    words = EmitIf(
        mask, [&] { return load(p); }, llvm::PoisonValue::get(type));
  }
  for (int i = 0; i < width; i++) {
    Value* x = Unpack(words, i, width, elem);
    const auto at = static_cast<size_t>(i);
    out[static_cast<size_t>(parts[at])] =
        mask == nullptr ? x : b_.CreateSelect(mask, x, otherwise[at]);
  }
}

// --- stores --------------------------------------------------------------------------------------

void Tiles::EmitStore(const Op& op) {
  const auto dims = kernel_.buffers[static_cast<size_t>(op.buffer)].shape.size();
  const kernel::Type& t = type(op.operands[0]);
  if (const auto load = copies_.find(op.operands[0]); op.async && load != copies_.end()) {
    if (EmitCopy(*load->second, op)) return;
    LoadNow(*load->second);
  }
  Under(IsOwner(t), [&] {
    const Site site = SiteOf(op, t, 1);
    auto store = [&](llvm::ArrayRef<int> parts, Value* mask) {
      if (mask != nullptr && llvm::isa<llvm::Constant>(mask) && !AllTrue(mask)) return;
      Value* p = PointerOf(site, parts[0]);
      Under(mask, [&] {
        llvm::SmallVector<Value*, 16> elements;
        for (int part : parts) elements.push_back(Part(op.operands[0], part, t));
        const auto align = llvm::Align(static_cast<uint64_t>(ByteWidth(t.elem)) * parts.size());
        Tag(b_.CreateAlignedStore(Pack(elements, t.elem), p, align), op.buffer);
      });
    };
    ForAccesses(site, site.width, [&](llvm::ArrayRef<int> parts) {
      if (!op.masked) return store(parts, nullptr);
      llvm::SmallVector<Value*, 16> masks;
      for (int part : parts) masks.push_back(Part(op.operands[1 + dims], part, t));
      if (llvm::all_equal(masks)) return store(parts, masks[0]);
      for (size_t i = 0; i < parts.size(); i++) store(parts.slice(i, 1), masks[i]);
    });
  });
}

// --- positions -----------------------------------------------------------------------------------

// Neighbours in registers share a predicate where base and limit are multiples of their number, so
// that they stay one access.
void Tiles::EmitMask(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  const kernel::Value base = op.operands[0], limit = op.operands[1];
  const int extent = Extent(t, op.axis);
  const int64_t multiple = std::gcd(multiples_.Of(base), multiples_.Of(limit));
  // A base below the limit is a whole tile below it where both are multiples of the tile.
  const Op* loop = facts_.LoopOf(base);
  const bool whole =
      loop != nullptr && loop->operands[1] == limit && (multiple == 0 || multiple % extent == 0);
  Parts out;
  if (whole || facts_.AlwaysBelow(base, extent, limit)) {
    out.assign(static_cast<size_t>(Count(t)), b_.getTrue());
    return Bind(op.results[0], std::move(out));
  }
  const int run = Run(t, op.axis);
  int group = run;
  while (run % group != 0 || (multiple != 0 && multiple % group != 0)) group--;
  // Positions below the limit, cut to what 32 bits hold: 0 .. extent.
  Expr count{&b_, b_.CreateSub(Scalar(limit), Scalar(base))};
  count = SClamp(count, 0, extent).Zext(32);
  Parts along;
  for (int reg = 0; reg < Registers(t, op.axis); reg++) {
    along.push_back(reg % run % group != 0 ? along.back()
                                           : b_.CreateICmpSLT(Coordinate(t, op.axis, reg), count));
  }
  const int cols = Registers(t, Axis::kCols);
  for (int part = 0; part < Count(t); part++)
    out.push_back(along[static_cast<size_t>(op.axis == Axis::kRows ? part / cols : part % cols)]);
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitIota(const Op& op) {
  const kernel::Type& t = type(op.results[0]);
  llvm::Type* to = Register(t.elem);
  const int cols = Registers(t, Axis::kCols);
  Parts out;
  for (int part = 0; part < Count(t); part++) {
    Value* at = Coordinate(t, op.axis, op.axis == Axis::kRows ? part / cols : part % cols);
    out.push_back(to->isFloatingPointTy() ? b_.CreateUIToFP(at, to) : b_.CreateZExtOrTrunc(at, to));
  }
  Bind(op.results[0], std::move(out));
}

}  // namespace sinter::gpu
