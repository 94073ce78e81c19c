// Shape rules of ops that order elements.
#include "ir/ops/rule.h"

namespace sinter::infer {

// The comparator takes two elements of each operand, side by side, and says whether the first ones
// come before the second.
absl::StatusOr<Shape> Sort(const InferInput& in) {
  const size_t n = in.operands.size();
  REQUIRE(n > 0, "(C1) needs an operand");
  const Shape& first = in.operand(0);
  for (const Shape* s : in.operands) {
    REQUIRE(s->is_array() && s->SameDimensions(first),
            "(C3) the operands must have the same dimensions");
  }
  const Dims& dims = in.as<SortAttrs>().dimensions;
  REQUIRE(dims.size() == 1 && 0 <= dims[0] && dims[0] < first.rank(),
          "(C4) dimensions={} must name one dimension of the operands", Text(dims));
  const ComputationShape& c = in.called[0];
  REQUIRE(c.parameters.size() == 2 * n, "(C5) the comparator must take {} scalars, it takes {}",
          2 * n, c.parameters.size());
  for (size_t i = 0; i < 2 * n; ++i) {
    const Shape expected(in.operand(i / 2).element_type());
    REQUIRE(Agree(c.parameters[i], expected),
            "(C5) parameter {} of the comparator must be {}, it is {}", i, expected.ToString(),
            c.parameters[i].ToString());
  }
  REQUIRE(c.result.is_scalar() && IsPredicate(c.result.element_type()),
          "(C5) the comparator must give pred[], it gives {}", c.result.ToString());
  if (n == 1) return first;
  std::vector<Shape> results;
  for (const Shape* s : in.operands) results.push_back(*s);
  return Shape::Tuple(std::move(results));
}

// The k largest elements of each row along the last dimension, and their positions.
absl::StatusOr<Shape> TopK(const InferInput& in) {
  const Shape& x = in.operand(0);
  const int64_t k = in.as<TopKAttrs>().k;
  REQUIRE(x.rank() > 0, "(C1) the operand must have a dimension");
  REQUIRE(0 <= k && k <= x.dimension(x.rank() - 1),
          "(C2) k={} must be at most the last dimension of size {}", k, x.dimension(x.rank() - 1));
  REQUIRE(!in.as<TopKAttrs>().merged || x.element_type() == ElementType::F32,
          "merged is of F32 only, but the operand is {}", x.ToString());
  Dims dims = x.dimensions();
  dims.back() = k;
  return Shape::Tuple({Shape(x.element_type(), dims), Shape(ElementType::S32, dims)});
}

}  // namespace sinter::infer
