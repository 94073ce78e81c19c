// Runs device LLVM IR (the NVPTX dialect that codegen/gpu writes) on the CPU and checks every
// access, so that kernels are tested where there is no GPU. A thread of a block is a fiber; blocks,
// warps and lanes run in a random order that a seed decides; threads change places at barriers and
// warp operations only, so that races show by bookkeeping instead of by luck.
//
//   emulator::Memory memory;
//   ASSIGN_OR_RETURN(void* x, memory.Allocate(bytes));
//   ASSIGN_OR_RETURN(auto module, emulator::Module::Load(llvm_ir));
//   emulator::Launch launch{
//       .symbol = "k", .grid = {8, 1, 1}, .block = {128, 1, 1}, .arguments = {&x}};
//   RETURN_IF_ERROR(module->Run(launch, memory));
//
// Errors that are found in a kernel (Internal; the message names kernel, block, thread and
// instruction):
//   - an access outside the allocations of `Memory`, the block's shared memory or the module's
//     constants;
//   - an access at an address that its instruction's alignment does not divide;
//   - two accesses to one byte, one of them a write, by two threads of a block with no barrier
//     between them, or by two blocks of one launch; a write to memory that `ld.global.nc`
//     (`!invariant.load`) reads;
//   - a read of shared memory that no thread of this block wrote;
//   - barriers and warp operations that not all of their threads reach, or reach at different
//     instructions; lanes that read from lanes outside the mask;
//   - loops that do not end (Launch::max_steps).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace sinter::emulator {

// Device memory: host memory whose bounds are known. Thread-safe. Launches run one at a time,
// whatever the memory; Allocate and Free wait for them.
class Memory {
 public:
  Memory();
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  // Bytes at a multiple of 256 (as cuMemAlloc gives), filled with a pattern that is a NaN in every
  // float type; ResourceExhausted where there are none. An allocation of 0 bytes has an address,
  // but no byte.
  absl::StatusOr<void*> Allocate(size_t bytes);
  // InvalidArgument where `data` is not what Allocate returned.
  absl::Status Free(void* data);
  // InvalidArgument unless [data, data + bytes) lies within one allocation.
  absl::Status Check(const void* data, size_t bytes) const;
  // Of all allocations.
  size_t bytes_in_use() const;

  struct Impl;
  Impl& impl() const { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

// How the accesses of one instruction to shared memory spread over its 32 banks, added up.
struct BankUse {
  std::string function, text;  // the instruction, as in the device's module
  int64_t accesses = 0;        // of warps
  int64_t waves = 0;           // how often banks are asked
  int64_t least = 0;           // the same without conflicts
};

struct Launch {
  std::string symbol;
  std::array<uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  size_t shared_bytes = 0;       // dynamic: the module's `external addrspace(3)` array
  std::vector<void*> arguments;  // as cuLaunchKernel's kernelParams: a pointer to the value of each
  // Where there are some: all the global memory that this launch may touch, each within one
  // allocation.
  struct Range {
    const void* data = nullptr;
    size_t bytes = 0;
  };
  std::vector<Range> ranges;
  uint64_t seed = 0;                       // of the schedule
  uint64_t max_steps = uint64_t{1} << 32;  // jumps of all threads of a block
  // Where given: every access to shared memory is counted. LLVM may merge neighbours afterwards.
  std::vector<BankUse>* banks = nullptr;
};

struct KernelAttributes {
  std::vector<size_t> parameter_bytes;
  size_t static_shared_bytes = 0;
  uint32_t max_threads = 1024;  // of a block: `nvvm.maxntid` or the hardware's
};

// A module of device code, made runnable.
class Module {
 public:
  // InvalidArgument where the text is no valid module, Unimplemented where it uses what the
  // emulator lacks (an intrinsic, an atomic operation).
  static absl::StatusOr<std::unique_ptr<Module>> Load(std::string_view llvm_ir);
  ~Module();

  std::vector<std::string> kernels() const;
  // NotFound where there is no such kernel.
  absl::StatusOr<KernelAttributes> Attributes(std::string_view kernel) const;

  // Runs the grid to its end or to the first error. NotFound: no such kernel. InvalidArgument: a
  // grid, block or shared memory that the hardware (sm_90) refuses, or a wrong number of arguments.
  // Internal: the kernel is wrong.
  absl::Status Run(const Launch& launch, Memory& memory);

  struct Impl;

 private:
  explicit Module(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Replaces the driver's PTX compiler: a test registers the device LLVM IR from which it made a PTX
// text, and the IR is found by that text. Process-wide, thread-safe.
void RegisterDeviceIr(std::string_view ptx, std::string llvm_ir);
// NotFound where this PTX was never registered.
absl::StatusOr<std::string> DeviceIrOf(std::string_view ptx);

}  // namespace sinter::emulator
