#include "base/thread/workers.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <cfenv>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "base/thread/cpu_count.h"
#include "base/thread/event_state.h"
#include "base/thread/fp_environment.h"

namespace sinter {
namespace {

// A host's executor of a given number of threads.
class HostExecutor : public Executor {
 public:
  HostExecutor(int threads, int parallelism) : parallelism_(parallelism) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Loop(); });
  }
  ~HostExecutor() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    for (auto& t : threads_) t.join();
  }
  void Schedule(std::function<void()> task) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
      most_queued_ = std::max(most_queued_, tasks_.size());
    }
    changed_.notify_one();
  }
  int parallelism() const override { return parallelism_; }
  size_t most_queued() {
    std::lock_guard<std::mutex> lock(mutex_);
    return most_queued_;
  }

 private:
  void Loop() {
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      changed_.wait(lock, [&] { return stop_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      auto task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    }
  }
  int parallelism_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;
  size_t most_queued_ = 0;
  bool stop_ = false;
  std::vector<std::thread> threads_;
};

// Runs a section that counts how often each task ran and how many threads shared a seat.
struct Counter {
  explicit Counter(int64_t tasks, int threads)
      : runs(static_cast<size_t>(tasks)), seats(static_cast<size_t>(threads)) {}
  std::vector<std::atomic<int>> runs;
  std::vector<std::atomic<int>> seats;
  std::atomic<int> clashes{0};

  static void Body(void* context, int64_t lo, int64_t hi, int seat) {
    auto* c = static_cast<Counter*>(context);
    if (c->seats.at(static_cast<size_t>(seat)).fetch_add(1) != 0) ++c->clashes;
    for (int64_t i = lo; i < hi; ++i) c->runs[static_cast<size_t>(i)].fetch_add(1);
    c->seats[static_cast<size_t>(seat)].fetch_sub(1);
  }
  bool AllOnce() const {
    for (const auto& r : runs) {
      if (r != 1) return false;
    }
    return clashes == 0;
  }
};

void CheckSections(Workers& workers, int repetitions) {
  int threads = workers.parallelism();
  for (int i = 0; i < repetitions; ++i) {
    for (int64_t tasks : {0, 1, 2, 3, 7, 64, 1000}) {
      Counter c(tasks, threads);
      workers.Run(tasks, threads, i % 5, Counter::Body, &c);
      REQUIRE(c.AllOnce());
    }
  }
}

TEST_CASE("chunks cover the range") {
  for (int64_t tasks : {1, 5, 16, 17}) {
    for (int64_t chunks = 1; chunks <= tasks; ++chunks) {
      int64_t at = 0;
      for (int64_t c = 0; c < chunks; ++c) {
        ChunkRange r = ChunkOf(tasks, chunks, c);
        REQUIRE(r.lo == at);
        REQUIRE(r.hi > r.lo);
        at = r.hi;
      }
      REQUIRE(at == tasks);
    }
  }
}

TEST_CASE("every task of a section runs once") {
  SECTION("inline") { CheckSections(*MakeInlineWorkers(), 5); }
  SECTION("pool of 1") { CheckSections(*MakePoolWorkers(1), 5); }
  SECTION("pool of 2") { CheckSections(*MakePoolWorkers(2), 300); }
  SECTION("pool of 7") { CheckSections(*MakePoolWorkers(7), 100); }
  SECTION("executor of 1 thread") {
    CheckSections(*MakeExecutorWorkers(std::make_shared<HostExecutor>(1, 1)), 20);
  }
  SECTION("executor of 3 threads") {
    CheckSections(*MakeExecutorWorkers(std::make_shared<HostExecutor>(3, 3)), 100);
  }
  SECTION("executor that never runs anything") {
    CheckSections(*MakeExecutorWorkers(std::make_shared<HostExecutor>(0, 4)), 20);
  }
}

TEST_CASE("sleeping threads are woken") {
  auto workers = MakePoolWorkers(3);
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::microseconds(i % 2 ? 60 : 300));
    Counter c(100, 3);
    workers->Run(100, 3, 1, Counter::Body, &c);
    REQUIRE(c.AllOnce());
  }
}

