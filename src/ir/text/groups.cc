#include "ir/text/groups.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"

namespace sinter {
namespace {

constexpr int64_t kMost = 1 << 20;

absl::Status ParseIntegers(Lexer& l, char close, Dims& list) {
  if (l.Eat(close)) return absl::OkStatus();
  do {
    if (!l.EatInt(&list.emplace_back())) return l.Error("expected an integer");
  } while (l.Eat(','));
  return l.Expect(close, "after a list of integers");
}

absl::StatusOr<int64_t> Product(Lexer& l, const Dims& sizes) {
  int64_t product = 1;
  for (int64_t size : sizes) {
    if (size < 1) return l.Error("groups of {} participants", size);
    if (size > kMost || (product *= size) > kMost) {
      return ResourceExhausted("more than {} participants", kMost);
    }
  }
  return product;
}

// Behind "[2,4]<=": numbers in rows.
absl::Status ParseIota(Lexer& l, const Dims& shape, Groups& groups) {
  Dims dims, order;
  RETURN_IF_ERROR(l.Expect('[', "before the dimensions of a list of participants"));
  RETURN_IF_ERROR(ParseIntegers(l, ']', dims));
  if (shape.size() != 2) return l.Error("groups are given as [groups,participants of each]");
  if (l.Eat('T')) {
    RETURN_IF_ERROR(l.Expect('(', "before a transposition"));
    RETURN_IF_ERROR(ParseIntegers(l, ')', order));
  } else {
    order.resize(dims.size());
    std::iota(order.begin(), order.end(), 0);
  }
  Dims sorted = order;
  std::sort(sorted.begin(), sorted.end());
  bool permutes = order.size() == dims.size();
  for (size_t d = 0; permutes && d < sorted.size(); ++d) {
    permutes = sorted[d] == static_cast<int64_t>(d);
  }
  if (!permutes)
    return l.Error("the transposition is no permutation of {} dimensions", dims.size());
  ASSIGN_OR_RETURN(int64_t count, Product(l, dims));
  ASSIGN_OR_RETURN(int64_t in_groups, Product(l, shape));
  RETURN_IF_ERROR(l.CountImplied(count));
  if (count != in_groups) {
    return l.Error("{} participants in groups for {}", count, in_groups);
  }
  Dims strides(dims.size(), 1);
  for (size_t d = dims.size(); d-- > 1;) strides[d - 1] = strides[d] * dims[d];
  groups.assign(static_cast<size_t>(shape[0]), {});
  for (int64_t n = 0; n < count; ++n) {
    int64_t rest = n, number = 0;
    for (size_t d = order.size(); d-- > 0;) {
      auto from = static_cast<size_t>(order[d]);
      number += rest % dims[from] * strides[from];
      rest /= dims[from];
    }
    groups[static_cast<size_t>(n / shape[1])].push_back(number);
  }
  return absl::OkStatus();
}

// A part of an axis of a mesh: `size` of its participants in a row, of which there are `pre`
// blocks.
struct MeshPart {
  size_t axis = 0;
  int64_t pre = 1, size = 1;
  bool operator==(const MeshPart&) const = default;
};

// "['x'=2,'y'=4]": names and sizes of axes.
absl::Status ParseMeshAxes(Lexer& l, std::vector<std::string_view>& names, Dims& sizes) {
  RETURN_IF_ERROR(l.Expect('[', "before the axes of a mesh"));
  do {
    l.SkipSpace();
    const size_t start = l.pos();
    while (l.remaining() && l.Here() != '=' && l.Here() != ',' && l.Here() != ']') {
      l.set_pos(l.pos() + 1);
    }
    names.push_back(l.text().substr(start, l.pos() - start));
    RETURN_IF_ERROR(l.Expect('=', "behind the name of an axis"));
    if (!l.EatInt(&sizes.emplace_back())) return l.Error("expected the size of an axis");
    if (names.size() > 64) return ResourceExhausted("a mesh of more than 64 axes");
  } while (l.Eat(','));
  return l.Expect(']', "after the axes of a mesh");
}

// "{'y','x':(1)2}": the axes, or parts of axes, that a group extends along, the major first.
absl::Status ParseMeshParts(Lexer& l, const std::vector<std::string_view>& names, const Dims& sizes,
                            std::vector<MeshPart>& parts) {
  RETURN_IF_ERROR(l.Expect('{', "before the axes of the groups"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    l.SkipSpace();
    const size_t start = l.pos();
    while (l.remaining() && l.Here() != ':' && l.Here() != ',' && l.Here() != '}') {
      l.set_pos(l.pos() + 1);
    }
    const std::string_view name = l.text().substr(start, l.pos() - start);
    const auto axis =
        static_cast<size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (axis == names.size()) return l.Error("the mesh has no axis {}", name);
    MeshPart part{axis, 1, sizes[axis]};
    if (l.Eat(':')) {
      RETURN_IF_ERROR(l.Expect('(', "before what lies before a part of an axis"));
      if (!l.EatInt(&part.pre)) return l.Error("expected an integer");
      RETURN_IF_ERROR(l.Expect(')', "before the size of a part of an axis"));
      if (!l.EatInt(&part.size)) return l.Error("expected an integer");
      if (part.pre < 1 || part.size < 1 || part.pre > sizes[axis] || part.size > sizes[axis] ||
          sizes[axis] % (part.pre * part.size) != 0) {
        return l.Error("an axis of {} has no part ({}){}", sizes[axis], part.pre, part.size);
      }
    }
    parts.push_back(part);
    if (parts.size() > 64) return ResourceExhausted("groups along more than 64 axes");
  } while (l.Eat(','));
  return l.Expect('}', "after the axes of the groups");
}

// The numbers along the parts, the major first; each is the place of a participant in the mesh.
Dims Along(const std::vector<MeshPart>& parts, const Dims& sizes) {
  Dims places{0};
  for (const MeshPart& part : parts) {
    int64_t stride = sizes[part.axis] / (part.pre * part.size);
    for (size_t axis = part.axis + 1; axis < sizes.size(); ++axis) stride *= sizes[axis];
    Dims longer;
    for (int64_t place : places) {
      for (int64_t n = 0; n < part.size; ++n) longer.push_back(place + n * stride);
    }
    places = std::move(longer);
  }
  return places;
}

// Behind "mesh": "['x'=2,'y'=4] {'y'}", perhaps with ", device_ids=([4,2]T(1,0))" or
// ", device_ids=(1,0,...)" between them. The other axes are those of the groups, in their order.
absl::Status ParseMesh(Lexer& l, Groups& groups) {
  std::vector<std::string_view> names;
  Dims sizes, devices;
  RETURN_IF_ERROR(ParseMeshAxes(l, names, sizes));
  ASSIGN_OR_RETURN(const int64_t count, Product(l, sizes));
  RETURN_IF_ERROR(l.CountImplied(2 * count));
  if (l.Eat(',')) {
    if (!l.Eat("device_ids=")) return l.Error("expected 'device_ids='");
    RETURN_IF_ERROR(l.Expect('(', "before the participants of a mesh"));
    if (l.Peek() == '[') {
      Groups one;
      RETURN_IF_ERROR(ParseIota(l, {1, count}, one));
      devices = std::move(one[0]);
      RETURN_IF_ERROR(l.Expect(')', "after the participants of a mesh"));
    } else {
      RETURN_IF_ERROR(ParseIntegers(l, ')', devices));
    }
    if (static_cast<int64_t>(devices.size()) != count) {
      return l.Error("{} participants for a mesh of {}", devices.size(), count);
    }
  }
  std::vector<MeshPart> inside, outside;
  RETURN_IF_ERROR(ParseMeshParts(l, names, sizes, inside));
  // What the groups leave of each axis, from major to minor.
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    std::vector<MeshPart> taken;
    for (const MeshPart& part : inside) {
      if (part.axis == axis && part.size > 1) taken.push_back(part);
    }
    std::sort(taken.begin(), taken.end(),
              [](const MeshPart& a, const MeshPart& b) { return a.pre < b.pre; });
    int64_t done = 1;
    for (const MeshPart& part : taken) {
      if (part.pre < done || part.pre % done != 0) return l.Error("the parts of an axis overlap");
      outside.push_back({axis, done, part.pre / done});
      done = part.pre * part.size;
    }
    outside.push_back({axis, done, sizes[axis] / done});
  }
  const Dims first = Along(outside, sizes), along = Along(inside, sizes);
  for (int64_t place : first) {
    Dims& group = groups.emplace_back();
    for (int64_t offset : along) {
      const int64_t at = place + offset;
      group.push_back(devices.empty() ? at : devices[static_cast<size_t>(at)]);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status ParseGroups(Lexer& l, Groups& groups) {
  l.SkipSpace();
  const size_t at = l.pos();
  if (l.Eat('[')) {
    Dims shape;
    RETURN_IF_ERROR(ParseIntegers(l, ']', shape));
    if (!l.Eat("<=")) return l.Error("expected '<='");
    absl::Status s = ParseIota(l, shape, groups);
    if (!s.ok()) l.set_pos(at);
    return s;
  }
  if (l.Eat("mesh")) {
    absl::Status s = ParseMesh(l, groups);
    if (!s.ok()) l.set_pos(at);
    return s;
  }
  RETURN_IF_ERROR(l.Expect('{', "before groups"));
  if (l.Eat('}')) return absl::OkStatus();
  do {
    RETURN_IF_ERROR(l.Expect('{', "before a group"));
    RETURN_IF_ERROR(ParseIntegers(l, '}', groups.emplace_back()));
  } while (l.Eat(','));
  return l.Expect('}', "after groups");
}

}  // namespace sinter
