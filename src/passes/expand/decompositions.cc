#include "passes/expand/decompositions.h"

#include <algorithm>
#include <limits>

#include "absl/container/flat_hash_set.h"
#include "base/status.h"
#include "ir/decomposition_call.h"
#include "ir/results.h"
#include "pass/expansion.h"
#include "passes/expand/linear_algebra.h"
#include "passes/expand/matrices.h"

namespace sinter {
namespace {

using expand::Matrices;
using expand::Repeat;
using Values = std::vector<HloInstruction*>;
constexpr auto kEq = ComparisonDirection::kEq;
constexpr auto kNe = ComparisonDirection::kNe;
constexpr auto kGe = ComparisonDirection::kGe;
constexpr auto kGt = ComparisonDirection::kGt;
constexpr auto kLt = ComparisonDirection::kLt;

HloInstruction* Ones(Matrices& g, ElementType type, const Dims& dims) {
  return g.Splat(g.Scalar(type, 1), dims);
}

// The index along a dimension, and its comparison with `at`.
class Position {
 public:
  Position(Matrices& g, const Dims& dims, int64_t dimension, HloInstruction* at)
      : g_(g), index_(g.Iota(dims, dimension)), at_(at) {}
  HloInstruction* Is(ComparisonDirection d) { return g_.Compare(index_, at_, d); }
  HloInstruction* index() { return index_; }

