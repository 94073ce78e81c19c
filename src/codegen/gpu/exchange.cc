// Elements that change threads: through shared memory behind the task buffers.
#include <algorithm>

#include "base/status.h"
#include "codegen/gpu/tiles.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace sinter::gpu {

using kernel::Axis;
using kernel::Op;
using kernel::OpCode;
using llvm::Value;

namespace {

constexpr int64_t RoundUp(int64_t bytes) { return (bytes + 15) / 16 * 16; }

// Elements between two rows of a matrix in shared memory: a bank more than the row, so that
// columns do not fall into one bank.
int PitchOf(int cols, ElementType elem) { return cols + std::max(1, 4 / ByteWidth(elem)); }

kernel::Layout Swapped(kernel::Layout layout) {
  std::swap(layout.axes[0], layout.axes[1]);
  return layout;
}

}  // namespace

void Tiles::Barrier() {
  b_.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {}, {b_.getInt32(0)});
}

int64_t Tiles::ExchangeBytes(const Op& op) const {
  switch (op.code) {
    case OpCode::kReduce: {
      const int warps = WarpsAlong(op);
      if (warps == 1) return 0;
      const kernel::Type& t = type(op.operands[0]);
      const int64_t other = op.axis == Axis::kRows ? t.cols : t.rows;
      int64_t bytes = 0;
      for (kernel::Value v : op.operands) bytes += RoundUp(warps * other * ByteWidth(type(v).elem));
      return bytes;
    }
    case OpCode::kTranspose:
    case OpCode::kRelayout: {
      const kernel::Type &from = type(op.operands[0]), &to = type(op.results[0]);
      kernel::Layout layout = LayoutOf(kernel_, from);
      if (op.code == OpCode::kTranspose) layout = Swapped(std::move(layout));
      if (layout == LayoutOf(kernel_, to)) return 0;
      return RoundUp(int64_t{from.rows} * PitchOf(from.cols, from.elem) * ByteWidth(from.elem));
    }
    default:
      return 0;
  }
}

void Tiles::FindExchanges(const kernel::Block& block) {
  constexpr int64_t kBothSlots = 16 << 10;
  for (size_t i = 0; i < block.ops.size(); i++) {
    const Op& op = block.ops[i];
    if (op.code == OpCode::kReduce || op.code == OpCode::kTranspose ||
        op.code == OpCode::kRelayout) {
      if (const int64_t bytes = ExchangeBytes(op); bytes > 0) {
        exchanges_[&op] = {&block, i};
        slot_bytes_ = std::max(slot_bytes_, bytes);
      }
      continue;
    }
    for (const kernel::Block& region : op.regions) FindExchanges(region);
  }
  // A second slot saves a barrier, and costs blocks per multiprocessor where it is large.
  slots_ = exchanges_.size() > 1 && 2 * slot_bytes_ <= kBothSlots ? 2 : 1;
}

// Two slots alternate. Between an exchange and the one after the next there is the barrier of the
// next, behind which no thread reads the first any more; so threads must wait only where it is not
// known which exchange came before this one: at the first one of a block of operations, which may
// be a loop's body or a branch.
int64_t Tiles::BeginExchange(const Op& op) {
  const Position& now = exchanges_.at(&op);
  bool known = last_exchange_ == nullptr && preheaders_.empty();
  if (last_exchange_ != nullptr && slots_ > 1) {
    const Position& last = exchanges_.at(last_exchange_);
    known = last.block == now.block && last.index < now.index;
  }
  if (!known) Barrier();
  last_exchange_ = &op;
  slot_ = (slot_ + 1) % slots_;
  return exchange_begin_ + slot_ * slot_bytes_;
}

