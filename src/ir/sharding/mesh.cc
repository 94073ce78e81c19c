#include "ir/sharding/mesh.h"

#include <algorithm>
#include <numeric>

namespace sinter {
namespace {

using Kind = Sharding::Kind;

// In ascending order.
Dims PrimeFactors(int64_t n) {
  Dims factors;
  for (int64_t p = 2; p * p <= n; ++p) {
    for (; n % p == 0; n /= p) factors.push_back(p);
  }
  if (n > 1) factors.push_back(n);
  return factors;
}

// The number of shardings that the mesh expresses.
int64_t CountExpressed(const Mesh& mesh, absl::Span<const Sharding> stated) {
  int64_t count = 0;
  for (const Sharding& s : stated) {
    if (s.kind == Kind::kTiled && mesh.Express(s, s.rank())) ++count;
  }
  return count;
}

// More orders of factors are not tried.
constexpr int kMostOrders = 120;

}  // namespace

AxisSet SetOf(const Axes& axes) {
  AxisSet set = 0;
  for (int64_t a : axes) set |= AxisSet{1} << a;
  return set;
}

Axes AxesIn(AxisSet set) {
  Axes axes;
  for (int64_t a = 0; set >> a != 0; ++a) {
    if ((set >> a & 1) != 0) axes.push_back(a);
  }
  return axes;
}

AxisSet SetOf(const AxesOfDims& dims) {
  AxisSet set = 0;
  for (const Axes& axes : dims) set |= SetOf(axes);
  return set;
}

Mesh::Mesh(Dims sizes, Dims devices)
    : sizes_(std::move(sizes)), strides_(sizes_.size(), 1), devices_(std::move(devices)) {
  for (size_t a = sizes_.size(); a-- > 1;) strides_[a - 1] = strides_[a] * sizes_[a];
  for (size_t p = 0; p < devices_.size(); ++p)
    in_order_ = in_order_ && devices_[p] == static_cast<int64_t>(p);
}

AxisSet Mesh::all() const { return (AxisSet{1} << sizes_.size()) - 1; }

int64_t Mesh::Parts(const Axes& axes) const {
  int64_t parts = 1;
  for (int64_t a : axes) parts *= size(a);
  return parts;
}

int64_t Mesh::Part(int64_t place, const Axes& axes) const {
  int64_t part = 0;
  for (int64_t a : axes) part = part * size(a) + place / stride(a) % size(a);
  return part;
}

namespace {

// Which part along each dimension of `tiles`, subgroups among them, each place has; nothing where
// the devices are others than the mesh's.
std::optional<std::vector<Dims>> PartsOfPlaces(const Mesh& mesh, const Sharding& s) {
  if (static_cast<int64_t>(s.devices.size()) != mesh.partitions()) return std::nullopt;
  Dims place_of(s.devices.size(), -1);
  for (size_t p = 0; p < s.devices.size(); ++p)
    place_of[static_cast<size_t>(mesh.devices()[p])] = static_cast<int64_t>(p);
  std::vector<Dims> parts(s.devices.size());
  Dims at(s.tiles.size(), 0);
  for (int64_t device : s.devices) {
    if (device >= mesh.partitions()) return std::nullopt;
    parts[static_cast<size_t>(place_of[static_cast<size_t>(device)])] = at;
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < s.tiles[d]) break;
      at[d] = 0;
    }
  }
  return parts;
}

// The axes whose positions make the part of each place along the dimension, if they do.
std::optional<Axes> AxesOf(const Mesh& mesh, const std::vector<Dims>& parts, size_t d,
                           int64_t tiles) {
  struct Weighted {
    int64_t weight, axis;
  };
  std::vector<Weighted> found;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const auto axis = static_cast<int64_t>(a);
    const int64_t weight = parts[static_cast<size_t>(mesh.stride(axis))][d] - parts[0][d];
    if (weight != 0) found.push_back({weight, axis});
  }
  std::sort(found.begin(), found.end(),
            [](const Weighted& x, const Weighted& y) { return x.weight > y.weight; });
  Axes axes;
  for (const Weighted& w : found) axes.push_back(w.axis);
  if (mesh.Parts(axes) != tiles) return std::nullopt;
  for (size_t place = 0; place < parts.size(); ++place) {
    if (mesh.Part(static_cast<int64_t>(place), axes) != parts[place][d]) return std::nullopt;
  }
  return axes;
}

}  // namespace

