// What the operands of a packed product are copied to, with what they are made of computed on the
// way.
#include <algorithm>

#include "codegen/emit/elementwise.h"
#include "codegen/emit/gemm_emitter.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Tail;
using kernel::Type;
using kernel::Value;
using kernel::Values;

// An element of an operand: `free` along the result's axis, `contracted` along the other.
Value GemmEmitter::Operand(size_t side, Coord free, Coord contracted, const Frame& frame) {
  // A vector lies in the last dimension (InOneDimension).
  const int64_t vector = contracted.cols == 1   ? frame.cols
                         : contracted.rows == 1 ? frame.rows
                                                : 1,
                unit = product_.run() % vector == 0 ? vector : 1;
  return Operand(side, free, Digits(contracted, product_.depth, unit), frame);
}
Value GemmEmitter::Operand(size_t side, Coord free, const Coords& contracted, const Frame& frame) {
  const HloInstruction* x = dot_->operand(side);
  const plan::MatrixProduct::Side& dims = product_.sides[side];
  Coords at(static_cast<size_t>(x->shape().rank()));
  for (size_t d = 0; d < batch_.size(); ++d) at[static_cast<size_t>(dims.batch[d])] = batch_[d];
  auto set = [&](const std::vector<int64_t>& dimensions, const Coords& coords) {
    for (size_t d = 0; d < coords.size(); ++d) at[static_cast<size_t>(dimensions[d])] = coords[d];
  };
  set(dims.contracted, contracted);
  set(dims.free, side == 0 ? Digits(free, product_.rows) : Coords{free});
  return EmitConvert(b_, region_.Eval(x, at, frame), x->shape().element_type(), elem_[side]).re;
}

// --- words of neighbours along the contracted axis, for dot instructions

// The instruction for four bytes multiplies unsigned bytes by signed ones. Where A and B have the
// same sign, B is packed with its upper bits flipped, which is B + 128 of the other signedness (or
// B - 128), and 128 times the sums of A's rows are what that adds.
void GemmEmitter::SetWords() {
  if (dot_->operand(0)->shape().element_type() == ElementType::BF16) {
    elem_[0] = elem_[1] = ElementType::BF16;
    packed_[0] = packed_[1] = ElementType::U32;
    return;
  }
  // Whole until the end, where they cannot overflow.
  constexpr int64_t kMost = 255 * 255;
  if (IsFloat(sum_) && product_.k <= INT32_MAX / kMost) sum_ = ElementType::S32;
  if (g_.word == 2) {
    elem_[0] = elem_[1] = ElementType::S16;
    packed_[0] = packed_[1] = ElementType::S32;
    return;
  }
  for (size_t side : {0, 1}) {
    signed_[side] = IsSigned(dot_->operand(side)->shape().element_type());
    elem_[side] = signed_[side] ? ElementType::S8 : ElementType::U8;
  }
  flip_b_ = signed_[0] == signed_[1] && !g_.tiles;
  packed_[0] = signed_[0] ? ElementType::S32 : ElementType::U32;
  const bool is_signed = g_.tiles ? signed_[1] : !signed_[0];
  packed_[1] = is_signed ? ElementType::S32 : ElementType::U32;
}
Value GemmEmitter::DotAdd(Value a, Value b, Value sum) {
  return signed_[0] ? b_.DotAdd(b, a, sum) : b_.DotAdd(a, b, sum);
}
// Zero where the mask is not set.
Value GemmEmitter::Masked(Value mask, Value x) { return b_.Select(mask, x, Zero(b_.type(x).elem)); }
// Words [k, k + rows) of `side`, each of which is made of neighbouring rows of the tile of an
// operand whose contracted axis is not its minor one. Elements behind the last one are zero.
Value GemmEmitter::WordsOfRows(size_t side, Coord free, Value k, Frame frame) {
  const int64_t extent = product_.k, whole = extent / g_.word;
  const bool rows = frame.rows > 1;
  Value words = kNone;
  for (int u = 0; u < g_.word; ++u) {
    Value at = Add(Op(OpCode::kMul, k, Int(g_.word)), Int(u)), inside = kNone;
    if (rows && frame.row_bound.any()) {
      frame.row_bound = Bound{k, Int(whole + (u < extent % g_.word))};
    }
    if (u >= extent % g_.word && extent % g_.word != 0) {
      if (rows) {
        inside = b_.Mask(k, Int(whole), {ElementType::PRED, frame.rows, frame.cols},
                         kernel::Axis::kRows);
      } else {
        inside = b_.Compare(Predicate::kLt, at, Int(extent));
        at = Op(OpCode::kMin, at, Int(extent - 1));
      }
    }
    Value x = Operand(side, free, Coord{at, rows ? g_.word : 0, 0}, frame);
    if (inside != kNone) x = Masked(inside, x);
    x = b_.Convert(b_.Bitcast(x, g_.word == 2 ? ElementType::U16 : ElementType::U8),
                   ElementType::U32);
    if (u > 0) x = b_.Binary(OpCode::kShl, x, b_.ConstInt(ElementType::U32, 32 / g_.word * u));
    words = u == 0 ? x : b_.Or(words, x);
  }
  return b_.Bitcast(words, packed_[side]);
}
// The same where the contracted axis is the minor one: `cols` words beside one another, `rows`
// times. `guarded`: some may lie behind the end.
Value GemmEmitter::WordsOfColumns(size_t side, Coord free, Value k, int cols, Frame frame,
                                  bool guarded) {
  Value at = Op(OpCode::kMul, k, Int(g_.word));
  frame.cols = cols * g_.word;
  if (guarded) frame.col_bound = Bound{at, Int(product_.k)};
  Value x = Operand(side, free, Coord{at, 0, 1}, frame);
  const Type type{elem_[side], frame.rows, frame.cols};
  x = region_.Widen(x, type);
  if (guarded && product_.k % g_.word != 0) {
    x = Masked(b_.Mask(at, Int(product_.k), kernel::WithElem(type, ElementType::PRED),
                       kernel::Axis::kCols),
               x);
  }
  return b_.Pack(x, packed_[side]);
}

