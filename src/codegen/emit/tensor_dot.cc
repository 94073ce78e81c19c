// Products on tensor cores: slices of both operands go through a ring of task buffers.
#include <array>
#include <functional>

#include "base/text.h"
#include "codegen/emit/dot.h"
#include "codegen/emit/elementwise.h"
#include "codegen/kernel/fragments.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::Type;
using kernel::Value;
using kernel::Values;

namespace {

// Index maps that leave each element where it is known to be: of what is read through them alone a
// slice can be copied without change.
bool MapsElements(const HloInstruction* x) {
  switch (x->op()) {
    case HloOpcode::Reshape:
    case HloOpcode::Transpose:
    case HloOpcode::Slice:
    case HloOpcode::OptimizationBarrier:
      return true;
    default:
      return false;
  }
}

// Whether a node's elements are a parameter's, untouched.
bool IsCopied(const HloInstruction* x) {
  while (MapsElements(x)) x = x->operand(0);
  return x->op() == HloOpcode::Parameter;
}

}  // namespace

bool Region::IsTensorDot(const HloInstruction* dot, const Coords& at, const Frame& frame) const {
  if (plan_->stages == 0 || !CanStage(dot, at, frame)) return false;
  const ElementType elem = dot->operand(0)->shape().element_type();
  return kernel::FragmentsOf(frame.rows, frame.cols, plan_->slice, elem, 1).has_value();
}

// Whether an operand's contracted axis is minor in the memory that it is read from: in that of the
// first parameter that its elements come from.
bool Region::ContractedIsMinor(const HloInstruction* dot, size_t side, const Coords& at) {
  const auto& a = dot->attrs<DotAttrs>();
  Coords free;
  for (const Coord& c : at)
    free.push_back(Coord{Int(0), (side == 0 ? c.rows : c.cols) != 0 ? 1 : 0, 0});
  std::function<std::optional<bool>(const HloInstruction*, const Coords&)> find =
      [&](const HloInstruction* x, const Coords& c) -> std::optional<bool> {
    if (x->op() == HloOpcode::Parameter) {
      if (c.empty() || (c.back().rows != 1 && c.back().cols != 1)) return std::nullopt;
      return c.back().cols == 1;
    }
    if (!MapsElements(x) && !IsElementwise(x->op()) && x->op() != HloOpcode::Broadcast)
      return std::nullopt;
    for (size_t i = 0; i < x->operands().size(); ++i) {
      const auto map = OperandIndexMap(*x, i);
      if (!map) continue;
      if (const auto found = find(x->operand(i), MapCoords(*map, c))) return found;
    }
    return std::nullopt;
  };
  const HloInstruction* x = dot->operand(side);
  const Dims& summed = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims;
  return find(x, OperandCoords(*dot, side, free, Coords{Coord{Int(0), 0, 1}}))
      .value_or(summed[0] == x->shape().rank() - 1);
}

