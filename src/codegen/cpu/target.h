// Which processor code is made for: a choice of run time, not of the build.
//
//   auto target = sinter::cpu::Target::Host();            // all that this machine has
//   auto older = sinter::cpu::Target::Level("avx2");      // x86-64-v3
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace sinter::cpu {

struct Target {
  std::string triple;
  std::string cpu;       // LLVM's name
  std::string features;  // LLVM's list: "+avx2,-avx512f"
  int vector_bytes = 16;
  bool fma = false;
  bool half = false;             // F16C
  bool half_arithmetic = false;  // AVX512_FP16
  bool masked_memory = false;    // of 4- and 8-byte elements
  bool avx512 = false;           // F, BW, DQ, VL: masks of all widths, gather, scatter
  bool dot_bf16 = false;         // vdpbf16ps: AVX512_BF16, where it is quicker than F32
  bool dot_tiles = false;        // AMX: tiles of words of BF16 and of bytes
  bool dot_bytes = false;        // vpdpbusd: AVX512_VNNI, or AVX_VNNI where there is no AVX-512

  // The processor that this process runs on. Unimplemented where it lacks SSE4.2.
  static absl::StatusOr<Target> Host();
  // "sse4.2" (x86-64-v2), "avx2" (x86-64-v3), "avx512" (x86-64-v4), and with dot instructions
  // "avx2-vnni", "avx512-bf16" (of bytes as well) and "avx512-amx" (of tiles as well).
  static absl::StatusOr<Target> Level(std::string_view name);
  // The names of all levels, and of those that this machine can run, lowest first.
  static std::vector<std::string> Levels();
  static std::vector<std::string> RunnableLevels();
  static bool RunsLevel(std::string_view name);

  // Unavailable where this machine does not run code of the key, which is that of the host or a
  // level.
  static absl::Status CheckRunnable(const std::string& key);

  // What code for it is keyed by: equal strings, equal code.
  std::string Key() const { return triple + "/" + cpu + "/" + features; }
  // Elements of `bytes` bytes in one native vector.
  int Lanes(int bytes) const { return vector_bytes / bytes; }
};

}  // namespace sinter::cpu
