// Matrices in the last two dimensions, and sums of products by labels
// (xla/hlo/builder/lib/matrix.h).
//
//   sinter::Op gram = sinter::BatchDot(x, /*transpose_x=*/true, x, /*transpose_y=*/false);
//   sinter::Op same = sinter::Einsum(x, x, "...ki,...kj->...ij");
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "sinter/builder.h"
#include "sinter/element_type.h"
#include "sinter/export.h"
#include "sinter/op.h"
#include "sinter/op_options.h"

namespace sinter {

// m x n, ones on the diagonal.
SINTER_API Op IdentityMatrix(Builder* builder, ElementType type, int64_t m, int64_t n);

// Predicates of x's dimensions: whether column - row is `diagonal`.
SINTER_API Op GetDiagonalMask(const Operand& x, int diagonal = 0);
// The diagonals k of matrices [..., m, n], those with column - row = k: [..., d] with
// d = min(m, n - k) for k >= 0, min(m + k, n) for k < 0, and 0 where that is negative. Both give
// the same; the second by a gather.
SINTER_API Op GetMatrixDiagonal(const Operand& x, int k = 0);
SINTER_API Op GetMatrixDiagonalViaGather(const Operand& x, int k = 0);
// The matrices with `diag`, of the dimensions above, as their diagonals k.
SINTER_API Op SetMatrixDiagonal(const Operand& matrix, const Operand& diag, int k = 0);

// Predicates of x's dimensions: whether column - row is at most `diagonal`.
SINTER_API Op TriangleMask(const Operand& x, int diagonal);
// x with zeros above the diagonal if `lower`, else below it.
SINTER_API Op Triangle(const Operand& x, bool lower);
SINTER_API Op UpperTriangle(const Operand& x);
SINTER_API Op LowerTriangle(const Operand& x);
// The symmetric, of complex numbers Hermitian matrices of which x holds one triangle: the other is
// not read, nor are imaginary parts of the diagonal.
SINTER_API Op Symmetrize(const Operand& x, bool lower = true);

// Products of the matrices in the last two dimensions, of the transposes where asked. The other
// dimensions are equal, or one of them is 1 and its operand is repeated. `preferred_element_type`
// is that of DotGeneral. XLA's grad_x and grad_y, which tell a compiler that an operand is
// a gradient, change nothing.
SINTER_API Op BatchDot(const Operand& x, const Operand& y,
                       Precision precision = Precision::kDefault,
                       std::optional<ElementType> preferred_element_type = std::nullopt);
SINTER_API Op BatchDot(const Operand& x, bool transpose_x, const Operand& y, bool transpose_y,
                       Precision precision = Precision::kDefault,
                       std::optional<ElementType> preferred_element_type = std::nullopt,
                       bool grad_x = false, bool grad_y = false);

// Sums of products: "ab,bc->ac" is the product of two matrices. Labels are letters, one for each
// dimension. A label of both operands that the result lacks is summed over; so is one of a single
// operand. A label that an operand has twice is its diagonal. "..." stands for the dimensions
// without a letter, which are the last ones of each other where their numbers differ. Dimensions of
// one label are equal, or one of them is 1 and is repeated. Without "->" the result has "..." and
// the labels that occur once, in the order of the alphabet. InvalidArgument else.
SINTER_API Op Einsum(const Operand& x, const Operand& y, std::string_view einsum_config,
                     Precision precision = Precision::kDefault,
                     std::optional<ElementType> preferred_element_type = std::nullopt,
                     bool grad_x = false, bool grad_y = false);
// Of one operand: "ii->i" its diagonal, "...ab->...ba" the transposes.
SINTER_API Op Einsum(const Operand& x, std::string_view einsum_config,
                     Precision precision = Precision::kDefault);
// Labels are numbers: {0, 1}, {2, 1}, {0, 2} for "ab,cb->ac".
SINTER_API Op Einsum(const Operand& x, absl::Span<const int64_t> x_config, const Operand& y,
                     absl::Span<const int64_t> y_config, absl::Span<const int64_t> output_config,
                     Precision precision = Precision::kDefault,
                     std::optional<ElementType> preferred_element_type = std::nullopt,
                     bool grad_x = false, bool grad_y = false);

// The numeric labels of x, y and the result for operands of those ranks: a letter is its character,
// the dimensions of "..." are ..., -2, -1. The text has one "," and one "->".
SINTER_API absl::StatusOr<std::array<std::vector<int64_t>, 3>> ParseEinsumString(
    std::string_view einsum_config, int64_t x_rank, int64_t y_rank);
// The text with the "->" and the result that it lacks; empty where it has them.
SINTER_API std::string NormalizeEinsumString(std::string_view einsum_config);

// The last two dimensions exchanged; if asked.
SINTER_API Op TransposeInMinorDims(const Operand& x);
SINTER_API Op MaybeTransposeInMinorDims(const Operand& x, bool transpose);

}  // namespace sinter
