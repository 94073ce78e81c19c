#include "collective/rendezvous.h"

#include <algorithm>

#include "base/status.h"

namespace sinter::collective {
namespace {

constexpr size_t kMostNamed = 8;  // in a message

}  // namespace

absl::Status CheckAgreed(int64_t participant, const Operation& op, int64_t other,
                         const Operation& theirs, const Grid& grid) {
  if (&theirs == &op || theirs.agreed == op.agreed) return absl::OkStatus();
  return InvalidArgument("{} is in {}: {}; {} of the same group is in {}: {}",
                         NameOf(participant, grid), op.text, op.agreed, NameOf(other, grid),
                         theirs.text, theirs.agreed);
}

Rendezvous::Rendezvous(const Grid& grid, absl::Span<const int64_t> here)
    : grid_(grid), states_(static_cast<size_t>(grid.size())) {
  if (here.empty()) return;
  for (State& s : states_) s.here = false;
  for (int64_t participant : here) At(participant).here = true;
}

bool Rendezvous::WaitsWith(int64_t participant, absl::Span<const int64_t> group) const {
  const State& s = At(participant);
  if (s.op == nullptr || s.group.empty()) return false;
  return s.group.data() == group.data() || s.group == group;
}

absl::StatusOr<bool> Rendezvous::Arrive(int64_t participant, const Operation& op,
                                        absl::Span<const int64_t> group) {
  bool complete = true;
  for (int64_t other : group) {
    if (other == participant || !At(other).here) continue;
    if (!WaitsWith(other, group)) {
      complete = false;
      continue;
    }
    RETURN_IF_ERROR(CheckAgreed(participant, op, other, *At(other).op, grid_));
  }
  State& own = At(participant);
  own.op = &op;
  own.group = group;
  own.sender = -1;
  return complete;
}

void Rendezvous::Release(absl::Span<const int64_t> group) {
  for (int64_t participant : group) {
    if (At(participant).here) At(participant) = {};
  }
}

void Rendezvous::AwaitSender(int64_t participant, const Operation& op, int64_t sender) {
  At(participant) = {&op, {}, sender};
}

void Rendezvous::Received(int64_t participant) { At(participant) = {}; }

void Rendezvous::End(int64_t participant) { At(participant).ended = true; }

std::string Rendezvous::Names(absl::Span<const int64_t> participants) const {
  std::vector<std::string> names;
  for (int64_t p : participants) {
    if (names.size() == kMostNamed) {
      names.push_back(Format("{} more", participants.size() - kMostNamed));
      break;
    }
    names.push_back(NameOf(p, grid_));
  }
  return Join(names, ", ");
}

std::string Rendezvous::DescribeGroup(const Operation& op, absl::Span<const int64_t> group,
                                      absl::Span<const int64_t> elsewhere) const {
  std::vector<int64_t> arrived, missing;
  for (int64_t p : group) {
    const bool came =
        WaitsWith(p, group) || std::find(elsewhere.begin(), elsewhere.end(), p) != elsewhere.end();
    (came ? arrived : missing).push_back(p);
  }
  return Format("{}: arrived {}; missing {}", op.text, Names(arrived), Names(missing));
}

std::string Rendezvous::Describe() const {
  std::vector<std::string> sentences;
  size_t waiting = 0;
  for (size_t n = 0; n < states_.size(); ++n) {
    const State& s = states_[n];
    if (s.op == nullptr && !s.ended) continue;
    if (sentences.size() == kMostNamed) {
      ++waiting;
      continue;
    }
    const std::string name = NameOf(static_cast<int64_t>(n), grid_);
    if (s.op == nullptr) {
      sentences.push_back(Format("{} has come to its end", name));
    } else if (s.sender >= 0) {
      sentences.push_back(
          Format("{} waits in {} for what {} sends", name, s.op->text, NameOf(s.sender, grid_)));
    } else {
      std::vector<int64_t> missing;
      for (int64_t p : s.group) {
        if (!WaitsWith(p, s.group)) missing.push_back(p);
      }
      sentences.push_back(Format("{} waits in {} for {}", name, s.op->text, Names(missing)));
    }
  }
  if (waiting > 0) sentences.push_back(Format("and {} more", waiting));
  return Join(sentences, "; ");
}

}  // namespace sinter::collective
