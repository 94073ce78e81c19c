// Plan: what a fused region becomes. It chooses the iteration axes, their order and tiles, and
// where values that several loops need are cached; codegen/emit then writes the loops. Numbers
// differ per target, the vocabulary does not.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "ir/analysis/index_map.h"
#include "ir/analysis/interval.h"
#include "ir/module.h"
#include "target/target.h"

namespace sinter::plan {

enum class Nest : uint8_t {
  // Tasks over the output's axes; reductions nest inside, at the depth where their coordinates are
  // known.
  kLoop,
  // Few results of long reductions: chunks of one reduced axis are tasks of a first stage, a second
  // stage combines.
  kSplit,
  // A blocked matrix product with packed operands.
  kGemm,
  // The loops of kLoop, over the dimensions of a scatter's updates: tasks over those that lead to
  // different elements, the others in order.
  kScatter,
};

// The blocked matrix product (see codegen/emit/gemm.cc): extents in elements.
struct GemmBlocks {
  int rows = 12;  // of the register tile
  int cols = 32;
  int64_t depth = 512;  // of a slice of the contracted axis
  int64_t height = 96;  // rows of A that stay in the second-level cache
  int64_t bands = 2;    // tasks: bands of columns,
  int64_t parts = 1;    // of each of which some rows,
  int64_t chunks = 1;   // and of the contracted axis some slices: their sums are added up
  // Panels of columns that are packed at a time, where all rows of A are one block, which is packed
  // before; else all of a band.
  int64_t group = INT64_MAX;
  // Where B is not packed and is larger than the caches: so many elements (or words) of the
  // contracted axis are read of all panels of a group, each row from end to end, before the next
  // ones are. What register tiles have added up waits in memory meanwhile. 0: a panel goes through
  // a slice from end to end.
  int64_t step = 0;
  // Whether A is packed. Rows of a register tile that are neighbours in memory are read as they
  // are, and so are tiles of words.
  bool packs_a = true;
  // Whether B is packed. Where one register tile has all rows, each of its elements is used once.
  bool packs_b = true;
  // Whether B is packed, all of it, by tasks of a stage of its own: so that `parts` may be blocks
  // of `height` rows, of which a thread that is slower than others takes fewer.
  bool shares_b = false;
  // Elements of the contracted axis in a word of 32 bits, whose products are added up by one
  // instruction: 2 of BF16, 4 of bytes, or 2 of bytes as S16. 1: there is no such instruction.
  // `depth` is whole words.
  int word = 1;
  static constexpr int kTile = 16;  // rows and columns of a tile of words
  // Whether words are multiplied by such tiles (kernel::OpCode::kDot), of which
  // `rows` and `cols` are multiples. B is packed.
  bool tiles = false;
};

// A reduction that is cut along one of its axes, or a product on tensor cores.
struct Split {
  const HloInstruction* loop = nullptr;
  // Of its operand; of a product, the result's dimensions and behind them the contracted ones; -1:
  // on tensor cores.
  int dim = -1;
  int64_t chunk = 0;  // elements of that dimension a task
};

// A parameter that is read across the outputs' rows, and where: coordinates in terms of the
// outputs' dimensions, the minor one along the rows of tiles, another one along their columns.
struct TransposedRead {
  const HloInstruction* parameter = nullptr;
  IndexMap map;
};

struct Plan {
  Nest nest = Nest::kLoop;
  int lanes = 16;  // elements of a native vector chunk; of a GPU, the narrowest tile of a loop
  int warps = 0;   // of the block that runs a task of a GPU; 0: a task is one thread

  // kLoop: the part of the outputs that is computed; empty: all of it.
  Box domain;
  // If not empty: only these boxes of it, all by the same code. They differ in task dimensions
  // alone, of which they have every element as a task.
  std::vector<Box> boxes;
  // kLoop: not one nest but one for each of these, whose domains make up the outputs. The rest of
  // this plan then says nothing but what holds for the whole kernel.
  std::vector<Plan> pieces;

