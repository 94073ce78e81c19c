// Operations between the participants of a program, and with its host: collectives and transfers,
// of XLA's xla_builder.h. Programs run on one device, the only participant: there a collective
// gives its operand; one between several, and what goes through a channel, is refused with
// Unimplemented when the program is compiled. Infeeds and outfeeds exchange data with
// Client::TransferToInfeed and Client::TransferFromOutfeed, in the order in which they were
// recorded where no tokens say otherwise.
//
//   sinter::Op sum = sinter::AllReduce(x, [](sinter::Op a, sinter::Op b) { return a + b; });
//
// Errors are those of sinter/ops.h. Without replica_groups all participants are one group. Groups
// are of replicas unless there is a channel; with `use_global_device_ids`, which needs one, of
// devices. A layout states the order in memory of what is exchanged, for programs compiled apart
// that must agree on it: it must be one of the operand's (else InvalidArgument), and changes
// nothing here, where arrays are row-major.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sinter/ops.h"

namespace sinter {

// The operands of the group's participants combined element by element, on each of them
// [all_reduce].
SINTER_API Op AllReduce(const Operand& operand, const Callable& computation,
                        absl::Span<const ReplicaGroup> replica_groups = {},
                        const std::optional<ChannelHandle>& channel_id = std::nullopt,
                        const std::optional<Shape>& shape_with_layout = std::nullopt,
                        std::optional<bool> use_global_device_ids = std::nullopt);
// Several operands at a time, of one element type; the result is a tuple, for one operand an array.
SINTER_API Op AllReduceTuple(absl::Span<const Op> operands, const Callable& computation,
                             absl::Span<const ReplicaGroup> replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = std::nullopt,
                             const std::optional<Shape>& shape_with_layout = std::nullopt,
                             std::optional<bool> use_global_device_ids = std::nullopt,
                             SourceLocation where = SourceLocation::current());
// AllReduce with addition.
SINTER_API Op CrossReplicaSum(const Operand& operand,
                              absl::Span<const ReplicaGroup> replica_groups = {});
// The operands of the group's `shard_count` participants side by side along the dimension
// [all_gather].
SINTER_API Op AllGather(const Operand& operand, int64_t all_gather_dimension, int64_t shard_count,
                        absl::Span<const ReplicaGroup> replica_groups = {},
                        const std::optional<ChannelHandle>& channel_id = std::nullopt,
                        const std::optional<Layout>& layout = std::nullopt,
                        std::optional<bool> use_global_device_ids = std::nullopt);
// Several operands at a time; the result is a tuple, for one operand an array.
SINTER_API Op AllGatherTuple(absl::Span<const Op> operands, int64_t all_gather_dimension,
                             int64_t shard_count,
                             absl::Span<const ReplicaGroup> replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = std::nullopt,
                             const std::optional<Layout>& layout = std::nullopt,
                             std::optional<bool> use_global_device_ids = std::nullopt,
                             SourceLocation where = SourceLocation::current());
// AllReduce, of which each of `shard_count` participants gets a part along the dimension
// [reduce_scatter].
SINTER_API Op ReduceScatter(const Operand& operand, const Callable& computation,
                            int64_t scatter_dimension, int64_t shard_count,
                            absl::Span<const ReplicaGroup> replica_groups = {},
                            const std::optional<ChannelHandle>& channel_id = std::nullopt,
                            const std::optional<Layout>& layout = std::nullopt,
                            std::optional<bool> use_global_device_ids = std::nullopt);
// Part i of `split_count` along split_dimension goes to participant i, which puts what it gets side
// by side along concat_dimension [all_to_all]. AllToAllTuple: operand i is the part for participant
// i, result i what came from there; the second form cuts its operand into such parts and puts
// the results together, as AllToAll does.
SINTER_API Op AllToAll(const Operand& operand, int64_t split_dimension, int64_t concat_dimension,
                       int64_t split_count, absl::Span<const ReplicaGroup> replica_groups = {},
                       const std::optional<Layout>& layout = std::nullopt,
                       const std::optional<ChannelHandle>& channel_id = std::nullopt);
SINTER_API Op AllToAllTuple(Builder* builder, absl::Span<const Op> operands,
                            absl::Span<const ReplicaGroup> replica_groups = {},
                            const std::optional<ChannelHandle>& channel_id = std::nullopt,
                            SourceLocation where = SourceLocation::current());
SINTER_API Op AllToAllTuple(absl::Span<const Op> operands,
                            absl::Span<const ReplicaGroup> replica_groups = {},
                            const std::optional<Layout>& layout = std::nullopt,
                            const std::optional<ChannelHandle>& channel_id = std::nullopt,
                            SourceLocation where = SourceLocation::current());
SINTER_API Op AllToAllTuple(const Operand& operand, int64_t split_dimension,
                            int64_t concat_dimension, int64_t split_count,
                            absl::Span<const ReplicaGroup> replica_groups = {},
                            const std::optional<Layout>& layout = std::nullopt,
                            const std::optional<ChannelHandle>& channel_id = std::nullopt);
// Rows of the input, along dimension 0, go to the participants: to participant i the send_sizes[i]
// rows from input_offsets[i] on, which it puts into its output from output_offsets[i] on.
// recv_sizes[i] rows come from participant i; rows that none sends stay those of `output`
// [ragged-all-to-all]. The four are vectors of integers, with an entry for each participant.
SINTER_API Op RaggedAllToAll(const Operand& input, const Operand& input_offsets,
                             const Operand& send_sizes, const Operand& output,
                             const Operand& output_offsets, const Operand& recv_sizes,
                             absl::Span<const ReplicaGroup> replica_groups = {},
                             const std::optional<ChannelHandle>& channel_id = std::nullopt);
// The operand of the group's first participant, on each of them [collective_broadcast].
SINTER_API Op CollectiveBroadcast(const Operand& operand,
                                  absl::Span<const ReplicaGroup> replica_groups = {},
                                  const std::optional<ChannelHandle>& channel_id = std::nullopt);
// The operand of the participant that is the source for this one, zeros where none is
// [collective_permute].
SINTER_API Op CollectivePermute(const Operand& operand,
                                const std::vector<std::pair<int64_t, int64_t>>& source_target_pairs,
                                const std::optional<ChannelHandle>& channel_id = std::nullopt);
// The number of the replica that runs the program, U32 [replica_id].
SINTER_API Op ReplicaId(Builder* builder, SourceLocation where = SourceLocation::current());

// Data of `shape`, whose arrays are not dynamic, from the host: as they are, or as a tuple of them
// and a token that orders transfers [infeed]. `config` is preserved in the text and has no effect.
SINTER_API Op Infeed(Builder* builder, const Shape& shape, const std::string& config = "",
                     SourceLocation where = SourceLocation::current());
SINTER_API Op InfeedWithToken(const Operand& token, const Shape& shape,
                              const std::string& config = "");
// Data to the host. `shape_with_layout` must be the operand's shape [outfeed]. The second form
// gives a token.
SINTER_API void Outfeed(const Operand& operand, const Shape& shape_with_layout,
                        const std::string& outfeed_config = "");
SINTER_API Op OutfeedWithToken(const Operand& operand, const Operand& token,
                               const Shape& shape_with_layout,
                               const std::string& outfeed_config = "");
// Data through a channel: a token [send]; a tuple of the data, of `shape`, and a token [recv]. A
// channel between host and device is a transfer with the host.
SINTER_API Op SendWithToken(const Operand& operand, const Operand& token,
                            const ChannelHandle& handle);
SINTER_API Op RecvWithToken(const Operand& token, const Shape& shape, const ChannelHandle& handle);
// The same after no other transfer; of a recv the data alone.
SINTER_API void Send(const Operand& operand, const ChannelHandle& handle);
SINTER_API Op Recv(Builder* builder, const Shape& shape, const ChannelHandle& handle,
                   SourceLocation where = SourceLocation::current());
// The same through a channel that must be between the device and the host, in that direction.
SINTER_API Op SendToHost(const Operand& operand, const Operand& token,
                         const Shape& shape_with_layout, const ChannelHandle& handle);
SINTER_API Op RecvFromHost(const Operand& token, const Shape& shape, const ChannelHandle& handle);

}  // namespace sinter