Value GemmEmitter::WordsOfB(Value j, Value k, int rows, int cols) {
  const bool transposed = !product_.sides[1].is_free_minor;
  Frame frame;
  frame.rows_depth = frame.cols_depth = b_.depth();
  Value words = kNone;
  if (transposed) {
    frame.rows = cols;
    if (CutsSquares()) frame.row_bound = Bound{j, Int(n_)};
    const bool guarded = product_.k % (rows * g_.word) != 0 || depth_ % rows != 0;
    words = b_.Transpose(WordsOfColumns(1, Coord{j, 1, 0}, k, rows, frame, guarded));
  } else {
    frame.cols = cols;
    if (CutsColumns()) frame.col_bound = Bound{j, Int(n_)};
    words = region_.Widen(WordsOfRows(1, Coord{j, 0, 1}, k, frame), Type{packed_[1], rows, cols});
  }
  if (!flip_b_) return words;
  return b_.Binary(OpCode::kXor, words, b_.ConstInt(packed_[1], kUpperBits));
}

void GemmEmitter::PackWordsOfA(Value i0, Value i1, const Slice& slice) {
  const Value depth = slice.depth;
  const int cols = InOneDimension(8 * region_.plan().lanes / g_.word);
  const bool exact = product_.k % (cols * g_.word) == 0 && depth_ % cols == 0;
  EachRowOfA(i0, i1, [&](Value i) {
    const Value row = Sub(i, i0);
    auto loop = [&](Value lo, Value hi, int64_t step, bool whole) {
      region_.Loop(LoopKind::kSeq, lo, hi, step, whole ? Tail::kExact : Tail::kMasked, {},
                   [&](Value q, const Values&) {
                     if (step == 1) q = Mul(q, Int(cols));
                     Frame frame;
                     frame.rows_depth = frame.cols_depth = b_.depth();
                     const Value words =
                         WordsOfColumns(0, Coord{i}, Add(slice.k0, q), cols, frame, !whole);
                     Frame stored;
                     stored.cols = cols;
                     if (!whole) stored.col_bound = Bound{q, depth};
                     b_.Store(words, packed_a_, {{row}, {q, 0, 1}},
                              region_.MaskOf(stored, Type{packed_[0], 1, cols}));
                     return Values{};
                   });
    };
    if (exact) return loop(Int(0), depth, cols, true);
    // Whole steps without a mask, then one with it.
    const Value end = Min(Add(slice.k0, depth), Int(product_.k / g_.word)),
                steps = Op(OpCode::kDiv, Sub(end, slice.k0), Int(cols));
    loop(Int(0), steps, 1, true);
    loop(Mul(steps, Int(cols)), depth, cols, false);
  });
}

