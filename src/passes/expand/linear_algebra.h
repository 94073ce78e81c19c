// Factorizations and solvers as loops over rows and products of blocks.
#pragma once

#include <memory>

#include "pass/pass.h"
#include "passes/expand/matrices.h"
#include "target/target.h"

namespace sinter {

// cholesky and triangular-solve go over the matrix in blocks of rows: what the rows before
// contribute to a block is a product of matrices, and a loop goes over the rows of the block
// (left-looking variants; G. Golub and C. Van Loan, Matrix Computations, 4.2.9 and 3.1.4). n^3 in
// all; batches go through every step together. Elements narrower than 32 bits are computed in f32.
// A cholesky that the library has stays, and so does a triangular-solve, whose triangle is then one
// of rows: of op(a) x = b a itself, of x op(a) = b its transpose.
std::unique_ptr<Pass> MakeExpandLinearAlgebraPass(const TargetInfo& target);

namespace expand {

// Whether the target has a library, which factors matrices of such a type.
bool IsOfLibrary(const TargetInfo& target, const Shape& matrices);

// Whether the target's library factors such matrices (program/cholesky_layout.h,
// program/matrix_layouts.h): real ones that are not so small that it is written out, a matrix a
// lane.
bool IsLibraryMatrix(const TargetInfo& target, const Shape& matrices);

// Whether it solves with such triangles for such right sides: where either is not so small.
bool IsLibrarySolve(const TargetInfo& target, const Shape& triangles, const Shape& right);

// The rows of the factor R, upper triangular with R^T conj(R) = a, that begin in the panel's first
// column, row by row: [batch, rows, columns]. Pivots are not looked at: the first that is not
// positive leaves a 0 or a NaN on the diagonal, and NaNs behind it.
HloInstruction* UpperFactor(HloModule& module, Matrices& g, const HloInstruction& origin,
                            HloInstruction* panel);

}  // namespace expand
}  // namespace sinter
