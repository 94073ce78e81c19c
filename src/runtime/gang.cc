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
  for (Member& m : members_) {
    if (m.run != nullptr && error_.ok()) executable_->ReturnRun(std::move(m.run));
  }
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
      if (remote == nullptr) GoOn(s.group);
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
    if (!error_.ok() || !status.ok() || m.at.step == nullptr) {
      if (!error_.ok()) return End(number, others_);
      if (!status.ok()) return Fail(number, status);
      return End(number, status);
    }
  } while (Meet(number, lock));
}

bool Gang::Meet(int64_t number, std::unique_lock<std::mutex>& lock) {
  Member& m = At(number);
  const program::Collective& step = *m.at.step;
  if (step.kind == program::Collective::Kind::kSend ||
      step.kind == program::Collective::Kind::kReceive)
    return Transfer(number);
  const std::vector<int64_t>* group = collective::GroupOf(step.groups, number);
  if (group == nullptr) return Exchanged(number, ExchangeOf(number, {}), lock);
  absl::StatusOr<bool> complete = rendezvous_.Arrive(number, OperationAt(m.at), *group);
  if (!complete.ok()) {
    FailAll(number, Annotate(complete.status(), executable_->program_.name));
    return false;
  }
  if (!*complete) {
    Wait(number);
    return false;
  }
  if (processes_ != nullptr &&
      !std::all_of(group->begin(), group->end(), [&](int64_t n) { return IsHere(n); })) {
    MeetRemote(number, *group, lock);
    return false;
  }
  rendezvous_.Release(*group);
  for (int64_t other : *group) {
    if (other != number) At(other).state = State::kExchanging;
  }
  return Exchanged(number, ExchangeOf(number, *group), lock);
}

