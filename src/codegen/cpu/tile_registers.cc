// Loops that add up products of words in the tile registers of AMX.
//
// There are eight, of 16 rows of 64 bytes: the sums that a loop carries are in the first ones, what
// is loaded in the others. They are named here, not by LLVM, whose allocator would need passes that
// all other code goes without.
#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "codegen/cpu/tiles.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace sinter::cpu {
namespace {

using kernel::Op;
using kernel::OpCode;
using llvm::Value;

constexpr int kRegisters = 8, kRows = 16, kRowBytes = 64;

bool HasDot(const kernel::Block& block) {
  return absl::c_any_of(block.ops, [](const Op& op) {
    return op.code == OpCode::kDot || absl::c_any_of(op.regions, HasDot);
  });
}

llvm::Intrinsic::ID ProductOf(ElementType a, ElementType b, ElementType sum) {
  namespace id = llvm::Intrinsic;
  if (sum == ElementType::F32) return id::x86_tdpbf16ps;
  if (a == ElementType::S32) return b == ElementType::S32 ? id::x86_tdpbssd : id::x86_tdpbsud;
  return b == ElementType::S32 ? id::x86_tdpbusd : id::x86_tdpbuud;
}

}  // namespace

bool UsesTileRegisters(const Op& stage) { return absl::c_any_of(stage.regions, HasDot); }

std::array<uint8_t, 64> TileConfiguration() {
  std::array<uint8_t, 64> bytes{};
  bytes[0] = 1;  // the palette of eight tiles of a kilobyte
  for (size_t tile = 0; tile < kRegisters; ++tile) {
    bytes[16 + 2 * tile] = kRowBytes;  // in two bytes
    bytes[48 + tile] = kRows;
  }
  return bytes;
}

Value* Tiles::RegisterNumber(kernel::Value v) {
  const auto it = tile_registers_.find(v);
  if (it != tile_registers_.end()) return b_.getInt8(static_cast<uint8_t>(it->second));
  Fail(Internal("kernel {}: %{} is in no tile register", kernel_.name, v));
  return b_.getInt8(0);
}

Tiles::TileMemory Tiles::TileMemoryOf(const Op& op, size_t first, const kernel::Type& t) {
  const Access access = Resolve(op, first);
  const int bytes = ByteWidth(t.elem);
  const bool rows_of_words = access.rows != nullptr && access.cols != nullptr &&
                             ConstantOf(access.cols) == 1 && access.gathered.empty();
  if (op.masked || t.rows != kRows || t.cols * bytes != kRowBytes || !rows_of_words) {
    Fail(
        Internal("kernel {}: what a dot reads or gives is moved otherwise than as {} rows of {} "
                 "bytes",
                 kernel_.name, kRows, kRowBytes));
    return {b_.getInt64(0), b_.getInt64(0)};
  }
  return {access.base, Product(access.rows, b_.getInt64(static_cast<uint64_t>(bytes)))};
}

void Tiles::StoreTileRegister(const Op& op) {
  const TileMemory at = TileMemoryOf(op, 1, type(op.operands[0]));
  b_.CreateIntrinsic(llvm::Intrinsic::x86_tilestored64,
                     {RegisterNumber(op.operands[0]), at.pointer, at.row_bytes});
}

