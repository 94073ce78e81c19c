#include "runtime/processes.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/hash.h"
#include "base/status.h"
#include "network/encoding.h"

namespace sinter::runtime {
namespace {

// A header begins with the run's key; that of a greeting is of no devices.
constexpr uint64_t kNoDevices = 0;
constexpr size_t kKeyBytes = 2 * sizeof(uint64_t);

}  // namespace

absl::StatusOr<std::shared_ptr<Processes>> Processes::Make(
    std::unique_ptr<network::Network> network, int devices, double seconds) {
  std::shared_ptr<Processes> p(new Processes);
  p->network_ = std::move(network);
  const int count = p->count(), id = p->id();
  p->devices_.assign(static_cast<size_t>(count), -1);
  p->lost_.resize(static_cast<size_t>(count));
  p->devices_[static_cast<size_t>(id)] = devices;
  RETURN_IF_ERROR(p->network_->Start(p.get()));
  p->network_->AddWaiting(1);
  for (int n = 0; n < count; ++n) {
    if (n == id) continue;
    RETURN_IF_ERROR(
        p->Send(n, RunKey(), network::Writer().Number(static_cast<uint64_t>(devices)).Take()));
  }
  std::unique_lock<std::mutex> lock(p->mutex_);
  auto missing = [&] {
    std::vector<std::string> names;
    for (int n = 0; n < count; ++n) {
      if (p->devices_[static_cast<size_t>(n)] < 0) names.push_back(Format("{}", n));
    }
    return names;
  };
  absl::Status lost;
  p->greeted_.wait_for(lock, std::chrono::duration<double>(seconds), [&] {
    // One that has said what it has may go: it needs to hear nothing more.
    for (size_t n = 0; n < p->lost_.size(); ++n) {
      if (p->devices_[n] < 0) lost.Update(p->lost_[n].why);
    }
    return !lost.ok() || missing().empty();
  });
  RETURN_IF_ERROR(lost);
  if (const auto names = missing(); !names.empty()) {
    return Unavailable("these processes have said nothing for {} seconds: {}", seconds,
                       Join(names, ", "));
  }
  p->first_device_.push_back(0);
  for (int n : p->devices_) p->first_device_.push_back(p->first_device_.back() + n);
  lock.unlock();
  p->network_->AddWaiting(-1);
  return p;
}

// The network's thread may be calling until the network has gone.
Processes::~Processes() { network_.reset(); }

int Processes::ProcessOf(int device) const {
  return static_cast<int>(std::upper_bound(first_device_.begin(), first_device_.end(), device) -
                          first_device_.begin() - 1);
}

RunKey Processes::NextRun(absl::Span<const int> devices) {
  Hasher hash;
  for (int d : devices) hash.Add(int64_t{d});
  RunKey key{hash.Finish().low | 1, 0};
  std::lock_guard<std::mutex> lock(mutex_);
  key.number = next_[key.devices]++;
  auto& run = runs_[key];
  if (run == nullptr) run = std::make_shared<Run>();
  network_->AddWaiting(1);
  return key;
}

void Processes::Begin(const RunKey& key, std::shared_ptr<RunReceiver> receiver) {
  std::unique_lock<std::mutex> lock(mutex_);
  const std::shared_ptr<Run> run = runs_[key];
  run->receiver = std::move(receiver);
  // Behind what has come from them.
  for (size_t n = 0; n < lost_.size(); ++n) {
    if (!lost_[n].why.ok()) run->events.push_back({static_cast<int>(n), {}, lost_[n].why});
  }
  HandOn(run, lock);
  if (const absl::Status why = cancelled_; !why.ok()) {
    lock.unlock();
    run->receiver->Cancel(why);
  }
}

void Processes::End(const RunKey& key) {
  std::shared_ptr<Run> ended;
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = runs_.find(key);
  if (found == runs_.end()) return;
  ended = std::move(found->second);
  runs_.erase(found);
  network_->AddWaiting(-1);
}

void Processes::Cancel(const absl::Status& why) {
  std::vector<std::shared_ptr<RunReceiver>> receivers;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    cancelled_ = why;
    for (const auto& [key, run] : runs_) {
      if (run->receiver != nullptr) receivers.push_back(run->receiver);
    }
  }
  for (const auto& r : receivers) r->Cancel(why);
}

absl::Status Processes::CheckLost(int process, std::chrono::nanoseconds grace) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Loss& loss = lost_[static_cast<size_t>(process)];
  const bool waits = loss.closed && std::chrono::steady_clock::now() - loss.since < grace;
  return waits ? absl::OkStatus() : loss.why;
}

absl::Status Processes::Send(int to, const RunKey& run, std::string_view header,
                             network::Bytes body) {
  std::string all = network::Writer().Number(run.devices).Number(run.number).Take();
  all += header;
  return network_->Send(to, {std::move(all), std::move(body)});
}

void Processes::HandOn(const std::shared_ptr<Run>& run, std::unique_lock<std::mutex>& lock) {
  if (run->busy || run->receiver == nullptr) return;
  run->busy = true;
  while (!run->events.empty()) {
    Event e = std::move(run->events.front());
    run->events.pop_front();
    lock.unlock();
    if (e.lost.ok()) {
      run->receiver->Received(e.process, std::move(e.message));
    } else {
      run->receiver->Lost(e.process, e.lost);
    }
    lock.lock();
  }
  run->busy = false;
}

void Processes::Received(int from, network::Message message) {
  network::Reader reader(message.header);
  RunKey key;
  key.devices = reader.Number();
  key.number = reader.Number();
  if (!reader.ok()) return;
  // The last reference to a run may be the last one to this, and is dropped without the lock.
  std::shared_ptr<Run> run;
  std::unique_lock<std::mutex> lock(mutex_);
  if (key.devices == kNoDevices) {
    const uint64_t devices = reader.Number();
    if (!reader.ok() || devices > 1 << 20) return;
    devices_[static_cast<size_t>(from)] = static_cast<int>(devices);
    greeted_.notify_all();
    return;
  }
  auto found = runs_.find(key);
  if (found == runs_.end()) {
    // A run that has ended here, or one that has not begun.
    const auto next = next_.find(key.devices);
    if (next != next_.end() && key.number < next->second) return;
    found = runs_.emplace(key, std::make_shared<Run>()).first;
  }
  run = found->second;
  message.header.erase(0, kKeyBytes);
  run->events.push_back({from, std::move(message), {}});
  HandOn(run, lock);
}

void Processes::Lost(int process, const absl::Status& why, bool closed) {
  std::vector<std::shared_ptr<Run>> runs;
  std::unique_lock<std::mutex> lock(mutex_);
  lost_[static_cast<size_t>(process)] = {why, closed, std::chrono::steady_clock::now()};
  greeted_.notify_all();
  for (const auto& [key, run] : runs_) {
    if (run->receiver != nullptr) runs.push_back(run);
  }
  for (const auto& run : runs) {
    run->events.push_back({process, {}, why});
    HandOn(run, lock);
  }
}

}  // namespace sinter::runtime
