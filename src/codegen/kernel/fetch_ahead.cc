#include "codegen/kernel/fetch_ahead.h"

#include <algorithm>
#include <optional>

namespace sinter::kernel {
namespace {

// The processor itself prefetches several rows of fewer bytes at a time.
constexpr int64_t kLeastRow = 512;
// The part of the second-level cache that a row may take: in the next pass over it the next row
// must still be there.
constexpr int64_t kRowsInCache = 4;

class RowFetcher {
 public:
  RowFetcher(Kernel& kernel, int64_t l2_bytes)
      : kernel_(kernel), largest_row_(l2_bytes / kRowsInCache), constants_(kernel.types.size()) {
    for (const Op& op : kernel.top.ops) {
      if (op.code == OpCode::kConst && kernel.type(op.results[0]) == kIndexType)
        constants_[static_cast<size_t>(op.results[0])] = op.int_value;
    }
  }

  void Visit(Block& block) {
    for (Op& op : block.ops) {
      if (op.code == OpCode::kFor) VisitLoop(op);
      for (Block& region : op.regions) Visit(region);
    }
  }

 private:
  // A load in a pass over a row, up to the pass's own loop variable: that of its innermost loop,
  // where the pass covers the row in blocks.
  struct RowLoad {
    const Op* pass;
    const Op* innermost;
    Op* load;
    bool fetched = false;  // a later pass does it
  };

  std::optional<int64_t> Constant(Value v) const { return constants_[static_cast<size_t>(v)]; }

  void VisitLoop(Op& loop) {
    const Value iv = loop.regions[0].args[0];
    std::vector<RowLoad> loads;
    for (Op& pass : loop.regions[0].ops) {
      if (pass.code != OpCode::kFor || pass.loop != LoopKind::kSeq) continue;
      Op& innermost = Innermost(pass);
      for (Op& op : innermost.regions[0].ops) {
        if (op.code == OpCode::kLoad) Read(loop, iv, {&pass, &innermost, &op}, loads);
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

  void Read(const Op& loop, Value iv, const RowLoad& row, std::vector<RowLoad>& loads) {
    const std::optional<int64_t> ahead = Ahead(loop, iv, row);
    if (!ahead) return;
    auto earlier =
        std::find_if(loads.begin(), loads.end(), [&](const RowLoad& r) { return SameRow(r, row); });
    if (earlier == loads.end()) {
      loads.push_back(row);
    } else if (earlier->pass != row.pass && !earlier->fetched) {
      row.load->int_value = *ahead;
      earlier->fetched = true;
    }
  }

  // How many elements further on the next iteration reads, where the pass reads a row element by
  // element and the loop goes from row to row.
  std::optional<int64_t> Ahead(const Op& loop, Value iv, const RowLoad& row) const {
    const Op &pass = *row.pass, &load = *row.load;
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(load.buffer)];
    if (buffer.space != Space::kArgument && buffer.space != Space::kScratch) return std::nullopt;
    const std::optional<int64_t> lo = Constant(pass.operands[0]), hi = Constant(pass.operands[1]);
    if (!lo || !hi) return std::nullopt;
    const int64_t bytes = (*hi - *lo) * ByteWidth(buffer.elem);
    if (bytes < kLeastRow || bytes > largest_row_) return std::nullopt;
    int64_t ahead = 0;
    bool along = false;
    for (size_t d = 0; d < load.steps.size(); ++d) {
      const Value base = load.operands[d];
      const std::optional<int64_t> stride = Constant(buffer.strides[d]);
      if (!stride) return std::nullopt;
      if (base == row.innermost->regions[0].args[0]) {
        along = *stride == 1 && load.steps[d].cols == 1 && load.steps[d].rows == 0;
      } else if (base == iv) {
        ahead += *stride * loop.int_value;
      } else if (!Constant(base)) {
        return std::nullopt;
      }
    }
    if (!along || ahead <= 0) return std::nullopt;
    return ahead;
  }

  static bool SameRow(const RowLoad& r, const RowLoad& o) {
    if (r.load->buffer != o.load->buffer || r.pass->operands[0] != o.pass->operands[0] ||
        r.pass->operands[1] != o.pass->operands[1])
      return false;
    const Value was = r.innermost->regions[0].args[0], is = o.innermost->regions[0].args[0];
    for (size_t d = 0; d < o.load->steps.size(); ++d) {
      const Value a = r.load->operands[d], b = o.load->operands[d];
      if (a != b && !(a == was && b == is)) return false;
    }
    return true;
  }

  Kernel& kernel_;
  int64_t largest_row_;                            // bytes
  std::vector<std::optional<int64_t>> constants_;  // of each value
};

}  // namespace

void FetchRowsAhead(Kernel& kernel, int64_t l2_bytes) {
  RowFetcher(kernel, l2_bytes).Visit(kernel.top);
}

}  // namespace sinter::kernel
