#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

Dims Concatenated(const Dims& a, const Dims& b) {
  Dims out = a;
  out.insert(out.end(), b.begin(), b.end());
  return out;
}

}  // namespace

// The result's dimensions: batch, left free, right free. Its element type: the declared one, else
// the operands'.
absl::StatusOr<Shape> Dot(const InferInput& in) {
  const Shape &lhs = in.operand(0), &rhs = in.operand(1);
  const auto& a = in.as<DotAttrs>();
  REQUIRE(rhs.is_array(), "the right operand must be an array");
  bool small_floats = IsFloat(lhs.element_type()) && IsFloat(rhs.element_type()) &&
                      BitWidth(lhs.element_type()) <= 8 && BitWidth(rhs.element_type()) <= 8;
  REQUIRE(lhs.element_type() == rhs.element_type() || small_floats,
          "(C13) the operands must have the same element type");
  REQUIRE(a.lhs_batch_dims.size() == a.rhs_batch_dims.size(),
          "(C1) lhs_batch_dims={} and rhs_batch_dims={} must be of equal length",
          Text(a.lhs_batch_dims), Text(a.rhs_batch_dims));
  REQUIRE(a.lhs_contracting_dims.size() == a.rhs_contracting_dims.size(),
          "(C2) lhs_contracting_dims={} and rhs_contracting_dims={} must be of equal length",
          Text(a.lhs_contracting_dims), Text(a.rhs_contracting_dims));
  Dims lhs_used = Concatenated(a.lhs_batch_dims, a.lhs_contracting_dims);
  Dims rhs_used = Concatenated(a.rhs_batch_dims, a.rhs_contracting_dims);
  REQUIRE(IsUnique(lhs_used), "(C3) the left batch and contracting dimensions {} must be unique",
          Text(lhs_used));
  REQUIRE(IsUnique(rhs_used), "(C4) the right batch and contracting dimensions {} must be unique",
          Text(rhs_used));
  REQUIRE(InRange(a.lhs_batch_dims, lhs.rank()),
          "(C5) lhs_batch_dims={} must be dimensions of the left operand", Text(a.lhs_batch_dims));
  REQUIRE(InRange(a.lhs_contracting_dims, lhs.rank()),
          "(C6) lhs_contracting_dims={} must be dimensions of the left operand",
          Text(a.lhs_contracting_dims));
  REQUIRE(InRange(a.rhs_batch_dims, rhs.rank()),
          "(C7) rhs_batch_dims={} must be dimensions of the right operand", Text(a.rhs_batch_dims));
  REQUIRE(InRange(a.rhs_contracting_dims, rhs.rank()),
          "(C8) rhs_contracting_dims={} must be dimensions of the right operand",
          Text(a.rhs_contracting_dims));

  Dims sizes;
  size_t batches = a.lhs_batch_dims.size();
  for (size_t i = 0; i < lhs_used.size(); ++i) {
    int64_t l = lhs.dimension(lhs_used[i]), r = rhs.dimension(rhs_used[i]);
    REQUIRE(
        l == r,
        "({}) {} dimension {} of the left operand is {}, dimension {} of the right operand is {}",
        i < batches ? "C9" : "C10", i < batches ? "batch" : "contracting", lhs_used[i], l,
        rhs_used[i], r);
    if (i < batches) sizes.push_back(l);
  }
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!absl::c_linear_search(lhs_used, d)) sizes.push_back(lhs.dimension(d));
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (!absl::c_linear_search(rhs_used, d)) sizes.push_back(rhs.dimension(d));
  }
  ElementType t =
      in.declared && in.declared->is_array() ? in.declared->element_type() : lhs.element_type();
  return MakeResult(t, sizes);
}

}  // namespace sinter::infer
