#include "codegen/emit/gemm.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "codegen/emit/elementwise.h"
#include "codegen/emit/gemm_emitter.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Predicate;
using kernel::Tail;
using kernel::Type;
using kernel::Values;

GemmEmitter::GemmEmitter(Region& region, const HloInstruction* dot, const plan::GemmBlocks& blocks,
                         std::string suffix)
    : region_(region),
      b_(region.b()),
      g_(blocks),
      dot_(dot),
      suffix_(std::move(suffix)),
      product_(*plan::MatrixProductOf(*dot_)),
      m_(product_.m),
      n_(product_.n),
      k_((product_.k + g_.word - 1) / g_.word),
      depth_((g_.depth + g_.word - 1) / g_.word),
      room_(g_.tiles ? (depth_ + kTile - 1) / kTile * kTile : depth_) {
  sum_ = ComputedIn(dot_->shape().element_type());
  elem_[0] = elem_[1] = packed_[0] = packed_[1] = sum_;
  if (g_.word > 1) SetWords();
  panels_ = (n_ + g_.cols - 1) / g_.cols;
  slices_ = (k_ + depth_ - 1) / depth_;
  height_ = std::min<int64_t>(g_.height, (m_ + g_.rows - 1) / g_.rows * g_.rows);
}

void GemmEmitter::Emit() {
  const int64_t width = (panels_ + g_.bands - 1) / g_.bands, bands = (panels_ + width - 1) / width,
                batches = product_.batches();
  // Whole register tiles.
  const int64_t part = ((m_ + g_.parts - 1) / g_.parts + g_.rows - 1) / g_.rows * g_.rows,
                parts = (m_ + part - 1) / part;
  const int64_t chunk = (slices_ + g_.chunks - 1) / g_.chunks * depth_,
                chunks = (k_ + chunk - 1) / chunk;
  chunks_ = chunks;
  // The packed bands of one product are contiguous; of many products there are more tasks than
  // memory is allocated for, and parts pack the same. Where a task packs a few panels at a time
  // they have room for no more.
  own_partial_ = chunks == 1 && (batches > 1 || parts > 1);
  own_packed_ = !g_.shares_b && (own_partial_ || chunks > 1 || g_.group < width || g_.step > 0);
  AddBuffers(own_packed_ ? std::min(g_.group, width) : g_.shares_b ? slices_ * panels_ : panels_);
  if (chunks > 1) {
    partial_ = b_.AddBuffer("Cp" + suffix_, sum_, Dims{chunks, panels_, m_, g_.cols},
                            kernel::Space::kScratch);
  } else if (slices_ > 1) {
    // Of its own, a task has room for whole register tiles.
    partial_ = own_partial_
                   ? b_.AddBuffer("Cp" + suffix_, sum_, Dims{width, part + g_.rows, g_.cols},
                                  kernel::Space::kTask)
                   : b_.AddBuffer("Cp" + suffix_, sum_, Dims{panels_, m_, g_.cols},
                                  kernel::Space::kScratch);
  }
  if (g_.shares_b) PackAllOfB();
  region_.Loop(LoopKind::kPar, Int(0), Int(batches * bands * parts * chunks), 1, Tail::kExact, {},
               [&](Value t, const Values&) {
                 // A number of several digits, the last one first.
                 auto next = [&](int64_t n) {
                   if (n == 1) return Int(0);
                   const Value digit = Op(OpCode::kRem, t, Int(n));
                   t = Op(OpCode::kDiv, t, Int(n));
                   return digit;
                 };
                 Value from = Int(0), end = Int(k_), lo = Int(0), hi = Int(m_);
                 if (chunks > 1) {
                   chunk_ = next(chunks);
                   from = Mul(chunk_, Int(chunk));
                   end = Min(Add(from, Int(chunk)), Int(k_));
                 }
                 if (parts > 1) {
                   lo = Mul(next(parts), Int(part));
                   hi = Min(Add(lo, Int(part)), Int(m_));
                 }
                 const Value band = batches == 1 ? t : next(bands);
                 SetBatch(batches == 1 ? Int(0) : t);
                 Panels panels{Mul(band, Int(width)), kNone};
                 panels.last = Add(panels.first, Int(width));
                 if (panels_ % width != 0) panels.last = Min(panels.last, Int(panels_));
                 OneTask(lo, hi, panels, from, end);
                 return Values{};
               });
  if (chunks > 1) AddChunks();
}

