// Attributes of Shardy (dialect sdy) as shardings.
//
//   <["x"=2, "y"=4], device_ids=[7, 6, ...]>            a mesh
//   #sdy.sharding<@mesh, [{"x"}, {"y":(1)2, ?}p1, {}], replicated={"z"}>
//   #sdy.sharding_per_value<[<@mesh, [{"x"}]>, ...]>
//
// Source: Shardy's documentation, "Sharding representation".
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/sharding/sharding.h"

namespace sinter {

struct SdyMesh {
  struct Axis {
    std::string name;
    int64_t size = 1;
  };
  std::vector<Axis> axes;  // major to minor
  Dims devices;            // in row-major order of the axes
  // device_ids=[5] without axes: what is sharded by it is on that device alone. A mesh without
  // either says nothing of devices.
  bool is_one_device = false;
};
using SdyMeshes = std::map<std::string, SdyMesh, std::less<>>;

// What follows the mesh is not looked at.
absl::StatusOr<SdyMesh> ParseSdyMesh(std::string_view text);

// With "#sdy.sharding" before it or without, and whatever follows. A mesh may stand in place of its
// name. A mesh without axes is a maximal sharding where it names its device, else a
// replicated one.
absl::StatusOr<Sharding> ParseSdySharding(std::string_view text, const SdyMeshes& meshes);

// [<...>, <...>], with "#sdy.sharding_per_value<" before it or without.
absl::StatusOr<std::vector<Sharding>> ParseSdyShardings(std::string_view text,
                                                        const SdyMeshes& meshes);

// The sharding that cuts one dimension along the axes of the list {"x", "y"} that are in the mesh
// which the sharding `of` names: the partitions that differ in these axes only have different
// parts.
absl::StatusOr<Sharding> ParseSdyAxes(std::string_view axes, std::string_view of,
                                      const SdyMeshes& meshes);

}  // namespace sinter
