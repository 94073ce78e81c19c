// The instruction sets that kernels of the library are compiled for, side by side in one binary,
// and which of them a call uses. Kernels are written with Highway, whose headers compile a file
// once for each:
//
//   #undef HWY_TARGET_INCLUDE
//   #define HWY_TARGET_INCLUDE "runtime/cpu/sums_vectors.cc"  // this file
//   #include "base/vector_targets.h"                   // before Highway's headers
//   #include "hwy/foreach_target.h"
//   #include "hwy/highway.h"
//
//   HWY_BEFORE_NAMESPACE();
//   namespace sinter::runtime::cpu::HWY_NAMESPACE {
//   static void Sum(const float* x, int64_t n, float* sum) { ... }
//   }
//   HWY_AFTER_NAMESPACE();
//
//   #if HWY_ONCE
//   namespace sinter::runtime::cpu {
//   void Sum(VectorTarget target, const float* x, int64_t n, float* sum) {
//     SINTER_FOR_VECTOR_TARGET(target, Sum)(x, n, sum);
//   }
//   }
//   #endif
//
// Such files are named *_vectors.cc or *_vectors_test.cc: unity builds compile them alone. What
// else they need is included before Highway's headers, and inside of HWY_NAMESPACE stands nothing
// that another file defines, so that no code for one processor is linked into code for all.
#pragma once

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
// x86-64-v2 is the least that the compiler generates code for; without what only cryptography uses.
#define HWY_DISABLE_PCLMUL_AES
#define HWY_BASELINE_TARGETS HWY_SSE4
#define HWY_DISABLED_TARGETS (HWY_SCALAR | HWY_EMU128 | HWY_SSSE3 | HWY_AVX3_DL)
#define SINTER_FOR_VECTOR_TARGET(target, function)                    \
  ((target) == ::sinter::VectorTarget::kBits512   ? &N_AVX3::function \
   : (target) == ::sinter::VectorTarget::kBits256 ? &N_AVX2::function \
                                                  : &N_SSE4::function)
#else
#define HWY_COMPILE_ONLY_STATIC
#define SINTER_FOR_VECTOR_TARGET(target, function) \
  (static_cast<void>(target), &HWY_STATIC_DISPATCH(function))
#endif

namespace sinter {

// On x86-64: SSE4.2; AVX2 with FMA (x86-64-v3); AVX-512 F, BW, DQ, VL (x86-64-v4).
enum class VectorTarget : uint8_t { kBits128, kBits256, kBits512 };
inline int64_t VectorBytes(VectorTarget target) { return int64_t{16} << static_cast<int>(target); }

inline VectorTarget HostVectorTarget() {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
      !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2") ||
      !__builtin_cpu_supports("f16c"))
    return VectorTarget::kBits128;
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return VectorTarget::kBits512;
  return VectorTarget::kBits256;
#else
  return VectorTarget::kBits128;
#endif
}

// For a program whose own code uses vectors of so many bytes; 0: of any.
inline VectorTarget VectorTargetFor(int vector_bytes) {
  const VectorTarget wanted = vector_bytes == 0 || vector_bytes >= 64 ? VectorTarget::kBits512
                              : vector_bytes >= 32                    ? VectorTarget::kBits256
                                                                      : VectorTarget::kBits128;
  return std::min(wanted, HostVectorTarget());
}

}  // namespace sinter
