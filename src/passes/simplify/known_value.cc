#include "passes/simplify/known_value.h"

#include <algorithm>
#include <cmath>

#include "absl/container/flat_hash_map.h"
#include "eval/eval.h"

namespace sinter {
namespace {

constexpr int64_t kMostElements = 1 << 16;
constexpr size_t kMostInstructions = 64;

// Operations of one result that depends on operands alone.
bool IsPure(const HloInstruction& i) {
  return i.called().empty() && !i.HasSideEffect() &&
         (IsElementwise(i.op()) || Info(i.op()).kind == OpKind::kIndexMap);
}

class Evaluation {
 public:
  const Literal* ValueOf(const HloInstruction* i) {
    if (i->op() == HloOpcode::Constant) return &i->literal();
    auto [known, is_new] = values_.try_emplace(i, nullptr);
    if (!is_new) return known->second.get();
    const Shape& s = i->shape();
    if (!s.is_array() || !(IsInteger(s.element_type()) || s.element_type() == ElementType::PRED) ||
        s.element_count() > kMostElements || !IsPure(*i) || values_.size() > kMostInstructions)
      return nullptr;
    std::vector<const Literal*> operands;
    for (const HloInstruction* o : i->operands()) {
      operands.push_back(ValueOf(o));
      if (operands.back() == nullptr) return nullptr;
    }
    absl::StatusOr<Literal> value = EvaluateInstruction(*i, operands);
    if (!value.ok()) return nullptr;
    return (values_[i] = std::make_unique<Literal>(*std::move(value))).get();
  }

 private:
  absl::flat_hash_map<const HloInstruction*, std::unique_ptr<Literal>> values_;
};

}  // namespace

std::optional<Literal> KnownIntegers(const HloInstruction* i) {
  if (!i->shape().is_array() || !IsInteger(i->shape().element_type()) ||
      i->shape().element_count() > kMostElements)
    return std::nullopt;
  Evaluation evaluation;
  const Literal* value = evaluation.ValueOf(i);
  if (value == nullptr) return std::nullopt;
  return *value;
}

int64_t IndexAt(const Literal& values, int64_t k) {
  constexpr double kLarge = 0x1p62;
  return static_cast<int64_t>(std::clamp(values.GetAsDouble(k), -kLarge, kLarge));
}

std::optional<int64_t> KnownIndex(const HloInstruction* scalar) {
  if (scalar->op() == HloOpcode::Constant) return IndexAt(scalar->literal(), 0);
  const std::optional<Literal> value = KnownIntegers(scalar);
  if (!value) return std::nullopt;
  return IndexAt(*value, 0);
}

std::optional<double> SplatOf(const HloInstruction* i) {
  if (i->op() == HloOpcode::Broadcast && i->operand(0)->shape().is_scalar()) i = i->operand(0);
  if (i->op() != HloOpcode::Constant || !i->shape().is_scalar() ||
      IsComplex(i->shape().element_type()))
    return std::nullopt;
  return i->literal().GetAsDouble(0);
}

bool IsSplat(const HloInstruction* i, double value) {
  const std::optional<double> s = SplatOf(i);
  return s && *s == value && std::signbit(*s) == std::signbit(value);
}

}  // namespace sinter
