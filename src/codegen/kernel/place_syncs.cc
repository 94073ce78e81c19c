#include "codegen/kernel/place_syncs.h"

#include <algorithm>
#include <set>
#include <vector>

#include "base/status.h"
#include "codegen/kernel/layout.h"
#include "codegen/kernel/multiples.h"

namespace sinter::kernel {
namespace {

// Accesses since the last barrier.
using Pending = std::set<const Op*>;

class Placer {
 public:
  explicit Placer(Kernel& kernel) : k_(kernel), multiples_(kernel) { FindShared(kernel.top); }

  void Run() {
    for (const Op& op : k_.top.ops) {
      if (op.code != OpCode::kFor) continue;
      // A block runs one iteration of a stage.
      Pending pending;
      Follow(op.regions[0], pending, /*place=*/true);
    }
    Insert(k_.top);
  }

 private:
  // --- conflicts

  const Buffer& BufferOf(const Op& op) const { return k_.buffers[static_cast<size_t>(op.buffer)]; }
  // Buffers of one alias group are one memory, known by the first of them.
  size_t MemoryOf(int buffer) const {
    const int group = k_.buffers[static_cast<size_t>(buffer)].alias_group;
    for (int b = 0; group >= 0 && b < buffer; ++b) {
      if (k_.buffers[static_cast<size_t>(b)].alias_group == group) return static_cast<size_t>(b);
    }
    return static_cast<size_t>(buffer);
  }
  void FindShared(const Block& block) {
    read_.resize(k_.buffers.size());
    async_.resize(k_.buffers.size());
    written_.resize(k_.buffers.size());
    for (const Op& op : block.ops) {
      if (op.code == OpCode::kLoad) read_[MemoryOf(op.buffer)] = true;
      if (op.code == OpCode::kStore) written_[MemoryOf(op.buffer)] = true;
      if (op.async) async_[MemoryOf(op.buffer)] = true;
      for (const Block& region : op.regions) FindShared(region);
    }
  }
  // Of memory that other tasks see too, an element is written once, but it may be read before (an
  // output that takes over an operand's storage) or after (scratch).
  bool Touches(const Op& op) const {
    if (op.code != OpCode::kLoad && op.code != OpCode::kStore) return false;
    const size_t memory = MemoryOf(op.buffer);
    if (async_[memory]) return false;
    return BufferOf(op).space == Space::kTask || (read_[memory] && written_[memory]);
  }
  static bool Writes(const Op& op) { return op.code == OpCode::kStore; }
  const Type& TileOf(const Op& op) const {
    return k_.type(Writes(op) ? op.operands[0] : op.results[0]);
  }
  bool HasCopies(const Type& tile) const {
    const ThreadBits bits = NamedBits(LayoutOf(k_, tile));
    return bits.lanes != kWarpLanes - 1 || bits.warps != k_.warps - 1;
  }
  // Whether an element's position in the tile, and so its thread, follows from its index: each axis
  // runs along a dimension of its own, from a multiple of the steps.
  bool IsAligned(const Op& op) const {
    const Type& tile = TileOf(op);
    const size_t from = Writes(op) ? 1 : 0;
    int rows = 0, cols = 0;
    for (size_t d = 0; d < op.steps.size(); ++d) {
      const Value base = op.operands[from + d];
      const Step s = op.steps[d];
      if (!k_.type(base).is_scalar()) return false;
      const bool along_rows = s.rows != 0 && tile.rows > 1,
                 along_cols = s.cols != 0 && tile.cols > 1;
      if (along_rows && along_cols) return false;
      if (!along_rows && !along_cols) continue;
      const int step = along_rows ? s.rows : s.cols;
      if (step < 0 ||
          !multiples_.Divides(int64_t{step} * (along_rows ? tile.rows : tile.cols), base))
        return false;
      ++(along_rows ? rows : cols);
    }
    return rows == (tile.rows > 1) && cols == (tile.cols > 1);
  }
  bool SameThreads(const Op& a, const Op& b) const {
    const Type &s = TileOf(a), &t = TileOf(b);
    if (s.rows != t.rows || s.cols != t.cols || LayoutOf(k_, s) != LayoutOf(k_, t)) return false;
    // One copy writes, but all read.
    if ((!Writes(a) || !Writes(b)) && HasCopies(s)) return false;
    if (!IsAligned(a) || !IsAligned(b)) return false;
    if (BufferOf(a).shape != BufferOf(b).shape || BufferOf(a).strides != BufferOf(b).strides)
      return false;
    for (size_t d = 0; d < a.steps.size(); ++d) {
      // Steps along an axis of extent 1 do not count.
      auto rows = [&](const Op& op) { return s.rows > 1 ? op.steps[d].rows : 0; };
      auto cols = [&](const Op& op) { return s.cols > 1 ? op.steps[d].cols : 0; };
      if (rows(a) != rows(b) || cols(a) != cols(b)) return false;
    }
    return true;
  }
  bool Conflicts(const Op& op, const Pending& pending) const {
    const bool is_task = BufferOf(op).space == Space::kTask;
    return std::any_of(pending.begin(), pending.end(), [&](const Op* other) {
      if (MemoryOf(other->buffer) != MemoryOf(op.buffer)) return false;
      const bool writes = is_task ? Writes(op) || Writes(*other) : Writes(op) != Writes(*other);
      return writes && !SameThreads(*other, op);
    });
  }

