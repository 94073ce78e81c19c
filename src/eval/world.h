// The participants of one evaluation. Each has a thread, and one of them runs at a time, until it
// needs what others have not given yet; then the next that can go on does. So what they do, and
// which error comes first, is the same each time, and that none can go on is noticed at once.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "collective/rendezvous.h"
#include "eval/value.h"

namespace sinter::eval {

class World;

// One of them, as its evaluator sees it.
class Participant {
 public:
  Participant(World& world, int64_t number) : world_(world), number_(number) {}

  int64_t number() const { return number_; }
  const collective::Grid& grid() const;

  // Waits until all of the group have come to an operation that agrees with this one. Returns what
  // each of them gave, in the group's order. InvalidArgument where they disagree or wait for one
  // another for ever; Unavailable where another has failed.
  absl::StatusOr<std::vector<std::vector<Value>>> Meet(const collective::Operation& op,
                                                       absl::Span<const int64_t> group,
                                                       std::vector<Value> given);
  // Through a channel, in the order in which values are sent. A sender waits for nobody.
  void Send(int64_t channel, int64_t target, Value value);
  absl::StatusOr<Value> Receive(const collective::Operation& op, int64_t channel, int64_t source);

 private:
  World& world_;
  const int64_t number_;
};

class World {
 public:
  explicit World(const collective::Grid& grid);

  // Runs `body` for each participant and returns the first error. ResourceExhausted where the
  // system has not that many threads.
  absl::Status Run(const std::function<absl::Status(Participant&)>& body);

 private:
  friend class Participant;
  enum class State : uint8_t { kRunnable, kMeeting, kReceiving, kEnded };
  struct Member {
    State state = State::kRunnable;
    std::condition_variable turn;
    std::vector<Value> given;
    std::vector<std::vector<Value>> received;
  };
  using Channel = std::tuple<int64_t, int64_t, int64_t>;  // its number, source, target

  void TakeTurn(int64_t number);                   // waits for it
  void PassTurn(int64_t number);                   // to the next that can go on
  absl::Status Wait(int64_t number, State state);  // until another makes it runnable
  static bool Waits(State s) { return s == State::kMeeting || s == State::kReceiving; }
  void Fail(const absl::Status& status);
  Member& At(int64_t number) { return members_[static_cast<size_t>(number)]; }

  const collective::Grid grid_;
  // Of the participant whose turn it is, but `turn_`.
  collective::Rendezvous rendezvous_;
  std::vector<Member> members_;
  std::map<Channel, std::deque<Value>> sent_;
  absl::Status error_;
  std::mutex mutex_;
  int64_t turn_ = 0;
};

}  // namespace sinter::eval
