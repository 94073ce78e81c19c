// Masks of loads and stores that are known when code is made.
#pragma once

#include "llvm/IR/Function.h"

namespace sinter::cpu {

// Masked stores of one lane become stores of an element. LLVM 22 does it too, but where the vector
// is a truncated one it stores the element as wide as it was before (llvm-project issue 179489).
void StoreSingleLanes(llvm::Function& f);

// Constant masks of loads and stores in loops are read from memory when the function begins, and
// stay in mask registers: LLVM moves each there through a general register before it is used, by
// an instruction that writes 16 bits of it and so waits for whatever the register held. Sums of
// 5184 rows of 9 predicates took 20 us for that, 5 without.
void LoadMasksOnce(llvm::Function& f);

}  // namespace sinter::cpu
