#include "ir/analysis/negative_zero.h"

#include <cmath>

#include "absl/algorithm/container.h"

namespace sinter {
namespace {

constexpr int kMostLooks = 500;
constexpr int64_t kMostInConstant = 1024;

bool HasNoneIn(const Literal& values) {
  const int64_t n = values.shape().element_count();
  if (n > kMostInConstant) return false;
  for (int64_t k = 0; k < n; ++k) {
    const double v = values.GetAsDouble(k);
    if (v == 0 && std::signbit(v)) return false;
  }
  return true;
}

}  // namespace

NegativeZeros::NegativeZeros(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (i->op() != HloOpcode::While) continue;
      const auto [known, is_new] = loops_.try_emplace(i->called(1), i.get());
      if (!is_new) known->second = nullptr;
    }
  }
}

const HloInstruction* NegativeZeros::LoopOf(const HloComputation& body) const {
  const auto found = loops_.find(&body);
  return found == loops_.end() ? nullptr : found->second;
}

bool NegativeZeros::HasNone(const HloInstruction& x) {
  assumed_.clear();
  steps_ = 0;
  return Look(x);
}

bool NegativeZeros::Look(const HloInstruction& x) {
  if (!x.shape().is_array() || ++steps_ > kMostLooks) return false;
  const ElementType type = x.shape().element_type();
  if (IsInteger(type) || type == ElementType::PRED) return true;
  if (!IsFloat(type)) return false;
  auto all = [&](size_t first, size_t count) {
    for (size_t k = first; k < first + count; ++k)
      if (!Look(*x.operand(k))) return false;
    return true;
  };
  switch (x.op()) {
    case HloOpcode::Constant:
      return HasNoneIn(x.literal());
    case HloOpcode::Iota:
    case HloOpcode::Abs:
    case HloOpcode::Exp:
      return true;
    case HloOpcode::Convert: {
      // A narrower type may round to -0.
      const ElementType from = x.operand(0)->shape().element_type();
      return IsInteger(from) || from == ElementType::PRED ||
             (BitWidth(from) < BitWidth(type) && all(0, 1));
    }
    case HloOpcode::Add:
      return Look(*x.operand(0)) || Look(*x.operand(1));
    case HloOpcode::Multiply:
      return x.operand(0) == x.operand(1);
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::DynamicSlice:
    case HloOpcode::Reverse:
    case HloOpcode::Copy:
    case HloOpcode::Gather:
      return all(0, 1);
    case HloOpcode::Pad:
    case HloOpcode::DynamicUpdateSlice:
      return all(0, 2);
    case HloOpcode::Concatenate:
      return all(0, x.operands().size());
    case HloOpcode::Select:
      return all(1, 2);
    case HloOpcode::Scatter:  // that adds to what is none
      return x.called(0)->root()->op() == HloOpcode::Add && all(0, 1);
    case HloOpcode::GetTupleElement: {
      const HloInstruction& of = *x.operand(0);
      const int64_t element = x.attrs<TupleElementAttrs>().index;
      if (of.op() == HloOpcode::Tuple) return Look(*of.operand(static_cast<size_t>(element)));
      if (of.op() == HloOpcode::While) return LookAt(of, element);
      const HloInstruction* loop = of.op() == HloOpcode::Parameter ? LoopOf(*of.parent()) : nullptr;
      return loop != nullptr && LookAt(*loop, element);
    }
    default:
      return false;
  }
}

bool NegativeZeros::LookAt(const HloInstruction& loop, int64_t element) {
  const Carried carried{&loop, element};
  if (absl::c_linear_search(assumed_, carried)) return true;
  const HloInstruction &before = *loop.operand(0), &after = *loop.called(1)->root();
  if (before.op() != HloOpcode::Tuple || after.op() != HloOpcode::Tuple) return false;
  const size_t assumed = assumed_.size();
  assumed_.push_back(carried);
  const auto k = static_cast<size_t>(element);
  if (Look(*before.operand(k)) && Look(*after.operand(k))) return true;
  assumed_.resize(assumed);  // nor what followed from it
  return false;
}

}  // namespace sinter
