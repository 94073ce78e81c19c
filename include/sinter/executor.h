// The hook by which a host lends its own threads: sinter then starts none.
//
//   class MyExecutor : public sinter::Executor {
//    public:
//     void Schedule(std::function<void()> task) override { my_pool.Add(std::move(task)); }
//     int parallelism() const override { return my_pool.size(); }
//   };
#pragma once

#include <functional>

#include "sinter/export.h"

namespace sinter {

class SINTER_API Executor {
 public:
  virtual ~Executor() = default;

  // Runs `task` once, at any later time, on any thread, or at once on this one. Tasks never block
  // on tasks that have not started: a parallel section is worked through by its caller, and
  // scheduled tasks only help. So an executor of one thread, or one that is busy, delays but never
  // deadlocks. Called from several threads at a time.
  virtual void Schedule(std::function<void()> task) = 0;

  // How many tasks may run at a time; at least 1.
  virtual int parallelism() const = 0;
};

}  // namespace sinter
