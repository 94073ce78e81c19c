#include "ir/analysis/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/ops/comparison.h"

namespace sinter {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN(),
                 kInfinity = std::numeric_limits<double>::infinity();

// What a computation of comparisons does with numbers; nothing where it is another.
class Trial {
 public:
  Trial(const HloComputation& computation, size_t n) : n_(n), order_(computation.PostOrder()) {
    if (computation.parameters().size() != 2 * n) return;
    std::vector<double> constants;
    absl::flat_hash_map<const HloInstruction*, size_t> number;
    for (size_t at = 0; at < order_.size(); ++at) {
      const HloInstruction* i = order_[at];
      if (!IsKnown(*i)) return;
      number[i] = at;
      operands_.emplace_back();
      for (const HloInstruction* o : i->operands()) operands_.back().push_back(number.at(o));
      if (i->op() == HloOpcode::Constant && !IsPredicate(i->shape().element_type()))
        constants.push_back(i->literal().GetAsDouble(0));
    }
    const HloInstruction* root = computation.root();
    if (n > 1 && root->op() != HloOpcode::Tuple) return;
    const size_t last = number.at(root);
    results_ = root->op() == HloOpcode::Tuple ? operands_[last] : std::vector<size_t>{last};
    for (size_t k = 0; k < n; ++k)
      values_.push_back(ValuesOf(computation.parameter(k)->shape().element_type(), constants));
    size_ = 1;
    for (const auto& v : values_) size_ *= v.size();
    constexpr size_t kMost = 64;
    known_ = size_ <= kMost;
  }

  bool known() const { return known_; }
  size_t size() const { return size_; }
  // Component k of element e.
  double Value(size_t e, size_t k) const {
    if (k == 1) return values_[1][e / values_[0].size()];
    return values_[0][e % values_[0].size()];
  }
  // Which element the computation gives for two; nothing if it is none of them.
  std::optional<size_t> Of(size_t a, size_t b) const {
    std::vector<double> x(order_.size());
    for (size_t at = 0; at < order_.size(); ++at)
      x[at] = Evaluate(*order_[at], operands_[at], a, b, x);
    size_t found = 0, scale = 1;
    for (size_t k = 0; k < n_; ++k) {
      const double y = x[results_[k]];
      const auto it = absl::c_find_if(
          values_[k], [&](double v) { return v == y || (std::isnan(v) && std::isnan(y)); });
      if (it == values_[k].end()) return std::nullopt;
      found += scale * static_cast<size_t>(it - values_[k].begin());
      scale *= values_[k].size();
    }
    return found;
  }

 private:
  static bool IsKnown(const HloInstruction& i) {
    const Shape& s = i.shape();
    if (s.is_array() && (!s.is_scalar() || IsComplex(s.element_type()))) return false;
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Select:
      case HloOpcode::Minimum:
      case HloOpcode::Maximum:
      case HloOpcode::Copy:
      case HloOpcode::Broadcast:
      case HloOpcode::Reshape:
      case HloOpcode::IsFinite:
      case HloOpcode::Tuple:
      case HloOpcode::OptimizationBarrier:
        return true;
      case HloOpcode::Constant:
        return s.is_array();
      case HloOpcode::Compare:
        return ComparisonTypeFor(i.attrs<CompareAttrs>().type,
                                 i.operand(0)->shape().element_type()) !=
               ComparisonType::kTotalOrder;
      case HloOpcode::And:
      case HloOpcode::Or:
      case HloOpcode::Xor:
      case HloOpcode::Not:
        return IsPredicate(s.element_type());
      default:
        return false;
    }
  }

  // Of three elements, which are in some order, all that comparisons tell: three numbers on each
  // side of the constants, these, and what is not finite.
  static std::vector<double> ValuesOf(ElementType type, const std::vector<double>& constants) {
    if (IsPredicate(type)) return {0, 1};
    std::vector<double> values;
    auto around = [&](double c) {
      if (!std::isfinite(c)) return;
      for (double step : {-3, -2, -1, 0, 1, 2, 3}) values.push_back(c + step);
    };
    for (double c : constants) around(c);
    if (values.empty()) values = {1, 2, 3};
    if (IsFloat(type)) values.insert(values.end(), {-kInfinity, kInfinity});
    absl::c_sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (IsFloat(type)) values.push_back(kNan);
    return values;
  }

  double Evaluate(const HloInstruction& i, const std::vector<size_t>& operands, size_t a, size_t b,
                  const std::vector<double>& x) const {
    auto operand = [&](size_t k) { return x[operands[k]]; };
    switch (i.op()) {
      case HloOpcode::Parameter: {
        const auto number = static_cast<size_t>(i.attrs<ParameterAttrs>().number);
        return number < n_ ? Value(a, number) : Value(b, number - n_);
      }
      case HloOpcode::Constant:
        return i.literal().GetAsDouble(0);
      case HloOpcode::Select:
        return operand(0) != 0 ? operand(1) : operand(2);
      case HloOpcode::Minimum:
        return std::isnan(operand(0)) || std::isnan(operand(1)) ? kNan
                                                                : std::min(operand(0), operand(1));
      case HloOpcode::Maximum:
        return std::isnan(operand(0)) || std::isnan(operand(1)) ? kNan
                                                                : std::max(operand(0), operand(1));
      case HloOpcode::IsFinite:
        return std::isfinite(operand(0)) ? 1 : 0;
      case HloOpcode::Compare:
        return Holds(i.attrs<CompareAttrs>().direction, operand(0), operand(1)) ? 1 : 0;
      case HloOpcode::And:
        return operand(0) * operand(1);
      case HloOpcode::Or:
        return std::max(operand(0), operand(1));
      case HloOpcode::Xor:
        return operand(0) != operand(1) ? 1 : 0;
      case HloOpcode::Not:
        return 1 - operand(0);
      case HloOpcode::Tuple:
        return 0;
      default:
        return operand(0);
    }
  }
  const size_t n_;
  const std::vector<HloInstruction*> order_;
  std::vector<std::vector<size_t>> operands_;  // of each instruction, by their place in the order
  std::vector<size_t> results_;
  std::vector<std::vector<double>> values_;  // of each component of an element
  size_t size_ = 0;
  bool known_ = false;
};

