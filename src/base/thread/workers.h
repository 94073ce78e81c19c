// The threads of a client: parallel sections (fork and join) and a queue of asynchronous work.
//
// A section is a range of independent tasks, cut into contiguous chunks, a seat (thread) preferring
// its own. Chunks are claimed: the caller takes part, runs what nobody has started, and waits only
// for chunks that are running. Hence a section never deadlocks, whatever it is entered from (a task
// of a host's executor, another section, a worker) and however few threads come to help.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "base/thread/task_queue.h"
#include "sinter/executor.h"

namespace sinter {

class Workers {
 public:
  // Runs tasks [lo, hi). `seat` is below the section's number of threads and no other thread of the
  // section has it.
  using Body = void (*)(void* context, int64_t lo, int64_t hi, int seat);

  virtual ~Workers() = default;

  // Threads that a section can have, its caller included.
  int parallelism() const { return parallelism_; }

  // Runs `body` over [0, tasks) on at most `threads` threads and returns when all is done. With
  // `pieces` > 1 every thread's share is cut into that many chunks, which idle threads take over.
  // The body must not throw.
  virtual void Run(int64_t tasks, int threads, int pieces, Body body, void* context) = 0;

  // Runs `task` asynchronously (inline workers: at once); tasks start in order. They must not block
  // on one another.
  virtual void Schedule(std::function<void()> task) = 0;

  // What Schedule feeds; null where it runs tasks at once. Events made with it let their waiters
  // help.
  const std::shared_ptr<TaskQueue>& queue() const { return queue_; }

 protected:
  explicit Workers(int parallelism) : parallelism_(parallelism < 1 ? 1 : parallelism) {}

  const int parallelism_;
  std::shared_ptr<TaskQueue> queue_;
};

// No threads at all: everything runs on the calling one.
std::unique_ptr<Workers> MakeInlineWorkers();
// `threads` - 1 threads of its own, which with the caller make `threads`; one more, started when
// first needed, for asynchronous work. They spin for at most 50 microseconds, then sleep. While one
// caller has a section, sections of others run serially on their own threads.
std::unique_ptr<Workers> MakePoolWorkers(int threads);
// The host's threads.
std::unique_ptr<Workers> MakeExecutorWorkers(std::shared_ptr<Executor> executor);

// --- for the implementations

// Chunk `chunk` of `chunks` of [0, tasks).
struct ChunkRange {
  int64_t lo, hi;
};
inline ChunkRange ChunkOf(int64_t tasks, int64_t chunks, int64_t chunk) {
  int64_t size = tasks / chunks, rest = tasks % chunks;
  int64_t lo = chunk * size + (chunk < rest ? chunk : rest);
  return {lo, lo + size + (chunk < rest ? 1 : 0)};
}

inline void CpuRelax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

inline constexpr std::chrono::microseconds kSpinTime{50};

// Spins until `ready()` or for kSpinTime; returns the last ready().
template <class Ready>
bool SpinUntil(const Ready& ready) {
  for (int i = 0; i < 64; ++i) {
    if (ready()) return true;
    CpuRelax();
  }
  auto end = std::chrono::steady_clock::now() + kSpinTime;
  do {
    for (int i = 0; i < 32; ++i) {
      if (ready()) return true;
      CpuRelax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return ready();
}

}  // namespace sinter
