#include "codegen/emit/nest.h"

#include <algorithm>
#include <utility>

#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/region.h"
#include "codegen/emit/row_group.h"
#include "codegen/emit/task_numbers.h"
#include "codegen/plan/alignment.h"
#include "target/tuning.h"

namespace sinter::emit {
namespace {

using kernel::kNone;
using kernel::LoopKind;
using kernel::OpCode;
using kernel::Tail;
using kernel::Value;
using kernel::Values;

class NestEmitter {
 public:
  explicit NestEmitter(Region& region)
      : region_(region),
        plan_(region.plan()),
        dims_(region.outputs()[0]->shape().dimensions()),
        at_(dims_.size()) {
    for (size_t d = 0; d < plan_.domain.size(); ++d) dims_[d] = plan_.domain[d].size();
    if (plan_.col_dim < 0) return;
    const auto d = static_cast<size_t>(plan_.col_dim);
    const int64_t lo = plan_.domain.empty() ? 0 : plan_.domain[d].lo;
    columns_ = {lo, lo + dims_[d]};
  }

  void Emit() {
    if (plan_.copies > 0) return EmitCopies();
    if (plan_.chunks > 0)
      return ForChunks(
          plan_.chunks, [](Value) {}, [] {});
    if (plan_.owners > 0) return EmitOwners();
    region_.Loop(LoopKind::kPar, Int(0), Int(tasks_.Count()), 1, Tail::kExact, {},
                 [&](Value task, const Values&) {
                   EmitTask(task);
                   return Values{};
                 });
  }
  bool IsOneTask() const {
    return plan_.copies == 0 && plan_.owners == 0 && plan_.chunks == 0 && tasks_.Count() == 1;
  }
  void EmitTask(Value task) {
    Decode(task);
    FixBlock();
    FixTiles();
    if (plan_.group_dim >= 0) return Group();
    for (const auto& [node, map] : plan_.first)
      region_.EvalElement(node, 0, region_.MapCoords(map, at_), frame_);
    Loops(0);
  }

 private:
  Value Int(int64_t v) { return region_.Int(v); }
  int64_t Extent(int d) const { return dims_[static_cast<size_t>(d)]; }
  // The coordinate of element `index` of the domain, of a tile from there; or of the part of the
  // domain that begins at `low`.
  void Place(int d, Value index, int rows = 0, int cols = 0, Value low = kNone) {
    const auto k = static_cast<size_t>(d);
    const int64_t lo = plan_.domain.empty() ? 0 : plan_.domain[k].lo;
    const Interval range = d == plan_.col_dim     ? columns_
                           : d == plan_.parts_dim ? part_
                                                  : Interval{lo, lo + dims_[k]};
    Value base = region_.IndexAdd(index, low == kNone ? Int(range.lo) : low);
    // It never is more, which only the tasks' number tells.
    if (low != kNone) base = region_.IndexOp(OpCode::kMin, base, Int(range.hi - 1));
    at_[k] = Coord{base, rows, cols, range};
  }

