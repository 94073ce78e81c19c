// The schedule of a GPU: a task is a block of threads that computes one tile, where it can, without
// a loop; tiles are as wide as the block's threads, each with one access of 16 bytes or a few.
#include <algorithm>

#include "base/status.h"
#include "codegen/plan/gpu_products.h"
#include "codegen/plan/planner.h"
#include "codegen/plan/scan.h"
#include "codegen/plan/schedules.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

constexpr int kWarp = 32;
constexpr int kAccessBytes = 16;

int FloorPowerOfTwo(int64_t n) {
  int64_t p = 1;
  while (p * 2 <= n) p *= 2;
  return static_cast<int>(p);
}

class GpuSchedule : Planner {
 public:
  GpuSchedule(const HloComputation& region, const GpuMachine& machine)
      : Planner(region), machine_(machine) {}

  absl::StatusOr<Plan> Make() {
    if (ScatterOf(region_)) return Unimplemented("scatter has no code for GPUs");
    RETURN_IF_ERROR(Look());
    plan_.lanes = kWarp;
    plan_.nanoseconds = tuning::kGpuLaunch + PriceOf(machine_, work_, bytes_);
    if (const HloInstruction* scan = Scan()) {
      PlanScan(*scan, plan_);
      plan_.warps = 1;
      return plan_;
    }
    ChooseAxes(/*least_columns=*/8, /*keep_columns=*/HasMatrixProduct());
    ChooseTogether();
    if (transposed_ && !loops_.empty() && !HasProduct()) DropTransposedTile();
    ChooseTiles();
    ChooseTasks();
    ChooseSplit();
    ChooseFirst();
    if (!row_in_registers_)
      ChooseCached(machine_.shared_bytes, std::max(plan_.tile_cols, plan_.reduce_cols));
    ChooseInPlace();
    return plan_;
  }

 private:
  // --- measures

