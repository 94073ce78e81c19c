#include "codegen/kernel/columns.h"

#include <numeric>

#include "codegen/kernel/stages.h"

namespace sinter::kernel {

Columns::Columns(const Composed& composed, absl::Span<const ItemMemory> memory)
    : k_(composed.kernel), of_buffer_(k_.buffers.size(), -1), begin_(k_.buffers.size(), 0) {
  const std::vector<int> launch = LaunchBuffers(k_);
  std::map<int, int> of_group;
  for (size_t i = 0; i < launch.size(); ++i) {
    const ItemMemory& range = memory[static_cast<size_t>(composed.arguments[i])];
    auto [it, is_new] = of_group.try_emplace(range.group, static_cast<int>(memory_.size()));
    if (is_new) memory_.emplace_back();
    of_buffer_[static_cast<size_t>(launch[i])] = it->second;
    begin_[static_cast<size_t>(launch[i])] = range.begin;
    if (range.outside)
      memory_[static_cast<size_t>(it->second)].outside.emplace_back(range.begin,
                                                                    range.begin + range.bytes);
  }
  for (size_t b = 0; b < k_.buffers.size(); ++b) {
    if (of_buffer_[b] < 0) {
      of_buffer_[b] = static_cast<int>(memory_.size());
      memory_.emplace_back();
    }
    memory_[static_cast<size_t>(of_buffer_[b])].written |= k_.buffers[b].written;
  }
  for (const Op& op : k_.top.ops)
    if (op.code == OpCode::kConst && k_.type(op.results[0]) == kIndexType)
      ints_[op.results[0]] = op.int_value;
}

int64_t Columns::Count(const Block& block) const {
  int64_t n = 0;
  for (const Op& op : block.ops) {
    if (IsColumnLoop(op)) {
      n = std::gcd(n, ints_.at(op.operands[1]) - ints_.at(op.operands[0]));
      continue;
    }
    for (Value v : op.results) {
      if (k_.type(v).cols > 1) n = std::gcd(n, static_cast<int64_t>(k_.type(v).cols));
    }
    for (const Block& region : op.regions) n = std::gcd(n, Count(region));
  }
  return n;
}

bool Columns::IsColumnLoop(const Op& op) const {
  if (op.code != OpCode::kFor || op.operands.size() != 2 || op.int_value <= 1 ||
      !ints_.count(op.operands[0]) || !ints_.count(op.operands[1]))
    return false;
  for (const Op& inner : op.regions[0].ops)
    if (!inner.regions.empty()) return false;
  return true;
}
}  // namespace sinter::kernel