// Rows of memory that are fetched ahead of those that are packed: as a row's part is a few lines of
// the cache, processors find out too late that they are wanted (384 x 96 of 1040 terms on Zen 3,
// from memory: 1.2 to 0.85 ms, training steps of transformers 15 to 20 % faster; 8 and 16 rows as
// good).
constexpr int64_t kRowsAhead = 12;

void GemmEmitter::PackTilesOfA(Value i0, Value i1, const Slice& slice) {
  const int cols = TileWidth();
  const bool cut = m_ % g_.rows != 0;
  const Value mask = TileMask();
  // In the order of memory: a row of all tiles after another.
  region_.SetAhead(kRowsAhead * g_.word * m_);
  Each(Int(0), slice.depth, 1, [&](Value q) {
    Each(i0, i1, g_.rows, [&](Value i) {
      Frame frame;
      frame.cols = cols;
      frame.cols_depth = b_.depth();
      if (cut || cols != g_.rows) {
        const Value end = Add(i, Int(g_.rows));
        frame.col_bound = Bound{i, cut ? Min(end, Int(m_)) : end};
      }
      const Coord rows{i, 0, 1};
      const Value k = Add(slice.k0, q), x = g_.word > 1 ? WordsOfRows(0, rows, k, frame)
                                                        : Operand(0, rows, Coord{k}, frame);
      b_.Store(region_.Widen(x, Type{packed_[0], 1, cols}), packed_a_,
               {{TileOf(Sub(i, i0))}, {q}, {Int(0), 0, 1}}, mask);
    });
  });
  region_.SetAhead(0);
}

// By squares of words, which are exchanged in registers.
void GemmEmitter::PackSquaresOfA(Value i0, Value i1, const Slice& slice) {
  const Type type{packed_[0], kTile, kTile};
  Each(Int(0), slice.depth, kTile, [&](Value q) {
    Each(i0, i1, kTile, [&](Value i) {
      const Value k = Add(slice.k0, q);
      Frame frame;
      frame.rows = frame.cols = kTile;
      frame.rows_depth = frame.cols_depth = b_.depth();
      if (product_.k % (kTile * g_.word) != 0) frame.row_bound = Bound{k, Int(k_)};
      if (m_ % kTile != 0) frame.col_bound = Bound{i, Int(m_)};
      const Value words = region_.Widen(WordsOfRows(0, Coord{i, 0, 1}, k, frame), type);
      b_.Store(b_.Transpose(words), packed_a_, {{Sub(i, i0), 1, 0}, {q, 0, 1}});
    });
  });
}

Value GemmEmitter::WholeTiles(const Slice& slice) {
  if (slices_ == 1) return Int((k_ + kTile - 1) / kTile * kTile);
  if (k_ % kTile == 0) return slice.depth;
  // No more than there is room for, which is all that has to be seen of it.
  const Value tiles = Op(OpCode::kDiv, Add(slice.depth, Int(kTile - 1)), Int(kTile));
  return Min(Mul(tiles, Int(kTile)), Int(room_));
}

void GemmEmitter::ClearBehindA(Value i0, Value i1, const Slice& slice) {
  if (k_ % kTile == 0) return;
  const Value zeros = b_.Splat(Zero(packed_[0]), Type{packed_[0], 1, kTile});
  Each(Int(0), Sub(i1, i0), 1, [&](Value row) {
    b_.Store(zeros, packed_a_, {{row}, {slice.depth, 0, 1}});
  });
}

