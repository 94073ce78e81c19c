// Products that are not packed.
#include <algorithm>

#include "base/status.h"
#include "codegen/emit/dot.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/sum_blocks.h"
#include "codegen/kernel/fragments.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::OpCode;
using kernel::Type;
using kernel::Value;
using kernel::Values;

Coords OperandCoords(const HloInstruction& dot, size_t side, const Coords& at,
                     const Coords& contracted) {
  const auto& a = dot.attrs<DotAttrs>();
  const Dims& batch = side == 0 ? a.lhs_batch_dims : a.rhs_batch_dims;
  const Dims& summed = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  size_t next = batch.size();
  if (side == 1) {
    next += static_cast<size_t>(dot.operand(0)->shape().rank()) - batch.size() - summed.size();
  }
  Coords c(static_cast<size_t>(dot.operand(side)->shape().rank()));
  std::vector<bool> taken(c.size(), false);
  for (size_t k = 0; k < batch.size(); ++k) {
    c[static_cast<size_t>(batch[k])] = at[k];
    taken[static_cast<size_t>(batch[k])] = true;
  }
  for (size_t k = 0; k < summed.size(); ++k) {
    c[static_cast<size_t>(summed[k])] = contracted[k];
    taken[static_cast<size_t>(summed[k])] = true;
  }
  for (size_t d = 0; d < c.size(); ++d) {
    if (!taken[d]) c[d] = at[next++];
  }
  return c;
}

Parts Region::AddProduct(ElementType type, const Parts& acc, const Parts& p, const Parts& q) {
  if (type == ElementType::PRED) return {b_.Or(acc.re, b_.And(p.re, q.re))};
  if (!IsFloat(type) && !IsComplex(type)) return {b_.Add(acc.re, b_.Mul(p.re, q.re))};
  if (!p.complex()) return {MultiplyAdd(p.re, q.re, acc.re)};
  Value minus = b_.Unary(OpCode::kNeg, p.im);
  return {MultiplyAdd(minus, q.im, MultiplyAdd(p.re, q.re, acc.re)),
          MultiplyAdd(p.im, q.re, MultiplyAdd(p.re, q.im, acc.im))};
}

// Whether the tile's rows run along the left operand and its columns along the right one, so that
// slices of both can wait in task buffers.
bool Region::CanStage(const HloInstruction* dot, const Coords& at, const Frame& frame) const {
  const auto& a = dot->attrs<DotAttrs>();
  if (plan_->slice == 0 || a.lhs_contracting_dims.size() != 1 || frame.guard != kNone ||
      frame.rows < 2 || frame.cols < 2)
    return false;
  const Coords summed{Coord{}};
  for (size_t side = 0; side < 2; ++side) {
    int rows = 0, cols = 0;
    for (const Coord& c : OperandCoords(*dot, side, at, summed)) {
      if (c.base != kNone && !b_.type(c.base).is_scalar()) return false;
      rows += c.rows != 0;
      cols += c.cols != 0;
    }
    if (rows != (side == 0 ? 1 : 0) || cols != (side == 0 ? 0 : 1)) return false;
  }
  return true;
}

