// Exchanges of a gang with participants in other processes.
#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/hash.h"
#include "base/status.h"
#include "network/encoding.h"
#include "runtime/gang.h"

namespace sinter::runtime {
namespace {

using network::Reader;
using network::Writer;

enum class Kind : uint64_t {
  kExchange,  // of a group: one message of a round
  kSend,      // through a channel
  kFailed
};

constexpr size_t kMostNames = 8;  // in a message

uint64_t HashOf(absl::Span<const int64_t> group) {
  Hasher hash;
  for (int64_t n : group) hash.Add(n);
  return hash.Finish().low;
}

}  // namespace

std::string Gang::Failure(const absl::Status& status) {
  return Writer()
      .Number(static_cast<uint64_t>(Kind::kFailed))
      .Number(static_cast<uint64_t>(status.code()))
      .Text(MessageOf(status))
      .Take();
}

Gang::Remote& Gang::RemoteOf(absl::Span<const int64_t> group) {
  Remote& r = remotes_[HashOf(group)];
  if (!r.group.empty()) return r;
  r.group = group;
  r.spread.self = processes_->id();
  for (int64_t n : group) {
    r.spread.processes.push_back(executable_->ProcessOf(n));
    if (IsHere(n)) r.here.push_back(n);
  }
  return r;
}

void Gang::MeetRemote(const std::vector<int64_t>& group, Visits visits,
                      std::unique_lock<std::mutex>& lock) {
  Remote& r = RemoteOf(group);
  if (HasBefore(r, met_.end())) {
    SetPhase(visits, Visit::Phase::kRemote);
    met_.push_back({&r, std::move(visits)});
    return;
  }
  if (absl::Status s = BeginRemote(r, visits); !s.ok()) return FailVisits(visits, s);
  GoOnRemote(r, lock);
}

bool Gang::HasBefore(const Remote& r, std::list<Met>::const_iterator end) const {
  const auto shares = [&](const Remote& other) {
    if (&other == &r) return true;
    return transport_.turns() != nullptr &&
           absl::c_any_of(other.here, [&](int64_t n) { return absl::c_linear_search(r.here, n); });
  };
  return std::any_of(met_.begin(), end, [&](const Met& m) { return shares(*m.remote); }) ||
         absl::c_any_of(remotes_, [&](const auto& one) {
           return one.second.exchange != nullptr && shares(one.second);
         });
}

void Gang::BeginMet() {
  for (auto m = met_.begin(); m != met_.end() && error_.ok();) {
    if (HasBefore(*m->remote, m)) {
      ++m;
      continue;
    }
    Remote& r = *m->remote;
    const Visits visits = std::move(m->visits);
    m = met_.erase(m);
    if (absl::Status s = BeginRemote(r, visits); !s.ok()) return FailVisits(visits, s);
    come_.push_back(&r);
    ++news_;
    if (waiting_threads_ > 0) changed_.notify_one();
  }
}

absl::Status Gang::BeginRemote(Remote& r, Visits visits) {
  SetPhase(visits, Visit::Phase::kExchanging);
  ASSIGN_OR_RETURN(r.exchange, transport_.BeginRemote(ExchangeOf(r.group, visits), r.spread));
  r.operation = &visits[0]->at.step->operation;
  r.visits = std::move(visits);
  r.phase = Remote::Phase::kSend;
  r.begun = false;
  return absl::OkStatus();
}

void Gang::GoOnRemote(Remote& r, std::unique_lock<std::mutex>& lock) {
  ++running_;
  r.parked = false;
  while (true) {
    absl::StatusOr<bool> more = false;
    if (!error_.ok()) {
      Over(r.visits);
      break;
    }
    try {
      more = StepRemote(r, lock);
    } catch (const std::bad_alloc&) {
      if (!lock.owns_lock()) lock.lock();
      more = ResourceExhausted("the system has no memory");
    }
    if (!more.ok()) FailVisits(r.visits, more.status());
    if (!more.ok() || !*more) break;
  }
  --running_;
}

absl::StatusOr<bool> Gang::StepRemote(Remote& r, std::unique_lock<std::mutex>& lock) {
  const std::vector<int>& others = r.exchange->others();
  switch (r.phase) {
    case Remote::Phase::kSend: {
      Writer header;
      header.Number(static_cast<uint64_t>(Kind::kExchange)).Number(HashOf(r.group));
      const bool first = !std::exchange(r.begun, true);
      header.Number(first);
      if (first) header.Text(r.operation->text).Text(r.operation->agreed);
      const std::string text = header.Take();
      lock.unlock();
      auto messages = r.exchange->Pack();
      // A process that cannot be reached is lost, and the run hears so.
      for (size_t k = 0; k < others.size() && messages.ok(); ++k)
        processes_->Send(others[k], key_, text, std::move((*messages)[k])).IgnoreError();
      lock.lock();
      RETURN_IF_ERROR(messages.status());
      r.phase = Remote::Phase::kReceive;
      return true;
    }
    case Remote::Phase::kReceive: {
      RETURN_IF_ERROR(CheckCome(r));
      if (!HasCome(r)) {
        RETURN_IF_ERROR(CheckLost(r));
        SetPhase(r.visits, Visit::Phase::kRemote);
        r.parked = true;
        for (const Visit* v : r.visits) At(v->number).since = Clock::now();
        return false;
      }
      std::vector<network::Bytes> received;
      for (int p : others) {
        received.push_back(std::move(r.inbox[p].front().bytes));
        r.inbox[p].pop_front();
      }
      r.phase = Remote::Phase::kWorked;
      if (executable_->remote_groups_ > 1 && UnpackAside(r, received, lock)) return false;
      lock.unlock();
      auto work = r.exchange->Unpack(std::move(received));
      const int64_t pieces = work.ok() && *work != nullptr ? (*work)->pieces() : 0;
      const bool shares = threads_ > 1 && pieces > 1;
      if (pieces > 0 && !shares) RunPieces(**work);
      lock.lock();
      RETURN_IF_ERROR(work.status());
      if (!shares) return true;
      shared_.push_back({*std::move(work), r.visits, 0, pieces, &r});
      ++news_;
      if (waiting_threads_ > 0) changed_.notify_all();
      return false;
    }
    case Remote::Phase::kWorked:
      RETURN_IF_ERROR(std::exchange(r.failed, absl::OkStatus()));
      if (!r.exchange->done()) {
        r.phase = Remote::Phase::kSend;
        return true;
      }
      r.exchange.reset();
      Over(std::exchange(r.visits, {}));
      BeginMet();
      return false;
  }
  return false;
}

bool Gang::UnpackAside(Remote& r, std::vector<network::Bytes>& received,
                       std::unique_lock<std::mutex>& lock) {
  ++aside_;
  lock.unlock();
  const auto bytes = std::make_shared<std::vector<network::Bytes>>(std::move(received));
  const bool called = r.exchange->CallAside([self = shared_from_this(), &r, bytes] {
    absl::Status status;
    try {
      auto work = r.exchange->Unpack(std::move(*bytes));
      status = work.status();
      if (work.ok() && *work != nullptr) self->RunPieces(**work);
    } catch (const std::bad_alloc&) {
      status = ResourceExhausted("the system has no memory");
    }
    std::unique_lock<std::mutex> own_lock(self->mutex_);
    --self->aside_;
    r.failed = status;
    self->come_.push_back(&r);
    self->Leave(own_lock);
  });
  lock.lock();
  if (called) return true;
  --aside_;
  received = std::move(*bytes);
  return false;
}

bool Gang::HasCome(const Remote& r) const {
  for (int p : r.exchange->others()) {
    const auto found = r.inbox.find(p);
    if (found == r.inbox.end() || found->second.empty()) return false;
  }
  return true;
}

// Whether what the others have come to is the same.
absl::Status Gang::CheckCome(const Remote& r) const {
  for (const auto& [process, arrivals] : r.inbox) {
    if (arrivals.empty() || !arrivals.front().first) continue;
    const auto of = std::find(r.spread.processes.begin(), r.spread.processes.end(), process);
    if (of == r.spread.processes.end()) continue;
    RETURN_IF_ERROR(collective::CheckAgreed(
        r.here.front(), *r.operation, r.group[static_cast<size_t>(of - r.spread.processes.begin())],
        arrivals.front().operation, grid_));
  }
  return absl::OkStatus();
}

bool Gang::AwaitsProcesses() const {
  if (processes_ == nullptr) return false;
  if (aside_ > 0) return true;
  auto is_remote = [](const Visit& v) { return v.phase == Visit::Phase::kRemote; };
  return std::any_of(members_.begin(), members_.end(), [&](const Member& m) {
    if (m.state == State::kEnded) return false;
    if (is_remote(m.own) || std::any_of(m.begun.begin(), m.begun.end(), is_remote)) return true;
    if (m.state != State::kWaiting || m.at.step->kind != program::Collective::Kind::kReceive)
      return false;
    return !IsHere(collective::SourceFor(m.at.step->pairs, m.self.number));
  });
}

std::vector<int64_t> Gang::CameToRemote(absl::Span<const int64_t> group) const {
  std::vector<int64_t> came;
  const auto found = remotes_.find(HashOf(group));
  if (found == remotes_.end()) return came;
  for (int64_t n : group) {
    const auto inbox = found->second.inbox.find(executable_->ProcessOf(n));
    if (IsHere(n) ? found->second.exchange != nullptr
                  : inbox != found->second.inbox.end() && !inbox->second.empty())
      came.push_back(n);
  }
  return came;
}

void Gang::FailVisits(const Visits& visits, const absl::Status& status) {
  SetPhase(visits, Visit::Phase::kDone);
  Fail(-1, Annotate(status, executable_->program_.name));
  for (const Visit* v : visits) EndWhenIdle(v->number);
}

// A process that cannot be reached is lost, and the run hears so.
void Gang::TellProcesses(const absl::Status& status) {
  if (processes_ == nullptr) return;
  for (int p : executable_->other_processes())
    processes_->Send(p, key_, Failure(status)).IgnoreError();
}

void Gang::SendRemote(const Channel& channel, const std::vector<std::vector<char>>& data) {
  const auto [number, source, target] = channel;
  Writer header;
  header.Number(static_cast<uint64_t>(Kind::kSend))
      .Number(static_cast<uint64_t>(number))
      .Number(static_cast<uint64_t>(source))
      .Number(static_cast<uint64_t>(target))
      .Number(data.size());
  size_t all = 0;
  for (const auto& array : data) {
    header.Number(array.size());
    all += array.size();
  }
  network::Bytes body(all);
  char* at = body.data();
  for (const auto& array : data) {
    if (!array.empty()) std::memcpy(at, array.data(), array.size());
    at += array.size();
  }
  // A process that cannot be reached is lost, and the run hears so.
  processes_->Send(executable_->ProcessOf(target), key_, header.Take(), std::move(body))
      .IgnoreError();
}

void Gang::Received(int from, network::Message message) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (!error_.ok()) return;
  absl::Status status;
  try {
    status = Take(from, message, lock);
  } catch (const std::bad_alloc&) {
    status = ResourceExhausted("{}: the system has no memory", executable_->program_.name);
  }
  if (!status.ok()) Fail(-1, status);
  Leave(lock);
}