 private:
  Matrices& g_;
  HloInstruction *index_, *at_;
};

// a - v (scale v^H a), for a vector v and a number `scale` a matrix.
HloInstruction* Reflected(Matrices& g, HloInstruction* a, HloInstruction* v,
                          HloInstruction* scale) {
  const Dims& dims = a->shape().dimensions();
  HloInstruction* products = g.Combination(g.Conjugate(v), a);
  products = g.Multiply(g.Broadcast(scale, products->shape().dimensions(), {0}), products);
  return g.Subtract(a,
                    g.Multiply(g.Broadcast(v, dims, {0, 1}), g.Broadcast(products, dims, {0, 2})));
}

// The largest magnitude of real and imaginary parts.
HloInstruction* LargestPart(Matrices& g, HloInstruction* x) {
  HloInstruction* size = g.Add(HloOpcode::Abs, {g.RealPart(x)});
  if (!IsComplex(x->shape().element_type())) return size;
  HloInstruction* imag = g.Add(HloOpcode::Abs, {g.Add(HloOpcode::Imag, {x})});
  return g.Add(HloOpcode::Maximum, {size, imag});
}

// The greatest power of two that is not above x >= 0, at least the least normal number: dividing by
// it rounds nothing but what is too small to matter beside x. Of infinities and NaNs infinity.
HloInstruction* PowerBelow(Matrices& g, HloInstruction* x) {
  const ElementType type = x->shape().element_type();
  const Dims& dims = x->shape().dimensions();
  const bool wide = type == ElementType::F64;
  const Shape bits(wide ? ElementType::U64 : ElementType::U32, dims);
  const double field = wide ? 0x7ff0000000000000 : 0x7f800000;  // of the exponent
  HloInstruction* mask = g.Splat(g.Scalar(bits.element_type(), field), dims);
  HloInstruction* exponent =
      g.Add(HloOpcode::And, {g.Add(HloOpcode::BitcastConvert, {x}, {}, {}, &bits), mask});
  const Shape to = x->shape();
  const double least = wide ? std::numeric_limits<double>::min()
                            : static_cast<double>(std::numeric_limits<float>::min());
  return g.Add(HloOpcode::Maximum, {g.Add(HloOpcode::BitcastConvert, {exponent}, {}, {}, &to),
                                    g.Splat(g.Scalar(type, least), dims)});
}

// LAPACK's geqrf: the diagonal of R is real and of the sign that is other than the column's. As in
// its larfg squares neither overflow nor vanish: reflections are those of the column over a power
// of two.
Values QrStep(Matrices& g, HloModule& module, HloInstruction* j, Values state) {
  HloInstruction *a = state[0], *taus = state[1];
  const Dims dims = a->shape().dimensions(), column{dims[0], dims[1]}, batch{dims[0]};
  const ElementType type = a->shape().element_type(), real = RealPart(type);
  Position row(g, column, 1, g.Splat(j, column));
  HloInstruction *below = row.Is(kGt), *diagonal = row.Is(kEq);
  HloInstruction *x = g.Pick(a, 2, j), *tail = g.Select(below, x, g.Zeros(type, column));
  HloInstruction* zero = g.Zeros(real, batch);
  HloInstruction* largest =
      g.Add(HloOpcode::Reduce, {LargestPart(g, tail), g.Zero(real)}, DimensionsAttrs{{1}},
            {BinaryComputation(module, HloOpcode::Maximum, real)});
  // Where there is nothing to reflect tau is 0.
  HloInstruction* done = g.Compare(largest, zero, kEq);
  HloInstruction* scale =
      PowerBelow(g, g.Add(HloOpcode::Maximum, {largest, LargestPart(g, g.Pick(x, 1, j))}));
  HloInstruction* inverse = g.Divide(Ones(g, real, batch), scale);
  auto scaled = [&](HloInstruction* v) {
    return g.Scaled(g.Broadcast(inverse, v->shape().dimensions(), {0}), v);
  };
  tail = scaled(tail);
  HloInstruction *alpha = scaled(g.Pick(x, 1, j)), *alpha_real = g.RealPart(alpha);
  HloInstruction* square = g.Sum(g.SquareOf(tail), {1});
  HloInstruction* alpha_imag = nullptr;
  if (IsComplex(type)) {
    alpha_imag = g.Add(HloOpcode::Imag, {alpha});
    done = g.Add(HloOpcode::And, {done, g.Compare(alpha_imag, zero, kEq)});
  }
  HloInstruction* norm =
      g.Add(HloOpcode::Sqrt, {g.Add(HloOpcode::Add, {square, g.SquareOf(alpha)})});
  HloInstruction* beta = g.Select(g.Compare(alpha_real, zero, ComparisonDirection::kGe),
                                  g.Add(HloOpcode::Negate, {norm}), norm);
  beta = g.Select(done, alpha_real, beta);
  HloInstruction *one = Ones(g, real, batch), *divisor = g.Select(done, one, beta);
  HloInstruction* tau = g.Divide(g.Subtract(beta, alpha_real), divisor);
  HloInstruction* difference = g.Select(done, one, g.Subtract(alpha_real, beta));
  if (alpha_imag != nullptr) {
    tau = g.MakeComplex(tau, g.Divide(g.Add(HloOpcode::Negate, {alpha_imag}), divisor));
    difference = g.MakeComplex(difference, alpha_imag);
  }
  HloInstruction* v = g.Divide(tail, g.Broadcast(difference, column, {0}));
  HloInstruction* unit = g.Select(diagonal, Ones(g, type, column), v);
  HloInstruction* rest = Reflected(g, a, unit, g.Conjugate(tau));
  beta = g.Convert(g.Multiply(beta, scale), type);
  HloInstruction* packed =
      g.Select(diagonal, g.Broadcast(beta, column, {0}), g.Select(below, v, x));
  Position at(g, dims, 2, g.Splat(j, dims));
  a = g.Select(at.Is(kGt), rest, g.Select(at.Is(kEq), g.Broadcast(packed, dims, {0, 1}), a));
  const Dims& count = taus->shape().dimensions();
  Position tau_at(g, count, 1, g.Splat(j, count));
  return {a, g.Select(tau_at.Is(kEq), g.Broadcast(tau, count, {0}), taus)};
}

HloInstruction* Identity(Matrices& g, ElementType type, const Dims& dims) {
  HloInstruction* diagonal = g.Compare(g.Iota(dims, 1), g.Iota(dims, 2), kEq);
  return g.Select(diagonal, Ones(g, type, dims), g.Zeros(type, dims));
}

// Reflections are applied to the identity from the last to the first.
HloInstruction* HouseholderProduct(HloModule& module, Matrices& g, const HloInstruction& origin,
                                   HloInstruction* a, HloInstruction* taus) {
  const Dims dims = a->shape().dimensions(), column{dims[0], dims[1]};
  const ElementType type = a->shape().element_type();
  const int64_t count = taus->shape().dimension(1);
  auto step = [&](Matrices& b, HloInstruction* i, Values state) -> Values {
    HloInstruction* j = b.Subtract(b.Integer(count - 1), i);
    Position row(b, column, 1, b.Splat(j, column));
    HloInstruction* v = b.Select(row.Is(kGt), b.Pick(state[1], 2, j), b.Zeros(type, column));
    v = b.Select(row.Is(kEq), Ones(b, type, column), v);
    state[0] = Reflected(b, state[0], v, b.Pick(state[2], 1, j));
    return state;
  };
  return Repeat(module, g, origin, count, {Identity(g, type, dims), a, taus}, step)[0];
}

// The element of each row of `x` where `mask` is true, which is one; as well for matrices' rows.
HloInstruction* Marked(Matrices& g, HloInstruction* mask, HloInstruction* x) {
  const Shape& shape = x->shape();
  mask = g.Broadcast(mask, shape.dimensions(), {0, 1});
  return g.Sum(g.Select(mask, x, g.Zeros(shape.element_type(), shape.dimensions())), {1});
}

// The row (or element) of `x` at j, or the later one where `mask` is true, if j is known.
HloInstruction* MarkedFrom(Matrices& g, HloInstruction* j, HloInstruction* mask,
                           HloInstruction* x) {
  HloInstruction* marked = g.Pick(x, 1, j);
  const Dims& dims = marked->shape().dimensions();
  const auto first = static_cast<int64_t>(j->literal().GetAsDouble(0));
  for (int64_t r = first + 1; r < x->shape().dimension(1); ++r) {
    HloInstruction* here = g.Broadcast(g.Pick(mask, 1, g.Integer(r)), dims, {0});
    marked = g.Select(here, g.Pick(x, 1, g.Integer(r)), marked);
  }
  return marked;
}

// Two rows (or elements) of `x` exchanged: the one at j, where `one` is true, and a later one or
// the same, where `pivot` is; `later` is true there if it is a later one.
HloInstruction* Exchanged(Matrices& g, HloInstruction* x, HloInstruction* j, HloInstruction* one,
                          HloInstruction* pivot, HloInstruction* later) {
  const Dims& dims = x->shape().dimensions();
  const Dims to = dims.size() == 3 ? Dims{0, 2} : Dims{0};
  HloInstruction* at_one = g.Broadcast(g.Pick(x, 1, j), dims, to);
  // One choice an element, where sums of what is masked take two operations.
  HloInstruction* marked =
      j->op() == HloOpcode::Constant ? MarkedFrom(g, j, pivot, x) : Marked(g, pivot, x);
  HloInstruction* at_pivot = g.Broadcast(marked, dims, to);
  return g.Select(g.Broadcast(one, dims, {0, 1}), at_pivot,
                  g.Select(g.Broadcast(later, dims, {0, 1}), at_one, x));
}

// Elimination of one column; the pivot is the first of the largest elements, of complex ones by
// |re| + |im| as in LAPACK.
Values LuStep(Matrices& g, HloModule& module, HloInstruction* j, Values state) {
  HloInstruction *a = state[0], *pivots = state[1], *permutation = state[2];
  const Dims dims = a->shape().dimensions(), column{dims[0], dims[1]}, batch{dims[0]};
  const ElementType type = a->shape().element_type(), real = RealPart(type);
  Position row(g, column, 1, g.Splat(j, column));
  HloInstruction* candidates = g.Pick(a, 2, j);
  HloInstruction* size = g.Add(HloOpcode::Abs, {g.RealPart(candidates)});
  if (IsComplex(type)) {
    HloInstruction* imag = g.Add(HloOpcode::Abs, {g.Add(HloOpcode::Imag, {candidates})});
    size = g.Add(HloOpcode::Add, {size, imag});
  }
  size = g.Select(row.Is(kLt), g.Splat(g.Scalar(real, -1), column), size);
  HloInstruction* largest =
      g.Add(HloOpcode::Reduce, {size, g.Scalar(real, -1)}, DimensionsAttrs{{1}},
            {BinaryComputation(module, HloOpcode::Maximum, real)});
  // Above j nothing is to be compared where j and rows are known.
  HloInstruction *from_here = row.Is(kGe), *none = g.Zeros(ElementType::PRED, column);
  HloInstruction* is_largest =
      g.Select(from_here, g.Compare(size, g.Broadcast(largest, column, {0}), kEq), none);
  HloInstruction* rows = g.Integer(dims[1]);
  HloInstruction* pivot = g.Add(
      HloOpcode::Reduce, {g.Select(is_largest, row.index(), g.Splat(rows, column)), rows},
      DimensionsAttrs{{1}}, {BinaryComputation(module, HloOpcode::Minimum, ElementType::S32)});
  // None is where there are NaNs.
  HloInstruction* here = g.Splat(j, batch);
  pivot = g.Select(g.Compare(pivot, g.Splat(rows, batch), kEq), here, pivot);

  HloInstruction* one = row.Is(kEq);
  HloInstruction* is_pivot = g.Compare(row.index(), g.Broadcast(pivot, column, {0}), kEq);
  HloInstruction* later = g.Select(row.Is(kGt), is_pivot, none);
  is_pivot = g.Select(from_here, is_pivot, none);
  a = Exchanged(g, a, j, one, is_pivot, later);
  permutation = Exchanged(g, permutation, j, one, is_pivot, later);
  const Dims& count = pivots->shape().dimensions();
  Position at(g, count, 1, g.Splat(j, count));
  pivots = g.Select(at.Is(kEq), g.Broadcast(pivot, count, {0}), pivots);

  HloInstruction *x = g.Pick(a, 2, j), *top = g.Pick(a, 1, j);
  HloInstruction *value = g.Pick(x, 1, j), *zero = g.Zeros(type, batch);
  value = g.Select(g.Compare(value, zero, kEq), Ones(g, type, batch), value);
  HloInstruction* factors = g.Divide(x, g.Broadcast(value, column, {0}));
  HloInstruction* rest =
      g.Subtract(a, g.Multiply(g.Broadcast(factors, dims, {0, 1}), g.Broadcast(top, dims, {0, 2})));
  Position at_column(g, dims, 2, g.Splat(j, dims));
  HloInstruction* below = g.Broadcast(row.Is(kGt), dims, {0, 1});
  HloInstruction* lower = g.Select(at_column.Is(kEq), g.Broadcast(factors, dims, {0, 1}), a);
  a = g.Select(below, g.Select(at_column.Is(kGt), rest, lower), a);
  return {a, pivots, permutation};
}

// --- Jacobi's method

HloInstruction* Slice(Matrices& g, HloInstruction* x, int64_t dimension, int64_t begin,
                      int64_t size) {
  const auto d = static_cast<size_t>(dimension);
  Dims starts(static_cast<size_t>(x->shape().rank()), 0), limits = x->shape().dimensions();
  starts[d] = begin;
  limits[d] = begin + size;
  return g.Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, Dims(starts.size(), 1)});
}

