// Collectives and transfers.
#include "builder/impl.h"
#include "sinter/collective_ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

std::optional<int64_t> IdOf(const std::optional<ChannelHandle>& channel) {
  if (!channel || channel->handle == 0) return std::nullopt;
  return channel->handle;
}

CollectiveAttrs AttributesOf(absl::Span<const ReplicaGroup> groups,
                             const std::optional<ChannelHandle>& channel,
                             std::optional<bool> use_global_device_ids = std::nullopt) {
  CollectiveAttrs attrs;
  attrs.channel_id = IdOf(channel);
  for (const ReplicaGroup& group : groups) attrs.replica_groups.push_back(group.replica_ids);
  attrs.use_global_device_ids = use_global_device_ids.value_or(false);
  return attrs;
}

// The computation on scalars of the operand's type.
absl::StatusOr<HloComputation*> Combiner(Recording& r, const Callable& computation,
                                         const HloInstruction* x) {
  const Shape scalar(x->shape().element_type());
  return r.Called(computation, {scalar, scalar}, "computation");
}

// Groups must have as many participants as there are parts.
absl::Status CheckCount(const Recording& r, const CollectiveAttrs& attrs, int64_t count,
                        HloInstruction* x) {
  if (count < 1) return r.Error(Format("{} participants", count), {&x, 1});
  for (const Dims& group : attrs.replica_groups) {
    if (group.size() == static_cast<size_t>(count)) continue;
    return r.Error(Format("a group has {} participants, not {}", group.size(), count), {&x, 1});
  }
  return absl::OkStatus();
}

// The operand's shape with the dimension, if it is one, times or over the count.
absl::StatusOr<Shape> Scaled(const Recording& r, HloInstruction* x, int64_t dimension,
                             int64_t count, bool times) {
  Shape shape = x->shape();
  if (!shape.is_array() || dimension < 0 || dimension >= shape.rank()) return shape;
  const int64_t size = shape.dimension(dimension);
  if (times && size > INT64_MAX / count) return r.Error("the result is too large", {&x, 1});
  if (!times && size % count != 0) {
    return r.Error(Format("(C1) {} participants do not divide dimension {}", count, dimension),
                   {&x, 1});
  }
  Dims dims = shape.dimensions();
  dims[static_cast<size_t>(dimension)] = times ? size * count : size / count;
  return Shape(shape.element_type(), std::move(dims));
}

Made AddOutfeed(Recording& r, const Operand& operand, HloInstruction* token, const Shape& shape,
                const std::string& config) {
  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
  if (!Shape::Compatible(shape, x->shape())) {
    return r.Error(Format("the shape must be that of the operand, given {}", shape.ToString()),
                   {&x, 1});
  }
  return r.Add(HloOpcode::Outfeed, {x, token}, OutfeedAttrs{config});
}

bool IsHostTransfer(const ChannelHandle& handle) {
  return handle.type == ChannelHandle::DEVICE_TO_HOST ||
         handle.type == ChannelHandle::HOST_TO_DEVICE;
}

}  // namespace

Op AllReduce(const Operand& operand, const Callable& computation,
             absl::Span<const ReplicaGroup> replica_groups,
             const std::optional<ChannelHandle>& channel_id,
             std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::AllReduce), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(HloComputation * c, Combiner(r, computation, x));
    return r.Add(HloOpcode::AllReduce, {x},
                 AttributesOf(replica_groups, channel_id, use_global_device_ids), {&c, 1});
  });
}

Op CrossReplicaSum(const Operand& operand, absl::Span<const ReplicaGroup> replica_groups) {
  return AllReduce(
      operand, [](Op a, Op b) { return a + b; }, replica_groups);
}

Op AllGather(const Operand& operand, int64_t all_gather_dimension, int64_t shard_count,
             absl::Span<const ReplicaGroup> replica_groups,
             const std::optional<ChannelHandle>& channel_id,
             std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::AllGather), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    CollectiveAttrs attrs = AttributesOf(replica_groups, channel_id, use_global_device_ids);
    RETURN_IF_ERROR(CheckCount(r, attrs, shard_count, x));
    attrs.dimensions = {all_gather_dimension};
    ASSIGN_OR_RETURN(Shape result, Scaled(r, x, all_gather_dimension, shard_count, true));
    return r.Add(HloOpcode::AllGather, {x}, std::move(attrs), {}, &result);
  });
}

Op ReduceScatter(const Operand& operand, const Callable& computation, int64_t scatter_dimension,
                 int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<ChannelHandle>& channel_id,
                 std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::ReduceScatter), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    CollectiveAttrs attrs = AttributesOf(replica_groups, channel_id, use_global_device_ids);
    RETURN_IF_ERROR(CheckCount(r, attrs, shard_count, x));
    attrs.dimensions = {scatter_dimension};
    ASSIGN_OR_RETURN(Shape result, Scaled(r, x, scatter_dimension, shard_count, false));
    ASSIGN_OR_RETURN(HloComputation * c, Combiner(r, computation, x));
    if (c->root()->shape().is_array()) result.set_element_type(c->root()->shape().element_type());
    return r.Add(HloOpcode::ReduceScatter, {x}, std::move(attrs), {&c, 1}, &result);
  });
}

