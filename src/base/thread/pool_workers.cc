#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "base/thread/workers.h"

namespace sinter {
namespace {

class InlineWorkers final : public Workers {
 public:
  InlineWorkers() : Workers(1) {}
  void Run(int64_t tasks, int, int, Body body, void* context) override {
    if (tasks > 0) body(context, 0, tasks, 0);
  }
  void Schedule(std::function<void()> task) override { task(); }
};

// The thread that drains the queue. Its state is shared with the thread, because the thread itself
// may drop the last reference to the client and so destroy this object.
class QueueThread {
 public:
  explicit QueueThread(std::shared_ptr<TaskQueue> queue) : state_(std::make_shared<State>()) {
    state_->queue = std::move(queue);
  }
  ~QueueThread() {
    state_->stop = true;
    state_->queue->Poke();
    if (!thread_.joinable()) return;
    if (thread_.get_id() == std::this_thread::get_id()) {
      thread_.detach();
    } else {
      thread_.join();
    }
  }
  // False where the system refuses a thread.
  bool EnsureStarted() {
    std::lock_guard<std::mutex> lock(mutex_);
    if (thread_.joinable()) return true;
    try {
      thread_ = std::thread([state = state_] {
        state->queue->RunUntil([&] { return state->stop.load(); });
        while (state->queue->RunOne()) {
        }
      });
    } catch (const std::system_error&) {
      return false;
    }
    return true;
  }

 private:
  struct State {
    std::shared_ptr<TaskQueue> queue;
    std::atomic<bool> stop{false};
  };
  std::shared_ptr<State> state_;
  std::mutex mutex_;
  std::thread thread_;
};

// A seat's ticket holds the section's number in its upper bits and the count of its unclaimed
// chunks in the lower 8; it is also what the seat's thread spins on, so a fork costs one store a
// seat. A claim is a compare-and-swap on the whole word: it can only succeed while the section
// runs, whose fields may be read after it and not before.
class PoolWorkers final : public Workers {
 public:
  explicit PoolWorkers(int threads) : Workers(threads), seats_(static_cast<size_t>(parallelism_)) {
    queue_ = std::make_shared<TaskQueue>();
    queue_thread_ = std::make_unique<QueueThread>(queue_);
    for (size_t s = 1; s < seats_.size(); ++s) {
      // Where the system refuses threads, the others and the caller do the work.
      try {
        seats_[s].thread = std::thread([this, s] { Work(s); });
      } catch (const std::system_error&) {
        break;
      }
    }
  }

  ~PoolWorkers() override {
    queue_thread_.reset();
    stop_.store(true);
    for (Seat& seat : seats_) {
      Wake(seat);
      if (seat.thread.joinable()) seat.thread.join();
    }
  }

  void Run(int64_t tasks, int threads, int pieces, Body body, void* context) override {
    if (tasks <= 0) return;
    if (threads > parallelism_) threads = parallelism_;
    if (threads > tasks) threads = static_cast<int>(tasks);
    if (threads <= 1 || busy_.load(std::memory_order_relaxed) ||
        busy_.exchange(true, std::memory_order_acquire)) {
      body(context, 0, tasks, 0);
      return;
    }
    if (pieces > kMaxPieces) pieces = kMaxPieces;
    if (pieces < 1 || tasks < int64_t{2} * threads) pieces = 1;
    size_t seats = static_cast<size_t>(threads);
    section_ = {body, context, tasks, pieces, int64_t{pieces} * threads};
    remaining_.store(pieces * threads, std::memory_order_relaxed);
    ++epoch_;
    uint64_t ticket = epoch_ << 8 | static_cast<uint64_t>(pieces);
    for (size_t s = 1; s < seats; ++s) {
      // Sequentially consistent, like the seat's own store of `parked` and load of the ticket: one
      // sees the other.
      seats_[s].ticket.store(ticket, std::memory_order_seq_cst);
      if (seats_[s].parked.load(std::memory_order_seq_cst) != 0) Wake(seats_[s]);
    }
    seats_[0].ticket.store(ticket, std::memory_order_release);
    for (size_t s = 0; s < seats; ++s) {
      while (Claim(s, epoch_, 0)) {
      }
    }
    if (!SpinUntil([&] { return remaining_.load(std::memory_order_acquire) == 0; })) {
      caller_parked_.store(1, std::memory_order_seq_cst);
      int left;
      while ((left = remaining_.load(std::memory_order_seq_cst)) != 0) remaining_.wait(left);
      caller_parked_.store(0, std::memory_order_relaxed);
    }
    busy_.store(false, std::memory_order_release);
  }