// The parts of a dimension, as begin and size, in another order.
HloInstruction* Rearranged(Matrices& g, HloInstruction* x, int64_t dimension,
                           const std::vector<std::pair<int64_t, int64_t>>& parts) {
  Values slices;
  for (auto [begin, size] : parts) {
    if (size > 0) slices.push_back(Slice(g, x, dimension, begin, size));
  }
  return g.Add(HloOpcode::Concatenate, slices, DimensionsAttrs{{dimension}});
}

HloInstruction* Both(Matrices& g, HloInstruction* x, HloInstruction* y) {
  return g.Add(HloOpcode::Concatenate, {x, y}, DimensionsAttrs{{1}});
}

// cosines x + sines (x with its halves exchanged), along dimension 1 or 2.
HloInstruction* Rotated(Matrices& g, HloInstruction* x, int64_t dimension, HloInstruction* cosines,
                        HloInstruction* sines) {
  const Dims& dims = x->shape().dimensions();
  const int64_t half = dims[1] / 2;
  HloInstruction* other = Rearranged(g, x, dimension, {{half, half}, {0, half}});
  return g.Add(HloOpcode::Add, {g.Scaled(g.Broadcast(cosines, dims, {0, dimension}), x),
                                g.Multiply(g.Broadcast(sines, dims, {0, dimension}), other)});
}

