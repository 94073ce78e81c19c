// The floating-point state of a thread around compiled code: rounding to nearest, exceptions
// masked, denormals kept (or flushed, where asked), and the host's state back afterwards, its
// sticky exception flags included.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace sinter {

enum class FpMode : uint8_t { kKeepDenormals, kFlushDenormals };

class ScopedFpEnvironment {
 public:
#if defined(__x86_64__)
  explicit ScopedFpEnvironment(FpMode mode) : saved_(_mm_getcsr()) {
    _mm_setcsr(mode == FpMode::kFlushDenormals ? kDefault | kFlush : kDefault);
  }
  ~ScopedFpEnvironment() { _mm_setcsr(saved_); }

 private:
  static constexpr uint32_t kDefault = 0x1f80;  // every exception masked, round to nearest
  static constexpr uint32_t kFlush = 0x8040;    // flush to zero, denormals are zeros
  uint32_t saved_;
#elif defined(__aarch64__)
  explicit ScopedFpEnvironment(FpMode mode) {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    uint64_t wanted = mode == FpMode::kFlushDenormals ? uint64_t{1} << 24 : 0;
    asm volatile("msr fpcr, %0" : : "r"(wanted));
  }
  ~ScopedFpEnvironment() { asm volatile("msr fpcr, %0" : : "r"(saved_)); }

 private:
  uint64_t saved_;
#else
  explicit ScopedFpEnvironment(FpMode) {}
#endif

 public:
  ScopedFpEnvironment(const ScopedFpEnvironment&) = delete;
  ScopedFpEnvironment& operator=(const ScopedFpEnvironment&) = delete;
};

}  // namespace sinter
