// Which dimensions of an operation's operands and results are cut together.
//
// A factor is a range that the operation runs over. A dimension runs along one factor, or along
// several, major to minor (a reshape's), or along none: then it is not cut. All dimensions that run
// along a factor are cut by the same axes of the mesh. Source: Shardy, "Sharding rules"
// (sdy.op_sharding_rule).
#pragma once

#include <cstdint>
#include <vector>

#include "ir/module.h"
#include "ir/sharding/mesh.h"

namespace sinter::partition {

enum class FactorKind : uint8_t {
  kPass,    // each part of the results is computed from that part of the operands
  kReduce,  // of operands alone: parts of the result are combined
  kLookup,  // of operand 0 alone, which is read at positions along it: others have the element
  kShift,   // elements move along it: parts take elements from other parts
};

struct Factor {
  int64_t size = 1;
  FactorKind kind = FactorKind::kPass;
  bool even = false;  // only cut into parts of equal size
};

struct Rule {
  std::vector<Factor> factors;
  // By operand, and by result leaf: by dimension, the factors.
  std::vector<std::vector<Dims>> operands, results;

  // The axes that cut each factor, where a dimension is cut by `axes`. The first factor gets axes
  // until it is cut into single elements, then the next.
  void AddAxes(const Mesh& mesh, const Dims& along, const Axes& axes,
               std::vector<Axes>& of_factors) const;
  // The axes of a dimension whose factors have these: up to the first factor that is not cut into
  // single elements.
  Axes AxesAlong(const Mesh& mesh, const Dims& along, const std::vector<Axes>& of_factors) const;
};

// Of an operation on arrays without control flow. Dimensions of size 1 run along no factor.
Rule RuleOf(const HloInstruction& i);

// The operation of two scalars that a computation is, if it is one that may combine parts in any
// order: add, multiply, minimum, maximum, and, or, xor.
std::optional<HloOpcode> CombinerOf(const HloComputation& computation);

// Leaves of a shape, in order: the shape itself, or the arrays and tokens in a tuple.
std::vector<Shape> LeavesOf(const Shape& shape);
// Where the leaves of element `k` begin among those of the tuple.
size_t FirstLeaf(const Shape& tuple, int64_t k);
size_t LeafCount(const Shape& shape);

}  // namespace sinter::partition
