#include "ir/ops/rule.h"

namespace sinter::infer {

// Operands: n inputs, then n initial values. The body takes n accumulated and n new scalars and
// gives n scalars.
absl::StatusOr<Shape> Reduce(const InferInput& in) {
  size_t n = in.operands.size() / 2;
  REQUIRE(n > 0 && in.operands.size() == 2 * n,
          "(C3) needs as many initial values as inputs, got {} operands", in.operands.size());
  const Shape& first = in.operand(0);
  const Dims& dims = in.as<DimensionsAttrs>().dimensions;
  for (size_t i = 0; i < n; ++i) {
    REQUIRE(in.operand(i).is_array() && in.operand(i).SameDimensions(first),
            "(C1) the inputs must have the same dimensions");
    REQUIRE(in.operand(n + i).is_scalar(), "the initial values must be scalars");
  }
  REQUIRE(InRange(dims, first.rank()), "(C4) dimensions={} must be dimensions of the inputs",
          Text(dims));
  REQUIRE(IsUnique(dims), "(C5) dimensions={} must be unique", Text(dims));

  const ComputationShape& body = in.called[0];
  REQUIRE(body.parameters.size() == 2 * n, "(C6) the computation must take {} scalars, it takes {}",
          2 * n, body.parameters.size());
  std::vector<Shape> results = n == 1 ? std::vector{body.result} : body.result.tuple_shapes();
  REQUIRE(results.size() == n, "(C6) the computation must give {} scalars, it gives {}", n,
          body.result.ToString());

  Dims kept;
  for (int64_t d = 0; d < first.rank(); ++d) {
    if (!absl::c_linear_search(dims, d)) kept.push_back(first.dimension(d));
  }
  for (size_t i = 0; i < n; ++i) {
    const Shape& r = results[i];
    REQUIRE(r.is_scalar() && Agree(body.parameters[i], r) && Agree(body.parameters[n + i], r),
            "(C6) the computation must take and give the same scalars: parameters {} and {} are {} "
            "and {}, result {} is "
            "{}",
            i, n + i, body.parameters[i].ToString(), body.parameters[n + i].ToString(), i,
            r.ToString());
    REQUIRE(IsPromotable(in.operand(i).element_type(), r.element_type()),
            "(C6) the computation reduces {}, the input is {}", r.ToString(),
            in.operand(i).ToString());
    REQUIRE(in.operand(n + i).element_type() == r.element_type() ||
                in.operand(n + i).element_type() == in.operand(i).element_type(),
            "(C2) the computation reduces {}, the initial value is {}", r.ToString(),
            in.operand(n + i).ToString());
    results[i] = Shape(r.element_type(), kept);
  }
  if (n == 1) return results[0];
  return Shape::Tuple(std::move(results));
}

}  // namespace sinter::infer
