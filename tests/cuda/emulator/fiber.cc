#include "cuda/emulator/fiber.h"

#include <sys/mman.h>

#include <cstdint>

#include "base/status.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__x86_64__)
// void SinterEmulatorSwitch(void** save, void* load): pushes what a call preserves, exchanges the
// stacks, pops.
extern "C" void SinterEmulatorSwitch(void** save, void* load);
__asm__(R"(
.text
.globl SinterEmulatorSwitch
.hidden SinterEmulatorSwitch
.type SinterEmulatorSwitch, @function
SinterEmulatorSwitch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size SinterEmulatorSwitch, .-SinterEmulatorSwitch
)");
#endif

namespace sinter::emulator {
namespace {

constexpr size_t kGuard = 4096;

}  // namespace

void FiberContext::Forget::operator()([[maybe_unused]] void* fiber) const {
#if defined(__SANITIZE_THREAD__)
  __tsan_destroy_fiber(fiber);
#endif
}

void PrepareFiber(FiberContext& fiber, void* stack, size_t bytes, void (*entry)()) {
  fiber.stack_bottom = stack;
  fiber.stack_size = bytes;
  fiber.fake_stack = nullptr;
#if defined(__SANITIZE_ADDRESS__)
  __asan_unpoison_memory_region(stack, bytes);  // of calls that the last fiber left open
#endif
#if defined(__SANITIZE_THREAD__)
  fiber.known.reset(__tsan_create_fiber(0));  // a new one: the last left its calls open
#endif
#if defined(__x86_64__)
  // The stack as a call of `entry` would leave it: a return address (none) at a multiple of 16
  // plus 8.
  auto* top = reinterpret_cast<void**>(static_cast<char*>(stack) + bytes - 64);
  top[-1] = nullptr;
  top[-2] = reinterpret_cast<void*>(entry);
  for (int i = 3; i <= 8; i++) top[-i] = nullptr;  // the six registers
  fiber.stack_pointer = top - 8;
#else
  getcontext(&fiber.context);
  fiber.context.uc_stack.ss_sp = stack;
  fiber.context.uc_stack.ss_size = bytes;
  fiber.context.uc_link = nullptr;
  makecontext(&fiber.context, entry, 0);
#endif
}

void SwitchFiber(FiberContext& from, FiberContext& to, [[maybe_unused]] bool last) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_start_switch_fiber(last ? nullptr : &from.fake_stack, to.stack_bottom, to.stack_size);
#endif
#if defined(__SANITIZE_THREAD__)
  if (from.known == nullptr) from.own = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(to.known != nullptr ? to.known.get() : to.own, 0);
#endif
#if defined(__x86_64__)
  SinterEmulatorSwitch(&from.stack_pointer, to.stack_pointer);
#else
  swapcontext(&from.context, &to.context);
#endif
#if defined(__SANITIZE_ADDRESS__)
  // Back in `from`. Where we came from is known already: every switch is between a thread and the
  // scheduler.
  __sanitizer_finish_switch_fiber(from.fake_stack, nullptr, nullptr);
#endif
}

void EnterFiber([[maybe_unused]] FiberContext& from) {
#if defined(__SANITIZE_ADDRESS__)
  __sanitizer_finish_switch_fiber(nullptr, &from.stack_bottom, &from.stack_size);
#endif
}

FiberStacks::~FiberStacks() {
  if (base_ != nullptr) munmap(base_, count_ * (kBytes + kGuard));
}

absl::Status FiberStacks::Reserve(size_t count) {
  if (count <= count_) return absl::OkStatus();
  if (base_ != nullptr) munmap(base_, count_ * (kBytes + kGuard));
  base_ = nullptr;
  count_ = 0;
  void* p = mmap(nullptr, count * (kBytes + kGuard), PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED) return ResourceExhausted("no memory for the stacks of {} threads", count);
  for (size_t i = 0; i < count; i++)
    mprotect(static_cast<char*>(p) + i * (kBytes + kGuard), kGuard, PROT_NONE);
  base_ = p;
  count_ = count;
  return absl::OkStatus();
}

void* FiberStacks::stack(size_t i) const {
  return static_cast<char*>(base_) + i * (kBytes + kGuard) + kGuard;
}

}  // namespace sinter::emulator
