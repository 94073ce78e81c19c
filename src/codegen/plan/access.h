// How a region's nodes are reached from its outputs: which output axes drive each dimension of each
// access.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"

namespace sinter::plan {

// An axis is a dimension of the outputs, or (from kInner) one that a reduction or a product opened.
inline constexpr int kInner = 64;
struct AxisTerm {
  int axis = 0;
  int64_t coefficient = 1;
  bool operator==(const AxisTerm&) const = default;
};
using AccessDim = std::vector<AxisTerm>;  // empty: constant, or known at run time only
using Access = std::vector<AccessDim>;    // one a dimension of the node

struct Accesses {
  // The distinct accesses to each node. Incomplete past a limit that guards against graphs whose
  // number of paths explodes.
  absl::flat_hash_map<const HloInstruction*, std::vector<Access>> of;
  std::vector<int64_t> inner_extents;        // of axis kInner + i
  std::vector<const HloInstruction*> order;  // nodes that are reached, operands before users
};

Accesses FindAccesses(const std::vector<const HloInstruction*>& outputs);

// Whether the access uses an axis.
bool Uses(const Access& access, int axis);

}  // namespace sinter::plan
