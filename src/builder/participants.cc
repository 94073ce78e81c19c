// Collectives and transfers.
#include <algorithm>

#include "builder/impl.h"
#include "sinter/collective_ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

std::optional<int64_t> IdOf(const std::optional<ChannelHandle>& channel) {
  if (!channel || channel->handle == 0) return std::nullopt;
  return channel->handle;
}

CollectiveAttrs CollectiveAttributes(absl::Span<const ReplicaGroup> groups,
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

bool IsPermutation(Dims order) {
  std::sort(order.begin(), order.end());
  for (size_t d = 0; d < order.size(); ++d) {
    if (order[d] != static_cast<int64_t>(d)) return false;
  }
  return true;
}

// The layout, if one is stated, must be one of an array of that rank.
absl::Status CheckLayout(const Recording& r, const std::optional<Layout>& layout,
                         HloInstruction* x) {
  if (!layout || (x->shape().is_array() && IsPermutation(layout->minor_to_major()) &&
                  layout->minor_to_major_size() == x->shape().dimensions_size()))
    return absl::OkStatus();
  return r.Error(Format("the layout {} is not one of the operand", layout->ToString()), {&x, 1});
}
absl::Status CheckLayout(const Recording& r, const std::optional<Layout>& layout,
                         absl::Span<HloInstruction* const> operands) {
  for (HloInstruction* x : operands) RETURN_IF_ERROR(CheckLayout(r, layout, x));
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

Made AddAllReduce(Recording& r, absl::Span<HloInstruction* const> x, const Callable& computation,
                  CollectiveAttrs attrs, const std::optional<Shape>& shape_with_layout) {
  if (x.empty()) return r.Error("needs an operand");
  ASSIGN_OR_RETURN(HloComputation * c, Combiner(r, computation, x[0]));
  ASSIGN_OR_RETURN(HloInstruction * result,
                   r.Add(HloOpcode::AllReduce, x, std::move(attrs), {&c, 1}));
  if (shape_with_layout && !Shape::Compatible(*shape_with_layout, result->shape())) {
    return r.Error(Format("shape_with_layout must be the result's, {}, given {}",
                          result->shape().ToString(), shape_with_layout->ToString()),
                   x);
  }
  return result;
}

Made AddAllGather(Recording& r, absl::Span<HloInstruction* const> x, int64_t dimension,
                  int64_t shard_count, CollectiveAttrs attrs, const std::optional<Layout>& layout) {
  RETURN_IF_ERROR(CheckLayout(r, layout, x));
  attrs.dimensions = {dimension};
  std::vector<Shape> results;
  for (HloInstruction* i : x) {
    RETURN_IF_ERROR(CheckCount(r, attrs, shard_count, i));
    ASSIGN_OR_RETURN(Shape result, Scaled(r, i, dimension, shard_count, true));
    results.push_back(std::move(result));
  }
  if (results.empty()) return r.Error("needs an operand");
  const Shape result = results.size() == 1 ? results[0] : Shape::Tuple(results);
  return r.Add(HloOpcode::AllGather, x, std::move(attrs), {}, &result);
}

bool IsHostTransfer(const ChannelHandle& handle) {
  return handle.type == ChannelHandle::DEVICE_TO_HOST ||
         handle.type == ChannelHandle::HOST_TO_DEVICE;
}

Made AddSend(Recording& r, HloInstruction* x, HloInstruction* token, const ChannelHandle& handle) {
  const TransferAttrs attrs{IdOf(handle), IsHostTransfer(handle)};
  ASSIGN_OR_RETURN(HloInstruction * send, r.Add(HloOpcode::Send, {x, token}, attrs));
  return r.Add(HloOpcode::SendDone, {send}, attrs);
}

Made AddRecv(Recording& r, HloInstruction* token, const Shape& shape, const ChannelHandle& handle) {
  RETURN_IF_ERROR(CheckShape(shape));
  const TransferAttrs attrs{IdOf(handle), IsHostTransfer(handle)};
  const Shape result = Shape::Tuple({shape, Shape(ElementType::U32), Shape::Token()});
  ASSIGN_OR_RETURN(HloInstruction * recv, r.Add(HloOpcode::Recv, {token}, attrs, {}, &result));
  return r.Add(HloOpcode::RecvDone, {recv}, attrs);
}

}  // namespace

Op AllReduce(const Operand& operand, const Callable& computation,
             absl::Span<const ReplicaGroup> replica_groups,
             const std::optional<ChannelHandle>& channel_id,
             const std::optional<Shape>& shape_with_layout,
             std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::AllReduce), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return AddAllReduce(r, {&x, 1}, computation,
                        CollectiveAttributes(replica_groups, channel_id, use_global_device_ids),
                        shape_with_layout);
  });
}

