// Parallel sections of the library's kernels.
#pragma once

#include "hwy/cache_control.h"
#include "runtime/cpu/library.h"

namespace sinter::runtime::cpu {

// task(i, seat) for i = 0, ..., tasks - 1 on at most `threads` threads, in the floating-point
// environment of the call; `seat` is below `threads` and that of one thread.
template <class F>
void ForEachTask(const LibraryArguments& arguments, int64_t tasks, int threads, F&& task) {
  struct Context {
    F& task;
    FpMode mode;
  } context{task, arguments.mode};
  constexpr int kPieces = 4;
  arguments.workers.Run(
      tasks, threads, kPieces,
      [](void* c, int64_t lo, int64_t hi, int seat) {
        auto& own = *static_cast<Context*>(c);
        ScopedFpEnvironment fp(own.mode);
        for (int64_t i = lo; i < hi; ++i) own.task(i, seat);
        // What tasks have written past the caches is there for other threads.
        hwy::FlushStream();
      },
      &context);
}

}  // namespace sinter::runtime::cpu
