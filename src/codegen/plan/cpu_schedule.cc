// The schedule of a CPU: tasks are cut for a few threads, tiles for native vectors.
#include <algorithm>
#include <numeric>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "codegen/plan/alignment.h"
#include "codegen/plan/bases.h"
#include "codegen/plan/cpu_tasks.h"
#include "codegen/plan/finish.h"
#include "codegen/plan/gemm.h"
#include "codegen/plan/live_values.h"
#include "codegen/plan/pieces.h"
#include "codegen/plan/row_groups.h"
#include "codegen/plan/scan.h"
#include "codegen/plan/scatter.h"
#include "codegen/plan/schedules.h"
#include "codegen/plan/slide.h"
#include "codegen/plan/task_order.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/packing.h"
#include "ir/analysis/short_dimensions.h"
#include "target/price.h"
#include "target/tuning.h"

namespace sinter::plan {
namespace {

class CpuSchedule : TaskPlanner {
 public:
  CpuSchedule(const HloComputation& region, const CpuMachine& machine)
      : TaskPlanner(region, machine) {}
  // A piece of the plan `whole`.
  CpuSchedule(const HloComputation& region, const CpuMachine& machine, const Plan& whole,
              Piece piece)
      : TaskPlanner(region, machine, HullOf(piece.boxes)), whole_(&whole) {
    // A short minor axis is chosen by what a piece has of it.
    if (whole.unrolled_dim + 1 < std::ssize(piece.boxes[0])) parts_of_whole_ = whole.unrolled_dim;
    plan_.columns = std::move(piece.columns);
    if (piece.boxes.size() > 1) plan_.boxes = std::move(piece.boxes);
  }

  absl::StatusOr<Plan> Make() {
    RETURN_IF_ERROR(Look());
    shares_rows_ = caches_tiles_ = true;
    plan_.lanes = whole_ ? whole_->lanes : Lanes();
    StateMasks();
    plan_.fma = machine_.fma;
    plan_.nanoseconds = PriceOf(machine_, work_, bytes_) * PartOfDomain();
    if (!whole_ && loops_.size() > 1) {
      if (const auto chain = ProductChainOf(*loops_.back())) {
        PlanChain(*chain, *loops_.back(), machine_, plan_);
        ChooseCachedRows(*chain);
        SetPriceOfTiles(plan_.gemm.tiles && plan_.chained_gemm.tiles);
        return plan_;
      }
    }
    if (!whole_ && loops_.size() == 1 && loops_[0]->op() == HloOpcode::Dot) {
      if (auto product = PackedProduct(*loops_[0], machine_);
          product && IsWorthPackingHere(*loops_[0], *product)) {
        plan_.nest = Nest::kGemm;
        plan_.dot = loops_[0];
        plan_.gemm = ChooseGemmBlocks(*loops_[0], *product, machine_, plan_.lanes);
        ReadInPlace(*loops_[0], *product, machine_, plan_.gemm);
        SetPriceOfTiles(plan_.gemm.tiles);
        return plan_;
      }
    }
    if (const HloInstruction* scatter = ScatterOf(region_)) {
      PlanScatter(*scatter, machine_, plan_);
      plan_.in_place.assign(region_.parameters().size(), false);
      return plan_;
    }
    if (const HloInstruction* scan = Scan()) {
      // A loop of each element's own carries tiles, for squares of which there are no registers.
      if (!LoopsPerElement() && PlanScanOfRows(*scan, body_ > OpCost(*scan), plan_)) {
        PlanStep(*scan, accesses_, plan_);
        plan_.non_temporal = NonTemporal();
      } else {
        PlanScan(*scan, plan_);
      }
      return plan_;
    }
    ChooseAxes(plan_.lanes, /*keep_columns=*/ProductRunsAlongColumns());
    ChooseTransposedReads();
    WidenChunks();
    ChooseTogether();
    ChooseTilesAndSplit();
    ChooseReducedParts();
    if (IsLongAfterLoops()) PlanFinish(loops_, dims_, plan_);
    ChooseTasks();
    if (!loops_.empty()) OrderTasks(accesses_, dims_, machine_.l2_bytes / 2, plan_);
    if (!RunsAlongRows()) plan_.columns.clear();
    AlignColumns();
    ChooseFirst();
    ChooseCached(machine_.l2_bytes / 2);
    if (!whole_ && !transposed_ && !Window(region_) && !LoopsPerElement())
      PlanRowGroups(
          accesses_, loops_, dims_, [this](const HloInstruction& i) { return PlaceInTask(i); },
          plan_);
    ChooseInPlace();
    plan_.non_temporal = NonTemporal();
    return plan_;
  }

