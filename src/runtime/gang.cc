#include "runtime/gang.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/status.h"
#include "program/walk.h"

namespace sinter::runtime {
namespace {

// What one participant does between two meetings is worth another thread from here on.
constexpr int64_t kWorthThreads = 5000;  // nanoseconds
constexpr double kBytesPerNanosecond = 8;

void AddTime(const std::vector<program::Step>& steps, double& nanoseconds, int64_t& meetings) {
  for (const program::Step& step : steps) {
    if (const auto* launch = std::get_if<program::Launch>(&step.op)) {
      for (const program::Stage& stage : launch->stages)
        nanoseconds += static_cast<double>(stage.nanoseconds);
    } else if (const auto* c = std::get_if<program::Collective>(&step.op)) {
      ++meetings;
      nanoseconds += static_cast<double>(c->cost.bytes_read) / kBytesPerNanosecond;
    } else if (std::holds_alternative<program::LibraryCall>(step.op) ||
               std::holds_alternative<program::CustomCall>(step.op)) {
      nanoseconds += 10 * kWorthThreads;  // as long as it likes
    }
    program::ForEachBody(step, [&](const std::vector<program::Step>& body) {
      AddTime(body, nanoseconds, meetings);
    });
  }
}

const collective::Operation& OperationAt(const StepExecutor::Meeting& at) {
  return at.step->operation;
}

}  // namespace

Gang::Gang(std::shared_ptr<Executable> executable,
           std::vector<std::unique_ptr<Executable::Run>> runs, std::vector<Promise> ended,
           bool awaited, const RunKey& key)
    : executable_(std::move(executable)),
      workers_(*executable_->places_[0].device->workers()),
      transport_(*executable_->places_[0].steps->transport()),
      grid_(executable_->program_.grid),
      key_(key),
      processes_(executable_->spans_processes_ ? executable_->participants_.processes : nullptr),
      place_(static_cast<size_t>(grid_.size()), -1),
      threads_(Threads()),
      members_(runs.size()),
      rendezvous_(grid_, executable_->local_participants()) {
  for (size_t n = 0; n < runs.size(); ++n) {
    const int64_t number = executable_->local_participants()[n];
    place_[static_cast<size_t>(number)] = static_cast<int>(n);
    members_[n].run = std::move(runs[n]);
    members_[n].ended = ended[n];
    members_[n].awaited = awaited;
    members_[n].self = {number, static_cast<uint32_t>(grid_.ReplicaOf(number)),
                        static_cast<uint32_t>(grid_.PartitionOf(number))};
    ready_.push_back(number);
  }
  registered_ = processes_ != nullptr;
}

Gang::~Gang() {
  if (registered_) processes_->End(key_);
}

absl::Status Gang::status() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

// Threads run participants where there are at least as many of them: else one thread does, and the
// kernels of each use all.
int Gang::Threads() const {
  const int all = workers_.parallelism();
  if (static_cast<int64_t>(executable_->local_participants().size()) < all || all == 1) return 1;
  double nanoseconds = 0;
  int64_t meetings = 0;
  AddTime(executable_->program_.steps, nanoseconds, meetings);
  return nanoseconds / static_cast<double>(meetings + 1) < kWorthThreads ? 1 : all;
}

void Gang::Run(bool waits) {
  bool begins = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    waits_ = waits;
    begins = !std::exchange(begun_, true);
  }
  const double timeout = executable_->participants_.timeout;
  if (begins && timeout > 0)
    WatchTimeout(std::chrono::nanoseconds(static_cast<int64_t>(timeout * 1e9)));
  if (begins && processes_ != nullptr) {
    processes_->Begin(key_, shared_from_this());
  }
  while (true) {
    if (threads_ == 1) {
      Work();
    } else {
      workers_.Run(
          threads_, threads_, 1,
          [](void* context, int64_t lo, int64_t hi, int) {
            for (int64_t k = lo; k < hi; ++k) static_cast<Gang*>(context)->Work();
          },
          this);
    }
    if (!waits) return;
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return !parked_ || HasEnded(); });
    if (HasEnded()) return;
  }
}