// Rows and columns i and i + n / 2 are rotated such that the element of both becomes zero; then
// they are paired anew: after n - 1 steps each has met each other one, and the order is the first
// one again.
Values JacobiStep(Matrices& g, HloModule& module, HloInstruction* i, Values state) {
  HloInstruction *a = state[0], *vectors = state[1], *limit = state[2];
  const Dims dims = a->shape().dimensions();
  const ElementType type = a->shape().element_type(), real = RealPart(type);
  const int64_t n = dims[1], half = n / 2;
  const Dims pairs{dims[0], half};
  HloInstruction *row = g.Iota(dims, 1), *column = g.Iota(dims, 2);
  HloInstruction* shift = g.Splat(g.Integer(half), dims);
  auto shifted = [&](HloInstruction* index) { return g.Add(HloOpcode::Add, {index, shift}); };
  HloInstruction* is_diagonal = g.Compare(row, column, kEq);
  HloInstruction* is_pair = g.Compare(shifted(row), column, kEq);
  HloInstruction* zeros = g.Zeros(type, dims);
  HloInstruction* diagonal = g.RealPart(g.Sum(g.Select(is_diagonal, a, zeros), {2}));
  HloInstruction* x = Slice(g, diagonal, 1, 0, half);
  HloInstruction* y = Slice(g, diagonal, 1, half, half);
  HloInstruction* z = Slice(g, g.Sum(g.Select(is_pair, a, zeros), {2}), 1, 0, half);

  HloInstruction* one = Ones(g, real, pairs);
  HloInstruction* size = g.Add(HloOpcode::Abs, {z});
  HloInstruction* done =
      g.Compare(size, g.Splat(g.Scalar(real, std::numeric_limits<float>::min()), pairs), kLt);
  HloInstruction* divisor = g.Select(done, one, size);
  HloInstruction* theta = g.Divide(g.Subtract(y, x), g.Add(HloOpcode::Add, {divisor, divisor}));
  auto root = [&](HloInstruction* t) {
    return g.Add(HloOpcode::Sqrt, {g.Add(HloOpcode::Add, {one, g.Multiply(t, t)})});
  };
  HloInstruction *zero = g.Zeros(real, pairs), *minus = g.Add(HloOpcode::Negate, {one});
  HloInstruction* sign = g.Select(g.Compare(theta, zero, ComparisonDirection::kGe), one, minus);
  HloInstruction* t =
      g.Divide(sign, g.Add(HloOpcode::Add, {g.Add(HloOpcode::Abs, {theta}), root(theta)}));
  t = g.Select(done, zero, t);
  HloInstruction *cosine = g.Divide(one, root(t)), *sine = g.Multiply(t, cosine);
  HloInstruction* phased = g.Multiply(sine, g.Divide(g.RealPart(z), divisor));
  if (IsComplex(type)) {
    HloInstruction* imag = g.Divide(g.Add(HloOpcode::Imag, {z}), divisor);
    phased = g.MakeComplex(phased, g.Multiply(sine, imag));
  }
  HloInstruction *adjoint = g.Conjugate(phased), *cosines = Both(g, cosine, cosine);
  auto negative = [&](HloInstruction* v) { return g.Add(HloOpcode::Negate, {v}); };
  HloInstruction* column_sines = Both(g, negative(adjoint), phased);
  a = Rotated(g, a, 1, cosines, Both(g, negative(phased), adjoint));
  a = Rotated(g, a, 2, cosines, column_sines);
  HloInstruction* is_either = g.Add(HloOpcode::Or, {is_pair, g.Compare(shifted(column), row, kEq)});
  a = g.Select(is_either, zeros, a);
  vectors = Rotated(g, vectors, 2, cosines, column_sines);

  HloInstruction* off = g.Sum(g.SquareOf(g.Select(is_diagonal, zeros, a)), {1, 2});
  HloInstruction* large = g.Compare(off, limit, kGt);
  large = g.Add(HloOpcode::Reduce, {large, g.Scalar(ElementType::PRED, 0)}, DimensionsAttrs{{0}},
                {BinaryComputation(module, HloOpcode::Or, ElementType::PRED)});
  HloInstruction* next = g.Add(HloOpcode::Add, {i, g.Integer(1)});
  HloInstruction* amid_sweep =
      g.Compare(g.Add(HloOpcode::Remainder, {next, g.Integer(n - 1)}), g.Integer(0), kNe);
  HloInstruction* more = g.Add(HloOpcode::Or, {large, amid_sweep});

  if (half > 1) {
    const std::vector<std::pair<int64_t, int64_t>> order{
        {0, 1}, {half, 1}, {1, half - 2}, {half + 1, half - 1}, {half - 1, 1}};
    a = Rearranged(g, Rearranged(g, a, 1, order), 2, order);
    vectors = Rearranged(g, vectors, 2, order);
  }
  return {a, vectors, limit, more};
}

