// Eval: HLO under a plan becomes kernel IR. One recursive, memoised evaluation: the tile of a node
// at given coordinates. Elementwise nodes apply their scalar function, index maps map coordinates,
// reductions and dots open loops, parameters load. A node is always evaluated at the depth where
// its coordinates are known, so what does not depend on an inner loop is computed before it (code
// motion by construction).
#pragma once

#include <optional>
#include <tuple>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "codegen/emit/coord.h"
#include "codegen/emit/emit.h"
#include "codegen/emit/parts.h"
#include "codegen/kernel/builder.h"
#include "codegen/plan/plan.h"
#include "ir/analysis/index_map.h"
#include "ir/module.h"

namespace sinter::emit {

// Lanes of a tile axis with base + lane < limit exist; no mask where base is kNone.
struct Bound {
  kernel::Value base = kernel::kNone, limit = kernel::kNone;
  bool any() const { return base != kernel::kNone; }
  bool operator==(const Bound&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const Bound& b) {
    return H::combine(std::move(h), b.base, b.limit);
  }
};

// The tile that coordinates with steps refer to.
struct Frame {
  int rows = 1, cols = 1;
  int rows_depth = 0, cols_depth = 0;  // where the axes were opened
  Bound row_bound, col_bound;
  // A predicate (scalar or tile) that loads must respect: of pads and concatenations.
  kernel::Value guard = kernel::kNone;
  int guard_depth = 0;
};

class Region {
 public:
  Region(const HloComputation& computation, const plan::Plan& plan, std::string name,
         const EmitOptions& options = {});

  // Parameter i of the region, then its outputs, become the kernel's argument buffers in that
  // order.
  void AddArguments();

  kernel::Builder& b() { return b_; }
  const plan::Plan& plan() const { return *plan_; }
  // What follows is emitted by this plan, of one piece of the region's; it must outlive the region.
  void SetPlan(const plan::Plan& plan);
  const std::vector<const HloInstruction*>& outputs() const { return outputs_; }
  const absl::Status& status() const { return status_; }

  // The first error sticks; what is returned then are constants of the right type.
  Parts Fail(const absl::Status& status, ElementType type);
  Parts Zero(ElementType type);

