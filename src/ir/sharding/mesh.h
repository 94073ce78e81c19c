// Partitions along axes of prime sizes, and shardings as lists of these axes: what passes compute
// with. Sizes are prime so that what cuts dimensions by 4 and by 2 is of the same axes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/sharding/sharding.h"

namespace sinter {

// Axes of a mesh, by number, major to minor.
using Axes = Dims;
// For each dimension of an array the axes that cut it: into as many parts as the product of their
// sizes, each of ceil(size / parts) elements, the last ones shorter or empty.
using AxesOfDims = std::vector<Axes>;
// A set of axes: bit a is axis a.
using AxisSet = uint64_t;

AxisSet SetOf(const Axes& axes);
AxisSet SetOf(const AxesOfDims& dims);
// In ascending order.
Axes AxesIn(AxisSet set);

class Mesh {
 public:
  // One device a partition; `sizes` are primes, `devices` the partitions in row-major order.
  Mesh(Dims sizes, Dims devices);

  int64_t partitions() const { return static_cast<int64_t>(devices_.size()); }
  size_t axis_count() const { return sizes_.size(); }
  int64_t size(int64_t axis) const { return sizes_[static_cast<size_t>(axis)]; }
  // Places, in row-major order, from one position of the axis to the next.
  int64_t stride(int64_t axis) const { return strides_[static_cast<size_t>(axis)]; }
  const Dims& devices() const { return devices_; }
  // Whether partition p stands at place p.
  bool is_in_order() const { return in_order_; }
  AxisSet all() const;

  // How many parts the axes make.
  int64_t Parts(const Axes& axes) const;
  // Which of these parts the place has.
  int64_t Part(int64_t place, const Axes& axes) const;

  // The sharding of an array of that rank, if axes can say it. Of manual and unreduced subgroups,
  // which are left out, and of replicated, manual and unknown ones no dimension is cut. Not: of one
  // device, of tuples, of other devices than the mesh's.
  std::optional<AxesOfDims> Express(const Sharding& sharding, size_t rank) const;
  // The axes of the manual subgroups; all, where all of it is manual.
  AxisSet ManualAxes(const Sharding& sharding) const;
  // Those of the unreduced subgroups, of a sharding that Express can say.
  AxisSet UnreducedAxes(const Sharding& sharding) const;
  Sharding ToSharding(const AxesOfDims& dims, AxisSet unreduced = 0) const;

 private:
  AxisSet AxesOfSubgroups(const Sharding& sharding, Sharding::Subgroup kind) const;

  Dims sizes_, strides_, devices_;
  bool in_order_ = true;
};

// The mesh of so many partitions that expresses the most of the shardings; of several such, the
// first in a fixed order that begins with partitions in order.
Mesh ChooseMesh(int64_t partitions, absl::Span<const Sharding> stated);

// ceil(size / parts).
inline int64_t PartSize(int64_t size, int64_t parts) { return (size + parts - 1) / parts; }

}  // namespace sinter