  void SetPriceOfTiles(bool tiles) {
    if (!tiles) return;
    const double work = work_ - product_work_ * (1 - 1 / tuning::kSpeedOfTiles);
    plan_.nanoseconds = PriceOf(machine_, work, bytes_) * PartOfDomain();
  }

  // Windows are packed element by element for each of their places, which is to gain something:
  // what they are multiplied by does not stay in the second-level cache, or tiles multiply it.
  bool IsWorthPackingHere(const HloInstruction& dot, const MatrixProduct& product) const {
    return product.has_tiled_rows() || SuitsTiles(dot, product, machine_) ||
           !HasWindowsOfCached(dot, machine_.l2_bytes);
  }

  // Whether the boxes of a plan, if it has any, differ in what tasks are single elements of.
  static bool HasTaskBoxes(const Plan& plan) {
    if (plan.boxes.empty()) return true;
    if (plan.nest != Nest::kLoop || !plan.split.empty() || plan.finish_dim >= 0) return false;
    for (size_t d = 0; d < plan.domain.size(); ++d) {
      const auto dim = static_cast<int>(d);
      const bool is_task =
          absl::c_linear_search(plan.task_dims, dim) && dim != plan.row_dim && dim != plan.col_dim;
      if (!is_task &&
          absl::c_any_of(plan.boxes, [&](const Box& box) { return box[d] != plan.domain[d]; }))
        return false;
    }
    return true;
  }

  // The parts that the outputs fall into where operands of concatenates and pads begin and end, if
  // to compute each by itself is legal and saves more than its code costs.
  std::vector<Piece> Pieces() const {
    if (plan_.nest != Nest::kLoop || plan_.scan || !accesses_.complete) return {};
    const bool cuts_rows = CutsRows();
    // Without the parts of rows, of which there is code for each.
    auto seams_of = [&](const Accesses& here) {
      Seams seams{here.cuts, static_cast<int64_t>(here.order.size())};
      if (plan_.unrolled_dim >= 0) seams.cuts[static_cast<size_t>(plan_.unrolled_dim)].clear();
      if (!cuts_rows) return seams;
      seams.operations *= static_cast<int64_t>(seams.cuts.back().size()) + 1;
      seams.cuts.back().clear();
      return seams;
    };
    absl::flat_hash_map<Box, std::optional<Seams>> seen;
    auto look = [&](const Box& box) -> std::optional<Seams> {
      const auto [known, is_new] = seen.try_emplace(box);
      if (!is_new) return known->second;
      const Accesses here = FindAccesses(outputs_, box);
      if (here.complete) known->second = seams_of(here);
      return known->second;
    };
    std::vector<Box> boxes = ChoosePieces(seams_of(accesses_), dims_, plan_.lanes, look);
    if (plan_.col_blocks_are_tasks && loops_.empty() && !transposed_ && ArePastCaches() &&
        HasAlignedRows(outputs_[0]->shape(), plan_.lanes))
      boxes = AlignedBoxes(std::move(boxes), plan_.lanes);
    if (boxes.empty() && cuts_rows) boxes.push_back(WholeOf(outputs_[0]->shape()));
    std::vector<Piece> all;
    for (std::vector<Box>& same : Joined(std::move(boxes), look)) {
      all.push_back({std::move(same), {}});
      if (!cuts_rows) continue;
      Piece& piece = all.back();
      const Box hull = HullOf(piece.boxes);
      const Accesses here = FindAccesses(outputs_, hull);
      const auto& cuts = here.complete ? here.cuts.back() : accesses_.cuts.back();
      if (!cuts.empty()) piece.columns = Between(cuts, hull.back());
    }
    return all;
  }