TEST_CASE("a pool is made and dropped in any state") {
  for (int i = 0; i < 50; ++i) {
    auto workers = MakePoolWorkers(4);
    if (i % 3 == 1) {
      Counter c(16, 4);
      workers->Run(16, 4, 1, Counter::Body, &c);
    }
    if (i % 3 == 2) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
}

TEST_CASE("sections of several callers and nested sections all finish") {
  struct Outer {
    Workers* workers;
    std::atomic<int> bad{0};
    static void Body(void* context, int64_t lo, int64_t hi, int) {
      auto* o = static_cast<Outer*>(context);
      for (int64_t i = lo; i < hi; ++i) {
        Counter c(50, o->workers->parallelism());
        o->workers->Run(50, o->workers->parallelism(), 2, Counter::Body, &c);
        if (!c.AllOnce()) ++o->bad;
      }
    }
  };
  auto check = [](Workers& workers) {
    Outer outer{&workers};
    std::vector<std::thread> callers;
    for (int t = 0; t < 4; ++t) {
      callers.emplace_back([&] {
        for (int i = 0; i < 30; ++i) workers.Run(8, workers.parallelism(), 1, Outer::Body, &outer);
      });
    }
    for (auto& t : callers) t.join();
    REQUIRE(outer.bad == 0);
  };
  SECTION("pool") { check(*MakePoolWorkers(3)); }
  SECTION("executor") {
    auto host = std::make_shared<HostExecutor>(2, 3);
    check(*MakeExecutorWorkers(host));
    // Helpers are bounded by the threads, not by the sections.
    REQUIRE(host->most_queued() <= 4);
  }
}

TEST_CASE("a section entered from the only thread of the host finishes") {
  auto host = std::make_shared<HostExecutor>(1, 4);
  auto workers = MakeExecutorWorkers(host);
  Promise done;
  host->Schedule([&] {
    Counter c(1000, 4);
    workers->Run(1000, 4, 1, Counter::Body, &c);
    done.Set(c.AllOnce() ? absl::OkStatus() : absl::InternalError("not once"));
  });
  REQUIRE(done.event().Wait().ok());
}

TEST_CASE("asynchronous tasks run in order and waiters help") {
  SECTION("pool") {
    auto workers = MakePoolWorkers(1);
    std::vector<int> order;
    Promise done(workers->queue());
    for (int i = 0; i < 100; ++i) {
      workers->Schedule([&order, i] { order.push_back(i); });
    }
    workers->Schedule([done] { done.Set(absl::OkStatus()); });
    // No help from here, so that one thread runs them all.
    while (!done.event().IsReady()) std::this_thread::yield();
    REQUIRE(order.size() == 100);
    for (int i = 0; i < 100; ++i) REQUIRE(order[static_cast<size_t>(i)] == i);
  }
  SECTION("the only thread of the host waits for a task behind it") {
    auto host = std::make_shared<HostExecutor>(1, 1);
    auto workers = MakeExecutorWorkers(host);
    Promise outer;
    host->Schedule([&] {
      Promise inner(workers->queue());
      workers->Schedule(
          [&workers, inner] { workers->Schedule([inner] { inner.Set(absl::OkStatus()); }); });
      outer.Set(inner.event().Wait());
    });
    REQUIRE(outer.event().Wait().ok());
  }
  SECTION("inline") {
    auto workers = MakeInlineWorkers();
    bool ran = false;
    workers->Schedule([&] { ran = true; });
    REQUIRE(ran);
  }
}

TEST_CASE("workers may be destroyed by their own queue") {
  for (int i = 0; i < 20; ++i) {
    std::shared_ptr<Workers> workers = MakePoolWorkers(2);
    std::atomic<bool> ours_dropped{false};
    Promise done;
    workers->Schedule([&ours_dropped, done, last = workers]() mutable {
      while (!ours_dropped) std::this_thread::yield();
      last.reset();
      done.Set(absl::OkStatus());
    });
    workers.reset();
    ours_dropped = true;
    REQUIRE(done.event().Wait().ok());
  }
}

TEST_CASE("events") {
  REQUIRE(Event().IsReady());
  REQUIRE(Event().Wait().ok());
  REQUIRE(Event(absl::InternalError("x")).Wait().code() == absl::StatusCode::kInternal);
  Promise a, b;
  Event both = Event::All({a.event(), Event(), b.event()});
  int calls = 0;
  both.OnReady([&](const absl::Status& s) { calls += s.ok() ? 100 : 1; });
  a.Set(absl::OkStatus());
  REQUIRE(!both.IsReady());
  b.Set(absl::InternalError("late"));
  REQUIRE(both.IsReady());
  REQUIRE(calls == 1);
  both.OnReady([&](const absl::Status&) { ++calls; });
  REQUIRE(calls == 2);
  REQUIRE(Event::All({}).IsReady());
}

TEST_CASE("events may become ready while they are joined") {
  for (int turn = 0; turn < 500; ++turn) {
    Promise a, b;
    std::thread setter([&] {
      a.Set(absl::OkStatus());
      b.Set(absl::OkStatus());
    });
    const absl::Status joined = Event::All({a.event(), b.event()}).Wait();
    setter.join();
    REQUIRE(joined.ok());
  }
}

TEST_CASE("the floating-point environment is set and restored") {
  volatile double one = 1.0, three = 3.0, least = 4.9e-324, half = 0.5, two = 2.0;
  double nearest = one / three;
  std::fesetround(FE_UPWARD);
  std::feclearexcept(FE_ALL_EXCEPT);
  double up = one / three;
  std::feclearexcept(FE_ALL_EXCEPT);
  {
    ScopedFpEnvironment fp(FpMode::kKeepDenormals);
    REQUIRE(one / three == nearest);
    REQUIRE(least * two > 0);
  }
  REQUIRE(std::fegetround() == FE_UPWARD);
  REQUIRE(std::fetestexcept(FE_INEXACT) == 0);
  REQUIRE(one / three == up);
  std::fesetround(FE_TONEAREST);
  {
    ScopedFpEnvironment fp(FpMode::kFlushDenormals);
    volatile double small = 2.3e-308;
    volatile double product = small * half;
    bool flushed = product == 0;
    REQUIRE(flushed);
  }
}

TEST_CASE("quotas round up") {
  REQUIRE(CpusOfCgroupQuota("max 100000") == 0);
  REQUIRE(CpusOfCgroupQuota("-1 100000") == 0);
  REQUIRE(CpusOfCgroupQuota("") == 0);
  REQUIRE(CpusOfCgroupQuota("150000 100000") == 2);
  REQUIRE(CpusOfCgroupQuota("50000 100000") == 1);
  REQUIRE(AvailableCpus() >= 1);
}

}  // namespace
}  // namespace sinter
