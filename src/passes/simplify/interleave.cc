#include <algorithm>
#include <optional>
#include <vector>

#include "passes/simplify/rules.h"
#include "passes/simplify/simplify.h"

namespace sinter {
namespace {

// A pad with zeros of every other position along `dim`, from position `first` on.
struct Spread {
  HloInstruction* of = nullptr;
  size_t dim = 0;
  int64_t first = 0;
  size_t phase() const { return static_cast<size_t>(first % 2); }
};

bool IsZero(const HloInstruction* i) {
  if (i->op() != HloOpcode::Constant || !i->shape().is_scalar()) return false;
  const Literal& l = i->literal();
  const char* data = static_cast<const char*>(l.untyped_data());
  return std::all_of(data, data + ByteWidth(l.shape().element_type()),
                     [](char c) { return c == 0; });
}

std::optional<Spread> SpreadOf(const HloInstruction* i) {
  if (i->op() != HloOpcode::Pad || !IsZero(i->operand(1)) || i->users().size() != 1)
    return std::nullopt;
  const auto& p = i->attrs<PadAttrs>();
  std::optional<Spread> spread;
  for (size_t d = 0; d < p.low.size(); ++d) {
    if (p.low[d] == 0 && p.high[d] == 0 && p.interior[d] == 0) continue;
    if (spread || p.interior[d] != 1 || p.low[d] < 0 || p.high[d] < 0) return std::nullopt;
    spread = Spread{i->operand(0), d, p.low[d]};
  }
  return spread;
}

// A sum, or a disjunction, of pads that are spread along one dimension.
struct Spreads {
  HloComputation& c;
  HloOpcode op;
  size_t dim = 0;
  HloInstruction* zero = nullptr;
  bool has[2] = {false, false};

  // Whether all leaves are such pads, of which those of both phases exist.
  bool Look(const HloInstruction* i, const HloInstruction* root) {
    if (i->op() == op && (i == root || i->users().size() == 1))
      return Look(i->operand(0), root) && Look(i->operand(1), root);
    const std::optional<Spread> spread = SpreadOf(i);
    if (!spread || (zero != nullptr && spread->dim != dim)) return false;
    dim = spread->dim;
    zero = i->operand(1);
    has[spread->phase()] = true;
    return true;
  }

  // The sum of the leaves of a phase, of `count` positions along the dimension, in the order of the
  // whole sum; null where it has none.
  HloInstruction* Sum(HloInstruction* i, size_t phase, int64_t count) {
    const std::optional<Spread> spread = SpreadOf(i);
    if (!spread) {
      HloInstruction *x = Sum(i->operand(0), phase, count), *y = Sum(i->operand(1), phase, count);
      if (x == nullptr || y == nullptr) return x == nullptr ? y : x;
      return c.AddWithShape(op, x->shape(), {x, y});
    }
    if (spread->phase() != phase) return nullptr;
    const Shape& s = spread->of->shape();
    if (s.dimension(static_cast<int64_t>(dim)) == count) return spread->of;
    PadAttrs a;
    a.low.assign(static_cast<size_t>(s.rank()), 0);
    a.high = a.interior = a.low;
    a.low[dim] = spread->first / 2;
    a.high[dim] = count - a.low[dim] - s.dimension(static_cast<int64_t>(dim));
    Dims sizes = s.dimensions();
    sizes[dim] = count;
    return c.AddWithShape(HloOpcode::Pad, Shape(s.element_type(), sizes), {spread->of, zero},
                          std::move(a));
  }
};

// pad(a) + pad(b) = 0 + reshape(concatenate(a, b)), where a stands at the even positions of a
// dimension and b at the odd ones, as in scans by halves: each is then a copy, without a test for
// each element. Of more pads, as in gradients of scans, a and b are the sums of those at the even
// and at the odd positions: what is added to them there is zeros. Without that, elements of a
// gradient's last step would each compute those of all steps before, at two places a step.
HloInstruction* Interleave(HloComputation& c, HloInstruction* i) {
  if (i->op() != HloOpcode::Add && i->op() != HloOpcode::Or) return nullptr;
  Spreads spreads{c, i->op()};
  if (!spreads.Look(i, i) || !spreads.has[0] || !spreads.has[1]) return nullptr;
  // A part of a larger such sum waits for it.
  if (i->users().size() == 1 && i->users()[0]->op() == i->op() && i != c.root()) {
    Spreads larger{c, i->op()};
    if (larger.Look(i->users()[0], i->users()[0])) return nullptr;
  }
  const Shape& shape = i->shape();
  const size_t dim = spreads.dim;
  const auto d = static_cast<int64_t>(dim);
  const int64_t pairs = shape.dimension(d) / 2, rest = shape.dimension(d) % 2;
  if (pairs == 0) return nullptr;
  HloInstruction* a = spreads.Sum(i, 0, pairs + rest);
  HloInstruction* b = spreads.Sum(i, 1, pairs);
  const ElementType t = shape.element_type();
  Dims column = b->shape().dimensions(), both = column;
  column.insert(column.begin() + d + 1, 1);
  Dims two = column;
  two[dim + 1] = 2;
  both[dim] = 2 * pairs;
  std::vector<HloInstruction*> columns;
  for (HloInstruction* x : {Rows(c, a, dim, 0, pairs), b})
    columns.push_back(c.AddWithShape(HloOpcode::Reshape, Shape(t, column), {x}));
  HloInstruction* result =
      c.AddWithShape(HloOpcode::Concatenate, Shape(t, two), columns, DimensionsAttrs{{d + 1}});
  result = c.AddWithShape(HloOpcode::Reshape, Shape(t, both), {result});
  if (rest == 1) {
    result = c.AddWithShape(HloOpcode::Concatenate, shape,
                            {result, Rows(c, a, dim, pairs, pairs + 1)}, DimensionsAttrs{{d}});
  }
  // A zero that is negative becomes positive.
  HloInstruction* zero =
      c.AddWithShape(HloOpcode::Broadcast, shape, {spreads.zero}, DimensionsAttrs{});
  return c.AddWithShape(i->op(), shape, {result, zero});
}

}  // namespace

std::unique_ptr<Pass> MakeInterleavePass() { return MakeRulesPass("interleave", Interleave); }

}  // namespace sinter
