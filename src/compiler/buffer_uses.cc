#include "compiler/buffer_uses.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "codegen/kernel/stages.h"
#include "ir/analysis/interval.h"

namespace sinter::compiler {
namespace {

using kernel::Block;
using kernel::Buffer;
using kernel::Kernel;
using kernel::kIndexType;
using kernel::Op;
using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using program::BufferUse;
using program::Share;

// The elements of a buffer, in its memory, that an access goes to in all turns of the loops around
// it, and how often it does; nothing where that depends on data.
struct Touched {
  int buffer;
  bool is_store;
  std::optional<Interval> elements;
  double times;
};

// Index arithmetic on intervals, for some of a stage's tasks.
class Walk {
 public:
  explicit Walk(const Kernel& kernel) : kernel_(kernel), ranges_(kernel.types.size()) {}

  std::vector<Touched> Of(const Op& stage, int64_t first, int64_t last) {
    for (const Op& op : kernel_.top.ops)
      if (op.regions.empty()) Evaluate(op);
    const std::optional<Interval> lo = RangeOf(stage.operands[0]);
    const double tasks = static_cast<double>(last - first);
    const int64_t begin = lo ? lo->lo : 0;
    RangeOf(stage.regions[0].args[0]) =
        Interval{begin + first * stage.int_value, begin + (last - 1) * stage.int_value + 1};
    Visit(stage.regions[0], tasks);
    return std::move(touched_);
  }

 private:
  std::optional<Interval>& RangeOf(Value v) { return ranges_[static_cast<size_t>(v)]; }

  void Visit(const Block& block, double times) {
    for (const Op& op : block.ops) {
      if (op.code == OpCode::kLoad || op.code == OpCode::kStore) {
        Touch(op, times);
      } else if (op.code == OpCode::kFor) {
        Visit(op.regions[0], times * Enter(op));
      } else if (!op.regions.empty()) {
        for (const Block& region : op.regions) Visit(region, times);
      } else {
        Evaluate(op);
      }
    }
  }

  // The turns of a loop.
  double Enter(const Op& loop) {
    std::optional<Interval>& iv = RangeOf(loop.regions[0].args[0]);
    iv.reset();
    const std::optional<Interval> lo = RangeOf(loop.operands[0]), hi = RangeOf(loop.operands[1]);
    if (!lo || !hi || hi->hi - 1 <= lo->lo) return 1;
    iv = Interval{lo->lo, hi->hi - 1};
    // Of bounds that go with the tasks, the mean extent.
    const int64_t extent = std::max<int64_t>(1, hi->lo - lo->lo);
    return static_cast<double>((extent + loop.int_value - 1) / loop.int_value);
  }

  void Touch(const Op& op, double times) {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
    const bool is_store = op.code == OpCode::kStore;
    const size_t from = is_store ? 1 : 0;
    const Type& tile = kernel_.type(is_store ? op.operands[0] : op.results[0]);
    std::optional<Interval> all = Interval::Of(0);
    for (size_t d = 0; d < op.steps.size() && all; ++d) {
      const Value index = op.operands[from + d];
      const std::optional<Interval> at = kernel_.type(index).is_scalar() ? RangeOf(index)
                                                                         : std::nullopt,
                                    stride = RangeOf(buffer.strides[d]);
      if (!at || !stride) {
        all.reset();
        break;
      }
      const int64_t rows = op.steps[d].rows * int64_t{tile.rows - 1},
                    cols = op.steps[d].cols * int64_t{tile.cols - 1};
      const Interval in_tile{std::min<int64_t>(rows, 0) + std::min<int64_t>(cols, 0),
                             std::max<int64_t>(rows, 0) + std::max<int64_t>(cols, 0) + 1};
      *all = all->Plus(at->Plus(in_tile).Times(stride->lo));
      if (!all->bounded()) all.reset();
    }
    touched_.push_back({op.buffer, is_store, all, times * tile.rows * tile.cols});
  }

