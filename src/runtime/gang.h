// All participants of a program that are in this process, run side by side by however many threads
// there are. A run that meets others holds no thread while it waits: it is put aside, and goes on
// when its group's exchange is done. So as many participants as one likes get on with one thread.
// An exchange that only begins goes on beside the steps of those who have come to it.
// Where all wait for other processes, no thread is held at all, but that of a caller who waits.
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
#include "runtime/processes.h"
#include "runtime/transport.h"

namespace sinter::runtime {

class Gang final : public RunReceiver, public std::enable_shared_from_this<Gang> {
 public:
  // Of runs that have begun, one for each of Executable::local_participants. `ended[n]` is kept
  // when that participant has ended: its error is its own, or Unavailable where another has failed.
  // `awaited`: results are marked so (Storage::MarkAwaited). `key`: of programs of several
  // processes.
  Gang(std::shared_ptr<Executable> executable, std::vector<std::unique_ptr<Executable::Run>> runs,
       std::vector<Promise> ended, bool awaited, const RunKey& key);
  ~Gang() override;

  // Runs, with the help of the client's workers where there is much to do. `waits`: until all have
  // ended, else as far as it gets without waiting for other processes; when it can go on, it is
  // scheduled.
  void Run(bool waits);
  // Ends all without running.
  void Cancel(const absl::Status& status) override;
  // Once Run has returned: the error of the participant that failed first.
  absl::Status status() const;

  // The message to other processes of a run that has failed here.
  static std::string Failure(const absl::Status& status);

 private:
  using Clock = std::chrono::steady_clock;
  enum class State : uint8_t { kReady, kRunning, kWaiting, kEnded };
  // An exchange that a member has come to.
  struct Visit {
    // kOpen: not all have come; kExchanging: threads work with the member's memory; kRemote: it
    // waits for other processes.
    enum class Phase : uint8_t { kOpen, kExchanging, kRemote, kDone };
    int64_t number = 0;  // of the member
    StepExecutor::Meeting at;
    Phase phase = Phase::kDone;
  };
  using Visits = std::vector<Visit*>;  // of those of a group that are here, in its order
  struct Member {
    std::unique_ptr<Executable::Run> run;
    Promise ended;
    StorageRef arena;
    StepExecutor::Participant self;
    State state = State::kReady;
    bool entered = false, awaited = false;
    StepExecutor::Meeting at;
    Visit own;               // of a collective that is one step
    std::list<Visit> begun;  // that it has not needed the end of
    Visit* awaits = nullptr;
    Clock::time_point since;  // when it has begun to wait
    absl::Status failed;      // its own error
  };
  // A group that is spread over processes.
  struct Arrival {
    bool first = false;  // of an exchange; it then says what that is
    collective::Operation operation;
    network::Bytes bytes;
  };
  struct Remote {
    absl::Span<const int64_t> group;  // empty: nobody that is here has come to it yet
    std::vector<int64_t> here;
    Spread spread;
    std::map<int, std::deque<Arrival>> inbox;  // by process
    std::unique_ptr<RemoteExchange> exchange;  // of those here, who have met
    Visits visits;
    absl::Status failed;  // what another thread has unpacked
    const collective::Operation* operation = nullptr;
    // What is next in it.
    enum class Phase : uint8_t { kSend, kReceive, kWorked } phase = Phase::kSend;
    bool begun = false, parked = false;
  };
  // Those of a group who have met in an exchange that others come before.
  struct Met {
    Remote* remote;
    Visits visits;
  };
  // An exchange whose work the threads share.
  struct Shared {
    std::unique_ptr<ExchangeWork> work;
    Visits visits;
    int64_t next = 0, left = 0;  // pieces
    Remote* remote = nullptr;
  };
  // Events to be set when the lock has been given back: who waits may call the library.
  using Endings = std::vector<std::pair<Promise, absl::Status>>;
  // Arrays that nobody has received yet: bytes, or memory of the device that they are for.
  struct Sent {
    std::vector<int64_t> sizes;
    std::vector<std::vector<char>> bytes;
    std::vector<StorageRef> arrays;
  };
  using Channel = std::tuple<int64_t, int64_t, int64_t>;  // its number, source, target

