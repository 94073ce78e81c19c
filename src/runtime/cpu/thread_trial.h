// Whether a loop's steps take less time on one thread than on several, as found out while it runs:
// which arrays are in which core's caches no estimate knows well enough.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <limits>

namespace sinter::runtime::cpu {

// Of all runs of an executable, at the same time too. What is computed is the same either way.
template <class Clock>
class BasicThreadTrial {
 public:
  // Where a run is: belongs to it alone.
  struct Turn {
    int left = 0;  // turns before there is something to decide
    bool one_thread = false;
    bool in_window = false, is_timed = false;
    int64_t since = 0;
  };

  // Before each turn of a loop. Turns are timed in windows, of many threads and of one in turn, of
  // which the first turn brings the arrays to where they are used then.
  bool Next(Turn& turn) {
    if (turn.left == 0) {
      Close(turn);
      Open(turn);
    } else if (turn.in_window && turn.left == kWindow - 1) {
      turn.since = Now();
      turn.is_timed = true;
    }
    --turn.left;
    return turn.one_thread;
  }
  // After the last turn: a window that is not over says nothing.
  void End(Turn& turn) {
    if (turn.left == 0) Close(turn);
    turn = Turn();
  }

 private:
  static constexpr int kWindow = 5, kWindows = 6, kStretch = 256, kStretches = 64;

  static int64_t Now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
        .count();
  }
  void Close(Turn& turn) {
    if (turn.is_timed) {
      std::atomic<int64_t>& best = best_[turn.one_thread ? 1 : 0];
      const int64_t took = Now() - turn.since;
      if (took < best.load(std::memory_order_relaxed)) best.store(took, std::memory_order_relaxed);
      windows_.fetch_add(1, std::memory_order_relaxed);
    }
    turn.is_timed = false;
  }
  void Open(Turn& turn) {
    int windows = windows_.load(std::memory_order_relaxed);
    if (windows >= kWindows && stretches_.fetch_add(1, std::memory_order_relaxed) >= kStretches) {
      // Other arrays, or another load of the machine: once more.
      for (std::atomic<int64_t>& best : best_) best.store(kNone, std::memory_order_relaxed);
      stretches_.store(0, std::memory_order_relaxed);
      windows_.store(windows = 0, std::memory_order_relaxed);
    }
    turn.in_window = windows < kWindows;
    turn.left = turn.in_window ? kWindow : kStretch;
    turn.one_thread = turn.in_window ? windows % 2 == 1
                                     : best_[1].load(std::memory_order_relaxed) <
                                           best_[0].load(std::memory_order_relaxed);
  }

  static constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  std::array<std::atomic<int64_t>, 2> best_{kNone, kNone};  // nanoseconds of a window's timed turns
  std::atomic<int> windows_{0}, stretches_{0};
};
using ThreadTrial = BasicThreadTrial<std::chrono::steady_clock>;

}  // namespace sinter::runtime::cpu