  bool HasProduct() const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [](const HloInstruction* i) { return i->op() == HloOpcode::Dot; });
  }
  // A product with enough rows and columns for a square tile. Whichever axes are minor in its
  // operands, their slices are transposed on the way to shared memory.
  bool HasMatrixProduct() const {
    return std::any_of(loops_.begin(), loops_.end(), [](const HloInstruction* i) {
      if (i->op() != HloOpcode::Dot) return false;
      const auto& a = i->attrs<DotAttrs>();
      const Dims *batch[] = {&a.lhs_batch_dims, &a.rhs_batch_dims},
                 *summed[] = {&a.lhs_contracting_dims, &a.rhs_contracting_dims};
      for (size_t side = 0; side < 2; ++side) {
        int64_t free = i->operand(side)->shape().element_count();
        for (const Dims* dims : {batch[side], summed[side]}) {
          for (int64_t d : *dims)
            free /= std::max<int64_t>(1, i->operand(side)->shape().dimension(d));
        }
        if (free < 8) return false;
      }
      return true;
    });
  }
  // Elements of the widest type in one access, at least 1; complex numbers are two.
  int Vector() const {
    int bytes = 1;
    for (const HloInstruction* i : accesses_.order) {
      if (!i->shape().is_array()) continue;
      const ElementType t = i->shape().element_type();
      bytes = std::max(bytes, ByteWidth(RealPart(t)) * (IsComplex(t) ? 2 : 1));
    }
    return std::max(1, kAccessBytes / bytes);
  }
  int Words() const { return 4 / std::min(4, Vector()); }  // registers of the widest element
  int Tile(int axis, int64_t most) const {
    return static_cast<int>(std::min<int64_t>(PowerOfTwoAtLeast(Extent(axis)), most));
  }
  // Blocks that tiles of these extents make of the outputs' axes.
  double Blocks(int64_t rows, int64_t cols) const {
    double n = 1;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const int64_t step = static_cast<int>(d) == plan_.row_dim   ? rows
                           : static_cast<int>(d) == plan_.col_dim ? cols
                                                                  : 1;
      n *= static_cast<double>((dims_[d] + step - 1) / step);
    }
    return n;
  }
  void SetWarps(int64_t elements, int held, int most) {
    plan_.warps = FloorPowerOfTwo(std::clamp<int64_t>(elements / (int64_t{kWarp} * held), 1, most));
  }
  // Whether a loop depends on the column axis.
  bool LoopsUseColumns() const {
    for (const HloInstruction* i : loops_) {
      for (const Access& a : accesses_.of.at(i)) {
        if (Uses(a, plan_.col_dim)) return true;
      }
    }
    return false;
  }

  // --- tiles

  // Rows along the innermost task axis of several elements, where none has been chosen.
  void TakeRows(int most) {
    if (plan_.row_dim >= 0 || most < 2) return;
    for (size_t k = plan_.task_dims.size(); k-- > 0;) {
      const int d = plan_.task_dims[k];
      if (Extent(d) < 2) continue;
      plan_.task_dims.erase(plan_.task_dims.begin() + static_cast<ptrdiff_t>(k));
      plan_.row_dim = d;
      row_is_task_ = true;
      plan_.tile_rows = Tile(d, most);
      return;
    }
  }
  // The reductions of a region do not pay for the transposition of one operand.
  void DropTransposedTile() {
    transposed_ = false;
    std::vector<int>& dims = row_is_task_ ? plan_.task_dims : plan_.loop_dims;
    dims.insert(std::upper_bound(dims.begin(), dims.end(), plan_.row_dim), plan_.row_dim);
    plan_.row_dim = -1;
  }

  void ChooseTiles() {
    if (plan_.row_dim >= 0 && HasProduct()) {
      Product();
    } else if (transposed_) {
      plan_.tile_rows = Tile(plan_.row_dim, kWarp);
      plan_.tile_cols = Tile(plan_.col_dim, kWarp);
      SetWarps(int64_t{plan_.tile_rows} * plan_.tile_cols, 4, 8);
    } else if (loops_.empty()) {
      Elementwise();
    } else if (plan_.col_dim >= 0 && !LoopsUseColumns()) {
      WholeRows();
    } else if (plan_.col_dim >= 0) {
      Columns();
    } else {
      ReducedRows();
    }
  }

  void Elementwise() {
    constexpr int kThreads = 128;
    int held = Vector() * (body_ <= 8 ? 2 : 1);
    const double enough = 4.0 * machine_.multiprocessors;
    while (held > 1 && Results() / (kThreads * held) < enough) held /= 2;
    const int elements = kThreads * held;
    if (plan_.col_dim >= 0) plan_.tile_cols = Tile(plan_.col_dim, elements);
    TakeRows(elements / plan_.tile_cols);
    SetWarps(int64_t{plan_.tile_rows} * plan_.tile_cols, held, kThreads / kWarp);
  }

  // The extents, as powers of two, of the minor axis that a loop reduces and of the next one.
  struct Reduced {
    int64_t row = 1, above = 1;
  };
  Reduced LongestReduced() const {
    Reduced r;
    for (const HloInstruction* i : loops_) {
      const Shape& s = i->operand(0)->shape();
      const Dims& dims = i->op() == HloOpcode::Reduce ? i->dimensions()
                                                      : i->attrs<DotAttrs>().lhs_contracting_dims;
      const size_t n = dims.size();
      if (n > 0) r.row = std::max(r.row, PowerOfTwoAtLeast(s.dimension(dims[n - 1])));
      if (n > 1) r.above = std::max(r.above, PowerOfTwoAtLeast(s.dimension(dims[n - 2])));
    }
    return r;
  }

  // Loops do not depend on the columns: they reduce them, or the columns repeat what other axes'
  // reductions give. A row in registers is read once: the loops over it have one iteration and
  // vanish. Short rows share a block, a warp each or less.
  void WholeRows() {
    const int64_t columns = PowerOfTwoAtLeast(Extent(plan_.col_dim)),
                  row = std::max(columns, LongestReduced().row);
    const int held = std::max(1, tuning::kGpuHeld / Words());
    // A second axis that is reduced too: rows of the tile.
    const int64_t above =
        plan_.loop_dims.empty() ? 1 : PowerOfTwoAtLeast(Extent(plan_.loop_dims.back()));
    // A loop per element carries a few tiles, for which the largest blocks have no registers.
    const int64_t most =
        LoopsPerElement() ? tuning::kGpuRowInRegisters / 4 : tuning::kGpuRowInRegisters;
    if (plan_.loop_dims.size() < 2 && row * above * Words() <= most) {
      row_in_registers_ = true;
      plan_.tile_cols = static_cast<int>(columns);
      if (!TakeLoopRows(above) && row < tuning::kGpuLongRow)
        TakeRows(static_cast<int>(4 * kWarp * held / row));
      SetWarps(row * plan_.tile_rows, held, 32);
      plan_.reduce_rows = static_cast<int>(above);
      plan_.reduce_cols =
          static_cast<int>(row) * plan_.tile_rows * static_cast<int>(Accumulators());
      return;
    }
    plan_.warps = 8;
    const int elements = plan_.warps * kWarp * std::min(4, Vector());
    plan_.tile_cols = Tile(plan_.col_dim, elements);
    TakeLoopRows(elements / plan_.tile_cols);
    plan_.reduce_rows = plan_.tile_rows;
    plan_.reduce_cols = static_cast<int>(std::min<int64_t>(row, elements)) * plan_.tile_rows;
  }
  // Rows along the innermost loop of a task.
  bool TakeLoopRows(int64_t most) {
    if (plan_.loop_dims.empty() || most < 2) return false;
    plan_.row_dim = plan_.loop_dims.back();
    plan_.loop_dims.pop_back();
    row_is_task_ = false;
    plan_.tile_rows = Tile(plan_.row_dim, most);
    return true;
  }

  // Reductions along axes that are not minor: neighbours in a row are results, warps take rows of
  // the reduced axis.
  void Columns() {
    plan_.tile_cols = Tile(plan_.col_dim, kWarp * std::min(4, Vector()));
    plan_.reduce_rows = FloorPowerOfTwo(std::max(1, 1024 / plan_.tile_cols / Words()));
    plan_.reduce_cols = plan_.tile_cols;
    if (!loops_use_all_axes_) TakeLoopRows(plan_.reduce_rows);
    SetWarps(int64_t{plan_.tile_cols} * plan_.reduce_rows, std::min(4, Vector()), 8);
  }

  // Reductions along minor axes only.
  void ReducedRows() {
    const auto [row, above] = LongestReduced();
    const int held = std::max(1, tuning::kGpuHeld / Words());
    const int accumulators = static_cast<int>(Accumulators());
    const int64_t most = int64_t{8} * kWarp * held;
    if (row >= tuning::kGpuLongRow || (above > 1 && row * above >= tuning::kGpuLongRow)) {
      plan_.reduce_cols = static_cast<int>(std::min(row, most));
      plan_.reduce_rows = static_cast<int>(std::min(above, most / plan_.reduce_cols));
    } else {
      TakeRows(static_cast<int>(4 * kWarp * held / row));
      plan_.reduce_cols = static_cast<int>(row);
    }
    const int rows = std::max(plan_.tile_rows, plan_.reduce_rows);
    SetWarps(int64_t{rows} * plan_.reduce_cols, held, 8);
    // Several accumulators share the registers, while a warp has work.
    plan_.reduce_cols *= rows * (row < tuning::kGpuLongRow ? accumulators : 1);
  }

  // Whether anything but elementwise operations in the tile's own order follows a product: what has
  // to be transposed takes shared memory.
  bool TransposesResults() const {
    absl::flat_hash_set<const HloInstruction*> seen;
    std::vector<const HloInstruction*> stack = outputs_;
    while (!stack.empty()) {
      const HloInstruction* i = stack.back();
      stack.pop_back();
      if (i->op() == HloOpcode::Dot || !seen.insert(i).second) continue;
      if (i->op() == HloOpcode::Parameter) {
        for (const Access& a : accesses_.of.at(i)) {
          if (!a.empty() && Uses({a.back()}, plan_.row_dim)) return true;
        }
        continue;
      }
      if (!IsElementwise(i->op()) && i->op() != HloOpcode::Broadcast &&
          i->op() != HloOpcode::Constant && i->op() != HloOpcode::Iota)
        return true;
      stack.insert(stack.end(), i->operands().begin(), i->operands().end());
    }
    return false;
  }
  // The tile's rows run along the left operand, its columns along the right one.
  bool HasTileAxes(const HloInstruction* dot) const {
    const auto& a = dot->attrs<DotAttrs>();
    const size_t batch = a.lhs_batch_dims.size(),
                 left = static_cast<size_t>(dot->operand(0)->shape().rank()) -
                        a.lhs_contracting_dims.size();  // batch and free ones
    const auto& accesses = accesses_.of.at(dot);
    return std::all_of(accesses.begin(), accesses.end(), [&](const Access& access) {
      int rows = 0, cols = 0;
      for (size_t d = 0; d < access.size(); ++d) {
        for (const AxisTerm& t : access[d]) {
          if (t.axis == plan_.row_dim) rows += d >= batch && d < left && t.coefficient == 1 ? 1 : 2;
          if (t.axis == plan_.col_dim) cols += d >= left && t.coefficient == 1 ? 1 : 2;
        }
      }
      return rows == 1 && cols == 1;
    });
  }
  // Products on tensor cores: one or two of equal types, each of whose operands has one axis of
  // the tile.
  bool TensorProduct() {
    if (loops_.size() > 2 || plan_.col_dim < 0 || !row_is_task_) return false;
    TiledProduct e;
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Dot || !SuitsTensorCores(*i, machine_.sm) || !HasTileAxes(i))
        return false;
      const Shape& left = i->operand(0)->shape();
      if (left.element_type() != loops_[0]->operand(0)->shape().element_type()) return false;
      e.depth = left.dimension(i->attrs<DotAttrs>().lhs_contracting_dims[0]);
      e.bytes = ByteWidth(left.element_type());
    }
    if (e.depth < 16) return false;
    e.rows = Extent(plan_.row_dim);
    e.cols = Extent(plan_.col_dim);
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (static_cast<int>(d) != plan_.row_dim && static_cast<int>(d) != plan_.col_dim)
        e.count *= dims_[d];
    }
    const bool transposes = TransposesResults();
    e.most = transposes ? 64 : loops_.size() > 1 ? 128 : 256;
    GpuMachine machine = machine_;
    machine.product_bytes /= transposes ? 4 : static_cast<int64_t>(loops_.size());
    const int64_t chunk = IsWholeResult() ? ProductChunk(e) : 0;
    if (chunk > 0) {
      e.count *= (e.depth + chunk - 1) / chunk;
      e.depth = chunk;
    }
    const ProductTile tile = ChooseProductTile(e, machine);
    plan_.tile_rows = tile.rows;
    plan_.tile_cols = tile.cols;
    plan_.slice = tile.slice;
    plan_.stages = tile.stages;
    plan_.warps = tile.warps;
    if (chunk == 0) return true;
    plan_.nest = Nest::kSplit;
    plan_.split = {{loops_[0], -1, chunk}};
    plan_.split_rows = tile.rows;
    plan_.split_cols = tile.cols;
    // The second stage adds up: each thread has a few neighbours.
    plan_.tile_cols = Tile(plan_.col_dim, 128);
    plan_.tile_rows = Tile(plan_.row_dim, std::max(1, 4 * kWarp * plan_.warps / plan_.tile_cols));
    return true;
  }
  // The region's only product has the outputs' axes, in their order.
  bool IsWholeResult() const {
    if (loops_.size() != 1 || loops_[0]->shape().dimensions() != dims_) return false;
    const auto& accesses = accesses_.of.at(loops_[0]);
    if (accesses.size() != 1) return false;
    for (size_t d = 0; d < dims_.size(); ++d) {
      const AccessDim& terms = accesses[0][d];
      if (terms.size() != 1 || !(terms[0] == AxisTerm{static_cast<int>(d), 1})) return false;
    }
    return true;
  }

  // Products: a square tile, smaller where there are too few for the device.
  void Product() {
    if (TensorProduct()) return;
    int rows = Tile(plan_.row_dim, 128), cols = Tile(plan_.col_dim, 128);
    bool complex = false;
    for (const HloInstruction* i : loops_) complex |= IsComplex(i->shape().element_type());
    const int64_t room = int64_t{1 << 14} / (Words() * (complex ? 2 : 1));
    while (int64_t{rows} * cols > room ||
           (Blocks(rows, cols) < machine_.multiprocessors && std::max(rows, cols) > 16)) {
      (rows >= cols ? rows : cols) /= 2;
    }
    plan_.tile_rows = rows;
    plan_.tile_cols = cols;
    plan_.reduce_cols = 128;
    plan_.slice =
        std::min(rows, cols) >= 16 && ContractedElements() >= 32 ? 16 / std::min(2, Words()) : 0;
    SetWarps(int64_t{rows} * cols, 16, 8);
  }

  int64_t ContractedElements() const {
    int64_t n = 0;
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Dot) continue;
      int64_t k = 1;
      for (int64_t d : i->attrs<DotAttrs>().lhs_contracting_dims)
        k *= i->operand(0)->shape().dimension(d);
      n = std::max(n, k);
    }
    return n;
  }

  // --- tasks

  void ChooseTasks() {
    if (plan_.row_dim >= 0 && row_is_task_) {
      plan_.row_block = plan_.tile_rows;
      plan_.task_dims.push_back(plan_.row_dim);
    }
    if (plan_.col_dim >= 0 && (loops_.empty() || LoopsUseColumns())) {
      plan_.col_block = plan_.tile_cols;
      plan_.col_blocks_are_tasks = true;
      plan_.task_dims.push_back(plan_.col_dim);
    }
  }

  // Too few results to fill the device, and much to reduce: the longest reduced axis is cut.
  void ChooseSplit() {
    if (loops_.size() != 1 || loops_[0]->op() != HloOpcode::Reduce || !loops_use_all_axes_) return;
    const HloInstruction* reduce = loops_[0];
    const Shape& from = reduce->operand(0)->shape();
    const int64_t tasks =
        std::max<int64_t>(1, static_cast<int64_t>(Blocks(plan_.tile_rows, plan_.tile_cols)));
    int64_t dim = -1;
    for (int64_t d : reduce->dimensions()) {
      if (dim < 0 || from.dimension(d) > from.dimension(dim)) dim = d;
    }
    if (dim < 0 || tasks * 4 > tuning::kGpuSplitTasks) return;
    const int64_t extent = from.dimension(dim);
    const int64_t each =
        std::max<int64_t>(1, from.element_count() / tasks / std::max<int64_t>(1, extent));
    const int64_t parts = std::min(tuning::kGpuSplitTasks / tasks,
                                   from.element_count() / tasks / tuning::kGpuChunkElements);
    if (parts < 2) return;
    // Whole tiles of an axis that tiles run along.
    const int64_t unit = std::max<int64_t>({1, FloorPowerOfTwo(tuning::kGpuChunkElements / each),
                                            dim + 1 == from.rank() ? plan_.lanes : 1});
    const int64_t chunk = ((extent + parts - 1) / parts + unit - 1) / unit * unit;
    if (chunk * 2 > extent) return;
    plan_.nest = Nest::kSplit;
    plan_.split = {{reduce, static_cast<int>(dim), chunk}};
    plan_.split_tiles_are_tasks = true;
  }

  const GpuMachine& machine_;
  bool row_in_registers_ = false;
};

}  // namespace

absl::StatusOr<Plan> PlanForGpu(const HloComputation& region, const GpuMachine& machine) {
  return GpuSchedule(region, machine).Make();
}

}  // namespace sinter::plan
