// The threads that a computation on the host may use.
#pragma once

#include <cstdint>

#include "base/thread/fp_environment.h"
#include "base/thread/workers.h"

namespace sinter::linear_algebra {

// Null: the calling one alone.
struct Threads {
  Workers* workers = nullptr;
  FpMode mode = FpMode::kKeepDenormals;

  // How many at most.
  int count() const { return workers == nullptr ? 1 : workers->parallelism(); }

  // task(i, seat) for i = 0, ..., tasks - 1; `seat` is below count() and that of one thread. It
  // must not throw.
  template <class F>
  void ForEach(int64_t tasks, F&& task) const {
    if (workers == nullptr || tasks < 2) {
      for (int64_t i = 0; i < tasks; ++i) task(i, 0);
      return;
    }
    struct Context {
      F& task;
      FpMode mode;
    } context{task, mode};
    constexpr int kPieces = 4;
    workers->Run(
        tasks, workers->parallelism(), kPieces,
        [](void* c, int64_t lo, int64_t hi, int seat) {
          auto& own = *static_cast<Context*>(c);
          ScopedFpEnvironment fp(own.mode);
          for (int64_t i = lo; i < hi; ++i) own.task(i, seat);
        },
        &context);
  }
};

}  // namespace sinter::linear_algebra
