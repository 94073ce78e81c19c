// Instructions of one partition's program: parts of arrays, and what moves them between partitions.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <tuple>

#include "ir/module.h"
#include "ir/sharding/mesh.h"
#include "pass/graph.h"
#include "passes/partition/moves.h"

namespace sinter::partition {

// An array of which each partition has the part that `dims` says; the last parts along a dimension
// are filled up with anything to the size of the others.
//
// Where `partial` says so, partitions along its axes have values of their own, of which the array
// is what they combine to.
struct Shard {
  HloInstruction* i = nullptr;
  AxesOfDims dims;
  Partial partial;
};

class ShardBuilder {
 public:
  // Collectives take channels from *next_channel on.
  ShardBuilder(HloComputation& c, const Mesh& mesh, int64_t* next_channel)
      : c_(c), mesh_(mesh), next_channel_(next_channel) {}

  // What is added from now on stands for `origin`.
  void Begin(const HloInstruction& origin);
  Graph& graph() { return *g_; }
  const Mesh& mesh() const { return mesh_; }
  HloComputation& computation() { return c_; }
  absl::Status status() const;

  Shape PartShape(const Shape& whole, const AxesOfDims& dims) const;

  // S32 scalars: which part along the axes this partition has, and where it begins, in parts of so
  // many elements.
  HloInstruction* Part(const Axes& axes);
  HloInstruction* Start(const Axes& axes, int64_t part_size);
  HloInstruction* Integer(int64_t value);
  HloInstruction* Scalar(ElementType type, Literal value);
  // Whether the partition has the first part: PRED scalar.
  HloInstruction* IsFirst(const Axes& axes);
  // Whether it is the partition of the number: PRED scalar.
  HloInstruction* IsPartition(int64_t number);
  // The scalar for all elements of x.
  HloInstruction* Fill(HloInstruction* scalar, const Shape& like);
  // x where p, else y; p and y may be scalars.
  HloInstruction* Select(HloInstruction* p, HloInstruction* x, HloInstruction* y);
  // The positions along dimension d of the whole array, for each element of a part.
  HloInstruction* Positions(const Shape& part, int64_t d, const Axes& axes);
  HloInstruction* Between(HloInstruction* x, int64_t low, int64_t limit);

  // x with `fill` where parts are filled up along dimension d, of so many elements in the whole.
  HloInstruction* MaskTail(HloInstruction* x, int64_t d, int64_t size, const Axes& axes,
                           HloInstruction* fill);

  HloInstruction* AllReduce(HloInstruction* x, const Axes& axes, HloOpcode op);
  HloInstruction* ReduceScatter(HloInstruction* x, int64_t d, const Axes& axes, HloOpcode op);
  HloInstruction* AllGather(HloInstruction* x, int64_t d, const Axes& axes);
  // One array a partition, in order of partition ids, along a new dimension 0.
  HloInstruction* GatherAll(HloInstruction* x);

  // The part of an array that all have, of dimensions that `from` does not cut and `to` does.
  HloInstruction* Cut(HloInstruction* x, int64_t d, const Axes& axes);
  // x, whose partitions along `axes` have parts to be combined, combined; cut further where
  // `wanted` is.
  Shard Combine(const Shard& x, const Shape& whole, const AxesOfDims& wanted, const Axes& axes,
                HloOpcode op);
  // The array of shape `whole` under another sharding. Where it shall be partial and is not, each
  // partition has its part at its place, or the first partitions along the axes have it, and
  // elsewhere is what changes nothing.
  Shard Reshard(const Shard& x, const Shape& whole, const AxesOfDims& to,
                const Partial& partial = {});
  HloInstruction* Replicated(const Shard& x, const Shape& whole) {
    return Reshard(x, whole, AxesOfDims(x.dims.size())).i;
  }

  // From a dimension d of `size` elements, cut by `axes`, one of `new_size` elements that is cut by
  // them too: its element p is element p + start of the old one, or `fill` (null: anything) where
  // there is none. Parts take what they lack from their neighbours.
  struct Move {
    int64_t size = 0, start = 0, new_size = 0;
  };
  HloInstruction* Shift(HloInstruction* x, int64_t d, const Axes& axes, const Move& move,
                        HloInstruction* fill);

  // From and to shardings that no axes say.
  HloInstruction* FromForeign(HloInstruction* x, const Shape& whole, const Sharding& sharding);
  HloInstruction* ToForeign(HloInstruction* x, const Shape& whole, const Sharding& sharding);
  static Shape ForeignPartShape(const Shape& whole, const Sharding& sharding);

 private:
  // Partitions that differ along `axes` only, in the order of their parts; with the numbers of
  // devices, each replica's apart, or of partitions.
  Groups GroupsOf(const Axes& axes, bool of_devices) const;
  CollectiveAttrs Collective(const Axes& axes, bool of_devices);
  // What is not partial along `axes`, partial along them.
  Shard MakePartial(Shard x, const Shape& whole, AxisSet axes, HloOpcode op);
  HloInstruction* AllToAll(HloInstruction* x, int64_t split, int64_t joined, const Axes& axes);
  HloInstruction* Permute(HloInstruction* x, Groups pairs);
  HloInstruction* SliceAlong(HloInstruction* x, int64_t d, int64_t start, int64_t limit);
  HloInstruction* DynamicSliceAlong(HloInstruction* x, int64_t d, HloInstruction* start,
                                    int64_t size);
  HloInstruction* PadAlong(HloInstruction* x, int64_t d, int64_t low, int64_t high);
  HloInstruction* Concatenate(std::vector<HloInstruction*> pieces, int64_t d);
  HloInstruction* Partition();
  HloInstruction* Lookup(const Dims& table);  // an element a partition
  HloInstruction* Window(HloInstruction* x, int64_t d, int64_t start, int64_t length);
  HloComputation* Combiner(HloOpcode op, ElementType type);
  HloInstruction* Neighbours(HloInstruction* x, int64_t d, const Axes& axes, const Move& move);

  HloComputation& c_;
  const Mesh& mesh_;
  int64_t* next_channel_;
  std::optional<Graph> g_;
  absl::Status status_;
  HloInstruction* partition_ = nullptr;  // S32
  HloInstruction* place_ = nullptr;      // in the mesh
  std::map<std::pair<HloOpcode, ElementType>, HloComputation*> combiners_;
  std::map<Axes, HloInstruction*> parts_;
  // Values of several sizes may have one instruction for their parts, where these are of one size.
  std::map<std::tuple<HloInstruction*, AxesOfDims, Dims, AxesOfDims, Partial>, Shard> resharded_;
};

}  // namespace sinter::partition
