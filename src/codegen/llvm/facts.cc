#include "codegen/llvm/facts.h"

#include <algorithm>

namespace sinter::codegen {
namespace {

using kernel::Op;
using kernel::OpCode;

void Visit(const kernel::Block& block, std::vector<const Op*>& definition,
           std::vector<const Op*>& loop_of) {
  for (const Op& op : block.ops) {
    for (kernel::Value v : op.results) definition[static_cast<size_t>(v)] = &op;
    if (op.code == OpCode::kFor) loop_of[static_cast<size_t>(op.regions[0].args[0])] = &op;
    for (const kernel::Block& region : op.regions) Visit(region, definition, loop_of);
  }
}

}  // namespace

Facts::Facts(const kernel::Kernel& kernel)
    : definition_(kernel.types.size()), loop_of_(kernel.types.size()) {
  Visit(kernel.top, definition_, loop_of_);
}

std::optional<int64_t> Facts::Constant(kernel::Value v) const {
  const Op* op = Definition(v);
  if (op == nullptr || op->code != OpCode::kConst) return std::nullopt;
  return op->int_value;
}

// By rewriting v towards the limit. Sums and multiples of indices do not wrap: they stay within
// dimensions.
bool Facts::Below(kernel::Value v, int64_t plus, kernel::Value limit, int64_t factor,
                  int depth) const {
  if (v == limit && factor == 1) return plus <= 0;
  if (depth == 0) return false;
  auto below = [&](kernel::Value x, int64_t n) { return Below(x, n, limit, factor, depth - 1); };
  const auto value = Constant(v);
  if (value) {
    const auto end = Constant(limit);
    return end && factor * (*value + plus) <= *end;
  }
  if (const Op* end = Definition(limit); end != nullptr) {
    auto within = [&](kernel::Value x, int64_t n) { return Below(v, n, x, factor, depth - 1); };
    if (end->code == OpCode::kMin && within(end->operands[0], plus) &&
        within(end->operands[1], plus))
      return true;
    if (end->code == OpCode::kAdd) {
      for (int i = 0; i < 2; i++) {
        const auto term = Constant(end->operands[static_cast<size_t>(i)]);
        if (term && *term % factor == 0 &&
            within(end->operands[static_cast<size_t>(1 - i)], plus - *term / factor))
          return true;
      }
    }
    if (end->code == OpCode::kMul) {
      for (int i = 0; i < 2; i++) {
        if (Constant(end->operands[static_cast<size_t>(i)]) == factor &&
            Below(v, plus, end->operands[static_cast<size_t>(1 - i)], 1, depth - 1))
          return true;
      }
    }
  }
  if (const Op* loop = loop_of_[static_cast<size_t>(v)]; loop != nullptr) {
    const bool full = std::find(full_.begin(), full_.end(), loop) != full_.end();
    return below(loop->operands[1], plus - (full ? loop->int_value : 1));
  }
  const Op* op = Definition(v);
  if (op == nullptr) return false;
  switch (op->code) {
    case OpCode::kAdd:
      for (int i = 0; i < 2; i++) {
        const auto term = Constant(op->operands[static_cast<size_t>(i)]);
        if (term) return below(op->operands[static_cast<size_t>(1 - i)], plus + *term);
      }
      return false;
    case OpCode::kSub: {
      const auto term = Constant(op->operands[1]);
      return term && below(op->operands[0], plus - *term);
    }
    case OpCode::kMul:  // k * x + plus <= k * (x + plus / k, rounded up)
      for (int i = 0; i < 2; i++) {
        const auto k = Constant(op->operands[static_cast<size_t>(i)]);
        if (k && *k > 0)
          return Below(op->operands[static_cast<size_t>(1 - i)],
                       plus / *k + (plus > 0 && plus % *k != 0 ? 1 : 0), limit, factor * *k,
                       depth - 1);
      }
      return false;
    case OpCode::kMin:
      return below(op->operands[0], plus) || below(op->operands[1], plus);
    case OpCode::kMax:
      return below(op->operands[0], plus) && below(op->operands[1], plus);
    default:
      return false;
  }
}

}  // namespace sinter::codegen