 private:
  // Boxes, of which one nest each computes several where they are small.
  std::vector<std::vector<Box>> Joined(std::vector<Box> boxes, const SeamsOf& look) const {
    std::vector<bool> may_differ(dims_.size(), false);
    // Whole rows, of which tasks have one each.
    if (boxes.size() > 2 && plan_.col_dim + 1 == static_cast<int>(dims_.size()) &&
        plan_.row_dim < 0 && plan_.unrolled_dim < 0 && loops_.empty()) {
      may_differ.assign(dims_.size(), true);
      may_differ.back() = false;
    }
    return JoinSmall(std::move(boxes), may_differ, plan_.lanes, look);
  }
  double PartOfDomain() const {
    if (plan_.boxes.empty()) return 1;
    int64_t elements = 0;
    for (const Box& box : plan_.boxes) elements += ElementsIn(box);
    return static_cast<double>(elements) / std::max(1.0, Results());
  }
  // Whether parts of rows are better computed row by row than each in a nest of its own, which
  // would go through as many lines of memory for a few elements of each.
  bool CutsRows() const {
    if (dims_.size() < 2 || !loops_.empty() || !RunsAlongRows()) return false;
    const auto parts = static_cast<int64_t>(accesses_.cuts.back().size()) + 1;
    if (parts == 1 || Results() < static_cast<double>(parts * tuning::kElementsAPiece))
      return false;
    const std::optional<double> price = PriceOfParts();
    return price && *price <= PriceOfMaskedParts();
  }
  bool RunsAlongRows() const { return plan_.GoesAlongRows(dims_.size()) && !transposed_; }

  // Where the parts of rows that have code of their own begin, so that most of what they store is
  // whole vectors of memory.
  void AlignColumns() {
    if (dims_.size() < 2 || !loops_.empty() || !RunsAlongRows() || plan_.row_dim >= 0 ||
        plan_.tile_cols % plan_.lanes != 0 || Window(region_))
      return;
    std::vector<Interval> parts = plan_.columns;
    if (parts.empty()) parts.push_back(DomainOf(dims_.size() - 1));
    if (HasAlignedRows(outputs_[0]->shape(), plan_.lanes)) {
      plan_.columns = AlignedParts(parts, plan_.lanes, plan_.masks_lanes);
      if (plan_.columns.size() == 1) plan_.columns.clear();
    } else if (ArePastCaches() && HasFewMixedLines(parts)) {
      // Each row by itself: for one long part a row.
      plan_.aligns_rows = absl::c_count_if(parts, [&](const Interval& part) {
                            return IsWorthAligning(part, plan_.lanes);
                          }) == 1;
    }
  }
  // What more than one loop over a row needs, and costs more than a store and a load.
  void ChooseCachedRows(const ProductChain& chain) {
    for (const HloInstruction* i : chain.members) {
      if (i == chain.first || i->shape().element_count() != chain.first->shape().element_count())
        continue;
      if (i->users().size() > 1 && OpCost(*i) >= tuning::kWorthCaching) plan_.cached.insert(i);
    }
  }

  // The bytes of the widest elements that an instruction takes a vector of: narrow floats are
  // computed in 32 bits, and moved as they are.
  static int WidthOf(const HloInstruction& i) {
    const ElementType t = RealPart(i.shape().element_type());
    const bool moves = Info(i.op()).kind != OpKind::kElementwise
                           ? OpCost(i) == 0
                           : i.op() == HloOpcode::Select || i.op() == HloOpcode::Copy;
    return IsFloat(t) && !moves ? std::max(ByteWidth(t), 4) : ByteWidth(t);
  }

  // Chunks as wide as a native vector of the widest type that is computed with, of four bytes at
  // least.
  int Lanes() const { return std::max(1, machine_.vector_bytes / std::max(4, WidestBytes())); }
  int WidestBytes() const {
    int bytes = 1;
    for (const HloInstruction* i : accesses_.order) {
      if (i->shape().is_array() && i->shape().rank() > 0) bytes = std::max(bytes, WidthOf(*i));
    }
    return bytes;
  }
  bool GoesThroughSquares(const HloInstruction* parameter) const {
    return absl::c_any_of(plan_.transposed_reads,
                          [&](const TransposedRead& r) { return r.parameter == parameter; });
  }
  // Whether columns are read from memory in elements of fewer than four bytes that stand apart: one
  // by one, as processors gather none of these.
  bool PicksNarrow() const {
    return absl::c_any_of(accesses_.order, [&](const HloInstruction* i) {
      return i->op() == HloOpcode::Parameter && ByteWidth(i->shape().element_type()) < 4 &&
             !GoesThroughSquares(i) && absl::c_any_of(accesses_.of.at(i), [&](const Access& a) {
               for (size_t d = 0; d < a.size(); ++d) {
                 for (const AxisTerm& t : a[d]) {
                   const bool is_near = d + 1 == a.size() && std::abs(t.coefficient) <= 4;
                   if (t.axis == plan_.col_dim && !is_near) return true;
                 }
               }
               return false;
             });
    });
  }
  // Rows of bytes and halves, where each is computed from rows, take whole vectors of them. Wider
  // ones than of 32 bytes were not measured.
  void WidenChunks() {
    const bool in_rows = plan_.transposed_reads.empty() ? RunsAlongRows() && plan_.row_dim < 0
                                                        : plan_.unrolled_dim < 0;
    if (whole_ || dims_.empty() || !loops_.empty() || !in_rows || PicksNarrow()) return;
    const int wide = std::min(machine_.vector_bytes, 32) / WidestBytes();
    if (wide <= plan_.lanes || dims_.back() < wide) return;
    plan_.lanes = wide;
    StateMasks();
  }