  // Chunks of a scatter's updates combine into copies of its results.
  void EmitCopies() {
    region_.AddCopies();
    ForChunks(
        plan_.copies, [&](Value task) { region_.BeginCopy(task); }, [&] { region_.FoldBanks(); });
    region_.CombineCopies();
  }
  void ForChunks(int64_t chunks, const std::function<void(Value task)>& begin,
                 const std::function<void()>& end) {
    const int64_t n = Extent(plan_.cut_dim), chunk = (n + chunks - 1) / chunks;
    region_.Loop(
        LoopKind::kPar, Int(0), Int(chunks), 1, Tail::kExact, {}, [&](Value task, const Values&) {
          begin(task);
          const Value lo = region_.IndexOp(OpCode::kMul, task, Int(chunk));
          cut_lo_ = chunk * (chunks - 1) < n ? lo : region_.IndexOp(OpCode::kMin, lo, Int(n));
          cut_hi_ = region_.IndexOp(OpCode::kMin, region_.IndexAdd(cut_lo_, Int(chunk)), Int(n));
          Loops(0);
          end();
          return Values{};
        });
  }
  // Tasks that have parts of a scatter's results.
  void EmitOwners() {
    list_ = region_.b().AddBuffer("list", ElementType::U32,
                                  std::vector<int64_t>{tuning::kScatterList}, kernel::Space::kTask);
    region_.Loop(LoopKind::kPar, Int(0), Int(plan_.owners), 1, Tail::kExact, {},
                 [&](Value task, const Values&) {
                   region_.SetOwner(task);
                   Loops(0);
                   return Values{};
                 });
  }
  // Blocks of index vectors: first a list of those that the task owns, without a branch, then they
  // go on. Branches that take half of them would be predicted wrongly half of the time.
  void Owned(size_t k) {
    kernel::Builder& b = region_.b();
    const int d = plan_.loop_dims[k];
    const int64_t n = Extent(d), block = tuning::kScatterList;
    region_.Loop(
        LoopKind::kSeq, Int(0), Int(n), block, Tail::kMasked, {}, [&](Value lo, const Values&) {
          const Value hi = region_.IndexOp(OpCode::kMin, region_.IndexAdd(lo, Int(block)), Int(n));
          auto slot = [&](Value position) { return b.Min(position, Int(block - 1)); };
          const Values count = region_.Loop(
              LoopKind::kSeq, lo, hi, 1, Tail::kExact, {b.ConstInt(ElementType::U32, 0)},
              [&](Value iv, const Values& carries) {
                Place(d, iv);
                const Value from_lo = b.Convert(b.Binary(OpCode::kSub, iv, lo), ElementType::U32);
                b.Store(from_lo, list_,
                        {kernel::Index{slot(b.Convert(carries[0], ElementType::S64))}});
                const Value own = b.Convert(region_.IsOwn(at_, frame_), ElementType::U32);
                return Values{b.Add(carries[0], own)};
              });
          region_.Loop(
              LoopKind::kSeq, Int(0), b.Convert(count[0], ElementType::S64), 1, Tail::kExact, {},
              [&](Value iv, const Values&) {
                const Value from_lo =
                    b.Load(list_, {kernel::Index{slot(iv)}}, kernel::Type{ElementType::U32});
                Place(d, region_.Here(
                             b.Min(b.Add(lo, b.Convert(from_lo, ElementType::S64)), Int(n - 1))));
                Loops(k + 1);
                return Values{};
              });
          return Values{};
        });
  }

