// Layouts of tiles: which of its elements a thread holds.
#include <bit>

#include "base/status.h"
#include "codegen/gpu/tiles.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace sinter::gpu {

using kernel::Axis;
using kernel::Factor;
using kernel::HardwareDim;
using kernel::Op;
using kernel::OpCode;
using llvm::Value;

namespace {

void CountUses(const kernel::Block& block, std::vector<int>& uses) {
  auto count = [&](const kernel::Values& values) {
    for (kernel::Value v : values) ++uses[static_cast<size_t>(v)];
  };
  for (const Op& op : block.ops) {
    count(op.operands);
    for (const kernel::Block& region : op.regions) CountUses(region, uses);
  }
  count(block.yield);
}

}  // namespace

Tiles::Tiles(const kernel::Kernel& kernel, const Op& stage, const kernel::StageUse& use,
             const Target& target, int64_t shared_begin, llvm::Function& function,
             llvm::IRBuilder<>& builder, codegen::Pointwise& pointwise)
    : Walk(kernel, function, builder, pointwise),
      use_(use),
      target_(target),
      multiples_(kernel),
      exchange_begin_(shared_begin) {
  FindExchanges(stage.regions[0]);
  std::vector<int> uses(kernel.types.size());
  CountUses(stage.regions[0], uses);
  FindCopies(stage.regions[0], uses);
}

void Tiles::EmitEntry() {
  llvm::BasicBlock *entry = NewBlock("entry"), *body = NewBlock("body");
  b_.SetInsertPoint(entry);
  entry_end_ = b_.CreateBr(body);
  b_.SetInsertPoint(entry_end_);
  llvm::CallInst* thread = b_.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, {});
  const auto threads = static_cast<uint64_t>(32 * kernel_.warps);
  thread->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(32, 0), llvm::APInt(32, threads)));
  lane_ = b_.CreateAnd(thread, b_.getInt32(31));
  warp_ = b_.CreateLShr(thread, b_.getInt32(5));
  b_.SetInsertPoint(body);
}

Value* Tiles::SharedMemory(int64_t offset) {
  constexpr const char* kName = "shared";
  constexpr unsigned kSharedSpace = 3;
  llvm::Module& module = *function_.getParent();
  llvm::GlobalVariable* shared = module.getNamedGlobal(kName);
  if (shared == nullptr) {
    shared = new llvm::GlobalVariable(module, llvm::ArrayType::get(b_.getInt8Ty(), 0), false,
                                      llvm::GlobalValue::ExternalLinkage, nullptr, kName, nullptr,
                                      llvm::GlobalValue::NotThreadLocal, kSharedSpace);
    shared->setAlignment(llvm::Align(16));
  }
  return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), shared, static_cast<uint64_t>(offset));
}

Value* Tiles::InEntry(const std::function<Value*()>& emit) {
  llvm::IRBuilder<>::InsertPointGuard guard(b_);
  b_.SetInsertPoint(entry_end_);
  return emit();
}

void Tiles::Under(Value* condition, const std::function<void()>& emit) {
  if (condition == nullptr || AllTrue(condition)) return emit();
  EmitIf(
      condition,
      [&]() -> Value* {
        emit();
        return nullptr;
      },
      nullptr);
}

const std::vector<Factor>& Tiles::Factors(const kernel::Type& t, Axis axis) const {
  static const std::vector<Factor> kNoFactors;
  if (Extent(t, axis) == 1) return kNoFactors;
  return kernel_.layouts[static_cast<size_t>(t.layout)].axes[static_cast<size_t>(axis)];
}

int Tiles::Registers(const kernel::Type& t, Axis axis) const {
  return axis == Axis::kRows ? HeldRows(kernel_, t) : HeldCols(kernel_, t);
}

int Tiles::Run(const kernel::Type& t, Axis axis) const {
  int run = 1;
  const std::vector<Factor>& factors = Factors(t, axis);
  for (auto f = factors.rbegin(); f != factors.rend() && f->dim == HardwareDim::kReg; ++f)
    run *= f->extent;
  return run;
}

Value* Tiles::Field(const Factor& factor) {
  const bool is_lane = factor.dim == HardwareDim::kLane;
  const int all = is_lane ? 32 : kernel_.warps;
  Value* index = is_lane ? lane_ : warp_;
  if (factor.extent * factor.stride < all)
    index =
        b_.CreateAnd(index, b_.getInt32(static_cast<uint32_t>(factor.extent * factor.stride - 1)));
  const auto shift = std::countr_zero(static_cast<unsigned>(factor.stride));
  return shift == 0 ? index : b_.CreateLShr(index, b_.getInt32(static_cast<uint32_t>(shift)));
}

