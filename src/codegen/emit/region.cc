#include "codegen/emit/region.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/plan/bases.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using kernel::Values;

Region::Region(const HloComputation& computation, const plan::Plan& plan, std::string name,
               const EmitOptions& options)
    : computation_(computation),
      plan_(&plan),
      options_(options),
      b_(std::move(name)),
      outputs_(plan::Outputs(computation)),
      window_(plan::Window(computation)),
      scatter_(plan::ScatterOf(computation)),
      levels_(1) {
  b_.kernel().lanes = plan.lanes;
  if (options.allow_excess_precision) b_.AllowExcessPrecision();
}

// Complex arrays are arrays of their parts with the minor dimension doubled.
static std::vector<int64_t> RealDimensions(const Shape& shape) {
  std::vector<int64_t> dims = shape.dimensions();
  if (dims.empty()) dims.push_back(1);
  if (IsComplex(shape.element_type())) dims.back() *= 2;
  return dims;
}

void Region::AddArguments() {
  auto add = [&](const std::string& name, const Shape& shape) {
    return b_.AddBuffer(name, RealPart(shape.element_type()), RealDimensions(shape));
  };
  for (size_t i = 0; i < computation_.parameters().size(); ++i) {
    parameter_buffers_.push_back(add(Format("p{}", i), computation_.parameter(i)->shape()));
  }
  for (size_t i = 0; i < outputs_.size(); ++i) {
    const HloInstruction* result = window_    ? window_
                                   : scatter_ ? scatter_->operand(i)
                                              : outputs_[i];
    output_buffers_.push_back(add(Format("o{}", i), result->shape()));
  }
  auto alias = [&](size_t parameter) {
    may_be_in_place_ = true;
    for (int buffer : {parameter_buffers_[parameter], output_buffers_[0]})
      b_.kernel().buffers[static_cast<size_t>(buffer)].alias_group = 0;
  };
  for (size_t i = 0; i < plan_->in_place.size(); ++i)
    if (plan_->in_place[i]) alias(i);
  if (const auto base = plan::WindowBase(computation_); base && base->in_place)
    alias(base->parameter);
}

void Region::SetPlan(const plan::Plan& plan) {
  plan_ = &plan;
  cached_.clear();
  blocks_.clear();
}

Parts Region::Fail(const absl::Status& status, ElementType type) {
  if (status_.ok()) status_ = status;
  return Zero(type);
}

Parts Region::Zero(ElementType type) {
  Parts p{b_.Const(RealPart(type), 0)};
  if (IsComplex(type)) p.im = p.re;
  return p;
}

// --- depths and blocks

int Region::DepthOf(Value v) const {
  auto it = depth_of_.find(v);
  return it == depth_of_.end() ? 0 : it->second;
}

Value Region::IndexOp(OpCode code, Value x, Value y) {
  // Rows that slide read the same elements by other sums.
  const bool slides = plan_->slide_dim >= 0;
  if (slides) {
    if (const auto known = index_ops_.find({code, x, y}); known != index_ops_.end())
      return known->second;
  }
  const int depth = std::max(DepthOf(x), DepthOf(y));
  Value r = kNone;
  b_.AtDepth(std::min(depth, b_.depth()), [&] { r = b_.Binary(code, x, y); });
  int64_t ignored;
  if (!b_.IsInt(r, &ignored)) depth_of_.try_emplace(r, depth);
  if (slides) index_ops_[{code, x, y}] = r;
  return r;
}

Value Region::IndexChoice(Value x, int64_t limit, Value below, Value above) {
  const int depth = std::max({DepthOf(x), DepthOf(below), DepthOf(above)});
  Value r = kNone;
  b_.AtDepth(std::min(depth, b_.depth()), [&] {
    r = b_.Select(b_.Compare(kernel::Predicate::kLt, x, Int(limit)), below, above);
  });
  int64_t ignored;
  if (!b_.IsInt(r, &ignored)) depth_of_.try_emplace(r, depth);
  return r;
}

