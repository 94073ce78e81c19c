// Device kernels by hand, each with its launch and a plain loop that says what is right.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "cuda/emulator/emulator.h"

namespace sinter::emulator {

struct Case {
  const char* name;  // of the kernel too
  const char* ir;
  std::array<uint32_t, 3> grid, block;
  size_t shared_bytes;
  // Buffers of floats: given, and what they are afterwards.
  std::vector<std::vector<float>> (*before)();
  void (*apply)(std::vector<std::vector<float>>& buffers);
  std::vector<int32_t> scalars = {};  // i32 parameters behind the buffers
};

// All correct kernels.
const std::vector<Case>& Cases();
const Case& CaseOf(std::string_view name);

// Runs `module`, which holds a variant of the case's kernel, on its inputs; what is wrong with the
// kernel or with its values is the status.
absl::Status RunCase(const Case& c, Module& module, uint64_t seed);

}  // namespace sinter::emulator
