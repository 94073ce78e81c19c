// One program per partition from a program of whole arrays with shardings (SPMD).
//
// Where the module has several partitions and states shardings, these are spread over all values
// (propagate.h), parameters and results become the parts that a partition has, and every operation
// its local form: on the parts of its operands, with collectives where results need elements of
// other partitions (A. Xu et al., GSPMD, 2021). Of the ways to cut an operation, that of its
// results, of its operands, or not at all, the one is taken that is estimated to move and compute
// least. What has no rule for a dimension is given that dimension whole; custom calls are computed
// by every partition from whole operands.
//
// Parts of manual programs (Shardy's manual_computation, shard_map) are taken as they are; only the
// axes that are not their own are looked at. Dimensions that parts do not divide are filled up.
// Combining parts rounds in another order than the program does, in a fixed one.
//
// A module that states no sharding is left as it is.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ir/sharding/sharding.h"
#include "pass/pass.h"

namespace sinter {

struct PartitionOptions {
  // Whether parameters and results of which no sharding is stated may be cut: one for all, or one
  // a leaf of the tuples flattened. Empty: what the module's annotations
  // allow_spmd_sharding_propagation_to_parameters and _to_output say, else no.
  std::vector<bool> cut_parameters, cut_results;
};

// What became of a module.
struct PartitionLog {
  bool partitioned = false;
  // By leaf of the entry's parameters and of its result, as they are handed over.
  std::vector<Sharding> parameters, results;
  // Operations that every partition computes from whole arrays, and why.
  std::vector<std::string> replicated;
};

// "partition". The log, if it is not null, must outlive the pass.
std::unique_ptr<Pass> MakePartitionPass(PartitionOptions options = {}, PartitionLog* log = nullptr);

}  // namespace sinter