Coords Region::MapCoords(const IndexMap& map, const Coords& at) {
  Coords out;
  for (const IndexExpr& e : map) {
    Coord c{Int(e.offset), 0, 0, Interval::Of(e.offset), true};
    for (const IndexTerm& t : e.terms) {
      const Coord& from = at[static_cast<size_t>(t.dimension)];
      c.base = IndexAdd(c.base, IndexOp(OpCode::kMul, from.base, Int(t.coefficient)));
      c.rows += from.rows * static_cast<int>(t.coefficient);
      c.cols += from.cols * static_cast<int>(t.coefficient);
      c.range = c.range.Plus(from.range.Times(t.coefficient));
      c.sure &= from.sure;
    }
    out.push_back(c);
  }
  return out;
}

Region::Block::Block(Region& r) : region(r) { region.levels_.emplace_back(); }
Region::Block::~Block() { region.levels_.pop_back(); }

Values Region::Loop(kernel::LoopKind kind, Value lo, Value hi, int64_t step, kernel::Tail tail,
                    const Values& init, const Body& body) {
  int64_t from = 0, to = 0;
  const bool known = b_.IsInt(lo, &from) && b_.IsInt(hi, &to);
  if (kind == kernel::LoopKind::kSeq && known && to - from <= step && to > from &&
      (to - from == step || tail == kernel::Tail::kMasked)) {
    return body(lo, init);
  }
  return KeptLoop(kind, lo, hi, step, tail, init, body);
}

Values Region::KeptLoop(kernel::LoopKind kind, Value lo, Value hi, int64_t step, kernel::Tail tail,
                        const Values& init, const Body& body) {
  int64_t from = 0, to = 0;
  const bool known = b_.IsInt(lo, &from) && b_.IsInt(hi, &to);
  return b_.For(kind, lo, hi, step, tail, init, [&](Value iv, const Values& carries) {
    Block block(*this);
    depth_of_[iv] = b_.depth();
    if (known && from == 0) full_range_[iv] = to;
    return body(iv, carries);
  });
}

Values Region::LoopInBlocks(absl::Span<const int64_t> blocks, Value lo, Value hi, int64_t extent,
                            int64_t step, kernel::Tail tail, const Values& carries,
                            const Values& neutral, const kernel::Builder::Combiner& combine,
                            const BlockBody& body) {
  if (blocks.empty()) {
    return Loop(kernel::LoopKind::kSeq, lo, hi, step, tail, carries,
                [&](Value iv, const Values& c) { return body(iv, hi, c); });
  }
  const int64_t length = blocks.back() * step;
  if (length == step) {
    return Loop(kernel::LoopKind::kSeq, lo, hi, step, tail, carries,
                [&](Value iv, const Values& c) { return combine(c, body(iv, hi, neutral)); });
  }
  // All of the blocks together cover what the loop around them does.
  int64_t from = 0, to = 0;
  const bool full = b_.IsInt(lo, &from) && b_.IsInt(hi, &to) && from == 0;
  auto in_block = [&](Value iv, Value end, const Values& c) {
    if (full) full_range_[iv] = to;
    return body(iv, end, c);
  };
  const bool whole = extent > 0 && extent % length == 0;
  return Loop(
      kernel::LoopKind::kSeq, lo, hi, length, whole ? kernel::Tail::kExact : kernel::Tail::kMasked,
      carries, [&](Value iv, const Values& c) {
        Value end = IndexAdd(iv, Int(length));
        if (!whole) end = IndexOp(OpCode::kMin, end, hi);
        return combine(c, LoopInBlocks(blocks.first(blocks.size() - 1), iv, end, whole ? length : 0,
                                       step, tail, neutral, neutral, combine, in_block));
      });
}

void Region::AtDepth(int depth, const std::function<void()>& emit) {
  if (depth >= b_.depth()) {
    emit();
    return;
  }
  std::vector<Level> inner(std::make_move_iterator(levels_.begin() + depth + 1),
                           std::make_move_iterator(levels_.end()));
  levels_.resize(static_cast<size_t>(depth) + 1);
  b_.AtDepth(depth, emit);
  for (Level& l : inner) levels_.push_back(std::move(l));
}