void Gang::Cancel(const absl::Status& status) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (processes_ != nullptr && error_.ok()) {
    TellProcesses(Unavailable("{}: process {} has given up: {}", executable_->program_.name,
                              processes_->id(), MessageOf(status)));
  }
  Fail(-1, status, /*tells=*/false);
  SetEndings(lock);
}

void Gang::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!HasEnded() && !parked_) WorkOnce(lock);
  SetEndings(lock);
  changed_.notify_all();
}

void Gang::WorkOnce(std::unique_lock<std::mutex>& lock) {
  for (Shared& s : shared_) {
    if (s.next < s.work->pieces()) {
      const int64_t piece = s.next++;
      ++running_;
      lock.unlock();
      s.work->Run(piece);
      lock.lock();
      --running_;
      if (--s.left > 0) return;
      Remote* remote = s.remote;
      if (remote == nullptr) Over(s.visits);
      shared_.remove_if([&](const Shared& x) { return &x == &s; });
      if (remote != nullptr) GoOnRemote(*remote, lock);
      SetEndings(lock);
      return;
    }
  }
  if (!come_.empty()) {
    Remote& remote = *come_.front();
    come_.pop_front();
    GoOnRemote(remote, lock);
    SetEndings(lock);
    return;
  }
  if (!ready_.empty()) {
    const int64_t number = ready_.front();
    ready_.pop_front();
    ++running_;
    Advance(number, lock);
    --running_;
    if (HasEnded()) {
      ++news_;
      changed_.notify_all();
    }
    SetEndings(lock);
    return;
  }
  if (running_ == 0 && AwaitsProcesses()) {
    parked_ = true;
    ++news_;
    changed_.notify_all();
    return;
  }
  if (running_ == 0) {
    Fail(-1, InvalidArgument("{}: the participants wait for one another: {}",
                             executable_->program_.name, rendezvous_.Describe()));
    SetEndings(lock);
    return;
  }
  WaitForWork(lock);
}

void Gang::WaitForWork(std::unique_lock<std::mutex>& lock) {
  const uint64_t seen = news_.load(std::memory_order_relaxed);
  lock.unlock();
  SpinUntil([&] { return news_.load(std::memory_order_acquire) != seen; });
  lock.lock();
  // Whoever runs comes back, and looks after what is left.
  ++waiting_threads_;
  changed_.wait(lock, [&] { return news_.load(std::memory_order_relaxed) != seen; });
  --waiting_threads_;
}

void Gang::Advance(int64_t number, std::unique_lock<std::mutex>& lock) {
  Member& m = At(number);
  m.state = State::kRunning;
  Executable& e = *executable_;
  do {
    lock.unlock();
    absl::Status status;
    try {
      if (!std::exchange(m.entered, true)) {
        auto arena = e.Enter(*m.run);
        status = arena.status();
        if (arena.ok()) m.arena = *std::move(arena);
      }
      if (status.ok()) {
        auto at = m.run->place->steps->Advance(m.run->bases, *m.run->state, m.self);
        status = at.status();
        if (at.ok()) m.at = *at;
        if (at.ok() && at->step == nullptr) status = e.Leave(*m.run);
      }
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("{}: the system has no memory", e.program_.name);
    }
    lock.lock();
    if (!error_.ok()) {
      m.state = State::kWaiting;
      return EndWhenIdle(number);
    }
    if (status.ok() && m.at.step == nullptr && !m.begun.empty())
      status = Internal("nothing waits for the end of {}", OperationAt(m.begun.front().at).text);
    if (!status.ok()) return Fail(number, status);
    if (m.at.step == nullptr) return End(number, status);
  } while (Meet(number, lock));
}