// Rows [lo, hi) of a band of panels, over [from, end) of the contracted axis.
void GemmEmitter::OneTask(Value lo, Value hi, Panels band, Value from, Value end) {
  const int64_t width = (panels_ + g_.bands - 1) / g_.bands;
  from_ = from;
  if (own_partial_) {
    first_partial_ = band.first;
    first_row_ = lo;
  }
  if (own_packed_) first_packed_ = band.first;
  Each(from, end, depth_, [&](Value k0) {
    const Slice slice = SliceFrom(k0, end);
    if (g_.shares_b) EnterSlice(Op(OpCode::kDiv, k0, Int(depth_)));
    if (g_.group < width) {
      // All rows are one block, which is packed once for all panels.
      PackRows(lo, hi, slice);
      return Each(band.first, band.last, g_.group, [&](Value first) {
        const Panels some{first, Min(Add(first, Int(g_.group)), band.last)};
        first_packed_ = first;
        if (g_.packs_b) PackB(some, slice);
        Tiles(lo, hi, some, slice);
      });
    }
    if (g_.packs_b && !g_.shares_b) PackB(band, slice);
    Each(lo, hi, height_, [&](Value i0) {
      Value i1 = Add(i0, Int(height_));
      if (m_ % height_ != 0 || g_.parts > 1) i1 = Min(i1, hi);
      Block(i0, i1, band, slice);
    });
  });
}

GemmEmitter::Slice GemmEmitter::SliceFrom(Value k0, Value end) {
  if (slices_ == 1) return {k0, Int(k_), Int(k_)};
  const Value k1 = Add(k0, Int(depth_));
  if (k_ % depth_ == 0) return {k0, k1, Int(depth_)};
  const Value cut = Min(k1, end);
  return {k0, cut, Sub(cut, k0)};
}

void GemmEmitter::EmitAfter(GemmEmitter& first) {
  const plan::Plan& plan = region_.plan();
  const int64_t tasks = (m_ + plan.chain_rows - 1) / plan.chain_rows;
  // Whole tiles are stored, with room past the last row and column.
  first.rows_ = b_.AddBuffer("S", first.dot_->shape().element_type(),
                             Dims{height_ + g_.rows, first.panels_ * first.g_.cols + kPitch},
                             kernel::Space::kTask);
  own_packed_ = first.own_packed_ = true;
  is_second_ = true;
  first.AddBuffers(first.panels_);
  AddBuffers(panels_);
  first_packed_ = first.first_packed_ = Int(0);
  from_ = first.from_ = Int(0);
  reductions_ = plan.chain_reductions;
  region_.Loop(
      LoopKind::kPar, Int(0), Int(product_.batches() * tasks), 1, Tail::kExact, {},
      [&](Value t, const Values&) {
        const Value batch = tasks == 1 ? t : Op(OpCode::kDiv, t, Int(tasks)),
                    part = tasks == 1 ? Int(0) : Op(OpCode::kRem, t, Int(tasks));
        const Value lo = Mul(part, Int(plan.chain_rows));
        const Value hi = Min(Add(lo, Int(plan.chain_rows)), Int(m_));
        first.SetBatch(batch);
        SetBatch(batch);
        if (first.g_.packs_b)
          first.PackB({Int(0), Int(first.panels_)}, {Int(0), Int(first.k_), Int(first.k_)});
        if (g_.packs_b) PackB({Int(0), Int(panels_)}, {Int(0), Int(k_), Int(k_)});
        Each(lo, hi, height_, [&](Value i0) {
          const Value i1 = Min(Add(i0, Int(height_)), hi);
          first.WholeBlock(i0, i1);
          region_.SetRows(first.dot_, first.rows_, i0);
          WholeBlock(i0, i1);
        });
        return Values{};
      });
}

void GemmEmitter::AddBuffers(int64_t panels) {
  const auto space = own_packed_ ? kernel::Space::kTask : kernel::Space::kScratch;
  if (g_.packs_b)
    packed_b_ = b_.AddBuffer("Bp" + suffix_, packed_[1], Dims{panels, room_, g_.cols}, space);
  // Rows may be written past the block by whole tiles; the odd pitch keeps them out of one
  // another's cache sets.
  const int64_t rows = height_ + std::max(g_.rows, region_.plan().lanes);
  if (g_.packs_a) {
    packed_a_ = b_.AddBuffer("Ap" + suffix_, packed_[0],
                             AIsByTiles() ? Dims{height_ / g_.rows, depth_, int64_t{g_.rows}}
                                          : Dims{rows, room_ + kPitch},
                             kernel::Space::kTask);
  }
  if (g_.step > 0)
    waiting_ = b_.AddBuffer("Cw" + suffix_, AccumulatorType().elem,
                            Dims{panels, rows, int64_t{g_.cols}}, kernel::Space::kTask);
  if (flip_b_)
    row_sums_ = b_.AddBuffer("As" + suffix_, ElementType::S32, Dims{rows}, kernel::Space::kTask);
  // The first product of a chain has a buffer for whole rows.
  if (rows_ < 0 || g_.tiles)
    tile_ = b_.AddBuffer("Ct" + suffix_, g_.tiles ? AccumulatorType().elem : sum_,
                         Dims{int64_t{g_.rows}, int64_t{g_.cols}}, kernel::Space::kTask);
}

