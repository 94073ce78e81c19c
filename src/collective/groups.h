// Who exchanges with whom. A program runs on a grid of replicas and partitions; a participant is a
// point of it, numbered replica * partitions + partition. Operations name participants in four ways
// (StableHLO specification, "Process grid").
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"

namespace sinter::collective {

// How the elements of a group's participants become one: by one operation, or otherwise.
enum class Reduction : uint8_t { kOther, kSum, kProduct, kMaximum, kMinimum };

struct Grid {
  int64_t replicas = 1, partitions = 1;
  int64_t size() const { return replicas * partitions; }
  int64_t At(int64_t replica, int64_t partition) const { return replica * partitions + partition; }
  int64_t ReplicaOf(int64_t participant) const { return participant / partitions; }
  int64_t PartitionOf(int64_t participant) const { return participant % partitions; }
  bool operator==(const Grid&) const = default;
};

// The numbers in a group are of replicas, and each partition has such groups; of partitions, and
// each replica has them; of replicas, with all partitions of each; of participants.
enum class GroupMode : uint8_t {
  kCrossReplica,
  kCrossPartition,
  kCrossReplicaAndPartition,
  kFlattenedIds
};

// Each group by itself, or pairs of source and target.
using Groups = std::vector<std::vector<int64_t>>;

// Groups of participants. No groups: all that a group may have are one. InvalidArgument for numbers
// that the grid does not have.
absl::StatusOr<Groups> FormGroups(GroupMode mode, const Groups& groups, const Grid& grid);

// Pairs of participants. None are none. InvalidArgument as above.
absl::StatusOr<Groups> FormPairs(GroupMode mode, const Groups& pairs, const Grid& grid);

// Those that pairs join, directly or through others: groups, each in ascending order.
Groups ComponentsOf(const Groups& pairs);

// The group that has the participant, or null.
const std::vector<int64_t>* GroupOf(const Groups& groups, int64_t participant);
// Its place there; the participant must be in the group.
int64_t IndexIn(absl::Span<const int64_t> group, int64_t participant);
// The source of the pair whose target it is, or -1.
int64_t SourceFor(const Groups& pairs, int64_t target);

// "participant 3 (replica 1, partition 1)", without what there is one of.
std::string NameOf(int64_t participant, const Grid& grid);

}  // namespace sinter::collective