  // kLoop, over the dimensions of the region's outputs (all outputs have the same).
  std::vector<int> task_dims;  // linearised into tasks, outermost first
  // Sequential inside a task, outermost first, without row_dim, col_dim and unrolled_dim.
  std::vector<int> loop_dims;
  int row_dim = -1, col_dim = -1;  // that tile rows and columns run along, -1: none
  int tile_rows = 1, tile_cols = 1;
  // If not empty: parts of the column dimension, which each row of tiles runs through one after
  // another, each by code of its own. The end of one may be the beginning of the next as well, and
  // is computed twice where that changes nothing.
  std::vector<Interval> columns;
  // If not empty: parts of one of `loop_dims`, which a task runs through one after another, each by
  // code of its own: what it computes before its loops is the same for all of them.
  std::vector<Interval> parts;
  int parts_dim = -1;
  // Whether long parts of rows get a first loop up to where a vector of the outputs' memory begins:
  // other rows begin elsewhere.
  bool aligns_rows = false;
  // A short dimension whose elements a tile computes one after another, each by code of its own:
  // the minor one, or concatenated parts, which share most of their work. -1: none.
  int unrolled_dim = -1;
  // If positive, the dimension is cut into blocks, each of which is a task. Blocks of columns are
  // loops unless `col_blocks_are_tasks`.
  int64_t row_block = 0, col_block = 0;
  bool col_blocks_are_tasks = false;
  // If not empty: each task first copies `row_block` by `col_block` elements of these to task
  // buffers, by squares of `square` that are transposed in registers, and then goes through its
  // part of the outputs row by row.
  std::vector<TransposedRead> transposed_reads;
  int square = 0;
  // If not negative: the reduced dimension (of a reduction's operand; of a product, the result's
  // dimensions and behind them the contracted ones) beside which tile rows slide over what is read:
  // row r at position k reads the same elements as row 0 at k + r. Each row is then code of its
  // own.
  int slide_dim = -1;
  int reduce_cols = 128;  // columns of an accumulator where a reduction runs along its minor axis
  // If not negative: the minor dimension of the outputs, along which results of reductions are
  // collected in task buffers, those of a tile or, where columns run along what is reduced, as many
  // of a loop each; what comes after them is computed with so many of these as columns.
  int finish_dim = -1;
  int finish_cols = 1;  // no more than the dimension has; a tile's columns are a multiple
  std::vector<const HloInstruction*> finished;  // those reductions and products
  // If not negative: a task has `group_rows` elements of this dimension, rows, of which each is
  // reduced along the tile's columns. What these loops leave waits in task buffers until it is
  // combined for all of the rows at once, which are lanes then; so is what is computed of results
  // alone (`grouped`, producers first, with coordinates in terms of the outputs' dimensions).
  int group_dim = -1;
  int group_rows = 1;
  std::vector<std::pair<const HloInstruction*, IndexMap>> grouped;
  int reduce_rows = 1;  // its rows, which run along the next reduced axis, where rows are free
  // If positive: elements of a product's contracted axis, of both operands, that are in task
  // buffers at a time.
  int slice = 0;
  // If positive, the product runs on tensor cores (kernel::OpCode::kDot), and so many slices are in
  // task buffers at a time.
  int stages = 0;
  // Values that are cached in a task buffer between the loops of a task.
  absl::flat_hash_set<const HloInstruction*> cached;
  // Reductions (and products) that a task computes before its inner loops, producers first, and
  // where: coordinates in terms of the outputs' dimensions. Their loops write what is cached in
  // task buffers.
  std::vector<std::pair<const HloInstruction*, IndexMap>> first;
  // Reductions over the same elements that share one loop: each member maps to its whole group.
  absl::flat_hash_map<const HloInstruction*, std::vector<const HloInstruction*>> together;

  // Parts of the last dimension that a reduction reduces, between the places where an operand of a
  // concatenate or pad ends and another begins: vectors along it run through one after another,
  // each by code of its own. Reductions that are not in here have one part.
  absl::flat_hash_map<const HloInstruction*, std::vector<Interval>> reduced_parts;