// One slice of the contracted axis after another: a block's threads copy it to task buffers [K][M]
// and [K][N], each operand read along its minor dimension, and multiply columns of one with rows of
// the other. What depends on the operands' elements alone is computed as they are copied. Of
// complex numbers each part has a buffer of its own.
Parts Region::StagedDot(const HloInstruction* dot, const Coords& at, const Frame& frame) {
  constexpr int kUnrolled = 4;
  constexpr int64_t kPad = 4;  // four rows of a column apart in shared memory's banks
  const auto& a = dot->attrs<DotAttrs>();
  const ElementType wide = ComputedIn(dot->shape().element_type());
  const int64_t depth = dot->operand(0)->shape().dimension(a.lhs_contracting_dims[0]);
  const int slice = plan_->slice, extents[] = {frame.rows, frame.cols};
  const ElementType real = RealPart(wide);
  const size_t parts = static_cast<size_t>(PartCount(wide));
  const Value zero = b_.ConstInt(real, 0);
  int buffers[2][2];
  for (size_t side = 0; side < 2; ++side) {
    for (size_t part = 0; part < parts; ++part) {
      buffers[side][part] =
          b_.AddBuffer(Format("{}{}{}", side == 0 ? "a" : "b", dot->id(), part == 0 ? "" : "i"),
                       real, Dims{slice, extents[side] + kPad}, kernel::Space::kTask);
    }
  }
  auto copy = [&](size_t side, Value k0) {
    const HloInstruction* x = dot->operand(side);
    const Dims& summed = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
    // Columns run along the minor dimension, free or contracted.
    const bool k_is_cols = summed[0] == x->shape().rank() - 1;
    const Bound free = side == 0 ? frame.row_bound : frame.col_bound;
    const int free_depth = side == 0 ? frame.rows_depth : frame.cols_depth;
    const Bound k_bound = depth % slice == 0 ? Bound{} : Bound{k0, Int(depth)};
    Coords transposed;
    for (Coord c : at) {
      const int step = side == 0 ? c.rows : c.cols;
      transposed.push_back(Coord{c.base, k_is_cols ? step : 0, k_is_cols ? 0 : step});
    }
    Frame f;
    f.rows = k_is_cols ? extents[side] : slice;
    f.cols = k_is_cols ? slice : extents[side];
    f.row_bound = k_is_cols ? free : k_bound;
    f.col_bound = k_is_cols ? k_bound : free;
    f.rows_depth = k_is_cols ? free_depth : b_.depth();
    f.cols_depth = k_is_cols ? b_.depth() : free_depth;
    const Coords summed_at{Coord{k0, k_is_cols ? 0 : 1, k_is_cols ? 1 : 0}};
    const Parts element =
        EmitConvert(b_, Eval(x, OperandCoords(*dot, side, transposed, summed_at), f),
                    x->shape().element_type(), wide);
    const Type tile{real, f.rows, f.cols};
    for (size_t part = 0; part < parts; ++part) {
      Value v = part == 0 ? element.re : element.im;
      if (k_bound.any()) {
        // What an operand is past its end is anything, but its product must be nothing.
        v = b_.Select(
            b_.Mask(k0, Int(depth), tile, k_is_cols ? kernel::Axis::kCols : kernel::Axis::kRows), v,
            zero);
      }
      b_.Store(Widen(v, tile), buffers[side][part],
               {{Int(0), k_is_cols ? 0 : 1, k_is_cols ? 1 : 0},
                {Int(0), k_is_cols ? 1 : 0, k_is_cols ? 0 : 1}});
    }
  };
  auto sums_of = [&](const Values& v) { return parts == 1 ? Parts{v[0]} : Parts{v[0], v[1]}; };
  auto values_of = [&](const Parts& p) { return parts == 1 ? Values{p.re} : Values{p.re, p.im}; };
  auto multiply = [&](Value q, const Parts& acc) {
    const Type column{real, frame.rows, 1}, row{real, 1, frame.cols};
    Values x, y;
    for (size_t part = 0; part < parts; ++part) {
      x.push_back(b_.Load(buffers[0][part], {{q}, {Int(0), 1, 0}}, column));
      y.push_back(b_.Load(buffers[1][part], {{q}, {Int(0), 0, 1}}, row));
    }
    return AddProduct(wide, acc, sums_of(x), sums_of(y));
  };
  const Type tile{real, frame.rows, frame.cols};
  const Values none(parts, b_.Splat(zero, tile));
  std::vector<int64_t> blocks;  // of slices
  if (IsFloat(real)) blocks = CutIntoBlocks(Dims{(depth + slice - 1) / slice, slice})[0];
  auto add = [&](const Values& x, const Values& y) {
    Values sums;
    for (size_t part = 0; part < parts; ++part) sums.push_back(b_.Add(x[part], y[part]));
    return sums;
  };
  const Values last =
      LoopInBlocks(blocks, Int(0), Int(depth), depth, slice,
                   depth % slice == 0 ? kernel::Tail::kExact : kernel::Tail::kMasked, none, none,
                   add, [&](Value k0, Value, const Values& sums) {
                     copy(0, k0);
                     copy(1, k0);
                     return Loop(kernel::LoopKind::kSeq, Int(0), Int(slice), kUnrolled,
                                 kernel::Tail::kExact, sums, [&](Value q, const Values& c) {
                                   Parts acc = sums_of(c);
                                   for (int u = 0; u < kUnrolled; ++u)
                                     acc = multiply(IndexAdd(q, Int(u)), acc);
                                   return values_of(acc);
                                 });
                   });
  return sums_of(last);
}

