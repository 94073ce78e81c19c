// Kernels that have layouts, as device code on the emulator against the kernel interpreter.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/gpu/compiler.h"
#include "codegen/kernel/kernel.h"
#include "cuda/emulator/emulator.h"

namespace sinter::emulator {

using Bytes = std::vector<uint8_t>;

struct Job {
  std::vector<Bytes> buffers;  // of arguments and scratch, as they are before
  std::vector<int64_t> params;
};

class CompiledKernel {
 public:
  // `kernel` must outlive it. Errors of the compiler and of Module::Load.
  static absl::StatusOr<std::unique_ptr<CompiledKernel>> Compile(const kernel::Kernel& kernel,
                                                                 std::string_view gpu = "sm_90");

  // Runs all stages. Floats may differ by `tolerance` of the greater of their size and 1: a
  // reduction's order depends on layouts. Internal where the code is wrong; the message says how.
  absl::Status Check(const Job& job, uint64_t seed, double tolerance = 0) const;
  const std::string& ir() const { return ir_; }

 private:
  explicit CompiledKernel(const kernel::Kernel& kernel) : kernel_(kernel) {}

  const kernel::Kernel& kernel_;
  gpu::Compiled compiled_;
  std::string ir_;
  std::unique_ptr<Module> module_;
};

}  // namespace sinter::emulator
