// Reductions and products: loops that carry accumulators.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>

#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/reducer.h"
#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"
#include "codegen/emit/sum_blocks.h"
#include "ir/analysis/choice.h"
#include "ir/results.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// Loops over the reduced dimensions, the minor one innermost. Where the kept coordinates leave the
// tile's columns free they run along it and are combined at the end; else each column is an
// accumulator of its own. Lanes cut off by the last step keep their accumulator, so that no neutral
// element is needed. Sums of floats are cut into blocks (sum_blocks.h).
std::vector<Parts> Region::ReduceLoops(const ReduceSpec& spec, const Coords& kept,
                                       const Frame& frame, bool keeps_columns) {
  // Nothing to combine: the initial values.
  if (std::find(spec.dims.begin(), spec.dims.end(), 0) != spec.dims.end()) return spec.init;
  bool cols_used = false, rows_used = false;
  for (const Coord& c : kept) {
    cols_used |= c.cols != 0 || b_.type(c.base).cols > 1;
    rows_used |= c.rows != 0 || b_.type(c.base).rows > 1;
  }
  Coords full(spec.dims.size());
  std::vector<bool> is_reduced(spec.dims.size(), false);
  for (int64_t d : spec.reduced) is_reduced[static_cast<size_t>(d)] = true;
  for (size_t d = 0, k = 0; d < full.size(); ++d) {
    full[d] = is_reduced[d] ? Coord{Int(0), 0, 0, {0, spec.dims[d]}} : kept[k++];
  }
  std::vector<int64_t> order = spec.reduced;
  std::sort(order.begin(), order.end());
  int64_t vector_dim = -1;
  if (!cols_used && !order.empty()) {
    vector_dim = spec.minor >= 0 ? spec.minor : order.back();
    order.erase(std::find(order.begin(), order.end(), vector_dim));
  }
  // What columns run through: parts of their dimension one after another.
  std::vector<Interval> parts{{0, vector_dim < 0 ? 0 : spec.dims[static_cast<size_t>(vector_dim)]}};
  if (vector_dim >= 0 && spec.minor < 0 && spec.any_order && vector_dim != spec.split_dim &&
      !spec.parts.empty())
    parts = spec.parts;
  Interval along = parts[0];
  // All elements of a reduced dimension; lanes past its end are cut off.
  auto reduced_at = [&](size_t d, Value base, int rows, int cols) {
    const bool is_along = static_cast<int64_t>(d) == vector_dim;
    return Coord{base, rows, cols, is_along ? along : Interval{0, spec.dims[d]}};
  };
  // Rows that the kept coordinates leave run along the next reduced dimension.
  int64_t row_dim = -1;
  if (!rows_used && plan_->reduce_rows > 1 && !order.empty()) {
    row_dim = order.back();
    order.pop_back();
  }
  Frame inner = frame;
  if (!rows_used) {
    inner.rows = 1;
    inner.row_bound = Bound{};
  }
  if (row_dim >= 0) {
    inner.rows = static_cast<int>(std::min<int64_t>(
        plan_->reduce_rows, plan::PowerOfTwoAtLeast(spec.dims[static_cast<size_t>(row_dim)])));
  }
  if (!cols_used) {
    inner.cols = 1;
    inner.col_bound = Bound{};
  }
  if (vector_dim >= 0) {
    const int64_t n = spec.dims[static_cast<size_t>(vector_dim)];
    size_t tiles = 0;  // that are carried: parts of complex numbers are two
    for (ElementType t : spec.types) tiles += static_cast<size_t>(PartCount(t));
    // A power of two, so that what a width of `reduce_cols` divides, this one does.
    const size_t width = static_cast<size_t>(plan_->reduce_cols) /
                         (std::max<size_t>(1, tiles) * static_cast<size_t>(inner.rows));
    inner.cols = static_cast<int>(
        std::min<int64_t>(std::max(static_cast<int>(std::bit_floor(width)), plan_->lanes),
                          plan::PowerOfTwoAtLeast(n)));
  }
  Values init;
  {
    std::vector<Parts> wide = spec.init;
    for (size_t k = 0; k < wide.size(); ++k) {
      Type t{RealPart(spec.types[k]), inner.rows, inner.cols};
      wide[k].re = Widen(wide[k].re, t);
      if (wide[k].complex()) wide[k].im = Widen(wide[k].im, t);
    }
    init = Flatten(wide);
  }
  // The loops, outermost first: one element a step, then the rows and columns of the accumulators.
  auto extent_of = [&](int64_t d) {
    return d == spec.split_dim ? spec.split_extent
           : d == vector_dim   ? along.size()
                               : spec.dims[static_cast<size_t>(d)];
  };
  auto cut_into_blocks = [&] {
    std::vector<int64_t> steps;
    for (int64_t d : order) steps.push_back(extent_of(d));
    if (row_dim >= 0) steps.push_back((extent_of(row_dim) + inner.rows - 1) / inner.rows);
    if (vector_dim >= 0) steps.push_back((extent_of(vector_dim) + inner.cols - 1) / inner.cols);
    return spec.sums && spec.any_order ? CutIntoBlocks(steps)
                                       : std::vector<std::vector<int64_t>>(steps.size());
  };
  std::vector<std::vector<int64_t>> blocks;
  auto combine = [&](const Values& a, const Values& c) {
    return Flatten(spec.combine(Unflatten(a, spec.types), Unflatten(c, spec.types)));
  };
  // The loop over dimension `d`, the k-th.
  auto loop = [&](size_t k, int64_t d, int64_t step, kernel::Tail tail, const Values& carries,
                  const BlockBody& body) {
    const bool split = d == spec.split_dim;
    const Interval all = d == vector_dim ? along : Interval{0, spec.dims[static_cast<size_t>(d)]};
    const int64_t n = all.size();
    const int64_t extent = !split ? n : n % spec.split_extent == 0 ? spec.split_extent : 0;
    return LoopInBlocks(blocks[k], split ? spec.split_lo : Int(all.lo),
                        split ? spec.split_hi : Int(all.hi), extent, step, tail, carries, init,
                        combine, body);
  };
  std::function<Values(size_t, const Values&)> nest = [&](size_t k,
                                                          const Values& carries) -> Values {
    if (k < order.size()) {
      const size_t d = static_cast<size_t>(order[k]);
      return loop(k, order[k], 1, kernel::Tail::kExact, carries,
                  [&](Value iv, Value, const Values& c) {
                    full[d] = reduced_at(d, iv, 0, 0);
                    return nest(k + 1, c);
                  });
    }
    auto step = [&](const Values& c, const Frame& f, Value mask) {
      std::vector<Parts> acc = Unflatten(c, spec.types);
      std::vector<Parts> next = spec.Take(acc, spec.load(full, f));
      Values y = Flatten(next);
      for (size_t i = 0; i < y.size(); ++i) {
        const Type& t = b_.type(c[i]);
        if (mask != kNone) y[i] = b_.Select(mask, y[i], c[i]);
        y[i] = Widen(y[i], t);
      }
      return y;
    };
    if (k == order.size() && row_dim >= 0) {
      const size_t d = static_cast<size_t>(row_dim);
      const bool exact =
          row_dim == spec.split_dim ? spec.split_exact : spec.dims[d] % inner.rows == 0;
      return loop(k, row_dim, inner.rows, exact ? kernel::Tail::kExact : kernel::Tail::kMasked,
                  carries, [&](Value iv, Value hi, const Values& c) {
                    inner.rows_depth = b_.depth();
                    inner.row_bound = exact ? Bound{} : Bound{iv, hi};
                    full[d] = reduced_at(d, iv, inner.rows > 1 ? 1 : 0, 0);
                    return nest(k + 1, c);
                  });
    }
    // Lanes that the bounds of an opened axis cut off.
    Value cut = kNone;
    if (row_dim >= 0 && inner.row_bound.any()) {
      cut = b_.Mask(inner.row_bound.base, inner.row_bound.limit,
                    Type{ElementType::PRED, inner.rows, 1}, kernel::Axis::kRows);
    }
    if (vector_dim < 0) return step(carries, inner, cut);
    const size_t d = static_cast<size_t>(vector_dim);
    const int64_t n = along.size();
    const bool exact = vector_dim == spec.split_dim ? spec.split_exact : n % inner.cols == 0;
    const kernel::Tail tail = exact            ? kernel::Tail::kExact
                              : n < inner.cols ? kernel::Tail::kMasked
                                               : kernel::Tail::kPeel;
    return loop(k, vector_dim, inner.cols, tail, carries, [&](Value iv, Value hi, const Values& c) {
      Frame f = inner;
      f.cols_depth = b_.depth();
      full[d] = reduced_at(d, iv, 0, 1);
      Value mask = cut;
      if (!exact) {
        f.col_bound = Bound{iv, hi};
        Value in_row = b_.Mask(iv, hi, Type{ElementType::PRED, 1, inner.cols}, kernel::Axis::kCols);
        mask = cut == kNone ? in_row : b_.And(cut, in_row);
      }
      return step(c, f, mask);
    });
  };
  Values last = init;
  for (const Interval& part : parts) {
    along = part;
    blocks = cut_into_blocks();
    last = nest(0, last);
  }
  if (vector_dim >= 0 && inner.cols > 1 && !keeps_columns)
    last = b_.Reduce(last, kernel::Axis::kCols, combine);
  if (row_dim >= 0 && inner.rows > 1) last = b_.Reduce(last, kernel::Axis::kRows, combine);
  return Unflatten(last, spec.types);
}

