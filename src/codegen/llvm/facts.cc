#include "codegen/llvm/facts.h"

#include <algorithm>
#include <numeric>

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
    : kernel_(kernel),
      multiple_(kernel.types.size(), -1),
      definition_(kernel.types.size()),
      loop_of_(kernel.types.size()) {
  Visit(kernel.top, definition_, loop_of_);
}

std::optional<int64_t> Facts::Constant(kernel::Value v) const {
  const Op* op = Definition(v);
  if (op == nullptr || op->code != OpCode::kConst) return std::nullopt;
  return op->int_value;
}

int64_t Facts::MultipleOf(kernel::Value v) const {
  int64_t& known = multiple_[static_cast<size_t>(v)];
  if (known < 0) {
    known = 1;  // while it is being looked for
    const int64_t found = FindMultiple(v);
    multiple_[static_cast<size_t>(v)] = found == 0 ? 0 : std::gcd(found, kMaxMultiple);
  }
  return multiple_[static_cast<size_t>(v)];
}

int64_t Facts::FindMultiple(kernel::Value v) const {
  auto of = [&](kernel::Value x) { return MultipleOf(x); };
  if (const auto value = Constant(v)) return *value;
  for (const kernel::Param& p : kernel_.params)
    if (p.value == v) return std::max<int64_t>(p.multiple, 1);
  if (const Op* loop = LoopOf(v)) return std::gcd(of(loop->operands[0]), loop->int_value);
  const Op* op = Definition(v);
  if (op == nullptr) return 1;
  switch (op->code) {
    case OpCode::kAdd:
    case OpCode::kSub:
    case OpCode::kMin:
    case OpCode::kMax:
      return std::gcd(of(op->operands[0]), of(op->operands[1]));
    case OpCode::kMul:
      return of(op->operands[0]) * of(op->operands[1]);
    case OpCode::kSelect:
      return std::gcd(of(op->operands[1]), of(op->operands[2]));
    case OpCode::kDiv:
    case OpCode::kRem: {
      const auto by = Constant(op->operands[1]);
      if (!by || *by <= 0) return 1;
      if (op->code == OpCode::kRem) return std::gcd(of(op->operands[0]), *by);
      // Only where it divides without rest is the quotient known; and only powers of two count.
      const int64_t multiple = of(op->operands[0]);
      return multiple % *by == 0 ? multiple / *by : 1;
    }
    default:
      return 1;
  }
}

// v + plus <= limit, by rewriting v towards the limit. Sums of indices do not wrap: they stay
// within dimensions.
bool Facts::Below(kernel::Value v, int64_t plus, kernel::Value limit, int depth) const {
  if (v == limit) return plus <= 0;
  if (depth == 0) return false;
  auto below = [&](kernel::Value x, int64_t n) { return Below(x, n, limit, depth - 1); };
  const auto value = Constant(v);
  if (value) {
    const auto end = Constant(limit);
    return end && *value + plus <= *end;
  }
  if (const Op* loop = loop_of_[static_cast<size_t>(v)]; loop != nullptr) {
    if (std::find(full_.begin(), full_.end(), loop) == full_.end()) return false;
    return below(loop->operands[1], plus - loop->int_value);
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
    case OpCode::kMin:
      return below(op->operands[0], plus) || below(op->operands[1], plus);
    case OpCode::kMax:
      return below(op->operands[0], plus) && below(op->operands[1], plus);
    default:
      return false;
  }
}

}  // namespace sinter::codegen