Value* Tiles::ThreadCoordinate(const kernel::Type& t, Axis axis) {
  if (Extent(t, axis) == 1) return nullptr;
  const auto [it, is_new] = coordinates_.try_emplace({t.layout, axis}, nullptr);
  if (!is_new) return it->second;
  it->second = InEntry([&]() -> Value* {
    Value* sum = nullptr;
    int weight = 1;
    const std::vector<Factor>& factors = Factors(t, axis);
    for (auto f = factors.rbegin(); f != factors.rend(); weight *= f->extent, ++f) {
      if (f->dim == HardwareDim::kReg || f->extent == 1) continue;
      Value* x = Field(*f);
      if (weight != 1) x = b_.CreateNUWMul(x, b_.getInt32(static_cast<uint32_t>(weight)));
      sum = sum == nullptr ? x : b_.CreateNUWAdd(sum, x);
    }
    return sum;
  });
  return it->second;
}

int Tiles::RegisterCoordinate(const kernel::Type& t, Axis axis, int reg) const {
  int weight = 1, at = 0;
  const std::vector<Factor>& factors = Factors(t, axis);
  for (auto f = factors.rbegin(); f != factors.rend(); weight *= f->extent, ++f) {
    if (f->dim != HardwareDim::kReg) continue;
    at += reg % f->extent * weight;
    reg /= f->extent;
  }
  return at;
}

Value* Tiles::Coordinate(const kernel::Type& t, Axis axis, int reg) {
  Value* thread = ThreadCoordinate(t, axis);
  Value* own = b_.getInt32(static_cast<uint32_t>(RegisterCoordinate(t, axis, reg)));
  if (thread == nullptr) return own;
  return ConstantOf(own) == 0 ? thread : b_.CreateNUWAdd(thread, own);
}

kernel::ThreadBits Tiles::BitsOf(const kernel::Type& t, Axis axis) const {
  kernel::ThreadBits bits;
  for (const Factor& f : Factors(t, axis)) {
    if (f.dim == HardwareDim::kLane) bits.lanes |= (f.extent - 1) * f.stride;
    if (f.dim == HardwareDim::kWarp) bits.warps |= (f.extent - 1) * f.stride;
  }
  return bits;
}

Value* Tiles::AreZero(const kernel::ThreadBits& bits) {
  if (bits.lanes == 0 && bits.warps == 0) return nullptr;
  const auto [it, is_new] = zero_.try_emplace({bits.lanes, bits.warps}, nullptr);
  if (!is_new) return it->second;
  it->second = InEntry([&] {
    Value* all = nullptr;
    auto add = [&](Value* index, int mask) {
      if (mask == 0) return;
      Value* set = b_.CreateAnd(index, b_.getInt32(static_cast<uint32_t>(mask)));
      all = all == nullptr ? set : b_.CreateOr(all, set);
    };
    add(lane_, bits.lanes);
    add(warp_, bits.warps);
    return b_.CreateICmpEQ(all, b_.getInt32(0));
  });
  return it->second;
}

Value* Tiles::IsOwner(const kernel::Type& t) {
  const kernel::ThreadBits rows = BitsOf(t, Axis::kRows), cols = BitsOf(t, Axis::kCols);
  const int warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(kernel_.warps))) - 1;
  return AreZero({31 & ~(rows.lanes | cols.lanes), warps & ~(rows.warps | cols.warps)});
}

Value* Tiles::Part(kernel::Value v, int part, const kernel::Type& t) {
  const kernel::Type& own = type(v);
  const Parts& p = parts(v);
  const int cols = Registers(t, Axis::kCols);
  const int row = own.rows == 1 ? 0 : part / cols, col = own.cols == 1 ? 0 : part % cols;
  const auto at = static_cast<size_t>(row * Registers(own, Axis::kCols) + col);
  if (at >= p.size()) {
    Fail(Internal("kernel {}: value %{} is used before it is defined or with another layout",
                  kernel_.name, v));
    return llvm::PoisonValue::get(Register(own.elem));
  }
  return p[at];
}

void Tiles::EmitOwn(const Op& op) {
  switch (op.code) {
    case OpCode::kIota:
      return EmitIota(op);
    case OpCode::kMask:
      return EmitMask(op);
    case OpCode::kLoad:
      return EmitLoad(op);
    case OpCode::kStore:
      return EmitStore(op);
    case OpCode::kReduce:
      return EmitReduce(op);
    case OpCode::kTranspose:
      return EmitTranspose(op);
    case OpCode::kDot:
      return EmitDot(op);
    case OpCode::kRelayout:
      return EmitRelayout(op);
    case OpCode::kInterleave:
      return EmitInterleave(op);
    case OpCode::kDeinterleave:
      return EmitDeinterleave(op);
    case OpCode::kSync:
      return Barrier();
    case OpCode::kCommit:
      return EmitCommit();
    case OpCode::kWait:
      return EmitWait(op);
    default:
      Fail(Internal("kernel {}: a GPU has no {}", kernel_.name, kernel::Name(op.code)));
  }
}

}  // namespace sinter::gpu