// `others` in the order of ascending `keys`, and the keys.
Values SortedBy(HloModule& module, Matrices& g, const HloInstruction& origin, int64_t dimension,
                HloInstruction* keys, HloInstruction* others) {
  HloComputation* less = module.AddComputation("less");
  Matrices c(*less, origin);
  Values operands{keys};
  if (others != nullptr) operands.push_back(others);
  Values parameters;
  for (HloInstruction* o : operands) {
    for (int k = 0; k < 2; ++k) {
      parameters.push_back(less->AddParameter(static_cast<int64_t>(parameters.size()),
                                              Shape(o->shape().element_type())));
    }
  }
  less->set_root(c.Add(HloOpcode::Compare, {parameters[0], parameters[1]},
                       CompareAttrs{kLt, ComparisonType::kTotalOrder}));
  if (!c.status().ok()) g.Fail(c.status());
  HloInstruction* sorted =
      g.Add(HloOpcode::Sort, operands, SortAttrs{{dimension}, /*is_stable=*/true}, {less});
  if (others == nullptr) return {sorted};
  return {g.Element(sorted, 0), g.Element(sorted, 1)};
}

Values Eigh(HloModule& module, Matrices& g, const HloInstruction& origin, HloInstruction* a,
            const DecompositionCall& call) {
  const Dims given = a->shape().dimensions();
  const ElementType type = a->shape().element_type(), real = RealPart(type);
  const int64_t n = given[1];
  HloInstruction *row = g.Iota(given, 1), *column = g.Iota(given, 2);
  HloInstruction* stored = g.Compare(row, column, call.lower ? kGt : kLt);
  a = g.Select(stored, a,
               g.Select(g.Compare(row, column, kEq), g.Convert(g.RealPart(a), type),
                        g.Conjugate(g.Transposed(a))));
  // Such that squares neither overflow nor vanish.
  HloInstruction* scale =
      g.Add(HloOpcode::Reduce, {g.Add(HloOpcode::Abs, {a}), g.Zero(real)}, DimensionsAttrs{{1, 2}},
            {BinaryComputation(module, HloOpcode::Maximum, real)});
  HloInstruction* is_zero = g.Compare(scale, g.Zeros(real, {given[0]}), kEq);
  scale = g.Select(is_zero, Ones(g, real, {given[0]}), scale);
  HloInstruction* scales = g.Convert(g.Broadcast(scale, given, {0}), type);
  a = g.Divide(a, scales);
  // A row and column of zeros make the size even; no rotation touches them.
  Dims dims = given;
  if (n % 2 == 1) {
    a = g.Add(HloOpcode::Pad, {a, g.Zero(type)}, PadAttrs{{0, 0, 0}, {0, 1, 1}, {0, 0, 0}});
    dims = a->shape().dimensions();
  }
  const double epsilon = real == ElementType::F64 ? std::numeric_limits<double>::epsilon()
                                                  : std::numeric_limits<float>::epsilon();
  const double tolerance = std::min(call.tolerance, epsilon);
  HloInstruction* limit = g.Multiply(g.Splat(g.Scalar(real, tolerance * tolerance), {given[0]}),
                                     g.Sum(g.SquareOf(a), {1, 2}));
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  const int64_t steps = std::min(call.max_sweeps, kMost / dims[1]) * (dims[1] - 1);
  auto step = [&](Matrices& b, HloInstruction* i, Values state) {
    return JacobiStep(b, module, i, std::move(state));
  };
  Values last =
      Repeat(module, g, origin, steps,
             {a, Identity(g, type, dims), limit, g.Scalar(ElementType::PRED, 1)}, step, /*more=*/3);
  HloInstruction *diagonal = g.Block(last[0], 0, n, 0, n), *vectors = g.Block(last[1], 0, n, 0, n);
  diagonal = g.Select(g.Compare(row, column, kEq), diagonal, g.Zeros(type, given));
  HloInstruction* values = g.RealPart(g.Sum(diagonal, {2}));
  values = g.Multiply(values, g.Broadcast(scale, values->shape().dimensions(), {0}));
  vectors = SortedBy(module, g, origin, 2, g.Broadcast(values, given, {0, 2}), vectors)[1];
  return {vectors, SortedBy(module, g, origin, 1, values, nullptr)[0]};
}

