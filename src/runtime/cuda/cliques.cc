#include "runtime/cuda/cliques.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "base/hash.h"
#include "base/status.h"
#include "runtime/processes.h"

namespace sinter::runtime::cuda {
namespace {

constexpr auto kLook = std::chrono::milliseconds(5);
constexpr auto kPoll = std::chrono::microseconds(50);
// For what is pending when nobody is left or a process of it has closed its client, and for
// communicators to end.
constexpr auto kEnd = std::chrono::seconds(10);

std::chrono::nanoseconds Seconds(double s) {
  return std::chrono::nanoseconds(static_cast<int64_t>(s * 1e9));
}

absl::Status CheckProcesses(const Clique& clique, const Watched& watched) {
  if (watched.processes == nullptr) return absl::OkStatus();
  for (int p : clique.processes) RETURN_IF_ERROR(watched.processes->CheckLost(p, kEnd));
  return absl::OkStatus();
}

}  // namespace

Cliques::~Cliques() {
  const auto end = Clock::now() + kEnd;
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex);
      Look();
      if (pending_.empty()) break;
      if (Clock::now() > end) {
        while (!pending_.empty())
          Drop(std::shared_ptr<Clique>(pending_.front().clique),
               Unavailable("{}: the client has gone", pending_.front().watched.what),
               pending_.front().recorded);
        break;
      }
    }
    std::this_thread::sleep_for(kPoll);
  }
  std::lock_guard<std::mutex> lock(mutex);
  for (auto& [devices, clique] : cliques_) Retire(*clique);
}

absl::StatusOr<const Nccl*> Cliques::nccl() {
  if (nccl_ == nullptr) {
    ASSIGN_OR_RETURN(nccl_, Nccl::Load(path_));
  }
  return nccl_.get();
}

std::shared_ptr<Clique> Cliques::Find(const std::vector<int>& devices) const {
  const auto found = cliques_.find(devices);
  return found == cliques_.end() ? nullptr : found->second;
}

absl::StatusOr<NcclId> Cliques::NewId() {
  ASSIGN_OR_RETURN(const Nccl* nccl, this->nccl());
  NcclId id;
  RETURN_IF_NCCL_ERROR(*nccl, GetUniqueId, &id);
  return id;
}

absl::StatusOr<std::shared_ptr<Clique>> Cliques::Make(Clique made, const NcclId& id,
                                                      const Watched& watched) {
  ASSIGN_OR_RETURN(const Nccl* nccl, this->nccl());
  auto clique = std::make_shared<Clique>(std::move(made));
  Hasher hash;
  hash.Add(std::string_view(id.bytes, sizeof id.bytes));
  clique->token = hash.Finish().low | 1;
  // Another of these devices is of an earlier life.
  Look();
  if (const auto old = Find(clique->devices); old != nullptr) {
    if (IsPending(*old)) {
      Drop(old, Unavailable("another process has given up the exchange"), Recorded(*old));
    } else {
      GiveUp(old);
    }
  }
  const auto ranks = static_cast<int>(clique->devices.size());
  NcclConfig config;
  absl::Status status = nccl->Check(nccl->GroupStart(), "ncclGroupStart");
  if (status.ok()) {
    for (Clique::Rank& r : clique->ranks) {
      Context::Scope scope(*r.context);
      status.Update(scope.status());
      if (!status.ok()) break;
      status = nccl->Check(nccl->CommInitRankConfig(&r.comm, ranks, id, r.place, &config),
                           "ncclCommInitRankConfig");
      if (!status.ok()) break;
    }
    status.Update(nccl->Check(nccl->GroupEnd(), "ncclGroupEnd"));
  }
  if (status.ok()) status = Settle(*clique, watched);
  if (!status.ok()) {
    Abort(*clique);
    return status;
  }
  cliques_[clique->devices] = clique;
  return clique;
}

absl::Status Cliques::CheckRanks(const Clique& clique, bool* in_progress) const {
  *in_progress = false;
  for (const Clique::Rank& r : clique.ranks) {
    if (r.comm == nullptr) return Unavailable("its communicator has been given up");
    NcclResult error = NcclResult::kSuccess;
    RETURN_IF_NCCL_ERROR(*nccl_, CommGetAsyncError, r.comm, &error);
    RETURN_IF_ERROR(nccl_->Check(error, Format("device {}", r.context->device())));
    *in_progress |= error == NcclResult::kInProgress;
  }
  return absl::OkStatus();
}

