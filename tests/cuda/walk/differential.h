// Runs a kernel with homes on the interpreter and, as device code, on the emulator under several
// schedules, and compares every byte of every buffer.
#pragma once

#include <catch2/catch.hpp>
#include <cstring>
#include <string>
#include <vector>

#include "codegen/gpu/compiler.h"
#include "codegen/kernel/homes.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/stages.h"
#include "codegen/kernel/text.h"
#include "codegen/kernel/verify.h"
#include "cuda/emulator/emulator.h"
#include "unit/codegen/cpu/differential.h"

namespace sinter::gpu::testing {

using cpu::testing::Bytes;
using cpu::testing::BytesOf;
using cpu::testing::Describe;
using cpu::testing::SameElement;

// Gives all tiles of a kernel one layout.
inline kernel::Kernel WithHomes(kernel::Kernel kernel, int warps, const kernel::Layout& layout) {
  kernel.warps = warps;
  const int index = kernel::AddLayout(kernel, layout);
  for (kernel::Type& t : kernel.types)
    if (!t.is_scalar()) t.layout = index;
  return kernel;
}

inline kernel::Factor Reg(int extent) { return {kernel::Home::kReg, extent, 1}; }
inline kernel::Factor Lane(int extent, int stride = 1) {
  return {kernel::Home::kLane, extent, stride};
}
inline kernel::Factor Warp(int extent, int stride = 1) {
  return {kernel::Home::kWarp, extent, stride};
}
inline kernel::Layout Homes(std::vector<kernel::Factor> rows, std::vector<kernel::Factor> cols) {
  return {{std::move(rows), std::move(cols)}};
}

inline std::string RunOnEmulator(const kernel::Kernel& kernel, const Compiled& compiled,
                                 emulator::Module& device, uint64_t seed,
                                 std::vector<Bytes>& buffers, const std::vector<int64_t>& params) {
  emulator::Memory memory;
  std::vector<void*> pointers;
  for (const Bytes& b : buffers) {
    pointers.push_back(memory.Allocate(b.size()).value());
    std::memcpy(pointers.back(), b.data(), b.size());
  }
  const KernelInfo& info = compiled.kernels[0];
  const auto stages = kernel::StagesOf(kernel).value();
  std::vector<int64_t> dims = params;
  for (size_t i = 0; i < stages.size(); i++) {
    const auto tasks = kernel::TasksOf(kernel, *stages[i], params);
    if (!tasks) return "the number of tasks is not known";
    if (*tasks == 0) continue;
    emulator::Launch launch;
    launch.symbol = compiled.code.symbols[static_cast<size_t>(info.stages[i].function)];
    launch.grid[0] = static_cast<uint32_t>(*tasks);
    launch.block[0] = static_cast<uint32_t>(info.threads);
    launch.shared_bytes = static_cast<size_t>(info.task_bytes);
    launch.seed = seed;
    for (void*& p : pointers) launch.arguments.push_back(&p);
    for (int64_t& d : dims) launch.arguments.push_back(&d);
    if (absl::Status s = device.Run(launch, memory); !s.ok()) return s.ToString();
  }
  for (size_t i = 0; i < buffers.size(); i++)
    std::memcpy(buffers[i].data(), pointers[i], buffers[i].size());
  return "";
}

inline void Differential(const kernel::Kernel& kernel, const std::vector<Bytes>& buffers,
                         const std::vector<int64_t>& params = {}, std::string_view gpu = "sm_90",
                         int schedules = 3) {
  if (absl::Status s = kernel::Verify(kernel); !s.ok())
    FAIL(s.ToString() << "\n" << kernel::Print(kernel));
  std::vector<Bytes> expected = buffers;
  std::vector<void*> pointers;
  for (Bytes& b : expected) pointers.push_back(b.data());
  absl::Status status = kernel::Interpret(kernel, pointers, params);
  if (!status.ok()) FAIL(status.ToString() << "\n" << kernel::Print(kernel));
  auto compiler = Compiler::Create(Target::Parse(gpu).value()).value();
  Artifacts artifacts;
  auto compiled = compiler->Compile({&kernel}, "test", &artifacts);
  if (!compiled.ok()) FAIL(compiled.status().ToString() << "\n" << kernel::Print(kernel));
  auto device = emulator::Module::Load(artifacts.llvm_ir);
  if (!device.ok()) FAIL(device.status().ToString() << "\n" << artifacts.llvm_ir);
  for (int seed = 0; seed < schedules; seed++) {
    std::vector<Bytes> got = buffers;
    const std::string error =
        RunOnEmulator(kernel, *compiled, **device, static_cast<uint64_t>(seed), got, params);
    if (!error.empty()) FAIL(error << "\n" << kernel::Print(kernel) << "\n" << artifacts.llvm_ir);
    size_t at_buffer = 0;
    for (int index : kernel::LaunchBuffers(kernel)) {
      const kernel::Buffer& b = kernel.buffers[static_cast<size_t>(index)];
      const Bytes &g = got[at_buffer], &e = expected[at_buffer];
      at_buffer++;
      if (g == e) continue;
      const auto width = static_cast<size_t>(ByteWidth(b.elem));
      for (size_t at = 0; at < g.size(); at += width) {
        if (SameElement(b.elem, g.data() + at, e.data() + at)) continue;
        FAIL("buffer " << b.name << " element " << at / width << ": "
                       << Describe(b.elem, g.data() + at) << ", expected "
                       << Describe(b.elem, e.data() + at) << "\n"
                       << kernel::Print(kernel));
      }
    }
  }
}

}  // namespace sinter::gpu::testing
