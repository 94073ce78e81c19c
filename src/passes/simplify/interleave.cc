#include <algorithm>
#include <optional>
#include <utility>
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
    if (spread || p.interior[d] != 1 || p.low[d] < 0 || p.low[d] > 1) return std::nullopt;
    spread = Spread{i->operand(0), d, p.low[d]};
  }
  return spread;
}

HloInstruction* Rows(HloComputation& c, HloInstruction* x, size_t dim, int64_t from, int64_t to) {
  const Shape& s = x->shape();
  if (from == 0 && to == s.dimension(static_cast<int64_t>(dim))) return x;
  SliceAttrs a;
  a.starts.assign(static_cast<size_t>(s.rank()), 0);
  a.limits = s.dimensions();
  a.strides.assign(static_cast<size_t>(s.rank()), 1);
  a.starts[dim] = from;
  a.limits[dim] = to;
  Dims sizes = s.dimensions();
  sizes[dim] = to - from;
  return c.AddWithShape(HloOpcode::Slice, Shape(s.element_type(), sizes), {x}, std::move(a));
}

// pad(a) + pad(b) = 0 + reshape(concatenate(a, b)), where a stands at the even positions of a
// dimension and b at the odd ones, as in scans by halves: each is then a copy, without a test for
// each element.
HloInstruction* Interleave(HloComputation& c, HloInstruction* i) {
  if (i->op() != HloOpcode::Add && i->op() != HloOpcode::Or) return nullptr;
  std::optional<Spread> a = SpreadOf(i->operand(0)), b = SpreadOf(i->operand(1));
  if (!a || !b || a->dim != b->dim || a->first == b->first) return nullptr;
  if (a->first == 1) std::swap(a, b);
  const Shape& shape = i->shape();
  const size_t dim = a->dim;
  const auto d = static_cast<int64_t>(dim);
  const int64_t pairs = b->of->shape().dimension(d), rest = a->of->shape().dimension(d) - pairs;
  if (pairs == 0 || rest < 0 || rest > 1 || shape.dimension(d) != 2 * pairs + rest) return nullptr;
  const ElementType t = shape.element_type();
  Dims column = b->of->shape().dimensions(), both = column;
  column.insert(column.begin() + d + 1, 1);
  Dims two = column;
  two[dim + 1] = 2;
  both[dim] = 2 * pairs;
  std::vector<HloInstruction*> columns;
  for (HloInstruction* x : {Rows(c, a->of, dim, 0, pairs), b->of})
    columns.push_back(c.AddWithShape(HloOpcode::Reshape, Shape(t, column), {x}));
  HloInstruction* result =
      c.AddWithShape(HloOpcode::Concatenate, Shape(t, two), columns, DimensionsAttrs{{d + 1}});
  result = c.AddWithShape(HloOpcode::Reshape, Shape(t, both), {result});
  if (rest == 1) {
    result = c.AddWithShape(HloOpcode::Concatenate, shape,
                            {result, Rows(c, a->of, dim, pairs, pairs + 1)}, DimensionsAttrs{{d}});
  }
  // A zero that is negative becomes positive.
  HloInstruction* zero =
      c.AddWithShape(HloOpcode::Broadcast, shape, {i->operand(0)->operand(1)}, DimensionsAttrs{});
  return c.AddWithShape(i->op(), shape, {result, zero});
}

}  // namespace

std::unique_ptr<Pass> MakeInterleavePass() { return MakeRulesPass("interleave", Interleave); }

}  // namespace sinter
