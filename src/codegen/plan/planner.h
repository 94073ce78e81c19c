// What the schedules of all targets share: the facts of a region, and the choices that only its
// legality decides.
#pragma once

#include <vector>

#include "codegen/plan/plan.h"
#include "ir/analysis/access.h"
#include "target/tuning.h"

namespace sinter::plan {

// Reductions and products.
bool OpensLoops(const HloInstruction* i);

// A schedule derives from it: looks at the region, then makes its choices in order, each of which
// may rely on those before.
class Planner {
 protected:
  // For the whole of the outputs, or for a part of them.
  explicit Planner(const HloComputation& region, Box domain = {});

  // Computes the facts that the choices need. Internal if the outputs differ in dimensions.
  absl::Status Look();

  double Count(const Access& a) const;  // elements of the loops around an access
  int64_t Extent(int axis) const;       // of a dimension of the outputs, or an opened axis
  double Results() const;               // elements of an output, in a piece those of the piece
  // Real tiles that the largest group of reductions, or a product, carries at a time.
  size_t Accumulators() const;
  // Whether the region has a loop that each tile runs through, with tiles carried: integer powers,
  // loops of elements.
  bool LoopsPerElement() const;
  // Whether a task has one coordinate, or one tile, of an output axis.
  bool FixedInTask(int axis) const;
  // Where a value is of which each task has one, in terms of the outputs' dimensions; nothing where
  // it is no such value.
  std::optional<IndexMap> PlaceInTask(const HloInstruction& i) const;

  // The cumulative reduce-window of the region, or null.
  const HloInstruction* Scan() const;

  // Tile columns run along the minor output axis unless what a region reduces is better read along
  // a reduced axis, of at least half `least_columns`; rows run along the axis that is minor in an
  // operand that is read transposed, or along the left operand of a product. Other axes that all
  // loops keep are tasks, the rest loops inside a task. `keep_columns`: reduced axes are not
  // considered.
  void ChooseAxes(int least_columns, bool keep_columns = false);
  // Reductions of equal dimensions and accesses, independent of one another, share a loop.
  void ChooseTogether();
  // Reductions along rows that are put together from long parts go through these one after another.
  void ChooseReducedParts();
  // Reductions read along whole task axes come before the loops of a task.
  void ChooseFirst();
  // Those that each task has one result of, or one tile of results, and where.
  std::vector<std::pair<const HloInstruction*, IndexMap>> LoopsInTask() const;
  // A value that several loops of a task need, and that is more expensive to compute than to read
  // again, is cached in a task buffer, while there is room: `room` bytes, where each value needs
  // `pad` more elements. Where each result has loops of its own, those of a task's one tile.
  void ChooseCached(int64_t room, int64_t pad = 0);
  std::optional<int64_t> ElementsInTask(const HloInstruction& i) const;
  void ChooseInPlace();

  // Simple operations of a row of the outputs where its parts along the minor axis, between the
  // places where one operand of a concatenate or pad ends and another begins, are computed one
  // after another; nothing where that is too much code. And where each vector of the row computes
  // all of them under masks.
  std::optional<double> PriceOfParts() const;
  double PriceOfMaskedParts() const;

  const HloComputation& region_;
  std::vector<const HloInstruction*> outputs_;
  Accesses accesses_;
  Box domain_;                                // of the outputs; empty: whole
  std::vector<int64_t> dims_;                 // of the domain
  std::vector<const HloInstruction*> loops_;  // reductions and products
  double work_ = 0;                           // units of OpCost in all
  double product_work_ = 0;                   // of it what products multiply and add
  double bytes_ = 0;                          // of arguments and outputs
  double chain_ = 0, body_ = 0;               // the most expensive op; all ops once
  bool loops_use_all_axes_ = false;           // the loops depend on every output axis
  bool transposed_ = false;  // an operand is read transposed: tiles are transposed in registers
  bool row_is_task_ = true;
  int64_t most_rows_ = tuning::kMostSharedRows;  // of a tile without columns
  // Simple operations of a vector some of whose lanes are read, or stored.
  double masked_load_ = tuning::kMaskedVector, masked_store_ = tuning::kMaskedVector;
  bool shares_rows_ = false;   // whether tiles may have rows, or parts, for work that these share
  bool caches_tiles_ = false;  // whether what a task has one tile of may be cached
  // Of a piece: the axis that the plan which it is a piece of writes out, or -1.
  int parts_of_whole_ = -1;
  Plan plan_;

 private:
  void Measure();
  double BytesRead(const HloInstruction& parameter) const;
  void ChooseRows();
  int AxisOfProductRows(const HloInstruction& dot) const;
  int AxisOfSharedWork() const;
  int AxisOfSharedVectors() const;
  int AxisWithinSums() const;
  bool SharesSums(const HloInstruction& dot) const;
  // A part of the minor axis between two places where an operand of a concatenate or pad ends and
  // another begins, and of how many instructions it is computed.
  struct RowPart {
    int64_t elements;
    int64_t operations;
  };
  // All of them; none where some access is not known or there are more operations than `most`.
  std::vector<RowPart> FindRowParts(int64_t most) const;
  double PriceOfEach(const std::vector<RowPart>& parts) const;  // as PriceOfParts
  bool HasNarrowParts() const;
  bool LooksUpAlong(int axis) const;
  bool IsBestInRuns(int axis) const;
  bool IsWorthCodeOfEach(int64_t elements) const;
  int AxisOfSharedParts() const;
  double WorkOfSeveralParts(int axis) const;
  bool ColumnsAreInner(int least_columns) const;

  absl::flat_hash_set<const HloInstruction*> hidden_;
};

}  // namespace sinter::plan
