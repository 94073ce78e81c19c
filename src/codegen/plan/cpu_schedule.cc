// The schedule of a CPU: tasks are cut for a few threads, tiles for native vectors.
#include <algorithm>

#include "base/status.h"
#include "codegen/plan/gemm.h"
#include "codegen/plan/pieces.h"
#include "codegen/plan/planner.h"
#include "codegen/plan/scan.h"
#include "codegen/plan/scatter.h"
#include "ir/analysis/op_cost.h"

namespace sinter::plan {
namespace {

class CpuSchedule : Planner {
 public:
  CpuSchedule(const HloComputation& region, const Machine& machine)
      : Planner(region), machine_(machine) {}
  // A piece of the plan `whole`.
  CpuSchedule(const HloComputation& region, const Machine& machine, const Plan& whole, Box domain)
      : Planner(region, std::move(domain)), machine_(machine), whole_(&whole) {}

  absl::StatusOr<Plan> Make() {
    RETURN_IF_ERROR(Look());
    shares_rows_ = true;
    plan_.lanes = whole_ ? whole_->lanes : Lanes();
    plan_.fma = machine_.fma;
    plan_.nanoseconds = Nanoseconds();
    if (!whole_ && loops_.size() == 1 && loops_[0]->op() == HloOpcode::Dot) {
      if (auto product = PackedProduct(*loops_[0])) {
        plan_.nest = Nest::kGemm;
        plan_.dot = loops_[0];
        plan_.gemm = ChooseGemmBlocks(*loops_[0], *product, machine_, plan_.lanes);
        return plan_;
      }
    }
    if (const HloInstruction* scatter = ScatterOf(region_)) {
      PlanScatter(*scatter, plan_);
      plan_.in_place.assign(region_.parameters().size(), false);
      return plan_;
    }
    if (const HloInstruction* scan = Scan()) {
      // A loop of each element's own carries tiles, for squares of which there are no registers.
      if (!LoopsPerElement() && PlanScanOfRows(*scan, plan_)) {
        plan_.non_temporal = NonTemporal();
      } else {
        PlanScan(*scan, plan_);
      }
      return plan_;
    }
    ChooseAxes(plan_.lanes, /*keep_columns=*/ProductRunsAlongColumns());
    ChooseTogether();
    ChooseTiles();
    ChooseSplit();
    ChooseTasks();
    ChooseFirst();
    ChooseCached(machine_.l2_bytes / 2);
    ChooseInPlace();
    plan_.non_temporal = NonTemporal();
    return plan_;
  }

  // The parts that the outputs fall into where operands of concatenates and pads begin and end, if
  // to compute each by itself is legal and saves more than its code costs.
  std::vector<Box> Pieces() const {
    if (plan_.nest != Nest::kLoop || plan_.scan || !accesses_.complete) return {};
    std::vector<std::vector<int64_t>> cuts = accesses_.cuts;
    if (plan_.unrolled_dim >= 0) cuts[static_cast<size_t>(plan_.unrolled_dim)].clear();
    return ChoosePieces(cuts, dims_, static_cast<int64_t>(accesses_.order.size()), plan_.lanes);
  }

 private:
  // A simple vector operation takes about 0.2 ns; memory is read at what one core streams.
  double Nanoseconds() const { return work_ / (machine_.vector_bytes / 4.0) * 0.2 + bytes_ * 0.03; }

  // Chunks as wide as a native vector of the widest type that is computed with (narrow types
  // compute in 32 bits).
  int Lanes() const {
    int bytes = 1;
    for (const HloInstruction* i : accesses_.order) {
      if (!i->shape().is_array()) continue;
      const ElementType t = RealPart(i->shape().element_type());
      int b = ByteWidth(t);
      if (IsFloat(t)) b = std::max(b, 4);
      bytes = std::max(bytes, b);
    }
    return std::max(1, machine_.vector_bytes / std::max(4, bytes));
  }

  // Whether the region runs so long that a few milliseconds more of code generation are soon
  // recovered: chains of elementary functions wait for their own results, so that four vectors side
  // by side run 15 to 25 % faster than two, if there are registers for them.
  bool WorthLongCode() const {
    constexpr double kLong = 1e7;
    return machine_.vector_registers >= 32 && plan_.nanoseconds > kLong;
  }

  // Whether this is a small piece of its region, whose code takes longer to generate than it saves
  // where it is written out several times.
  bool IsBorder() const {
    return whole_ != nullptr && loops_.empty() && !transposed_ && plan_.row_dim < 0 &&
           plan_.nanoseconds * 16 < whole_->nanoseconds;
  }