Exchange Gang::ExchangeOf(int64_t number, absl::Span<const int64_t> group) const {
  const auto& m = members_[static_cast<size_t>(place_[static_cast<size_t>(number)])];
  Exchange exchange{m.at.step, m.at.reducer, group, {}, {}, {}, nullptr};
  exchange.program = executable_->program_.name;
  exchange.participants = &executable_->participants_;
  for (int64_t n : group.empty() ? absl::MakeConstSpan(&m.self.number, 1) : group) {
    const int place = place_[static_cast<size_t>(n)];
    exchange.pointers.push_back(place < 0 ? nullptr
                                          : members_[static_cast<size_t>(place)].at.pointers);
    exchange.devices.push_back(executable_->devices()[static_cast<size_t>(n)]);
  }
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
bool Gang::Exchanged(int64_t number, const Exchange& exchange, std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  auto work = transport_.Begin(exchange);
  const int64_t pieces = work.ok() ? (*work)->pieces() : 0;
  const bool shares = threads_ > 1 && pieces > 1;
  if (work.ok() && !shares) {
    RunPieces(**work);
  }
  lock.lock();
  if (!work.ok()) {
    for (int64_t other : exchange.group) At(other).state = State::kWaiting;
    FailAll(number, Annotate(work.status(), executable_->program_.name));
    return false;
  }
  if (shares) {
    At(number).state = State::kExchanging;
    Shared s{*std::move(work), exchange.group, 0, pieces, nullptr};
    if (exchange.group.empty()) s.group = absl::MakeConstSpan(&At(number).self.number, 1);
    shared_.push_back(std::move(s));
    ++news_;
    if (waiting_threads_ > 0) changed_.notify_all();
    return false;
  }
  At(number).state = State::kRunning;
  GoOn(exchange.group);
  if (!error_.ok()) End(number, others_);
  return error_.ok();
}

void Gang::GoOn(absl::Span<const int64_t> group) {
  for (int64_t number : group) {
    if (At(number).state != State::kExchanging) continue;
    if (error_.ok()) {
      Ready(number);
    } else {
      End(number, others_);
    }
  }
}

// What is sent is kept until it is received: a sender waits for nobody.
bool Gang::Transfer(int64_t number) {
  Member& m = At(number);
  const program::Collective& step = *m.at.step;
  if (step.kind == program::Collective::Kind::kSend) {
    absl::Status sent;
    for (const auto& pair : step.pairs) {
      if (pair[0] == number && sent.ok()) sent = Send(m, pair[1]);
    }
    if (!sent.ok()) Fail(number, sent);
    return sent.ok();
  }
  const int64_t source = collective::SourceFor(step.pairs, number);
  if (source < 0) {
    absl::Status zeroed;
    for (size_t k = 0; k < step.results.size(); ++k)
      zeroed.Update(DeviceOf(m).Zero(m.at.pointers[k], step.results[k].size));
    if (zeroed.ok()) return true;
    Fail(number, zeroed);
    return false;
  }
  auto queue = sent_.find({step.channel, source, number});
  if (queue == sent_.end() || queue->second.empty()) {
    if (absl::Status s = CheckSource(source); !s.ok()) {
      FailAll(number, Annotate(s, executable_->program_.name));
      return false;
    }
    rendezvous_.AwaitSender(number, OperationAt(m.at), source);
    Wait(number);
    return false;
  }
  if (absl::Status s = Receive(m, source); !s.ok()) {
    FailAll(number, s);
    return false;
  }
  return true;
}

absl::Status Gang::Send(Member& from, int64_t target) {
  const program::Collective& step = *from.at.step;
  std::vector<std::vector<char>> data;
  for (size_t k = 0; k < step.operands.size(); ++k) {
    std::vector<char>& array = data.emplace_back(static_cast<size_t>(step.operands[k].size));
    RETURN_IF_ERROR(
        DeviceOf(from).CopyToHost(array.data(), from.at.pointers[k], step.operands[k].size));
  }
  if (IsHere(target)) {
    Deliver({step.channel, from.self.number, target}, std::move(data));
  } else {
    SendRemote({step.channel, from.self.number, target}, data);
  }
  return absl::OkStatus();
}

void Gang::Deliver(const Channel& channel, std::vector<std::vector<char>> data) {
  const auto [number, source, target] = channel;
  sent_[channel].push_back(std::move(data));
  Member& to = At(target);
  const program::Collective* theirs = to.at.step;
  if (to.state != State::kWaiting || theirs->kind != program::Collective::Kind::kReceive ||
      theirs->channel != number || collective::SourceFor(theirs->pairs, target) != source)
    return;
  rendezvous_.Received(target);
  if (absl::Status s = Receive(to, source); !s.ok()) return Fail(-1, s);
  Ready(target);
}

absl::Status Gang::Receive(Member& to, int64_t source) {
  const program::Collective& step = *to.at.step;
  auto& queue = sent_[{step.channel, source, to.self.number}];
  const std::vector<std::vector<char>> data = std::move(queue.front());
  queue.pop_front();
  bool fits = data.size() == step.results.size();
  for (size_t k = 0; fits && k < data.size(); ++k)
    fits = static_cast<int64_t>(data[k].size()) == step.results[k].size;
  if (!fits) {
    return InvalidArgument("{}: {} is sent arrays of other sizes by {}", executable_->program_.name,
                           step.operation.text, collective::NameOf(source, grid_));
  }
  for (size_t k = 0; k < data.size(); ++k) {
    RETURN_IF_ERROR(DeviceOf(to).CopyFromHost(to.at.pointers[k], data[k].data(),
                                              static_cast<int64_t>(data[k].size())));
  }
  return absl::OkStatus();
}

void Gang::Wait(int64_t number) {
  At(number).state = State::kWaiting;
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

void Gang::Fail(int64_t number, const absl::Status& status, bool tells) {
  if (!error_.ok()) {
    if (number >= 0) End(number, others_);
    return;
  }
  error_ = others_ = status;
  if (number >= 0) {
    const std::string name = collective::NameOf(number, grid_);
    error_ = Annotate(status, Format("{}: {}", executable_->program_.name, name));
    End(number, error_);
    others_ =
        Unavailable("{}: {} has failed: {}", executable_->program_.name, name, MessageOf(status));
  }
  if (tells) TellProcesses(others_);
  ready_.clear();
  ++news_;
  for (const Member& m : members_) {
    // Those that run end themselves when they come back; so do those whose exchange goes on.
    if (m.state == State::kReady || m.state == State::kWaiting || m.state == State::kRemote)
      End(m.self.number, others_);
  }
  changed_.notify_all();
}

void Gang::FailAll(int64_t number, const absl::Status& status) {
  Fail(-1, status);
  End(number, others_);
}

void Gang::SetEndings(std::unique_lock<std::mutex>& lock) {
  if (HasEnded() && std::exchange(registered_, false)) processes_->End(key_);
  if (endings_.empty()) return;
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
    if ((m.state != State::kWaiting && m.state != State::kRemote) || m.since >= first) continue;
    first = m.since;
    longest = &m;
  }
  if (longest == nullptr || now - first < timeout) {
    lock.unlock();
    return WatchTimeout(timeout - (now - first));
  }
  const program::Collective& step = *longest->at.step;
  const std::vector<int64_t>* group = collective::GroupOf(step.groups, longest->self.number);
  Fail(-1, Unavailable("{}: nobody came for {} seconds to {}", executable_->program_.name,
                       executable_->participants_.timeout,
                       group == nullptr ? rendezvous_.Describe()
                                        : rendezvous_.DescribeGroup(step.operation, *group,
                                                                    CameElsewhere(*group))));
  // Those that are still running get the error now, and are left alone.
  for (Member& m : members_) {
    if (m.state == State::kRunning)
      endings_.emplace_back(std::exchange(m.ended, Promise()), others_);
  }
  SetEndings(lock);
}

}  // namespace sinter::runtime
