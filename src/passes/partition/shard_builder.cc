#include "passes/partition/shard_builder.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "pass/neutral.h"
#include "passes/partition/choose.h"

namespace sinter::partition {
namespace {

int64_t FloorDivide(int64_t a, int64_t b) { return a >= 0 ? a / b : -((b - 1 - a) / b); }

Dims WithSize(const Shape& s, int64_t d, int64_t size) {
  Dims dims = s.dimensions();
  dims[static_cast<size_t>(d)] = size;
  return dims;
}

}  // namespace

void ShardBuilder::Begin(const HloInstruction& origin) {
  if (g_) status_.Update(g_->status());
  g_.emplace(c_, origin);
}

absl::Status ShardBuilder::status() const { return g_ && status_.ok() ? g_->status() : status_; }

Shape ShardBuilder::PartShape(const Shape& whole, const AxesOfDims& dims) const {
  Dims sizes;
  for (size_t d = 0; d < dims.size(); ++d)
    sizes.push_back(PartSize(whole.dimensions()[d], mesh_.Parts(dims[d])));
  if (sizes == whole.dimensions()) return whole;
  return Shape(whole.element_type(), std::move(sizes));
}

HloInstruction* ShardBuilder::Scalar(ElementType type, Literal value) {
  return g_->Convert(c_.AddConstant(std::move(value)), type);
}

HloInstruction* ShardBuilder::Integer(int64_t value) {
  return c_.AddConstant(Literal::R0<int32_t>(static_cast<int32_t>(value)));
}

HloInstruction* ShardBuilder::Partition() {
  if (partition_ == nullptr) {
    partition_ =
        g_->Convert(g_->Add(HloOpcode::PartitionId, std::initializer_list<HloInstruction*>{}),
                    ElementType::S32);
  }
  return partition_;
}

HloInstruction* ShardBuilder::IsPartition(int64_t number) {
  return g_->Compare(Partition(), Integer(number), ComparisonDirection::kEq);
}

HloInstruction* ShardBuilder::Lookup(const Dims& table) {
  Literal values(Shape(ElementType::S32, {static_cast<int64_t>(table.size())}));
  for (size_t p = 0; p < table.size(); ++p)
    values.data<int32_t>()[p] = static_cast<int32_t>(table[p]);
  HloInstruction* element = DynamicSliceAlong(c_.AddConstant(std::move(values)), 0, Partition(), 1);
  return g_->Reshape(element, {});
}

HloInstruction* ShardBuilder::Part(const Axes& axes) {
  if (axes.empty()) return Integer(0);
  auto known = parts_.find(axes);
  if (known != parts_.end()) return known->second;
  if (place_ == nullptr) {
    place_ = Partition();
    if (!mesh_.is_in_order()) {
      Dims places(mesh_.devices().size());
      for (size_t p = 0; p < places.size(); ++p)
        places[static_cast<size_t>(mesh_.devices()[p])] = static_cast<int64_t>(p);
      place_ = Lookup(places);
    }
  }
  HloInstruction* part = nullptr;
  for (size_t k = 0; k < axes.size();) {
    // Neighbouring axes are one.
    int64_t size = mesh_.size(axes[k]);
    size_t last = k;
    while (last + 1 < axes.size() &&
           mesh_.stride(axes[last]) == mesh_.stride(axes[last + 1]) * mesh_.size(axes[last + 1])) {
      size *= mesh_.size(axes[++last]);
    }
    const int64_t stride = mesh_.stride(axes[last]);
    HloInstruction* position = place_;
    if (stride != 1) position = g_->Add(HloOpcode::Divide, {position, Integer(stride)});
    if (stride * size != mesh_.partitions())
      position = g_->Add(HloOpcode::Remainder, {position, Integer(size)});
    if (part != nullptr) {
      part = g_->Add(HloOpcode::Multiply, {part, Integer(size)});
      position = g_->Add(HloOpcode::Add, {part, position});
    }
    part = position;
    k = last + 1;
  }
  return parts_[axes] = part;
}

HloInstruction* ShardBuilder::Start(const Axes& axes, int64_t part_size) {
  if (axes.empty()) return Integer(0);
  return part_size == 1 ? Part(axes)
                        : g_->Add(HloOpcode::Multiply, {Part(axes), Integer(part_size)});
}

HloInstruction* ShardBuilder::IsFirst(const Axes& axes) {
  return g_->Compare(Part(axes), Integer(0), ComparisonDirection::kEq);
}

HloInstruction* ShardBuilder::Fill(HloInstruction* scalar, const Shape& like) {
  return g_->Splat(scalar, like.dimensions());
}

HloInstruction* ShardBuilder::Select(HloInstruction* p, HloInstruction* x, HloInstruction* y) {
  if (p->shape().rank() != x->shape().rank()) p = Fill(p, x->shape());
  if (y->shape().rank() != x->shape().rank()) y = Fill(y, x->shape());
  return g_->Add(HloOpcode::Select, {p, x, y});
}

HloInstruction* ShardBuilder::Positions(const Shape& part, int64_t d, const Axes& axes) {
  const Shape shape(ElementType::S32, part.dimensions());
  HloInstruction* iota =
      g_->Add(HloOpcode::Iota, std::initializer_list<HloInstruction*>{}, IotaAttrs{d}, {}, &shape);
  if (axes.empty()) return iota;
  return g_->Add(HloOpcode::Add, {iota, Fill(Start(axes, part.dimension(d)), part)});
}

HloInstruction* ShardBuilder::Between(HloInstruction* x, int64_t low, int64_t limit) {
  HloInstruction* at_least =
      g_->Compare(x, Fill(Integer(low), x->shape()), ComparisonDirection::kGe);
  HloInstruction* below =
      g_->Compare(x, Fill(Integer(limit), x->shape()), ComparisonDirection::kLt);
  return g_->Add(HloOpcode::And, {at_least, below});
}

HloInstruction* ShardBuilder::MaskTail(HloInstruction* x, int64_t d, int64_t size, const Axes& axes,
                                       HloInstruction* fill) {
  if (size % mesh_.Parts(axes) == 0) return x;
  HloInstruction* positions = Positions(x->shape(), d, axes);
  HloInstruction* inside =
      g_->Compare(positions, Fill(Integer(size), x->shape()), ComparisonDirection::kLt);
  return Select(inside, x, fill);
}

Groups ShardBuilder::GroupsOf(const Axes& axes, bool of_devices) const {
  const AxisSet used = SetOf(axes);
  const auto parts = static_cast<size_t>(mesh_.Parts(axes));
  std::map<int64_t, Dims> by_rest;  // the position along all other axes
  Axes rest;
  for (size_t a = 0; a < mesh_.axis_count(); ++a) {
    if ((used >> a & 1) == 0) rest.push_back(static_cast<int64_t>(a));
  }
  for (int64_t place = 0; place < mesh_.partitions(); ++place) {
    Dims& group = by_rest[mesh_.Part(place, rest)];
    group.resize(parts);
    group[static_cast<size_t>(mesh_.Part(place, axes))] =
        mesh_.devices()[static_cast<size_t>(place)];
  }
  Groups groups;
  const int64_t replicas = of_devices ? c_.module()->replica_count() : 1;
  for (int64_t r = 0; r < replicas; ++r) {
    for (const auto& [position, group] : by_rest) {
      Dims& copy = groups.emplace_back(group);
      for (int64_t& device : copy) device += r * mesh_.partitions();
    }
  }
  return groups;
}

CollectiveAttrs ShardBuilder::Collective(const Axes& axes, bool of_devices) {
  CollectiveAttrs attrs;
  attrs.channel_id = (*next_channel_)++;
  attrs.use_global_device_ids = of_devices;
  attrs.replica_groups = GroupsOf(axes, of_devices);
  return attrs;
}

HloComputation* ShardBuilder::Combiner(HloOpcode op, ElementType type) {
  HloComputation*& known = combiners_[{op, type}];
  if (known == nullptr) known = BinaryComputation(*c_.module(), op, type);
  return known;
}

HloInstruction* ShardBuilder::AllReduce(HloInstruction* x, const Axes& axes, HloOpcode op) {
  if (axes.empty()) return x;
  return g_->Add(HloOpcode::AllReduce, {x}, Collective(axes, true),
                 {Combiner(op, x->shape().element_type())});
}

HloInstruction* ShardBuilder::ReduceScatter(HloInstruction* x, int64_t d, const Axes& axes,
                                            HloOpcode op) {
  CollectiveAttrs attrs = Collective(axes, true);
  attrs.dimensions = {d};
  return g_->Add(HloOpcode::ReduceScatter, {x}, std::move(attrs),
                 {Combiner(op, x->shape().element_type())});
}

HloInstruction* ShardBuilder::AllGather(HloInstruction* x, int64_t d, const Axes& axes) {
  if (axes.empty()) return x;
  CollectiveAttrs attrs = Collective(axes, true);
  attrs.dimensions = {d};
  return g_->Add(HloOpcode::AllGather, {x}, std::move(attrs));
}

HloInstruction* ShardBuilder::GatherAll(HloInstruction* x) {
  Dims sizes = x->shape().dimensions();
  sizes.insert(sizes.begin(), 1);
  CollectiveAttrs attrs;
  attrs.channel_id = (*next_channel_)++;
  attrs.use_global_device_ids = true;
  attrs.dimensions = {0};
  for (int64_t r = 0; r < c_.module()->replica_count(); ++r) {
    Dims& group = attrs.replica_groups.emplace_back();
    for (int64_t p = 0; p < mesh_.partitions(); ++p) group.push_back(r * mesh_.partitions() + p);
  }
  return g_->Add(HloOpcode::AllGather, {g_->Reshape(x, sizes)}, std::move(attrs));
}

// Dimension `split` is cut into parts, one for each partition of a group, which are joined along
// the other one in the order of where they are from.
HloInstruction* ShardBuilder::AllToAll(HloInstruction* x, int64_t split, int64_t joined,
                                       const Axes& axes) {
  const int64_t parts = mesh_.Parts(axes);
  Dims sizes = x->shape().dimensions();
  const auto at = sizes.begin() + split;
  *at /= parts;
  sizes.insert(at, parts);
  x = g_->Reshape(x, sizes);
  CollectiveAttrs attrs = Collective(axes, false);
  attrs.dimensions = {split};
  x = g_->Add(HloOpcode::AllToAll, {x}, std::move(attrs));
  // The parts come before the dimension along which they are joined.
  const int64_t joined_now = joined < split ? joined : joined + 1;
  Dims permutation, merged;
  for (int64_t d = 0; d < x->shape().rank(); ++d) {
    if (d == split) continue;
    if (d == joined_now) permutation.push_back(split);
    permutation.push_back(d);
    merged.push_back(x->shape().dimension(d) * (d == joined_now ? parts : 1));
  }
  return g_->Reshape(g_->Transpose(x, permutation), merged);
}

HloInstruction* ShardBuilder::Permute(HloInstruction* x, Groups pairs) {
  CollectivePermuteAttrs attrs;
  attrs.channel_id = (*next_channel_)++;
  attrs.source_target_pairs = std::move(pairs);
  return g_->Add(HloOpcode::CollectivePermute, {x}, std::move(attrs));
}

HloInstruction* ShardBuilder::SliceAlong(HloInstruction* x, int64_t d, int64_t start,
                                         int64_t limit) {
  if (start == 0 && limit == x->shape().dimension(d)) return x;
  SliceAttrs attrs{Dims(x->shape().dimensions().size(), 0), x->shape().dimensions(),
                   Dims(x->shape().dimensions().size(), 1)};
  attrs.starts[static_cast<size_t>(d)] = start;
  attrs.limits[static_cast<size_t>(d)] = limit;
  return g_->Add(HloOpcode::Slice, {x}, std::move(attrs));
}

HloInstruction* ShardBuilder::DynamicSliceAlong(HloInstruction* x, int64_t d, HloInstruction* start,
                                                int64_t size) {
  std::vector<HloInstruction*> operands{x};
  HloInstruction* zero = x->shape().rank() > 1 ? Integer(0) : nullptr;
  for (int64_t k = 0; k < x->shape().rank(); ++k) operands.push_back(k == d ? start : zero);
  return g_->Add(HloOpcode::DynamicSlice, operands,
                 DynamicSliceAttrs{WithSize(x->shape(), d, size)});
}

HloInstruction* ShardBuilder::PadAlong(HloInstruction* x, int64_t d, int64_t low, int64_t high) {
  if (low == 0 && high == 0) return x;
  const Dims none(x->shape().dimensions().size(), 0);
  PadAttrs attrs{none, none, none};
  attrs.low[static_cast<size_t>(d)] = low;
  attrs.high[static_cast<size_t>(d)] = high;
  return g_->Add(HloOpcode::Pad, {x, g_->Zero(x->shape().element_type())}, std::move(attrs));
}

HloInstruction* ShardBuilder::Concatenate(std::vector<HloInstruction*> pieces, int64_t d) {
  if (pieces.size() == 1) return pieces[0];
  return g_->Add(HloOpcode::Concatenate, pieces, DimensionsAttrs{{d}});
}

HloInstruction* ShardBuilder::Cut(HloInstruction* x, int64_t d, const Axes& axes) {
  if (axes.empty()) return x;
  const int64_t size = x->shape().dimension(d), parts = mesh_.Parts(axes);
  const int64_t part = PartSize(size, parts);
  if (x->op() == HloOpcode::Broadcast && x->operand(0)->shape().is_scalar())
    return g_->Splat(x->operand(0), WithSize(x->shape(), d, part));
  x = PadAlong(x, d, 0, part * parts - size);
  return DynamicSliceAlong(x, d, Start(axes, part), part);
}

Shard ShardBuilder::Combine(const Shard& x, const Shape& whole, const AxesOfDims& wanted,
                            const Axes& axes, HloOpcode op) {
  Shard out = x;
  out.partial.axes &= ~SetOf(axes);
  if (out.partial.axes == 0) out.partial = {};
  const ScatteredDimension scatter = FindScatter(mesh_, whole, x.dims, wanted, axes);
  Axes rest;
  for (int64_t a : axes) {
    if (std::find(scatter.axes.begin(), scatter.axes.end(), a) == scatter.axes.end())
      rest.push_back(a);
  }
  if (!scatter.axes.empty()) {
    out.i = ReduceScatter(out.i, static_cast<int64_t>(scatter.d), scatter.axes, op);
    Axes& cut = out.dims[scatter.d];
    cut.insert(cut.end(), scatter.axes.begin(), scatter.axes.end());
  }
  out.i = AllReduce(out.i, rest, op);
  return out;
}

Shard ShardBuilder::MakePartial(Shard x, const Shape& whole, AxisSet axes, HloOpcode op) {
  const Partial made{x.partial.axes | axes, op};
  auto literal = NeutralElement(op, whole.element_type());
  if (!literal) {
    g_->Fail(
        InvalidArgument("{} cannot be combined by {} of partitions", whole.ToString(), Name(op)));
    return x;
  }
  HloInstruction* const neutral = c_.AddConstant(*std::move(literal));
  for (int64_t d = 0; d < whole.rank(); ++d) {
    Axes& cut = x.dims[static_cast<size_t>(d)];
    const Axes old = cut;
    Axes tail;
    while (!cut.empty() && (axes >> cut.back() & 1) != 0) {
      tail.insert(tail.begin(), cut.back());
      cut.pop_back();
    }
    const int64_t size = whole.dimension(d), parts = mesh_.Parts(old);
    // Parts of parts are parts of the whole only where they are of one size.
    if (tail.empty() || (!cut.empty() && size % parts != 0)) {
      cut = old;
      continue;
    }
    axes &= ~SetOf(tail);
    x.i = MaskTail(x.i, d, size, old, neutral);
    const int64_t part = PartSize(size, parts);
    Shape all = x.i->shape();
    all.set_dimension(d, part * mesh_.Parts(tail));
    std::vector<HloInstruction*> operands{Fill(neutral, all), x.i};
    for (int64_t k = 0; k < whole.rank(); ++k)
      operands.push_back(k == d ? Start(tail, part) : Integer(0));
    x.i = SliceAlong(g_->Add(HloOpcode::DynamicUpdateSlice, operands), d, 0,
                     PartSize(size, mesh_.Parts(cut)));
  }
  if (axes != 0) {
    AxesOfDims without = x.dims;
    for (Axes& cut : without) {
      auto first =
          std::find_if(cut.begin(), cut.end(), [&](int64_t a) { return (axes >> a & 1) != 0; });
      cut.erase(first, cut.end());
    }
    x = Reshard(x, whole, without, x.partial);
    x.i = Select(IsFirst(AxesIn(axes)), x.i, neutral);
  }
  x.partial = made;
  return x;
}

Shard ShardBuilder::Reshard(const Shard& x, const Shape& whole, const AxesOfDims& to,
                            const Partial& partial) {
  if ((x.dims == to && x.partial == partial) || !whole.is_array()) return x;
  auto key = std::make_tuple(x.i, x.dims, whole.dimensions(), to, partial);
  auto known = resharded_.find(key);
  if (known != resharded_.end()) return known->second;
  Shard now = x;
  const AxisSet stay = now.partial.op == partial.op ? partial.axes : 0;
  if (const AxisSet done = now.partial.axes & ~stay; done != 0)
    now = Combine(now, whole, to, AxesIn(done), now.partial.op);
  if (const AxisSet more = partial.axes & ~now.partial.axes; more != 0)
    now = MakePartial(std::move(now), whole, more, partial.op);
  const Axes partial_axes = AxesIn(now.partial.axes);
  for (const ShardMove& move : PlanMoves(mesh_, whole, now.dims, to)) {
    switch (move.kind) {
      case ShardMove::Kind::kCut:
        now.i = Cut(now.i, move.d, move.axes);
        break;
      case ShardMove::Kind::kGather: {
        now.i = AllGather(now.i, move.d, move.axes);
        const Axes& left = move.after[static_cast<size_t>(move.d)];
        now.i = SliceAlong(now.i, move.d, 0, PartSize(whole.dimension(move.d), mesh_.Parts(left)));
        break;
      }
      case ShardMove::Kind::kAllToAll:
        now.i = AllToAll(now.i, move.to, move.d, move.axes);
        break;
      case ShardMove::Kind::kPermute: {
        // Of those that have a part, each gives it to one of those that need it.
        std::map<Dims, std::pair<Dims, Dims>> by_part;  // who has it, who needs it
        for (int64_t place = 0; place < mesh_.partitions(); ++place) {
          Dims has, needs;
          for (size_t d = 0; d < now.dims.size(); ++d) {
            has.push_back(mesh_.Part(place, now.dims[d]));
            needs.push_back(mesh_.Part(place, move.after[d]));
          }
          has.push_back(mesh_.Part(place, partial_axes));
          needs.push_back(mesh_.Part(place, partial_axes));
          const int64_t device = mesh_.devices()[static_cast<size_t>(place)];
          by_part[has].first.push_back(device);
          by_part[needs].second.push_back(device);
        }
        Groups pairs;
        for (auto& [part, devices] : by_part) {
          auto& [has, needs] = devices;
          // Who has what it needs keeps it.
          for (size_t k = 0; k < needs.size(); ++k) {
            auto own = std::find(has.begin() + static_cast<int64_t>(k), has.end(), needs[k]);
            if (own != has.end()) std::iter_swap(has.begin() + static_cast<int64_t>(k), own);
          }
          for (size_t k = 0; k < needs.size(); ++k) pairs.push_back({has[k], needs[k]});
        }
        std::sort(pairs.begin(), pairs.end());
        now.i = Permute(now.i, std::move(pairs));
        break;
      }
    }
    now.dims = move.after;
  }
  if (now.dims != to)
    g_->Fail(
        Internal("no moves of {} to a sharding that cuts by one axis twice", whole.ToString()));
  return resharded_[std::move(key)] = now;
}

HloInstruction* ShardBuilder::Shift(HloInstruction* x, int64_t d, const Axes& axes,
                                    const Move& move, HloInstruction* fill) {
  HloInstruction* y = Neighbours(x, d, axes, move);
  if (fill == nullptr || (move.start >= 0 && move.start + move.new_size <= move.size)) return y;
  HloInstruction* inside =
      Between(Positions(y->shape(), d, axes), -move.start, move.size - move.start);
  return Select(inside, y, fill);
}

// Elements start to start + length of a dimension, zeros where it has none.
HloInstruction* ShardBuilder::Window(HloInstruction* x, int64_t d, int64_t start, int64_t length) {
  const int64_t size = x->shape().dimension(d);
  const int64_t begin = std::clamp<int64_t>(start, 0, size),
                end = std::clamp<int64_t>(start + length, 0, size);
  const int64_t low = std::clamp<int64_t>(-start, 0, length);
  return PadAlong(SliceAlong(x, d, begin, end), d, low, length - low - (end - begin));
}

HloInstruction* ShardBuilder::Neighbours(HloInstruction* x, int64_t d, const Axes& axes,
                                         const Move& move) {
  const int64_t parts = mesh_.Parts(axes);
  const int64_t old_part = PartSize(move.size, parts), part = PartSize(move.new_size, parts);
  // Part i begins with element i * part + start of the old array. By how many parts further the old
  // parts are in which it begins and ends; where in the first of these, and up to where in the
  // last.
  auto first = [&](int64_t i) { return i * part + move.start; };
  int64_t nearest = parts, farthest = -parts;
  for (int64_t i = 0; i < parts; ++i) {
    nearest = std::min(nearest, FloorDivide(first(i), old_part) - i);
    farthest = std::max(farthest, FloorDivide(first(i) + part - 1, old_part) - i);
  }
  int64_t low = old_part, high = 0;
  for (int64_t i = 0; i < parts; ++i) {
    const int64_t begin = first(i), end = begin + part;
    if (FloorDivide(begin, old_part) - i == nearest)
      low = std::min(low, begin - (i + nearest) * old_part);
    if (FloorDivide(end - 1, old_part) - i == farthest)
      high = std::max(high, end - (i + farthest) * old_part);
  }
  int64_t remote = 0;
  for (int64_t by = nearest; by <= farthest; ++by) {
    const int64_t from = by == nearest ? low : 0, to = by == farthest ? high : old_part;
    if (by != 0) remote += to - from;
  }
  if (remote >= (parts - 1) * old_part || nearest <= -parts || farthest >= parts) {
    HloInstruction* all = AllGather(x, d, axes);
    all = Window(all, d, move.start, parts * part);
    return axes.empty() ? all : DynamicSliceAlong(all, d, Start(axes, part), part);
  }
  const Groups groups = GroupsOf(axes, false);
  std::vector<HloInstruction*> pieces;
  for (int64_t by = nearest; by <= farthest; ++by) {
    const int64_t from = by == nearest ? low : 0, to = by == farthest ? high : old_part;
    if (from == to) continue;
    HloInstruction* piece = SliceAlong(x, d, from, to);
    if (by != 0) {
      Groups pairs;
      for (const Dims& group : groups) {
        for (int64_t i = 0; i < parts; ++i) {
          const int64_t source = i + by;
          if (source < 0 || source >= parts) continue;
          const bool reaches =
              first(i) < source * old_part + to && first(i) + part > source * old_part + from;
          if (reaches)
            pairs.push_back({group[static_cast<size_t>(source)], group[static_cast<size_t>(i)]});
        }
      }
      std::sort(pairs.begin(), pairs.end());
      piece = Permute(piece, std::move(pairs));
    }
    pieces.push_back(piece);
  }
  HloInstruction* all = Concatenate(std::move(pieces), d);
  // Part i begins at i * (part - old_part) + offset of what it has now.
  const int64_t offset = move.start - nearest * old_part - low;
  if (part == old_part) return SliceAlong(all, d, offset, offset + part);
  HloInstruction* at = g_->Add(HloOpcode::Multiply, {Part(axes), Integer(part - old_part)});
  at = g_->Add(HloOpcode::Add, {at, Integer(offset)});
  return DynamicSliceAlong(all, d, at, part);
}

Shape ShardBuilder::ForeignPartShape(const Shape& whole, const Sharding& s) {
  if (s.kind != Sharding::Kind::kTiled) return whole;
  Dims sizes;
  for (int64_t d = 0; d < whole.rank(); ++d)
    sizes.push_back(PartSize(whole.dimension(d), s.tiles[static_cast<size_t>(d)]));
  return Shape(whole.element_type(), std::move(sizes));
}

HloInstruction* ShardBuilder::FromForeign(HloInstruction* x, const Shape& whole,
                                          const Sharding& s) {
  HloInstruction* all = GatherAll(x);
  auto of_device = [&](int64_t device) {
    return g_->Reshape(SliceAlong(all, 0, device, device + 1), x->shape().dimensions());
  };
  if (s.kind == Sharding::Kind::kMaximal) return of_device(s.device);
  int64_t alike = 1;  // the devices that have one part
  for (size_t k = s.rank(); k < s.tiles.size(); ++k) alike *= s.tiles[k];
  std::vector<HloInstruction*> pieces;
  for (size_t p = 0; p < s.devices.size(); p += static_cast<size_t>(alike))
    pieces.push_back(of_device(s.devices[p]));
  for (size_t d = s.rank(); d-- > 0;) {
    std::vector<HloInstruction*> joined;
    const auto count = static_cast<size_t>(s.tiles[d]);
    for (size_t p = 0; p < pieces.size(); p += count) {
      const auto begin = pieces.begin() + static_cast<int64_t>(p);
      HloInstruction* piece =
          Concatenate({begin, begin + static_cast<int64_t>(count)}, static_cast<int64_t>(d));
      joined.push_back(
          SliceAlong(piece, static_cast<int64_t>(d), 0, whole.dimension(static_cast<int64_t>(d))));
    }
    pieces = std::move(joined);
  }
  return pieces[0];
}

HloInstruction* ShardBuilder::ToForeign(HloInstruction* x, const Shape& whole, const Sharding& s) {
  if (s.kind != Sharding::Kind::kTiled) return x;
  const Shape part = ForeignPartShape(whole, s);
  Dims at(s.tiles.size(), 0);
  std::vector<Dims> parts(s.devices.size());
  for (int64_t device : s.devices) {
    parts[static_cast<size_t>(device)] = at;
    for (size_t d = at.size(); d-- > 0;) {
      if (++at[d] < s.tiles[d]) break;
      at[d] = 0;
    }
  }
  for (int64_t d = 0; d < whole.rank(); ++d) {
    const int64_t tiles = s.tiles[static_cast<size_t>(d)];
    if (tiles == 1) continue;
    Dims starts;
    for (const Dims& of : parts) starts.push_back(of[static_cast<size_t>(d)] * part.dimension(d));
    x = PadAlong(x, d, 0, tiles * part.dimension(d) - whole.dimension(d));
    x = DynamicSliceAlong(x, d, Lookup(starts), part.dimension(d));
  }
  return x;
}

}  // namespace sinter::partition
