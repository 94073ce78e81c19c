#include "passes/simplify/bands.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "passes/simplify/known_value.h"

namespace sinter {
namespace {

// Larger than any difference of positions, small enough to be added to one.
constexpr int64_t kFar = int64_t{1} << 60;
// Instructions that are looked through for positions, and from one choice to another.
constexpr int kMostSteps = 8;

// Elements that say where they are: along `dimension`, plus `offset`.
struct Position {
  int64_t dimension = 0, offset = 0;
};

// Elements whose positions along two dimensions differ by lo <= row - column <= hi; row < column.
struct Band {
  int64_t row = 0, column = 0, lo = -kFar, hi = kFar;

  Band Along(int64_t new_row, int64_t new_column) const {
    if (new_row < new_column) return {new_row, new_column, lo, hi};
    return {new_column, new_row, -hi, -lo};
  }
  // Of the dimensions of a transpose's operand.
  Band Before(const Dims& permutation) const {
    return Along(permutation[static_cast<size_t>(row)], permutation[static_cast<size_t>(column)]);
  }
  bool Includes(const Band& o) const {
    return row == o.row && column == o.column && lo <= o.lo && o.hi <= hi;
  }
  // The elements that are not in it, if they are a band too.
  std::optional<Band> Rest() const {
    if (lo == -kFar && hi < kFar) return Band{row, column, hi + 1, kFar};
    if (hi == kFar && lo > -kFar) return Band{row, column, -kFar, lo - 1};
    return std::nullopt;
  }
};

int64_t PlaceOf(const Dims& dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) - dims.begin();
}

// Whether a broadcast repeats the one position that its operand has along dimension d.
bool IsExpanded(const HloInstruction& broadcast, int64_t d) {
  const int64_t to = broadcast.dimensions()[static_cast<size_t>(d)];
  return broadcast.operand(0)->shape().dimension(d) != broadcast.shape().dimension(to);
}

std::optional<Position> PositionOf(const HloInstruction* i, int steps = kMostSteps) {
  const ElementType type = i->shape().element_type();
  if (steps == 0 || !IsSigned(type) || BitWidth(type) < 32) return std::nullopt;
  auto of = [&](size_t k) { return PositionOf(i->operand(k), steps - 1); };
  std::optional<Position> p;
  switch (i->op()) {
    case HloOpcode::Iota:
      return Position{i->attrs<IotaAttrs>().iota_dimension, 0};
    case HloOpcode::Convert:
      return of(0);
    case HloOpcode::Broadcast:
      p = of(0);
      if (!p || IsExpanded(*i, p->dimension)) return std::nullopt;
      p->dimension = i->dimensions()[static_cast<size_t>(p->dimension)];
      return p;
    case HloOpcode::Transpose:
      if ((p = of(0))) p->dimension = PlaceOf(i->dimensions(), p->dimension);
      return p;
    case HloOpcode::Add:
    case HloOpcode::Subtract: {
      constexpr double kMost = 1 << 30;  // so that no sum wraps: positions are below it too
      const size_t side = i->op() == HloOpcode::Add && SplatOf(i->operand(0)) ? 1 : 0;
      const std::optional<double> more = SplatOf(i->operand(1 - side));
      if (!more || std::abs(*more) > kMost || !(p = of(side))) return std::nullopt;
      p->offset += static_cast<int64_t>(i->op() == HloOpcode::Add ? *more : -*more);
      if (static_cast<double>(i->shape().dimension(p->dimension)) > kMost ||
          std::abs(static_cast<double>(p->offset)) > kMost)
        return std::nullopt;
      return p;
    }
    default:
      return std::nullopt;
  }
}

// Where a predicate holds, if that is a band.
std::optional<Band> BandOf(const HloInstruction* p, int steps = kMostSteps) {
  if (steps == 0) return std::nullopt;
  if (p->op() == HloOpcode::Broadcast || p->op() == HloOpcode::Transpose) {
    std::optional<Band> band = BandOf(p->operand(0), steps - 1);
    if (!band) return std::nullopt;
    const Dims& dims = p->dimensions();
    if (p->op() == HloOpcode::Transpose)
      return band->Along(PlaceOf(dims, band->row), PlaceOf(dims, band->column));
    if (IsExpanded(*p, band->row) || IsExpanded(*p, band->column)) return std::nullopt;
    return band->Along(dims[static_cast<size_t>(band->row)],
                       dims[static_cast<size_t>(band->column)]);
  }
  if (p->op() != HloOpcode::Compare) return std::nullopt;
  const std::optional<Position> x = PositionOf(p->operand(0)), y = PositionOf(p->operand(1));
  if (!x || !y || x->dimension == y->dimension) return std::nullopt;
  const int64_t k = y->offset - x->offset;
  Band band{0, 1};
  switch (p->attrs<CompareAttrs>().direction) {
    case ComparisonDirection::kEq:
      band.lo = band.hi = k;
      break;
    case ComparisonDirection::kLt:
      band.hi = k - 1;
      break;
    case ComparisonDirection::kLe:
      band.hi = k;
      break;
    case ComparisonDirection::kGt:
      band.lo = k + 1;
      break;
    case ComparisonDirection::kGe:
      band.lo = k;
      break;
    case ComparisonDirection::kNe:
      return std::nullopt;
  }
  return band.Along(x->dimension, y->dimension);
}

// The real Cholesky factors that x is, or is with their last two dimensions exchanged: where they
// may be other than zero.
struct Factor {
  const HloInstruction* cholesky = nullptr;
  Band triangle;
};
std::optional<Factor> FactorOf(const HloInstruction* x) {
  const int64_t row = x->shape().rank() - 2;
  bool lower = false;
  for (int steps = 0; x->op() == HloOpcode::Transpose && steps < kMostSteps; ++steps) {
    const Dims& dims = x->dimensions();
    if (row < 0 || dims[static_cast<size_t>(row)] != row + 1) return std::nullopt;
    for (int64_t d = 0; d < row; ++d) {
      if (dims[static_cast<size_t>(d)] != d) return std::nullopt;
    }
    lower = !lower;
    x = x->operand(0);
  }
  if (x->op() != HloOpcode::Cholesky || IsComplex(x->shape().element_type())) return std::nullopt;
  lower ^= x->attrs<CholeskyAttrs>().lower;
  return Factor{x, {row, row + 1, lower ? 0 : -kFar, lower ? kFar : 0}};
}

// The factors of which p tells for each element whether its matrix has one, by the first element of
// each; else null.
const HloInstruction* CheckedFactors(const HloInstruction* p) {
  const HloInstruction* each = p->op() == HloOpcode::Broadcast ? p->operand(0) : p;
  if (each->op() != HloOpcode::Compare ||
      each->attrs<CompareAttrs>().direction != ComparisonDirection::kGt ||
      !IsSplat(each->operand(1), 0))
    return nullptr;
  const HloInstruction* first = each->operand(0);
  if (first->op() == HloOpcode::Reshape) first = first->operand(0);
  if (first->op() != HloOpcode::Slice || first->operand(0)->op() != HloOpcode::Cholesky)
    return nullptr;
  const HloInstruction* factors = first->operand(0);
  const int64_t batches = factors->shape().rank() - 2;
  if (each->shape().rank() != batches) return nullptr;
  for (int64_t d = 0; d < factors->shape().rank(); ++d) {
    const int64_t count = d < batches ? factors->shape().dimension(d) : 1;
    if (first->attrs<SliceAttrs>().starts[static_cast<size_t>(d)] != 0 ||
        first->shape().dimension(d) != count)
      return nullptr;
  }
  for (int64_t d = 0; d < batches && each != p; ++d) {
    if (p->dimensions()[static_cast<size_t>(d)] != d || IsExpanded(*p, d)) return nullptr;
  }
  return factors;
}

// What has the elements of x in a band, others any, with fewer choices; null where there is none.
class Restriction {
 public:
  explicit Restriction(HloComputation& c) : c_(c) {}