  // What masks cost.
  void StateMasks() {
    if (machine_.vector_bytes >= 64) return;
    const bool by_lane = absl::c_any_of(accesses_.order, [&](const HloInstruction* i) {
      const bool is_in_memory =
          i->op() == HloOpcode::Parameter || absl::c_linear_search(outputs_, i);
      return is_in_memory && !HasMasks(machine_, ByteWidth(i->shape().element_type()));
    });
    const double lanes = tuning::kMaskedLane * plan_.lanes;
    plan_.masks_lanes = by_lane;
    masked_load_ = by_lane ? lanes : tuning::kMaskedVector;
    masked_store_ = by_lane ? lanes : tuning::kMaskedStoreAvx2;
  }

  // Whether the region runs so long that a few milliseconds more of code generation are soon
  // recovered: chains of elementary functions wait for their own results, so that four vectors side
  // by side run 15 to 25 % faster than two, and half as fast again where there is half of AVX-512's
  // registers and vectors, though they do not fit those.
  bool WorthLongCode() const {
    return plan_.nanoseconds > (machine_.vector_registers >= 32
                                    ? tuning::kLongKernel
                                    : tuning::kLongKernelOfFewRegisters);
  }

  // Whether eight vectors of all values that wait for one another fit the registers: of a long
  // chain of simple operations, as of random bits, each waits for the one before (4 vectors
  // take 1.4 times as long as 8).
  bool HasRoomForEight() const {
    // Memory takes no longer for shorter tiles, and no less for longer ones.
    if (!WorthLongCode() || PriceOf(machine_, 0, bytes_) * 2 > PriceOf(machine_, work_, 0))
      return false;
    return MostAlive(accesses_.order) * 8 <= machine_.vector_registers;
  }

  // The elements of rows in memory, if they are short, each is a column, and several of their
  // places are read; else 0.
  int64_t RowOfPlaces() const {
    int64_t longest = 0;
    for (const HloInstruction* i : accesses_.order) {
      const auto& accesses = accesses_.of.at(i);
      const int64_t rank = i->shape().rank();
      if (i->op() != HloOpcode::Parameter || rank == 0 || accesses.empty()) continue;
      // Places that differ have no offset in common.
      const int64_t row = i->shape().dimension(rank - 1);
      if (row <= kLongestSplit && accesses[0].back().empty() &&
          !accesses_.offsets.at(i)[0].back() && Uses(accesses[0], plan_.col_dim))
        longest = std::max(longest, row);
    }
    return longest;
  }

  // Of a row of a transposed tile. Where vectors are half of a line, stores of two lines side by
  // side go past the caches faster than of one.
  int TransposedBytes() const {
    return tuning::kLineBytes *
           (machine_.vector_bytes < tuning::kLineBytes && ArePastCaches() ? 2 : 1);
  }

  // Whether this is a small piece of its region, whose code takes longer to generate than it saves
  // where it is written out several times.
  bool IsBorder() const {
    return whole_ != nullptr && loops_.empty() && !transposed_ && plan_.row_dim < 0 &&
           plan_.nanoseconds * 16 < whole_->nanoseconds;
  }

