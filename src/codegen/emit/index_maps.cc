// Index maps with range checks or run-time starts: pad, concatenate, dynamic-slice,
// dynamic-update-slice.
#include <algorithm>
#include <bit>

#include "absl/algorithm/container.h"
#include "codegen/emit/region.h"

namespace sinter::emit {

using kernel::Expr;
using kernel::kNone;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Type;
using kernel::Value;

Region::Within Region::KnownWithin(const Coord& c, const Interval& in) {
  if (c.range.IsIn(in)) return Within::kAlways;
  return c.range.Meets(in) ? Within::kTest : Within::kNever;
}

// kNone where it is known to lie inside.
Value Region::InRange(const Coord& c, const Interval& in, const Frame& frame) {
  Value both = kNone;
  auto add = [&](Value p) { both = both == kNone ? p : b_.And(both, p); };
  const bool fixed = c.rows == 0 && c.cols == 0;
  // A base that is a tile itself (where a guard was) is compared element by element.
  const bool scalar = b_.type(c.base).is_scalar();
  auto below = [&](int64_t limit) -> Value {  // coordinate < limit
    if (fixed) return b_.Compare(Predicate::kLt, c.base, Int(limit));
    if (scalar && c.rows == 0 && c.cols == 1)
      return b_.Mask(c.base, Int(limit), Type{ElementType::PRED, 1, frame.cols},
                     kernel::Axis::kCols);
    if (scalar && c.cols == 0 && c.rows == 1)
      return b_.Mask(c.base, Int(limit), Type{ElementType::PRED, frame.rows, 1},
                     kernel::Axis::kRows);
    return b_.Compare(Predicate::kLt, CoordValue(c, frame, ElementType::S64), Int(limit));
  };
  if (c.range.lo < in.lo) {
    Value under = below(in.lo);
    add(b_.Binary(OpCode::kXor, under, b_.ConstInt(ElementType::PRED, 1)));
  }
  if (c.range.hi > in.hi) add(below(in.hi));
  return both;
}

// The same where a tile has elements inside; else the first ones inside: there may be no memory
// where it is, and a mask takes a CPU long there even if it lets nothing be loaded.
Coord Region::Near(const Coord& c, const Interval& in, const Frame& frame) {
  constexpr int64_t kNear = 64;  // tiles at an edge are few
  if (plan_->warps > 0 || !b_.type(c.base).is_scalar() ||
      c.range.IsIn({in.lo - kNear, in.hi + kNear}))
    return c;
  const int64_t rows = int64_t{c.rows} * (frame.rows - 1),
                cols = int64_t{c.cols} * (frame.cols - 1);
  const int64_t least = std::min<int64_t>(rows, 0) + std::min<int64_t>(cols, 0),
                most = std::max<int64_t>(rows, 0) + std::max<int64_t>(cols, 0);
  Coord near = c;
  const Value first = Int(in.lo - least);
  if (c.range.hi > in.hi - least) near.base = IndexChoice(c.base, in.hi - least, near.base, first);
  if (c.range.lo < in.lo - most) near.base = IndexChoice(c.base, in.lo - most, first, near.base);
  near.range = {std::min(near.range.lo, in.lo), std::max(near.range.hi, in.lo + most - least + 1)};
  return near;
}

// Coordinates before a guard is made of what is tested of them.
static Coords BeforeGuard(Coords at, const Frame& frame) {
  for (Coord& c : at) c.sure |= frame.guard == kNone;
  return at;
}

Frame Region::Guarded(const Frame& frame, Value predicate) {
  Frame f = frame;
  if (predicate == kNone) return f;
  f.guard = frame.guard == kNone ? predicate : b_.And(frame.guard, predicate);
  f.guard_depth = b_.depth();
  return f;
}

Parts Region::Choose(Value predicate, Parts a, Parts b) {
  if (predicate == kNone) return a;
  Parts r{b_.Select(predicate, a.re, b.re)};
  if (a.complex()) r.im = b_.Select(predicate, a.im, b.im);
  return r;
}

Parts Region::EvalPad(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const auto& a = node->attrs<PadAttrs>();
  const Shape& from = node->operand(0)->shape();
  if (from.element_count() == 0) return Eval(node->operand(1), {}, frame);
  const Type tile = TileOf(at, frame, ElementType::PRED);
  // `readable`: at the places that are read, where these are others.
  Value inside = kNone, readable = kNone, all_inside = kNone;
  auto add = [&](Value& to, Value p) {
    if (p != kNone) to = to == kNone ? p : b_.And(to, p);
  };
  auto require = [&](Value p) {
    add(inside, p);
    add(readable, p);
  };
  Coords index;
  const Coords before = BeforeGuard(at, frame);
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t n = from.dimension(static_cast<int64_t>(d)),
                  gap = a.interior.empty() ? 0 : a.interior[d];
    Coord c = before[d];
    c.base = IndexAdd(c.base, Int(-a.low[d]));
    c.range = c.range.And({0, node->shape().dimension(static_cast<int64_t>(d))}).Plus(-a.low[d]);
    if (gap == 0) {
      const Interval own{0, n};
      const Within within = KnownWithin(c, own);
      if (within == Within::kNever) return Eval(node->operand(1), {}, frame);
      if (within == Within::kTest && c.rows == 0 && c.cols == 0 && b_.type(c.base).is_scalar() &&
          !may_be_in_place_) {
        // One test for the whole tile. Outside, an element that there is takes less to read than a
        // mask, which may take processors long where there is no memory. What the region writes
        // over is read nowhere else.
        const Value p = TestOfTile(c, own, frame, tile);
        all_inside = all_inside == kNone ? p : b_.And(all_inside, p);
        c.base = IndexOp(OpCode::kMax, IndexOp(OpCode::kMin, c.base, Int(n - 1)), Int(0));
      } else {
        const Value p = InRange(c, own, frame), base = c.base;
        add(inside, p);
        c = Near(c, own, frame);
        c.sure &= p == kNone;
        add(readable, c.base == base ? p : InRange(c, own, frame));
      }
      c.range = c.range.And(own);
      index.push_back(c);
      continue;
    }
    // Every (gap + 1)-th element from 0 is an operand's. The quotient is an index tile, computed in
    // 32 bits where it fits: vectors of 64 bits are divided element by element.
    const bool scalar = c.rows == 0 && c.cols == 0,
               fits = !scalar && c.range.IsIn({-INT32_MAX, INT32_MAX}) && n < INT32_MAX;
    const ElementType type = fits ? ElementType::S32 : ElementType::S64;
    auto integer = [&](int64_t v) { return b_.ConstInt(type, v); };
    Value t = scalar ? c.base : CoordValue(c, frame, type);
    Value step = integer(gap + 1);
    const bool is_power = std::has_single_bit(static_cast<uint64_t>(gap + 1));
    Value q =
        fits && is_power
            ? b_.Binary(OpCode::kShr, t, integer(std::countr_zero(static_cast<uint64_t>(gap + 1))))
            : b_.Div(t, step);
    require(b_.Compare(Predicate::kGe, t, integer(0)));
    require(b_.Compare(Predicate::kLt, q, integer(n)));
    require(b_.Compare(Predicate::kEq, b_.Mul(q, step), t));
    q = b_.Max(b_.Min(q, integer(n - 1)), integer(0));
    if (fits) q = b_.Convert(q, ElementType::S64);
    depth_of_[q] = b_.depth();
    index.push_back(Coord{q, 0, 0, {0, n}});
  }
  Parts x = Eval(node->operand(0), index, Guarded(frame, readable));
  if (all_inside != kNone) inside = inside == kNone ? all_inside : b_.And(inside, all_inside);
  return Choose(inside, x, Eval(node->operand(1), {}, frame));
}