void GemmEmitter::Block(Value i0, Value i1, Panels panels, const Slice& slice) {
  PackRows(i0, i1, slice);
  Tiles(i0, i1, panels, slice);
}
void GemmEmitter::PackRows(Value i0, Value i1, const Slice& slice) {
  if (!g_.packs_a) return;
  if (AIsByTiles()) {
    PackTilesOfA(i0, i1, slice);
  } else if (RunsAlongRowsOfA()) {
    PackSquaresOfA(i0, i1, slice);
  } else if (g_.word > 1) {
    PackWordsOfA(i0, i1, slice);
  } else {
    PackA(i0, i1, slice);
    ClearRowsBehindA(i0, i1, slice);
  }
  if (g_.tiles) ClearBehindA(i0, i1, slice);
  if (flip_b_) SumRows(i0, i1, slice.depth);
}
void GemmEmitter::Tiles(Value i0, Value i1, Panels panels, const Slice& slice) {
  if (g_.step > 0) return TilesBySteps(i0, i1, panels, slice);
  EachTile(i0, i1, panels, [&](const Tile& t) { RegisterTile(t, slice); });
}
void GemmEmitter::WholeBlock(Value i0, Value i1) {
  Block(i0, i1, {Int(0), Int(panels_)}, {Int(0), Int(k_), Int(k_)});
}

// Of the values of row `i`, whose shape may have dimensions of one element anywhere.
Coords GemmEmitter::RowCoords(const Shape& shape, Value i) {
  Coords longer;
  for (size_t d = 0; d < batch_.size(); ++d)
    if (product_.batch[d] != 1) longer.push_back(batch_[d]);
  longer.push_back(Coord{i});
  Coords at;
  size_t next = 0;
  for (int64_t n : shape.dimensions())
    at.push_back(n == 1 ? Coord{Int(0), 0, 0, Interval::Of(0)} : longer[next++]);
  return at;
}
// Packs a row of A. In the second product of a chain, what the row is reduced to comes first, and
// what more than one loop over it needs is kept.
void GemmEmitter::EachRowOfA(Value i0, Value i1, const std::function<void(Value)>& body) {
  Each(i0, i1, 1, [&](Value i) {
    if (!is_second_) return body(i);
    region_.EnterRow();
    for (const HloInstruction* r : reductions_) region_.Eval(r, RowCoords(r->shape(), i), Frame{});
    body(i);
    region_.LeaveRow();
  });
}

void GemmEmitter::Each(Value lo, Value hi, int64_t step, const std::function<void(Value)>& body) {
  region_.Loop(LoopKind::kSeq, lo, hi, step, step == 1 ? Tail::kExact : Tail::kMasked, {},
               [&](Value iv, const Values&) {
                 body(iv);
                 return Values{};
               });
}

bool GemmEmitter::Overlaps() const { return n_ >= g_.cols && !region_.IsWindow(); }
bool GemmEmitter::CutsColumns() const { return n_ % g_.cols != 0 && !Overlaps(); }
bool GemmEmitter::CutsSquares() const {
  return CutsColumns() && (n_ > g_.cols || n_ < region_.plan().lanes);
}
GemmEmitter::Value GemmEmitter::ColumnOf(Value p) {
  const Value j = Mul(p, Int(g_.cols));
  return n_ % g_.cols == 0 || !Overlaps() ? j : Min(j, Int(n_ - g_.cols));
}

Coords GemmEmitter::Digits(Coord number, absl::Span<const int64_t> extents, int64_t unit) {
  Coords digits(extents.size(), number);
  for (size_t d = extents.size(); extents.size() > 1 && d-- > 0;) {
    const int64_t n = extents[d];
    const bool is_last = d + 1 == extents.size();
    Coord& digit = digits[d];
    if (n == 1) {
      digit = Coord{Int(0), 0, 0, Interval::Of(0)};
      continue;
    }
    const bool in_units = unit > 1 && is_last;
    if (in_units) number.base = Op(OpCode::kDiv, number.base, Int(unit));
    const int64_t count = in_units ? n / unit : n;
    Value base = d > 0       ? Op(OpCode::kRem, number.base, Int(count))
                 : unit == 1 ? number.base
                             : Min(number.base, Int(count - 1));
    if (in_units) base = Mul(base, Int(unit));
    digit = Coord{base, is_last ? number.rows : 0, is_last ? number.cols : 0, {0, n}};
    number.base = Op(OpCode::kDiv, number.base, Int(count));
  }
  return digits;
}