std::optional<AxesOfDims> Mesh::Express(const Sharding& s, size_t rank) const {
  if (s.kind == Kind::kReplicated || s.kind == Kind::kUnknown || s.kind == Kind::kManual)
    return AxesOfDims(rank);
  if (s.kind != Kind::kTiled || s.rank() != rank) return std::nullopt;
  const auto parts = PartsOfPlaces(*this, s);
  if (!parts) return std::nullopt;
  for (size_t g = 0; g < s.subgroups.size(); ++g) {
    const bool is_unreduced = s.subgroups[g] == Sharding::Subgroup::kUnreduced;
    if (is_unreduced && !AxesOf(*this, *parts, rank + g, s.tiles[rank + g])) return std::nullopt;
  }
  AxesOfDims dims;
  for (size_t d = 0; d < rank; ++d) {
    auto axes = AxesOf(*this, *parts, d, s.tiles[d]);
    if (!axes) return std::nullopt;
    dims.push_back(*std::move(axes));
  }
  return dims;
}

AxisSet Mesh::ManualAxes(const Sharding& s) const {
  return s.kind == Kind::kManual ? all() : AxesOfSubgroups(s, Sharding::Subgroup::kManual);
}

AxisSet Mesh::UnreducedAxes(const Sharding& s) const {
  return AxesOfSubgroups(s, Sharding::Subgroup::kUnreduced);
}

AxisSet Mesh::AxesOfSubgroups(const Sharding& s, Sharding::Subgroup kind) const {
  if (s.kind != Kind::kTiled) return 0;
  AxisSet set = 0;
  const auto parts = PartsOfPlaces(*this, s);
  for (size_t g = 0; parts && g < s.subgroups.size(); ++g) {
    if (s.subgroups[g] != kind) continue;
    const size_t d = s.rank() + g;
    if (auto axes = AxesOf(*this, *parts, d, s.tiles[d])) set |= SetOf(*axes);
  }
  return set;
}

Sharding Mesh::ToSharding(const AxesOfDims& dims, AxisSet unreduced) const {
  Sharding s;
  if ((SetOf(dims) | unreduced) == 0) return s;
  s.kind = Kind::kTiled;
  Dims places{0};
  auto extend = [&](int64_t axis) {
    Dims next;
    for (int64_t base : places) {
      for (int64_t n = 0; n < size(axis); ++n) next.push_back(base + n * stride(axis));
    }
    places = std::move(next);
  };
  for (const Axes& axes : dims) {
    s.tiles.push_back(Parts(axes));
    for (int64_t a : axes) extend(a);
  }
  if (const Axes axes = AxesIn(unreduced); !axes.empty()) {
    s.tiles.push_back(Parts(axes));
    s.subgroups.push_back(Sharding::Subgroup::kUnreduced);
    for (int64_t a : axes) extend(a);
  }
  if (static_cast<int64_t>(places.size()) < partitions()) {
    s.tiles.push_back(partitions() / static_cast<int64_t>(places.size()));
    s.subgroups.push_back(Sharding::Subgroup::kReplicated);
    const AxisSet used = SetOf(dims) | unreduced;
    for (size_t a = 0; a < axis_count(); ++a) {
      if ((used >> a & 1) == 0) extend(static_cast<int64_t>(a));
    }
  }
  for (int64_t place : places) s.devices.push_back(devices_[static_cast<size_t>(place)]);
  return s;
}

Mesh ChooseMesh(int64_t partitions, absl::Span<const Sharding> stated) {
  Dims in_order(static_cast<size_t>(partitions));
  std::iota(in_order.begin(), in_order.end(), 0);
  std::vector<Dims> devices{in_order};
  for (const Sharding& s : stated) {
    Dims sorted = s.devices;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == in_order && std::find(devices.begin(), devices.end(), s.devices) == devices.end())
      devices.push_back(s.devices);
  }
  const Dims factors = PrimeFactors(partitions);
  Mesh best(factors, in_order);
  int64_t most = -1;
  for (const Dims& order : devices) {
    Dims sizes = factors;
    int tried = 0;
    do {
      Mesh mesh(sizes, order);
      const int64_t count = CountExpressed(mesh, stated);
      if (count > most) {
        most = count;
        best = std::move(mesh);
      }
    } while (++tried < kMostOrders && std::next_permutation(sizes.begin(), sizes.end()));
  }
  return best;
}

}  // namespace sinter