static bool UsesRows(const kernel::Builder& b, const Coord& c) {
  return c.rows != 0 || b.type(c.base).rows > 1;
}
static bool UsesCols(const kernel::Builder& b, const Coord& c) {
  return c.cols != 0 || b.type(c.base).cols > 1;
}

int Region::NodeDepth(const Coords& at, const Frame& frame) const {
  int depth = b_.depth() > 0 ? 1 : 0;  // the top holds index arithmetic only
  for (const Coord& c : at) {
    depth = std::max(depth, DepthOf(c.base));
    if (UsesRows(b_, c)) depth = std::max(depth, frame.rows_depth);
    if (UsesCols(b_, c)) depth = std::max(depth, frame.cols_depth);
  }
  if (frame.guard != kNone) depth = std::max(depth, frame.guard_depth);
  return std::min(depth, b_.depth());
}

// --- tiles

Type Region::TileOf(const Coords& at, const Frame& frame, ElementType elem) const {
  Type t{elem};
  for (const Coord& c : at) {
    if (UsesRows(b_, c)) t.rows = frame.rows;
    if (UsesCols(b_, c)) t.cols = frame.cols;
  }
  return t;
}

Value Region::MaskOf(const Frame& frame, const Type& tile, bool swapped) {
  const Type type = kernel::WithElem(tile, ElementType::PRED);
  const bool rows = (swapped ? tile.cols : tile.rows) > 1,
             cols = (swapped ? tile.rows : tile.cols) > 1;
  Value mask = kNone;
  auto both = [&](Value m) { mask = mask == kNone ? m : b_.And(mask, m); };
  if (rows && frame.row_bound.any()) {
    both(b_.Mask(frame.row_bound.base, frame.row_bound.limit, type,
                 swapped ? kernel::Axis::kCols : kernel::Axis::kRows));
  }
  if (cols && frame.col_bound.any()) {
    both(b_.Mask(frame.col_bound.base, frame.col_bound.limit, type,
                 swapped ? kernel::Axis::kRows : kernel::Axis::kCols));
  }
  if (frame.guard != kNone)
    both(swapped && !b_.type(frame.guard).is_scalar() ? b_.Transpose(frame.guard) : frame.guard);
  return mask == kNone ? kNone : Widen(mask, type);
}

Value Region::Widen(Value v, Type type) {
  const Type& have = b_.type(v);
  type.elem = have.elem;
  if (have.rows == type.rows && have.cols == type.cols) return v;
  if (have.is_scalar()) return b_.Splat(v, type);
  return b_.Select(
      b_.Splat(b_.ConstInt(ElementType::PRED, 1), kernel::WithElem(type, ElementType::PRED)), v, v);
}

Value Region::CoordValue(const Coord& c, const Frame& frame, ElementType elem) {
  Value v = b_.Convert(c.base, elem);
  auto step = [&](int by, Type type, kernel::Axis axis) {
    if (by == 0) return;
    Value iota = b_.Iota(type, axis);
    v = b_.Add(v, by == 1 ? iota : b_.Mul(iota, b_.ConstInt(elem, by)));
  };
  step(c.rows, Type{elem, frame.rows, 1}, kernel::Axis::kRows);
  step(c.cols, Type{elem, 1, frame.cols}, kernel::Axis::kCols);
  return v;
}

// --- evaluation

Parts Region::Eval(const HloInstruction* node, const Coords& at, const Frame& frame) {
  if (node->op() == HloOpcode::GetTupleElement) {
    return EvalElement(node->operand(0), node->attrs<TupleElementAttrs>().index, at, frame);
  }
  return EvalElement(node, 0, at, frame);
}

Region::Key Region::KeyOf(const HloInstruction* node, int64_t element, const Coords& at,
                          const Frame& frame) const {
  const Type tile = TileOf(at, frame, ElementType::F32);
  Key key{node, element, at, frame.guard, tile.rows, tile.cols, {}, {}};
  if (tile.rows > 1) key.row_bound = frame.row_bound;
  if (tile.cols > 1) key.col_bound = frame.col_bound;
  return key;
}

static const Shape& ElementShape(const HloInstruction* node, int64_t element) {
  const Shape& s = node->shape();
  return s.is_tuple() ? s.tuple_shapes()[static_cast<size_t>(element)] : s;
}

