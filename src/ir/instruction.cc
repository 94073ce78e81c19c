#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "ir/module.h"

namespace sinter {

// The caller knows that `user` is not among the users yet, or that it is the last one.
void HloInstruction::AddUser(HloInstruction* user) {
  if (users_.empty() || users_.back() != user) users_.push_back(user);
}

void HloInstruction::RemoveUserIfUnused(HloInstruction* user) {
  const auto& used = user->operands_;
  if (std::find(used.begin(), used.end(), this) != used.end()) return;
  // From the back: who comes last goes first, and a constant may have very many users.
  auto it = std::find(users_.rbegin(), users_.rend(), user);
  if (it == users_.rend()) return;
  *it = users_.back();
  users_.pop_back();
}

void HloInstruction::ReplaceOperand(size_t i, HloInstruction* with) {
  HloInstruction* old = operands_[i];
  if (old == with) return;
  bool is_user = std::find(operands_.begin(), operands_.end(), with) != operands_.end();
  operands_[i] = with;
  if (!is_user) with->users_.push_back(this);
  old->RemoveUserIfUnused(this);
}

bool HloInstruction::ActsByItself(const HloInstruction& i) {
  switch (i.op_) {
    case HloOpcode::CustomCall:
      return i.attrs<CustomCallAttrs>().has_side_effect;
    case HloOpcode::Infeed:
    case HloOpcode::RngGetAndUpdateState:
    case HloOpcode::Outfeed:
    case HloOpcode::Recv:
    case HloOpcode::RecvDone:
    case HloOpcode::Send:
    case HloOpcode::SendDone:
      return true;
    default:
      return false;
  }
}

bool HloInstruction::HasSideEffect() const {
  if (ActsByItself(*this)) return true;
  if (called_.empty()) return false;
  // An explicit stack: computations may be nested deep.
  absl::flat_hash_set<const HloComputation*> seen(called_.begin(), called_.end());
  std::vector<const HloComputation*> stack(seen.begin(), seen.end());
  while (!stack.empty()) {
    const HloComputation* c = stack.back();
    stack.pop_back();
    for (const auto& instruction : c->instructions()) {
      if (ActsByItself(*instruction)) return true;
      for (const HloComputation* next : instruction->called_) {
        if (seen.insert(next).second) stack.push_back(next);
      }
    }
  }
  return false;
}

}  // namespace sinter