  // Whether a tile of a product's rows and columns takes less than each of its results as a sum of
  // its own along the contracted axis, though the right operand's memory runs along that one and is
  // read element by element: of batches of small matrices.
  bool IsShortProduct(const HloInstruction& dot) const {
    const ProductExtents e = ExtentsOf(dot);
    if (dot.shape().element_count() == 0 || e.k == 0 ||
        dot.shape().dimensions().back() != dims_.back() || IsComplex(dot.shape().element_type()))
      return false;
    const auto lanes = static_cast<double>(plan_.lanes), terms = static_cast<double>(e.k);
    const double rows = static_cast<double>(std::min(e.m, tuning::kProductTileRows));
    const double columns = std::min(lanes, static_cast<double>(e.n));
    const double tile = terms * (tuning::kStridedElement * columns + rows);
    return tile < rows * columns * (2 * terms / lanes + tuning::kSumOfLanes);
  }

  // Whether a product's right operand is read along the minor output axis: a tile of rows and
  // columns then loads each factor once for the whole tile, however few columns of a vector there
  // are and however much longer the left operand is, as one of windows. Sums along the contracted
  // axis would take elements of the right operand one by one; of narrow ones, which go through
  // narrow vectors, some more of these are as quick.
  bool ProductRunsAlongColumns() const {
    const int minor = static_cast<int>(dims_.size()) - 1;
    if (minor < 0) return false;
    for (const HloInstruction* i : loops_) {
      if (i->op() != HloOpcode::Dot) continue;
      if (IsShortProduct(*i)) return true;
      if (dims_.back() < (ByteWidth(i->operand(1)->shape().element_type()) < 4 ? 4 : 2)) continue;
      // As it is in memory, if it is read from there with other dimensions.
      const HloInstruction* right = i->operand(1);
      while (right->op() == HloOpcode::Transpose || right->op() == HloOpcode::Reshape)
        right = right->operand(0);
      // Neighbouring dimensions may be one. What is read without the contracted axis is read for
      // something else.
      for (const Access& a : accesses_.of.at(right)) {
        if (absl::c_any_of(a, IsInner) && absl::c_linear_search(a.back(), AxisTerm{minor, 1}) &&
            absl::c_count_if(a.back(), [](const AxisTerm& t) { return t.coefficient == 1; }) == 1)
          return true;
      }
    }
    return false;
  }

  // Whether so much is done with the loops' results that this goes through them part by part; and
  // little for each of what the loops go through.
  bool IsLongAfterLoops(bool short_before = false) const {
    if (whole_ || !loops_use_all_axes_ || transposed_ || Window(region_) || LoopsPerElement())
      return false;
    const auto work = FindWorkAroundLoops(accesses_, loops_, dims_);
    return work && work->after >= tuning::kLongOperation &&
           (!short_before || work->longest_before <= tuning::kLongOperation);
  }