absl::Status Gang::Take(int from, network::Message& message, std::unique_lock<std::mutex>&) {
  Reader reader(message.header);
  const auto malformed = [&] {
    return Internal("{}: process {} has sent a message that makes no sense",
                    executable_->program_.name, from);
  };
  switch (static_cast<Kind>(reader.Number())) {
    case Kind::kExchange: {
      Remote& r = remotes_[reader.Number()];
      Arrival arrival;
      arrival.first = reader.Number() != 0;
      if (arrival.first) {
        arrival.operation.text = reader.Text();
        arrival.operation.agreed = reader.Text();
      }
      if (!reader.ok()) return malformed();
      arrival.bytes = std::move(message.body);
      r.inbox[from].push_back(std::move(arrival));
      if (!r.parked) return absl::OkStatus();
      if (absl::Status s = CheckCome(r); !s.ok()) return Annotate(s, executable_->program_.name);
      if (!HasCome(r)) return absl::OkStatus();
      r.parked = false;
      SetPhase(r.visits, Visit::Phase::kExchanging);
      come_.push_back(&r);
      return absl::OkStatus();
    }
    case Kind::kSend: {
      const int64_t number = reader.Signed(), source = reader.Signed(), target = reader.Signed();
      const uint64_t count = reader.Number();
      Sent data;
      size_t at = 0;
      for (uint64_t k = 0; k < count && reader.ok(); ++k) {
        const uint64_t size = reader.Number();
        if (!reader.ok() || size > message.body.size() - at) return malformed();
        data.bytes.emplace_back(message.body.data() + at, message.body.data() + at + size);
        data.sizes.push_back(static_cast<int64_t>(size));
        at += size;
      }
      if (!reader.ok() || target < 0 || target >= grid_.size() || !IsHere(target))
        return malformed();
      Deliver({number, source, target}, std::move(data));
      return absl::OkStatus();
    }
    case Kind::kFailed: {
      const auto code = static_cast<absl::StatusCode>(reader.Number());
      const std::string text = reader.Text();
      if (!reader.ok() || code == absl::StatusCode::kOk) return malformed();
      Fail(-1, absl::Status(code, text), /*tells=*/false);
      return absl::OkStatus();
    }
  }
  return malformed();
}

