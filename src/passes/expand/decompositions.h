// The decompositions of ir/decomposition_call.h as loops.
#pragma once

#include <memory>

#include "pass/pass.h"
#include "target/target.h"

namespace sinter {

// Householder reflections for Qr, elimination with exchange of rows for LuDecomposition: a loop
// over the columns, each step of which updates the whole matrix, m n min(m, n) in all. Eigh is
// Jacobi's method in parallel order: n / 2 disjoint rotations a step, n - 1 steps a sweep (R. Brent
// and F. Luk, The solution of singular-value and symmetric eigenvalue problems on multiprocessor
// arrays, 1985). Batches go through every step together. Elements narrower than 32 bits are
// computed in f32. What the library has, all but eigh, stays (expand::IsLibraryMatrix).
// InvalidArgument for calls that are not of the form named there.
std::unique_ptr<Pass> MakeExpandDecompositionsPass(const TargetInfo& target);

}  // namespace sinter