namespace {

bool IsSplat(const HloInstruction* i, double value) {
  if (i->op() != HloOpcode::Constant || IsComplex(i->shape().element_type())) return false;
  const double v = i->literal().GetAsDouble(0);
  return v == value && std::signbit(v) == std::signbit(value);
}

// Whether the initial position of a reduction is not behind the elements'.
bool BeginsBefore(const HloInstruction& reduce) {
  const HloInstruction& from = *reduce.operand(3);
  return from.op() == HloOpcode::Constant && from.literal().GetAsDouble(0) <= 0;
}

}  // namespace

Region::ReduceSpec Region::SpecOf(const HloInstruction* reduce) {
  if (reduce->op() == HloOpcode::Dot) return SpecOfDot(reduce);
  const size_t n = reduce->operands().size() / 2;
  ReduceSpec spec;
  spec.dims = reduce->operand(0)->shape().dimensions();
  spec.reduced.assign(reduce->dimensions().begin(), reduce->dimensions().end());
  std::vector<ElementType> from;
  for (size_t k = 0; k < n; ++k) {
    from.push_back(reduce->operand(k)->shape().element_type());
    spec.types.push_back(AccumulatorOf(*reduce, k));
  }
  const HloComputation* reducer = reduce->called(0);
  spec.any_order = HasSingleOps(*reduce);
  if (const auto parts = plan_->reduced_parts.find(reduce); parts != plan_->reduced_parts.end())
    spec.parts = parts->second;
  for (size_t k = 0; k < n; ++k) spec.sums |= SumsFloats(*reduce, k);
  spec.load = [this, reduce, n, from, types = spec.types](const Coords& full, const Frame& frame) {
    std::vector<Parts> x;
    for (size_t k = 0; k < n; ++k)
      x.push_back(EmitConvert(b_, Eval(reduce->operand(k), full, frame), from[k], types[k]));
    return x;
  };
  spec.combine = [this, reducer, types = spec.types](const std::vector<Parts>& a,
                                                     const std::vector<Parts>& x) {
    std::vector<Parts> arguments = a;
    arguments.insert(arguments.end(), x.begin(), x.end());
    auto y = EvalScalarComputation(b_, *reducer, arguments, true);
    if (y.ok()) return *std::move(y);
    std::vector<Parts> failed;
    for (ElementType t : types) failed.push_back(Fail(y.status(), t));
    return failed;
  };
  if (const auto greatest = ChoosesGreatest(*reduce); greatest && BeginsBefore(*reduce)) {
    const kernel::Predicate p = *greatest ? kernel::Predicate::kGe : kernel::Predicate::kLe;
    spec.take = [this, p](const std::vector<Parts>& a, const std::vector<Parts>& x) {
      Value keep = b_.Compare(p, a[0].re, x[0].re);  // not before a NaN
      if (IsFloat(b_.type(a[0].re).elem))
        keep = b_.Or(keep, b_.Compare(kernel::Predicate::kNe, a[0].re, a[0].re));
      return std::vector<Parts>{{b_.Select(keep, a[0].re, x[0].re)},
                                {b_.Select(keep, a[1].re, x[1].re)}};
    };
  }
  // StableHLO lets the initial value enter any number of times; where it is not neutral, users
  // expect once.
  Frame scalar;
  for (size_t k = 0; k < n; ++k) {
    if (const std::optional<double> neutral = NeutralOf(*reduce, k)) {
      Parts p{b_.Const(RealPart(spec.types[k]), *neutral)};
      if (IsComplex(spec.types[k])) p.im = b_.Const(RealPart(spec.types[k]), 0);
      spec.init.push_back(p);
    } else {
      spec.init.push_back(
          EmitConvert(b_, Eval(reduce->operand(n + k), {}, scalar), from[k], spec.types[k]));
    }
  }
  return spec;
}

