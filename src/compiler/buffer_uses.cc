#include "compiler/buffer_uses.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "codegen/kernel/stages.h"
#include "ir/analysis/interval.h"

namespace sinter::compiler {
namespace {

using kernel::Block;
using kernel::Buffer;
using kernel::Kernel;
using kernel::kIndexType;
using kernel::kNone;
using kernel::Op;
using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using program::BufferUse;
using program::Share;
using program::TaskRanges;

constexpr Type kPredicate{ElementType::PRED};

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
  explicit Walk(const Kernel& kernel)
      : kernel_(kernel), ranges_(kernel.types.size()), loops_(kernel.types.size(), kNone) {
    for (const Op& op : kernel_.top.ops)
      if (op.regions.empty()) Evaluate(op);
  }

  // Of some of a stage's tasks. The accesses are the same in the same order, whatever the tasks.
  const std::vector<Touched>& Of(const Op& stage, int64_t first, int64_t last) {
    touched_.clear();
    const std::optional<Interval> lo = RangeOf(stage.operands[0]);
    const double tasks = static_cast<double>(last - first);
    const int64_t begin = lo ? lo->lo : 0;
    RangeOf(stage.regions[0].args[0]) =
        Interval{begin + first * stage.int_value, begin + (last - 1) * stage.int_value + 1};
    Visit(stage.regions[0], tasks);
    return touched_;
  }

 private:
  std::optional<Interval>& RangeOf(Value v) { return ranges_[static_cast<size_t>(v)]; }
  Value& LoopOf(Value v) { return loops_[static_cast<size_t>(v)]; }

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
    // Where steps fill the range, the last one begins a step before its end.
    if (lo->size() == 1 && hi->size() == 1 && (hi->lo - lo->lo) % loop.int_value == 0)
      iv->hi -= loop.int_value - 1;
    LoopOf(loop.regions[0].args[0]) = loop.regions[0].args[0];
    // Of bounds that go with the tasks, the mean extent.
    const int64_t extent = std::max<int64_t>(1, hi->lo - lo->lo);
    return static_cast<double>((extent + loop.int_value - 1) / loop.int_value);
  }