  void ChooseTiles() {
    const int lanes = plan_.lanes;
    if (plan_.row_dim < 0 && plan_.unrolled_dim < 0 && ChangesFewInPlace(region_))
      std::swap(plan_.col_dim, plan_.unrolled_dim);
    if (plan_.col_dim >= 0) {
      const int64_t n = plan_.transposed_reads.empty() ? Extent(plan_.col_dim) : ColumnsOfBlock();
      int wide = chain_ > tuning::kLongOperation ? (WorthLongCode() ? 4 : 2) * lanes
                 : body_ > 24                    ? (HasRoomForEight() ? 8 : 4) * lanes
                 : accesses_.order.size() > 24   ? 2 * lanes
                                                 : 8 * lanes;
      const int of_loop = VectorsOfLoop(accesses_.order, machine_.vector_registers);
      if (of_loop > 0) {
        wide = of_loop * lanes;
      } else if (!plan_.transposed_reads.empty()) {
        // Rows of a block, one by one, are computed like any others.
      } else if (transposed_) {
        // Whole lines of memory are stored, which may go past the caches.
        const int bytes = ByteWidth(outputs_[0]->shape().element_type());
        wide = loops_.empty() ? std::clamp(TransposedBytes() / bytes, lanes, 4 * lanes) : lanes;
        plan_.tile_rows = lanes;
        // Beside a long computation that counts for little.
        while (wide > lanes &&
               body_ * plan_.tile_rows * (wide / lanes) > tuning::kMostTransposedLine)
          wide /= 2;
        // A loop carries as many rows for each of its accumulators, and needs a register beside.
        const int carried = loops_.empty() ? 0 : static_cast<int>(Accumulators());
        while (plan_.tile_rows > 1 && plan_.tile_rows * carried >= machine_.vector_registers)
          plan_.tile_rows /= 2;
        // All rows are code of their own, of which there are more than enough for its latencies.
        while (plan_.tile_rows > 4 && body_ * plan_.tile_rows > tuning::kMostTransposedCode)
          plan_.tile_rows /= 2;
      } else if (plan_.row_dim >= 0 && Extent(plan_.row_dim) > 1) {
        wide = Accumulators() > 1 ? lanes : 2 * lanes;
        plan_.tile_rows = machine_.vector_registers >= 32 ? 8 : 4;
      } else if (loops_use_all_axes_ &&
                 (chain_ <= tuning::kLongOperation || IsLongAfterLoops(/*short_before=*/true))) {
        const int vectors = machine_.vector_registers >= 32 ? 16 : 8;
        wide = vectors / static_cast<int>(std::max<size_t>(1, Accumulators())) * lanes;
      }
      // Each vector of rows is as many loads as it has lanes, and independent of the others.
      if (const int64_t row = RowOfPlaces(); plan_.unrolled_dim < 0 && row > 0)
        wide = std::min(wide, (row <= 8 ? 4 : 1) * lanes);
      // More vectors side by side would only go to memory and back.
      if (loops_.empty() && !transposed_ && plan_.row_dim < 0 &&
          MostAlive(accesses_.order) > machine_.vector_registers)
        wide = lanes;
      // Each lane is a load.
      if (loops_.empty() && !transposed_ && PicksNarrow()) wide = std::min(wide, 2 * lanes);
      // A vector of each of the parts, which are loaded together and taken apart.
      if (loops_.empty() && absl::c_any_of(accesses_.order, [](const HloInstruction* i) {
            return i->shape().is_array() && IsComplex(i->shape().element_type());
          }))
        wide = std::min(wide, 2 * lanes);
      // Many values that wait for the part that they are stored with, or places of many rows.
      if (plan_.unrolled_dim >= 0) {
        size_t places = 0;
        for (const HloInstruction* i : accesses_.order)
          if (i->op() == HloOpcode::Parameter) places += i->users().size();
        const bool are_many = accesses_.order.size() > 64 ||
                              2 * places > static_cast<size_t>(machine_.vector_registers);
        wide = are_many ? lanes : 2 * lanes;
      }
      wide = IsBorder() ? lanes : std::max(wide, lanes);
      // Blocks are whole vectors.
      if (n < Extent(plan_.col_dim)) wide = static_cast<int>(std::gcd(n, wide));
      // The whole axis where it is short; else a width that divides it, if one of at least two
      // vectors does.
      if (n <= wide) {
        plan_.tile_cols = static_cast<int>(PowerOfTwoAtLeast(n));
      } else {
        plan_.tile_cols = wide;
        for (int w = wide; of_loop == 0 && w >= std::max(lanes, wide / 4); w /= 2) {
          if (n % w == 0) {
            plan_.tile_cols = w;
            break;
          }
        }
      }
    }
    if (plan_.row_dim >= 0) {
      const int64_t n = Extent(plan_.row_dim);
      // As many accumulators as hide one another's latency, where a row has one vector (3x3 over
      // rows of 56 places on AVX2: 1.4 times as fast).
      if (!loops_.empty() && !transposed_ && plan_.tile_cols <= lanes && Accumulators() == 1)
        plan_.tile_rows = 8;
      if (plan_.col_dim < 0) plan_.tile_rows = static_cast<int>(most_rows_);
      if (n < plan_.tile_rows)
        plan_.tile_rows = static_cast<int>(transposed_ ? PowerOfTwoAtLeast(n) : n);
      for (int r = plan_.tile_rows; !transposed_ && r > plan_.tile_rows / 2; --r) {
        if (n % r == 0) {
          plan_.tile_rows = r;
          break;
        }
      }
    }
    int accumulators = accesses_.order.size() > 64 ? 2 : chain_ > tuning::kLongOperation ? 4 : 8;
    // Several reductions share them: each needs some, as an accumulator waits for itself.
    if (Accumulators() > 1) accumulators = machine_.vector_registers < 32 ? 4 : 2 * accumulators;
    plan_.reduce_cols = accumulators * lanes;
  }

  void ChooseTilesAndSplit() {
    const Plan without = plan_;
    const bool slides = ChooseSlide();
    if (!slides) ChooseTiles();
    if (whole_) return;  // its stages would be those of one piece
    ChooseSplit();
    if (!slides || plan_.nest != Nest::kSplit) return;
    // The chunks of long reductions are read by all rows while they are in the caches.
    plan_ = without;
    row_is_task_ = false;
    ChooseTiles();
    ChooseSplit();
  }