HloInstruction* ExpandDecomposition(HloModule& module, Matrices& g, const HloInstruction& i,
                                    const DecompositionCall& call) {
  using Kind = DecompositionCall::Kind;
  const size_t count = i.shape().is_tuple() ? i.shape().tuple_shapes().size() : 1;
  Values values;
  if (i.operand(0)->shape().element_count() == 0) {
    for (size_t k = 0; k < count; ++k) {
      const Shape& shape = ResultShape(i, k);
      values.push_back(k == 2 ? g.Iota(shape.dimensions(), shape.rank() - 1)
                              : g.Zeros(shape.element_type(), shape.dimensions()));
    }
  } else {
    HloInstruction* a = expand::OneBatch(g, i.operand(0));
    const Dims& dims = a->shape().dimensions();
    const ElementType type = a->shape().element_type();
    const int64_t least = std::min(dims[1], dims[2]);
    switch (call.kind) {
      case Kind::kQr:
        values = Repeat(module, g, i, least, {a, g.Zeros(type, {dims[0], least})},
                        [&](Matrices& b, HloInstruction* j, Values state) {
                          return QrStep(b, module, j, std::move(state));
                        });
        break;
      case Kind::kHouseholderProduct: {
        const int64_t taus = i.operand(1)->shape().dimensions().back();
        HloInstruction* t = g.Reshape(g.Convert(i.operand(1), type), {dims[0], taus});
        values = {taus > 0 ? HouseholderProduct(module, g, i, a, t) : Identity(g, type, dims)};
        break;
      }
      case Kind::kLu: {
        auto step = [&](Matrices& b, HloInstruction* j, Values state) {
          return LuStep(b, module, j, std::move(state));
        };
        values = Repeat(
            module, g, i, least,
            {a, g.Zeros(ElementType::S32, {dims[0], least}), g.Iota({dims[0], dims[1]}, 1)}, step);
        break;
      }
      case Kind::kEigh:
        values = Eigh(module, g, i, a, call);
        break;
    }
    for (size_t k = 0; k < count; ++k)
      values[k] = expand::Restored(g, values[k], ResultShape(i, k));
  }
  return i.shape().is_tuple() ? g.Add(HloOpcode::Tuple, values) : values[0];
}