  void Touch(const Op& op, double times) {
    const Buffer& buffer = kernel_.buffers[static_cast<size_t>(op.buffer)];
    const bool is_store = op.code == OpCode::kStore;
    const size_t from = is_store ? 1 : 0;
    const Type& tile = kernel_.type(is_store ? op.operands[0] : op.results[0]);
    const Value mask = !op.masked ? kNone : op.operands[op.operands.size() - (is_store ? 1 : 2)];
    if (mask != kNone && IsFalse(mask)) {
      touched_.push_back({op.buffer, is_store, Interval{0, 0}, 0});
      return;
    }
    const Value cut = mask != kNone ? CutAt(mask) : kNone;
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
      // Of columns that a mask cuts where the loop ends that their index goes with, the loop's own
      // turns are all.
      const bool is_cut = cut != kNone && LoopOf(index) == cut && op.steps[d].cols == 1;
      const int64_t rows = op.steps[d].rows * int64_t{tile.rows - 1},
                    cols = is_cut ? 0 : op.steps[d].cols * int64_t{tile.cols - 1};
      const Interval in_tile{std::min<int64_t>(rows, 0) + std::min<int64_t>(cols, 0),
                             std::max<int64_t>(rows, 0) + std::max<int64_t>(cols, 0) + 1};
      *all = all->Plus(at->Plus(in_tile).Times(stride->lo));
      if (!all->bounded()) all.reset();
    }
    touched_.push_back({op.buffer, is_store, all, times * tile.rows * tile.cols});
  }

  // The loop at whose end a mask cuts the columns that begin at its turns; else none.
  Value CutAt(Value mask) {
    const Op* of = MaskOf(mask);
    if (of == nullptr || of->axis != kernel::Axis::kCols) return kNone;
    const Value loop = LoopOf(of->operands[0]);
    if (loop != of->operands[0]) return kNone;  // which may begin before the loop's turn
    const std::optional<Interval> end = RangeOf(of->operands[1]), turns = RangeOf(loop);
    return end && turns && end->hi - 1 <= turns->hi ? loop : kNone;
  }

  void Evaluate(const Op& op) {
    if (op.results.size() != 1) return;
    const Value value = op.results[0];
    std::optional<Interval>& result = RangeOf(value);
    result.reset();
    LoopOf(value) = kNone;
    switch (op.code) {
      case OpCode::kConst:
        if ((kernel_.type(value) == kIndexType && IsIndex(op.int_value)) ||
            kernel_.type(value) == kPredicate)
          result = Interval::Of(op.int_value);
        return;
      case OpCode::kMask:
        masks_[value] = &op;
        return;
      case OpCode::kSelect:
        result = Selected(op);
        return;
      default:
        break;
    }
    if (op.operands.size() != 2) return;
    const Value x = op.operands[0], y = op.operands[1];
    const std::optional<Interval> a = RangeOf(x), b = RangeOf(y);
    if (op.code == OpCode::kAnd && kernel_.type(value).elem == ElementType::PRED) {
      // Of tiles, what is known is that one side is all false.
      if (IsFalse(x) || IsFalse(y)) {
        result = Interval::Of(0);
      } else if (const Op* mask = MaskOf(x) != nullptr ? MaskOf(x) : MaskOf(y)) {
        masks_[value] = mask;
      }
      return;
    }
    if (!a || !b) return;
    const bool is_number = b->size() == 1 && b->lo > 0;
    switch (op.code) {
      case OpCode::kAdd:
        result = a->Plus(*b);
        if (a->size() == 1 || b->size() == 1) LoopOf(value) = LoopOf(b->size() == 1 ? x : y);
        break;
      case OpCode::kSub:
        result = a->Plus(b->Times(-1));
        if (b->size() == 1) LoopOf(value) = LoopOf(x);
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
      case OpCode::kXor:
        if (kernel_.type(value) == kPredicate && a->size() == 1 && b->size() == 1)
          result = Interval::Of(a->lo ^ b->lo);
        break;
      case OpCode::kCmp:
        if (kernel_.type(x) == kIndexType) result = Compared(op.predicate, *a, *b);
        break;
      default:
        break;
    }
    if (result && !(IsIndex(result->lo) && IsIndex(result->hi))) result.reset();
  }

  bool IsFalse(Value predicate) { return RangeOf(predicate) == Interval::Of(0); }
  const Op* MaskOf(Value v) const {
    const auto known = masks_.find(v);
    return known != masks_.end() ? known->second : nullptr;
  }
  // Where it is the same for all.
  static std::optional<Interval> Compared(kernel::Predicate predicate, const Interval& a,
                                          const Interval& b) {
    const bool less = a.hi <= b.lo, greater = b.hi <= a.lo;  // of all
    const bool at_most = a.hi - 1 <= b.lo, at_least = b.hi - 1 <= a.lo;
    auto know = [](bool is, bool is_not) -> std::optional<Interval> {
      if (is || is_not) return Interval::Of(is ? 1 : 0);
      return std::nullopt;
    };
    switch (predicate) {
      case kernel::Predicate::kLt:
        return know(less, at_least);
      case kernel::Predicate::kLe:
        return know(at_most, greater);
      case kernel::Predicate::kGt:
        return know(greater, at_most);
      case kernel::Predicate::kGe:
        return know(at_least, less);
      case kernel::Predicate::kEq:
        return know(at_most && at_least, less || greater);
      case kernel::Predicate::kNe:
        return know(less || greater, at_most && at_least);
    }
    return std::nullopt;
  }
  std::optional<Interval> Selected(const Op& op) {
    const std::optional<Interval> which = RangeOf(op.operands[0]), a = RangeOf(op.operands[1]),
                                  b = RangeOf(op.operands[2]);
    if (which && which->size() == 1) return which->lo != 0 ? a : b;
    if (!a || !b) return std::nullopt;
    return Interval{std::min(a->lo, b->lo), std::max(a->hi, b->hi)};
  }
  // Of larger numbers, sums would not fit.
  static bool IsIndex(int64_t x) {
    constexpr int64_t kMost = int64_t{1} << 60;
    return x > -kMost && x < kMost;
  }

  const Kernel& kernel_;
  std::vector<std::optional<Interval>> ranges_;  // by value; of predicates, [0, 2)
  // By value: the counter of the loop that it goes with, turn by turn one more; else none.
  std::vector<Value> loops_;
  absl::flat_hash_map<Value, const Op*> masks_;  // of values that are false where they are
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

