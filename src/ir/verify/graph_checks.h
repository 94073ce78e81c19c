// The checks of pointers: parts of the verifier that hold for any graph, whatever the ops mean.
#pragma once

#include "absl/status/status.h"
#include "ir/module.h"

namespace sinter::verify {

// Prefixes "computation %instruction: " and appends the place in the user's source.
absl::Status At(const HloInstruction& i, const absl::Status& s);

// The module owns computations, computations own instructions, operands and root belong to the same
// computation, called computations to the module; ids and names are unique.
absl::Status CheckOwnership(const HloModule& m);
// An instruction is among its operands' users exactly once, and there are no other users.
absl::Status CheckUsers(const HloModule& m);
// No computation calls itself, directly or through others.
absl::Status CheckNoRecursion(const HloModule& m);
// No instruction depends on itself.
absl::Status CheckNoCycle(const HloComputation& c);

}  // namespace sinter::verify