absl::Status Cliques::Settle(const Clique& clique, const Watched& watched,
                             const std::function<bool()>& also) {
  const auto begin = Clock::now();
  settling_.push_back(&clique);
  absl::Status status;
  while (true) {
    bool in_progress = false;
    status = CheckRanks(clique, &in_progress);
    if (!status.ok() || (!in_progress && (also == nullptr || also()))) break;
    status = CheckProcesses(clique, watched);
    if (status.ok() && watched.timeout > 0 && Clock::now() - begin > Seconds(watched.timeout))
      status = Unavailable("NCCL has not begun it for {} seconds", watched.timeout);
    if (!status.ok()) break;
    Sleep();
  }
  settling_.erase(std::find(settling_.begin(), settling_.end(), &clique));
  return status;
}

void Cliques::AwaitSettled(const std::vector<int>& devices) {
  const auto holds_up = [&](const Clique* c) {
    return std::any_of(devices.begin(), devices.end(),
                       [&](int d) { return absl::c_linear_search(c->devices, d); });
  };
  while (std::any_of(settling_.begin(), settling_.end(), holds_up)) Sleep();
}

void Cliques::Sleep() {
  mutex.unlock();
  std::this_thread::sleep_for(kPoll);
  mutex.lock();
}

bool Cliques::IsPending(const Clique& clique) const {
  return std::any_of(pending_.begin(), pending_.end(),
                     [&](const Pending& p) { return p.clique.get() == &clique; });
}

void Cliques::Finish(const std::shared_ptr<Clique>& clique) {
  while (true) {
    Look();
    if (!IsPending(*clique)) return;
    std::this_thread::sleep_for(kPoll);
  }
}

void Cliques::GiveUp(const std::shared_ptr<Clique>& clique) {
  Finish(clique);
  const auto found = cliques_.find(clique->devices);
  if (found != cliques_.end() && found->second == clique) cliques_.erase(found);
  Abort(*clique);
}

std::vector<uint64_t> Cliques::Recorded(const Clique& clique) {
  std::vector<uint64_t> recorded;
  for (const Clique::Rank& r : clique.ranks) recorded.push_back(r.context->recorded());
  return recorded;
}

absl::Status Cliques::Watch(const std::shared_ptr<Clique>& clique, const Watched& watched,
                            const std::vector<StreamHandle>& streams,
                            std::vector<uint64_t> recorded) {
  Pending p{clique, watched, Clock::now() + Seconds(watched.timeout), std::move(recorded), {}};
  absl::Status status;
  for (size_t k = 0; k < clique->ranks.size(); ++k) {
    const Clique::Rank& r = clique->ranks[k];
    Context::Scope scope(*r.context);
    status.Update(scope.status());
    if (!status.ok()) break;
    absl::StatusOr<EventHandle> event = r.context->Record(streams[k]);
    status = event.status();
    if (!status.ok()) break;
    p.events.push_back(*event);
  }
  if (!status.ok()) {
    Forget(p);
    return status;
  }
  pending_.push_back(std::move(p));
  WatchLater();
  return absl::OkStatus();
}

void Cliques::WatchLater() {
  if (std::exchange(watches_, true)) return;
  const bool later = timer_.After(kLook, [weak = weak_from_this()] {
    auto self = weak.lock();
    if (self == nullptr) return;
    std::lock_guard<std::mutex> lock(self->mutex);
    self->watches_ = false;
    self->Look();
    if (!self->pending_.empty()) self->WatchLater();
  });
  // Without a thread nothing is noticed before the next exchange.
  if (!later) watches_ = false;
}