std::vector<Parts> Region::FinishReduce(const HloInstruction* reduce, std::vector<Parts> acc) {
  const size_t n = reduce->operands().size() / 2;
  const HloComputation& reducer = *reduce->called(0);
  // Initial values that are still to be combined; the reducer's other results are not looked at.
  std::vector<Parts> arguments = acc;
  arguments.insert(arguments.end(), acc.begin(), acc.end());
  std::vector<size_t> missing;
  for (size_t k = 0; k < n; ++k) {
    const HloInstruction* init = reduce->operand(n + k);
    const std::optional<double> neutral = NeutralOf(*reduce, k);
    if (!neutral || IsSplat(init, *neutral)) continue;
    arguments[n + k] = EmitConvert(b_, Eval(init, {}, Frame{}), init->shape().element_type(),
                                   AccumulatorOf(*reduce, k));
    missing.push_back(k);
  }
  if (!missing.empty()) {
    auto y = EvalScalarComputation(b_, reducer, arguments, true);
    for (size_t k : missing)
      acc[k] = y.ok() ? (*y)[k] : Fail(y.status(), AccumulatorOf(*reduce, k));
  }
  for (size_t k = 0; k < n; ++k) {
    const Shape& to = n == 1 ? reduce->shape() : reduce->shape().tuple_shapes()[k];
    acc[k] = EmitConvert(b_, acc[k], AccumulatorOf(*reduce, k), to.element_type());
  }
  return acc;
}

