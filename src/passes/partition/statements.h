// What a module states of shardings, from the annotations that both frontends keep.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ir/sharding/mesh.h"
#include "ir/sharding/sdy.h"

namespace sinter::partition {

// Between a program of whole arrays and a part of it that is written for one partition: shard_map's
// body, sdy.manual_computation. As custom calls SPMDFullToShardShape and SPMDShardToFullShape.
struct Border {
  bool into_manual = false;
  Sharding sharding;        // of the whole array
  Sharding manual;          // cut along the axes that are the body's own
  bool manual_all = false;  // all are
};

struct Statements {
  // By leaf; instructions of which nothing is stated have no entry.
  using Leaves = std::vector<std::optional<Sharding>>;
  absl::flat_hash_map<const HloInstruction*, Leaves> values;
  Leaves results;  // of the entry
  // Nothing is stated of the results as such: what is, is a constraint of the root's value.
  bool results_are_of_value = false;
  absl::flat_hash_map<const HloInstruction*, Border> borders;
  // Values that are sharded alike, by group.
  std::map<int64_t, std::vector<const HloInstruction*>> groups;
  // Custom calls that one partition makes: {maximal device=1}.
  absl::flat_hash_map<const HloInstruction*, Sharding> callers;
  // Copies across which shardings spread in no direction, or in one.
  absl::flat_hash_map<const HloInstruction*, std::pair<bool, bool>> barriers;  // forward, backward

  bool empty() const {
    return values.empty() && borders.empty() && callers.empty() && !has_results;
  }
  bool has_results = false;
  std::vector<Sharding> All() const;
};

// Of the computations given: the entry and those that control flow runs. InvalidArgument for
// shardings that cannot be read, or are of other ranks than their values.
absl::StatusOr<Statements> ReadStatements(const HloModule& module,
                                          absl::Span<HloComputation* const> computations);

// Without what says how values are spread.
Annotations WithoutShardings(Annotations annotations);

// The computations that control flow runs, the entry first, callers before those they call.
std::vector<HloComputation*> ControlComputations(const HloModule& module);

}  // namespace sinter::partition
