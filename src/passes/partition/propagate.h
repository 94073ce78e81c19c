// Shardings of all values, from those that are stated.
//
// They spread from operands to results and back, along the factors of each operation's rule
// (rule.h), between what control flow hands on, and across tuples, until nothing changes. What
// comes first wins: a dimension that is cut may only be cut further, by more axes behind those it
// has, and an axis that cuts one dimension of an array cuts no other. The order is fixed:
//   1. what is stated, in ascending order of Shardy's priorities; dimensions that are not open
//   stay;
//   2. elementwise operations, data movement and control flow, before what combines or looks up
//      elements (reductions, products, convolutions, gathers, scatters);
//   3. forward in order of evaluation, then backward.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "passes/partition/moves.h"
#include "passes/partition/rule.h"
#include "passes/partition/statements.h"

namespace sinter::partition {

// Of an array. Of a token the dimensions are none.
struct ValueSharding {
  AxesOfDims dims;
  Partial partial;                    // as it is stated; its axes cut no dimension
  std::vector<bool> closed;           // by dimension: takes no more axes
  const Sharding* foreign = nullptr;  // what is stated, where no axes of the mesh say it
};

struct PropagationOptions {
  // Whether parameters and results of which nothing is stated may be cut: one for all, or one a
  // leaf. Empty: none.
  std::vector<bool> to_parameters, to_results;
};

struct Shardings {
  Mesh mesh;
  absl::flat_hash_map<const HloInstruction*, std::vector<ValueSharding>> values;  // by leaf
  std::vector<ValueSharding> results;                                 // of the entry, by leaf
  absl::flat_hash_map<const HloInstruction*, ValueSharding> borders;  // the whole arrays'
  // The axes that are a manual part's own, which must cut nothing there.
  absl::flat_hash_map<const HloInstruction*, AxisSet> manual;

  AxisSet ManualOf(const HloInstruction* i) const {
    auto it = manual.find(i);
    return it == manual.end() ? 0 : it->second;
  }
};

absl::StatusOr<Shardings> Propagate(absl::Span<HloComputation* const> computations,
                                    const Statements& statements, Mesh mesh,
                                    const PropagationOptions& options);

// What a sharding says of values that are not reduced yet.
Partial PartialOf(const Mesh& mesh, const Sharding& stated);
// The axes of a border's manual part.
AxisSet ManualAxesOf(const Mesh& mesh, const Border& border);
// For each dimension of the whole array, how many of its first axes cut it into the arrays of the
// manual part. InvalidArgument where none do.
absl::StatusOr<std::vector<size_t>> ManualPrefixes(const Mesh& mesh, const HloInstruction& border,
                                                   const AxesOfDims& whole);

}  // namespace sinter::partition
