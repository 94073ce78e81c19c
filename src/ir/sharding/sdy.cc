#include "ir/sharding/sdy.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "ir/sharding/scanner.h"

namespace sinter {
namespace {

using sharding_text::Scanner;

// A part of an axis: "x":(2)4 is of size 4, with 2 positions of the axis before it.
struct AxisPart {
  size_t axis = 0;
  int64_t before = 1, size = 1;
};

class SdyParser {
 public:
  SdyParser(std::string_view text, const SdyMeshes& meshes)
      : text_(text), scan_(text), meshes_(meshes) {}

  absl::StatusOr<SdyMesh> Mesh() {
    SdyMesh mesh;
    scan_.Eat("#sdy.mesh");
    scan_.Eat("mesh");
    if (!scan_.Eat("<") || !scan_.Eat("[")) return Bad("<[");
    int64_t count = 1;
    while (!scan_.Eat("]")) {
      if (!mesh.axes.empty() && !scan_.Eat(",")) return Bad("','");
      auto name = scan_.Quoted();
      if (!name || !scan_.Eat("=")) return Bad("\"axis\"=");
      const auto size = scan_.Integer();
      if (!size || *size < 1) return Bad("a size");
      if (count > kMostDevices / *size)
        return ResourceExhausted("a mesh of more than {} devices", kMostDevices);
      count *= *size;
      mesh.axes.push_back({std::move(*name), *size});
    }
    if (scan_.Eat(",")) {
      if (!scan_.Eat("device_ids") || !scan_.Eat("=") || !scan_.Eat("[")) return Bad("device_ids=");
      while (!scan_.Eat("]")) {
        if (!mesh.devices.empty() && !scan_.Eat(",")) return Bad("','");
        const auto device = scan_.Integer();
        if (!device) return Bad("a device");
        mesh.devices.push_back(*device);
      }
      mesh.is_one_device = mesh.axes.empty();
      if (static_cast<int64_t>(mesh.devices.size()) != count)
        return InvalidArgument("mesh {}: {} devices for {} places", text_, mesh.devices.size(),
                               count);
    } else {
      mesh.devices.resize(static_cast<size_t>(count));
      std::iota(mesh.devices.begin(), mesh.devices.end(), 0);
    }
    if (!scan_.Eat(">")) return Bad("'>'");
    return mesh;
  }

  absl::StatusOr<Sharding> One() {
    scan_.Eat("#sdy.sharding");
    if (!scan_.Eat("<")) return Bad("'<'");
    RETURN_IF_ERROR(Name());
    if (!scan_.Eat(",") || !scan_.Eat("[")) return Bad("the dimensions");
    std::vector<std::vector<AxisPart>> dims;
    std::vector<AxisPart> unreduced;
    Sharding s;
    while (!scan_.Eat("]")) {
      if (!dims.empty() && !scan_.Eat(",")) return Bad("','");
      std::vector<AxisPart>& axes = dims.emplace_back();
      s.open.push_back(false);
      s.priorities.push_back(0);
      if (!scan_.Eat("{")) return Bad("'{'");
      for (bool first = true; !scan_.Eat("}"); first = false) {
        if (!first && !scan_.Eat(",")) return Bad("','");
        if (scan_.Eat("?")) {
          s.open.back() = true;
        } else {
          ASSIGN_OR_RETURN(AxisPart part, Axis());
          axes.push_back(part);
        }
      }
      if (scan_.Eat("p")) {
        const auto priority = scan_.Integer();
        if (!priority) return Bad("a priority");
        s.priorities.back() = *priority;
      }
    }
    while (scan_.Eat(",")) {
      const std::string what = scan_.Word();
      const bool is_unreduced = what == "unreduced";
      if ((!is_unreduced && what != "replicated") || !scan_.Eat("="))
        return Bad("replicated= or unreduced=");
      if (is_unreduced && scan_.Eat("max")) s.reduction = Sharding::Reduction::kMax;
      if (is_unreduced && scan_.Eat("min")) s.reduction = Sharding::Reduction::kMin;
      if (!scan_.Eat("{")) return Bad("'{'");
      for (bool first = true; !scan_.Eat("}"); first = false) {
        if (!first && !scan_.Eat(",")) return Bad("','");
        ASSIGN_OR_RETURN(AxisPart part, Axis());
        // Axes that are stated as replicated no dimension may take: a hint.
        if (is_unreduced) unreduced.push_back(part);
      }
    }
    if (!scan_.Eat(">")) return Bad("'>'");
    if (mesh_->axes.empty()) {
      s.kind = mesh_->is_one_device ? Sharding::Kind::kMaximal : Sharding::Kind::kReplicated;
      if (mesh_->is_one_device) s.device = mesh_->devices[0];
      return s;
    }
    RETURN_IF_ERROR(Tile(dims, s, unreduced));
    return s;
  }

