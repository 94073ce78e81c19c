#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/thread/workers.h"

namespace sinter {
namespace {

struct Section {
  Workers::Body body;
  void* context;
  int64_t tasks;
  int64_t chunks;
  int threads;
  std::atomic<int64_t> next{0};
  std::atomic<int> seats{1};  // 0 is the caller's
  std::atomic<int> remaining{0};

  void Work(int seat) {
    while (true) {
      int64_t chunk = next.fetch_add(1, std::memory_order_acq_rel);
      if (chunk >= chunks) return;
      ChunkRange range = ChunkOf(tasks, chunks, chunk);
      body(context, range.lo, range.hi, seat);
      if (remaining.fetch_sub(1, std::memory_order_acq_rel) == 1) remaining.notify_all();
    }
  }
};

// What helpers work on. They are scheduled for the client, not for a section: one that starts late
// helps whichever section is open then, and the host's queue never holds more of them than there
// are threads.
struct Board {
  std::mutex mutex;
  std::vector<std::shared_ptr<Section>> open;
  int helpers = 0;  // scheduled and not yet at work

  void Help() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      --helpers;
    }
    while (true) {
      std::shared_ptr<Section> section;
      int seat = 0;
      {
        std::lock_guard<std::mutex> lock(mutex);
        for (const auto& s : open) {
          if (s->next.load(std::memory_order_relaxed) >= s->chunks) continue;
          seat = s->seats.load(std::memory_order_relaxed);
          if (seat >= s->threads) continue;
          s->seats.store(seat + 1, std::memory_order_relaxed);
          section = s;
          break;
        }
      }
      if (section == nullptr) return;
      section->Work(seat);
    }
  }
};

// Whether this thread is one of a host's, working for us.
thread_local int tasks_of_hosts = 0;

class ExecutorWorkers final : public Workers {
 public:
  explicit ExecutorWorkers(std::shared_ptr<Executor> executor)
      : Workers(executor->parallelism()), executor_(std::move(executor)) {
    queue_ = std::make_shared<TaskQueue>();
  }

  // The last task may hold the last reference to the executor, whose destructor will join the very
  // thread that the task runs on: then another thread releases it.
  ~ExecutorWorkers() override {
    if (tasks_of_hosts == 0) return;
    auto last = std::make_unique<std::shared_ptr<Executor>>(std::move(executor_));
    try {
      std::thread([executor = std::move(*last)]() mutable { executor.reset(); }).detach();
    } catch (const std::system_error&) {
      static_cast<void>(last.release());  // no thread can be started: never destroyed
    }
  }

  void Run(int64_t tasks, int threads, int pieces, Body body, void* context) override {
    if (tasks <= 0) return;
    threads = static_cast<int>(std::min<int64_t>(std::min(threads, parallelism_), tasks));
    if (threads <= 1) {
      body(context, 0, tasks, 0);
      return;
    }
    auto section = std::make_shared<Section>();
    section->body = body;
    section->context = context;
    section->tasks = tasks;
    section->threads = threads;
    section->chunks = std::min<int64_t>(tasks, int64_t{threads} * std::max(pieces, 1));
    section->remaining = static_cast<int>(section->chunks);
    int wanted;
    {
      std::lock_guard<std::mutex> lock(board_->mutex);
      board_->open.push_back(section);
      wanted = std::max(0, threads - 1 - board_->helpers);
      board_->helpers += wanted;
    }
    for (int i = 0; i < wanted; ++i) {
      if (!Submit([board = board_] { board->Help(); })) {
        std::lock_guard<std::mutex> lock(board_->mutex);
        --board_->helpers;
      }
    }
    section->Work(0);
    {
      std::lock_guard<std::mutex> lock(board_->mutex);
      std::erase(board_->open, section);
    }
    // What remains has started, on threads that do not wait for this one.
    std::atomic<int>& remaining = section->remaining;
    if (!SpinUntil([&] { return remaining.load(std::memory_order_acquire) == 0; })) {
      int left;
      while ((left = remaining.load(std::memory_order_acquire)) != 0) remaining.wait(left);
    }
  }

  void Schedule(std::function<void()> task) override {
    queue_->Push(std::move(task));
    auto run = [queue = queue_] {
      ++tasks_of_hosts;
      queue->RunOne();
      --tasks_of_hosts;
    };
    if (!Submit(run)) queue_->RunOne();
  }

 private:
  // A host's executor that throws has not taken the task.
  bool Submit(std::function<void()> task) {
    try {
      executor_->Schedule(std::move(task));
      return true;
    } catch (...) {
      return false;
    }
  }

  std::shared_ptr<Executor> executor_;
  std::shared_ptr<Board> board_ = std::make_shared<Board>();
};

}  // namespace

std::unique_ptr<Workers> MakeExecutorWorkers(std::shared_ptr<Executor> executor) {
  return std::make_unique<ExecutorWorkers>(std::move(executor));
}

}  // namespace sinter
