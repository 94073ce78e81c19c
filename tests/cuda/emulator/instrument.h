// Device modules rewritten for the host: every access, jump and call of an intrinsic is announced
// first.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "cuda/emulator/block.h"
#include "llvm/IR/Module.h"

namespace sinter::emulator {

struct Kernel {
  std::string symbol;
  std::string entry;  // the function void(void* const* arguments) that stands for it
  std::vector<size_t> parameter_bytes;
  uint32_t max_threads = Block::kMaxThreads;
};

struct Instrumented {
  std::vector<Site> sites;
  std::vector<Kernel> kernels;
  std::vector<std::string> constants;  // symbols of the module's own global variables
  std::vector<size_t> constant_bytes;
  size_t static_shared_bytes = 0;  // dynamic shared memory comes behind, at a multiple of 16
};

// `shared` is the address that shared memory will have. Unimplemented where the module uses what
// the emulator lacks.
absl::StatusOr<Instrumented> Instrument(llvm::Module& module, const char* shared);

// What instrumented code calls. `site` indexes Instrumented::sites.
extern "C" {
void SinterEmulatorAccess(char* p, uint32_t site);
void SinterEmulatorCall(uint32_t site, const uint64_t* arguments, uint64_t* results);
void SinterEmulatorJump(uint32_t site);
}

}  // namespace sinter::emulator
