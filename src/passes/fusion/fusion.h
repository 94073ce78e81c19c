// Fusion: every computing instruction ends in a fusion, whose body becomes one kernel.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "pass/pass.h"
#include "passes/fusion/decision.h"
#include "target/target.h"

namespace sinter {

struct FusionOptions {
  // Bounds of a region, so that compile time stays linear in the program, and the stack that a
  // compilation needs is bounded.
  int max_instructions = 4800;
  int max_depth = 800;
  double max_cost = 9600;   // in units of OpCost
  size_t max_arrays = 256;  // that it reads: LLVM takes the square of the number of pointers
  TargetInfo target;
};

// Why fusions read from memory what other fusions compute: by a fusion and the number of its
// operand.
struct FusionLog {
  absl::flat_hash_map<std::pair<const HloInstruction*, size_t>, FusionDecision> decisions;
};

// Forms regions from users to producers. A producer joins the region of its users if all of them
// are in it and the region can still be planned; a cheap one is copied to each region that needs
// it; one that is needed elsewhere too becomes a further output of a region of its own dimensions,
// where that makes no cycle; else it is a region of its own and goes through memory. So no value is
// computed twice unless it is cheap.
//   elementwise, index maps: join where they are read at one place, or are cheap;
//   reductions: join a region that reads them along whole axes of its outputs, the same for all its
//   reductions; products: join an elementwise region of their own dimensions (epilogue); their
//   operands take cheap producers; loops over scalars, and the reductions of several results, are
//   regions with one output a result.
// Stays outside: parameters, tuples, reshapes of values in memory (views), control flow over
// arrays, custom calls. `log`, if it is not null, must outlive the pass.
std::unique_ptr<Pass> MakeFusionPass(const FusionOptions& options = {}, FusionLog* log = nullptr);

}  // namespace sinter