Op AllReduceTuple(absl::Span<const Op> operands, const Callable& computation,
                  absl::Span<const ReplicaGroup> replica_groups,
                  const std::optional<ChannelHandle>& channel_id,
                  const std::optional<Shape>& shape_with_layout,
                  std::optional<bool> use_global_device_ids, SourceLocation where) {
  return Record(BuilderOf(operands), Name(HloOpcode::AllReduce), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    return AddAllReduce(r, x, computation,
                        CollectiveAttributes(replica_groups, channel_id, use_global_device_ids),
                        shape_with_layout);
  });
}

Op CrossReplicaSum(const Operand& operand, absl::Span<const ReplicaGroup> replica_groups) {
  return AllReduce(
      operand, [](Op a, Op b) { return a + b; }, replica_groups);
}

Op AllGather(const Operand& operand, int64_t all_gather_dimension, int64_t shard_count,
             absl::Span<const ReplicaGroup> replica_groups,
             const std::optional<ChannelHandle>& channel_id, const std::optional<Layout>& layout,
             std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::AllGather), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return AddAllGather(r, {&x, 1}, all_gather_dimension, shard_count,
                        CollectiveAttributes(replica_groups, channel_id, use_global_device_ids),
                        layout);
  });
}

Op AllGatherTuple(absl::Span<const Op> operands, int64_t all_gather_dimension, int64_t shard_count,
                  absl::Span<const ReplicaGroup> replica_groups,
                  const std::optional<ChannelHandle>& channel_id,
                  const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids,
                  SourceLocation where) {
  return Record(BuilderOf(operands), Name(HloOpcode::AllGather), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    return AddAllGather(r, x, all_gather_dimension, shard_count,
                        CollectiveAttributes(replica_groups, channel_id, use_global_device_ids),
                        layout);
  });
}

Op ReduceScatter(const Operand& operand, const Callable& computation, int64_t scatter_dimension,
                 int64_t shard_count, absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<ChannelHandle>& channel_id,
                 const std::optional<Layout>& layout, std::optional<bool> use_global_device_ids) {
  return Record({&operand}, Name(HloOpcode::ReduceScatter), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    RETURN_IF_ERROR(CheckLayout(r, layout, x));
    CollectiveAttrs attrs = CollectiveAttributes(replica_groups, channel_id, use_global_device_ids);
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
            const std::optional<Layout>& layout, const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::AllToAll), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    RETURN_IF_ERROR(CheckLayout(r, layout, x));
    CollectiveAttrs attrs = CollectiveAttributes(replica_groups, channel_id);
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

namespace {

Op RecordAllToAllTuple(Builder* builder, absl::Span<const Op> operands,
                       absl::Span<const ReplicaGroup> replica_groups,
                       const std::optional<Layout>& layout,
                       const std::optional<ChannelHandle>& channel_id, SourceLocation where) {
  return Record(builder, Name(HloOpcode::AllToAll), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    RETURN_IF_ERROR(CheckLayout(r, layout, x));
    return r.Add(HloOpcode::AllToAll, x, CollectiveAttributes(replica_groups, channel_id));
  });
}

}  // namespace

Op AllToAllTuple(Builder* builder, absl::Span<const Op> operands,
                 absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<ChannelHandle>& channel_id, SourceLocation where) {
  return RecordAllToAllTuple(builder, operands, replica_groups, std::nullopt, channel_id, where);
}

Op AllToAllTuple(absl::Span<const Op> operands, absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<Layout>& layout,
                 const std::optional<ChannelHandle>& channel_id, SourceLocation where) {
  return RecordAllToAllTuple(BuilderOf(operands), operands, replica_groups, layout, channel_id,
                             where);
}

