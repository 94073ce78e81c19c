// What passes and plans may know of the machine that a program is compiled for. No result depends
// on it but through the instruction set.
#pragma once

#include <cstdint>
#include <variant>

namespace sinter {

struct CpuMachine {
  int vector_bytes = 64;  // of a native vector
  int vector_registers = 32;
  bool fma = true;  // multiplies and adds in one instruction
  // Has dot instructions: of pairs of BF16, of four bytes (kernel::OpCode::kDotAdd). Of pairs of
  // S16 all have one.
  bool dot_bf16 = false, dot_bytes = false;
  // Multiplies tiles of such words: of 16 rows and columns (kernel::OpCode::kDot).
  bool dot_tiles = false;
  int64_t l2_bytes = 1 << 20;   // of one core
  int64_t l3_bytes = 32 << 20;  // shared by the cores that tasks run on; 0: there is none
  int threads = 2;              // tasks that run at the same time
  bool operator==(const CpuMachine&) const = default;
};

// Whether vectors of elements of so many bytes are read and written under a mask in one
// instruction: AVX-512 has it for all types, AVX2 for those of 4 and 8 bytes. Others are taken lane
// by lane.
inline bool HasMasks(const CpuMachine& machine, int bytes) {
  return machine.vector_bytes >= 64 || (machine.vector_bytes >= 32 && bytes >= 4);
}

struct GpuMachine {
  int multiprocessors = 132;
  int64_t shared_bytes = 40 << 10;   // for a block's task buffers; reductions over warps need more
  int64_t product_bytes = 40 << 10;  // the same where a product's operands wait in it
  int sm = 0;                        // ten times the compute capability: which tensor cores it has
  bool operator==(const GpuMachine&) const = default;
};

class TargetInfo {
 public:
  TargetInfo() = default;
  TargetInfo(const CpuMachine& machine) : machine_(machine) {}  // NOLINT: one of the two
  TargetInfo(const GpuMachine& machine) : machine_(machine) {}  // NOLINT

  // The machine, or null if it is of the other kind.
  const CpuMachine* cpu() const { return std::get_if<CpuMachine>(&machine_); }
  const GpuMachine* gpu() const { return std::get_if<GpuMachine>(&machine_); }

  // Whether its programs may call kernels of the runtime's library (program::LibraryCall).
  bool calls_library() const { return cpu() != nullptr; }
  // Whether collectives that reduce do so by kernels of the program, not by the machine's library.
  bool has_reducers() const { return cpu() != nullptr; }
  // Whether there is code that writes windows of an array at places that indices name.
  bool scatters() const { return cpu() != nullptr; }
  // Whether a loop whose steps are short becomes a kernel of one task.
  bool joins_loops() const { return cpu() != nullptr; }
  // Whether a kernel may have several reductions with results of no or few dimensions.
  bool joins_siblings() const { return cpu() != nullptr; }
  // Whether a product may take in another of which its left operand is made.
  bool chains_products() const { return cpu() != nullptr; }

  bool operator==(const TargetInfo&) const = default;

 private:
  std::variant<CpuMachine, GpuMachine> machine_;
};

}  // namespace sinter