bool Gang::Meet(int64_t number, std::unique_lock<std::mutex>& lock) {
  Member& m = At(number);
  const program::Collective& step = *m.at.step;
  if (m.at.awaits) return MeetEnd(number);
  if (step.kind == program::Collective::Kind::kSend ||
      step.kind == program::Collective::Kind::kReceive)
    return Transfer(number);
  const std::vector<int64_t>* group = collective::GroupOf(step.groups, number);
  if (group == nullptr) {
    m.own = {number, m.at, Visit::Phase::kExchanging};
    return Exchanged(number, ExchangeOf({}, {&m.own}), {&m.own}, lock);
  }
  const bool begins = step.ticket >= 0;
  // Who offers a sequence waits until it is known what is submitted.
  const bool goes_on = begins && m.at.sequence == nullptr;
  Visit& visit = begins ? m.begun.emplace_back() : m.own;
  visit = {number, m.at, Visit::Phase::kOpen};
  if (begins) {
    if (absl::Status s = transport_.Arrive(ExchangeOf({}, {&visit})); !s.ok()) {
      Fail(number, s);
      return false;
    }
  }
  absl::StatusOr<bool> complete = rendezvous_.Arrive(number, OperationAt(m.at), *group);
  if (!complete.ok()) {
    FailAll(number, Annotate(complete.status(), executable_->program_.name));
    return false;
  }
  if (!*complete) {
    if (!goes_on) Wait(number, &visit);
    return goes_on;
  }
  Visits visits = TakeVisits(*group);
  rendezvous_.Release(*group);
  if (processes_ == nullptr || visits.size() == group->size()) {
    const Exchange exchange = ExchangeOf(*group, visits);
    return Exchanged(number, exchange, std::move(visits), lock);
  }
  if (!goes_on) Wait(number, &visit);
  MeetRemote(*group, std::move(visits), lock);
  if (goes_on && !error_.ok()) {
    m.state = State::kWaiting;
    EndWhenIdle(number);
  }
  return goes_on && error_.ok();
}

bool Gang::MeetEnd(int64_t number) {
  Member& m = At(number);
  const auto visit = std::find_if(m.begun.begin(), m.begun.end(),
                                  [&](const Visit& v) { return v.at.step == m.at.step; });
  // Who meets nobody was done when it began.
  if (visit == m.begun.end()) return true;
  if (visit->phase != Visit::Phase::kDone) {
    Wait(number, &*visit);
    return false;
  }
  const absl::Status joined = transport_.Join(ExchangeOf({}, {&*visit}));
  m.begun.erase(visit);
  if (!joined.ok()) Fail(number, joined);
  return joined.ok();
}

Gang::Visits Gang::TakeVisits(absl::Span<const int64_t> group) {
  Visits visits;
  for (int64_t n : group) {
    if (!IsHere(n)) continue;
    Member& m = At(n);
    Visit* first = &m.own;
    for (Visit& v : m.begun) {
      if (v.phase == Visit::Phase::kOpen &&
          absl::MakeConstSpan(*collective::GroupOf(v.at.step->groups, n)) == group) {
        first = &v;
        break;
      }
    }
    first->phase = Visit::Phase::kExchanging;
    visits.push_back(first);
  }
  return visits;
}

Exchange Gang::ExchangeOf(absl::Span<const int64_t> group, const Visits& visits) const {
  const StepExecutor::Meeting& at = visits[0]->at;
  Exchange exchange{at.step, at.reducer, group, {}, {}, {}, nullptr};
  exchange.program = executable_->program_.name;
  exchange.participants = &executable_->participants_;
  size_t next = 0;
  for (int64_t n : group.empty() ? absl::MakeConstSpan(&visits[0]->number, 1) : group) {
    exchange.pointers.push_back(IsHere(n) ? visits[next++]->at.pointers : nullptr);
    exchange.devices.push_back(executable_->devices()[static_cast<size_t>(n)]);
  }
  if (group.empty() || std::any_of(visits.begin(), visits.end(),
                                   [](const Visit* v) { return v->at.sequence == nullptr; }))
    return exchange;
  next = 0;
  for (int64_t n : group)
    exchange.sequences.push_back(IsHere(n) ? visits[next++]->at.sequence : nullptr);
  return exchange;
}

