#include "passes/expand/transfers.h"

#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "base/status.h"
#include "ir/participants.h"
#include "pass/graph.h"
#include "transfer/targets.h"

namespace sinter {
namespace {

class TransferExpander {
 public:
  explicit TransferExpander(HloComputation& c) : c_(c) {}

  // Whether there were any.
  absl::StatusOr<bool> Run() {
    for (HloInstruction* i : c_.PostOrder()) {
      ASSIGN_OR_RETURN(HloInstruction * result, Expand(*i));
      if (result == nullptr) {
        // After the effects that now stand at the end.
        if (changed_ && i->HasSideEffect()) c_.MoveToEnd(i);
        continue;
      }
      changed_ = true;
      c_.ReplaceAllUses(i, result);
      c_.Remove(i);
    }
    // What has been begun is ended by now.
    for (HloInstruction* i : begun_) {
      if (!i->users().empty()) {
        return InvalidArgument("{} '{}' with the host is used by {} '{}'", Name(i->op()), i->name(),
                               Name(i->users()[0]->op()), i->users()[0]->name());
      }
      c_.Remove(i);
    }
    if (changed_) c_.RemoveDead();
    return changed_;
  }

 private:
  // What stands for the instruction; null where it stays.
  absl::StatusOr<HloInstruction*> Expand(HloInstruction& i) {
    switch (i.op()) {
      case HloOpcode::Infeed:
        return Call(i, kInfeedTarget, i.shape().tuple_shapes()[0].ToString(), i.operands(),
                    i.shape());
      case HloOpcode::Outfeed:
        return Call(i, kOutfeedTarget, i.operand(0)->shape().ToString(), i.operands(), i.shape());
      case HloOpcode::Recv:
      case HloOpcode::RecvDone:
      case HloOpcode::Send:
      case HloOpcode::SendDone:
        return ExpandChannel(i);
      default:
        return nullptr;
    }
  }

  // A send is done where it begins, a receive where it ends: so neither waits for what the program
  // does between the two.
  absl::StatusOr<HloInstruction*> ExpandChannel(HloInstruction& i) {
    ASSIGN_OR_RETURN(const HloInstruction* begun, TransferOf(i));
    const auto& attrs = begun->attrs<TransferAttrs>();
    if (!attrs.is_host_transfer) return nullptr;
    const bool sends = begun->op() == HloOpcode::Send;
    const Shape& data = begun->shape().tuple_shapes()[0];
    const std::string opaque = Format("{} {}", attrs.channel_id.value_or(0), data.ToString());
    if (&i == begun) {
      begun_.push_back(&i);
      if (sends) {
        ASSIGN_OR_RETURN(sent_[&i], Call(i, kSendTarget, opaque, i.operands(), Shape::Token()));
        changed_ = true;
      }
      return nullptr;
    }
    if (sends) return sent_.at(begun);
    return Call(i, kReceiveTarget, opaque, begun->operands(), i.shape());
  }

  absl::StatusOr<HloInstruction*> Call(const HloInstruction& origin, std::string_view target,
                                       std::string opaque,
                                       const std::vector<HloInstruction*>& operands,
                                       const Shape& shape) {
    CustomCallAttrs call;
    call.custom_call_target = target;
    call.opaque = std::move(opaque);
    call.has_side_effect = true;
    Graph g(c_, origin);
    HloInstruction* result = g.Add(HloOpcode::CustomCall, operands, std::move(call), {}, &shape);
    RETURN_IF_ERROR(g.status());
    return result;
  }

  HloComputation& c_;
  bool changed_ = false;
  std::vector<HloInstruction*> begun_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> sent_;  // the tokens of sends
};

absl::StatusOr<bool> ExpandTransfers(HloModule& module) {
  bool changed = false;
  for (HloComputation* c : module.PostOrder()) {
    ASSIGN_OR_RETURN(const bool here, TransferExpander(*c).Run());
    changed |= here;
  }
  if (changed) module.RemoveUnreachable();
  return changed;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandTransfersPass() {
  return MakePass("expand-transfers", ExpandTransfers);
}

}  // namespace sinter