void GemmEmitter::ClearRowsBehindA(Value i0, Value i1, const Slice& slice) {
  if (m_ % g_.rows == 0 || !IsFloat(packed_[0])) return;
  const int cols = region_.plan().lanes;
  const Value zeros = b_.Splat(Zero(packed_[0]), Type{packed_[0], 1, cols}), last = Sub(i1, i0);
  const Value tiles = Op(OpCode::kDiv, Add(last, Int(g_.rows - 1)), Int(g_.rows));
  Each(last, Mul(tiles, Int(g_.rows)), 1, [&](Value row) {
    Each(Int(0), slice.depth, cols, [&](Value q) {
      b_.Store(zeros, packed_a_, {{row}, {q, 0, 1}});
    });
  });
}

void GemmEmitter::ClearColumnsBehindB(Value panel, Value from, Value to) {
  const int cols = region_.plan().lanes;
  const Value zeros = b_.Splat(Zero(packed_[1]), Type{packed_[1], 1, cols});
  // From the first vector on that has none, or not all of its columns, from the last square.
  Each(from, to, 1, [&](Value q) {
    Each(Int(n_ / cols * cols), Int(g_.cols), cols, [&](Value c) {
      b_.Store(zeros, packed_b_, {{panel}, {q}, {c, 0, 1}});
    });
  });
}

void GemmEmitter::ClearBehindB(Panels panels, const Slice& slice) {
  if (k_ % kTile == 0) return;
  const Value zeros = b_.Splat(Zero(packed_[1]), Type{packed_[1], 1, g_.cols});
  Each(panels.first, panels.last, 1, [&](Value p) {
    const Value panel = PlaceOf(p);
    Each(slice.depth, WholeTiles(slice), 1, [&](Value q) {
      b_.Store(zeros, packed_b_, {{panel}, {q}, {Int(0), 0, 1}});
    });
  });
}

// Of columns that are rows of a register tile; kNone where all are.
Value GemmEmitter::TileMask() {
  const int cols = TileWidth();
  if (cols == g_.rows) return kNone;
  return b_.Mask(Int(0), Int(g_.rows), Type{ElementType::PRED, 1, cols}, kernel::Axis::kCols);
}

Value GemmEmitter::LoadA(Value row, Value q) {
  const Type column{packed_[0], g_.rows, 1};
  if (!AIsByTiles()) return b_.Load(packed_a_, {{row, 1, 0}, {q}}, column);
  return b_.Load(packed_a_, {{TileOf(row)}, {q}, {Int(0), 1, 0}}, column);
}

Value GemmEmitter::RowsOfA(Value i, const Coords& k) {
  Frame frame;
  frame.rows = g_.rows;
  frame.rows_depth = b_.depth();
  return region_.Widen(Operand(0, Coord{i, 1, 0}, k, frame), Type{packed_[0], g_.rows, 1});
}

