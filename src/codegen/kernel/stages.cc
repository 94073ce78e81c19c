#include "codegen/kernel/stages.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status.h"

namespace sinter::kernel {
namespace {

std::optional<int64_t> ConstantIn(const Kernel& kernel, Value v) {
  for (const Op& op : kernel.top.ops)
    if (op.code == OpCode::kConst && op.results[0] == v) return op.int_value;
  return std::nullopt;
}

class UseScanner {
 public:
  explicit UseScanner(const Kernel& kernel) : kernel_(kernel) {
    use.values.resize(kernel.types.size());
    use.buffers.resize(kernel.buffers.size());
    use.written.resize(kernel.buffers.size());
  }
  void Scan(const Op& op) {
    Add(op.operands);
    if (op.buffer >= 0) {
      const auto b = static_cast<size_t>(op.buffer);
      use.buffers[b] = true;
      if (op.code == OpCode::kStore) use.written[b] = true;
      Add(kernel_.buffers[b].strides);
    }
    for (const Block& region : op.regions) {
      Add(region.yield);
      for (const Op& inner : region.ops) Scan(inner);
    }
  }

  StageUse use;

 private:
  void Add(const Values& values) {
    for (Value v : values) use.values[static_cast<size_t>(v)] = true;
  }
  const Kernel& kernel_;
};

// Index arithmetic of a kernel's top on given parameters: enough for the bounds of its stages.
class TopEvaluator {
 public:
  TopEvaluator(const Kernel& kernel, absl::Span<const int64_t> params)
      : values_(kernel.types.size()) {
    for (size_t i = 0; i < kernel.params.size() && i < params.size(); i++)
      values_[static_cast<size_t>(kernel.params[i].value)] = params[i];
    for (const Op& op : kernel.top.ops)
      if (op.results.size() == 1 && op.regions.empty())
        values_[static_cast<size_t>(op.results[0])] = Evaluate(op);
  }
  std::optional<int64_t> operator[](Value v) const { return values_[static_cast<size_t>(v)]; }

 private:
  std::optional<int64_t> Evaluate(const Op& op) const {
    if (op.code == OpCode::kConst) return op.int_value;
    if (op.operands.size() != 2) return std::nullopt;
    const auto a = (*this)[op.operands[0]], b = (*this)[op.operands[1]];
    if (!a || !b) return std::nullopt;
    const auto x = static_cast<uint64_t>(*a), y = static_cast<uint64_t>(*b);
    const bool divides = *b != 0 && *b != -1;
    switch (op.code) {
      case OpCode::kAdd:
        return static_cast<int64_t>(x + y);
      case OpCode::kSub:
        return static_cast<int64_t>(x - y);
      case OpCode::kMul:
        return static_cast<int64_t>(x * y);
      case OpCode::kDiv:
        if (!divides) return *b == 0 ? -1 : static_cast<int64_t>(0 - x);
        return *a / *b;
      case OpCode::kRem:
        if (!divides) return *b == 0 ? *a : 0;
        return *a % *b;
      case OpCode::kMin:
        return std::min(*a, *b);
      case OpCode::kMax:
        return std::max(*a, *b);
      default:
        return std::nullopt;
    }
  }

  std::vector<std::optional<int64_t>> values_;
};

}  // namespace

absl::StatusOr<std::vector<const Op*>> StagesOf(const Kernel& kernel) {
  std::vector<const Op*> stages;
  for (const Op& op : kernel.top.ops) {
    if (IsStage(op)) {
      RETURN_INTERNAL_IF(op.operands.size() != 2, "kernel {}: a stage carries values", kernel.name);
      RETURN_INTERNAL_IF(op.int_value <= 0, "kernel {}: a stage steps by {}", kernel.name,
                         op.int_value);
      stages.push_back(&op);
      continue;
    }
    RETURN_INTERNAL_IF(op.results.empty(), "kernel {}: {} outside a stage", kernel.name,
                       Name(op.code));
  }
  return stages;
}

Kernel WithStages(const Kernel& kernel, absl::Span<const size_t> stages) {
  Kernel part = {kernel.name,   kernel.lanes, kernel.types,   kernel.buffers,
                 kernel.params, kernel.warps, kernel.layouts, {}};
  part.top.args = kernel.top.args;
  part.top.yield = kernel.top.yield;
  size_t stage = 0;
  for (const Op& op : kernel.top.ops) {
    if (!IsStage(op) || absl::c_binary_search(stages, stage++)) part.top.ops.push_back(op);
  }
  return part;
}

std::vector<int> LaunchBuffers(const Kernel& kernel) {
  std::vector<int> order;
  for (size_t i = 0; i < kernel.buffers.size(); i++) {
    const Space space = kernel.buffers[i].space;
    if (space == Space::kArgument || space == Space::kScratch) order.push_back(static_cast<int>(i));
  }
  return order;
}

std::optional<int64_t> BufferBytes(const Kernel& kernel, const Buffer& buffer) {
  int64_t bytes = ByteWidth(buffer.elem);
  for (Value extent : buffer.shape) {
    const auto n = ConstantIn(kernel, extent);
    if (!n) return std::nullopt;
    bytes *= *n;
  }
  return bytes;
}

absl::StatusOr<TaskMemory> LayOutTaskMemory(const Kernel& kernel, int64_t align, bool apart) {
  constexpr int64_t kPage = 4096;
  TaskMemory memory;
  for (const Buffer& buffer : kernel.buffers) {
    if (buffer.space != Space::kTask) {
      memory.offsets.push_back(-1);
      continue;
    }
    int64_t last = 0;
    bool empty = false;
    for (size_t d = 0; d < buffer.shape.size(); d++) {
      const auto extent = ConstantIn(kernel, buffer.shape[d]);
      const auto stride = ConstantIn(kernel, buffer.strides[d]);
      RETURN_INTERNAL_IF(!extent || !stride, "kernel {}: task buffer {} is not of constant size",
                         kernel.name, buffer.name);
      empty |= *extent <= 0;
      last += (*extent - 1) * *stride;
    }
    const int64_t bytes = empty ? 0 : (last + 1) * ByteWidth(buffer.elem);
    // A processor takes a load for one of what was just stored a multiple of a page away.
    if (apart && bytes >= kPage)
      memory.bytes += align * (2 * static_cast<int64_t>(memory.offsets.size()) % 16 + 1);
    memory.offsets.push_back(memory.bytes);
    memory.bytes += (bytes + align - 1) / align * align;
  }
  return memory;
}

bool StageUse::Uses(const Op& op) const {
  return std::any_of(op.results.begin(), op.results.end(),
                     [&](Value v) { return values[static_cast<size_t>(v)]; });
}

StageUse UseOf(const Kernel& kernel, const Op& stage) {
  UseScanner scanner(kernel);
  scanner.Scan(stage);
  const auto& ops = kernel.top.ops;
  for (auto op = ops.rbegin(); op != ops.rend(); ++op)
    if (!IsStage(*op) && scanner.use.Uses(*op)) scanner.Scan(*op);
  return std::move(scanner.use);
}

std::optional<int64_t> TasksOf(const Kernel& kernel, const Op& stage,
                               absl::Span<const int64_t> params) {
  const TopEvaluator top(kernel, params);
  const auto lo = top[stage.operands[0]], hi = top[stage.operands[1]];
  if (!lo || !hi) return std::nullopt;
  if (*hi <= *lo) return 0;
  return (*hi - *lo + stage.int_value - 1) / stage.int_value;
}

}  // namespace sinter::kernel