  void Work();
  void WorkOnce(std::unique_lock<std::mutex>& lock);
  void Advance(int64_t number, std::unique_lock<std::mutex>& lock);
  // The member is at a collective. Whether it goes on at once.
  bool Meet(int64_t number, std::unique_lock<std::mutex>& lock);
  // The member needs the end of what has begun. Whether it goes on at once.
  bool MeetEnd(int64_t number);
  // All of the group have come: what each of those here has come to first.
  Visits TakeVisits(absl::Span<const int64_t> group);
  // Of an empty group: of the one visitor alone.
  Exchange ExchangeOf(absl::Span<const int64_t> group, const Visits& visits) const;
  void RunPieces(const ExchangeWork& work);
  // `number`, who has come last, works for all.
  bool Exchanged(int64_t number, const Exchange& exchange, Visits visits,
                 std::unique_lock<std::mutex>& lock);
  static void SetPhase(const Visits& visits, Visit::Phase phase);
  // Nobody works with the visitors' memory any more: who waits for it goes on, or ends where
  // somebody has failed meanwhile.
  void Over(const Visits& visits);
  // Those of the group that are here have met, and the caller works for them: the exchange goes on
  // as far as it does without waiting, once those before it are done.
  void MeetRemote(const std::vector<int64_t>& group, Visits visits,
                  std::unique_lock<std::mutex>& lock);
  // Whether an exchange of the group goes on, or waits in `met_` before `end`; where exchanges take
  // place in the order of submission, one of any group with a member of it that is here.
  bool HasBefore(const Remote& remote, std::list<Met>::const_iterator end) const;
  // Those that have met and need wait no longer.
  void BeginMet();
  absl::Status BeginRemote(Remote& remote, Visits visits);
  void GoOnRemote(Remote& remote, std::unique_lock<std::mutex>& lock);
  // One step of it; whether there is another.
  absl::StatusOr<bool> StepRemote(Remote& remote, std::unique_lock<std::mutex>& lock);
  // False: it is to be unpacked here and now.
  bool UnpackAside(Remote& remote, std::vector<network::Bytes>& received,
                   std::unique_lock<std::mutex>& lock);
  bool HasCome(const Remote& remote) const;
  absl::Status CheckCome(const Remote& remote) const;
  absl::Status CheckLost(const Remote& remote) const;
  // Whether what a participant sends can still come.
  absl::Status CheckSource(int64_t participant) const;
  Remote& RemoteOf(absl::Span<const int64_t> group);
  bool AwaitsProcesses() const;
  // Those of the group who have come to its exchange with other processes.
  std::vector<int64_t> CameToRemote(absl::Span<const int64_t> group) const;
  void SendRemote(const Channel& channel, const std::vector<std::vector<char>>& data);
  // The run's other processes hear of an error.
  void TellProcesses(const absl::Status& status);
  void Received(int from, network::Message message) override;
  void Lost(int process, const absl::Status& why) override;
  absl::Status Take(int from, network::Message& message, std::unique_lock<std::mutex>& lock);
  void Leave(std::unique_lock<std::mutex>& lock);
  bool Transfer(int64_t number);
  absl::Status Send(Member& from, int64_t target);
  void Deliver(const Channel& channel, Sent sent);
  // What is first in the channel to a participant that is at its receive.
  absl::Status Receive(Member& to, int64_t source);
  // `visit`: null for what another sends.
  void Wait(int64_t number, Visit* visit);
  void Ready(int64_t number);
  void End(int64_t number, const absl::Status& status);
  // After an error: the member ends, unless threads work with its memory.
  void EndWhenIdle(int64_t number);
  // `number` has failed (-1: all have, for a reason that is everyone's).
  // `tells`: other processes too.
  void Fail(int64_t number, const absl::Status& status, bool tells = true);
  // The same where `number` has found what is everyone's reason.
  void FailAll(int64_t number, const absl::Status& status);
  void FailVisits(const Visits& visits, const absl::Status& status);
  void WaitForWork(std::unique_lock<std::mutex>& lock);
  void CheckTimeout();
  void WatchTimeout(std::chrono::nanoseconds delay);
  int Threads() const;
  // Of those that are here.
  Member& At(int64_t number) {
    return members_[static_cast<size_t>(place_[static_cast<size_t>(number)])];
  }
  Device& DeviceOf(const Member& m) const { return *m.run->place->device; }
  bool IsHere(int64_t number) const { return place_[static_cast<size_t>(number)] >= 0; }
  bool HasEnded() const { return ended_ == static_cast<int64_t>(members_.size()); }
  void SetEndings(std::unique_lock<std::mutex>& lock);

  const std::shared_ptr<Executable> executable_;
  Workers& workers_;
  Transport& transport_;
  const collective::Grid grid_;
  const RunKey key_;
  const std::shared_ptr<Processes> processes_;  // null: all are here
  std::vector<int> place_;                      // by participant: in members_, or -1
  const int threads_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Member> members_;
  collective::Rendezvous rendezvous_;
  std::deque<int64_t> ready_;
  std::list<Shared> shared_;
  std::map<Channel, std::deque<Sent>> sent_;
  Endings endings_;
  // Of the participant that failed first, and what the others end with, whether they waited then or
  // came back later.
  absl::Status error_, others_;
  int64_t ended_ = 0;
  int running_ = 0, waiting_threads_ = 0;
  std::map<uint64_t, Remote> remotes_;  // by a hash of the group
  std::list<Met> met_;                  // the first first
  int aside_ = 0;                       // exchanges that threads of the transport's unpack
  std::map<int, absl::Status> lost_;    // processes
  std::deque<Remote*> come_;            // that can go on
  bool begun_ = false, registered_ = false, waits_ = false;
  bool parked_ = false;            // all wait for other processes
  std::atomic<uint64_t> news_{0};  // counts what threads may wait for
};

}  // namespace sinter::runtime