// What B's flipped bits add to each row of the product, negated.
void GemmEmitter::SumRows(Value i0, Value i1, Value depth) {
  const Value ones = b_.ConstInt(packed_[1], 0x01010101),
              each = b_.ConstInt(ElementType::S32, signed_[0] ? -128 : 128),
              zero = Zero(packed_[0]);
  auto sum = [&](int cols, int64_t step, Tail tail, const std::function<Value(Value)>& load) {
    const Value none = b_.Splat(Zero(ElementType::S32), Type{ElementType::S32, 1, cols});
    return region_.Loop(
        LoopKind::kSeq, Int(0), depth, step, tail, {none},
        [&](Value q, const Values& c) { return Values{DotAdd(load(q), ones, c[0])}; })[0];
  };
  if (AIsByTiles()) {
    const int cols = TileWidth();
    const Value mask = TileMask();
    return Each(i0, i1, g_.rows, [&](Value i) {
      const Value row = Sub(i, i0);
      const Value total = sum(cols, 1, Tail::kExact, [&](Value q) {
        return b_.Load(packed_a_, {{TileOf(row)}, {q}, {Int(0), 0, 1}}, Type{packed_[0], 1, cols},
                       mask, mask == kNone ? kNone : zero);
      });
      b_.Store(b_.Mul(total, each), row_sums_, {{row, 0, 1}}, mask);
    });
  }
  const int cols = 4 * region_.plan().lanes;
  const Type type{packed_[0], 1, cols};
  Each(Int(0), Sub(i1, i0), 1, [&](Value row) {
    Value total = sum(cols, cols, Tail::kPeel, [&](Value q) {
      const Value mask =
          b_.Mask(q, depth, kernel::WithElem(type, ElementType::PRED), kernel::Axis::kCols);
      return b_.Load(packed_a_, {{row}, {q, 0, 1}}, type, mask, zero);
    });
    total = b_.Reduce({total}, kernel::Axis::kCols, [&](const Values& x, const Values& y) {
      return Values{b_.Add(x[0], y[0])};
    })[0];
    b_.Store(b_.Mul(total, each), row_sums_, {{row}});
  });
}

Value GemmEmitter::RowOfB(Value j, Value k, const Coords* digits, int cols) {
  region_.SetAhead(cols);
  Value row = kNone;
  if (g_.word > 1) {
    row = WordsOfB(j, k, 1, cols);
  } else {
    Frame frame;
    frame.cols = cols;
    frame.cols_depth = b_.depth();
    if (CutsColumns()) frame.col_bound = Bound{j, Int(n_)};
    const Value x = digits != nullptr ? Operand(1, Coord{j, 0, 1}, *digits, frame)
                                      : Operand(1, Coord{j, 0, 1}, Coord{k}, frame);
    row = region_.Widen(x, Type{packed_[1], 1, cols});
  }
  region_.SetAhead(0);
  return row;
}

// --- packing

// Of the columns along the contracted axis as many as lie in one dimension wherever they begin.
int GemmEmitter::InOneDimension(int cols) const {
  if (product_.depth.size() == 1) return cols;
  while (product_.run() % (cols * g_.word) != 0 || depth_ % cols != 0) cols /= 2;
  return cols;
}

// Rows of B that are packed of one panel before those of the next.
constexpr int64_t kRowsTogether = 16;

void GemmEmitter::PackB(Panels panels, const Slice& slice, Value from, Value to) {
  if (g_.tiles) ClearBehindB(panels, slice);
  const auto [first, last] = panels;
  const Value k0 = slice.k0, depth = slice.depth;
  const bool transposed = !product_.sides[1].is_free_minor;
  const int lanes = region_.plan().lanes;
  const int rows = transposed ? lanes : 1, cols = transposed ? lanes : g_.cols;
  auto pack = [&](Value p, Value c, Value q) {
    if (transposed && CutsColumns() && !CutsSquares()) c = Min(c, Int(n_ - cols));
    const Value j = Add(ColumnOf(p), c), k = Add(k0, q);
    const kernel::Index at[] = {{PlaceOf(p)}, {q, rows > 1 ? 1 : 0, 0}, {c, 0, 1}};
    const bool cut = rows > 1 && (k_ % rows != 0 || depth_ % rows != 0);
    if (g_.word > 1) {
      Value words = WordsOfB(j, k, rows, cols);
      const Type type = kernel::WithElem(b_.type(words), ElementType::PRED);
      return b_.Store(words, packed_b_, at,
                      cut ? b_.Mask(q, depth, type, kernel::Axis::kRows) : kNone);
    }
    Frame frame;
    frame.rows = rows;
    frame.cols = cols;
    frame.rows_depth = frame.cols_depth = b_.depth();
    if (transposed ? CutsSquares() : CutsColumns()) frame.col_bound = Bound{j, Int(n_)};
    if (cut) frame.row_bound = Bound{q, depth};
    Value x = Operand(1, Coord{j, 0, 1}, Coord{k, rows > 1 ? 1 : 0, 0}, frame);
    const Type type{packed_[1], rows, cols};
    Value mask =
        cut ? b_.Mask(q, depth, kernel::WithElem(type, ElementType::PRED), kernel::Axis::kRows)
            : kNone;
    b_.Store(region_.Widen(x, type), packed_b_, at, mask);
  };
  if (transposed) {  // rows of B from end to end, as many as a vector has columns
    if (CutsColumns() && !CutsSquares() && IsFloat(packed_[1]))
      ClearColumnsBehindB(PlaceOf(first), from, to);
    return Each(first, last, 1, [&](Value p) {
      auto vectors = [&](Value c) { Each(from, to, rows, [&](Value q) { pack(p, c, q); }); };
      // A transpose is a hundred instructions or more: the panel's vectors share them.
      return g_.cols == cols ? vectors(Int(0)) : Each(Int(0), Int(g_.cols), cols, vectors);
    });
  }
  // A few rows of all panels at a time: neighbours in a page are read together. Of tiles, whose
  // products take less time than to read B, the next rows are fetched, if they are so in memory
  // (a model of 12 layers in BF16: 41 to 34 ms).
  Each(from, to, kRowsTogether, [&](Value q0) {
    Value q1 = Op(OpCode::kMin, Add(q0, Int(kRowsTogether)), to);
    Each(first, last, 1, [&](Value p) {
      region_.SetAhead(g_.tiles ? kRowsTogether * g_.word * n_ : 0);
      Each(q0, q1, rows, [&](Value q) { pack(p, Int(0), q); });
      region_.SetAhead(0);
    });
  });
}