  // Whether a product's right operand is read along the minor output axis, which fills a vector:
  // a tile of rows and columns then loads each factor once for the whole tile, however much longer
  // the left operand is, as one of windows.
  bool ProductRunsAlongColumns() const {
    const int minor = static_cast<int>(dims_.size()) - 1;
    if (minor < 0 || dims_.back() < plan_.lanes) return false;
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Dot) continue;
      for (const Access& a : accesses_.of.at(i->operand(1))) {
        if (!a.empty() && a.back() == AccessDim{AxisTerm{minor, 1}}) return true;
      }
    }
    return false;
  }

  void ChooseTiles() {
    const int lanes = plan_.lanes;
    if (plan_.col_dim >= 0) {
      const int64_t n = Extent(plan_.col_dim);
      int wide = chain_ > 10                   ? (WorthLongCode() ? 4 : 2) * lanes
                 : body_ > 24                  ? 4 * lanes
                 : accesses_.order.size() > 24 ? 2 * lanes
                                               : 8 * lanes;
      if (transposed_) {
        wide = lanes;
        plan_.tile_rows = lanes;
        // A loop carries as many rows for each of its accumulators, and needs a register beside.
        const int carried = loops_.empty() ? 0 : static_cast<int>(Accumulators());
        while (plan_.tile_rows > 1 && plan_.tile_rows * carried >= machine_.vector_registers)
          plan_.tile_rows /= 2;
      } else if (plan_.row_dim >= 0) {
        wide = Accumulators() > 1 ? lanes : 2 * lanes;
        plan_.tile_rows = machine_.vector_registers >= 32 ? 8 : 4;
      } else if (loops_use_all_axes_ && chain_ <= 10) {
        wide = (machine_.vector_registers >= 32 ? 16 : 8) * lanes /
               static_cast<int>(std::max<size_t>(1, Accumulators()));
      }
      // Many values that wait for the part that they are stored with.
      if (plan_.unrolled_dim >= 0) wide = accesses_.order.size() > 64 ? lanes : 2 * lanes;
      wide = IsBorder() ? lanes : std::max(wide, lanes);
      // The whole axis where it is short; else a width that divides it, if one of at least two
      // vectors does.
      if (n <= wide) {
        plan_.tile_cols = static_cast<int>(PowerOfTwoAtLeast(n));
      } else {
        plan_.tile_cols = wide;
        for (int w = wide; w >= std::max(lanes, wide / 4); w /= 2) {
          if (n % w == 0) {
            plan_.tile_cols = w;
            break;
          }
        }
      }
    }
    if (plan_.row_dim >= 0) {
      const int64_t n = Extent(plan_.row_dim);
      if (n < plan_.tile_rows)
        plan_.tile_rows = static_cast<int>(transposed_ ? PowerOfTwoAtLeast(n) : n);
      for (int r = plan_.tile_rows; !transposed_ && r > plan_.tile_rows / 2; --r) {
        if (n % r == 0) {
          plan_.tile_rows = r;
          break;
        }
      }
    }
    const int accumulators = chain_ > 10 ? 4 : 8;
    plan_.reduce_cols = accumulators * lanes;
    if (machine_.vector_registers < 32 && Accumulators() > 1) plan_.reduce_cols = 4 * lanes;
  }