// Of the second stage, if the reduction is split: the partial results, chunk by chunk, are in a
// scratch buffer.
Region::ReduceSpec Region::SpecHere(const HloInstruction* reduce) {
  ReduceSpec spec = SpecOf(reduce);
  const auto partial = partials_.find(reduce);
  if (partial == partials_.end()) return spec;
  const Dims& kept = ResultShape(*reduce).dimensions();
  spec.dims = {partial->second.chunks};
  spec.dims.insert(spec.dims.end(), kept.begin(), kept.end());
  spec.reduced = {0};
  spec.minor = -1;
  spec.parts.clear();
  spec.load = [this, from = partial->second, types = spec.types](const Coords& full,
                                                                 const Frame& f) {
    return LoadPartials(from, types, full, f);
  };
  return spec;
}

Parts Region::EvalReduce(const HloInstruction* node, int64_t element, const Coords& at,
                         const Frame& frame) {
  const int depth = NodeDepth(at, frame);
  auto keep = [&](const HloInstruction* reduce, const std::vector<Parts>& results) {
    for (size_t k = 0; k < results.size(); ++k) {
      levels_[static_cast<size_t>(depth)]
          .values[KeyOf(reduce, static_cast<int64_t>(k), at, frame)] = results[k];
    }
  };
  if (auto sliding = EvalSliding(node, at, frame)) return (*sliding)[static_cast<size_t>(element)];
  const std::vector<const HloInstruction*> members = MembersHere(node);
  const ReduceSpec spec = members.size() == 1 ? SpecHere(node) : SpecOfAll(members);
  const std::vector<std::vector<Parts>> results = FinishAll(members, ReduceLoops(spec, at, frame));
  Parts mine;
  for (size_t m = 0; m < members.size(); ++m) {
    keep(members[m], results[m]);
    if (members[m] == node) mine = results[m][static_cast<size_t>(element)];
  }
  return mine;
}

std::vector<std::vector<Parts>> Region::FinishAll(const std::vector<const HloInstruction*>& members,
                                                  const std::vector<Parts>& acc) {
  std::vector<std::vector<Parts>> results;
  auto next = acc.begin();
  for (const HloInstruction* member : members) {
    const auto end = next + static_cast<ptrdiff_t>(member->operands().size() / 2);
    results.push_back(FinishReduce(member, {next, end}));
    next = end;
  }
  return results;
}

