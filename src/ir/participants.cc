#include "ir/participants.h"

#include <charconv>
#include <string>
#include <string_view>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/results.h"

namespace sinter {
namespace {

constexpr std::string_view kAsync = "sinter.async";

absl::Status Several(const HloInstruction& i) {
  return Unimplemented("{} '{}' is between several participants, and programs run on one device",
                       Name(i.op()), i.name());
}

// How the numbers in groups and pairs are meant. Without `use_global_device_ids`, which only some
// operations have, a channel means partitions.
collective::GroupMode ModeOf(const HloInstruction& i, const collective::Grid& grid) {
  using collective::GroupMode;
  switch (i.op()) {
    case HloOpcode::AllGather:
    case HloOpcode::AllReduce:
    case HloOpcode::ReduceScatter: {
      const auto& a = i.attrs<CollectiveAttrs>();
      if (a.channel_id.value_or(0) <= 0) return GroupMode::kCrossReplica;
      return a.use_global_device_ids ? GroupMode::kFlattenedIds
                                     : GroupMode::kCrossReplicaAndPartition;
    }
    case HloOpcode::CollectivePermute:
      return i.attrs<CollectivePermuteAttrs>().channel_id.value_or(0) > 0
                 ? GroupMode::kCrossPartition
                 : GroupMode::kCrossReplica;
    case HloOpcode::Recv:
    case HloOpcode::Send:
      // They always have a channel.
      return grid.partitions == 1 ? GroupMode::kCrossReplica : GroupMode::kCrossPartition;
    default:
      return i.attrs<CollectiveAttrs>().channel_id.value_or(0) > 0 ? GroupMode::kCrossPartition
                                                                   : GroupMode::kCrossReplica;
  }
}

// The pairs in frontend_attributes={_xla_send_recv_source_target_pairs={{0,1},{1,2}}}, which is
// where XLA has those of a send or recv; quotes around the value are none of it.
collective::Groups PairsOfTransfer(const HloInstruction& i) {
  const std::string* text = Find(i.annotations(), "frontend_attributes");
  if (text == nullptr) return {};
  constexpr std::string_view kKey = "_xla_send_recv_source_target_pairs=";
  size_t at = text->find(kKey);
  if (at == std::string::npos) return {};
  collective::Groups pairs;
  int depth = 0;
  const char* p = text->data() + at + kKey.size();
  const char* end = text->data() + text->size();
  for (; p < end; ++p) {
    if (*p == '{') {
      if (++depth == 2) pairs.emplace_back();
    } else if (*p == '}') {
      if (--depth == 0) break;
    } else if (depth == 2 && '0' <= *p && *p <= '9') {
      int64_t n = 0;
      p = std::from_chars(p, end, n).ptr - 1;
      pairs.back().push_back(n);
    }
  }
  return pairs;
}

// Whether participants that no group has take part with a result of zeros.
bool LeavesOut(HloOpcode op) {
  return op == HloOpcode::CollectiveBroadcast || op == HloOpcode::CollectiveReduce;
}

std::string ReducerText(const HloComputation& c) {
  std::vector<std::string_view> ops;
  for (const HloInstruction* i : c.PostOrder()) {
    if (i->op() != HloOpcode::Parameter) ops.push_back(Name(i->op()));
  }
  return Format("{} of {}", Join(ops, ","), c.root()->shape().ToString());
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
      if (ModeOf(i, GridOf(module)) == collective::GroupMode::kCrossReplicaAndPartition &&
          module.partition_count() != 1)
        return Several(i);
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

collective::Grid GridOf(const HloModule& module) {
  return {module.replica_count(), module.partition_count()};
}

absl::StatusOr<const HloInstruction*> TransferOf(const HloInstruction& i) {
  if (i.op() == HloOpcode::Send || i.op() == HloOpcode::Recv) return &i;
  const HloInstruction* begun = i.operand(0);
  if (begun->op() == HloOpcode::Send || begun->op() == HloOpcode::Recv) return begun;
  return InvalidArgument("{} '{}' must have a send or recv as its operand, not {} '{}'",
                         Name(i.op()), i.name(), Name(begun->op()), begun->name());
}

absl::StatusOr<Exchange> ExchangeOf(const HloInstruction& i, const collective::Grid& grid) {
  auto context = [&](const absl::Status& s) {
    return Annotate(s, Format("{} '{}'", Name(i.op()), i.name()));
  };
  Exchange result;
  const collective::GroupMode mode = ModeOf(i, grid);
  const bool is_permutation = i.op() == HloOpcode::CollectivePermute;
  if (is_permutation || i.op() == HloOpcode::Send || i.op() == HloOpcode::Recv) {
    collective::Groups pairs =
        is_permutation ? i.attrs<CollectivePermuteAttrs>().source_target_pairs : PairsOfTransfer(i);
    for (const auto& pair : pairs) {
      if (pair.size() != 2) return context(InvalidArgument("pairs must have two participants"));
    }
    auto formed = collective::FormPairs(mode, pairs, grid);
    if (!formed.ok()) return context(formed.status());
    result.pairs = std::move(formed).value();
    if (is_permutation) result.groups = collective::ComponentsOf(result.pairs);
    return result;
  }
  auto formed = collective::FormGroups(mode, i.attrs<CollectiveAttrs>().replica_groups, grid);
  if (!formed.ok()) return context(formed.status());
  result.groups = std::move(formed).value();
  if (LeavesOut(i.op())) return result;
  for (int64_t n = 0; n < grid.size(); ++n) {
    if (collective::GroupOf(result.groups, n) != nullptr) continue;
    return context(InvalidArgument("{} is in none of the groups", collective::NameOf(n, grid)));
  }
  return result;
}

collective::Reduction ReductionOf(const HloComputation& reducer) {
  const HloInstruction& root = *reducer.root();
  const auto parameters = reducer.parameters();
  if (parameters.size() != 2 || root.operands().size() != 2 ||
      root.operand(0)->op() != HloOpcode::Parameter ||
      root.operand(1)->op() != HloOpcode::Parameter || root.operand(0) == root.operand(1))
    return collective::Reduction::kOther;
  const bool predicate = IsPredicate(root.shape().element_type());
  switch (root.op()) {
    case HloOpcode::Add:
      return predicate ? collective::Reduction::kOther : collective::Reduction::kSum;
    case HloOpcode::Multiply:
      return predicate ? collective::Reduction::kOther : collective::Reduction::kProduct;
    case HloOpcode::Maximum:
      return collective::Reduction::kMaximum;
    case HloOpcode::Minimum:
      return collective::Reduction::kMinimum;
    case HloOpcode::Or:
      return predicate ? collective::Reduction::kMaximum : collective::Reduction::kOther;
    case HloOpcode::And:
      return predicate ? collective::Reduction::kMinimum : collective::Reduction::kOther;
    default:
      return collective::Reduction::kOther;
  }
}

collective::Operation OperationOf(const HloInstruction& i) {
  std::string channel, agreed(Name(i.op()));
  auto note_channel = [&](const std::optional<int64_t>& id) {
    if (id.value_or(0) > 0) channel = Format(" (channel {})", *id);
  };
  std::vector<std::string> operands;
  for (const HloInstruction* x : i.operands()) operands.push_back(x->shape().ToString());
  agreed += Format(" of {} to {}", Join(operands, ", "), i.shape().ToString());
  if (const auto* a = std::get_if<CollectiveAttrs>(&i.attributes())) {
    note_channel(a->channel_id);
    if (!a->dimensions.empty()) agreed += Format(" along dimension {}", Join(a->dimensions, ","));
  } else if (const auto* p = std::get_if<CollectivePermuteAttrs>(&i.attributes())) {
    note_channel(p->channel_id);
  } else if (const auto* t = std::get_if<TransferAttrs>(&i.attributes())) {
    note_channel(t->channel_id);
  }
  if (!i.called().empty()) agreed += Format(" by {}", ReducerText(*i.called(0)));
  return {Format("{} '{}'{}", Name(i.op()), i.name(), channel), agreed + channel};
}

void MarkAsync(HloInstruction* value) {
  if (value->op() == HloOpcode::Tuple || value->op() == HloOpcode::GetTupleElement) {
    for (HloInstruction* x : value->operands()) MarkAsync(x);
    return;
  }
  if (!NeedsParticipants(value->op()) || IsAsync(*value)) return;
  Annotations annotations = value->annotations();
  annotations.push_back({std::string(kAsync), "true"});
  value->set_annotations(std::move(annotations));
}

bool IsAsync(const HloInstruction& i) { return Find(i.annotations(), kAsync) != nullptr; }

}  // namespace sinter