  absl::StatusOr<std::vector<Sharding>> Several() {
    const bool wrapped = scan_.Eat("#sdy.sharding_per_value") && scan_.Eat("<");
    if (!scan_.Eat("[")) return Bad("'['");
    std::vector<Sharding> out;
    while (!scan_.Eat("]")) {
      if (!out.empty() && !scan_.Eat(",")) return Bad("','");
      ASSIGN_OR_RETURN(Sharding s, One());
      out.push_back(std::move(s));
    }
    if (wrapped && !scan_.Eat(">")) return Bad("'>'");
    return out;
  }

  // {"x", "y"} of the mesh that `of` names.
  absl::StatusOr<Sharding> AxesOf(std::string_view of) {
    SdyParser named(of, meshes_);
    named.scan_.Eat("#sdy.sharding");
    if (!named.scan_.Eat("<")) return named.Bad("'<'");
    RETURN_IF_ERROR(named.Name());
    inlined_ = named.inlined_;
    mesh_ = named.mesh_ == &named.inlined_ ? &inlined_ : named.mesh_;
    if (scan_.Eat("#sdy<manual_axes")) {
    } else {
      scan_.Eat("#sdy.manual_axes<");
    }
    if (!scan_.Eat("{")) return Bad("'{'");
    std::vector<std::vector<AxisPart>> dims(1);
    for (bool first = true; !scan_.Eat("}"); first = false) {
      if (!first && !scan_.Eat(",")) return Bad("','");
      ASSIGN_OR_RETURN(AxisPart part, Axis());
      dims[0].push_back(part);
    }
    Sharding s;
    RETURN_IF_ERROR(Tile(dims, s));
    return s;
  }

 private:
  static constexpr int64_t kMostDevices = int64_t{1} << 20;

  absl::Status Bad(std::string_view expected) {
    return InvalidArgument("sharding {}: expected {} at '{}'", text_, expected, scan_.rest());
  }

  // @mesh, or the mesh itself.
  absl::Status Name() {
    if (scan_.Eat("@")) {
      auto quoted = scan_.At("\"") ? scan_.Quoted() : scan_.Word();
      auto it = meshes_.find(quoted.value_or(""));
      if (it == meshes_.end())
        return InvalidArgument("sharding {}: there is no mesh @{}", text_, quoted.value_or(""));
      mesh_ = &it->second;
      return absl::OkStatus();
    }
    ASSIGN_OR_RETURN(inlined_, Mesh());
    mesh_ = &inlined_;
    return absl::OkStatus();
  }

  absl::StatusOr<AxisPart> Axis() {
    const auto name = scan_.Quoted();
    if (!name) return Bad("an axis");
    AxisPart part;
    for (; part.axis < mesh_->axes.size(); ++part.axis) {
      if (mesh_->axes[part.axis].name == *name) break;
    }
    if (part.axis == mesh_->axes.size())
      return InvalidArgument("sharding {}: the mesh has no axis \"{}\"", text_, *name);
    const int64_t size = mesh_->axes[part.axis].size;
    part.size = size;
    if (scan_.Eat(":")) {
      if (!scan_.Eat("(")) return Bad("'('");
      const auto before = scan_.Integer();
      if (!before || !scan_.Eat(")")) return Bad("a size and ')'");
      const auto own = scan_.Integer();
      if (!own) return Bad("a size");
      if (*before < 1 || *own < 1 || size % (*before * *own) != 0)
        return InvalidArgument("sharding {}: axis \"{}\" has no part ({}){}", text_, *name, *before,
                               *own);
      part.before = *before;
      part.size = *own;
    }
    return part;
  }

