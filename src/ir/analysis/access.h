// How values are read from the outputs that they contribute to: coordinates affine in the axes of
// the outputs and of the loops that reductions and products open, and the part of the outputs for
// which a read happens at all. Slices, reverses, pads and concatenates are offsets and intervals
// here.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/analysis/interval.h"
#include "ir/module.h"

namespace sinter {

// An axis is a dimension of the outputs, or (from kInner) one that a reduction or a product opened.
inline constexpr int kInner = 64;
struct AxisTerm {
  int axis = 0;
  int64_t coefficient = 1;
  bool operator==(const AxisTerm&) const = default;
  template <class H>
  friend H AbslHashValue(H h, const AxisTerm& t) {
    return H::combine(std::move(h), t.axis, t.coefficient);
  }
};
using AccessDim = std::vector<AxisTerm>;  // empty: constant, or known at run time only
using Access = std::vector<AccessDim>;    // one a dimension of the node

// What is added to the terms of each dimension; nothing where that is known at run time only.
using Offsets = std::vector<std::optional<int64_t>>;

struct Accesses {
  // The accesses to each node that differ in their terms, whatever their offsets and domains.
  absl::flat_hash_map<const HloInstruction*, std::vector<Access>> of;
  // The offsets of each of these; nothing in a dimension where there are several.
  absl::flat_hash_map<const HloInstruction*, std::vector<Offsets>> offsets;
  std::vector<int64_t> inner_extents;        // of axis kInner + i
  std::vector<const HloInstruction*> order;  // nodes that are reached, operands before users
  // For each axis of the outputs, where one operand of a concatenate or pad ends and another
  // begins: in ascending order, strictly inside the domain. Between two of them no such operation
  // of one axis decides anything.
  std::vector<std::vector<int64_t>> cuts;
  // The same of each axis that a reduction or a product opened.
  std::vector<std::vector<int64_t>> inner_cuts;
  // False past a limit that guards against graphs whose number of paths explodes: then `of`, `cuts`
  // and `inner_cuts` lack some.
  bool complete = true;
};

// Of outputs of equal dimensions, over `domain`, a part of these: operands of concatenates and pads
// that no element there reads are not reached.
Accesses FindAccesses(const std::vector<const HloInstruction*>& outputs, const Box& domain);

// The whole of an array's dimensions.
Box WholeOf(const Shape& shape);

// Whether the access uses an axis.
bool Uses(const Access& access, int axis);
// Whether a dimension is read along an axis that a reduction or a product opened.
bool IsInner(const AccessDim& dim);

}  // namespace sinter