  // Task number to coordinates, or to the blocks of the tiled dimensions.
  void Decode(Value task) {
    Value rest = plan_.boxes.empty() ? task : tasks_.InBox(task);
    for (size_t k = plan_.task_dims.size(); k-- > 0;) {
      const int d = plan_.task_dims[k];
      int64_t n = tasks_.Blocks(d, Extent(d));
      Value low = kNone, extent = Int(n);
      if (!plan_.boxes.empty() && d != plan_.row_dim && d != plan_.col_dim) {
        const auto at = static_cast<size_t>(d);
        low = tasks_.OfBox(task, [&](const Box& box) { return box[at].lo; });
        if (k > 0) {
          extent = tasks_.OfBox(task, [&](const Box& box) { return box[at].size(); });
          if (!region_.b().IsInt(extent, &n)) n = 0;
        }
      }
      Value index = k == 0 ? rest : region_.IndexOp(OpCode::kRem, rest, extent);
      if (k > 0) rest = region_.IndexOp(OpCode::kDiv, rest, extent);
      if (n == 1) index = Int(0);
      if (d == plan_.row_dim) {
        row_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.row_block));
      } else if (d == plan_.col_dim) {
        col_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.col_block));
      } else if (d == plan_.finish_dim) {
        finish_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.finish_cols));
      } else if (d == plan_.group_dim) {
        group_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.group_rows));
      } else {
        Place(d, index, 0, 0, low);
      }
    }
  }

  void Loops(size_t k) {
    if (plan_.scan && plan_.col_dim == plan_.scan_dim) {
      region_.ScanRows(at_, frame_, [&](const Coords& at, const Frame& frame) {
        at_ = at;
        frame_ = frame;
        Store();
      });
      return;
    }
    if (k < plan_.loop_dims.size()) {
      const int d = plan_.loop_dims[k];
      if (plan_.scan) {
        Scan(k);
        return;
      }
      if (plan_.owners > 0 && d == plan_.cut_dim) {
        Owned(k);
        return;
      }
      if (d == plan_.parts_dim) {
        for (const Interval& part : plan_.parts) {
          part_ = part;
          Elements(k, Int(0), Int(part.size()), 1);
        }
        return;
      }
      const bool cut = (plan_.copies > 0 || plan_.chunks > 0) && d == plan_.cut_dim;
      const Value lo = cut ? cut_lo_ : Int(0), hi = cut ? cut_hi_ : Int(Extent(d));
      if (plan_.nest != plan::Nest::kScatter || k + 1 < plan_.loop_dims.size() ||
          plan_.col_dim >= 0) {
        Elements(k, lo, hi, 1);
        return;
      }
      if (d == plan_.vector_dim) return InVectors(k, lo, hi);
      return OneByOne(k, lo, hi);
    }
    if (plan_.col_dim >= 0 && plan_.col_block > 0 && !plan_.col_blocks_are_tasks) {
      region_.Loop(LoopKind::kSeq, Int(0), Int(Extent(plan_.col_dim)), plan_.col_block,
                   Tail::kMasked, {}, [&](Value iv, const Values&) {
                     col_lo_ = iv;
                     Rows();
                     return Values{};
                   });
      return;
    }
    KeepBlock();
    Rows();
  }

  // The loop of dimension k, so many turns at a time. What was computed as vectors begins at
  // `block`.
  void Elements(size_t k, Value lo, Value hi, int turns, Value block = kNone) {
    region_.Loop(LoopKind::kSeq, lo, hi, turns, Tail::kExact, {}, [&](Value iv, const Values&) {
      const Value slot = block == kNone ? kNone : Slot(iv, block, turns);
      for (int turn = 0; turn < turns; ++turn) {
        Place(plan_.loop_dims[k], region_.IndexAdd(iv, Int(turn)));
        region_.SetBank(turn % plan_.banks);
        if (block != kNone) region_.BindUpdates(at_, frame_, region_.IndexAdd(slot, Int(turn)));
        Loops(k + 1);
      }
      return Values{};
    });
  }
  // The loop costs as much as some elements.
  void OneByOne(size_t k, Value lo, Value hi, Value block = kNone) {
    constexpr int kUnrolled = 8;
    const Value left = region_.IndexOp(OpCode::kRem, region_.IndexOp(OpCode::kSub, hi, lo),
                                       Int(kUnrolled)),
                whole = region_.IndexOp(OpCode::kSub, hi, left);
    Elements(k, lo, whole, kUnrolled, block);
    Elements(k, whole, hi, 1, block);
  }
  // Where in a block's buffers what is at `iv` has its place, and so many elements behind it.
  Value Slot(Value iv, Value block, int count) {
    return region_.IndexOp(OpCode::kMin, region_.IndexOp(OpCode::kSub, iv, block),
                           Int(tuning::kScatterBlock - count));
  }
  // Blocks of updates: first what is computed of them, as vectors, then they are combined.
  void InVectors(size_t k, Value lo, Value hi) {
    const int d = plan_.loop_dims[k], width = 2 * plan_.lanes;
    const int64_t block = tuning::kScatterBlock;
    region_.Loop(LoopKind::kSeq, lo, hi, block, Tail::kMasked, {}, [&](Value from, const Values&) {
      const Value to = region_.IndexOp(OpCode::kMin, region_.IndexAdd(from, Int(block)), hi);
      const Frame one_by_one = frame_;
      region_.Loop(LoopKind::kSeq, from, to, width, Tail::kPeel, {}, [&](Value iv, const Values&) {
        frame_.cols = width;
        frame_.cols_depth = region_.b().depth();
        frame_.col_bound = Bound{iv, to};
        Place(d, iv, 0, 1);
        // Memory is read while the block before is combined.
        region_.SetAhead(block);
        region_.KeepUpdates(at_, frame_, Slot(iv, from, width));
        region_.SetAhead(0);
        return Values{};
      });
      frame_ = one_by_one;
      OneByOne(k, from, to, from);
      return Values{};
    });
  }

  // The loop carries the accumulators; each iteration stores the values that read them.
  void Scan(size_t k) {
    region_.ScanLoop(frame_, [&](Value index, const Region::ScanState& state) {
      Place(plan_.scan_dim, index);
      Values next = region_.ScanStep(at_, frame_, state);
      Loops(k + 1);
      return next;
    });
  }

  // [lo, min(lo + block, n)), and whether steps of `tile` cover it exactly.
  struct Range {
    Value lo, hi;
    bool exact;  // whole tiles
    bool is_constant = false;
  };
  Range RangeOf(int d, Value block_lo, int64_t block, int tile) {
    const int64_t n = Extent(d);
    if (block_lo == kNone) return {Int(0), Int(n), n % tile == 0, true};
    if (!plan_.transposed_reads.empty())
      return {block_lo, region_.IndexAdd(block_lo, Int(block)), block % tile == 0};
    Value hi = region_.IndexAdd(block_lo, Int(block));
    if (n % block != 0) hi = region_.IndexOp(OpCode::kMin, hi, Int(n));
    return {block_lo, hi, n % block == 0 && block % tile == 0};
  }

  // Whether a tile may compute again what its neighbour does: nothing that it reads is written, and
  // what it writes is not combined, nor to be aligned.
  bool MayOverlap() const {
    return plan_.nest == plan::Nest::kLoop && plan_.warps == 0 && plan_.slide_dim < 0 &&
           !plan_.non_temporal && !plan_.aligns_rows && !region_.IsWindow() &&
           !region_.MayBeInPlace();
  }
  // Whether the body is so long that another copy of it for the last tile costs more code than
  // finding where that one begins costs each tile.
  bool HasLongBody() const {
    return region_.outputs()[0]->parent()->instructions().size() > tuning::kLongBody;
  }
  // Where the tile that begins at `base` would end behind the n-th element, it begins earlier:
  // masks would cost every tile of the nest.
  void Clamp(int64_t n, int tile, Value& base, Range& range) {
    if (range.exact || n < tile || !MayOverlap()) return;
    base = region_.IndexOp(OpCode::kMin, base, Int(n - tile));
    range.exact = true;
  }

  // Of what is read transposed, the last block of an axis begins earlier, so that all have the same
  // extents: nothing that the region reads is written.
  void FixBlock() {
    if (plan_.transposed_reads.empty()) return;
    const int64_t row = Extent(plan_.row_dim) - plan_.row_block,
                  col = Extent(plan_.col_dim) - plan_.col_block;
    row_lo_ = region_.IndexOp(OpCode::kMin, row_lo_, Int(row));
    col_lo_ = region_.IndexOp(OpCode::kMin, col_lo_, Int(col));
  }
  // Tiles that a task has only one of are known before its loops.
  void FixTiles() {
    if (plan_.row_dim >= 0 && row_lo_ != kNone && plan_.row_block == plan_.tile_rows) {
      Range range = RangeOf(plan_.row_dim, row_lo_, plan_.row_block, plan_.tile_rows);
      Clamp(Extent(plan_.row_dim), plan_.tile_rows, row_lo_, range);
      OpenRows(row_lo_, range);
      rows_fixed_ = true;
    }
    if (plan_.col_dim >= 0 && col_lo_ != kNone && plan_.col_block == plan_.tile_cols) {
      Range range = RangeOf(plan_.col_dim, col_lo_, plan_.col_block, plan_.tile_cols);
      Clamp(Extent(plan_.col_dim), plan_.tile_cols, col_lo_, range);
      OpenCols(col_lo_, range);
      cols_fixed_ = true;
    }
  }
  void OpenRows(Value base, const Range& range) {
    if (plan_.slide_dim >= 0) {
      slide_.clear();
      for (int r = 0; r < plan_.tile_rows; ++r) slide_.push_back(region_.IndexAdd(base, Int(r)));
      return region_.SetSlide(slide_);
    }
    frame_.rows = plan_.tile_rows;
    frame_.rows_depth = region_.b().depth();
    frame_.row_bound = range.exact ? Bound{} : Bound{base, range.hi};
    Place(plan_.row_dim, base, plan_.tile_rows > 1 ? 1 : 0);
  }
  void OpenCols(Value base, const Range& range) {
    frame_.cols = tile_cols_;
    frame_.cols_depth = region_.b().depth();
    frame_.col_bound = range.exact ? Bound{} : Bound{base, range.hi};
    Place(plan_.col_dim, base, 0, tile_cols_ > 1 ? 1 : 0);
  }

  // Copies the block that the task reads transposed.
  void KeepBlock() {
    if (plan_.transposed_reads.empty()) return;
    const Coords before = at_;
    Place(plan_.row_dim, row_lo_);
    Place(plan_.col_dim, col_lo_);
    region_.KeepBlock(at_);
    at_ = before;
  }

  void Rows() {
    if (plan_.row_dim < 0 || rows_fixed_) {
      Cols();
      return;
    }
    Range range = RangeOf(plan_.row_dim, row_lo_, plan_.row_block, plan_.tile_rows);
    region_.Loop(LoopKind::kSeq, range.lo, range.hi, plan_.tile_rows,
                 range.exact ? Tail::kExact : Tail::kMasked, {}, [&](Value iv, const Values&) {
                   Range own = range;
                   Clamp(Extent(plan_.row_dim), plan_.tile_rows, iv, own);
                   OpenRows(iv, own);
                   Cols();
                   return Values{};
                 });
  }

  void Cols() {
    if (plan_.col_dim < 0 || cols_fixed_) {
      Store();
      return;
    }
    if (plan_.columns.empty() && !plan_.aligns_rows) {
      ColumnsIn(RangeOf(plan_.col_dim, col_lo_, plan_.col_block, tile_cols_));
      return;
    }
    const Interval all = columns_;
    std::vector<Interval> parts = plan_.columns.empty() ? std::vector{all} : plan_.columns;
    for (size_t k = 0; k < parts.size(); ++k) {
      Interval& part = parts[k];
      if (k + 1 < parts.size() && !MayOverlap()) part.hi = std::min(part.hi, parts[k + 1].lo);
      columns_ = part;
      const int64_t n = part.size();
      tile_cols_ = plan_.tile_cols;
      if (plan_.aligns_rows && plan::IsWorthAligning(part, plan_.lanes)) {
        AlignedColumns(n);
        continue;
      }
      for (int w = tile_cols_; w >= std::max(plan_.lanes, plan_.tile_cols / 4); w /= 2) {
        if (n % w != 0) continue;
        tile_cols_ = w;
        break;
      }
      if (n < tile_cols_) tile_cols_ = static_cast<int>(plan::PowerOfTwoAtLeast(n));
      ColumnsIn({Int(0), Int(n), n % tile_cols_ == 0, true});
    }
    columns_ = all;
    tile_cols_ = plan_.tile_cols;
  }
  // First what of a part of n columns is before the first whole vector of the outputs' memory.
  void AlignedColumns(int64_t n) {
    const Shape& s = region_.outputs()[0]->shape();
    Value place = Int(columns_.lo);  // in the outputs
    int64_t stride = 1;
    for (size_t d = at_.size(); d-- > 0; stride *= s.dimension(static_cast<int64_t>(d))) {
      if (static_cast<int>(d) == plan_.col_dim) continue;
      place = region_.IndexAdd(place, region_.IndexOp(OpCode::kMul, at_[d].base, Int(stride)));
    }
    const Value lanes = Int(plan_.lanes);
    auto within = [&](Value x) { return region_.IndexOp(OpCode::kRem, x, lanes); };
    const Value first = within(region_.IndexOp(OpCode::kSub, lanes, within(place)));
    tile_cols_ = plan_.lanes;
    ColumnsIn({Int(0), first, false});
    tile_cols_ = plan_.tile_cols;
    ColumnsIn({first, Int(n), false});
  }
  void ColumnsIn(const Range& range) {
    if (range.exact) return ColumnsIn(range, Tail::kExact);
    const bool is_short = columns_.size() < tile_cols_;
    if (is_short || plan_.tile_rows > 1 || tile_cols_ < plan_.tile_cols ||
        (HasLongBody() && MayOverlap()))
      return ColumnsIn(range, Tail::kMasked);
    // Masked lane by lane, each vector of the last tile would have a loop of its own, or, where it
    // is known how many lanes there are, a few moves.
    if (!plan_.masks_lanes || tile_cols_ <= plan_.lanes || (range.is_constant && !MayOverlap()))
      return ColumnsIn(range, Tail::kPeel);
    const Value extent = region_.IndexOp(OpCode::kSub, range.hi, range.lo),
                rest = region_.IndexOp(OpCode::kRem, extent, Int(tile_cols_)),
                middle = region_.IndexOp(OpCode::kSub, range.hi, rest);
    ColumnsIn({range.lo, middle, true}, Tail::kExact);
    tile_cols_ = plan_.lanes;
    ColumnsIn({middle, range.hi, false}, MayOverlap() ? Tail::kMasked : Tail::kPeel);
    tile_cols_ = plan_.tile_cols;
  }
  void ColumnsIn(const Range& range, Tail tail) {
    region_.Loop(LoopKind::kSeq, range.lo, range.hi, tile_cols_, tail, {},
                 [&](Value iv, const Values&) {
                   Range own = range;
                   if (tail == Tail::kMasked) Clamp(columns_.size(), tile_cols_, iv, own);
                   OpenCols(iv, own);
                   Store();
                   return Values{};
                 });
  }

  // Rows one after another up to what their reductions leave, then all of them at once.
  void Group() {
    const RowGroup group{group_lo_, Extent(plan_.group_dim), at_, frame_};
    EmitRowGroup(
        region_, group, [&](Value base, int cols) { Place(plan_.group_dim, base, 0, cols); },
        [&] { Loops(0); });
  }

  // Results of reductions one after another, then all of them at once.
  void Finish() {
    const int d = plan_.finish_dim, width = plan_.finish_cols;
    const int64_t n = Extent(d);
    Range range = {finish_lo_, kNone, n % width == 0};
    Clamp(n, width, finish_lo_, range);
    const Value end = region_.IndexAdd(finish_lo_, Int(width));
    region_.Loop(LoopKind::kSeq, finish_lo_, end, 1, Tail::kExact, {},
                 [&](Value iv, const Values&) {
                   Place(d, iv);
                   region_.CollectResults(at_, frame_, 1, width,
                                          region_.IndexOp(OpCode::kSub, iv, finish_lo_));
                   return Values{};
                 });
    frame_.cols = width;
    frame_.cols_depth = region_.b().depth();
    Place(d, finish_lo_, 0, 1);
    region_.BindResults(at_, frame_, Int(0), Int(0));
    StoreHere();
  }
  // Results of a tile, then a part of each of its rows at a time.
  void FinishTile() {
    const Coords at = at_;
    const Frame tile = frame_;
    region_.CollectResults(at_, frame_, tile.rows, tile.cols, Int(0));
    // How much of the tile exists.
    auto within = [&](const Bound& bound, int size) {
      if (!bound.any()) return Int(size);
      return region_.IndexOp(OpCode::kMin, region_.IndexOp(OpCode::kSub, bound.limit, bound.base),
                             Int(size));
    };
    auto move = [&](int dim, Value by) {
      const auto d = static_cast<size_t>(dim);
      at_[d].base = region_.IndexAdd(at[d].base, by);
    };
    const int part = std::min(plan_.finish_cols, tile.cols);
    const bool is_whole = !tile.col_bound.any();
    const Value cols = within(tile.col_bound, tile.cols);
    auto finish_row = [&](Value row) {
      region_.Loop(LoopKind::kSeq, Int(0), cols, part, is_whole ? Tail::kExact : Tail::kMasked, {},
                   [&](Value col, const Values&) {
                     move(plan_.col_dim, col);
                     frame_.cols = part;
                     frame_.cols_depth = region_.b().depth();
                     frame_.col_bound = is_whole ? Bound{} : Bound{col, cols};
                     region_.BindResults(at_, frame_, row, col);
                     StoreHere();
                     return Values{};
                   });
    };
    if (tile.rows == 1) {
      finish_row(Int(0));
    } else {
      region_.Loop(LoopKind::kSeq, Int(0), within(tile.row_bound, tile.rows), 1, Tail::kExact, {},
                   [&](Value row, const Values&) {
                     move(plan_.row_dim, row);
                     at_[static_cast<size_t>(plan_.row_dim)].rows = 0;
                     frame_.rows = 1;
                     frame_.row_bound = {};
                     finish_row(row);
                     return Values{};
                   });
    }
    at_ = at;
    frame_ = tile;
  }
  void Store() {
    if (plan_.finish_dim >= 0) return plan_.col_dim >= 0 ? FinishTile() : Finish();
    for (Value row : slide_) {
      Place(plan_.row_dim, row);
      StoreHere();
    }
    if (!slide_.empty()) return;
    if (plan_.unrolled_dim < 0) {
      StoreHere();
      return;
    }
    const auto d = static_cast<size_t>(plan_.unrolled_dim);
    const int64_t lo = plan_.domain.empty() ? 0 : plan_.domain[d].lo;
    for (int64_t k = lo; k < lo + dims_[d]; ++k) {
      at_[d] = Coord{Int(k), 0, 0, Interval::Of(k)};
      StoreHere();
    }
  }

  void StoreHere() {
    if (plan_.nest == plan::Nest::kScatter) return region_.CombineScattered(at_, frame_);
    for (size_t k = 0; k < region_.outputs().size(); ++k) {
      region_.StoreOutput(k, at_, frame_, region_.Eval(region_.outputs()[k], at_, frame_));
    }
  }

  Region& region_;
  const plan::Plan& plan_;
  std::vector<int64_t> dims_;  // of the domain
  const TaskNumbers tasks_{region_, dims_};
  Interval part_;     // of parts_dim
  Interval columns_;  // of the column dimension, that tiles run through
  int tile_cols_ = plan_.tile_cols;
  Coords at_;
  Frame frame_;
  bool rows_fixed_ = false, cols_fixed_ = false;
  Value row_lo_ = kNone, col_lo_ = kNone, finish_lo_ = kNone, group_lo_ = kNone;
  Value cut_lo_ = kNone, cut_hi_ = kNone;  // of the dimension that copies cut
  int list_ = -1;                          // of an owner
  Values slide_;                           // the rows of a tile that slides
};

}  // namespace

bool NestIsOneTask(Region& region) { return NestEmitter(region).IsOneTask(); }
void EmitNest(Region& region) { NestEmitter(region).Emit(); }
void EmitNestTask(Region& region, Value task) { NestEmitter(region).EmitTask(task); }

}  // namespace sinter::emit