// Whether the factors of L U or Q R are needed in memory: what is computed with them element by
// element or moved is a result of the program, or what a call reads. Written out, their elements
// would meet twice, there and in what they are used with: pivots, the product of reflections.
bool FactorsLeave(const HloInstruction& call) {
  constexpr size_t kMostVisited = 256;
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> stack;
  for (const HloInstruction* u : call.users()) {
    if (u->op() == HloOpcode::GetTupleElement && u->attrs<TupleElementAttrs>().index == 0)
      stack.push_back(u);
  }
  while (!stack.empty() && seen.size() < kMostVisited) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (!seen.insert(i).second) continue;
    switch (i->op()) {
      case HloOpcode::CustomCall:
      case HloOpcode::TriangularSolve:
      case HloOpcode::Cholesky:
        return true;
      case HloOpcode::DynamicSlice:  // a row that a substitution takes
        continue;
      default:
        break;
    }
    if (i == i->parent()->root()) return true;
    if (i->op() == HloOpcode::GetTupleElement || i->op() == HloOpcode::Tuple ||
        Info(i->op()).kind == OpKind::kIndexMap || IsElementwise(i->op()))
      stack.insert(stack.end(), i->users().begin(), i->users().end());
  }
  return false;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandDecompositionsPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-decompositions",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        ASSIGN_OR_RETURN(std::optional<DecompositionCall> call, ReadDecompositionCall(i));
        if (!call) return nullptr;
        using Kind = DecompositionCall::Kind;
        const Shape& matrices = i.operand(0)->shape();
        if (call->kind != Kind::kEigh && expand::IsLibraryMatrix(target, matrices)) return nullptr;
        if ((call->kind == Kind::kLu || call->kind == Kind::kQr) &&
            expand::IsOfLibrary(target, matrices) && FactorsLeave(i))
          return nullptr;
        Matrices g(c, i);
        HloInstruction* result = ExpandDecomposition(*c.module(), g, i, *call);
        RETURN_IF_ERROR(g.status());
        return result;
      });
}

}  // namespace sinter
