// All participants of a program, run side by side by however many threads there are. A run that
// meets others holds no thread while it waits: it is put aside, and goes on when its group's
// exchange is done. So as many participants as one likes get on with one thread.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "collective/rendezvous.h"
#include "runtime/executable.h"
#include "runtime/transport.h"

namespace sinter::runtime {

class Gang : public std::enable_shared_from_this<Gang> {
 public:
  // Of runs that have begun, one a participant. `ended[n]` is kept when participant n has ended:
  // its error is its own, or Unavailable where another has failed. `awaited`: results are marked so
  // (Storage::MarkAwaited).
  Gang(std::shared_ptr<Executable> executable, std::vector<std::unique_ptr<Executable::Run>> runs,
       std::vector<Promise> ended, bool awaited);
  ~Gang();

  // Runs until all have ended, with the help of the client's workers where there is much to do.
  void Run();
  // Ends all without running.
  void Cancel(const absl::Status& status);
  // Once Run has returned: the error of the participant that failed first.
  absl::Status status() const;

 private:
  using Clock = std::chrono::steady_clock;
  // kExchanging: others work on what it has come to.
  enum class State : uint8_t { kReady, kRunning, kWaiting, kExchanging, kEnded };
  struct Member {
    std::unique_ptr<Executable::Run> run;
    Promise ended;
    StorageRef arena;
    StepExecutor::Participant self;
    State state = State::kReady;
    bool entered = false, awaited = false;
    StepExecutor::Meeting at;
    Clock::time_point since;  // when it has begun to wait
  };
  // An exchange whose work the threads share.
  struct Shared {
    std::unique_ptr<ExchangeWork> work;
    absl::Span<const int64_t> group;
    int64_t next = 0, left = 0;  // pieces
  };
  // Events to be set when the lock has been given back: who waits may call the library.
  using Endings = std::vector<std::pair<Promise, absl::Status>>;
  using Channel = std::tuple<int64_t, int64_t, int64_t>;  // its number, source, target

  void Work();
  void WorkOnce(std::unique_lock<std::mutex>& lock);
  void Advance(int64_t number, std::unique_lock<std::mutex>& lock);
  // The member is at a collective. Whether it goes on at once.
  bool Meet(int64_t number, std::unique_lock<std::mutex>& lock);
  bool Exchanged(int64_t number, const Exchange& exchange, std::unique_lock<std::mutex>& lock);
  bool Transfer(int64_t number);
  void Send(Member& from, int64_t target);
  // What is first in the channel to a participant that is at its receive.
  absl::Status Receive(Member& to, int64_t source);
  void Wait(int64_t number);
  void Ready(int64_t number);
  void End(int64_t number, const absl::Status& status);
  // `number` has failed (-1: all have, for a reason that is everyone's).
  void Fail(int64_t number, const absl::Status& status);
  // The same where `number` has found what is everyone's reason.
  void FailAll(int64_t number, const absl::Status& status);
  // Those of the group go on, or end where somebody has failed meanwhile.
  void GoOn(absl::Span<const int64_t> group);
  void WaitForWork(std::unique_lock<std::mutex>& lock);
  void CheckTimeout();
  void WatchTimeout(std::chrono::nanoseconds delay);
  int Threads() const;
  Member& At(int64_t number) { return members_[static_cast<size_t>(number)]; }
  void SetEndings(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<Executable> executable_;
  Workers& workers_;
  Transport& transport_;
  const collective::Grid grid_;
  const int threads_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  collective::Rendezvous rendezvous_;
  std::deque<int64_t> ready_;
  std::list<Shared> shared_;
  std::map<Channel, std::deque<std::vector<std::vector<char>>>> sent_;
  Endings endings_;
  absl::Status error_;
  int64_t ended_ = 0;
  int running_ = 0, waiting_threads_ = 0;
  std::atomic<uint64_t> news_{0};  // counts what threads may wait for
};

}  // namespace sinter::runtime
