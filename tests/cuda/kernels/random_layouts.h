// Layouts drawn at random for kernels that have none, and barriers wherever one could matter: the
// walk must be right for all layouts, not only for those that a plan would choose.
#pragma once

#include <cstdint>
#include <functional>
#include <random>

#include "codegen/kernel/kernel.h"

namespace sinter::emulator {

// Gives every tile of `kernel`, of which none has one, a layout for blocks of `warps` warps, the
// same to values that must share one. What an index tile scatters stays in one thread, since later
// lanes win. False where values share a layout though neither broadcasts to the other.
bool AssignRandomLayouts(kernel::Kernel& kernel, int warps, std::mt19937_64& random);

// Puts a `sync` before every access to a buffer (or alias group) that the kernel writes and
// accesses elsewhere too.
void SyncEverywhere(kernel::Kernel& kernel);

// Calls f(block, index) for each operation, outer ones first; f may change the block's later
// operations.
void ForEachOp(kernel::Block& block, const std::function<void(kernel::Block&, size_t)>& f);

}  // namespace sinter::emulator