// One slice after another: copies of the next slices are in flight while one is multiplied. The
// threads of a block copy slices to task buffers; an operand that is computed passes through
// registers first.
Value Region::TensorDot(const HloInstruction* dot, const Coords& at, const Frame& frame, Value lo,
                        Value hi, bool exact) {
  const ElementType elem = dot->operand(0)->shape().element_type();
  const ElementType wide = kernel::DotSum(elem);
  const int bytes = ByteWidth(elem), slice = plan_->slice, stages = plan_->stages;
  const int extents[] = {frame.rows, frame.cols};
  struct Side {
    const HloInstruction* node;
    bool copied;      // nothing is done to its elements
    bool k_is_minor;  // in memory, its contracted axis
    bool k_is_cols;   // in its task buffer
    int buffer;
  } sides[2];
  for (size_t i = 0; i < 2; ++i) {
    Side& s = sides[i];
    s.node = dot->operand(i);
    s.copied = IsCopied(s.node);
    s.k_is_minor = ContractedIsMinor(dot, i, at);
    // Matrices of 16-bit elements are transposed as they are read from the buffer, TF32 is read
    // element by element; bytes must be in the order that the product reads.
    s.k_is_cols = s.k_is_minor || bytes == 1;
    // Rows of the buffer begin in different banks: eight of 16 bytes, or four of eight words.
    const int pad = (s.k_is_cols || bytes == 2 ? 16 : 32) / bytes;
    const int rows = s.k_is_cols ? extents[i] : slice, cols = s.k_is_cols ? slice : extents[i];
    s.buffer = b_.AddBuffer(Format("{}{}", i == 0 ? "a" : "b", dot->id()), elem,
                            Dims{stages, rows, cols + pad}, kernel::Space::kTask);
  }
  // `whole`: the slice does not run past the end.
  auto frame_of = [&](size_t i, Value k0, bool whole) {
    const Bound free = i == 0 ? frame.row_bound : frame.col_bound;
    const int free_depth = i == 0 ? frame.rows_depth : frame.cols_depth;
    const Bound k = whole ? Bound{} : Bound{k0, hi};
    const bool transposed = sides[i].k_is_minor;  // columns run along the minor axis
    Frame f;
    f.rows = transposed ? extents[i] : slice;
    f.cols = transposed ? slice : extents[i];
    f.row_bound = transposed ? free : k;
    f.col_bound = transposed ? k : free;
    f.rows_depth = transposed ? free_depth : b_.depth();
    f.cols_depth = transposed ? b_.depth() : free_depth;
    return f;
  };
  // A slice of an operand from k0 on.
  auto read = [&](size_t i, Value k0, bool whole) {
    const Side& s = sides[i];
    const Frame f = frame_of(i, k0, whole);
    Coords transposed;
    for (const Coord& c : at) {
      const int step = i == 0 ? c.rows : c.cols;
      transposed.push_back(Coord{c.base, s.k_is_minor ? step : 0, s.k_is_minor ? 0 : step});
    }
    const Coords summed{Coord{k0, s.k_is_minor ? 0 : 1, s.k_is_minor ? 1 : 0}};
    const Type tile{elem, f.rows, f.cols};
    Value v = Widen(Eval(s.node, OperandCoords(*dot, i, transposed, summed), f).re, tile);
    if (!whole && !s.copied) {
      // What an operand is past its end is anything, but its product must be nothing. A copied one
      // is zero there.
      v = b_.Select(b_.Mask(k0, hi, tile, s.k_is_minor ? kernel::Axis::kCols : kernel::Axis::kRows),
                    v, b_.Const(elem, 0));
    }
    return v;
  };
  auto write = [&](size_t i, Value slot, Value v) {
    const Side& s = sides[i];
    const bool same = s.k_is_cols == s.k_is_minor;
    const kernel::Index index[] = {
        {slot}, {Int(0), same ? 1 : 0, same ? 0 : 1}, {Int(0), same ? 0 : 1, same ? 1 : 0}};
    if (stages > 1) {
      b_.StoreAsync(v, s.buffer, index);
    } else {
      b_.Store(v, s.buffer, index);
    }
  };
  auto multiply = [&](Value slot, Value sum) {
    const int step = kernel::FragmentDepth(elem);
    for (int k = 0; k < slice; k += step) {
      Value x[2];
      for (size_t i = 0; i < 2; ++i) {
        const Side& s = sides[i];
        // Rows of the left operand's tile are free, of the right one's contracted.
        const bool k_is_tile_cols = i == 0, same = s.k_is_cols == k_is_tile_cols;
        const Value first = s.k_is_cols ? Int(0) : Int(k), second = s.k_is_cols ? Int(k) : Int(0);
        x[i] = b_.Load(
            s.buffer,
            {{slot}, {first, same ? 1 : 0, same ? 0 : 1}, {second, same ? 0 : 1, same ? 1 : 0}},
            Type{elem, i == 0 ? extents[0] : step, i == 0 ? step : extents[1]});
      }
      sum = b_.Dot(x[0], x[1], sum);
    }
    return sum;
  };
  const Value zero = b_.Splat(b_.ConstInt(wide, 0), Type{wide, frame.rows, frame.cols});
  const kernel::Tail tail = exact ? kernel::Tail::kExact : kernel::Tail::kMasked;
  if (stages == 1) {
    return Loop(kernel::LoopKind::kSeq, lo, hi, slice, tail, {zero},
                [&](Value k0, const Values& sums) {
                  for (size_t i = 0; i < 2; ++i) write(i, Int(0), read(i, k0, exact));
                  return Values{multiply(Int(0), sums[0])};
                })[0];
  }
  // Copies of what nothing is done to, where the slice begins before `hi`.
  auto copy = [&](Value k0, Value slot) {
    const Value last = IndexOp(kernel::OpCode::kSub, hi, Int(exact ? slice : 1));
    auto both = [&] {
      for (size_t i = 0; i < 2; ++i) {
        if (sides[i].copied) write(i, slot, read(i, k0, exact));
      }
    };
    int64_t from = 0, to = 0;
    if (b_.IsInt(k0, &from) && b_.IsInt(last, &to)) {
      if (from <= to) both();
      return;
    }
    b_.If(
        b_.Compare(kernel::Predicate::kLe, k0, last),
        [&] {
          Block block(*this);
          both();
          return Values{};
        },
        [] { return Values{}; });
  };
  // What passes through registers has masks that let nothing through from `hi` on.
  auto pass = [&](Value k0) {
    std::array<Value, 2> v{kNone, kNone};
    for (size_t i = 0; i < 2; ++i) {
      if (!sides[i].copied) v[i] = read(i, k0, false);
    }
    return v;
  };
  auto put = [&](const std::array<Value, 2>& v, Value slot) {
    for (size_t i = 0; i < 2; ++i) {
      if (v[i] != kNone) write(i, slot, v[i]);
    }
  };
  constexpr int kTaskDepth = 1;
  // Who still multiplies what an outer loop left in the ring.
  if (b_.depth() > kTaskDepth) b_.Sync();
  for (int s = 0; s + 1 < stages; ++s) {
    const Value k0 = IndexAdd(lo, Int(int64_t{s} * slice));
    copy(k0, Int(s));
    put(pass(k0), Int(s));
    b_.Commit();
  }
  return Loop(
      kernel::LoopKind::kSeq, lo, hi, slice, tail, {zero}, [&](Value k0, const Values& sums) {
        b_.Wait(stages - 2);
        auto slot_of = [&](Value k) {
          const Value number =
              IndexOp(kernel::OpCode::kDiv, IndexOp(kernel::OpCode::kSub, k, lo), Int(slice));
          return IndexOp(kernel::OpCode::kRem, number, Int(stages));
        };
        const Value next = IndexAdd(k0, Int(int64_t{stages - 1} * slice));
        // Its slot was multiplied in the iteration before, which all threads have left.
        const Value free = slot_of(next);
        copy(next, free);
        const auto passing = pass(next);
        const Value sum = multiply(slot_of(k0), sums[0]);
        put(passing, free);
        b_.Commit();
        return Values{sum};
      })[0];
}

