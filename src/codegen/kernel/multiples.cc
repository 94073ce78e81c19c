#include "codegen/kernel/multiples.h"

#include <numeric>

namespace sinter::kernel {
namespace {

constexpr int kDepth = 16;  // of index arithmetic that is looked through

void Visit(const Block& block, std::vector<const Op*>& definition, std::vector<const Op*>& loop) {
  for (const Op& op : block.ops) {
    for (Value v : op.results) definition[static_cast<size_t>(v)] = &op;
    if (op.code == OpCode::kFor) loop[static_cast<size_t>(op.regions[0].args[0])] = &op;
    for (const Block& region : op.regions) Visit(region, definition, loop);
  }
}

}  // namespace

Multiples::Multiples(const Kernel& kernel)
    : k_(kernel), definition_(kernel.types.size()), loop_(kernel.types.size()) {
  Visit(kernel.top, definition_, loop_);
}

int64_t Multiples::Of(Value v) const { return Of(v, kDepth); }

int64_t Multiples::Of(Value v, int depth) const {
  if (depth == 0 || k_.type(v) != kIndexType) return 1;
  auto of = [&](Value x) { return Of(x, depth - 1); };
  if (const Op* loop = loop_[static_cast<size_t>(v)])
    return std::gcd(of(loop->operands[0]), loop->int_value);
  const Op* op = definition_[static_cast<size_t>(v)];
  if (op == nullptr) {
    for (const Param& p : k_.params) {
      if (p.value == v) return p.multiple;
    }
    return 1;
  }
  switch (op->code) {
    case OpCode::kConst:
      return op->int_value == INT64_MIN ? 1 : op->int_value < 0 ? -op->int_value : op->int_value;
    case OpCode::kAdd:
    case OpCode::kSub:
    case OpCode::kMin:
    case OpCode::kMax:
      return std::gcd(of(op->operands[0]), of(op->operands[1]));
    case OpCode::kMul: {
      // Powers of two survive a wrap; of others nothing is known beyond this.
      const int64_t a = of(op->operands[0]), b = of(op->operands[1]);
      return a != 0 && b > (int64_t{1} << 31) / a ? 1 : a * b;
    }
    case OpCode::kRem:
      return std::gcd(of(op->operands[0]), of(op->operands[1]));
    case OpCode::kNeg:
      return of(op->operands[0]);
    case OpCode::kSelect:
      return std::gcd(of(op->operands[1]), of(op->operands[2]));
    default:
      return 1;
  }
}

}  // namespace sinter::kernel
