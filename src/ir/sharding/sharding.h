// How an array is spread over the partitions of a program, as programs state it.
//
//   {replicated}                      every partition has all of it
//   {maximal device=1}                one partition has it
//   {manual}                          every partition has an array of its own
//   {devices=[2,1]<=[2]}              dimension 0 in two parts
//   {devices=[2,1,2]<=[4] last_tile_dim_replicate}
//   {devices=[1,2,2]<=[2,2]T(1,0) last_tile_dims={manual, replicated}}
//   {devices=[2,2]0,2,1,3}            partitions by number, in row-major order of the parts
//   {{replicated}, {manual}}          of a tuple, one a leaf
//
// Source: XLA, xla_data.proto, OpSharding, and its text in HLO.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/ops/attributes.h"

namespace sinter {

struct Sharding {
  enum class Kind : uint8_t { kReplicated, kMaximal, kManual, kUnknown, kTiled, kTuple };
  // What the partitions that have one part have of it.
  enum class Subgroup : uint8_t { kReplicated, kManual, kUnreduced };
  // What the values of an unreduced subgroup are combined by to the array's.
  enum class Reduction : uint8_t { kSum, kMax, kMin };

  Kind kind = Kind::kReplicated;
  int64_t device = 0;  // of kMaximal
  // Of kTiled: the number of parts of each dimension, then a number for each subgroup.
  Dims tiles;
  std::vector<Subgroup> subgroups;
  Reduction reduction = Reduction::kSum;  // Shardy's; HLO's text has no form for others
  Dims devices;                           // in row-major order of `tiles`
  std::vector<Sharding> elements;         // of kTuple
  // Shardy's: dimensions that may be cut further, and in which round of propagation each dimension
  // counts. Empty: none, and round 0.
  std::vector<bool> open;
  Dims priorities;

  size_t rank() const { return tiles.size() - subgroups.size(); }
  bool IsOpen(size_t d) const { return d < open.size() && open[d]; }
  int64_t Priority(size_t d) const { return d < priorities.size() ? priorities[d] : 0; }
  bool operator==(const Sharding&) const = default;
};

// Reads HLO's text, with its braces. InvalidArgument where it is malformed, or the devices are not
// as many as the parts; Unimplemented for forms that are not among those above.
absl::StatusOr<Sharding> ParseSharding(std::string_view text);

// HLO's text; open dimensions, rounds and reductions, which it has no form for, are left out.
// Devices are written as <=[N] where they are in order, else by number.
std::string ToText(const Sharding& sharding);

}  // namespace sinter