void Cliques::Look() {
  // One time for all, so that the first of those that wait for each other is the one that is late.
  const Clock::time_point now = Clock::now();
  for (auto at = pending_.begin(); at != pending_.end();) {
    const absl::StatusOr<bool> done = LookAt(*at, now);
    if (done.ok() && !*done) {
      ++at;
      continue;
    }
    if (done.ok()) {
      Forget(*at);
      at = pending_.erase(at);
      continue;
    }
    // Takes this one and others of the clique from the list.
    Drop(std::shared_ptr<Clique>(at->clique), Annotate(done.status(), at->watched.what),
         at->recorded);
    at = pending_.begin();
  }
}

absl::StatusOr<bool> Cliques::IsDone(const Pending& p) {
  bool done = true;
  for (size_t k = 0; k < p.events.size(); ++k) {
    const Context& context = *p.clique->ranks[k].context;
    Context::Scope scope(context);
    absl::Status status = scope.status();
    if (status.ok()) {
      const Result result = context.driver().EventQuery(p.events[k]);
      done &= result == Result::kSuccess;
      if (result != Result::kNotReady) status = context.Check(result, "cuEventQuery");
    }
    if (!status.ok())
      return Unavailable("device {} has failed: {}", context.device(), MessageOf(status));
  }
  return done;
}

absl::StatusOr<bool> Cliques::LookAt(const Pending& p, Clock::time_point now) const {
  ASSIGN_OR_RETURN(const bool done, IsDone(p));
  if (done) return true;
  bool in_progress = false;
  RETURN_IF_ERROR(CheckRanks(*p.clique, &in_progress));
  RETURN_IF_ERROR(CheckProcesses(*p.clique, p.watched));
  if (p.watched.timeout > 0 && now > p.deadline) {
    return Unavailable("all have come to it, and it has not been done for {} seconds",
                       p.watched.timeout);
  }
  return false;
}

void Cliques::Drop(const std::shared_ptr<Clique>& clique, const absl::Status& why,
                   std::vector<uint64_t> recorded) {
  for (const Pending& p : pending_) {
    if (p.clique != clique || IsDone(p).value_or(false)) continue;
    for (size_t k = 0; k < recorded.size(); ++k) recorded[k] = std::min(recorded[k], p.recorded[k]);
  }
  // First, so that who wakes when the devices go on hears of it.
  for (size_t k = 0; k < recorded.size(); ++k) clique->ranks[k].context->Disturb(why, recorded[k]);
  Abort(*clique);
  for (auto at = pending_.begin(); at != pending_.end();) {
    if (at->clique != clique) {
      ++at;
      continue;
    }
    Forget(*at);
    at = pending_.erase(at);
  }
  const auto found = cliques_.find(clique->devices);
  if (found != cliques_.end() && found->second == clique) cliques_.erase(found);
}

void Cliques::DropGraphs(Clique& clique) {
  for (const std::weak_ptr<Graph>& g : clique.graphs) {
    if (const auto graph = g.lock()) graph->Drop();
  }
  clique.graphs.clear();
}

void Cliques::Abort(Clique& clique) const {
  DropGraphs(clique);
  for (Clique::Rank& r : clique.ranks) {
    if (r.comm == nullptr) continue;
    Context::Scope scope(*r.context);
    // An error changes nothing: it is of no more use.
    nccl_->CommAbort(std::exchange(r.comm, nullptr));
  }
}

// What has been sent may still be on its way to other processes, which ending it waits for.
void Cliques::Retire(Clique& clique) {
  DropGraphs(clique);
  absl::Status status;
  for (const Clique::Rank& r : clique.ranks) {
    Context::Scope scope(*r.context);
    status.Update(nccl_->Check(nccl_->CommFinalize(r.comm), "ncclCommFinalize"));
  }
  Watched end;
  end.timeout = std::chrono::duration<double>(kEnd).count();
  if (status.ok()) status = Settle(clique, end);
  if (!status.ok()) return Abort(clique);
  for (Clique::Rank& r : clique.ranks) {
    Context::Scope scope(*r.context);
    nccl_->CommDestroy(std::exchange(r.comm, nullptr));
  }
}

void Cliques::Forget(Pending& p) {
  for (size_t k = 0; k < p.events.size(); ++k) {
    Context& context = *p.clique->ranks[k].context;
    Context::Scope scope(context);
    context.ReturnEvent(p.events[k]);
  }
  p.events.clear();
}

}  // namespace sinter::runtime::cuda
