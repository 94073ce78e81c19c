#include "ir/participants.h"

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/results.h"

namespace sinter {
namespace {

absl::Status Several(const HloInstruction& i) {
  return Unimplemented("{} '{}' is between several participants, and programs run on one device",
                       Name(i.op()), i.name());
}

}  // namespace

bool NeedsParticipants(HloOpcode op) {
  switch (op) {
    case HloOpcode::AllGather:
    case HloOpcode::AllReduce:
    case HloOpcode::AllToAll:
    case HloOpcode::CollectiveBroadcast:
    case HloOpcode::CollectivePermute:
    case HloOpcode::CollectiveReduce:
    case HloOpcode::RaggedAllToAll:
    case HloOpcode::ReduceScatter:
    case HloOpcode::RngGetAndUpdateState:
    case HloOpcode::PartitionId:
    case HloOpcode::ReplicaId:
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
      return true;
    default:
      return false;
  }
}

absl::StatusOr<Alone> AloneOnDevice(const HloInstruction& i) {
  const HloModule& module = *i.parent()->module();
  const bool alone = module.replica_count() == 1 && module.partition_count() == 1;
  switch (i.op()) {
    case HloOpcode::PartitionId:
      if (module.partition_count() != 1) return Several(i);
      return Alone::kZero;
    case HloOpcode::ReplicaId:
      if (module.replica_count() != 1) return Several(i);
      return Alone::kZero;
    case HloOpcode::AllGather:
    case HloOpcode::ReduceScatter:
    case HloOpcode::AllReduce:
    case HloOpcode::AllToAll:
    case HloOpcode::CollectiveBroadcast:
    case HloOpcode::CollectiveReduce: {
      if (i.attrs<CollectiveAttrs>().has_dynamic_root) return Several(i);
      const Groups& groups = i.attrs<CollectiveAttrs>().replica_groups;
      if (groups.empty() && !alone) return Several(i);
      // Groups of one each; where the program has one participant, it must be in one of them.
      for (const Dims& group : groups) {
        if (group.size() != 1 || (alone && group[0] != 0)) return Several(i);
      }
      for (size_t n = 0; n < i.operands().size(); ++n) {
        const Shape& result = ResultShape(i, n);
        if (!result.SameDimensions(i.operand(n)->shape())) return Several(i);
      }
      if (i.op() == HloOpcode::AllToAll && i.shape().is_tuple() && i.operands().size() != 1) {
        return Several(i);
      }
      return Alone::kOperands;
    }
    case HloOpcode::CollectivePermute: {
      const Groups& pairs = i.attrs<CollectivePermuteAttrs>().source_target_pairs;
      if (!i.attrs<CollectivePermuteAttrs>().slice_sizes.empty()) return Several(i);
      if (!alone || absl::c_any_of(pairs, [](const Dims& p) { return p != Dims{0, 0}; })) {
        return Several(i);
      }
      return pairs.empty() ? Alone::kZero : Alone::kOperands;
    }
    case HloOpcode::RaggedAllToAll:
      return Several(i);
    case HloOpcode::RngGetAndUpdateState:
      return Unimplemented("{} '{}': programs keep no state between runs", Name(i.op()), i.name());
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
      return Unimplemented("{} '{}': programs that run have no channels", Name(i.op()), i.name());
    default:
      return Internal("{} '{}' needs no participants", Name(i.op()), i.name());
  }
}

}  // namespace sinter
