// Groups of participants as axes of a mesh of devices (StableHLO specification, "Replica groups").
#pragma once

#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo/source.h"
#include "ir/ops/attributes.h"

namespace sinter::stablehlo {

// #stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "x">]>
bool IsMeshAxes(const Attribute& a);

// A group has the devices that differ only in these axes, the last of them fastest. The mesh is
// one of the program's, or stands in the attribute. InvalidArgument where it is unknown, or an
// axis; ResourceExhausted with more than 2^20 devices.
absl::StatusOr<Groups> GroupsOfMeshAxes(const Source& source, const Program& program,
                                        const Attribute& a);

}  // namespace sinter::stablehlo