Parts Region::EvalElement(const HloInstruction* node, int64_t element, const Coords& at,
                          const Frame& frame) {
  if (!status_.ok()) return Fail(status_, ElementShape(node, element).element_type());
  if (node->op() == HloOpcode::Tuple)
    return Eval(node->operand(static_cast<size_t>(element)), at, frame);
  const Type tile = TileOf(at, frame, ElementType::F32);
  const int depth = NodeDepth(at, frame);
  if (frame.guard != kNone) {
    const Type& guard = b_.type(frame.guard);
    if ((guard.rows > 1 && tile.rows == 1) || (guard.cols > 1 && tile.cols == 1)) {
      return EvalElement(node, element, Clamped(node, element, at, frame), WithoutGuard(frame));
    }
    const Frame free = WithoutGuard(frame);
    if ((!may_be_in_place_ && IsKnown(node, element, at)) ||
        (NodeDepth(at, free) < depth && IsInside(node, element, at)))
      return EvalElement(node, element, at, free);
  }
  Key key = KeyOf(node, element, at, frame);
  auto& known = levels_[static_cast<size_t>(depth)].values;
  if (auto it = known.find(key); it != known.end()) return it->second;
  Parts result;
  AtDepth(depth, [&] {
    result = plan_->cached.contains(node) ? ComputeCached(node, at, frame, depth)
                                          : Compute(node, element, at, frame, depth);
    levels_[static_cast<size_t>(depth)].values[std::move(key)] = result;
  });
  return result;
}

// What a loop computes with and without a guard is the same then, before the loop: a mask would
// spare nothing.
bool Region::IsInside(const HloInstruction* node, int64_t element, const Coords& at) {
  const Shape& s = ElementShape(node, element);
  for (size_t d = 0; d < at.size(); ++d) {
    if (!at[d].sure || !at[d].range.IsIn({0, s.dimension(static_cast<int64_t>(d))})) return false;
  }
  return true;
}

// One element, which is there whatever is guarded. With a guard of each of its readers, what is
// computed of rows that are written element by element would be computed for each again. Where
// memory is written over, each turn reads its own elements only.
bool Region::IsKnown(const HloInstruction* node, int64_t element, const Coords& at) const {
  const Shape& s = ElementShape(node, element);
  for (size_t d = 0; d < at.size(); ++d) {
    int64_t place = -1;
    if (at[d].rows != 0 || at[d].cols != 0 || !b_.IsInt(at[d].base, &place) || place < 0 ||
        place >= s.dimension(static_cast<int64_t>(d)))
      return false;
  }
  return true;
}

Frame Region::WithoutGuard(const Frame& frame) {
  Frame f = frame;
  f.guard = kNone;
  f.guard_depth = 0;
  return f;
}

// Where a guard varies along an axis that the coordinates do not have, the value is shared by lanes
// inside and outside: it is computed unguarded, at coordinates that are clamped to the inside.
Coords Region::Clamped(const HloInstruction* node, int64_t element, const Coords& at,
                       const Frame& frame) {
  const Shape& s = ElementShape(node, element);
  Coords inside;
  for (size_t d = 0; d < at.size(); ++d) {
    Coord c = at[d];
    if (c.rows != 0 || c.cols != 0) {
      c = Coord{CoordValue(c, frame, ElementType::S64)};
      depth_of_[c.base] = b_.depth();
    }
    const int64_t n = s.dimension(static_cast<int64_t>(d));
    c.base = IndexOp(OpCode::kMax, IndexOp(OpCode::kMin, c.base, Int(n - 1)), Int(0));
    c.range = Interval{0, std::max<int64_t>(n, 1)};
    inside.push_back(c);
  }
  return inside;
}

void Region::Bind(const HloInstruction* node, const Coords& at, const Frame& frame, Parts value,
                  int64_t element) {
  levels_[static_cast<size_t>(NodeDepth(at, frame))].values[KeyOf(node, element, at, frame)] =
      value;
}

