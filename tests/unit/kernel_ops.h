// What is in a kernel, for tests.
#pragma once

#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// How many operations of a kind a block has, those within its operations too.
inline int CountOf(const Block& block, OpCode code) {
  int count = 0;
  for (const Op& op : block.ops) {
    count += op.code == code;
    for (const Block& inner : op.regions) count += CountOf(inner, code);
  }
  return count;
}

}  // namespace sinter::kernel