// InRange of a coordinate that all of a tile has, where it is known, which may be before loops.
Value Region::TestOfTile(const Coord& c, const Interval& in, const Frame& frame, const Type& tile) {
  Value p = kNone;
  AtDepth(std::max(1, DepthOf(c.base)), [&] { p = b_.Splat(InRange(c, in, frame), tile); });
  return p;
}

// The array that all operands of a concatenate are, or are slices of that differ along its axis
// alone, and where each of them begins in it.
struct CommonArray {
  const HloInstruction* array = nullptr;
  std::vector<Dims> starts;
};
static CommonArray ArrayOf(const HloInstruction& concatenate) {
  const auto axis = static_cast<size_t>(concatenate.dimensions()[0]);
  CommonArray common;
  for (const HloInstruction* o : concatenate.operands()) {
    Dims starts(static_cast<size_t>(o->shape().rank()), 0);
    if (o->op() == HloOpcode::Slice) {
      if (!HasUnitStrides(*o)) return {};
      starts = o->attrs<SliceAttrs>().starts;
      o = o->operand(0);
    }
    if (common.array == nullptr) common.array = o;
    if (o != common.array || o->shape().rank() != concatenate.shape().rank()) return {};
    for (size_t d = 0; d < starts.size(); ++d)
      if (d != axis && !common.starts.empty() && starts[d] != common.starts[0][d]) return {};
    common.starts.push_back(std::move(starts));
  }
  return common;
}