  // The value of an array node at coordinates; of one element of a tuple node.
  Parts Eval(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalElement(const HloInstruction* tuple, int64_t element, const Coords& at,
                    const Frame& frame);
  // Fixes the value of a node at coordinates (of a dot, whose loops are written elsewhere).
  void Bind(const HloInstruction* node, const Coords& at, const Frame& frame, Parts value,
            int64_t element = 0);

  // The coordinates of the rows of a tile that slides (plan.slide_dim), by which its reduction asks
  // for one after another.
  void SetSlide(kernel::Values rows) { slide_rows_ = std::move(rows); }

  // Whether the outputs are a part of an array that is there before.
  bool IsWindow() const { return window_ != nullptr; }
  // Whether the output may be where an operand is, of which each element is read before it is
  // written.
  bool MayBeInPlace() const { return may_be_in_place_; }

  // The results of all reductions and products are kept in task buffers of `rows` by `cols`
  // elements, from column `col` on; then they are, from that row and column on, what these are at
  // the coordinates of a part of them.
  void CollectResults(const Coords& at, const Frame& frame, int rows, int cols, kernel::Value col);
  void BindResults(const Coords& at, const Frame& frame, kernel::Value row, kernel::Value col);

  // A group of rows (Plan::group_dim). What is at a row's coordinates belongs to that one, the
  // `row`-th whose coordinate is `base`; kNone: to none.
  void SetGroupRow(kernel::Value row, kernel::Value base) {
    group_row_ = row;
    group_base_ = base;
  }
  // The loops of this reduction, and of those together with it, for the group's row; what they
  // leave is kept. Then, of all rows, it is combined to results, which are kept.
  void KeepLeft(const HloInstruction* reduce, const Coords& at, const Frame& frame);
  // Of rows from `count` on, which a group at the end has not: they are combined too.
  void ClearLeft(kernel::Value count);
  void CombineLeft(const HloInstruction* reduce);
  // Keeps the value of a node for all rows, the columns of these coordinates.
  void KeepOfRows(const HloInstruction* node, const Coords& at, const Frame& frame);
  // What is kept is, from then on, what `node` is at these coordinates: of the group's row, or of
  // all of its rows, the columns.
  void BindOfRows(const HloInstruction* node, const Coords& at, const Frame& frame);
  void ForgetRows() { collected_.clear(); }

  // Rows of a product, from `first` on, are in a buffer: its values are read from there.
  void SetRows(const HloInstruction* dot, int buffer, kernel::Value first) {
    rows_of_[dot] = {buffer, first};
  }
  // What is loaded from now on is wanted so many elements further on as well.
  void SetAhead(int64_t elements) { ahead_ = elements; }
  // Within a row's block, what its loops need more than once is cached like that of a task.
  void EnterRow() { fixed_depth_ = b_.depth(); }
  void LeaveRow() {
    fixed_depth_ = kTaskDepth;
    cached_.clear();
  }

  // Copies a block of what is read transposed (Plan::transposed_reads) to task buffers: what the
  // outputs' elements from `origin` on read, which is read from there afterwards.
  void KeepBlock(const Coords& origin);

  // Stores an output's value at its coordinates; those of a window move by its start.
  void StoreOutput(size_t output, Coords at, const Frame& frame, Parts value);
  // Combines the updates of a scatter at coordinates with the elements of its results that they
  // lead to (scatter.cc), or of a copy of them.
  void CombineScattered(const Coords& at, const Frame& frame);
  // Copies of a scatter's results in scratch buffers: they are added once, what follows BeginCopy
  // combines with that one, and CombineCopies is a stage that combines the results with all of
  // them.
  void AddCopies();
  void BeginCopy(kernel::Value number);
  void CombineCopies();
  // What follows combines only what leads to an owner's part of the results (Plan::owned_dim). The
  // predicate tells, of an index vector at coordinates in the updates, whether it does.
  void SetOwner(kernel::Value owner) { owner_ = owner; }
  // What follows combines with this one of a copy's banks (Plan::banks); FoldBanks combines the
  // first one with the others.
  void SetBank(int64_t bank) { bank_ = bank; }
  void FoldBanks();
  // Indices and updates (Plan::vectors) at the coordinates of a row of them are kept in task
  // buffers, at `index`; then those at one element's are what is there.
  void KeepUpdates(const Coords& at, const Frame& frame, kernel::Value index);
  void BindUpdates(const Coords& at, const Frame& frame, kernel::Value index);
  kernel::Value IsOwn(const Coords& at, const Frame& frame);

  // --- indices: emitted at the depth where their operands are known
  kernel::Value Int(int64_t v) { return b_.Int(v); }
  kernel::Value IndexOp(kernel::OpCode code, kernel::Value x, kernel::Value y);
  // One of two, by whether x is below the limit.
  kernel::Value IndexChoice(kernel::Value x, int64_t limit, kernel::Value below,
                            kernel::Value above);
  // x * y + acc, a term of a product: rounded once where the processor does both in one
  // instruction; elsewhere twice, as a fused one would be emulated at ten times the cost.
  kernel::Value MultiplyAdd(kernel::Value x, kernel::Value y, kernel::Value acc) {
    return plan_->fma ? b_.Fma(x, y, acc) : b_.Add(b_.Mul(x, y), acc);
  }
  kernel::Value IndexAdd(kernel::Value x, kernel::Value y) {
    return IndexOp(kernel::OpCode::kAdd, x, y);
  }
  int DepthOf(kernel::Value v) const;
  // A value that is known from here on, as an index.
  kernel::Value Here(kernel::Value v) {
    depth_of_.try_emplace(v, b_.depth());
    return v;
  }
  Coords MapCoords(const IndexMap& map, const Coords& at);

  // A loop over [lo, hi) whose body opens a new block of memoised values. No loop where one step
  // covers a constant range exactly from a known base.
  using Body = std::function<kernel::Values(kernel::Value iv, const kernel::Values& carries)>;
  kernel::Values Loop(kernel::LoopKind kind, kernel::Value lo, kernel::Value hi, int64_t step,
                      kernel::Tail tail, const kernel::Values& init, const Body& body);
  // The same, and always a loop.
  kernel::Values KeptLoop(kernel::LoopKind kind, kernel::Value lo, kernel::Value hi, int64_t step,
                          kernel::Tail tail, const kernel::Values& init, const Body& body);
  // A loop over a sum, in blocks of so many steps (sum_blocks.h): each block begins with `neutral`,
  // and `combine`(outside, block) adds what it comes to. The body is given the end of the range
  // that its own loop runs over. `extent` is the length of [lo, hi), 0 where it varies.
  using BlockBody = std::function<kernel::Values(kernel::Value iv, kernel::Value hi,
                                                 const kernel::Values& carries)>;
  kernel::Values LoopInBlocks(absl::Span<const int64_t> blocks, kernel::Value lo, kernel::Value hi,
                              int64_t extent, int64_t step, kernel::Tail tail,
                              const kernel::Values& carries, const kernel::Values& neutral,
                              const kernel::Builder::Combiner& combine, const BlockBody& body);
  // Runs `emit` with the insertion point, and the memory of values, of an enclosing block.
  void AtDepth(int depth, const std::function<void()>& emit);
  // Marks a block that is opened by other means than Loop (if, while).
  struct Block {
    explicit Block(Region& region);
    ~Block();
    Region& region;
  };

  // The tile type of coordinates in a frame.
  kernel::Type TileOf(const Coords& at, const Frame& frame, ElementType elem) const;
  // The mask of the frame's bounds and guard for a tile, kNone if nothing is masked. `swapped`: the
  // tile's rows run along the frame's columns.
  kernel::Value MaskOf(const Frame& frame, const kernel::Type& tile, bool swapped = false);
  kernel::Value Widen(kernel::Value v, kernel::Type type);
  // A coordinate as an integer tile.
  kernel::Value CoordValue(const Coord& c, const Frame& frame, ElementType elem);

  // --- reductions (reduce.cc)
  // Elements of N arrays over some axes. `load` gives the operands at full coordinates.
  struct ReduceSpec {
    std::vector<int64_t> dims;       // of the operands
    std::vector<int64_t> reduced;    // indices into dims
    std::vector<ElementType> types;  // accumulators
    std::function<std::vector<Parts>(const Coords& full, const Frame& frame)> load;
    std::function<std::vector<Parts>(const std::vector<Parts>& acc, const std::vector<Parts>& x)>
        combine;
    // The same of an accumulator and an element that comes after all that it has met; null:
    // combine.
    std::function<std::vector<Parts>(const std::vector<Parts>& acc, const std::vector<Parts>& x)>
        take;
    std::vector<Parts> Take(const std::vector<Parts>& acc, const std::vector<Parts>& x) const {
      return take ? take(acc, x) : combine(acc, x);
    }
    std::vector<Parts> init;  // scalars: neutral, or allowed to be applied any number of times
    // Whether floats are added up and elements may be taken in any order: then they are summed in
    // blocks, each of which begins with `init`.
    bool sums = false, any_order = false;
    int split_dim = -1;  // this one only over [split_lo, split_hi)
    kernel::Value split_lo = kernel::kNone, split_hi = kernel::kNone;
    int64_t split_extent = 0;  // the most that is between them
    bool split_exact = false;
    int minor = -1;  // the dimension that tile columns may run along, -1: the last reduced
    // If not empty, the parts of the last reduced dimension that columns run through one after
    // another.
    std::vector<Interval> parts;
  };
  // The accumulators of a scan within a loop: what the loop carries and, of running sums in blocks,
  // the sum of the blocks before.
  struct ScanState {
    kernel::Values carries, before;
  };
  // With `keeps_columns`, each column's accumulator by itself, where columns run along what is
  // reduced.
  std::vector<Parts> ReduceLoops(const ReduceSpec& spec, const Coords& kept, const Frame& frame,
                                 bool keeps_columns = false);
  // The same of all rows of a tile that slides, whose coordinates are `kept` with each of
  // slide_rows_ in dimension `row`: what several rows read is loaded once.
  std::vector<std::vector<Parts>> SlideLoops(const ReduceSpec& spec, const Coords& kept, size_t row,
                                             const Frame& frame);
  // The value at `at`, after those of all rows are known; nothing where the plan does not slide.
  std::optional<std::vector<Parts>> EvalSliding(const HloInstruction* node, const Coords& at,
                                                const Frame& frame);
  // The loop of a scan (plan.scan), which carries its accumulators. `element` is called in each
  // turn with the index along the scanned dimension; it calls ScanStep once.
  void ScanLoop(const Frame& frame,
                const std::function<kernel::Values(kernel::Value, const ScanState&)>& element);
  // A scan along the tile's columns, of the rows that `at` and `frame` hold: blocks of elements go
  // through a task buffer, transposed where it is more than one row, in which one loop walks all
  // rows side by side. `store` is
  // called with tiles of which the scan's values are bound.
  void ScanRows(const Coords& at, const Frame& frame,
                const std::function<void(const Coords& at, const Frame& frame)>& store);
  // The elements that a scan adds up at these coordinates, each result's parts one after another;
  // and the same of a tile whose rows are computed some at a time, and wait in task buffers.
  kernel::Values ElementsOfScan(const Coords& at, const Frame& frame);
  kernel::Values ElementsByRow(const Coords& at, const Frame& frame);
  // The accumulators after the element at `at`, whose values are bound.
  kernel::Values ScanStep(const Coords& at, const Frame& frame, const ScanState& state);
  // The chunks of a split reduction: stage 0 stores partial results, from which Eval reads
  // afterwards.
  void EmitPartials();
  // The same of a product on tensor cores (tensor_dot.cc).
  void EmitProductPartials(const HloInstruction* dot, int64_t chunk);

 private:
  friend struct Block;
  struct Key {
    const HloInstruction* node;
    int64_t element;
    Coords at;
    kernel::Value guard;
    int rows, cols;
    // Of the axes that the tile has. The coordinates do not imply them where one step covers an
    // axis: the elements of a row and the reduced ones then have equal coordinates.
    Bound row_bound, col_bound;
    bool operator==(const Key&) const = default;
    template <class H>
    friend H AbslHashValue(H h, const Key& k) {
      return H::combine(std::move(h), k.node, k.element, k.at, k.guard, k.rows, k.cols, k.row_bound,
                        k.col_bound);
    }
  };
  Key KeyOf(const HloInstruction* node, int64_t element, const Coords& at,
            const Frame& frame) const;
  struct Level {
    absl::flat_hash_map<Key, Parts> values;
    // Where windows begin, by the operand that says so and the last place that it may: loads and
    // stores side by side are known by it.
    absl::flat_hash_map<std::pair<const HloInstruction*, int64_t>, kernel::Value> starts;
  };
  // A node that is cached in a task buffer: which of its coordinates are fixed within the task.
  struct Cached {
    int buffer = -1, buffer_im = -1;
    int depth = 0;
    Coords fixed;        // base kNone where the dimension is held whole
    int group_dim = -1;  // the one of a group's rows, each of which has its own
    bool usable = false;
  };

  bool IsOfGroupRow(const Coord& c) const {
    return group_row_ != kernel::kNone && c.base == group_base_ && c.rows == 0 && c.cols == 0;
  }
  static Frame WithoutGuard(const Frame& frame);
  // Whether the coordinates are constants that lie in the array.
  bool IsKnown(const HloInstruction* node, int64_t element, const Coords& at) const;
  // Whether all coordinates are known to lie in the array, with or without a guard.
  static bool IsInside(const HloInstruction* node, int64_t element, const Coords& at);
  Coords Clamped(const HloInstruction* node, int64_t element, const Coords& at, const Frame& frame);
  int NodeDepth(const Coords& at, const Frame& frame) const;
  Parts Compute(const HloInstruction* node, int64_t element, const Coords& at, const Frame& frame,
                int depth);
  Parts ComputeCached(const HloInstruction* node, const Coords& at, const Frame& frame, int depth);

  Parts EvalParameter(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalElementwise(const HloInstruction* node, const Coords& at, const Frame& frame);
  // a * b + c, a * b - c or c - a * b with one rounding, where the options allow it.
  std::optional<Parts> EvalContracted(const HloInstruction* node, const Coords& at,
                                      const Frame& frame);
  Parts EvalIota(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalPad(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalConcatenate(const HloInstruction* node, const Coords& at, const Frame& frame);
  // A rotation or repetition of one array, where all of the tile is in one of its parts.
  std::optional<Parts> EvalParts(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalDynamicSlice(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalDynamicUpdateSlice(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalGather(const HloInstruction* node, const Coords& at, const Frame& frame);
  Parts EvalReduce(const HloInstruction* node, int64_t element, const Coords& at,
                   const Frame& frame);
  // acc + p * q in the type that is computed in.
  Parts AddProduct(ElementType type, const Parts& acc, const Parts& p, const Parts& q);
  Parts EvalDot(const HloInstruction* node, const Coords& at, const Frame& frame);
  bool CanStage(const HloInstruction* dot, const Coords& at, const Frame& frame) const;
  Parts StagedDot(const HloInstruction* dot, const Coords& at, const Frame& frame);
  // The same on tensor cores (tensor_dot.cc), over [lo, hi) of the contracted axis, of which slices
  // are whole where `exact`; the sum in the type that is added up in.
  bool ContractedIsMinor(const HloInstruction* dot, size_t side, const Coords& at);
  bool IsTensorDot(const HloInstruction* dot, const Coords& at, const Frame& frame) const;
  kernel::Value TensorDot(const HloInstruction* dot, const Coords& at, const Frame& frame,
                          kernel::Value lo, kernel::Value hi, bool exact);
  Parts SumOfPartials(const HloInstruction* dot, const Coords& at, const Frame& frame);
  Parts EvalWhile(const HloInstruction* node, int64_t element, const Coords& at,
                  const Frame& frame);

  // Where a window begins along the dimension of this operand, at most at `limit`.
  kernel::Value Start(const HloInstruction* node, size_t operand, int64_t limit);
  // Component k of the index vector at `batch` coordinates in the indices of a gather or scatter,
  // brought into [lo, hi]: an index scalar, or a tile of S64.
  kernel::Value IndexComponent(const HloInstruction* indices, int64_t index_vector_dim, size_t k,
                               const Coords& batch, const Frame& frame, int64_t lo, int64_t hi);
  // Component k of a scatter's index vector at coordinates in the updates, of windows that begin in
  // [0, last]; and whether those outside may be negative.
  kernel::Value WindowStart(size_t k, int64_t last, const Coords& at, const Frame& frame);
  bool StartsBelowZero(int64_t last) const;
  Parts Choose(kernel::Value predicate, Parts a, Parts b);
  Frame Guarded(const Frame& frame, kernel::Value predicate);
  // Whether a coordinate lies in an interval, as far as that is known; else a test of the sides
  // that are not.
  enum class Within { kAlways, kNever, kTest };
  static Within KnownWithin(const Coord& c, const Interval& in);
  kernel::Value InRange(const Coord& c, const Interval& in, const Frame& frame);
  Coord Near(const Coord& c, const Interval& in, const Frame& frame);
  kernel::Value TestOfTile(const Coord& c, const Interval& in, const Frame& frame,
                           const kernel::Type& tile);

  // A tile as it is in memory; or its transpose, where that is in the order of memory.
  struct Loaded {
    kernel::Value tile;
    bool is_turned;
  };
  Loaded LoadInOrder(int buffer, absl::Span<const Coord> index, const Frame& frame,
                     int64_t minor_scale, int64_t minor_offset);
  kernel::Value LoadReal(int buffer, absl::Span<const Coord> index, const Frame& frame,
                         int64_t minor_scale, int64_t minor_offset);
  Parts LoadBuffer(int buffer, ElementType type, const Coords& at, const Frame& frame);
  void StoreBuffer(int buffer, ElementType type, const Coords& at, const Frame& frame, Parts value);

  // What a scan's accumulators are before the first element, a row of `width` each.
  kernel::Values InitialOfScan(int width);
  // The accumulators after one more element, before conversion to the results' types.
  kernel::Values Accumulate(const kernel::Values& carries, std::vector<Parts> elements);
  void BindScan(const Coords& at, const Frame& frame, const kernel::Values& totals);

  ReduceSpec SpecOf(const HloInstruction* reduce);  // or a product
  ReduceSpec SpecOfDot(const HloInstruction* dot);
  ReduceSpec SpecHere(const HloInstruction* reduce);
  std::vector<const HloInstruction*> MembersWith(const HloInstruction* reduce) const;
  std::vector<const HloInstruction*> MembersHere(const HloInstruction* reduce) const;
  ReduceSpec SpecOfAll(const std::vector<const HloInstruction*>& members);
  std::vector<Parts> FinishReduce(const HloInstruction* reduce, std::vector<Parts> acc);
  // The results of each of these from the accumulators of all.
  std::vector<std::vector<Parts>> FinishAll(const std::vector<const HloInstruction*>& members,
                                            const std::vector<Parts>& acc);

  // Task buffers of CollectResults, and of a group's rows (KeepOfRows).
  struct Collected {
    const HloInstruction* loop;
    int64_t element;
    std::vector<int> parts;
  };
  std::vector<Collected> collected_;
  void Collect(const HloInstruction* node, int64_t element, const Parts& value, int rows, int cols,
               const std::vector<kernel::Index>& index, const kernel::Type& tile);
  void BindCollected(const Collected& c, const Coords& at, const Frame& frame,
                     const std::vector<kernel::Index>& index, int cols);
  // The row of a group that is computed, and its coordinate, kNone outside of one; and the task
  // buffers of the accumulators that a reduction has left of each.
  kernel::Value group_row_ = kernel::kNone, group_base_ = kernel::kNone;
  std::vector<std::pair<int, kernel::Type>> left_;
  void CollectRows(const HloInstruction* node, int64_t element, const Parts& value);

  int64_t ahead_ = 0;
  kernel::Values slide_rows_;
  // Index operations that there are already.
  absl::flat_hash_map<std::tuple<kernel::OpCode, kernel::Value, kernel::Value>, kernel::Value>
      index_ops_;
  const HloComputation& computation_;
  const plan::Plan* plan_;
  const EmitOptions options_;
  kernel::Builder b_;
  std::vector<const HloInstruction*> outputs_;
  const HloInstruction* window_;   // plan::Window of the region, or null
  const HloInstruction* scatter_;  // plan::ScatterOf the region, or null
  bool may_be_in_place_ = false;
  std::vector<int> parameter_buffers_, output_buffers_;
  absl::Status status_;
  std::vector<Level> levels_;  // one a block depth
  absl::flat_hash_map<kernel::Value, int> depth_of_;
  absl::flat_hash_map<kernel::Value, int64_t> full_range_;  // induction variables that cover [0, n)
  absl::flat_hash_map<const HloInstruction*, Cached> cached_;
  static constexpr int kTaskDepth = 1;
  int fixed_depth_ = kTaskDepth;  // coordinates known there are fixed while values are cached
  // A block of what is read transposed: the buffers of its parts, their columns, where it begins in
  // the parameter, and the dimension that the outputs' columns run along.
  struct TransposedBlock {
    std::vector<int> buffers;
    int64_t width = 0;
    Coords origin;
    size_t col_dim = 0;
  };
  absl::flat_hash_map<const HloInstruction*, TransposedBlock> blocks_;
  void BeginBlock(const Coords& origin);
  // A square of it, whose first element is the block's in this row and column.
  void KeepSquare(const Coords& at, const Frame& frame, kernel::Value row, kernel::Value col);
  std::optional<Parts> FromBlock(const HloInstruction* parameter, const Coords& at,
                                 const Frame& frame);
  struct Rows {
    int buffer = -1;
    kernel::Value first = kernel::kNone;
  };
  absl::flat_hash_map<const HloInstruction*, Rows> rows_of_;
  struct Partial {
    std::vector<int> buffers;  // one a real part
    int64_t chunks = 0;
  };
  // One row of partial results, `cols` wide, at a chunk and coordinates of the result.
  std::vector<Parts> LoadPartials(const Partial& partial, const std::vector<ElementType>& types,
                                  const Coords& at, const Frame& frame);
  void StorePartials(const Partial& partial, const Coords& at, int cols,
                     const std::vector<Parts>& sums, kernel::Value mask);
  // Calls body at tiles that cover a scatter's results, which are numbered.
  int64_t ResultBlocks() const;
  void ForResultBlock(kernel::Value number,
                      const std::function<void(const Coords& at, const Frame& frame)>& body);
  std::vector<ElementType> ResultTypes() const;
  struct SplitGroup;
  std::vector<SplitGroup> SplitGroups();
  void EmitChunk(SplitGroup& group, kernel::Value chunk, const std::vector<kernel::Value>& tile_at);
  void SweepPartials(const ReduceSpec& spec, const Partial& partial, kernel::Value chunk);
  absl::flat_hash_map<const HloInstruction*, Partial> partials_;
  // Of a scatter: its copies, which one is combined with, and the owner whose part is; or kNone.
  Partial copies_;
  int64_t bank_ = 0;
  kernel::Value CopyAt(int64_t bank) {
    return IndexAdd(IndexOp(kernel::OpCode::kMul, copy_, Int(plan_->banks)), Int(bank));
  }
  std::vector<Parts> LoadCopy(Coords at, const Frame& frame, int64_t bank);
  void StoreCopy(Coords at, const Frame& frame, int64_t bank, const std::vector<Parts>& values);
  std::vector<Parts> CombineBanks(const Coords& at, const Frame& frame, std::vector<Parts> values,
                                  int64_t first, int64_t last);
  struct KeptUpdate {
    const HloInstruction* node;
    Coords at;
  };
  std::vector<KeptUpdate> UpdatesAt(const Coords& at);
  std::vector<std::vector<int>> kept_;  // buffers of the parts of each
  kernel::Value copy_ = kernel::kNone, owner_ = kernel::kNone;
};

// Real parts of an element type: the elements of the buffers and tiles that hold it.
inline int PartCount(ElementType t) { return IsComplex(t) ? 2 : 1; }

}  // namespace sinter::emit