// Whether element a comes before b among the greatest (or least) numbers: NaNs, then by size, then
// by index.
bool IsChosen(const Trial& trial, bool greatest, size_t a, size_t b) {
  const double x = trial.Value(a, 0), y = trial.Value(b, 0);
  if (std::isnan(x) != std::isnan(y)) return std::isnan(x);
  if (!std::isnan(x) && x != y) return greatest ? x > y : x < y;
  return trial.Value(a, 1) < trial.Value(b, 1);
}

// What a computation gives for every two of the elements of its trial.
class Table {
 public:
  Table(const HloComputation& computation, size_t n) : n_(n), trial_(computation, n) {
    if (n == 0 || n > 2 || !trial_.known()) return;
    size_ = trial_.size();
    for (size_t a = 0; a < size_; ++a) {
      for (size_t b = 0; b < size_; ++b) {
        const std::optional<size_t> c = trial_.Of(a, b);
        if (!c) {
          size_ = 0;
          return;
        }
        chosen_.push_back(*c);
      }
    }
  }
  bool known() const { return size_ > 0; }

  // Whether order and grouping do not matter; `numbers`: of elements without NaNs.
  bool IsAnyOrder(bool numbers) const {
    std::vector<size_t> elements;
    for (size_t e = 0; e < size_; ++e)
      if (!numbers || !HasNan(e)) elements.push_back(e);
    for (size_t a : elements) {
      for (size_t b : elements) {
        if (Of(a, b) != Of(b, a)) return false;
        for (size_t c : elements)
          if (Of(Of(a, b), c) != Of(a, Of(b, c))) return false;
      }
    }
    return true;
  }
  // Whether it takes the greatest (or least) of elements whose indices grow.
  bool TakesFirst(bool greatest) const {
    for (size_t a = 0; a < size_; ++a) {
      for (size_t b = 0; b < size_; ++b) {
        if (trial_.Value(a, 1) < trial_.Value(b, 1) &&
            Of(a, b) != (IsChosen(trial_, greatest, a, b) ? a : b))
          return false;
      }
    }
    return true;
  }

 private:
  size_t Of(size_t a, size_t b) const { return chosen_[a * size_ + b]; }
  bool HasNan(size_t e) const {
    for (size_t k = 0; k < n_; ++k)
      if (std::isnan(trial_.Value(e, k))) return true;
    return false;
  }

  const size_t n_;
  const Trial trial_;
  size_t size_ = 0;
  std::vector<size_t> chosen_;
};

bool HasIndex(const HloComputation& computation) {
  return computation.parameters().size() == 4 &&
         IsInteger(computation.parameter(1)->shape().element_type());
}

}  // namespace

Choice ChoiceOf(const HloComputation& computation, size_t n) {
  const Table table(computation, n);
  if (!table.known()) return Choice::kUnknown;
  if (table.IsAnyOrder(false)) return Choice::kAnyOrder;
  if (HasIndex(computation)) {
    if (table.TakesFirst(true)) return Choice::kGreatest;
    if (table.TakesFirst(false)) return Choice::kLeast;
  }
  return table.IsAnyOrder(true) ? Choice::kNumbers : Choice::kUnknown;
}

bool HoldsPositions(const HloInstruction& instruction, int64_t dimension) {
  const HloInstruction* i = &instruction;
  for (;;) {
    const ElementType t = i->shape().element_type();
    if (!IsInteger(t) || BitWidth(t) < 32) return false;
    switch (i->op()) {
      case HloOpcode::Iota:
        return i->attrs<IotaAttrs>().iota_dimension == dimension;
      case HloOpcode::Convert:
      case HloOpcode::Copy:
        break;
      case HloOpcode::Broadcast: {
        const auto at = absl::c_find(i->dimensions(), dimension);
        if (at == i->dimensions().end()) return false;
        dimension = at - i->dimensions().begin();
        break;
      }
      default:
        return false;
    }
    i = i->operand(0);
  }
}

std::optional<bool> ChoosesGreatest(const HloInstruction& reduce) {
  if (reduce.operands().size() != 4 || reduce.dimensions().size() != 1 ||
      !HasIndex(*reduce.called(0)) || !HoldsPositions(*reduce.operand(1), reduce.dimensions()[0]))
    return std::nullopt;
  const Table table(*reduce.called(0), 2);
  if (!table.known()) return std::nullopt;
  if (table.TakesFirst(true)) return true;
  if (table.TakesFirst(false)) return false;
  return std::nullopt;
}

}  // namespace sinter
