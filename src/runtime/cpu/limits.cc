#include "runtime/cpu/limits.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/status.h"

namespace sinter::runtime::cpu {
namespace {

using Clock = std::chrono::steady_clock;

// Larger than the last cache of most processors, or of the part of it that a core can use.
constexpr int64_t kBytes = int64_t{128} << 20;
// Many short ones: what else runs on the machine leaves some of them alone.
constexpr int kComputeAttempts = 40, kMemoryAttempts = 10;
constexpr int64_t kTurns = 1 << 18;

// Ten independent chains of multiply-adds, so that no unit waits for a result. In assembly, since
// the library itself is built for a processor without such instructions.
#define SINTER_CHAINS(op) \
  op "2\n" op "3\n" op "4\n" op "5\n" op "6\n" op "7\n" op "8\n" op "9\n" op "10\n" op "11\n"
#define SINTER_CHAIN_REGISTERS \
  "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11"

// Multiplies and adds on f32, two a lane. Returns how many.
double Compute(int64_t turns) {
  constexpr double kChains = 10;
  double lanes = 4;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    lanes = 16;
    asm volatile("vxorps %%xmm0, %%xmm0, %%xmm0\n vxorps %%xmm1, %%xmm1, %%xmm1\n" SINTER_CHAINS(
                     "vpxord %%zmm0, %%zmm0, %%zmm")::
                     : SINTER_CHAIN_REGISTERS);
    for (int64_t i = 0; i < turns; ++i)
      asm volatile(SINTER_CHAINS("vfmadd213ps %%zmm1, %%zmm0, %%zmm")::: SINTER_CHAIN_REGISTERS);
    asm volatile("vzeroupper" ::: SINTER_CHAIN_REGISTERS);
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    lanes = 8;
    asm volatile("vxorps %%xmm0, %%xmm0, %%xmm0\n vxorps %%xmm1, %%xmm1, %%xmm1\n" SINTER_CHAINS(
                     "vxorps %%ymm0, %%ymm0, %%ymm")::
                     : SINTER_CHAIN_REGISTERS);
    for (int64_t i = 0; i < turns; ++i)
      asm volatile(SINTER_CHAINS("vfmadd213ps %%ymm1, %%ymm0, %%ymm")::: SINTER_CHAIN_REGISTERS);
    asm volatile("vzeroupper" ::: SINTER_CHAIN_REGISTERS);
  } else {
    asm volatile(
        "xorps %%xmm0, %%xmm0\n xorps %%xmm1, %%xmm1\n" SINTER_CHAINS("movaps %%xmm0, %%xmm")::
            : SINTER_CHAIN_REGISTERS);
    for (int64_t i = 0; i < turns; ++i)
      asm volatile(SINTER_CHAINS("mulps %%xmm0, %%xmm") SINTER_CHAINS("addps %%xmm1, %%xmm")::
                       : SINTER_CHAIN_REGISTERS);
  }
#elif defined(__aarch64__)
  for (int64_t i = 0; i < turns; ++i) {
    asm volatile(
        "fmla v2.4s, v0.4s, v1.4s\n fmla v3.4s, v0.4s, v1.4s\n fmla v4.4s, v0.4s, v1.4s\n"
        "fmla v5.4s, v0.4s, v1.4s\n fmla v6.4s, v0.4s, v1.4s\n fmla v7.4s, v0.4s, v1.4s\n"
        "fmla v16.4s, v0.4s, v1.4s\n fmla v17.4s, v0.4s, v1.4s\n fmla v18.4s, v0.4s, v1.4s\n"
        "fmla v19.4s, v0.4s, v1.4s\n" ::
            : "v2", "v3", "v4", "v5", "v6", "v7", "v16", "v17", "v18", "v19");
  }
#endif
  return static_cast<double>(turns) * kChains * lanes * 2;
}

struct Memory {
  char* data;
  int64_t share;  // bytes of a task

  static void Touch(void* context, int64_t lo, int64_t hi, int) {
    const auto& m = *static_cast<const Memory*>(context);
    std::memset(m.data + lo * m.share, 1, static_cast<size_t>((hi - lo) * m.share));
  }
  static void Read(void* context, int64_t lo, int64_t hi, int) {
    const auto& m = *static_cast<const Memory*>(context);
    constexpr int64_t kSums = 8;
    uint64_t sums[kSums] = {};
    const char* end = m.data + hi * m.share;
    for (const char* p = m.data + lo * m.share; p < end; p += kSums * 8) {
      uint64_t line[kSums];
      std::memcpy(line, p, sizeof line);
      for (int64_t k = 0; k < kSums; ++k) sums[k] += line[k];
    }
    for (uint64_t s : sums) asm volatile("" ::"r"(s));
  }
  // The first half of a task's share to the second.
  static void Copy(void* context, int64_t lo, int64_t hi, int) {
    const auto& m = *static_cast<const Memory*>(context);
    for (int64_t t = lo; t < hi; ++t) {
      char* from = m.data + t * m.share;
      std::memcpy(from + m.share / 2, from, static_cast<size_t>(m.share / 2));
    }
  }
};

void ComputeBody(void*, int64_t lo, int64_t hi, int) { Compute((hi - lo) * kTurns); }

// The shortest of several times, in seconds: what else runs on the machine only makes it longer.
double Shortest(Workers& workers, int attempts, Workers::Body body, void* context) {
  double shortest = 1e9;
  const int threads = workers.parallelism();
  for (int k = 0; k < attempts; ++k) {
    const auto start = Clock::now();
    workers.Run(threads, threads, 1, body, context);
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest;
}

absl::StatusOr<DeviceLimits> Measure(Workers& workers) {
  const int threads = workers.parallelism();
  DeviceLimits limits;
  limits.operations_per_second =
      Compute(kTurns) * threads / Shortest(workers, kComputeAttempts, ComputeBody, nullptr);
  const int64_t share = kBytes / threads / 4096 * 4096;
  std::unique_ptr<char[]> data(new (std::nothrow) char[static_cast<size_t>(share * threads)]);
  if (data == nullptr)
    return ResourceExhausted("no {} MiB of memory to measure its bandwidth with", kBytes >> 20);
  Memory memory{data.get(), share};
  workers.Run(threads, threads, 1, Memory::Touch, &memory);
  // A copy reads one half and writes the other.
  const double seconds = std::min(Shortest(workers, kMemoryAttempts, Memory::Read, &memory),
                                  Shortest(workers, kMemoryAttempts, Memory::Copy, &memory));
  limits.bytes_per_second = static_cast<double>(share * threads) / seconds;
  return limits;
}

}  // namespace

absl::StatusOr<DeviceLimits> MeasureLimits(Workers& workers) {
  static std::mutex mutex;
  static std::map<int, DeviceLimits> known;
  std::lock_guard<std::mutex> lock(mutex);
  auto it = known.find(workers.parallelism());
  if (it == known.end()) {
    ASSIGN_OR_RETURN(DeviceLimits limits, Measure(workers));
    it = known.emplace(workers.parallelism(), limits).first;
  }
  return it->second;
}

}  // namespace sinter::runtime::cpu
