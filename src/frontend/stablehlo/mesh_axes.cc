#include "frontend/stablehlo/mesh_axes.h"

#include <algorithm>

#include "base/status.h"

namespace sinter::stablehlo {
namespace {

using Kind = Attribute::Kind;

inline constexpr int64_t kMostDevices = int64_t{1} << 20;

// A whole axis, or a part of one: `size` devices at a distance of `stride`.
struct Axis {
  std::string name;
  int64_t size = 0;
  int64_t stride = 0;  // between devices that are next to each other along it
};
struct Devices {
  std::vector<Axis> axes;
  Dims device_ids;  // none: 0, 1, ...
};

// The number of devices of axes that are listed from major to minor.
absl::StatusOr<int64_t> SetStrides(const Source& source, const char* at, Devices& mesh) {
  int64_t devices = 1;
  for (auto axis = mesh.axes.rbegin(); axis != mesh.axes.rend(); ++axis) {
    if (axis->size < 1)
      return source.Invalid(at, "axis \"{}\" of a mesh is of size {}", axis->name, axis->size);
    if (axis->size > kMostDevices / devices)
      return source.Exhausted(at, "a mesh of more than {} devices", kMostDevices);
    axis->stride = devices;
    devices *= axis->size;
  }
  Dims sorted = mesh.device_ids;
  std::sort(sorted.begin(), sorted.end());
  for (size_t i = 0; i < sorted.size(); ++i) {
    if (static_cast<int64_t>(sorted.size()) != devices || sorted[i] != static_cast<int64_t>(i))
      return source.Invalid(at, "device_ids must be the numbers from 0 to {}, each once",
                            devices - 1);
  }
  return devices;
}

// #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = "x", size = 2>], device_ids = dense<...>>
absl::StatusOr<Devices> InlinedMesh(const Source& source, const Attribute& a) {
  Devices mesh;
  ASSIGN_OR_RETURN(const auto fields, FieldsOf(a));
  const Attribute *axes = FindAttribute(fields, "axes"), *ids = FindAttribute(fields, "device_ids");
  if (axes == nullptr || axes->kind != Kind::kArray)
    return source.Invalid(a.at, "a mesh needs a list of axes");
  for (const Attribute& e : axes->elements) {
    // Without a name, where it follows from the place: <name = "x", size = 2>.
    if (e.kind != Kind::kDialect || (e.text != "stablehlo.mesh_axis" && !e.text.empty()))
      return source.Invalid(e.at, "expected #stablehlo.mesh_axis<...>");
    ASSIGN_OR_RETURN(const auto of_axis, FieldsOf(e));
    const Attribute *name = FindAttribute(of_axis, "name"), *size = FindAttribute(of_axis, "size");
    if (!name || name->kind != Kind::kString || !size || size->kind != Kind::kInteger)
      return source.Invalid(e.at, "an axis of a mesh needs a name and a size");
    mesh.axes.push_back({name->text, size->integer});
  }
  if (ids == nullptr) return mesh;
  if (ids->kind != Kind::kElements || !ids->value ||
      ids->value->shape().element_type() != ElementType::S64)
    return source.Invalid(ids->at, "device_ids must be a list of i64");
  // The same number for several devices is one here, too few for them.
  const auto data = ids->value->data<int64_t>();
  mesh.device_ids.assign(data.begin(), data.end());
  return mesh;
}

absl::StatusOr<Devices> FindMesh(const Source& source, const Program& program, const Attribute& a) {
  if (a.kind == Kind::kDialect && a.text == "stablehlo.mesh") return InlinedMesh(source, a);
  if (a.kind != Kind::kSymbol) return source.Invalid(a.at, "expected a mesh or its symbol");
  for (const Mesh& mesh : program.meshes) {
    if (mesh.symbol != a.text) continue;
    RETURN_IF_ERROR(mesh.status);
    Devices devices{{}, mesh.devices};
    for (const Mesh::Axis& axis : mesh.axes) devices.axes.push_back({axis.name, axis.size});
    return devices;
  }
  return source.Invalid(a.at, "there is no mesh @{}", a.text);
}

// #stablehlo.axis_ref<name = "x", sub_axis_info = (2)2>: of the axis, seen as the axes of the
// sizes 2, 2 and what is left, the one in the middle.
absl::StatusOr<Axis> FindAxis(const Source& source, const Devices& mesh, const Attribute& a) {
  if (a.kind != Kind::kDialect || a.text != "stablehlo.axis_ref")
    return source.Invalid(a.at, "expected #stablehlo.axis_ref<...>");
  ASSIGN_OR_RETURN(const auto fields, FieldsOf(a));
  const Attribute *name = FindAttribute(fields, "name"),
                  *part = FindAttribute(fields, "sub_axis_info");
  if (name == nullptr || name->kind != Kind::kString)
    return source.Invalid(a.at, "a reference to an axis needs its name");
  const auto whole = std::find_if(mesh.axes.begin(), mesh.axes.end(),
                                  [&](const Axis& axis) { return axis.name == name->text; });
  if (whole == mesh.axes.end())
    return source.Invalid(a.at, "the mesh has no axis \"{}\"", name->text);
  if (part == nullptr) return *whole;
  if (part->kind != Kind::kIntegers) return source.Invalid(part->at, "expected (PRE_SIZE)SIZE");
  const int64_t before = part->integers[0], size = part->integers[1];
  if (before < 1 || size < 1 || whole->size % before != 0 || whole->size / before % size != 0)
    return source.Invalid(part->at, "axis \"{}\" of size {} has no part ({}){}", whole->name,
                          whole->size, before, size);
  return Axis{whole->name, size, whole->stride * (whole->size / before / size)};
}

}  // namespace

bool IsMeshAxes(const Attribute& a) {
  return a.kind == Kind::kDialect && a.text == "stablehlo.replica_group_mesh_axes";
}

absl::StatusOr<Groups> GroupsOfMeshAxes(const Source& source, const Program& program,
                                        const Attribute& a) {
  ASSIGN_OR_RETURN(const auto fields, FieldsOf(a));
  const Attribute *of = FindAttribute(fields, "mesh"), *list = FindAttribute(fields, "axes");
  if (of == nullptr || list == nullptr || list->kind != Kind::kArray)
    return source.Invalid(a.at, "needs a mesh and a list of axes");
  ASSIGN_OR_RETURN(Devices mesh, FindMesh(source, program, *of));
  ASSIGN_OR_RETURN(const int64_t devices, SetStrides(source, of->at, mesh));
  std::vector<Axis> axes;
  int64_t size = 1;
  for (const Attribute& e : list->elements) {
    ASSIGN_OR_RETURN(Axis axis, FindAxis(source, mesh, e));
    if (axis.size > devices / size)
      return source.Invalid(e.at, "axis \"{}\" is named twice", axis.name);
    size *= axis.size;
    axes.push_back(std::move(axis));
  }
  // Every device is in the group of the one that is first along all of these axes.
  Dims offsets{0};
  for (const Axis& axis : axes) {
    Dims next;
    for (int64_t offset : offsets) {
      for (int64_t i = 0; i < axis.size; ++i) next.push_back(offset + i * axis.stride);
    }
    offsets = std::move(next);
  }
  Groups groups;
  for (int64_t first = 0; first < devices; ++first) {
    const bool is_first = std::all_of(axes.begin(), axes.end(), [&](const Axis& axis) {
      return first / axis.stride % axis.size == 0;
    });
    if (!is_first) continue;
    Dims& group = groups.emplace_back();
    for (int64_t offset : offsets) {
      if (first + offset >= devices) return source.Invalid(list->at, "an axis is named twice");
      const auto place = static_cast<size_t>(first + offset);
      group.push_back(mesh.device_ids.empty() ? static_cast<int64_t>(place)
                                              : mesh.device_ids[place]);
    }
  }
  return groups;
}

}  // namespace sinter::stablehlo