  void Schedule(std::function<void()> task) override {
    queue_->Push(std::move(task));
    if (queue_thread_->EnsureStarted()) return;
    while (queue_->RunOne()) {
    }
  }

 private:
  static constexpr int kMaxPieces = 16;

  struct alignas(64) Seat {
    std::atomic<uint64_t> ticket{0};
    std::atomic<uint32_t> parked{0};
    std::thread thread;
  };
  struct Section {
    Body body;
    void* context;
    int64_t tasks;
    int pieces;
    int64_t chunks;
  };

  // Takes a chunk of seat `owner` in section `epoch` and runs it at seat `seat`. False: there is
  // none.
  bool Claim(size_t owner, uint64_t epoch, size_t seat) {
    std::atomic<uint64_t>& ticket = seats_[owner].ticket;
    uint64_t t = ticket.load(std::memory_order_acquire);
    do {
      if (t >> 8 != epoch || (t & 0xff) == 0) return false;
    } while (!ticket.compare_exchange_weak(t, t - 1, std::memory_order_acquire));
    const Section& s = section_;
    // The first of the seat's chunks first.
    int64_t piece = s.pieces - static_cast<int64_t>(t & 0xff);
    ChunkRange range = ChunkOf(s.tasks, s.chunks, static_cast<int64_t>(owner) * s.pieces + piece);
    s.body(s.context, range.lo, range.hi, static_cast<int>(seat));
    if (remaining_.fetch_sub(1, std::memory_order_seq_cst) == 1 &&
        caller_parked_.load(std::memory_order_seq_cst) != 0) {
      remaining_.notify_all();
    }
    return true;
  }

  void Work(size_t s) {
    Seat& seat = seats_[s];
    auto called = [&] {
      return (seat.ticket.load(std::memory_order_acquire) & 0xff) != 0 ||
             stop_.load(std::memory_order_relaxed);
    };
    while (!stop_.load(std::memory_order_relaxed)) {
      uint64_t t = seat.ticket.load(std::memory_order_acquire);
      if ((t & 0xff) != 0) {
        bool more = (t & 0xff) >
                    1;  // finely cut, so that it is worth looking at the other seats afterwards
        bool ran = false;
        while (Claim(s, t >> 8, s)) ran = true;
        if (ran && more) {
          for (size_t k = 1; k < seats_.size(); ++k) {
            while (Claim((s + k) % seats_.size(), t >> 8, s)) {
            }
          }
        }
        continue;
      }
      if (SpinUntil(called)) continue;
      seat.parked.store(1, std::memory_order_seq_cst);
      if ((seat.ticket.load(std::memory_order_seq_cst) & 0xff) != 0 || stop_.load()) {
        seat.parked.store(0);
        continue;
      }
      seat.parked.wait(1);
    }
  }

  static void Wake(Seat& seat) {
    seat.parked.store(0);
    seat.parked.notify_one();
  }

  std::vector<Seat> seats_;
  std::unique_ptr<QueueThread> queue_thread_;
  std::atomic<bool> stop_{false};
  alignas(64) std::atomic<bool> busy_{false};
  // Written by the thread that holds `busy_`.
  uint64_t epoch_ = 0;
  Section section_{};
  alignas(64) std::atomic<int> remaining_{0};
  std::atomic<uint32_t> caller_parked_{0};
};

}  // namespace

std::unique_ptr<Workers> MakeInlineWorkers() { return std::make_unique<InlineWorkers>(); }
std::unique_ptr<Workers> MakePoolWorkers(int threads) {
  return std::make_unique<PoolWorkers>(threads);
}

}  // namespace sinter