std::optional<Parts> Region::EvalParts(const HloInstruction* node, const Coords& at,
                                       const Frame& frame) {
  const auto axis = static_cast<size_t>(node->dimensions()[0]);
  const Coord& place = at[axis];
  if (place.rows != 0 || place.cols != 0 || !b_.type(place.base).is_scalar()) return std::nullopt;
  const CommonArray common = ArrayOf(*node);
  if (common.array == nullptr) return std::nullopt;
  const int64_t last = common.array->shape().dimension(static_cast<int64_t>(axis)) - 1;
  if (last < 0) return std::nullopt;
  Coords index = at;
  for (size_t d = 0; d < index.size(); ++d) {
    if (d == axis) continue;
    index[d].base = IndexAdd(index[d].base, Int(common.starts[0][d]));
    index[d].range = index[d].range.Plus(common.starts[0][d]);
  }
  // Clamped, as the number of another part leaves the array.
  auto in_part = [&](size_t k, int64_t begin) {
    const Value moved = IndexAdd(place.base, Int(common.starts[k][axis] - begin));
    return IndexOp(OpCode::kMin, IndexOp(OpCode::kMax, moved, Int(0)), Int(last));
  };
  Value chosen = kNone;
  int64_t begin = node->shape().dimension(static_cast<int64_t>(axis));
  for (size_t k = node->operands().size(); k-- > 0;) {
    const int64_t end = begin;
    begin -= node->operand(k)->shape().dimension(static_cast<int64_t>(axis));
    const Within within = KnownWithin(place, {begin, end});
    if (begin == end || within == Within::kNever) continue;
    if (within == Within::kAlways) return std::nullopt;  // nothing to choose
    const Value here = in_part(k, begin);
    chosen = chosen == kNone ? here : IndexChoice(place.base, end, here, chosen);
  }
  if (chosen == kNone) return std::nullopt;
  index[axis] = Coord{chosen, 0, 0, {0, last + 1}};
  return Eval(common.array, index, frame);
}

