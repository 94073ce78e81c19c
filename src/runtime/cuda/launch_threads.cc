#include "runtime/cuda/launch_threads.h"

#include <system_error>
#include <utility>

namespace sinter::runtime::cuda {

LaunchThreads::~LaunchThreads() {
  for (const auto& t : threads_) {
    if (!t->thread.joinable()) continue;
    {
      std::lock_guard<std::mutex> lock(t->mutex);
      t->stop = true;
    }
    t->changed.notify_all();
    if (t->thread.get_id() == std::this_thread::get_id()) {
      t->thread.detach();
    } else {
      t->thread.join();
    }
  }
}

void LaunchThreads::Thread::Work() {
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    changed.wait(lock, [&] { return stop || !calls.empty(); });
    if (calls.empty()) return;
    std::function<void()> call = std::move(calls.front());
    calls.pop_front();
    lock.unlock();
    call();
    call = nullptr;
    lock.lock();
  }
}

void LaunchThreads::Call(size_t device, std::function<void()> call) {
  std::unique_lock<std::mutex> all(mutex_);
  while (threads_.size() <= device) threads_.push_back(std::make_shared<Thread>());
  const std::shared_ptr<Thread>& t = threads_[device];
  try {
    if (!t->thread.joinable()) t->thread = std::thread([t] { t->Work(); });
  } catch (const std::system_error&) {
    all.unlock();
    return call();
  }
  std::lock_guard<std::mutex> lock(t->mutex);
  t->calls.push_back(std::move(call));
  t->changed.notify_one();
}

}  // namespace sinter::runtime::cuda
