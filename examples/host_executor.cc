// A host that has threads of its own lends them: sinter starts none.
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/executor.h"
#include "sinter/testing.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

// What the host has already: threads that work through a queue.
class Pool : public sinter::Executor {
 public:
  explicit Pool(int threads) : threads_(static_cast<size_t>(threads)) {
    for (std::thread& t : threads_) t = std::thread([this] { Work(); });
  }
  ~Pool() override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ending_ = true;
    }
    wake_.notify_all();
    for (std::thread& t : threads_) t.join();
  }

  void Schedule(std::function<void()> task) override {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    wake_.notify_one();
  }
  int parallelism() const override { return static_cast<int>(threads_.size()); }

  int64_t tasks_run() const { return run_; }

 private:
  void Work() {
    for (;;) {
      std::unique_lock<std::mutex> lock(mutex_);
      wake_.wait(lock, [this] { return ending_ || !tasks_.empty(); });
      if (tasks_.empty()) return;
      std::function<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      ++run_;
      task();
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool ending_ = false;
  std::atomic<int64_t> run_ = 0;
  std::vector<std::thread> threads_;
};

int main() {
  constexpr int64_t kSize = 1 << 20;
  sinter::Builder b("waves");
  Op x = Parameter(&b, 0, Shape(ElementType::F32, {kSize}), "x");
  Op y = Sin(x) * Cos(x);
  sinter::Computation waves = Check(b.Build(y));

  auto pool = std::make_shared<Pool>(2);
  sinter::CpuOptions options;
  options.executor = pool;
  auto client = Check(sinter::Client::Cpu(options));
  Timer compiling;
  sinter::Executable f = Check(client->Compile(waves));
  std::printf("compiled in %.2f ms for %d threads at a time\n", compiling.Milliseconds(),
              client->parallelism());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  Literal input(Shape(ElementType::F32, {kSize}));
  for (size_t i = 0; i < kSize; ++i) input.data<float>()[i] = static_cast<float>(i) * 1e-5f;
  sinter::Buffer argument = Check(client->BufferFromLiteral(input));
  Check(f.Execute({argument}).status());
  Timer running;
  std::vector<sinter::Buffer> result = Check(f.Execute({argument}));
  double ms = running.Milliseconds();
  Literal values = Check(result[0].ToLiteral());
  std::printf("ran in %.3f ms; the host's threads ran %d tasks\n%s\n", ms,
              static_cast<int>(pool->tasks_run()), values.ToString(8).c_str());

  // sin x cos x is half of sin 2x.
  sinter::Builder c("check");
  Op half_double = Sin(2 * Parameter(&c, 0, Shape(ElementType::F32, {kSize}), "x")) * 0.5;
  Literal expected = Check(Check(client->Compile(Check(c.Build(half_double)))).Evaluate({input}));
  Check(ExpectClose(values, expected, {.max_ulp = 8, .atol = 1e-6}));
}
