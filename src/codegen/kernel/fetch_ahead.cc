#include "codegen/kernel/fetch_ahead.h"

#include <algorithm>
#include <optional>

namespace sinter::kernel {
namespace {

// Of shorter rows the processor's own prefetching has several under way; longer ones would drive
// each other out of the first-level cache.
constexpr int64_t kLeastRow = 512, kLargestRow = 32 * 1024;  // bytes

class RowFetcher {
 public:
  explicit RowFetcher(Kernel& kernel) : kernel_(kernel), constants_(kernel.types.size()) {
    for (const Op& op : kernel.top.ops) {
      if (op.code == OpCode::kConst && kernel.type(op.results[0]) == kIndexType)
        constants_[static_cast<size_t>(op.results[0])] = op.int_value;
    }
  }

  void Visit(Block& block) {
    for (Op& op : block.ops) {
      if (op.code == OpCode::kFor) Turn(op);
      for (Block& region : op.regions) Visit(region);
    }
  }

 private:
  // A load in a pass over a row, up to the pass's own loop variable: that of its innermost loop,
  // where the row is gone over in blocks.
  struct Reading {
    const Op* pass;
    const Op* loop;
    Op* load;
    bool fetched = false;  // a later pass does it
  };

  std::optional<int64_t> Constant(Value v) const { return constants_[static_cast<size_t>(v)]; }

  void Turn(Op& turns) {
    const Value turn = turns.regions[0].args[0];
    std::vector<Reading> readings;
    for (Op& pass : turns.regions[0].ops) {
      if (pass.code != OpCode::kFor || pass.loop != LoopKind::kSeq) continue;
      Op& loop = Innermost(pass);
      for (Op& op : loop.regions[0].ops) {
        if (op.code == OpCode::kLoad) Read(turns, turn, {&pass, &loop, &op}, readings);
      }
    }
  }

  // The loop over the elements of a block in the loop over blocks, if this is one.
  static Op& Innermost(Op& pass) {
    for (Op& op : pass.regions[0].ops) {
      if (op.code == OpCode::kFor && op.operands[0] == pass.regions[0].args[0])
        return Innermost(op);
    }
    return pass;
  }

  void Read(const Op& turns, Value turn, const Reading& reading, std::vector<Reading>& readings) {
    const Op& pass = *reading.pass;
    Op& load = *reading.load;
    const std::optional<int64_t> ahead = Ahead(turns, turn, reading);
    if (!ahead) return;
    auto earlier = std::find_if(readings.begin(), readings.end(),
                                [&](const Reading& r) { return SameRow(r, reading); });
    if (earlier == readings.end()) {
      readings.push_back(reading);
    } else if (earlier->pass != &pass && !earlier->fetched) {
      load.int_value = *ahead;
      earlier->fetched = true;
    }
  }

  // How many elements further on the next turn reads, where the pass goes along memory, by
  // neighbours, and the turns go from row to row.
  std::optional<int64_t> Ahead(const Op& turns, Value turn, const Reading& reading) const {
    const Op &pass = *reading.pass, &load = *reading.load;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load.buffer)];
    if (buffer.space != Space::kArgument && buffer.space != Space::kScratch) return std::nullopt;
    const std::optional<int64_t> lo = Constant(pass.operands[0]), hi = Constant(pass.operands[1]);
    if (!lo || !hi) return std::nullopt;
    const int64_t bytes = (*hi - *lo) * ByteWidth(buffer.elem);
    if (bytes < kLeastRow || bytes > kLargestRow) return std::nullopt;
    int64_t ahead = 0;
    bool along = false;
    for (size_t d = 0; d < load.steps.size(); ++d) {
      const Value base = load.operands[d];
      const std::optional<int64_t> stride = Constant(buffer.strides[d]);
      if (!stride) return std::nullopt;
      if (base == reading.loop->regions[0].args[0]) {
        along = *stride == 1 && load.steps[d].cols == 1 && load.steps[d].rows == 0;
      } else if (base == turn) {
        ahead += *stride * turns.int_value;
      } else if (!Constant(base)) {
        return std::nullopt;
      }
    }
    if (!along || ahead <= 0) return std::nullopt;
    return ahead;
  }

  static bool SameRow(const Reading& r, const Reading& o) {
    if (r.load->buffer != o.load->buffer || r.pass->operands[0] != o.pass->operands[0] ||
        r.pass->operands[1] != o.pass->operands[1])
      return false;
    const Value was = r.loop->regions[0].args[0], is = o.loop->regions[0].args[0];
    for (size_t d = 0; d < o.load->steps.size(); ++d) {
      const Value a = r.load->operands[d], b = o.load->operands[d];
      if (a != b && !(a == was && b == is)) return false;
    }
    return true;
  }

  Kernel& kernel_;
  std::vector<std::optional<int64_t>> constants_;  // of each value
};

}  // namespace

void FetchRowsAhead(Kernel& kernel) { RowFetcher(kernel).Visit(kernel.top); }

}  // namespace sinter::kernel