Op AllToAllTuple(const Operand& operand, int64_t split_dimension, int64_t concat_dimension,
                 int64_t split_count, absl::Span<const ReplicaGroup> replica_groups,
                 const std::optional<Layout>& layout,
                 const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::AllToAll), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    const CollectiveAttrs attrs = CollectiveAttributes(replica_groups, channel_id);
    RETURN_IF_ERROR(CheckCount(r, attrs, split_count, x));
    RETURN_IF_ERROR(CheckLayout(r, layout, x));
    const Shape shape = x->shape();
    for (int64_t d : {split_dimension, concat_dimension}) {
      if (!shape.is_array() || d < 0 || d >= shape.rank())
        return r.Error(Format("there is no dimension {}", d), {&x, 1});
    }
    const int64_t size = shape.dimension(split_dimension);
    if (size % split_count != 0) {
      return r.Error(Format("{} parts of dimension {}", split_count, split_dimension), {&x, 1});
    }
    std::vector<HloInstruction*> parts, received;
    for (int64_t n = 0; n < split_count; ++n) {
      SliceAttrs slice{Dims(shape.dimensions().size(), 0), shape.dimensions(),
                       Dims(shape.dimensions().size(), 1)};
      slice.starts[static_cast<size_t>(split_dimension)] = size / split_count * n;
      slice.limits[static_cast<size_t>(split_dimension)] = size / split_count * (n + 1);
      ASSIGN_OR_RETURN(HloInstruction * part, r.Add(HloOpcode::Slice, {x}, std::move(slice)));
      parts.push_back(part);
    }
    ASSIGN_OR_RETURN(HloInstruction * all, r.Add(HloOpcode::AllToAll, parts, attrs));
    if (split_count == 1) return all;
    for (int64_t n = 0; n < split_count; ++n) {
      ASSIGN_OR_RETURN(HloInstruction * part,
                       r.Add(HloOpcode::GetTupleElement, {all}, TupleElementAttrs{n}));
      received.push_back(part);
    }
    return r.Add(HloOpcode::Concatenate, received, DimensionsAttrs{{concat_dimension}});
  });
}

Op RaggedAllToAll(const Operand& input, const Operand& input_offsets, const Operand& send_sizes,
                  const Operand& output, const Operand& output_offsets, const Operand& recv_sizes,
                  absl::Span<const ReplicaGroup> replica_groups,
                  const std::optional<ChannelHandle>& channel_id) {
  return Record({&input, &output}, Name(HloOpcode::RaggedAllToAll), [&](Recording& r) -> Made {
    std::vector<HloInstruction*> x;
    for (const Operand* operand :
         {&input, &output, &input_offsets, &send_sizes, &output_offsets, &recv_sizes}) {
      ASSIGN_OR_RETURN(HloInstruction * i, r.Find(operand->op()));
      x.push_back(i);
    }
    return r.Add(HloOpcode::RaggedAllToAll, x, CollectiveAttributes(replica_groups, channel_id));
  });
}

Op CollectiveBroadcast(const Operand& operand, absl::Span<const ReplicaGroup> replica_groups,
                       const std::optional<ChannelHandle>& channel_id) {
  return Record({&operand}, Name(HloOpcode::CollectiveBroadcast), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::CollectiveBroadcast, {x},
                 CollectiveAttributes(replica_groups, channel_id));
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
    return AddSend(r, x, t, handle);
  });
}

Op RecvWithToken(const Operand& token, const Shape& shape, const ChannelHandle& handle) {
  return Record({&token}, Name(HloOpcode::Recv), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    return AddRecv(r, t, shape, handle);
  });
}

void Send(const Operand& operand, const ChannelHandle& handle) {
  if (operand.builder() == nullptr) return;
  SendWithToken(operand, Operand(CreateToken(operand.builder(), operand.where()), operand.where()),
                handle);
}

Op Recv(Builder* builder, const Shape& shape, const ChannelHandle& handle, SourceLocation where) {
  const Operand token(CreateToken(builder, where), where);
  return GetTupleElement(Operand(RecvWithToken(token, shape, handle), where), 0);
}

Op SendToHost(const Operand& operand, const Operand& token, const Shape& shape_with_layout,
              const ChannelHandle& handle) {
  return Record({&operand, &token}, Name(HloOpcode::Send), [&](Recording& r) -> Made {
    if (handle.type != ChannelHandle::DEVICE_TO_HOST)
      return r.Error("the channel must be from the device to the host");
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    if (!x->shape().is_array() || !Shape::Compatible(shape_with_layout, x->shape())) {
      return r.Error(Format("the shape must be that of the operand, an array, given {}",
                            shape_with_layout.ToString()),
                     {&x, 1});
    }
    return AddSend(r, x, t, handle);
  });
}

Op RecvFromHost(const Operand& token, const Shape& shape, const ChannelHandle& handle) {
  return Record({&token}, Name(HloOpcode::Recv), [&](Recording& r) -> Made {
    if (handle.type != ChannelHandle::HOST_TO_DEVICE)
      return r.Error("the channel must be from the host to the device");
    if (!shape.is_array()) return r.Error(Format("expected an array, given {}", shape.ToString()));
    ASSIGN_OR_RETURN(HloInstruction * t, r.Find(token.op()));
    return AddRecv(r, t, shape, handle);
  });
}

}  // namespace sinter
