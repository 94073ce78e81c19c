// Fibers: stacks between which one thread of the operating system switches by hand.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/status/status.h"

// x86-64 switches in a dozen instructions; swapcontext also saves the signal mask, by a system
// call.
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

namespace sinter::emulator {

// Where a suspended stack goes on.
struct FiberContext {
#if defined(__x86_64__)
  void* stack_pointer = nullptr;
#else
  ucontext_t context;
#endif
  // For the address sanitizer, which must be told of every switch.
  const void* stack_bottom = nullptr;
  size_t stack_size = 0;
  void* fake_stack = nullptr;
  // The same for the thread sanitizer; null for the thread's own stack until it is left.
  struct Forget {
    void operator()(void* fiber) const;
  };
  std::unique_ptr<void, Forget> known;
  void* own = nullptr;
};

// `entry` must not return: it ends with a switch that never comes back.
void PrepareFiber(FiberContext& fiber, void* stack, size_t bytes, void (*entry)());
// Saves what runs now into `from`, goes on with `to`. `last`: `from` will not go on any more.
void SwitchFiber(FiberContext& from, FiberContext& to, bool last = false);
// First thing on a fresh fiber, given who switched to it.
void EnterFiber(FiberContext& from);

// Stacks of equal size, each below a page that nobody may touch, so that one that overflows stops
// the process instead of spoiling another.
class FiberStacks {
 public:
  FiberStacks() = default;
  ~FiberStacks();
  FiberStacks(const FiberStacks&) = delete;
  FiberStacks& operator=(const FiberStacks&) = delete;

  static constexpr size_t kBytes = size_t{256} << 10;
  // At least `count` stacks; ResourceExhausted where the system has no room.
  absl::Status Reserve(size_t count);
  void* stack(size_t i) const;

 private:
  void* base_ = nullptr;
  size_t count_ = 0;
};

}  // namespace sinter::emulator
