// The emulator's state of device memory: bounds, and the last accesses to each byte.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>

#include "cuda/emulator/emulator.h"

namespace sinter::emulator {

// Time is counted in epochs: a number, process-wide, that grows at the start of each block and at
// each of its barriers. Blocks run one after another, so a block is a range of epochs, and so is a
// launch. 32 bits last for hours; a launch that might run out of them is refused.
using Epoch = uint32_t;

// The last accesses to one byte. Epoch 0: none.
struct Cell {
  Epoch write = 0;
  Epoch read = 0;        // the last
  Epoch first_read = 0;  // of the launch that `read` belongs to
  Epoch read_only = 0;   // the last by a load that promises that nobody writes
  uint16_t writer = 0;   // threads
  uint16_t reader = 0;
  static constexpr uint16_t kSeveral = UINT16_MAX;  // readers in one epoch
};

// Who accesses, and when.
struct Accessor {
  Epoch launch = 0, block = 0,
        now = 0;  // first epochs of the launch and the block, and the present one
  uint16_t thread = 0;
};

enum class Conflict : uint8_t {
  kNone,
  kReadAfterWrite,  // in a block, without a barrier
  kWriteAfterRead,
  kWriteAfterWrite,
  kOtherBlockWrote,  // in a launch
  kOtherBlockRead,
  kReadOnly,  // a byte is both written and read as one that is not
};

// Records a read or a write of a byte. A conflict's other side is in the cell as it was, which
// stays so.
Conflict Touch(Cell& cell, const Accessor& by, bool write, bool read_only);

struct FreeCells {
  void operator()(Cell* cells) const { std::free(cells); }
};
// Zeroed as they are touched. Null where there is no memory.
std::unique_ptr<Cell[], FreeCells> NewCells(size_t count);

struct Allocation {
  char* base = nullptr;
  size_t bytes = 0;
  std::unique_ptr<Cell[], FreeCells> cells;  // none until a launch touches it
};

struct Memory::Impl {
  ~Impl();
  // The allocation that holds the byte, or null.
  Allocation* Find(const void* p);

  mutable std::mutex mutex;
  std::map<uintptr_t, Allocation> allocations;  // by base
  size_t bytes_in_use = 0;
};

// Held by a launch; Memory's functions wait for it.
std::mutex& LaunchMutex();

}  // namespace sinter::emulator
