// Makes events happen when work on the stream is done: a thread that waits for it, started when
// first needed.
#pragma once

#include <memory>

#include "base/thread/task_queue.h"
#include "runtime/cuda/context.h"
#include "sinter/event.h"

namespace sinter::runtime::cuda {

class Completions {
 public:
  // Threads that wait for the events meanwhile run tasks of `queue`.
  Completions(std::shared_ptr<Context> context, std::shared_ptr<TaskQueue> queue);
  // Waits for what is pending.
  ~Completions();
  Completions(const Completions&) = delete;
  Completions& operator=(const Completions&) = delete;

  // The event that all that has been submitted to the stream is done, of work as in
  // Context::Record. Its status is the error that lost the context or disturbed the work, if any.
  Event Next(uint64_t disturbances);

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace sinter::runtime::cuda
