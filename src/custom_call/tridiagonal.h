// Tridiagonal systems that may be singular, under the name by which JAX solves them on the host.
#pragma once

#include <string_view>

#include "sinter/custom_call.h"

namespace sinter {

// The function behind "tridiagonal_solve_perturbed_ffi", empty for any other target. Its operands
// are the diagonals below, on and above the main one, each [..., n] (the first element of the one
// and the last of the other are not used), and right-hand sides [..., n, r], column-major; its
// result the solutions, of the shape of these. All of one type among F32, F64, C64 and C128.
//
// Gaussian elimination with row exchanges; a pivot so small that a division by it would overflow
// is moved away from zero, first by epsilon times the largest magnitude in the triangle, so that
// inverse iteration gets a finite vector from a singular matrix (LAPACK's xLAGTF, and xLAGTS with
// JOB = -1).
CustomCallFunction FindTridiagonalSolve(std::string_view target);

}  // namespace sinter
