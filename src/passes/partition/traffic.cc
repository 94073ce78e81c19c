#include "passes/partition/traffic.h"

#include "base/status.h"

namespace sinter {
namespace {

int64_t OperandBytes(const HloInstruction& i) {
  int64_t bytes = 0;
  for (const HloInstruction* x : i.operands()) bytes += x->shape().byte_size();
  return bytes;
}

int64_t BytesOf(const HloInstruction& i, int64_t n) {
  const int64_t operands = OperandBytes(i);
  switch (i.op()) {
    case HloOpcode::AllGather:
      return operands * (n - 1);
    case HloOpcode::AllReduce:
      return 2 * (operands * (n - 1) / n);
    case HloOpcode::ReduceScatter:
    case HloOpcode::AllToAll:
    case HloOpcode::RaggedAllToAll:
      return operands * (n - 1) / n;
    default:
      return operands;
  }
}

}  // namespace

std::vector<CollectiveTraffic> TrafficOf(const HloModule& module) {
  std::vector<CollectiveTraffic> out;
  const int64_t all = module.replica_count() * module.partition_count();
  for (const HloComputation* c : module.PostOrder()) {
    for (const HloInstruction* i : c->PostOrder()) {
      int64_t n = all;
      switch (i->op()) {
        case HloOpcode::AllGather:
        case HloOpcode::AllReduce:
        case HloOpcode::ReduceScatter:
        case HloOpcode::AllToAll:
        case HloOpcode::RaggedAllToAll:
        case HloOpcode::CollectiveBroadcast:
        case HloOpcode::CollectiveReduce: {
          const auto& a = i->attrs<CollectiveAttrs>();
          if (!a.replica_groups.empty()) n = static_cast<int64_t>(a.replica_groups[0].size());
          const bool with_partitions = a.channel_id.value_or(0) > 0 && !a.use_global_device_ids &&
                                       i->op() != HloOpcode::AllToAll;
          if (with_partitions && !a.replica_groups.empty()) n *= module.partition_count();
          break;
        }
        case HloOpcode::CollectivePermute:
          n = 2;
          break;
        default:
          continue;
      }
      out.push_back({i, n, BytesOf(*i, n)});
    }
  }
  return out;
}

std::string ToText(const CollectiveTraffic& t) {
  const HloInstruction& i = *t.instruction;
  const std::string& name = i.metadata().op_name;
  return Format("{} {}, {} participants, {} bytes{}{}", Name(i.op()), i.shape().ToString(),
                t.participants, t.bytes, name.empty() ? "" : ", for ", name);
}

}  // namespace sinter