// Written as the operand's threads hold it, read as the result's do. Element (i, j) of the result
// is at (j, i) of the matrix where `swap` is set.
void Tiles::Exchange(const Op& op, bool swap) {
  const kernel::Type &from = type(op.operands[0]), &to = type(op.results[0]);
  const int pitch = PitchOf(from.cols, from.elem);
  llvm::Type* elem = Memory(from.elem);
  const auto align = llvm::Align(static_cast<uint64_t>(ByteWidth(from.elem)));
  Value* memory = SharedMemory(BeginExchange(op));
  // Where a thread's first element is, and how far from it its other ones are.
  auto start = [&](const kernel::Type& t, Axis row_axis, Axis col_axis) {
    Value* row = ThreadCoordinate(t, row_axis);
    Value* col = ThreadCoordinate(t, col_axis);
    return InEntry([&] {
      Value* at = b_.getInt32(0);
      if (row != nullptr) at = b_.CreateMul(row, b_.getInt32(static_cast<uint32_t>(pitch)));
      if (col != nullptr) at = b_.CreateAdd(at, col);
      return b_.CreateInBoundsGEP(elem, memory, b_.CreateZExt(at, b_.getInt64Ty()));
    });
  };
  auto element = [&](Value* first, int row, int col) {
    return b_.CreateConstInBoundsGEP1_64(elem, first, static_cast<uint64_t>(row * pitch + col));
  };
  Value* write = start(from, Axis::kRows, Axis::kCols);
  Under(IsOwner(from), [&] {
    const int cols = Registers(from, Axis::kCols);
    for (int part = 0; part < Count(from); part++) {
      Value* p = element(write, RegisterCoordinate(from, Axis::kRows, part / cols),
                         RegisterCoordinate(from, Axis::kCols, part % cols));
      b_.CreateAlignedStore(ToMemory(Part(op.operands[0], part, from)), p, align);
    }
  });
  Barrier();
  Value* read = swap ? start(to, Axis::kCols, Axis::kRows) : start(to, Axis::kRows, Axis::kCols);
  const int cols = Registers(to, Axis::kCols);
  Parts out;
  for (int part = 0; part < Count(to); part++) {
    int row = RegisterCoordinate(to, Axis::kRows, part / cols);
    int col = RegisterCoordinate(to, Axis::kCols, part % cols);
    if (swap) std::swap(row, col);
    out.push_back(FromMemory(b_.CreateAlignedLoad(elem, element(read, row, col), align), to.elem));
  }
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitTranspose(const Op& op) {
  if (exchanges_.contains(&op)) return Exchange(op, true);
  // Every thread has its elements already, columns for rows.
  const kernel::Type &from = type(op.operands[0]), &to = type(op.results[0]);
  const int rows = Registers(to, Axis::kRows), cols = Registers(to, Axis::kCols);
  Parts out;
  for (int row = 0; row < rows; row++)
    for (int col = 0; col < cols; col++)
      out.push_back(Part(op.operands[0], col * rows + row, from));
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitRelayout(const Op& op) {
  if (exchanges_.contains(&op)) return Exchange(op, false);
  Bind(op.results[0], Parts(parts(op.operands[0])));
}

// --- pairs ---------------------------------------------------------------------------------------

// A thread holds both halves of its pairs: Verify sees to that.
void Tiles::EmitInterleave(const Op& op) {
  const kernel::Type &half = type(op.operands[0]), &whole = type(op.results[0]);
  const int cols = Registers(whole, Axis::kCols);
  if (cols != 2 * Registers(half, Axis::kCols))
    return Fail(Internal("kernel {}: a pair is not in one thread", kernel_.name));
  Parts out;
  for (int part = 0; part < Count(whole); part++)
    out.push_back(Part(op.operands[part % 2 == 0 ? 0 : 1], part / 2, half));
  Bind(op.results[0], std::move(out));
}

void Tiles::EmitDeinterleave(const Op& op) {
  const kernel::Type &whole = type(op.operands[0]), &half = type(op.results[0]);
  if (Registers(whole, Axis::kCols) != 2 * Registers(half, Axis::kCols))
    return Fail(Internal("kernel {}: a pair is not in one thread", kernel_.name));
  for (int i = 0; i < 2; i++) {
    Parts out;
    for (int part = 0; part < Count(half); part++)
      out.push_back(Part(op.operands[0], 2 * part + i, whole));
    Bind(op.results[static_cast<size_t>(i)], std::move(out));
  }
}

}  // namespace sinter::gpu