  // A cumulative reduce-window: the loop along this dimension carries its accumulators. It is the
  // only one of loop_dims, and columns run along another dimension; or the columns run along it,
  // and the accumulators are one for each of the tile's rows. Null: none.
  const HloInstruction* scan = nullptr;
  int scan_dim = 0;
  bool scan_backwards = false;
  // If not 0, what is scanned is computed for so many rows of a tile at a time.
  int scan_step = 0;

  // kSplit: none depends on another; a task has a chunk of each, one after another.
  std::vector<Split> split;
  int split_sweep = 1;                 // rows of a chunk that are read side by side
  int64_t split_panel = 0;             // columns of these rows, whose results are accumulated
  bool split_tiles_are_tasks = false;  // each tile of the results; else a task has them all
  int split_rows = 1, split_cols = 1;  // of a product: the tile of a task of the first stage

  // kScatter: a dimension of the updates that index vectors run along, and what is done with it;
  // -1: they all go one after another. Either `copies` chunks of it are tasks, each of which
  // combines into a copy of the results of its own, and a second stage combines the copies. Or
  // `owners` tasks have a part each of dimension `owned_dim` of the results: they look at all index
  // vectors, and go on with those that lead there.
  int cut_dim = -1;
  int64_t copies = 0;
  // Of the copies of a chunk, as many as there are of these: updates that follow each other take
  // them in turn, so that those of one element do not wait for one another.
  int64_t banks = 1;
  // Where all updates lead to different elements: chunks that are tasks.
  int64_t chunks = 0;
  // The innermost of loop_dims, and the indices and updates that are computed as vectors along it,
  // a block at a time, before they are combined one by one; -1: none are.
  int vector_dim = -1;
  std::vector<const HloInstruction*> vectors;
  int owned_dim = -1;
  int64_t owners = 0;

  // kGemm
  const HloInstruction* dot = nullptr;
  GemmBlocks gemm;
  // The product of which `dot`'s left operand is made, row by row, and the reductions of rows
  // between the two, in order. A task then has `chain_rows` rows of a batch, and `gemm.height` of
  // them at a time are in a task buffer. Null: none.
  const HloInstruction* chained = nullptr;
  std::vector<const HloInstruction*> chain_reductions;
  GemmBlocks chained_gemm;
  int64_t chain_rows = 0;

  // Of each parameter of the region: every task reads an element of it before it writes the same
  // element of an output, and no task reads what another writes, so that they may share storage.
  std::vector<bool> in_place;

  // Vectors of arguments or outputs are masked lane by lane: what is left of an axis in a stage of
  // chunks is code of its own.
  bool masks_lanes = false;

  bool fma = true;            // products add up by fused multiply-add
  bool non_temporal = false;  // outputs go past the caches
  double nanoseconds = 0;     // estimate of the serial time

  // Whether a task's tiles of columns go along whole rows of outputs of so many dimensions.
  bool GoesAlongRows(size_t rank) const {
    return col_dim + 1 == static_cast<int>(rank) && unrolled_dim < 0 && !col_blocks_are_tasks;
  }
};

// A plan for a region: the body of a fusion, whose parameters and outputs (the root, or its
// elements if it is a tuple) are in memory. Internal if the region is none that the fusion pass may
// form; Unimplemented if the target has no code for it.
absl::StatusOr<Plan> MakePlan(const HloComputation& region, const TargetInfo& target);

int64_t PowerOfTwoAtLeast(int64_t n);

// The dynamic-update-slice at a region's root whose operand is in memory: the region then writes
// only the window, over a result that begins as a copy of the operand. Else null.
const HloInstruction* Window(const HloComputation& region);

// The scatter that a region is for, whose results begin as copies of its inputs, or null.
const HloInstruction* ScatterOf(const HloComputation& region);

// What a region computes: its root, the operands of a root tuple, the update of its window, or the
// updates of its scatter.
std::vector<const HloInstruction*> Outputs(const HloComputation& region);

}  // namespace sinter::plan