  // Too few results to make tasks of, and much to reduce: the longest reduced axis is cut into
  // chunks.
  void ChooseSplit() {
    if (whole_) return;  // its stages would be those of one piece
    constexpr double kLongEnough = 1 << 16;
    if (loops_.size() != 1 || loops_[0]->op() != HloOpcode::Reduce || !loops_use_all_axes_) {
      if (!(loops_.size() == 1 && dims_.empty() && loops_[0]->op() == HloOpcode::Reduce)) return;
    }
    const HloInstruction* reduce = loops_[0];
    const double results = Results();
    const Shape& from = reduce->operand(0)->shape();
    const double elements = static_cast<double>(from.element_count());
    const bool columns = plan_.col_dim >= 0;
    if (columns && bytes_ <= static_cast<double>(machine_.l2_bytes) / 2) {
      // What is read stays in the caches, whichever way it is walked: narrower tiles are tasks too.
      int narrow = plan_.tile_cols;
      while (results / narrow < 16 && narrow % 2 == 0 && narrow / 2 >= plan_.lanes) narrow /= 2;
      if (results / narrow >= 16) {
        plan_.tile_cols = narrow;
        return;
      }
    }
    const double tasks = columns ? results / plan_.tile_cols : results;
    if (tasks >= 16 || elements < kLongEnough || results * 64 > elements) return;
    int64_t dim = -1;
    for (int64_t d : reduce->dimensions()) {
      if (dim < 0 || from.dimension(d) > from.dimension(dim)) dim = d;
    }
    const double per_index = elements / static_cast<double>(from.dimension(dim));
    int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(kLongEnough / per_index));
    if (from.dimension(dim) < 2 * chunk) chunk = (from.dimension(dim) + 7) / 8;
    // Whole tiles, where these run along the axis.
    if (dim == from.rank() - 1)
      chunk = std::clamp<int64_t>(plan_.reduce_cols, chunk, from.dimension(dim));
    plan_.nest = Nest::kSplit;
    plan_.split = reduce;
    plan_.split_dim = static_cast<int>(dim);
    plan_.split_chunk = chunk;
  }

  void ChooseTasks() {
    constexpr double kTaskElements = 1 << 14;
    if (plan_.row_dim >= 0) {
      if (transposed_) {
        // A task reads one tile's rows of the operand from end to end, as the prefetcher likes it,
        // and writes whole cache lines, which need no neighbours.
        plan_.col_block = plan_.tile_cols;
        plan_.col_blocks_are_tasks = true;
        plan_.task_dims.push_back(plan_.col_dim);
        const int64_t rows = Extent(plan_.row_dim),
                      bands = (Extent(plan_.col_dim) + plan_.tile_cols - 1) / plan_.tile_cols;
        if (bands < 64 && rows >= 8 * plan_.tile_rows) {
          plan_.row_block = 4 * plan_.tile_rows;
          plan_.task_dims.push_back(plan_.row_dim);
        }
        return;
      }
      if (row_is_task_) {
        plan_.row_block = plan_.tile_rows;
        plan_.task_dims.push_back(plan_.row_dim);
      }
    }
    if (plan_.col_dim < 0) return;
    const int64_t n = Extent(plan_.col_dim);
    if (plan_.unrolled_dim >= 0) {
      // Tasks of about as much work as of simple operations on so many elements.
      const double each =
          std::max(1.0, work_ / Results()) * static_cast<double>(Extent(plan_.unrolled_dim));
      const auto tiles = static_cast<int64_t>(kTaskElements * 8 / each / plan_.tile_cols);
      plan_.col_block = std::max<int64_t>(1, tiles) * plan_.tile_cols;
      plan_.col_blocks_are_tasks = true;
      plan_.task_dims.push_back(plan_.col_dim);
      return;
    }
    double outer = 1;
    for (int d : plan_.task_dims) outer *= static_cast<double>(dims_[static_cast<size_t>(d)]);
    // The column axis becomes tasks where reductions keep it, or where it is all there is.
    bool used = false;
    for (const HloInstruction* i : loops_) {
      for (const Access& a : accesses_.of.at(i)) used |= Uses(a, plan_.col_dim);
    }
    if (used) {
      // Rows are tasks enough, if there are many.
      const bool rows = plan_.row_dim >= 0 && outer / plan_.tile_rows >= 16;
      plan_.col_block = rows ? 0 : plan_.tile_cols;
      plan_.col_blocks_are_tasks = plan_.col_block > 0;
    } else if (loops_.empty() && outer < 64 && static_cast<double>(n) > 2 * kTaskElements) {
      plan_.col_block = static_cast<int64_t>(kTaskElements);
      while (plan_.col_block < 4 * static_cast<int64_t>(kTaskElements) &&
             n % (2 * plan_.col_block) == 0)
        plan_.col_block *= 2;
      plan_.col_blocks_are_tasks = true;
    }
    if (plan_.col_blocks_are_tasks) plan_.task_dims.push_back(plan_.col_dim);
  }

  // Outputs that the caches cannot hold go past them, where whole aligned vectors are stored.
  bool NonTemporal() const {
    if (plan_.col_dim < 0 || plan_.tile_cols % plan_.lanes != 0) return false;
    if (plan_.col_dim + 1 != static_cast<int>(dims_.size())) return false;
    if (Window(region_)) return false;  // its start is known when it runs
    const auto columns = static_cast<size_t>(plan_.col_dim);
    for (const HloInstruction* o : outputs_) {
      if (o->shape().byte_size() < machine_.stream_bytes || IsComplex(o->shape().element_type()))
        return false;
      // Of the rows in memory and, in a piece, of its beginning and its own rows.
      if (o->shape().dimension(plan_.col_dim) % plan_.lanes != 0) return false;
      if (!domain_.empty() &&
          (domain_[columns].lo % plan_.lanes != 0 || dims_[columns] % plan_.lanes != 0))
        return false;
    }
    return true;
  }

  const Machine& machine_;
  const Plan* whole_ = nullptr;
};

}  // namespace

absl::StatusOr<Plan> MakePlan(const HloComputation& region, const Machine& machine) {
  CpuSchedule schedule(region, machine);
  ASSIGN_OR_RETURN(Plan plan, schedule.Make());
  for (Box& domain : schedule.Pieces()) {
    ASSIGN_OR_RETURN(Plan piece, CpuSchedule(region, machine, plan, std::move(domain)).Make());
    plan.pieces.push_back(std::move(piece));
  }
  return plan;
}

}  // namespace sinter::plan