Op AllToAll(const Operand& operand, int64_t split_dimension, int64_t concat_dimension,
            int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
            const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::AllToAll), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    CollectiveAttrs attrs = AttributesOf(replica_groups, channel_id);
    RETURN_IF_ERROR(CheckCount(r, attrs, split_count, x));
    attrs.dimensions = {split_dimension};
    const Shape shape = x->shape();
    ASSIGN_OR_RETURN(HloInstruction * y, r.Add(HloOpcode::AllToAll, {x}, std::move(attrs)));
    if (concat_dimension < 0 || concat_dimension >= shape.rank()) {
      return r.Error(Format("(C3) there is no dimension {}", concat_dimension), {&x, 1});
    }
    if (split_dimension == concat_dimension) return y;
    if (shape.dimension(split_dimension) % split_count != 0) {
      return r.Error(Format("(C2) {} parts of dimension {}", split_count, split_dimension),
                     {&x, 1});
    }
    // The dimension that counts parts is moved before the one along which they are put together.
    Dims parts = shape.dimensions(), joined, order;
    parts[static_cast<size_t>(split_dimension)] /= split_count;
    joined = parts;
    joined[static_cast<size_t>(concat_dimension)] *= split_count;
    parts.insert(parts.begin() + split_dimension, split_count);
    const int64_t before =
        concat_dimension < split_dimension ? concat_dimension : concat_dimension + 1;
    for (int64_t d = 0; d < static_cast<int64_t>(parts.size()); ++d) {
      if (d == before) order.push_back(split_dimension);
      if (d != split_dimension) order.push_back(d);
    }
    const Shape split(shape.element_type(), parts), result(shape.element_type(), joined);
    ASSIGN_OR_RETURN(y, r.Add(HloOpcode::Reshape, {y}, NoAttrs{}, {}, &split));
    ASSIGN_OR_RETURN(y, r.Add(HloOpcode::Transpose, {y}, DimensionsAttrs{order}));
    return r.Add(HloOpcode::Reshape, {y}, NoAttrs{}, {}, &result);
  });
}

Op AllToAllTuple(Builder* builder, absl::Span<const Op> operands,
                 absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<ChannelHandle>& channel_id, SourceLocation where) {
  return Record(builder, Name(HloOpcode::AllToAll), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    return r.Add(HloOpcode::AllToAll, x, AttributesOf(replica_groups, channel_id));
  });
}

Op CollectiveBroadcast(const Operand& operand, absl::Span<const ReplicaGroup> replica_groups,
                       const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::CollectiveBroadcast), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::CollectiveBroadcast, {x}, AttributesOf(replica_groups, channel_id));
  });
}

Op CollectivePermute(const Operand& operand,
                     const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                     const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::CollectivePermute), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    CollectivePermuteAttrs attrs{IdOf(channel_id), {}};
    for (const auto& [source, target] : source_target_pairs) {
      attrs.source_target_pairs.push_back({source, target});
    }
    return r.Add(HloOpcode::CollectivePermute, {x}, std::move(attrs));
  });
}

Op ReplicaId(Builder* builder, SourceLocation where) {
  return Record(builder, Name(HloOpcode::ReplicaId), where,
                [&](Recording& r) -> Made { return r.Add(HloOpcode::ReplicaId, {}); });
}

Op Infeed(Builder* builder, const Shape& shape, const std::string& config, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Infeed), where, [&](Recording& r) -> Made {
    RETURN_IF_ERROR(CheckShape(shape));
    ASSIGN_OR_RETURN(HloInstruction * token, r.Add(HloOpcode::AfterAll, {}));
    const Shape result = Shape::Tuple({shape, Shape::Token()});
    ASSIGN_OR_RETURN(HloInstruction * infeed,
                     r.Add(HloOpcode::Infeed, {token}, InfeedAttrs{config}, {}, &result));
    return r.Add(HloOpcode::GetTupleElement, {infeed}, TupleElementAttrs{0});
  });
}

Op InfeedWithToken(const Operand& token, const Shape& shape, const std::string& config) {
  return Record({&token}, Name(HloOpcode::Infeed), [&](Recording& r) -> Made {
    RETURN_IF_ERROR(CheckShape(shape));
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    const Shape result = Shape::Tuple({shape, Shape::Token()});
    return r.Add(HloOpcode::Infeed, {t}, InfeedAttrs{config}, {}, &result);
  });
}

void Outfeed(const Operand& operand, const Shape& shape_with_layout,
             const std::string& outfeed_config) {
  Record({&operand}, Name(HloOpcode::Outfeed), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * token, r.Add(HloOpcode::AfterAll, {}));
    return AddOutfeed(r, operand, token, shape_with_layout, outfeed_config);
  });
}

Op OutfeedWithToken(const Operand& operand, const Operand& token, const Shape& shape_with_layout,
                    const std::string& outfeed_config) {
  return Record({&operand, &token}, Name(HloOpcode::Outfeed), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    return AddOutfeed(r, operand, t, shape_with_layout, outfeed_config);
  });
}

Op SendWithToken(const Operand& operand, const Operand& token, const ChannelHandle& handle) {
  return Record({&operand, &token}, Name(HloOpcode::Send), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    const TransferAttrs attrs{IdOf(handle), IsHostTransfer(handle)};
    ASSIGN_OR_RETURN(HloInstruction * send, r.Add(HloOpcode::Send, {x, t}, attrs));
    return r.Add(HloOpcode::SendDone, {send}, attrs);
  });
}

Op RecvWithToken(const Operand& token, const Shape& shape, const ChannelHandle& handle) {
  return Record({&token}, Name(HloOpcode::Recv), [&](Recording& r) -> Made {
    RETURN_IF_ERROR(CheckShape(shape));
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    const TransferAttrs attrs{IdOf(handle), IsHostTransfer(handle)};
    const Shape result = Shape::Tuple({shape, Shape(ElementType::U32), Shape::Token()});
    ASSIGN_OR_RETURN(HloInstruction * recv, r.Add(HloOpcode::Recv, {t}, attrs, {}, &result));
    return r.Add(HloOpcode::RecvDone, {recv}, attrs);
  });
}

}  // namespace sinter
