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

const Operation* Rendezvous::In(int64_t participant, absl::Span<const int64_t> group,
                                size_t before) const {
  for (const Wait& w : At(participant).waits) {
    if (w.group.empty() || (w.group.data() != group.data() && w.group != group)) continue;
    if (before-- == 0) return w.op;
  }
  return nullptr;
}

absl::StatusOr<bool> Rendezvous::Arrive(int64_t participant, const Operation& op,
                                        absl::Span<const int64_t> group) {
  size_t before = 0;
  while (In(participant, group, before) != nullptr) ++before;
  bool complete = before == 0;
  for (int64_t other : group) {
    if (other == participant || !At(other).here) continue;
    const Operation* theirs = In(other, group, before);
    if (theirs == nullptr) {
      complete = false;
      continue;
    }
    RETURN_IF_ERROR(CheckAgreed(participant, op, other, *theirs, grid_));
  }
  At(participant).waits.push_back({&op, group, -1});
  return complete;
}

void Rendezvous::Release(absl::Span<const int64_t> group) {
  for (int64_t participant : group) {
    if (!At(participant).here) continue;
    std::vector<Wait>& waits = At(participant).waits;
    const auto first =
        std::find_if(waits.begin(), waits.end(), [&](const Wait& w) { return w.group == group; });
    if (first != waits.end()) waits.erase(first);
  }
}

void Rendezvous::AwaitSender(int64_t participant, const Operation& op, int64_t sender) {
  Received(participant);
  At(participant).waits.push_back({&op, {}, sender});
}

void Rendezvous::Received(int64_t participant) {
  std::erase_if(At(participant).waits, [](const Wait& w) { return w.group.empty(); });
}

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
    const bool came = In(p, group) != nullptr ||
                      std::find(elsewhere.begin(), elsewhere.end(), p) != elsewhere.end();
    (came ? arrived : missing).push_back(p);
  }
  return Format("{}: arrived {}; missing {}", op.text, Names(arrived), Names(missing));
}

std::string Rendezvous::Describe() const {
  std::vector<std::string> sentences;
  size_t waiting = 0;
  for (size_t n = 0; n < states_.size(); ++n) {
    const State& s = states_[n];
    if (s.waits.empty() && !s.ended) continue;
    if (sentences.size() >= kMostNamed) {
      ++waiting;
      continue;
    }
    const std::string name = NameOf(static_cast<int64_t>(n), grid_);
    if (s.waits.empty()) sentences.push_back(Format("{} has come to its end", name));
    for (const Wait& w : s.waits) {
      if (w.group.empty()) {
        sentences.push_back(Format("{} waits in {} for what {} sends", name, w.op->text,
                                   w.sender < 0 ? "the host" : NameOf(w.sender, grid_)));
        continue;
      }
      std::vector<int64_t> missing;
      for (int64_t p : w.group) {
        if (In(p, w.group) == nullptr) missing.push_back(p);
      }
      sentences.push_back(Format("{} waits in {} for {}", name, w.op->text, Names(missing)));
    }
  }
  if (waiting > 0) sentences.push_back(Format("and {} more", waiting));
  return Join(sentences, "; ");
}

}  // namespace sinter::collective
