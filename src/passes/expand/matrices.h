// What expansions of linear algebra share: formulas over batches of matrices, and loops.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/analysis/short_dimensions.h"
#include "pass/graph.h"

namespace sinter::expand {

// Formulas over batches of matrices, [batch, rows, columns], and of vectors.
class Matrices : public Graph {
 public:
  using Graph::Graph;

  HloInstruction* Subtract(HloInstruction* x, HloInstruction* y) {
    return Add(HloOpcode::Subtract, {x, y});
  }
  HloInstruction* Zeros(ElementType type, const Dims& dims) { return Splat(Zero(type), dims); }
  HloInstruction* Integer(int64_t value) {
    return Scalar(ElementType::S32, static_cast<double>(value));
  }
  HloInstruction* Multiply(HloInstruction* x, HloInstruction* y) {
    return Add(HloOpcode::Multiply, {x, y});
  }
  HloInstruction* Divide(HloInstruction* x, HloInstruction* y) {
    return Add(HloOpcode::Divide, {x, y});
  }
  HloInstruction* Select(HloInstruction* p, HloInstruction* x, HloInstruction* y) {
    return Add(HloOpcode::Select, {p, x, y});
  }
  HloInstruction* Iota(const Dims& dims, int64_t dimension) {
    const Shape to(ElementType::S32, dims);
    return Add(HloOpcode::Iota, absl::Span<HloInstruction* const>(), IotaAttrs{dimension}, {}, &to);
  }
  HloInstruction* Conjugate(HloInstruction* x) {
    if (!IsComplex(x->shape().element_type())) return x;
    HloInstruction* im = Add(HloOpcode::Negate, {Add(HloOpcode::Imag, {x})});
    return Add(HloOpcode::Complex, {Add(HloOpcode::Real, {x}), im});
  }
  HloInstruction* RealPart(HloInstruction* x) {
    return IsComplex(x->shape().element_type()) ? Add(HloOpcode::Real, {x}) : x;
  }
  HloInstruction* MakeComplex(HloInstruction* re, HloInstruction* im) {
    return Add(HloOpcode::Complex, {re, im});
  }
  // |x|^2
  HloInstruction* SquareOf(HloInstruction* x) {
    HloInstruction* re = RealPart(x);
    HloInstruction* square = Multiply(re, re);
    if (re == x) return square;
    HloInstruction* im = Add(HloOpcode::Imag, {x});
    return Add(HloOpcode::Add, {square, Multiply(im, im)});
  }
  // A real number times a number.
  HloInstruction* Scaled(HloInstruction* real, HloInstruction* x) {
    if (!IsComplex(x->shape().element_type())) return Multiply(real, x);
    return MakeComplex(Multiply(real, Add(HloOpcode::Real, {x})),
                       Multiply(real, Add(HloOpcode::Imag, {x})));
  }
  HloInstruction* Transposed(HloInstruction* x) { return Transpose(x, {0, 2, 1}); }
  HloInstruction* Block(HloInstruction* x, int64_t row, int64_t rows, int64_t column,
                        int64_t columns) {
    const Dims starts{0, row, column},
        limits{x->shape().dimension(0), row + rows, column + columns};
    if (limits == x->shape().dimensions() && row == 0 && column == 0) return x;
    return Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, {1, 1, 1}});
  }
  HloInstruction* Updated(HloInstruction* x, HloInstruction* part, HloInstruction* row,
                          HloInstruction* column) {
    if (part->shape().dimensions() == x->shape().dimensions()) return part;
    return Add(HloOpcode::DynamicUpdateSlice, {x, part, Integer(0), row, column});
  }
  // Row or column `at` of matrices, element `at` of vectors, without that dimension.
  HloInstruction* Pick(HloInstruction* x, int64_t dimension, HloInstruction* at) {
    DynamicSliceAttrs attrs;
    attrs.dynamic_slice_sizes = x->shape().dimensions();
    attrs.dynamic_slice_sizes[static_cast<size_t>(dimension)] = 1;
    Dims rest;
    std::vector<HloInstruction*> operands{x};
    for (int64_t d = 0; d < x->shape().rank(); ++d) {
      operands.push_back(d == dimension ? at : Integer(0));
      if (d != dimension) rest.push_back(x->shape().dimension(d));
    }
    return Reshape(Add(HloOpcode::DynamicSlice, operands, attrs), rest);
  }
  // Row `at` replaced.
  HloInstruction* WithRow(HloInstruction* x, HloInstruction* row, HloInstruction* at) {
    const Dims& dims = x->shape().dimensions();
    return Updated(x, Reshape(row, {dims[0], 1, dims[2]}), at, Integer(0));
  }
  // The sum over k of v[k] m[k, :].
  HloInstruction* Combination(HloInstruction* v, HloInstruction* m) {
    HloInstruction* repeated = Broadcast(v, m->shape().dimensions(), {0, 1});
    return Sum(Add(HloOpcode::Multiply, {repeated, m}), {1});
  }
  // Products of matrices, over dimensions `x_sum` and `y_sum`.
  HloInstruction* Product(HloInstruction* x, int64_t x_sum, HloInstruction* y, int64_t y_sum) {
    DotAttrs dot;
    dot.lhs_batch_dims = dot.rhs_batch_dims = {0};
    dot.lhs_contracting_dims = {x_sum};
    dot.rhs_contracting_dims = {y_sum};
    dot.lhs_precision = dot.rhs_precision = Precision::kHighest;
    return Add(HloOpcode::Dot, {x, y}, dot);
  }
};

