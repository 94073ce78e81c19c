// Who waits in which operation: what a set of participants has to know to go on, to say which of
// them disagree, and to notice that none can go on.
//
//   ASSIGN_OR_RETURN(bool complete, rendezvous.Arrive(self, op, group));
//   if (complete) { exchange; rendezvous.Release(group); }
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collective/groups.h"

namespace sinter::collective {

// An operation as a participant executes it.
struct Operation {
  std::string text;  // for messages: "all-reduce 'sum' (channel 3)"
  std::string
      agreed;  // what all of a group must have alike, in words: op, shapes, reducer, channel
};

// OK, or InvalidArgument, with both operations, where two participants of a group disagree.
absl::Status CheckAgreed(int64_t participant, const Operation& op, int64_t other,
                         const Operation& theirs, const Grid& grid);

// A participant may be in several operations at a time, those of one group in the order in which it
// has come to them: the group meets in each in that order. Not safe from several threads.
// Operations and groups outlive the waiting.
class Rendezvous {
 public:
  // `here`: those whose waiting is kept; empty: all.
  explicit Rendezvous(const Grid& grid, absl::Span<const int64_t> here = {});

  // Whether now all of the group that are here have come to it. InvalidArgument, with both
  // operations, where another has come with the same group to an operation that does not agree.
  absl::StatusOr<bool> Arrive(int64_t participant, const Operation& op,
                              absl::Span<const int64_t> group);
  // The group's exchange that is first has met: nobody of it is in it any more.
  void Release(absl::Span<const int64_t> group);

  // The participant waits for what another sends, or the host (-1); Received: no longer.
  void AwaitSender(int64_t participant, const Operation& op, int64_t sender);
  void Received(int64_t participant);

  // The participant has come to its program's end, and meets nobody any more.
  void End(int64_t participant);

  // Who waits for whom, a sentence a participant that waits: "participant 0 waits in all-reduce
  // 'sum' for participant 1, which waits in ...".
  std::string Describe() const;
  // The same of one group: who has arrived and who is missing. `elsewhere`: those that are not
  // here, and have arrived.
  std::string DescribeGroup(const Operation& op, absl::Span<const int64_t> group,
                            absl::Span<const int64_t> elsewhere = {}) const;

 private:
  struct Wait {
    const Operation* op = nullptr;
    absl::Span<const int64_t> group;  // empty: it waits for what another sends
    int64_t sender = -1;
  };
  struct State {
    std::vector<Wait> waits;  // in the order of its coming
    bool ended = false;
    bool here = true;
  };
  State& At(int64_t participant) { return states_[static_cast<size_t>(participant)]; }
  const State& At(int64_t participant) const { return states_[static_cast<size_t>(participant)]; }
  // The operation `before` others of the group that it is in, or null.
  const Operation* In(int64_t participant, absl::Span<const int64_t> group,
                      size_t before = 0) const;
  std::string Names(absl::Span<const int64_t> participants) const;

  const Grid grid_;
  std::vector<State> states_;
};

}  // namespace sinter::collective