bool Tiles::EmitDotLoop(const Op& op) {
  const kernel::Block& block = op.regions[0];
  auto is_dot = [](const Op& o) { return o.code == OpCode::kDot; };
  if (op.loop != kernel::LoopKind::kSeq || absl::c_none_of(block.ops, is_dot)) return false;
  if (!target_.dot_tiles) {
    Fail(Internal("kernel {}: the processor has no tiles for a dot", kernel_.name));
    return true;
  }
  const size_t sums = op.results.size();
  if (sums >= kRegisters || (op.tail != kernel::Tail::kExact && op.int_value != 1)) {
    Fail(Internal("kernel {}: a loop of dots carries {} sums, or has a tail", kernel_.name, sums));
    return true;
  }
  // How many dots are still to read a factor, and which are left ones.
  absl::flat_hash_map<kernel::Value, int> reads;
  absl::flat_hash_set<kernel::Value> left;
  for (const Op& o : block.ops) {
    for (size_t i = 0; is_dot(o) && i < 2; ++i) ++reads[o.operands[i]];
    if (is_dot(o)) left.insert(o.operands[0]);
  }
  // What gives a factor: its load, or the packing of one, which is then loaded as words.
  absl::flat_hash_map<kernel::Value, const Op*> loads;
  absl::flat_hash_set<const Op*> packed;
  for (const Op& o : block.ops) {
    if (o.code == OpCode::kLoad) loads[o.results[0]] = &o;
    if (o.code != OpCode::kPack || !reads.contains(o.results[0])) continue;
    if (const auto load = loads.find(o.operands[0]); load != loads.end()) {
      packed.insert(load->second);
      loads[o.results[0]] = load->second;
    }
  }
  tile_registers_.clear();
  // In turn: what was used last is the last to be written again.
  std::vector<int> unused;
  for (int r = static_cast<int>(sums); r < kRegisters; ++r) unused.push_back(r);
  for (size_t i = 0; i < sums; ++i) {
    const Parts& start = parts(op.operands[2 + i]);
    const bool zero = absl::c_all_of(start, [](Value* part) {
      auto* known = llvm::dyn_cast<llvm::Constant>(part);
      return known != nullptr && known->isNullValue();
    });
    if (start.empty() || !zero)
      Fail(Internal("kernel {}: a sum of dots does not begin with zeros", kernel_.name));
    tile_registers_[block.args[1 + i]] = static_cast<int>(i);
    b_.CreateIntrinsic(llvm::Intrinsic::x86_tilezero, {b_.getInt8(static_cast<uint8_t>(i))});
  }
  const bool runs = facts_.Runs(op.operands[0], op.operands[1]);
  Value *lo = Scalar(op.operands[0]), *hi = Scalar(op.operands[1]);
  facts_.EnterFull(op);
  auto turn = [&](Value* iv, const Parts&) {
    Clear(block);
    Bind(block.args[0], {iv});
    for (const Op& o : block.ops) {
      const kernel::Value result = o.results.empty() ? kernel::kNone : o.results[0];
      if (is_dot(o)) {
        EmitDot(o, reads, unused);
      } else if (reads.contains(result) && loads.contains(result)) {
        LoadTileRegister(*loads[result], result, left.contains(result), unused);
      } else if (!packed.contains(&o)) {
        Emit(o);
      }
    }
    return Parts{};
  };
  const auto first = ConstantOf(lo), end = ConstantOf(hi);
  if (first && end && *end == *first + op.int_value) {
    turn(lo, {});
  } else {
    EmitRotated(lo, hi, op.int_value, {}, runs, turn);
  }
  facts_.LeaveFull();
  for (size_t i = 0; i < sums; ++i) {
    const auto last = tile_registers_.find(block.yield[i]);
    if (last == tile_registers_.end() || last->second != static_cast<int>(i))
      Fail(Internal("kernel {}: a loop of dots exchanges its sums", kernel_.name));
    tile_registers_[op.results[i]] = static_cast<int>(i);
  }
  return true;
}

void Tiles::LoadTileRegister(const Op& load, kernel::Value words, bool is_left,
                             std::vector<int>& unused) {
  const TileMemory at = TileMemoryOf(load, 0, type(load.results[0]));
  if (unused.empty()) return Fail(Internal("kernel {}: too many tiles", kernel_.name));
  tile_registers_[words] = unused.front();
  unused.erase(unused.begin());
  // Left factors go past tiles of right ones, which are to stay in the first-level cache: a product
  // of 1024 x 1024 x 1024 takes a tenth less.
  b_.CreateIntrinsic(
      is_left ? llvm::Intrinsic::x86_tileloaddt164 : llvm::Intrinsic::x86_tileloadd64,
      {RegisterNumber(words), at.pointer, at.row_bytes});
}

// The sum's register becomes the result's; a factor's is free after its last product.
void Tiles::EmitDot(const Op& dot, absl::flat_hash_map<kernel::Value, int>& reads,
                    std::vector<int>& unused) {
  const kernel::Value sum = dot.operands[2];
  b_.CreateIntrinsic(
      ProductOf(type(dot.operands[0]).elem, type(dot.operands[1]).elem, type(sum).elem),
      {RegisterNumber(sum), RegisterNumber(dot.operands[0]), RegisterNumber(dot.operands[1])});
  tile_registers_[dot.results[0]] = tile_registers_[sum];
  tile_registers_.erase(sum);
  for (size_t i = 0; i < 2; ++i) {
    const kernel::Value factor = dot.operands[i];
    if (--reads[factor] > 0) continue;
    unused.push_back(tile_registers_[factor]);
    tile_registers_.erase(factor);
  }
}

}  // namespace sinter::cpu