void Gang::RunPieces(const ExchangeWork& work) {
  if (work.pieces() == 1) return work.Run(0);
  workers_.Run(
      work.pieces(), workers_.parallelism(), 4,
      [](void* context, int64_t lo, int64_t hi, int) {
        for (int64_t k = lo; k < hi; ++k) static_cast<const ExchangeWork*>(context)->Run(k);
      },
      const_cast<ExchangeWork*>(&work));
}

// Small exchanges are done here and now; of others the pieces are for all threads.
bool Gang::Exchanged(int64_t number, const Exchange& exchange, Visits visits,
                     std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  auto work = transport_.Begin(exchange);
  const int64_t pieces = work.ok() ? (*work)->pieces() : 0;
  const bool shares = threads_ > 1 && pieces > 1;
  if (work.ok() && !shares) RunPieces(**work);
  lock.lock();
  if (!work.ok()) {
    At(number).state = State::kWaiting;
    FailVisits(visits, work.status());
    return false;
  }
  const bool begins = exchange.step->ticket >= 0 && !exchange.group.empty();
  if (shares) {
    if (!begins) Wait(number, &At(number).own);
    shared_.push_back({*std::move(work), std::move(visits), 0, pieces, nullptr});
    ++news_;
    if (waiting_threads_ > 0) changed_.notify_all();
  } else {
    Over(visits);
  }
  if (!error_.ok() && At(number).state == State::kRunning) {
    At(number).state = State::kWaiting;
    EndWhenIdle(number);
  }
  return At(number).state == State::kRunning;
}

void Gang::SetPhase(const Visits& visits, Visit::Phase phase) {
  for (Visit* v : visits) v->phase = phase;
}

void Gang::Over(const Visits& visits) {
  SetPhase(visits, Visit::Phase::kDone);
  for (Visit* v : visits) {
    const int64_t number = v->number;
    Member& m = At(number);
    if (!error_.ok()) {
      EndWhenIdle(number);
      continue;
    }
    const bool waits = m.awaits == v;
    // What begins in a sequence also ends there; alone it has just begun.
    const StepExecutor::Sequence* sequence = v->at.sequence;
    const bool joins = v != &m.own && (sequence == nullptr ? waits : sequence->whole);
    const absl::Status joined = joins ? transport_.Join(ExchangeOf({}, {v})) : absl::OkStatus();
    if (joins) m.begun.remove_if([&](const Visit& x) { return &x == v; });
    if (waits) m.awaits = nullptr;
    if (!joined.ok()) {
      Fail(number, joined);
    } else if (waits) {
      Ready(number);
    }
  }
}

void Gang::Wait(int64_t number, Visit* visit) {
  At(number).state = State::kWaiting;
  At(number).awaits = visit;
  if (executable_->participants_.timeout > 0) At(number).since = Clock::now();
}

void Gang::Ready(int64_t number) {
  At(number).state = State::kReady;
  ready_.push_back(number);
  ++news_;
  if (waiting_threads_ > 0) changed_.notify_one();
}

void Gang::End(int64_t number, const absl::Status& status) {
  Member& m = At(number);
  if (m.state == State::kEnded) return;
  m.state = State::kEnded;
  // What still goes on, after an error, is before what its memory is next used for. A device that
  // cannot wait is lost.
  for (Visit& v : m.begun) transport_.Join(ExchangeOf({}, {&v})).IgnoreError();
  m.arena = StorageRef();
  // Results have no other owner than who gets them, now that their contents are there.
  if (m.awaited) {
    for (size_t r = 0; r < executable_->results_.size(); ++r)
      executable_->Awaited(*m.run, r).DropAwaited();
  }
  m.run->Clear();
  ++ended_;
  rendezvous_.End(number);
  endings_.emplace_back(m.ended, status);
}