Parts Region::Compute(const HloInstruction* node, int64_t element, const Coords& at,
                      const Frame& frame, int) {
  if (IsElementwise(node->op())) return EvalElementwise(node, at, frame);
  switch (node->op()) {
    case HloOpcode::Parameter:
      return EvalParameter(node, at, frame);
    case HloOpcode::Constant:
      return EmitScalarConstant(b_, node->literal());
    case HloOpcode::Iota:
      return EvalIota(node, at, frame);
    case HloOpcode::Broadcast:
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::Reverse:
    case HloOpcode::Windows: {
      auto map = OperandIndexMap(*node, 0);
      if (!map) break;
      return Eval(node->operand(0), MapCoords(*map, at), frame);
    }
    case HloOpcode::OptimizationBarrier:
      return Eval(node->operand(0), at, frame);
    case HloOpcode::BitcastConvert: {
      const ElementType from = node->operand(0)->shape().element_type(),
                        to = node->shape().element_type();
      if (BitWidth(from) != BitWidth(to) || IsComplex(from) || IsComplex(to)) break;
      Parts x = Eval(node->operand(0), at, frame);
      if (from == ElementType::PRED || to == ElementType::PRED) return {b_.Convert(x.re, to)};
      return {b_.Bitcast(x.re, to)};
    }
    case HloOpcode::Pad:
      return EvalPad(node, at, frame);
    case HloOpcode::Concatenate:
      return EvalConcatenate(node, at, frame);
    case HloOpcode::DynamicSlice:
      return EvalDynamicSlice(node, at, frame);
    case HloOpcode::DynamicUpdateSlice:
      return EvalDynamicUpdateSlice(node, at, frame);
    case HloOpcode::Gather:
      return EvalGather(node, at, frame);
    case HloOpcode::Reduce:
      return EvalReduce(node, element, at, frame);
    case HloOpcode::Dot:
      return EvalDot(node, at, frame);
    case HloOpcode::While:
      return EvalWhile(node, element, at, frame);
    default:
      break;
  }
  return Fail(Unimplemented("{} {} has no code for compiled devices", Name(node->op()),
                            node->shape().ToString()),
              node->shape().element_type());
}

std::optional<Parts> Region::EvalContracted(const HloInstruction* node, const Coords& at,
                                            const Frame& frame) {
  const ElementType type = node->shape().element_type();
  const bool minus = node->op() == HloOpcode::Subtract;
  if (!options_.allow_contraction || (node->op() != HloOpcode::Add && !minus) ||
      (type != ElementType::F32 && type != ElementType::F64))
    return std::nullopt;
  for (size_t side = 0; side < 2; ++side) {
    const HloInstruction* product = node->operand(side);
    // One that others need too is computed anyway.
    if (product->op() != HloOpcode::Multiply || product->users().size() != 1) continue;
    kernel::Expr a{&b_, Eval(product->operand(0), at, frame).re};
    kernel::Expr b{&b_, Eval(product->operand(1), at, frame).re};
    kernel::Expr c{&b_, Eval(node->operand(1 - side), at, frame).re};
    if (minus) (side == 0 ? c : a) = -(side == 0 ? c : a);
    return Parts{kernel::Fma(a, b, c)};
  }
  return std::nullopt;
}

Parts Region::EvalElementwise(const HloInstruction* node, const Coords& at, const Frame& frame) {
  if (std::optional<Parts> contracted = EvalContracted(node, at, frame)) return *contracted;
  std::vector<Parts> x;
  x.reserve(node->operands().size());
  for (size_t i = 0; i < node->operands().size(); ++i) {
    x.push_back(Eval(node->operand(i), MapCoords(*OperandIndexMap(*node, i), at), frame));
  }
  const size_t data = node->op() == HloOpcode::Select || node->op() == HloOpcode::Clamp ? 1 : 0;
  auto y = EmitElementwise(b_, *node, x, node->operand(data)->shape().element_type(),
                           node->shape().element_type());
  if (!y.ok()) return Fail(y.status(), node->shape().element_type());
  return *y;
}

Parts Region::EvalIota(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const int64_t d = node->attrs<IotaAttrs>().iota_dimension;
  const ElementType wide =
      node->shape().dimension(d) <= INT32_MAX ? ElementType::S32 : ElementType::S64;
  Parts index{CoordValue(at[static_cast<size_t>(d)], frame, wide)};
  return EmitConvert(b_, index, wide, node->shape().element_type());
}