// What it has sent before is taken; the run fails where more is needed.
void Gang::Lost(int process, const absl::Status& why) {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto& others = executable_->other_processes();
  if (!error_.ok() || std::find(others.begin(), others.end(), process) == others.end()) return;
  std::vector<std::string> names;
  for (int64_t n = 0; n < grid_.size() && names.size() < kMostNames; ++n) {
    if (executable_->ProcessOf(n) == process) names.push_back(collective::NameOf(n, grid_));
  }
  lost_[process] = Unavailable("{} cannot go on: {}", Join(names, ", "), MessageOf(why));
  absl::Status needed;
  for (const auto& [hash, r] : remotes_) {
    if (needed.ok() && r.exchange != nullptr && r.phase == Remote::Phase::kReceive && !HasCome(r))
      needed = CheckLost(r);
  }
  for (const Member& m : members_) {
    if (needed.ok() && m.state == State::kWaiting &&
        m.at.step->kind == program::Collective::Kind::kReceive)
      needed = CheckSource(collective::SourceFor(m.at.step->pairs, m.self.number));
  }
  if (!needed.ok()) Fail(-1, Annotate(needed, executable_->program_.name));
  Leave(lock);
}

// Whether all who have not sent their messages can still do so.
absl::Status Gang::CheckLost(const Remote& r) const {
  for (const auto& [process, why] : lost_) {
    const auto inbox = r.inbox.find(process);
    const bool has_come = inbox != r.inbox.end() && !inbox->second.empty();
    const auto& others = r.exchange->others();
    if (!has_come && std::find(others.begin(), others.end(), process) != others.end()) return why;
  }
  return absl::OkStatus();
}

absl::Status Gang::CheckSource(int64_t participant) const {
  if (processes_ == nullptr) return absl::OkStatus();
  const auto lost = lost_.find(executable_->ProcessOf(participant));
  return lost == lost_.end() ? absl::OkStatus() : lost->second;
}

// What has happened may let the run go on, for which there may be no thread.
void Gang::Leave(std::unique_lock<std::mutex>& lock) {
  const bool can = !ready_.empty() || !come_.empty();
  bool schedules = false;
  if (can) {
    ++news_;
    if (std::exchange(parked_, false)) schedules = !waits_;
  }
  changed_.notify_all();
  SetEndings(lock);
  lock.unlock();
  if (schedules) workers_.Schedule([self = shared_from_this()] { self->Run(/*waits=*/false); });
}

}  // namespace sinter::runtime