  // Tiles of rows that read the same rows of what has windows, one after another, with columns
  // beside one another: whether there are such.
  bool ChooseSlide() {
    if (whole_ || loops_.size() != 1 || !loops_use_all_axes_ || plan_.col_dim < 0 ||
        plan_.row_dim >= 0 || plan_.unrolled_dim >= 0 || !plan_.together.empty() ||
        Accumulators() != 1)
      return false;
    const std::optional<std::pair<int, int>> axes =
        SlidingAxes(accesses_, plan_.col_dim, [&](int axis) { return Extent(axis); });
    if (!axes) return false;
    const auto [row, inner] = *axes;
    const int slide = ReducedDim(accesses_, *loops_[0], inner);
    const int64_t n = Extent(plan_.col_dim), most = machine_.vector_registers >= 32 ? 16 : 8;
    if (slide < 0 || n < plan_.lanes) return false;
    const std::optional<SlideTile> tile =
        ChooseSlideTile(Extent(inner), Extent(row), n, plan_.lanes, most);
    if (!tile) return false;
    plan_.tile_rows = tile->rows;
    plan_.tile_cols = tile->cols;
    plan_.slide_dim = slide;
    plan_.row_dim = row;
    row_is_task_ = true;
    plan_.task_dims.erase(std::find(plan_.task_dims.begin(), plan_.task_dims.end(), row));
    return true;
  }
  // Outputs that the caches cannot hold go past them, where whole aligned vectors are stored.
  bool NonTemporal() const {
    if (plan_.col_dim < 0 || plan_.tile_cols % plan_.lanes != 0) return false;
    if (plan_.col_dim + 1 != static_cast<int>(dims_.size())) return false;
    if (Window(region_)) return false;  // its start is known when it runs
    if (!HasAlignedRows(outputs_[0]->shape(), plan_.lanes) && !plan_.aligns_rows) return false;
    std::vector<Interval> parts = plan_.columns;
    if (parts.empty()) parts.push_back(DomainOf(static_cast<size_t>(plan_.col_dim)));
    return ArePastCaches() && HasFewMixedLines(parts) &&
           absl::c_all_of(parts, [&](const Interval& part) {
             return plan_.aligns_rows || part.size() <= plan_.lanes || part.lo % plan_.lanes == 0;
           });
  }
  // Whether the lines of the cache are few beside a row of which one part goes past the caches, and
  // another does not.
  bool HasFewMixedLines(const std::vector<Interval>& parts) const {
    return absl::c_all_of(outputs_, [&](const HloInstruction* o) {
      const int64_t elem = ByteWidth(o->shape().element_type()),
                    row = o->shape().dimensions().back();
      auto is_whole = [&](int64_t elements) { return elements * elem % tuning::kLineBytes == 0; };
      const bool in_lines = is_whole(plan_.lanes);  // vectors
      if (row * elem >= (in_lines ? tuning::kLeastRowOfLines : tuning::kLeastRowPastCaches) ||
          (in_lines && is_whole(row)))
        return true;
      return is_whole(row) && is_whole(plan_.tile_cols) && !plan_.aligns_rows &&
             absl::c_all_of(parts, [&](const Interval& part) {
               return is_whole(part.lo) && is_whole(part.hi);
             });
    });
  }

  const Plan* whole_ = nullptr;
};

}  // namespace

absl::StatusOr<Plan> PlanForCpu(const HloComputation& region, const CpuMachine& machine) {
  CpuSchedule schedule(region, machine);
  ASSIGN_OR_RETURN(Plan plan, schedule.Make());
  std::vector<Piece> pieces = schedule.Pieces();
  JoinAlongLoop(pieces, plan);
  for (Piece& piece : pieces) {
    ASSIGN_OR_RETURN(Plan own, CpuSchedule(region, machine, plan, piece).Make());
    if (CpuSchedule::HasTaskBoxes(own)) {
      plan.pieces.push_back(std::move(own));
      continue;
    }
    for (Box& box : piece.boxes) {
      CpuSchedule of_box(region, machine, plan, {{std::move(box)}, piece.columns});
      ASSIGN_OR_RETURN(Plan one, of_box.Make());
      plan.pieces.push_back(std::move(one));
    }
  }
  return plan;
}

}  // namespace sinter::plan
