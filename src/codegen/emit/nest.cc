// The loops of a nest: tasks, sequential loops, tiles; in the innermost, every output is
// evaluated and stored.
#include <algorithm>

#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/emit.h"
#include "codegen/emit/gemm.h"
#include "codegen/emit/region.h"

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
  }

  void Emit() {
    int64_t tasks = 1;
    for (int d : plan_.task_dims) tasks *= Blocks(d);
    region_.Loop(LoopKind::kPar, Int(0), Int(tasks), 1, Tail::kExact, {},
                 [&](Value task, const Values&) {
                   Decode(task);
                   FixTiles();
                   for (const auto& [node, map] : plan_.first)
                     region_.EvalElement(node, 0, region_.MapCoords(map, at_), frame_);
                   Loops(0);
                   return Values{};
                 });
  }

 private:
  Value Int(int64_t v) { return region_.Int(v); }
  int64_t Extent(int d) const { return dims_[static_cast<size_t>(d)]; }
  // The coordinate of element `index` of the domain, of a tile from there.
  void Place(int d, Value index, int rows = 0, int cols = 0) {
    const auto k = static_cast<size_t>(d);
    const int64_t lo = plan_.domain.empty() ? 0 : plan_.domain[k].lo;
    at_[k] = Coord{region_.IndexAdd(index, Int(lo)), rows, cols, {lo, lo + dims_[k]}};
  }
  // How many tasks the dimension makes.
  int64_t Blocks(int d) const {
    const int64_t block = d == plan_.row_dim   ? plan_.row_block
                          : d == plan_.col_dim ? plan_.col_block
                                               : 1;
    return (Extent(d) + block - 1) / std::max<int64_t>(1, block);
  }

  // Task number to coordinates, or to the blocks of the tiled dimensions.
  void Decode(Value task) {
    Value rest = task;
    for (size_t k = plan_.task_dims.size(); k-- > 0;) {
      const int d = plan_.task_dims[k];
      const int64_t n = Blocks(d);
      Value index = k == 0 ? rest : region_.IndexOp(OpCode::kRem, rest, Int(n));
      if (k > 0) rest = region_.IndexOp(OpCode::kDiv, rest, Int(n));
      if (n == 1) index = Int(0);
      if (d == plan_.row_dim) {
        row_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.row_block));
      } else if (d == plan_.col_dim) {
        col_lo_ = region_.IndexOp(OpCode::kMul, index, Int(plan_.col_block));
      } else {
        Place(d, index);
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
      region_.Loop(LoopKind::kSeq, Int(0), Int(Extent(d)), 1, Tail::kExact, {},
                   [&](Value iv, const Values&) {
                     Place(d, iv);
                     Loops(k + 1);
                     return Values{};
                   });
      return;
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
    Rows();
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
    bool exact;
  };
  Range RangeOf(int d, Value block_lo, int64_t block, int tile) {
    const int64_t n = Extent(d);
    if (block_lo == kNone) return {Int(0), Int(n), n % tile == 0};
    Value hi = region_.IndexAdd(block_lo, Int(block));
    if (n % block != 0) hi = region_.IndexOp(OpCode::kMin, hi, Int(n));
    return {block_lo, hi, n % block == 0 && block % tile == 0};
  }

  // Tiles that a task has only one of are known before its loops.
  void FixTiles() {
    if (plan_.row_dim >= 0 && row_lo_ != kNone && plan_.row_block == plan_.tile_rows) {
      OpenRows(row_lo_, RangeOf(plan_.row_dim, row_lo_, plan_.row_block, plan_.tile_rows));
      rows_fixed_ = true;
    }
    if (plan_.col_dim >= 0 && col_lo_ != kNone && plan_.col_block == plan_.tile_cols) {
      OpenCols(col_lo_, RangeOf(plan_.col_dim, col_lo_, plan_.col_block, plan_.tile_cols));
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
    frame_.cols = plan_.tile_cols;
    frame_.cols_depth = region_.b().depth();
    frame_.col_bound = range.exact ? Bound{} : Bound{base, range.hi};
    Place(plan_.col_dim, base, 0, plan_.tile_cols > 1 ? 1 : 0);
  }

  void Rows() {
    if (plan_.row_dim < 0 || rows_fixed_) {
      Cols();
      return;
    }
    Range range = RangeOf(plan_.row_dim, row_lo_, plan_.row_block, plan_.tile_rows);
    region_.Loop(LoopKind::kSeq, range.lo, range.hi, plan_.tile_rows,
                 range.exact ? Tail::kExact : Tail::kMasked, {}, [&](Value iv, const Values&) {
                   OpenRows(iv, range);
                   Cols();
                   return Values{};
                 });
  }

  void Cols() {
    if (plan_.col_dim < 0 || cols_fixed_) {
      Store();
      return;
    }
    Range range = RangeOf(plan_.col_dim, col_lo_, plan_.col_block, plan_.tile_cols);
    const bool short_range = Extent(plan_.col_dim) < plan_.tile_cols;
    const Tail tail = range.exact                          ? Tail::kExact
                      : short_range || plan_.tile_rows > 1 ? Tail::kMasked
                                                           : Tail::kPeel;
    region_.Loop(LoopKind::kSeq, range.lo, range.hi, plan_.tile_cols, tail, {},
                 [&](Value iv, const Values&) {
                   OpenCols(iv, range);
                   Store();
                   return Values{};
                 });
  }

  void Store() {
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
  Coords at_;
  Frame frame_;
  bool rows_fixed_ = false, cols_fixed_ = false;
  Value row_lo_ = kNone, col_lo_ = kNone;
  Values slide_;  // the rows of a tile that slides
};

}  // namespace

absl::StatusOr<kernel::Kernel> EmitKernel(const HloComputation& computation, const plan::Plan& plan,
                                          std::string name, const EmitOptions& options) {
  for (const HloInstruction* i : computation.PostOrder()) {
    if (i->shape().is_array() && !HasElementType(i->shape().element_type())) {
      return Unimplemented("{} {}: the element type has no code for compiled devices",
                           Name(i->op()), i->shape().ToString());
    }
  }
  Region region(computation, plan, std::move(name), options);
  region.AddArguments();
  if (plan.nest == plan::Nest::kGemm) {
    EmitGemm(region);
  } else {
    if (plan.nest == plan::Nest::kSplit && plan.split_dim < 0) {
      region.EmitProductPartials(plan.split, plan.split_chunk);
    } else if (plan.nest == plan::Nest::kSplit) {
      region.EmitPartials(plan.split, plan.split_dim, plan.split_chunk);
    }
    if (plan.pieces.empty()) NestEmitter(region).Emit();
    for (const plan::Plan& piece : plan.pieces) {
      region.SetPlan(piece);
      NestEmitter(region).Emit();
    }
  }
  RETURN_IF_ERROR(region.status());
  return region.b().Take();
}

}  // namespace sinter::emit
