// The register tiles of a packed product: what their loops add up, and where it goes.
#include <cstdint>
#include <vector>

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

Type GemmEmitter::AccumulatorType() const {
  const ElementType elem = g_.word == 1                    ? packed_[0]
                           : elem_[0] == ElementType::BF16 ? sum_
                                                           : ElementType::S32;
  return {elem, g_.rows, g_.cols};
}

// Rows that are read as they are end with the last one: its tile begins with rows of the one
// before.
Value GemmEmitter::FirstRow(Value i) {
  return g_.packs_a || m_ % g_.rows == 0 ? i : Min(i, Int(m_ - g_.rows));
}

Value GemmEmitter::StartOfTile(Value row) {
  const Type type = AccumulatorType();
  if (!flip_b_) return b_.Splat(Zero(type.elem), type);
  return region_.Widen(b_.Load(row_sums_, {{row, 1, 0}}, Type{type.elem, g_.rows, 1}), type);
}

Value GemmEmitter::AddProducts(const Tile& t, const Slice& slice, Value q, const Coords* k,
                               Value sum) {
  // B first, since loads before it could not be moved to their uses.
  const Value y = g_.packs_b ? b_.Load(packed_b_, {{t.panel}, {q}, {Int(0), 0, 1}},
                                       Type{packed_[1], 1, g_.cols}, kNone, kNone, kAhead * g_.cols)
                             : RowOfB(ColumnOf(t.p), Add(slice.k0, q), k, g_.cols);
  const Value x = g_.packs_a ? LoadA(t.row, q) : RowsOfA(t.first, *k);
  if (g_.word > 1) return DotAdd(x, y, sum);
  return IsFloat(packed_[0]) ? region_.MultiplyAdd(x, y, sum) : b_.Add(sum, b_.Mul(x, y));
}

void GemmEmitter::EachTile(Value i0, Value i1, Panels panels,
                           const std::function<void(const Tile&)>& body) {
  Each(panels.first, panels.last, 1, [&](Value p) {
    const Value panel = PlaceOf(p);
    Each(i0, i1, g_.rows, [&](Value i) { body({p, panel, i, Sub(i, i0), FirstRow(i)}); });
  });
}

// Words from q on of 16 rows, packed or as they are in memory: a parameter, or it would be packed.
Value GemmEmitter::TileOfA(Value i, Value row, Value q, const Slice& slice) {
  const Type type{packed_[0], kTile, kTile};
  if (g_.packs_a) return b_.Load(packed_a_, {{row, 1, 0}, {q, 0, 1}}, type);
  Frame frame;
  frame.rows = kTile;
  frame.cols = kTile * g_.word;
  frame.rows_depth = frame.cols_depth = b_.depth();
  const Value k = Mul(Add(slice.k0, q), Int(g_.word));
  return b_.Pack(Operand(0, Coord{i, 1, 0}, Coord{k, 0, 1}, frame), packed_[0]);
}

void GemmEmitter::DotTiles(const Tile& t, const Slice& slice) {
  const Type type{AccumulatorType().elem, kTile, kTile};
  const int down = g_.rows / kTile, across = g_.cols / kTile;
  const Value zeros = b_.Splat(Zero(type.elem), type), origin = Int(0);
  std::vector<Value> rows, packed_rows, columns;
  for (int r = 0; r < down; ++r) {
    rows.push_back(Add(t.i, Int(r * kTile)));
    packed_rows.push_back(Add(t.row, Int(r * kTile)));
  }
  for (int j = 0; j < across; ++j) columns.push_back(Int(j * kTile));
  // A loop even of one turn: that is where there are dots.
  const Values sums = region_.KeptLoop(
      LoopKind::kSeq, origin, WholeTiles(slice), kTile, Tail::kExact,
      Values(static_cast<size_t>(down * across), zeros), [&](Value q, const Values& c) {
        Values next = c, right;
        for (int r = 0; r < down; ++r) {
          const auto at = static_cast<size_t>(r);
          const Value left = TileOfA(rows[at], packed_rows[at], q, slice);
          for (int j = 0; j < across; ++j) {
            if (r == 0) {
              right.push_back(b_.Load(
                  packed_b_, {{t.panel}, {q, 1, 0}, {columns[static_cast<size_t>(j)], 0, 1}},
                  Type{packed_[1], kTile, kTile}));
            }
            Value& sum = next[static_cast<size_t>(r * across + j)];
            sum = b_.Dot(left, right[static_cast<size_t>(j)], sum);
          }
        }
        return next;
      });
  for (int r = 0; r < down; ++r) {
    for (int j = 0; j < across; ++j) {
      b_.Store(sums[static_cast<size_t>(r * across + j)], tile_,
               {{Int(r * kTile), 1, 0}, {Int(j * kTile), 0, 1}});
    }
  }
  if (rows_ < 0) return Epilogue(t, slice);
  Each(Int(0), Int(g_.rows), 1, [&](Value r) {
    const Value sum =
        b_.Convert(b_.Load(tile_, {{r}, {Int(0), 0, 1}}, Type{type.elem, 1, g_.cols}), sum_);
    Keep(Add(t.row, r), t.p, sum);
  });
}