// Whether loops of so many turns over arrays of matrices or vectors are written out: then single
// elements of small matrices are known by their place, and become arrays of their own
// (passes/layout).
inline bool IsWrittenOut(int64_t turns, const Shape& shape) {
  constexpr int64_t kMostTurns = 8;
  int64_t matrices = 1, elements = 1;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const int64_t n = shape.dimension(d);
    (n <= kLongestSplit && d + 2 >= shape.rank() ? elements : matrices) *= n;
  }
  return turns <= kMostTurns && elements <= kMostSplit && matrices >= kFewestRows;
}

// The values of `state` after at most `count` times state = step(graph, i, state) for i = 0, 1,
// ...: until the predicate at `more` in `state`, if that is no -1, is false.
template <class Step>
std::vector<HloInstruction*> Repeat(HloModule& module, Matrices& g, const HloInstruction& origin,
                                    int64_t count, std::vector<HloInstruction*> state, Step step,
                                    int64_t more = -1) {
  const bool is_written_out = std::all_of(state.begin(), state.end(), [&](const HloInstruction* i) {
    return IsWrittenOut(count, i->shape());
  });
  if (more < 0 && is_written_out) {
    for (int64_t k = 0; k < count; ++k) state = step(g, g.Integer(k), std::move(state));
    return state;
  }
  state.insert(state.begin(), g.Integer(0));
  std::vector<Shape> shapes;
  for (const HloInstruction* i : state) shapes.push_back(i->shape());
  const Shape tuple = Shape::Tuple(shapes);

  HloComputation* condition = module.AddComputation("more_steps");
  Matrices c(*condition, origin);
  HloInstruction* parameter = condition->AddParameter(0, tuple);
  HloInstruction* goes_on =
      c.Compare(c.Element(parameter, 0), c.Integer(count), ComparisonDirection::kLt);
  if (more >= 0) goes_on = c.Add(HloOpcode::And, {goes_on, c.Element(parameter, more + 1)});
  condition->set_root(goes_on);

  HloComputation* body = module.AddComputation("next_step");
  Matrices b(*body, origin);
  parameter = body->AddParameter(0, tuple);
  std::vector<HloInstruction*> values;
  for (size_t k = 0; k < state.size(); ++k)
    values.push_back(b.Element(parameter, static_cast<int64_t>(k)));
  HloInstruction* index = values[0];
  values.erase(values.begin());
  std::vector<HloInstruction*> next = step(b, index, std::move(values));
  next.insert(next.begin(), b.Add(HloOpcode::Add, {index, b.Integer(1)}));
  body->set_root(b.Add(HloOpcode::Tuple, next));

  HloComputation* called[] = {condition, body};
  HloInstruction* loop =
      g.Add(HloOpcode::While, {g.Add(HloOpcode::Tuple, state)}, NoAttrs{}, called);
  if (g.status().ok() && !c.status().ok()) g.Fail(c.status());
  if (g.status().ok() && !b.status().ok()) g.Fail(b.status());
  std::vector<HloInstruction*> last;
  for (size_t k = 1; k < state.size(); ++k)
    last.push_back(g.Element(loop, static_cast<int64_t>(k)));
  return last;
}

// [..., rows, columns] as [batch, rows, columns], of at least 32 bits.
inline HloInstruction* OneBatch(Matrices& g, HloInstruction* x) {
  const Shape& shape = x->shape();
  const int64_t rank = shape.rank();
  int64_t batch = 1;
  for (int64_t d = 0; d + 2 < rank; ++d) batch *= shape.dimension(d);
  return g.Reshape(g.Convert(x, Wide(shape.element_type())),
                   {batch, shape.dimension(rank - 2), shape.dimension(rank - 1)});
}
inline HloInstruction* Restored(Matrices& g, HloInstruction* x, const Shape& shape) {
  return g.Reshape(g.Convert(x, shape.element_type()), shape.dimensions());
}

}  // namespace sinter::expand
