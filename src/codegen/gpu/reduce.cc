// Reductions: in registers, between lanes by butterfly shuffles, between warps through shared
// memory. Each of the three halves as the kernel IR says, so that the order is fixed, and it is the
// IR's own where an axis has its registers outside its lanes and those outside its warps.
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

codegen::Parts Both(const codegen::Parts& a, const codegen::Parts& b) {
  codegen::Parts all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

}  // namespace

codegen::Parts Tiles::CombineAll(const Op& op, std::vector<Parts> elements) {
  while (elements.size() > 1) {
    const size_t half = std::bit_ceil(elements.size()) / 2;
    for (size_t i = half; i < elements.size(); i++)
      elements[i - half] = Combine(op.regions[0], Both(elements[i - half], elements[i]));
    elements.resize(half);
  }
  return elements[0];
}

void Tiles::EmitReduce(const Op& op) {
  const kernel::Type& t = type(op.operands[0]);
  const bool along_cols = op.axis == Axis::kCols;
  const int along = Registers(t, op.axis), others = Registers(t, OtherAxis(op.axis));
  std::vector<Parts> results;  // of each register of the other axis
  for (int other = 0; other < others; other++) {
    std::vector<Parts> elements;
    for (int i = 0; i < along; i++) {
      Parts p;
      for (kernel::Value v : op.operands)
        p.push_back(Part(v, along_cols ? other * along + i : i * others + other, t));
      elements.push_back(std::move(p));
    }
    results.push_back(CombineAll(op, std::move(elements)));
  }
  ReduceLanes(op, t, results);
  if (WarpsAlong(op) > 1) ReduceWarps(op, t, results);
  for (size_t i = 0; i < op.results.size(); i++) {
    Parts out;
    for (const Parts& r : results) out.push_back(r[i]);
    Bind(op.results[i], std::move(out));
  }
}

// --- between lanes -------------------------------------------------------------------------------

// Whether exchanging the combiner's sides changes nothing: each result is one such operation.
bool Tiles::IsSymmetric(const Op& op) const {
  const kernel::Block& combiner = op.regions[0];
  const size_t n = op.operands.size();
  for (size_t i = 0; i < n; i++) {
    const Op* found = nullptr;
    for (const Op& inner : combiner.ops)
      if (inner.results[0] == combiner.yield[i]) found = &inner;
    if (found == nullptr || found->operands.size() != 2) return false;
    const kernel::Value a = combiner.args[i], b = combiner.args[n + i];
    const auto& x = found->operands;
    if (!(x[0] == a && x[1] == b) && !(x[0] == b && x[1] == a)) return false;
    switch (found->code) {
      case OpCode::kAdd:
      case OpCode::kMul:
      case OpCode::kMin:
      case OpCode::kMax:
      case OpCode::kAnd:
      case OpCode::kOr:
      case OpCode::kXor:
        break;
      default:
        return false;
    }
  }
  return true;
}

// Shuffles move 32 bits.
Value* Tiles::ShuffleWords(Value* x, const std::function<Value*(Value*)>& shuffle) {
  llvm::Type* type = x->getType();
  const auto bits = static_cast<unsigned>(type->getPrimitiveSizeInBits());
  Value* word = b_.CreateBitCast(x, b_.getIntNTy(bits));
  if (bits <= 32) {
    word = shuffle(b_.CreateZExt(word, b_.getInt32Ty()));
    return b_.CreateBitCast(b_.CreateTrunc(word, b_.getIntNTy(bits)), type);
  }
  Value* low = shuffle(b_.CreateTrunc(word, b_.getInt32Ty()));
  Value* high = shuffle(b_.CreateTrunc(b_.CreateLShr(word, uint64_t{32}), b_.getInt32Ty()));
  Value* both = b_.CreateOr(b_.CreateZExt(low, b_.getInt64Ty()),
                            b_.CreateShl(b_.CreateZExt(high, b_.getInt64Ty()), uint64_t{32}));
  return b_.CreateBitCast(both, type);
}

Value* Tiles::ShuffleXor(Value* x, int lanes) {
  return ShuffleWords(x, [&](Value* word) {
    return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, {},
                              {b_.getInt32(0xffffffff), word,
                               b_.getInt32(static_cast<uint32_t>(lanes)), b_.getInt32(31)});
  });
}

Value* Tiles::ShuffleFrom(Value* x, Value* lane) {
  return ShuffleWords(x, [&](Value* word) {
    return b_.CreateIntrinsic(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, {},
                              {b_.getInt32(0xffffffff), word, lane, b_.getInt32(31)});
  });
}