void Gang::EndWhenIdle(int64_t number) {
  Member& m = At(number);
  auto works = [](const Visit& v) { return v.phase == Visit::Phase::kExchanging; };
  if (m.state == State::kRunning || works(m.own) ||
      std::any_of(m.begun.begin(), m.begun.end(), works))
    return;
  End(number, m.failed.ok() ? others_ : m.failed);
}

void Gang::Fail(int64_t number, const absl::Status& status, bool tells) {
  if (number >= 0) At(number).state = State::kWaiting;
  if (!error_.ok()) {
    if (number >= 0) EndWhenIdle(number);
    return;
  }
  error_ = others_ = status;
  if (number >= 0) {
    const std::string name = collective::NameOf(number, grid_);
    error_ = Annotate(status, Format("{}: {}", executable_->program_.name, name));
    At(number).failed = error_;
    others_ =
        Unavailable("{}: {} has failed: {}", executable_->program_.name, name, MessageOf(status));
  }
  if (tells) TellProcesses(others_);
  ready_.clear();
  ++news_;
  // Those that run end themselves when they come back; so do those whose exchange goes on.
  for (const Member& m : members_) EndWhenIdle(m.self.number);
  changed_.notify_all();
}

void Gang::FailAll(int64_t number, const absl::Status& status) {
  Fail(-1, status);
  At(number).state = State::kWaiting;
  EndWhenIdle(number);
}

void Gang::SetEndings(std::unique_lock<std::mutex>& lock) {
  if (HasEnded() && std::exchange(registered_, false)) processes_->End(key_);
  if (endings_.empty()) return;
  // Before who waits for the end begins the next run, which is to have the same states: what may
  // still hold the gang then is a message's thread.
  for (Member& m : members_) {
    if (HasEnded() && error_.ok() && m.run != nullptr) executable_->ReturnRun(std::move(m.run));
  }
  Endings endings = std::move(endings_);
  endings_.clear();
  lock.unlock();
  for (auto& [promise, status] : endings) promise.Set(std::move(status));
  lock.lock();
}

void Gang::WatchTimeout(std::chrono::nanoseconds delay) {
  const std::shared_ptr<Timer>& timer = executable_->participants_.timer;
  if (timer == nullptr) return;
  timer->After(delay, [weak = weak_from_this()] {
    if (auto self = weak.lock()) self->CheckTimeout();
  });
}

void Gang::CheckTimeout() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (HasEnded() || !error_.ok()) return;
  const auto timeout =
      std::chrono::nanoseconds(static_cast<int64_t>(executable_->participants_.timeout * 1e9));
  const Clock::time_point now = Clock::now();
  Clock::time_point first = now;
  const Member* longest = nullptr;
  for (const Member& m : members_) {
    const bool works = m.awaits != nullptr && m.awaits->phase == Visit::Phase::kExchanging;
    if (m.state != State::kWaiting || works || m.since >= first) continue;
    first = m.since;
    longest = &m;
  }
  if (longest == nullptr || now - first < timeout) {
    lock.unlock();
    return WatchTimeout(timeout - (now - first));
  }
  const program::Collective& step = *longest->at.step;
  const std::vector<int64_t>* group =
      longest->awaits == nullptr ? nullptr : collective::GroupOf(step.groups, longest->self.number);
  Fail(-1, Unavailable("{}: nobody came for {} seconds to {}", executable_->program_.name,
                       executable_->participants_.timeout,
                       group == nullptr ? rendezvous_.Describe()
                                        : rendezvous_.DescribeGroup(step.operation, *group,
                                                                    CameToRemote(*group))));
  // Those that are still running get the error now, and are left alone.
  for (Member& m : members_) {
    if (m.state == State::kRunning)
      endings_.emplace_back(std::exchange(m.ended, Promise()), others_);
  }
  SetEndings(lock);
}

}  // namespace sinter::runtime
