// Kernels with chosen layouts on the emulator, under several schedules, against the interpreter.
#pragma once

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "codegen/kernel/layout.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "cuda/kernels/differential.h"
#include "unit/codegen/cpu/differential.h"

namespace sinter::gpu::testing {

using cpu::testing::Bytes;
using cpu::testing::BytesOf;

// Gives all tiles of a kernel one layout.
inline kernel::Kernel WithLayouts(kernel::Kernel kernel, int warps, const kernel::Layout& layout) {
  kernel.warps = warps;
  const int index = kernel::AddLayout(kernel, layout);
  for (kernel::Type& t : kernel.types)
    if (!t.is_scalar()) t.layout = index;
  return kernel;
}

inline kernel::Factor Reg(int extent) { return {kernel::HardwareDim::kReg, extent, 1}; }
inline kernel::Factor Lane(int extent, int stride = 1) {
  return {kernel::HardwareDim::kLane, extent, stride};
}
inline kernel::Factor Warp(int extent, int stride = 1) {
  return {kernel::HardwareDim::kWarp, extent, stride};
}
inline kernel::Layout TileLayout(std::vector<kernel::Factor> rows,
                                 std::vector<kernel::Factor> cols) {
  return {{std::move(rows), std::move(cols)}};
}

inline void Differential(const kernel::Kernel& kernel, const std::vector<Bytes>& buffers,
                         const std::vector<int64_t>& params = {}, std::string_view gpu = "sm_90",
                         uint64_t schedules = 3) {
  if (absl::Status s = kernel::Verify(kernel); !s.ok())
    FAIL(s.ToString() << "\n" << kernel::Print(kernel));
  auto compiled = emulator::CompiledKernel::Compile(kernel, gpu);
  if (!compiled.ok()) FAIL(compiled.status().ToString() << "\n" << kernel::Print(kernel));
  for (uint64_t seed = 0; seed < schedules; seed++) {
    const absl::Status s = (*compiled)->Check({buffers, params}, seed);
    if (!s.ok()) FAIL(s.ToString() << "\n" << kernel::Print(kernel) << "\n" << (*compiled)->ir());
    SUCCEED();
  }
}

}  // namespace sinter::gpu::testing