  void Evaluate(const Op& op) {
    if (op.results.size() != 1) return;
    std::optional<Interval>& result = RangeOf(op.results[0]);
    result.reset();
    if (op.code == OpCode::kConst) {
      if (kernel_.type(op.results[0]) == kIndexType && IsIndex(op.int_value))
        result = Interval::Of(op.int_value);
      return;
    }
    if (op.operands.size() != 2) return;
    const std::optional<Interval> a = RangeOf(op.operands[0]), b = RangeOf(op.operands[1]);
    if (!a || !b) return;
    const bool is_number = b->size() == 1 && b->lo > 0;
    switch (op.code) {
      case OpCode::kAdd:
        result = a->Plus(*b);
        break;
      case OpCode::kSub:
        result = a->Plus(b->Times(-1));
        break;
      case OpCode::kMul:
        if (b->size() == 1)
          result = a->Times(b->lo);
        else if (a->size() == 1)
          result = b->Times(a->lo);
        break;
      case OpCode::kDiv:
        if (is_number && a->lo >= 0) result = Interval{a->lo / b->lo, (a->hi - 1) / b->lo + 1};
        break;
      case OpCode::kRem:
        if (!is_number || a->lo < 0) break;
        result = a->lo / b->lo == (a->hi - 1) / b->lo
                     ? Interval{a->lo % b->lo, (a->hi - 1) % b->lo + 1}
                     : Interval{0, b->lo};
        break;
      case OpCode::kMin:
        result = Interval{std::min(a->lo, b->lo), std::min(a->hi, b->hi)};
        break;
      case OpCode::kMax:
        result = Interval{std::max(a->lo, b->lo), std::max(a->hi, b->hi)};
        break;
      default:
        break;
    }
    if (result && !(IsIndex(result->lo) && IsIndex(result->hi))) result.reset();
  }
  // Of larger numbers, sums would not fit.
  static bool IsIndex(int64_t x) {
    constexpr int64_t kMost = int64_t{1} << 60;
    return x > -kMost && x < kMost;
  }

  const Kernel& kernel_;
  std::vector<std::optional<Interval>> ranges_;  // by value
  std::vector<Touched> touched_;
};

// What halves of the tasks use of a buffer of so many elements by one access.
Share ShareOf(const Touched& first, const Touched& second, int64_t elements) {
  if (!first.elements || !second.elements) return Share::kAll;
  const int64_t slack = elements / 8, half = elements / 2;
  const auto most = static_cast<double>(elements);
  // What is too little to count.
  if (std::max(first.times, second.times) <= most / 64) return Share::kNone;
  if (first.elements->IsIn({INT64_MIN, half + slack}) &&
      second.elements->IsIn({half - slack, INT64_MAX}))
    return Share::kOwn;
  return std::max(first.times, second.times) <= 0.75 * most ? Share::kApart : Share::kAll;
}

}  // namespace

std::vector<BufferUse> UsesOf(const Kernel& kernel, const Op& stage) {
  const std::vector<int> buffers = kernel::LaunchBuffers(kernel);
  std::vector<BufferUse> uses(buffers.size());
  const int64_t tasks = kernel::TasksOf(kernel, stage, {}).value_or(1);
  const int64_t half = std::max<int64_t>(1, tasks / 2);
  const std::vector<Touched> first = Walk(kernel).Of(stage, 0, half),
                             second = Walk(kernel).Of(stage, std::min(half, tasks - 1), tasks);
  for (size_t b = 0; b < buffers.size(); ++b) {
    const Buffer& buffer = kernel.buffers[static_cast<size_t>(buffers[b])];
    const std::optional<int64_t> bytes = kernel::BufferBytes(kernel, buffer);
    for (size_t k = 0; k < first.size(); ++k) {
      if (first[k].buffer != buffers[b]) continue;
      const Share share =
          bytes ? ShareOf(first[k], second[k], *bytes / ByteWidth(buffer.elem)) : Share::kAll;
      if (share == Share::kNone) continue;
      uses[b].share = std::max(uses[b].share, share);
      uses[b].is_written |= first[k].is_store;
    }
  }
  return uses;
}

}  // namespace sinter::compiler