void Region::CollectResults(const Coords& at, const Frame& frame, int rows, int cols, Value col) {
  collected_.clear();
  for (const HloInstruction* i : plan_->finished) {
    const int64_t n =
        i->shape().is_tuple() ? static_cast<int64_t>(i->shape().tuple_shapes().size()) : 1;
    for (int64_t k = 0; k < n; ++k) {
      const Parts result = EvalElement(i, k, at, frame);
      // A result that does not depend on the tile's rows or columns, as of no elements, is one
      // number for all of them.
      const Type tile{b_.type(result.re).elem, frame.rows, frame.cols};
      Collect(i, k, result, rows, cols,
              {kernel::Index{Int(0), tile.rows > 1 ? 1 : 0, 0},
               kernel::Index{col, 0, tile.cols > 1 ? 1 : 0}},
              tile);
    }
  }
}

// Stores the value, as a tile, in new buffers.
void Region::Collect(const HloInstruction* node, int64_t element, const Parts& value, int rows,
                     int cols, const std::vector<kernel::Index>& index, const Type& tile) {
  Collected c{node, element, {}};
  for (Value part : {value.re, value.im}) {
    if (part == kNone) continue;
    c.parts.push_back(b_.AddBuffer(Format("f{}", b_.kernel().buffers.size()), b_.type(part).elem,
                                   Dims{rows, cols}, kernel::Space::kTask));
    b_.Store(Widen(part, tile), c.parts.back(), index);
  }
  collected_.push_back(std::move(c));
}

void Region::BindResults(const Coords& at, const Frame& frame, Value row, Value col) {
  for (const Collected& c : collected_)
    BindCollected(c, at, frame, {kernel::Index{row}, kernel::Index{col, 0, 1}}, frame.cols);
}

// Binds what is in the buffers, of so many columns.
void Region::BindCollected(const Collected& c, const Coords& at, const Frame& frame,
                           const std::vector<kernel::Index>& index, int cols) {
  Values parts;
  for (int buffer : c.parts) {
    const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
    parts.push_back(b_.Load(buffer, index, Type{elem, 1, cols}));
  }
  Bind(c.loop, at, frame, parts.size() == 1 ? Parts{parts[0]} : Parts{parts[0], parts[1]},
       c.element);
}

// The reductions that share a loop with this one, itself among them.
std::vector<const HloInstruction*> Region::MembersWith(const HloInstruction* reduce) const {
  const auto group = plan_->together.find(reduce);
  if (group == plan_->together.end()) return {reduce};
  return group->second;
}
// Those of which this stage has no partial results, which are added up one by one.
std::vector<const HloInstruction*> Region::MembersHere(const HloInstruction* reduce) const {
  if (partials_.contains(reduce)) return {reduce};
  return MembersWith(reduce);
}

// Of reductions over the same elements, whose loop carries the accumulators of all.
Region::ReduceSpec Region::SpecOfAll(const std::vector<const HloInstruction*>& members) {
  std::vector<ReduceSpec> specs;
  for (const HloInstruction* member : members) specs.push_back(SpecOf(member));
  if (specs.size() == 1) return specs[0];
  ReduceSpec all = specs[0];
  for (size_t m = 1; m < specs.size(); ++m) {
    all.types.insert(all.types.end(), specs[m].types.begin(), specs[m].types.end());
    all.init.insert(all.init.end(), specs[m].init.begin(), specs[m].init.end());
    all.sums |= specs[m].sums;
    all.any_order &= specs[m].any_order;
  }
  all.load = [specs](const Coords& full, const Frame& f) {
    std::vector<Parts> x;
    for (const ReduceSpec& s : specs) {
      for (const Parts& p : s.load(full, f)) x.push_back(p);
    }
    return x;
  };
  auto each = [specs](const std::vector<Parts>& a, const std::vector<Parts>& x, auto of) {
    std::vector<Parts> y;
    size_t first = 0;
    for (const ReduceSpec& s : specs) {
      auto part = [&](const std::vector<Parts>& v) {
        return std::vector<Parts>(v.begin() + static_cast<ptrdiff_t>(first),
                                  v.begin() + static_cast<ptrdiff_t>(first + s.types.size()));
      };
      for (const Parts& p : of(s, part(a), part(x))) y.push_back(p);
      first += s.types.size();
    }
    return y;
  };
  using List = std::vector<Parts>;
  all.combine = [each](const List& a, const List& x) {
    return each(a, x,
                [](const ReduceSpec& s, const List& b, const List& c) { return s.combine(b, c); });
  };
  all.take = [each](const List& a, const List& x) {
    return each(a, x,
                [](const ReduceSpec& s, const List& b, const List& c) { return s.Take(b, c); });
  };
  return all;
}

}  // namespace sinter::emit
