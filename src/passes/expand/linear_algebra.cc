#include "passes/expand/linear_algebra.h"

#include <algorithm>
#include <limits>

#include "base/status.h"
#include "pass/expansion.h"
#include "passes/expand/matrices.h"

namespace sinter {
namespace {

using expand::Matrices;
using expand::OneBatch;
using expand::Restored;

// Rows of a block. Each block is code of its own, so that large matrices have larger ones: about
// 16 at most.
int64_t BlockRows(int64_t n) {
  constexpr int64_t kRows = 64, kBlocks = 16, kMultiple = 16;
  if (n <= kRows + kRows / 2) return n;
  const int64_t share = (n + kBlocks - 1) / kBlocks;
  return std::max(kRows, (share + kMultiple - 1) / kMultiple * kMultiple);
}

// The last value of `result`, which starts as zeros and becomes step(g, i, inputs, result) for i =
// 0, ..., count - 1.
template <class Step>
HloInstruction* ForEachRow(HloModule& module, Matrices& g, const HloInstruction& origin,
                           int64_t count, const std::vector<HloInstruction*>& inputs,
                           const Shape& result, Step step) {
  std::vector<HloInstruction*> state{g.Zeros(result.element_type(), result.dimensions())};
  state.insert(state.end(), inputs.begin(), inputs.end());
  auto next = [&](Matrices& b, HloInstruction* i, std::vector<HloInstruction*> values) {
    values[0] = step(b, i, absl::MakeConstSpan(values).subspan(1), values[0]);
    return values;
  };
  return expand::Repeat(module, g, origin, count, state, next)[0];
}

// An upper triangle of NaN for matrices with a pivot that is not positive.
HloInstruction* CheckPivots(HloModule& module, Matrices& g, HloInstruction* factor) {
  const Dims& dims = factor->shape().dimensions();
  HloInstruction* re = g.RealPart(factor);
  const ElementType real = re->shape().element_type();
  HloInstruction* positive = g.Compare(re, g.Zeros(real, dims), ComparisonDirection::kGt);
  HloInstruction* off = g.Compare(g.Iota(dims, 1), g.Iota(dims, 2), ComparisonDirection::kNe);
  HloInstruction* fine = g.Add(HloOpcode::Or, {positive, off});
  HloInstruction* yes = g.Scalar(ElementType::PRED, 1);
  HloInstruction* all = g.Add(HloOpcode::Reduce, {fine, yes}, DimensionsAttrs{{1, 2}},
                              {BinaryComputation(module, HloOpcode::And, ElementType::PRED)});
  HloInstruction* nan = g.Scalar(real, std::numeric_limits<double>::quiet_NaN());
  if (IsComplex(factor->shape().element_type())) nan = g.Add(HloOpcode::Complex, {nan, nan});
  HloInstruction* is_factor = g.Compare(g.Iota(dims, 1), g.Iota(dims, 2), ComparisonDirection::kLe);
  HloInstruction* none =
      g.Select(is_factor, g.Splat(nan, dims), g.Zeros(factor->shape().element_type(), dims));
  return g.Select(g.Broadcast(all, dims, {0}), factor, none);
}

HloInstruction* ExpandCholesky(HloModule& module, Matrices& g, const HloInstruction& i) {
  // The lower factor L is R^T of the transposed matrix, the upper one is R.
  const bool lower = i.attrs<CholeskyAttrs>().lower;
  HloInstruction* a = OneBatch(g, i.operand(0));
  if (lower) a = g.Transposed(a);
  const Dims dims = a->shape().dimensions();
  const int64_t n = dims[1], block = BlockRows(n);
  HloInstruction* factor = g.Zeros(a->shape().element_type(), dims);
  for (int64_t k = 0; k < n; k += block) {
    const int64_t rows = std::min(block, n - k);
    HloInstruction* panel = g.Block(a, k, rows, k, n - k);
    if (k > 0) {
      HloInstruction* left = g.Conjugate(g.Block(factor, 0, k, k, rows));
      panel = g.Subtract(panel, g.Product(left, 1, g.Block(factor, 0, k, k, n - k), 1));
    }
    panel = expand::UpperFactor(module, g, i, panel);
    factor = g.Updated(factor, panel, g.Integer(k), g.Integer(k));
  }
  factor = CheckPivots(module, g, factor);
  return Restored(g, lower ? g.Transposed(factor) : factor, i.shape());
}

// x with `matrix` x = right, by substitution from the first row (or the last).
HloInstruction* SolveBlock(HloModule& module, Matrices& g, const HloInstruction& origin,
                           HloInstruction* matrix, HloInstruction* right, bool forward,
                           bool unit_diagonal) {
  const Shape shape = right->shape();
  const int64_t rows = shape.dimension(1);
  auto step = [&](Matrices& b, HloInstruction* i, absl::Span<HloInstruction* const> inputs,
                  HloInstruction* x) {
    HloInstruction* j = forward ? i : b.Subtract(b.Integer(rows - 1), i);
    HloInstruction* row = b.Pick(inputs[0], 1, j);
    const Dims dims = row->shape().dimensions();
    // The rest of the row is not the matrix's, whatever it holds.
    HloInstruction* known =
        b.Compare(b.Iota(dims, 1), b.Splat(j, dims),
                  forward ? ComparisonDirection::kLt : ComparisonDirection::kGt);
    HloInstruction* coefficients =
        b.Add(HloOpcode::Select, {known, row, b.Zeros(shape.element_type(), dims)});
    HloInstruction* y = b.Subtract(b.Pick(inputs[1], 1, j), b.Combination(coefficients, x));
    if (!unit_diagonal) {
      HloInstruction* diagonal = b.Broadcast(b.Pick(row, 1, j), y->shape().dimensions(), {0});
      y = b.Add(HloOpcode::Divide, {y, diagonal});
    }
    return b.WithRow(x, y, j);
  };
  return ForEachRow(module, g, origin, rows, {matrix, right}, shape, step);
}

HloInstruction* ExpandTriangularSolve(HloModule& module, Matrices& g, const HloInstruction& i) {
  const auto& attrs = i.attrs<TriangularSolveAttrs>();
  HloInstruction *a = OneBatch(g, i.operand(0)), *right = OneBatch(g, i.operand(1));
  // x op(a) = b is op(a)^T x^T = b^T.
  const bool transposed = (attrs.transpose_a != MatrixTranspose::kNoTranspose) == attrs.left_side;
  const bool forward = attrs.lower != transposed;
  if (transposed) a = g.Transposed(a);
  if (attrs.transpose_a == MatrixTranspose::kAdjoint) a = g.Conjugate(a);
  if (!attrs.left_side) right = g.Transposed(right);
  const Dims dims = right->shape().dimensions();
  const int64_t n = dims[1], columns = dims[2], block = BlockRows(n);
  const int64_t blocks = (n + block - 1) / block;
  HloInstruction* x = g.Zeros(right->shape().element_type(), dims);
  for (int64_t k = 0; k < blocks; ++k) {
    const int64_t row = (forward ? k : blocks - 1 - k) * block, rows = std::min(block, n - row);
    HloInstruction* rest = g.Block(right, row, rows, 0, columns);
    if (k > 0) {
      const int64_t begin = forward ? 0 : row + rows, count = forward ? row : n - begin;
      rest = g.Subtract(rest, g.Product(g.Block(a, row, rows, begin, count), 2,
                                        g.Block(x, begin, count, 0, columns), 1));
    }
    HloInstruction* solved = SolveBlock(module, g, i, g.Block(a, row, rows, row, rows), rest,
                                        forward, attrs.unit_diagonal);
    x = g.Updated(x, solved, g.Integer(row), g.Integer(0));
  }
  return Restored(g, attrs.left_side ? x : g.Transposed(x), i.shape());
}

// The library's form of a triangular-solve, null where `i` has it.
HloInstruction* LibraryTriangularSolve(Matrices& g, const HloInstruction& i) {
  TriangularSolveAttrs attrs = i.attrs<TriangularSolveAttrs>();
  const bool is_transposed = attrs.transpose_a != MatrixTranspose::kNoTranspose;
  if (is_transposed != attrs.left_side && attrs.transpose_a != MatrixTranspose::kAdjoint)
    return nullptr;
  HloInstruction* a = i.operand(0);
  if (is_transposed == attrs.left_side) {
    a = Restored(g, g.Transposed(OneBatch(g, a)), a->shape());
    attrs.lower = !attrs.lower;
  }
  attrs.transpose_a = attrs.left_side ? MatrixTranspose::kNoTranspose : MatrixTranspose::kTranspose;
  return g.Add(HloOpcode::TriangularSolve, {a, i.operand(1)}, attrs);
}

}  // namespace

namespace expand {

bool IsOfLibrary(const TargetInfo& target, const Shape& matrices) {
  const ElementType t = matrices.element_type();
  return target.calls_library() && (t == ElementType::F32 || t == ElementType::F64) &&
         matrices.element_count() > 0;
}

bool IsLibraryMatrix(const TargetInfo& target, const Shape& matrices) {
  const int64_t rank = matrices.rank();
  return IsOfLibrary(target, matrices) &&
         !IsWrittenOut(std::max(matrices.dimension(rank - 2), matrices.dimension(rank - 1)),
                       matrices);
}

bool IsLibrarySolve(const TargetInfo& target, const Shape& triangles, const Shape& right) {
  const int64_t n = triangles.dimension(triangles.rank() - 1);
  return IsOfLibrary(target, triangles) && right.element_count() > 0 &&
         !(IsWrittenOut(n, triangles) && IsWrittenOut(n, right));
}

HloInstruction* UpperFactor(HloModule& module, Matrices& g, const HloInstruction& origin,
                            HloInstruction* panel) {
  const Shape shape = panel->shape();
  const int64_t batch = shape.dimension(0), rows = shape.dimension(1), columns = shape.dimension(2);
  auto step = [&](Matrices& b, HloInstruction* j, absl::Span<HloInstruction* const> inputs,
                  HloInstruction* factor) {
    HloInstruction* above = b.Conjugate(b.Pick(factor, 2, j));
    HloInstruction* row = b.Subtract(b.Pick(inputs[0], 1, j), b.Combination(above, factor));
    HloInstruction* pivot = b.Add(HloOpcode::Sqrt, {b.RealPart(b.Pick(row, 1, j))});
    const Dims dims{batch, columns};
    HloInstruction* divisor = b.Broadcast(pivot, dims, {0});
    HloInstruction* diagonal = divisor;
    if (IsComplex(shape.element_type())) {
      HloInstruction* re = b.Add(HloOpcode::Divide, {b.Add(HloOpcode::Real, {row}), divisor});
      HloInstruction* im = b.Add(HloOpcode::Divide, {b.Add(HloOpcode::Imag, {row}), divisor});
      row = b.Add(HloOpcode::Complex, {re, im});
      diagonal = b.Convert(divisor, shape.element_type());
    } else {
      row = b.Add(HloOpcode::Divide, {row, divisor});
    }
    HloInstruction *column = b.Iota(dims, 1), *at = b.Splat(j, dims);
    HloInstruction* rest =
        b.Add(HloOpcode::Select, {b.Compare(column, at, ComparisonDirection::kGt), row,
                                  b.Zeros(shape.element_type(), dims)});
    row =
        b.Add(HloOpcode::Select, {b.Compare(column, at, ComparisonDirection::kEq), diagonal, rest});
    return b.WithRow(factor, row, j);
  };
  return ForEachRow(module, g, origin, rows, {panel}, shape, step);
}

}  // namespace expand

std::unique_ptr<Pass> MakeExpandLinearAlgebraPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-linear-algebra",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        const bool is_cholesky = i.op() == HloOpcode::Cholesky;
        if (!is_cholesky && i.op() != HloOpcode::TriangularSolve) return nullptr;
        const Shape& a = i.operand(0)->shape();
        const bool is_library = is_cholesky ? expand::IsLibraryMatrix(target, a)
                                            : expand::IsLibrarySolve(target, a, i.shape());
        if (is_cholesky && is_library) return nullptr;
        Matrices g(c, i);
        if (is_library) {
          HloInstruction* same = LibraryTriangularSolve(g, i);
          RETURN_IF_ERROR(g.status());
          return same;
        }
        HloInstruction* result = i.shape().element_count() == 0
                                     ? g.Zeros(i.shape().element_type(), i.shape().dimensions())
                                 : is_cholesky ? ExpandCholesky(*c.module(), g, i)
                                               : ExpandTriangularSolve(*c.module(), g, i);
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
