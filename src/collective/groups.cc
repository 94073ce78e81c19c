#include "collective/groups.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/status.h"

namespace sinter::collective {
namespace {

// How many numbers there are.
int64_t LimitOf(GroupMode mode, const Grid& grid) {
  switch (mode) {
    case GroupMode::kCrossReplica:
    case GroupMode::kCrossReplicaAndPartition:
      return grid.replicas;
    case GroupMode::kCrossPartition:
      return grid.partitions;
    case GroupMode::kFlattenedIds:
      return grid.size();
  }
  return 0;
}

absl::Status CheckNumbers(GroupMode mode, const Groups& groups, const Grid& grid) {
  const int64_t limit = LimitOf(mode, grid);
  for (const auto& group : groups) {
    for (int64_t n : group) {
      if (0 <= n && n < limit) continue;
      std::string_view what = mode == GroupMode::kFlattenedIds     ? "participant"
                              : mode == GroupMode::kCrossPartition ? "partition"
                                                                   : "replica";
      return InvalidArgument(
          "{} {} is named, and the program runs on {} replicas and {} partitions", what, n,
          grid.replicas, grid.partitions);
    }
  }
  return absl::OkStatus();
}

// For each row of numbers, the same rows of participants, once or for each replica or partition.
Groups Spread(GroupMode mode, const Groups& rows, const Grid& grid) {
  Groups result;
  for (const auto& row : rows) {
    switch (mode) {
      case GroupMode::kFlattenedIds:
        result.push_back(row);
        break;
      case GroupMode::kCrossReplica:
        for (int64_t p = 0; p < grid.partitions; ++p) {
          auto& group = result.emplace_back();
          for (int64_t r : row) group.push_back(grid.At(r, p));
        }
        break;
      case GroupMode::kCrossPartition:
        for (int64_t r = 0; r < grid.replicas; ++r) {
          auto& group = result.emplace_back();
          for (int64_t p : row) group.push_back(grid.At(r, p));
        }
        break;
      case GroupMode::kCrossReplicaAndPartition: {
        auto& group = result.emplace_back();
        for (int64_t p = 0; p < grid.partitions; ++p) {
          for (int64_t r : row) group.push_back(grid.At(r, p));
        }
        break;
      }
    }
  }
  return result;
}

}  // namespace

absl::StatusOr<Groups> FormGroups(GroupMode mode, const Groups& groups, const Grid& grid) {
  if (!groups.empty()) {
    RETURN_IF_ERROR(CheckNumbers(mode, groups, grid));
    return Spread(mode, groups, grid);
  }
  std::vector<int64_t> all(static_cast<size_t>(LimitOf(mode, grid)));
  std::iota(all.begin(), all.end(), 0);
  return Spread(mode, {all}, grid);
}

absl::StatusOr<Groups> FormPairs(GroupMode mode, const Groups& pairs, const Grid& grid) {
  RETURN_IF_ERROR(CheckNumbers(mode, pairs, grid));
  return Spread(mode, pairs, grid);
}

Groups ComponentsOf(const Groups& pairs) {
  std::map<int64_t, int64_t> parent;
  auto root = [&](int64_t n) {
    while (parent.emplace(n, n).first->second != n) n = parent[n];
    return n;
  };
  for (const auto& pair : pairs) {
    const int64_t a = root(pair[0]), b = root(pair[1]);
    parent[std::max(a, b)] = std::min(a, b);
  }
  std::map<int64_t, std::vector<int64_t>> components;
  for (const auto& [n, unused] : parent) components[root(n)].push_back(n);
  Groups result;
  for (auto& [unused, members] : components) result.push_back(std::move(members));
  return result;
}

const std::vector<int64_t>* GroupOf(const Groups& groups, int64_t participant) {
  for (const auto& group : groups) {
    if (std::find(group.begin(), group.end(), participant) != group.end()) return &group;
  }
  return nullptr;
}

int64_t IndexIn(absl::Span<const int64_t> group, int64_t participant) {
  return std::find(group.begin(), group.end(), participant) - group.begin();
}

int64_t SourceFor(const Groups& pairs, int64_t target) {
  for (const auto& pair : pairs) {
    if (pair[1] == target) return pair[0];
  }
  return -1;
}

std::string NameOf(int64_t participant, const Grid& grid) {
  std::string name = Format("participant {}", participant);
  if (grid.replicas > 1 && grid.partitions > 1) {
    name += Format(" (replica {}, partition {})", grid.ReplicaOf(participant),
                   grid.PartitionOf(participant));
  }
  return name;
}

}  // namespace sinter::collective