  HloInstruction* Of(HloInstruction* x, const Band& band, int steps = kMostSteps) {
    if (x->op() == HloOpcode::Select) {
      const std::optional<Band> chosen = BandOf(x->operand(0));
      if (chosen && chosen->row == band.row && chosen->column == band.column) {
        const bool all = chosen->lo <= band.lo && band.hi <= chosen->hi,
                   none = band.hi < chosen->lo || chosen->hi < band.lo;
        if (all || none) {
          HloInstruction* kept = x->operand(all ? 1 : 2);
          HloInstruction* simpler = Of(kept, band, steps - 1);
          return simpler == nullptr ? kept : simpler;
        }
      }
    }
    if (HloInstruction* factor = Unchecked(x, band, steps)) return factor;
    // What others use stays as it is.
    if (steps <= 0 || x->users().size() != 1) return nullptr;
    if (x->op() != HloOpcode::Transpose && !IsElementwise(x->op())) return nullptr;
    const Band before = x->op() == HloOpcode::Transpose ? band.Before(x->dimensions()) : band;
    std::vector<HloInstruction*> operands(x->operands().begin(), x->operands().end());
    bool changed = false;
    for (HloInstruction*& o : operands) {
      if (o->shape().rank() != x->shape().rank()) continue;  // a scalar predicate or bound
      HloInstruction* simpler = Of(o, before, steps - 1);
      if (simpler == nullptr) continue;
      o = simpler;
      changed = true;
    }
    return changed ? c_.AddWithShape(x->op(), x->shape(), operands, x->attributes()) : nullptr;
  }