  // --- order

  // Follows a block with what is pending at its start; leaves what is pending at its end. With
  // `place`, inserts barriers; without, returns whether one would be missing.
  bool Follow(const Block& block, Pending& pending, bool place) {
    bool missing = false;
    for (const Op& op : block.ops) {
      if (op.code == OpCode::kSync || op.code == OpCode::kWait || before_.contains(&op))
        pending.clear();
      if (Touches(op)) {
        if (Conflicts(op, pending)) {
          missing = true;
          if (place) {
            before_.insert(&op);
            pending.clear();
          }
        }
        pending.insert(&op);
      }
      switch (op.code) {
        case OpCode::kIf: {
          Pending other = pending;
          missing |= Follow(op.regions[0], pending, place);
          missing |= Follow(op.regions[1], other, place);
          pending.insert(other.begin(), other.end());
          break;
        }
        case OpCode::kFor:
        case OpCode::kWhile:
          missing |= FollowLoop(op, pending, place);
          break;
        default:
          break;
      }
    }
    return missing;
  }
  bool FollowLoop(const Op& op, Pending& pending, bool place) {
    auto body = [&](Pending& p, bool put) {
      bool missing = false;
      for (const Block& region : op.regions) missing |= Follow(region, p, put);
      return missing;
    };
    bool missing = false;
    // First the iterations among themselves: what is pending at the end meets the next one.
    Pending around;
    for (;;) {
      Pending end = around;
      missing |= body(end, place);
      if (std::includes(around.begin(), around.end(), end.begin(), end.end())) break;
      around.insert(end.begin(), end.end());
    }
    // Then the first iteration with what comes before the loop.
    Pending first = pending;
    if (body(first, false)) {
      missing = true;
      if (place) {
        before_.insert(&op);
        pending.clear();
      }
    }
    // Whatever an iteration leaves; a `for` may have none, a `while` leaves after its condition.
    Pending last = pending;
    if (op.code == OpCode::kWhile) {
      last.insert(around.begin(), around.end());
      Follow(op.regions[0], last, false);
      pending = std::move(last);
    } else {
      body(last, false);
      pending.insert(last.begin(), last.end());
      pending.insert(around.begin(), around.end());
    }
    return missing;
  }

  void Insert(Block& block) {
    std::vector<Op> ops;
    for (Op& op : block.ops) {
      const bool sync = before_.contains(&op);
      for (Block& region : op.regions) Insert(region);
      if (sync) ops.push_back({.code = OpCode::kSync});
      ops.push_back(std::move(op));
    }
    block.ops = std::move(ops);
  }

  Kernel& k_;
  Multiples multiples_;
  std::vector<bool> read_, written_, async_;  // by memory
  std::set<const Op*> before_;                // operations that a barrier goes before
};

}  // namespace

absl::Status PlaceSyncs(Kernel& kernel) {
  RETURN_INTERNAL_IF(kernel.warps < 1, "kernel {} has no layouts yet", kernel.name);
  Placer(kernel).Run();
  return absl::OkStatus();
}

}  // namespace sinter::kernel
