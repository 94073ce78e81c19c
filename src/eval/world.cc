#include "eval/world.h"

#include <system_error>
#include <thread>
#include <utility>

#include "base/status.h"

namespace sinter::eval {
namespace {

constexpr int64_t kMostParticipants = 4096;
constexpr int64_t kNobody = -1;

}  // namespace

const collective::Grid& Participant::grid() const { return world_.grid_; }

World::World(const collective::Grid& grid) : grid_(grid), rendezvous_(grid) {}

void World::TakeTurn(int64_t number) {
  std::unique_lock<std::mutex> lock(mutex_);
  At(number).turn.wait(lock, [&] { return turn_ == number; });
}

void World::PassTurn(int64_t number) {
  auto next = [&] {
    for (int64_t k = 1; k <= grid_.size(); ++k) {
      const int64_t n = (number + k) % grid_.size();
      if (At(n).state == State::kRunnable) return n;
    }
    return kNobody;
  };
  int64_t to = next();
  if (to == kNobody) {
    bool waits = false;
    for (const Member& m : members_) waits |= Waits(m.state);
    if (waits) {
      Fail(InvalidArgument("the participants wait for one another: {}", rendezvous_.Describe()));
      to = next();
    }
  }
  std::lock_guard<std::mutex> lock(mutex_);
  turn_ = to;
  if (to != kNobody) At(to).turn.notify_one();
}

absl::Status World::Wait(int64_t number, State state) {
  At(number).state = state;
  PassTurn(number);
  TakeTurn(number);
  if (error_.ok()) return absl::OkStatus();
  return Unavailable("another participant has failed: {}", MessageOf(error_));
}

// The first error ends everyone's waiting.
void World::Fail(const absl::Status& status) {
  if (error_.ok()) error_ = status;
  for (Member& m : members_) {
    if (Waits(m.state)) m.state = State::kRunnable;
  }
}

absl::StatusOr<std::vector<std::vector<Value>>> Participant::Meet(const collective::Operation& op,
                                                                  absl::Span<const int64_t> group,
                                                                  std::vector<Value> given) {
  World& w = world_;
  w.At(number_).given = std::move(given);
  ASSIGN_OR_RETURN(bool complete, w.rendezvous_.Arrive(number_, op, group));
  if (!complete) {
    RETURN_IF_ERROR(w.Wait(number_, World::State::kMeeting));
    return std::exchange(w.At(number_).received, {});
  }
  w.rendezvous_.Release(group);
  std::vector<std::vector<Value>> all;
  for (int64_t member : group) all.push_back(std::exchange(w.At(member).given, {}));
  for (int64_t member : group) {
    if (member == number_) continue;
    w.At(member).received = all;
    w.At(member).state = World::State::kRunnable;
  }
  return all;
}

void Participant::Send(int64_t channel, int64_t target, Value value) {
  World& w = world_;
  const World::Channel key{channel, target < 0 ? target : number_, target};
  w.sent_[key].push_back(std::move(value));
  // Whoever waits for something looks again.
  for (World::Member& m : w.members_) {
    if (m.state == World::State::kReceiving) m.state = World::State::kRunnable;
  }
}

absl::StatusOr<Value> Participant::Receive(const collective::Operation& op, int64_t channel,
                                           int64_t source) {
  World& w = world_;
  std::deque<Value>& queue = w.sent_[{channel, source, source < 0 ? source : number_}];
  while (queue.empty()) {
    w.rendezvous_.AwaitSender(number_, op, source);
    RETURN_IF_ERROR(w.Wait(number_, World::State::kReceiving));
  }
  w.rendezvous_.Received(number_);
  Value value = std::move(queue.front());
  queue.pop_front();
  return value;
}

absl::Status World::Run(const std::function<absl::Status(Participant&)>& body) {
  if (grid_.size() > kMostParticipants) {
    return ResourceExhausted("{} participants are more than the interpreter's {}", grid_.size(),
                             kMostParticipants);
  }
  members_ = std::vector<Member>(static_cast<size_t>(grid_.size()));
  auto run = [&](int64_t number) {
    TakeTurn(number);
    Participant participant(*this, number);
    absl::Status status = error_.ok() ? body(participant) : absl::OkStatus();
    if (!status.ok()) {
      if (grid_.size() > 1) status = Annotate(status, collective::NameOf(number, grid_));
      Fail(status);
    }
    At(number).state = State::kEnded;
    rendezvous_.End(number);
    PassTurn(number);
  };
  std::vector<std::thread> threads;
  for (int64_t n = 1; n < grid_.size(); ++n) {
    try {
      threads.emplace_back(run, n);
    } catch (const std::system_error&) {
      // It is this thread's turn still. Those that have started find the error.
      Fail(ResourceExhausted("the system has no thread for participant {}", n));
      for (int64_t k = n; k < grid_.size(); ++k) At(k).state = State::kEnded;
      break;
    }
  }
  run(0);
  for (std::thread& t : threads) t.join();
  return error_;
}

}  // namespace sinter::eval