// A product without packing. Rows of the tile run along the left operand, columns along
// the right one or, where the result leaves them free, along the contracted axis.
Parts Region::EvalDot(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const ElementType to = node->shape().element_type();
  if (const auto rows = rows_of_.find(node); rows != rows_of_.end()) {
    Coord row = at[at.size() - 2];
    row.base = IndexOp(OpCode::kSub, row.base, rows->second.first);
    return LoadBuffer(rows->second.buffer, to, {row, at.back()}, frame);
  }
  if (partials_.contains(node) && plan_->split[0].dim < 0) return SumOfPartials(node, at, frame);
  if (IsTensorDot(node, at, frame)) {
    const HloInstruction* lhs = node->operand(0);
    const int64_t depth = lhs->shape().dimension(node->attrs<DotAttrs>().lhs_contracting_dims[0]);
    const Value sum = TensorDot(node, at, frame, Int(0), Int(depth), depth % plan_->slice == 0);
    return EmitConvert(b_, {sum}, kernel::DotSum(lhs->shape().element_type()), to);
  }
  const ElementType wide = ComputedIn(to);
  if (auto sliding = EvalSliding(node, at, frame)) return (*sliding)[0];
  const bool is_staged = CanStage(node, at, frame);
  return EmitConvert(
      b_, is_staged ? StagedDot(node, at, frame) : ReduceLoops(SpecHere(node), at, frame)[0], wide,
      to);
}

namespace {

// The dimension along which memory runs, as far as an operand says itself. Windows are read from
// what has them, where the positions in a window come after all of its dimensions.
int64_t MinorDimension(const HloInstruction& operand) {
  if (operand.op() == HloOpcode::Windows && operand.attrs<WindowAttrs>().window.back().size == 1)
    return operand.operand(0)->shape().rank() - 1;
  return operand.shape().rank() - 1;
}

}  // namespace

// The dimensions are the result's and behind them the contracted ones.
Region::ReduceSpec Region::SpecOfDot(const HloInstruction* node) {
  const auto& a = node->attrs<DotAttrs>();
  const HloInstruction *lhs = node->operand(0), *rhs = node->operand(1);
  const ElementType wide = ComputedIn(node->shape().element_type());
  const auto rank = static_cast<ptrdiff_t>(node->shape().rank());
  ReduceSpec spec;
  spec.dims = node->shape().dimensions();
  for (size_t k = 0; k < a.lhs_contracting_dims.size(); ++k) {
    const auto d = static_cast<int64_t>(spec.dims.size());
    // If columns run along a contracted axis, it should be the minor one of an operand.
    if (a.lhs_contracting_dims[k] == MinorDimension(*lhs) ||
        a.rhs_contracting_dims[k] == MinorDimension(*rhs))
      spec.minor = static_cast<int>(d);
    spec.reduced.push_back(d);
    spec.dims.push_back(lhs->shape().dimension(a.lhs_contracting_dims[k]));
  }
  spec.types = {wide};
  spec.sums = IsFloat(wide) || IsComplex(wide);
  spec.any_order = true;
  spec.init = {EmitConvert(b_, Parts{b_.Const(RealPart(wide), 0)}, RealPart(wide), wide)};
  if (wide == ElementType::PRED) spec.init = {Parts{b_.ConstInt(wide, 0)}};
  spec.load = [this, node, wide, rank](const Coords& full, const Frame& f) {
    const Coords at(full.begin(), full.begin() + rank), contracted(full.begin() + rank, full.end());
    std::vector<Parts> x;
    for (size_t side = 0; side < 2; ++side) {
      const HloInstruction* o = node->operand(side);
      x.push_back(EmitConvert(b_, Eval(o, OperandCoords(*node, side, at, contracted), f),
                              o->shape().element_type(), wide));
    }
    return x;
  };
  // Loads give two factors, trees over columns and other partial sums one.
  spec.combine = [this, wide](const std::vector<Parts>& acc,
                              const std::vector<Parts>& x) -> std::vector<Parts> {
    if (x.size() == 2) return {AddProduct(wide, acc[0], x[0], x[1])};
    Parts y{b_.Binary(wide == ElementType::PRED ? OpCode::kOr : OpCode::kAdd, acc[0].re, x[0].re)};
    if (x[0].complex()) y.im = b_.Add(acc[0].im, x[0].im);
    return {y};
  };
  return spec;
}

}  // namespace sinter::emit