  // The devices in the order of the dimensions' axes, then of the unreduced ones, then of all
  // others.
  absl::Status Tile(std::vector<std::vector<AxisPart>> dims, Sharding& s,
                    const std::vector<AxisPart>& unreduced = {}) {
    if (!unreduced.empty()) {
      dims.push_back(unreduced);
      s.subgroups.push_back(Sharding::Subgroup::kUnreduced);
    }
    s.kind = Sharding::Kind::kTiled;
    const SdyMesh& mesh = *mesh_;
    Dims strides(mesh.axes.size(), 1);
    for (size_t a = mesh.axes.size(); a-- > 1;) strides[a - 1] = strides[a] * mesh.axes[a].size;
    auto stride = [&](const AxisPart& p) {
      return strides[p.axis] * (mesh.axes[p.axis].size / p.before / p.size);
    };
    Dims order{0};
    auto extend = [&](int64_t size, int64_t step) {
      Dims next;
      for (int64_t base : order) {
        for (int64_t n = 0; n < size; ++n) next.push_back(base + n * step);
      }
      order = std::move(next);
    };
    for (const auto& axes : dims) {
      int64_t parts = 1;
      for (const AxisPart& p : axes) {
        extend(p.size, stride(p));
        parts *= p.size;
        if (static_cast<size_t>(order.size()) > mesh.devices.size())
          return InvalidArgument("sharding {}: an axis is used twice", text_);
      }
      s.tiles.push_back(parts);
    }
    // Places that are not reached are those of the other axes; which of these comes first does not
    // matter where a part is the same for all.
    const auto rest = static_cast<int64_t>(mesh.devices.size() / order.size());
    if (rest > 1) {
      std::vector<bool> reached(mesh.devices.size());
      for (int64_t place : order) {
        if (place >= static_cast<int64_t>(reached.size()) || reached[static_cast<size_t>(place)])
          return InvalidArgument("sharding {}: an axis is used twice", text_);
        reached[static_cast<size_t>(place)] = true;
      }
      // The other axes: what places differ by from 0 that no used axis explains.
      std::vector<AxisPart> used;
      for (const auto& axes : dims) used.insert(used.end(), axes.begin(), axes.end());
      for (size_t a = 0; a < mesh.axes.size(); ++a) {
        std::vector<AxisPart> of_axis;
        for (const AxisPart& p : used) {
          if (p.axis == a) of_axis.push_back(p);
        }
        std::sort(of_axis.begin(), of_axis.end(),
                  [](const AxisPart& x, const AxisPart& y) { return x.before < y.before; });
        int64_t before = 1;
        for (const AxisPart& p : of_axis) {
          if (p.before > before) extend(p.before / before, stride({a, before, p.before / before}));
          before = p.before * p.size;
        }
        if (before < mesh.axes[a].size) {
          const int64_t left = mesh.axes[a].size / before;
          extend(left, stride({a, before, left}));
        }
      }
      s.tiles.push_back(rest);
      s.subgroups.push_back(Sharding::Subgroup::kReplicated);
    }
    for (int64_t place : order) {
      if (place >= static_cast<int64_t>(mesh.devices.size()) || order.size() != mesh.devices.size())
        return InvalidArgument("sharding {}: an axis is used twice", text_);
      s.devices.push_back(mesh.devices[static_cast<size_t>(place)]);
    }
    Dims sorted = s.devices;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      return InvalidArgument("sharding {}: an axis is used twice", text_);
    return absl::OkStatus();
  }

  std::string_view text_;
  Scanner scan_;
  const SdyMeshes& meshes_;
  SdyMesh inlined_;
  const SdyMesh* mesh_ = nullptr;
};

}  // namespace

absl::StatusOr<SdyMesh> ParseSdyMesh(std::string_view text) { return SdyParser(text, {}).Mesh(); }

absl::StatusOr<Sharding> ParseSdySharding(std::string_view text, const SdyMeshes& meshes) {
  return SdyParser(text, meshes).One();
}

absl::StatusOr<std::vector<Sharding>> ParseSdyShardings(std::string_view text,
                                                        const SdyMeshes& meshes) {
  return SdyParser(text, meshes).Several();
}

absl::StatusOr<Sharding> ParseSdyAxes(std::string_view axes, std::string_view of,
                                      const SdyMeshes& meshes) {
  return SdyParser(axes, meshes).AxesOf(of);
}

}  // namespace sinter