// The first stage of a product that is cut along its contracted axis: a task has a tile of the
// result and a chunk of that axis, and leaves the sum in a scratch buffer.
void Region::EmitProductPartials(const HloInstruction* dot, int64_t chunk) {
  const auto& a = dot->attrs<DotAttrs>();
  const int64_t depth = dot->operand(0)->shape().dimension(a.lhs_contracting_dims[0]);
  const int64_t chunks = (depth + chunk - 1) / chunk;
  const std::vector<int64_t>& result = dot->shape().dimensions();
  std::vector<int64_t> dims{chunks};
  dims.insert(dims.end(), result.begin(), result.end());
  const ElementType wide = kernel::DotSum(dot->operand(0)->shape().element_type());
  Partial partial;
  partial.chunks = chunks;
  partial.buffers = {b_.AddBuffer("s0", wide, dims, kernel::Space::kScratch)};
  auto step_of = [&](size_t d) -> int64_t {
    return static_cast<int>(d) == plan_->row_dim   ? plan_->split_rows
           : static_cast<int>(d) == plan_->col_dim ? plan_->split_cols
                                                   : 1;
  };
  int64_t tiles = 1;
  for (size_t d = 0; d < result.size(); ++d) tiles *= (result[d] + step_of(d) - 1) / step_of(d);
  Loop(kernel::LoopKind::kPar, Int(0), Int(chunks * tiles), 1, kernel::Tail::kExact, {},
       [&](Value task, const Values&) {
         const Value number = IndexOp(kernel::OpCode::kRem, task, Int(chunks));
         Value rest = IndexOp(kernel::OpCode::kDiv, task, Int(chunks));
         Coords at(result.size());
         Frame frame;
         frame.rows = plan_->split_rows;
         frame.cols = plan_->split_cols;
         frame.rows_depth = frame.cols_depth = b_.depth();
         for (size_t d = result.size(); d-- > 0;) {
           const int64_t step = step_of(d), blocks = (result[d] + step - 1) / step;
           Value block = d == 0 ? rest : IndexOp(kernel::OpCode::kRem, rest, Int(blocks));
           if (d > 0) rest = IndexOp(kernel::OpCode::kDiv, rest, Int(blocks));
           if (blocks == 1) block = Int(0);
           const Value base = IndexOp(kernel::OpCode::kMul, block, Int(step));
           const bool is_row = static_cast<int>(d) == plan_->row_dim,
                      is_col = static_cast<int>(d) == plan_->col_dim;
           at[d] = Coord{base, is_row ? 1 : 0, is_col ? 1 : 0};
           if (result[d] % step == 0) continue;
           if (is_row) frame.row_bound = {base, Int(result[d])};
           if (is_col) frame.col_bound = {base, Int(result[d])};
         }
         const Value lo = IndexOp(kernel::OpCode::kMul, number, Int(chunk));
         Value hi = IndexAdd(lo, Int(chunk));
         if (depth % chunk != 0) hi = IndexOp(kernel::OpCode::kMin, hi, Int(depth));
         const bool exact = depth % chunk == 0 && chunk % plan_->slice == 0;
         const Value sum = TensorDot(dot, at, frame, lo, hi, exact);
         std::vector<kernel::Index> index{{number}};
         for (const Coord& c : at) index.push_back({c.base, c.rows, c.cols});
         b_.Store(sum, partial.buffers[0], index, MaskOf(frame, b_.type(sum)));
         return Values{};
       });
  partials_[dot] = std::move(partial);
}

// The second stage: what the tasks left, chunk by chunk.
Parts Region::SumOfPartials(const HloInstruction* dot, const Coords& at, const Frame& frame) {
  const Partial& partial = partials_.at(dot);
  const ElementType wide = kernel::DotSum(dot->operand(0)->shape().element_type());
  auto load = [&](Value chunk) {
    Coords full{Coord{chunk}};
    full.insert(full.end(), at.begin(), at.end());
    return LoadReal(partial.buffers[0], full, frame, 1, 0);
  };
  const Value first = load(Int(0));
  const Value sum = Loop(
      kernel::LoopKind::kSeq, Int(1), Int(partial.chunks), 1, kernel::Tail::kExact, {first},
      [&](Value chunk, const Values& sums) { return Values{b_.Add(sums[0], load(chunk))}; })[0];
  return EmitConvert(b_, {sum}, wide, dot->shape().element_type());
}

}  // namespace sinter::emit