void GemmEmitter::PackAllOfB() {
  // Where memory runs along the contracted axis, a task is a panel; else some rows of all panels.
  const bool by_panels = !product_.sides[1].is_free_minor;
  constexpr int64_t kRows = 4 * kRowsTogether;
  const int64_t tasks = by_panels ? panels_ : (depth_ + kRows - 1) / kRows;
  region_.Loop(
      LoopKind::kPar, Int(0), Int(slices_ * tasks), 1, Tail::kExact, {},
      [&](Value t, const Values&) {
        const Value number = slices_ == 1 ? Int(0) : Op(OpCode::kDiv, t, Int(tasks)),
                    task = slices_ == 1 ? t : Op(OpCode::kRem, t, Int(tasks));
        const Slice slice = SliceFrom(Mul(number, Int(depth_)), Int(k_));
        EnterSlice(number);
        if (by_panels) {
          PackB({task, Add(task, Int(1))}, slice);
          return Values{};
        }
        const Value from = Mul(task, Int(kRows));
        PackB({Int(0), Int(panels_)}, slice, from, Min(Add(from, Int(kRows)), slice.depth));
        return Values{};
      });
}

void GemmEmitter::PackA(Value i0, Value i1, const Slice& slice) {
  // Short rows in whole vectors, if they are such.
  int cols = 4 * region_.plan().lanes;
  while (cols > region_.plan().lanes && depth_ == k_ && k_ < 4 * cols && k_ % cols != 0) cols /= 2;
  cols = InOneDimension(cols);
  const bool exact = k_ % cols == 0 && depth_ % cols == 0;
  const Type type{packed_[0], 1, cols};
  EachRowOfA(i0, i1, [&](Value i) {
    region_.Loop(LoopKind::kSeq, Int(0), slice.depth, cols, exact ? Tail::kExact : Tail::kPeel, {},
                 [&](Value q, const Values&) {
                   Frame frame;
                   frame.cols = cols;
                   frame.cols_depth = b_.depth();
                   if (!exact) frame.col_bound = Bound{q, slice.depth};
                   const Value x = Operand(0, Coord{i}, Coord{Add(slice.k0, q), 0, 1}, frame);
                   b_.Store(region_.Widen(x, type), packed_a_, {{Sub(i, i0)}, {q, 0, 1}},
                            region_.MaskOf(frame, type));
                   return Values{};
                 });
  });
}

}  // namespace sinter::emit