// A node that several loops of a task need is computed in the first and cached in a buffer of the
// task. That works where each of its coordinates is either fixed within the task or runs through
// its whole range in that first loop.
Parts Region::ComputeCached(const HloInstruction* node, const Coords& at, const Frame& frame,
                            int depth) {
  const ElementType type = node->shape().element_type();
  auto index_of = [&](const Cached& cached, Coords* index) {
    for (size_t d = 0; d < at.size(); ++d) {
      if (static_cast<int>(d) == cached.group_dim) {
        if (!IsOfGroupRow(at[d])) return false;
        index->push_back(Coord{group_row_});
        continue;
      }
      const bool fixed = cached.fixed[d].base != kNone;
      index->push_back(fixed ? Coord{Int(0), at[d].rows, at[d].cols} : at[d]);
      if (fixed && at[d] != cached.fixed[d]) return false;
      if (!fixed && at[d].rows != 0) return false;
    }
    return true;
  };
  Frame open = frame;  // the buffer holds whole tiles: nothing to mask
  open.row_bound = open.col_bound = Bound{};
  if (auto it = cached_.find(node); it != cached_.end()) {
    Coords index;
    if (!it->second.usable || frame.guard != kNone || !index_of(it->second, &index))
      return Compute(node, 0, at, frame, depth);
    // The room past the end is for the lanes of a forward read alone.
    const bool forward =
        absl::c_all_of(at, [](const Coord& c) { return c.cols == 0 || c.cols == 1; });
    return LoadBuffer(it->second.buffer, type, index, forward ? open : frame);
  }
  // Before there is an entry: its operands may be cached too, which moves the table.
  Parts value = Compute(node, 0, at, frame, depth);
  Cached& cached = cached_[node];
  if (frame.guard != kNone || IsComplex(type)) return value;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < at.size(); ++d) {
    if (IsOfGroupRow(at[d])) {
      cached.group_dim = static_cast<int>(d);
      cached.fixed.push_back(Coord{});
      dims.push_back(plan_->group_rows);
      continue;
    }
    // Threads of a GPU have a tile's columns each for themselves.
    const bool one_tile = at[d].cols == 0 || (at[d].cols == 1 && plan_->warps == 0);
    const bool at_task = DepthOf(at[d].base) <= fixed_depth_ && one_tile;
    int64_t n = node->shape().dimension(static_cast<int64_t>(d)), covered = 0;
    if (at_task) {
      cached.fixed.push_back(at[d]);
      dims.push_back(at[d].rows != 0 ? frame.rows : at[d].cols != 0 ? frame.cols : 1);
      continue;
    }
    auto range = full_range_.find(at[d].base);
    if (range != full_range_.end()) covered = range->second;
    if (covered != n || at[d].rows != 0 || at[d].cols > 1) return value;
    cached.fixed.push_back(Coord{});
    dims.push_back(n);
  }
  if (depth <= fixed_depth_) return value;
  // Whole tiles run past the end of the axis of the columns; of the last one that is open, where
  // this loop has elements and others may have columns.
  size_t last_open = dims.size();
  auto is_open = [&](size_t d) {
    return cached.fixed[d].base == kNone && static_cast<int>(d) != cached.group_dim;
  };
  for (size_t d = 0; d < dims.size(); ++d)
    if (is_open(d)) last_open = d;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (d == last_open || (is_open(d) && at[d].cols != 0))
      dims[d] += std::max(plan_->tile_cols, plan_->reduce_cols);
  }
  cached.buffer = b_.AddBuffer(Format("t{}", node->id()), type, dims, kernel::Space::kTask);
  cached.usable = true;
  Coords index;
  index_of(cached, &index);
  std::vector<kernel::Index> at_buffer;
  for (const Coord& c : index) at_buffer.push_back({c.base, c.rows, c.cols});
  b_.Store(Widen(value.re, TileOf(at, frame, type)), cached.buffer, at_buffer);
  return value;
}

}  // namespace sinter::emit