Parts Region::EvalConcatenate(const HloInstruction* node, const Coords& at, const Frame& frame) {
  if (const auto whole = EvalParts(node, at, frame)) return *whole;
  const size_t axis = static_cast<size_t>(node->dimensions()[0]);
  const int64_t total = node->shape().dimension(static_cast<int64_t>(axis));
  Parts result;
  Coord place = at[axis];
  place.range = place.range.And({0, total});
  int64_t end = total;
  for (size_t k = node->operands().size(); k-- > 0;) {
    const int64_t n = node->operand(k)->shape().dimension(static_cast<int64_t>(axis)),
                  start = end - n;
    end = start;
    if (n == 0 || KnownWithin(place, {start, start + n}) == Within::kNever) continue;
    Coords index = MapCoords(*OperandIndexMap(*node, k), BeforeGuard(at, frame));
    // Of its own coordinates an operand sees [0, n); below it the earlier ones win, above it the
    // later ones have won. All of them together see every element.
    Coord& c = index[axis];
    c.range = c.range.And({-start, total - start});
    const Interval own{0, n};
    const Coord mapped = c;
    c = Near(c, own, frame);
    const Value mine = InRange(c, own, frame);
    c.range = c.range.And(own);
    c.sure &= mine == kNone;
    Parts x = Eval(node->operand(k), index, Guarded(frame, mine));
    if (result.re == kNone) {
      result = x;
      continue;
    }
    result = Choose(InRange(mapped, {INT64_MIN, n}, frame), x, result);
  }
  // No element is where the coordinates can be: this code does not run.
  return result.re == kNone ? Zero(node->shape().element_type()) : result;
}

// A run-time start, clamped to [0, limit].
Value Region::Start(const HloInstruction* node, size_t operand, int64_t limit) {
  constexpr int kDepth = 1;
  const HloInstruction* start = node->operand(operand);
  const ElementType t = start->shape().element_type();
  auto starts = [&]() -> auto& {
    return levels_[std::min<size_t>(kDepth, levels_.size() - 1)].starts;
  };
  if (auto known = starts().find({start, limit}); known != starts().end()) return known->second;
  Value v = kNone;
  AtDepth(kDepth, [&] {
    Value s = Eval(start, {}, Frame{}).re;
    if (t == ElementType::U64)
      s = b_.Min(s, b_.ConstInt(t, limit));  // beyond S64 it would turn negative
    v = b_.Max(b_.Min(b_.Convert(s, ElementType::S64), Int(limit)), Int(0));
  });
  int64_t known;
  if (!b_.IsInt(v, &known)) depth_of_.try_emplace(v, kDepth);
  starts()[{start, limit}] = v;
  return v;
}

Parts Region::EvalDynamicSlice(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const Shape& from = node->operand(0)->shape();
  Coords index = at;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t limit =
        from.dimension(static_cast<int64_t>(d)) - node->shape().dimension(static_cast<int64_t>(d));
    if (limit <= 0) continue;
    index[d].base = IndexAdd(index[d].base, Start(node, d + 1, limit));
    index[d].range = index[d].range.Plus({0, limit + 1});
  }
  return Eval(node->operand(0), index, frame);
}

Parts Region::EvalDynamicUpdateSlice(const HloInstruction* node, const Coords& at,
                                     const Frame& frame) {
  const Shape& update = node->operand(1)->shape();
  Coords index = BeforeGuard(at, frame);
  Value inside = kNone;
  for (size_t d = 0; d < at.size(); ++d) {
    const int64_t n = update.dimension(static_cast<int64_t>(d)),
                  limit = node->shape().dimension(static_cast<int64_t>(d)) - n;
    if (limit == 0) continue;
    Value start = Start(node, d + 2, limit);
    index[d].base = IndexOp(OpCode::kSub, index[d].base, start);
    int64_t known;
    index[d].range = b_.IsInt(start, &known) ? index[d].range.Plus(-known) : Interval{};
    const Interval own{0, n};
    if (KnownWithin(index[d], own) == Within::kNever) return Eval(node->operand(0), at, frame);
    const Value p = InRange(index[d], own, frame);
    index[d].range = index[d].range.And(own);
    index[d].sure &= p == kNone;
    if (update.element_count() == 1 && !may_be_in_place_) index[d] = Coord{Int(0), 0, 0, own, true};
    if (p != kNone) inside = inside == kNone ? p : b_.And(inside, p);
  }
  if (update.element_count() == 0) return Eval(node->operand(0), at, frame);
  Parts x = Eval(node->operand(1), index, Guarded(frame, inside));
  if (inside == kNone) return x;
  return Choose(inside, x, Eval(node->operand(0), at, frame));
}

}  // namespace sinter::emit