// Joins accesses of one kind to one buffer whose ranges together are one for each task.
std::vector<TaskRanges> Joined(const std::vector<TaskRanges>& ranges) {
  auto join = [](TaskRanges& into, const TaskRanges& more) {
    if (into.buffer != more.buffer || into.is_written != more.is_written) return false;
    for (size_t k = 0; k < more.bounds.size(); k += 2) {
      if (more.bounds[k] > into.bounds[k + 1] || into.bounds[k] > more.bounds[k + 1]) return false;
    }
    for (size_t k = 0; k < more.bounds.size(); k += 2) {
      into.bounds[k] = std::min(into.bounds[k], more.bounds[k]);
      into.bounds[k + 1] = std::max(into.bounds[k + 1], more.bounds[k + 1]);
    }
    return true;
  };
  std::vector<TaskRanges> joined;
  for (const TaskRanges& r : ranges) {
    if (std::none_of(joined.begin(), joined.end(), [&](TaskRanges& j) { return join(j, r); }))
      joined.push_back(r);
  }
  return joined;
}

}  // namespace

std::vector<BufferUse> UsesOf(const Kernel& kernel, const Op& stage) {
  const std::vector<int> buffers = kernel::LaunchBuffers(kernel);
  std::vector<BufferUse> uses(buffers.size());
  const int64_t tasks = kernel::TasksOf(kernel, stage, {}).value_or(1);
  const int64_t half = std::max<int64_t>(1, tasks / 2);
  Walk walk(kernel);
  const std::vector<Touched> first = walk.Of(stage, 0, half),
                             second = walk.Of(stage, std::min(half, tasks - 1), tasks);
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

std::vector<TaskRanges> RangesOf(const Kernel& kernel, const Op& stage,
                                 absl::Span<const int64_t> sizes, int64_t most_tasks) {
  const std::vector<int> buffers = kernel::LaunchBuffers(kernel);
  const int64_t tasks = kernel::TasksOf(kernel, stage, {}).value_or(most_tasks + 1);
  std::vector<TaskRanges> ranges;
  if (tasks > most_tasks || buffers.size() != sizes.size()) return ranges;
  Walk walk(kernel);
  for (int64_t t = 0; t < tasks; ++t) {
    size_t entry = 0;
    for (const Touched& touched : walk.Of(stage, t, t + 1)) {
      const auto place = std::find(buffers.begin(), buffers.end(), touched.buffer);
      if (place == buffers.end()) continue;  // a task's own memory, or constants
      const auto b = static_cast<int>(place - buffers.begin());
      const Buffer& buffer = kernel.buffers[static_cast<size_t>(touched.buffer)];
      const int64_t size = sizes[static_cast<size_t>(b)];
      Interval bytes{0, size};
      if (touched.elements) {
        const int64_t width = ByteWidth(buffer.elem);
        bytes = Interval{touched.elements->lo * width, touched.elements->hi * width}.And(bytes);
      }
      if (t == 0) ranges.push_back({b, touched.is_store, {}});
      std::vector<int64_t>& bounds = ranges[entry++].bounds;
      // Nothing lies where the task before is, so that bounds ascend.
      const int64_t none = bounds.empty() ? 0 : bounds[bounds.size() - 2];
      bounds.push_back(bytes.empty() ? none : bytes.lo);
      bounds.push_back(bytes.empty() ? none : bytes.hi);
    }
  }
  return Joined(ranges);
}

}  // namespace sinter::compiler