 private:
  // Of select(p, factor, NaN) the factor, if it is NaN wherever p does not hold.
  HloInstruction* Unchecked(HloInstruction* x, const Band& band, int steps) {
    if (x->op() != HloOpcode::Select || steps <= 0) return nullptr;
    const std::optional<double> otherwise = SplatOf(x->operand(2));
    const HloInstruction* checked = CheckedFactors(x->operand(0));
    if (checked == nullptr || !otherwise || !std::isnan(*otherwise)) return nullptr;
    HloInstruction* simpler = Of(x->operand(1), band, steps - 1);
    HloInstruction* kept = simpler == nullptr ? x->operand(1) : simpler;
    const std::optional<Factor> factor = FactorOf(kept);
    return factor && factor->cholesky == checked && factor->triangle.Includes(band) ? kept
                                                                                    : nullptr;
  }

  HloComputation& c_;
};

// Whether all of `zeros`, a band of x, is zero.
bool IsZero(const HloInstruction* x, const Band& zeros) {
  const std::optional<Factor> factor = FactorOf(x);
  const std::optional<Band> rest = factor ? factor->triangle.Rest() : std::nullopt;
  return rest && rest->Includes(zeros);
}

}  // namespace

// select(p, x, y) takes x where p holds, y elsewhere: a choice in x or y that is the same for all
// of those, as in the lower triangle of a matrix of which the upper one was chosen from another. Of
// Cholesky factors one triangle is known to be zero, and the other to be NaN where there are none.
HloInstruction* SimplifyBands(HloComputation& c, HloInstruction* select) {
  const std::optional<Band> band = BandOf(select->operand(0));
  if (!band) return nullptr;
  Restriction restriction(c);
  HloInstruction* yes = restriction.Of(select->operand(1), *band);
  const std::optional<Band> rest = band->Rest();
  HloInstruction* no = rest ? restriction.Of(select->operand(2), *rest) : nullptr;
  const bool changed = yes != nullptr || no != nullptr;
  if (yes == nullptr) yes = select->operand(1);
  if (no == nullptr) no = select->operand(2);
  if (rest && IsSplat(no, 0) && IsZero(yes, *rest)) return yes;
  if (rest && IsSplat(yes, 0) && IsZero(no, *band)) return no;
  if (!changed) return nullptr;
  return c.AddWithShape(HloOpcode::Select, select->shape(), {select->operand(0), yes, no});
}

}  // namespace sinter