void GemmEmitter::SetBatch(Value number) {
  batch_ = Digits(Coord{number, 0, 0, {0, product_.batches()}}, product_.batch);
}

// The rows of a register tile: added to what earlier slices have left, and finished after the last.
void GemmEmitter::Epilogue(const Tile& t, const Slice& slice) {
  const Type row_type{sum_, 1, g_.cols};
  Value j = ColumnOf(t.p);
  Frame frame;
  frame.cols = g_.cols;
  frame.cols_depth = region_.DepthOf(t.p);
  if (CutsColumns()) frame.col_bound = Bound{j, Int(n_)};
  Value end = Add(t.i, Int(g_.rows));
  if (m_ % g_.rows != 0) end = Min(end, Int(m_));
  std::vector<kernel::Index> place;
  if (chunk_ != kNone) place.push_back({chunk_});
  place.push_back({first_partial_ == kNone ? t.p : Sub(t.p, first_partial_)});
  Each(t.i, end, 1, [&](Value r) {
    Value v = b_.Convert(b_.Load(tile_, {{Sub(r, t.first)}, {Int(0), 0, 1}}, row_type), sum_);
    std::vector<kernel::Index> partial = place;
    partial.push_back({first_row_ == kNone ? r : Sub(r, first_row_)});
    partial.push_back({Int(0), 0, 1});
    if (slices_ > 1) {
      Value more = b_.Compare(Predicate::kGt, slice.k0, from_);
      Value zero = b_.Splat(Zero(sum_), row_type);
      v = b_.Add(v, b_.If(
                        more, [&] { return Values{b_.Load(partial_, partial, row_type)}; },
                        [&] { return Values{zero}; })[0]);
    }
    if (slices_ == 1) return Finish(r, j, frame, v);
    if (chunk_ != kNone) return b_.Store(v, partial_, partial);
    b_.If(
        b_.Compare(Predicate::kGe, slice.k1, Int(k_)),
        [&] {
          Region::Block block(region_);
          // The sum, and what is computed from it, is complete in here only.
          frame.cols_depth = b_.depth();
          Finish(r, j, frame, v);
          return Values{};
        },
        [&] {
          b_.Store(v, partial_, partial);
          return Values{};
        });
  });
}

void GemmEmitter::Finish(Value row, Value column, Frame frame, Value sum) {
  Coords at = batch_;
  for (const Coord& c : Digits(Coord{row, 0, 0, {0, m_}}, product_.rows)) at.push_back(c);
  at.push_back(Coord{column, 0, 1, {0, n_}});
  region_.Bind(dot_, at, frame, EmitConvert(b_, Parts{sum}, sum_, dot_->shape().element_type()));
  for (size_t k = 0; k < region_.outputs().size(); ++k)
    region_.StoreOutput(k, at, frame, region_.Eval(region_.outputs()[k], at, frame));
}

// A second stage, of rows of the result: what the chunks have left is added up in order.
void GemmEmitter::AddChunks() {
  const Type row_type{sum_, 1, g_.cols};
  SetBatch(Int(0));
  region_.Loop(LoopKind::kPar, Int(0), Int(m_), 1, Tail::kExact, {}, [&](Value r, const Values&) {
    Each(Int(0), Int(panels_), 1, [&](Value p) {
      const Value j = ColumnOf(p);
      Frame frame;
      frame.cols = g_.cols;
      frame.cols_depth = b_.depth();
      if (CutsColumns()) frame.col_bound = Bound{j, Int(n_)};
      const Value sum = region_.Loop(
          LoopKind::kSeq, Int(0), Int(chunks_), 1, Tail::kExact, {b_.Splat(Zero(sum_), row_type)},
          [&](Value c, const Values& x) {
            const Value y = b_.Load(partial_, {{c}, {p}, {r}, {Int(0), 0, 1}}, row_type);
            return Values{b_.Add(x[0], y)};
          })[0];
      Finish(r, j, frame, sum);
    });
    return Values{};
  });
}

void EmitGemm(Region& region) {
  const plan::Plan& plan = region.plan();
  GemmEmitter product(region, plan.dot, plan.gemm);
  if (plan.chained == nullptr) return product.Emit();
  GemmEmitter first(region, plan.chained, plan.chained_gemm, "1");
  product.EmitAfter(first);
}

}  // namespace sinter::emit
