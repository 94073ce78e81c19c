// How an array comes from one sharding to another.
#pragma once

#include <vector>

#include "ir/sharding/mesh.h"
#include "sinter/shape.h"

namespace sinter::partition {

// Partitions along `axes` have values of their own, which `op` combines to the array's.
struct Partial {
  AxisSet axes = 0;
  HloOpcode op = HloOpcode::Add;
  auto operator<=>(const Partial&) const = default;
};

struct ShardMove {
  enum class Kind : uint8_t {
    kCut,       // dimension d is cut further: every partition has what it needs
    kGather,    // the last axes of dimension d cut it no longer
    kAllToAll,  // the last axes of dimension d cut dimension `to` instead
    kPermute,   // every partition takes the part of another one
  };
  Kind kind = Kind::kCut;
  int64_t d = 0, to = 0;
  Axes axes;
  AxesOfDims after;
};

// Moves from one sharding to another, of which all but cuts communicate. What can be cut at once is
// cut first. Dimensions whose parts are not all of one size are gathered whole.
std::vector<ShardMove> PlanMoves(const Mesh& mesh, const Shape& whole, const AxesOfDims& from,
                                 const AxesOfDims& to);

// Bytes that each partition receives.
int64_t BytesOf(const Mesh& mesh, const Shape& whole, const AxesOfDims& from,
                const std::vector<ShardMove>& moves);

// The bytes of a part.
int64_t PartBytes(const Mesh& mesh, const Shape& whole, const AxesOfDims& dims);

}  // namespace sinter::partition