// A step combines each lane with its partner, whose number differs in one bit. The lane whose bit
// is 0 has the operands in order. If the combiner is not symmetric, only the result of lane 0 is
// right in the end; it is broadcast, since all threads must have one result.
void Tiles::ReduceLanes(const Op& op, const kernel::Type& t, std::vector<Parts>& results) {
  const int lanes = BitsOf(t, op.axis).lanes;
  if (lanes == 0) return;
  for (const Factor& f : Factors(t, op.axis)) {
    if (f.dim != HardwareDim::kLane) continue;
    for (int step = f.extent / 2; step >= 1; step /= 2) {
      for (Parts& r : results) {
        Parts partner;
        for (Value* v : r) partner.push_back(ShuffleXor(v, step * f.stride));
        r = Combine(op.regions[0], Both(r, partner));
      }
    }
  }
  if (IsSymmetric(op)) return;
  Value* first =
      InEntry([&] { return b_.CreateAnd(lane_, b_.getInt32(static_cast<uint32_t>(31 & ~lanes))); });
  for (Parts& r : results)
    for (Value*& v : r) v = ShuffleFrom(v, first);
}

// --- between warps -------------------------------------------------------------------------------

int Tiles::WarpsAlong(const Op& op) const {
  int warps = 1;
  for (const Factor& f : Factors(type(op.operands[0]), op.axis))
    if (f.dim == HardwareDim::kWarp) warps *= f.extent;
  return warps;
}

// Each warp writes a word for each element that is left; every thread reads those of all warps and
// combines them.
void Tiles::ReduceWarps(const Op& op, const kernel::Type& t, std::vector<Parts>& results) {
  const Axis other_axis = OtherAxis(op.axis);
  const int warps = WarpsAlong(op), other = Extent(t, other_axis);
  const size_t n = op.operands.size();
  int64_t offset = BeginExchange(op);
  std::vector<Value*> memory;
  for (kernel::Value v : op.operands) {
    memory.push_back(SharedMemory(offset));
    offset += (int64_t{warps} * other * ByteWidth(type(v).elem) + 15) / 16 * 16;
  }
  Value* own = InEntry([&] {  // this warp's number along the axis
    Value* sum = b_.getInt32(0);
    for (const Factor& f : Factors(t, op.axis)) {
      if (f.dim != HardwareDim::kWarp || f.extent == 1) continue;
      sum = b_.CreateAdd(b_.CreateMul(sum, b_.getInt32(static_cast<uint32_t>(f.extent))), Field(f));
    }
    return sum;
  });
  auto address = [&](size_t i, Value* warp, int reg) {
    Value* at = b_.CreateMul(warp, b_.getInt32(static_cast<uint32_t>(other)));
    if (other > 1) at = b_.CreateAdd(at, Coordinate(t, other_axis, reg));
    return b_.CreateInBoundsGEP(Memory(type(op.operands[i]).elem), memory[i],
                                b_.CreateZExt(at, b_.getInt64Ty()));
  };
  auto align = [&](size_t i) {
    return llvm::Align(static_cast<uint64_t>(ByteWidth(type(op.operands[i]).elem)));
  };
  const auto regs = static_cast<int>(results.size());
  // One of those that hold copies writes, but of the warps along the axis each.
  kernel::ThreadBits writer = BitsOf(t, other_axis);
  writer.lanes = 31 & ~writer.lanes;
  const int all_warps = static_cast<int>(std::bit_ceil(static_cast<unsigned>(kernel_.warps))) - 1;
  writer.warps = all_warps & ~(writer.warps | BitsOf(t, op.axis).warps);
  Under(AreZero(writer), [&] {
    for (int reg = 0; reg < regs; reg++)
      for (size_t i = 0; i < n; i++)
        b_.CreateAlignedStore(ToMemory(results[static_cast<size_t>(reg)][i]), address(i, own, reg),
                              align(i));
  });
  Barrier();
  for (int reg = 0; reg < regs; reg++) {
    std::vector<Parts> elements;
    for (int w = 0; w < warps; w++) {
      Parts p;
      for (size_t i = 0; i < n; i++) {
        const ElementType elem = type(op.operands[i]).elem;
        Value* from = address(i, b_.getInt32(static_cast<uint32_t>(w)), reg);
        p.push_back(FromMemory(b_.CreateAlignedLoad(Memory(elem), from, align(i)), elem));
      }
      elements.push_back(std::move(p));
    }
    results[static_cast<size_t>(reg)] = CombineAll(op, std::move(elements));
  }
}

}  // namespace sinter::gpu