void GemmEmitter::RegisterTile(const Tile& t, const Slice& slice) {
  if (g_.tiles) return DotTiles(t, slice);
  const Value start = StartOfTile(t.row);
  // Not unrolled: a row of the tile hides the loop's own instructions, and code generation is
  // what compiling costs.
  if (!g_.packs_a) {
    return Complete(t, slice, SumRuns(slice, start, [&](Value q, const Coords& k, Value sum) {
                      return AddProducts(t, slice, q, &k, sum);
                    }));
  }
  // Where the contracted axis is not cut into slices, as in a chain, sums are.
  std::vector<int64_t> blocks;
  if (depth_ > kSlice) blocks.push_back(kSlice);
  const Type type = AccumulatorType();
  const Value none = blocks.empty() || !flip_b_ ? start : b_.Splat(Zero(type.elem), type);
  const Values sum = region_.LoopInBlocks(
      blocks, Int(0), slice.depth, is_second_ ? depth_ : 0, 1, Tail::kExact, {start}, {none},
      [&](const Values& x, const Values& y) { return Values{b_.Add(x[0], y[0])}; },
      [&](Value q, Value, const Values& c) {
        return Values{AddProducts(t, slice, q, nullptr, c[0])};
      });
  Complete(t, slice, sum[0]);
}

void GemmEmitter::TilesBySteps(Value i0, Value i1, Panels panels, const Slice& slice) {
  const Type type = AccumulatorType();
  auto each_tile = [&](const std::function<void(const Tile&, absl::Span<const kernel::Index>)>& f) {
    EachTile(i0, i1, panels, [&](const Tile& t) {
      const kernel::Index place[] = {{Sub(t.p, panels.first)}, {t.row, 1, 0}, {Int(0), 0, 1}};
      f(t, place);
    });
  };
  Each(Int(0), slice.depth, g_.step, [&](Value q0) {
    const Value q1 = Min(Add(q0, Int(g_.step)), slice.depth);
    each_tile([&](const Tile& t, absl::Span<const kernel::Index> place) {
      const Value start = b_.If(
          b_.Compare(Predicate::kGt, q0, Int(0)),
          [&] { return Values{b_.Load(waiting_, place, type)}; },
          [&] { return Values{StartOfTile(t.row)}; })[0];
      const Value sum = region_.Loop(LoopKind::kSeq, q0, q1, 1, Tail::kExact, {start},
                                     [&](Value q, const Values& c) {
                                       return Values{AddProducts(t, slice, q, nullptr, c[0])};
                                     })[0];
      b_.Store(sum, waiting_, place);
    });
  });
  each_tile([&](const Tile& t, absl::Span<const kernel::Index> place) {
    Complete(t, slice, b_.Load(waiting_, place, type));
  });
}

void GemmEmitter::Keep(Value row, Value p, Value sums) {
  const Parts value = EmitConvert(b_, Parts{sums}, sum_, dot_->shape().element_type());
  b_.Store(value.re, rows_, {{row, 1, 0}, {ColumnOf(p), 0, 1}});
}

void GemmEmitter::Complete(const Tile& t, const Slice& slice, Value sum) {
  sum = b_.Convert(sum, sum_);
  if (rows_ >= 0) return Keep(t.row, t.p, sum);
  b_.Store(sum, tile_, {{Int(0), 1, 0}, {Int(0), 0, 1}});
  Epilogue(t, slice);
}

Value GemmEmitter::SumRuns(const Slice& slice, Value start, const Step& step) {
  const int64_t run = product_.run(), runs = product_.k / run;
  const auto outer = absl::MakeConstSpan(product_.depth).first(product_.depth.size() - 1);
  // Slices begin where runs do, unless these are longer.
  const bool whole = depth_ % run == 0;
  const Value first = Op(OpCode::kDiv, slice.k0, Int(run)),
              last = Op(OpCode::kDiv, whole ? slice.k1 : Add(slice.k1, Int(run - 1)), Int(run));
  return region_.Loop(LoopKind::kSeq, first, last, 1, Tail::kExact, {start},
                      [&](Value number, const Values& c) {
                        Coords k;
                        if (!outer.empty()) k = Digits(Coord{number, 0, 0, {0, runs}}, outer);
                        k.emplace_back();
                        const Value begin = Mul(number, Int(run)), offset = Sub(begin, slice.k0);
                        Value lo = Int(0), hi = Int(run);
                        if (!whole) {
                          lo = Op(OpCode::kMax, Sub(slice.k0, begin), lo);
                          hi = Min(Sub(slice.k1, begin), hi);
                        }
                        return region_.Loop(LoopKind::kSeq, lo, hi, 1, Tail::kExact, c,
                                            [&](Value x, const Values& sum) {
                                              k.back() = Coord{x, 0, 0, {0, run}};
                                              return Values{step(Add(offset, x), k, sum[0])};
                                            });
                      })[0];
}

}  // namespace sinter::emit
