#include "ir/ops/dot.h"

#include "ir/ops/ragged_dot.h"
#include "ir/ops/rule.h"

namespace sinter::infer {
namespace {

// Checks the pairs of dimensions.
absl::Status CheckPairs(const Shape& lhs, const Shape& rhs, const DotAttrs& a) {
  REQUIRE(rhs.is_array(), "the right operand must be an array");
  REQUIRE(AreOfOneKind(lhs.element_type(), rhs.element_type()),
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

  size_t batches = a.lhs_batch_dims.size();
  for (size_t i = 0; i < lhs_used.size(); ++i) {
    int64_t l = lhs.dimension(lhs_used[i]), r = rhs.dimension(rhs_used[i]);
    REQUIRE(
        l == r,
        "({}) {} dimension {} of the left operand is {}, dimension {} of the right operand is {}",
        i < batches ? "C9" : "C10", i < batches ? "batch" : "contracting", lhs_used[i], l,
        rhs_used[i], r);
  }
  return absl::OkStatus();
}

// Sizes of batch, left free and right free dimensions but those of groups.
Dims ResultSizes(const Shape& lhs, const Shape& rhs, const DotAttrs& a, const Dims& groups) {
  Dims sizes;
  for (int64_t d : a.lhs_batch_dims) sizes.push_back(lhs.dimension(d));
  for (int64_t d : FreeDims(lhs.rank(), {&a.lhs_batch_dims, &a.lhs_contracting_dims}))
    sizes.push_back(lhs.dimension(d));
  for (int64_t d : FreeDims(rhs.rank(), {&a.rhs_batch_dims, &a.rhs_contracting_dims, &groups}))
    sizes.push_back(rhs.dimension(d));
  return sizes;
}

ElementType ResultType(const InferInput& in) {
  if (in.declared && in.declared->is_array()) return in.declared->element_type();
  const ElementType lhs = in.operand(0).element_type(), rhs = in.operand(1).element_type();
  return BitWidth(rhs) > BitWidth(lhs) ? rhs : lhs;
}

absl::Status CheckGroupSizes(const InferInput& in) {
  const Shape &lhs = in.operand(0), &rhs = in.operand(1), &sizes = in.operand(2);
  const auto& a = in.as<RaggedDotAttrs>();
  REQUIRE(a.lhs_ragged_dims.size() == 1, "lhs_ragged_dims={} must be exactly one dimension",
          Text(a.lhs_ragged_dims));
  REQUIRE(InRange(a.lhs_ragged_dims, lhs.rank()),
          "lhs_ragged_dims={} must be a dimension of the left operand", Text(a.lhs_ragged_dims));
  REQUIRE(sizes.is_array() && IsInteger(sizes.element_type()) && sizes.rank() >= 1,
          "the group sizes must be an array of integers with a dimension");
  const RaggedDims ragged = FindRagged(a, lhs.rank());
  Dims expected;
  for (int64_t d : ragged.before) expected.push_back(lhs.dimension(d));
  expected.push_back(sizes.dimensions().back());
  REQUIRE(sizes.rank() == 1 || sizes.dimensions() == expected,
          "the group sizes must have the dimensions {} or their last", Text(expected));
  REQUIRE(InRange(a.rhs_group_dims, rhs.rank()),
          "rhs_group_dims={} must be dimensions of the right operand", Text(a.rhs_group_dims));
  REQUIRE(IsUnique(Concatenated(Concatenated(a.rhs_batch_dims, a.rhs_contracting_dims),
                                a.rhs_group_dims)),
          "rhs_group_dims={} must be none of the batch and contracting dimensions",
          Text(a.rhs_group_dims));
  const size_t groups = ragged.mode == RaggedMode::kFree ? 1 : 0;
  REQUIRE(a.rhs_group_dims.size() == groups,
          "rhs_group_dims={} must have {} entries for this ragged dimension",
          Text(a.rhs_group_dims), groups);
  REQUIRE(groups == 0 || rhs.dimension(a.rhs_group_dims[0]) == expected.back(),
          "there are {} group sizes, but {} groups of the right operand", expected.back(),
          rhs.dimension(a.rhs_group_dims[0]));
  return absl::OkStatus();
}

}  // namespace

bool AreOfOneKind(ElementType a, ElementType b) {
  return a == b || (IsFloat(a) && IsFloat(b)) || (IsInteger(a) && IsInteger(b)) ||
         (IsComplex(a) && IsComplex(b));
}

// The result's dimensions: batch, left free, right free. Its element type: the declared one, else
// the wider operand's.
absl::StatusOr<Shape> Dot(const InferInput& in) {
  const auto& a = in.as<DotAttrs>();
  RETURN_IF_ERROR(CheckPairs(in.operand(0), in.operand(1), a));
  return MakeResult(ResultType(in), ResultSizes(in.operand(0), in.operand(1), a, {}));
}

// As of dot; before them the groups where the ragged dimension is a contracting one.
absl::StatusOr<Shape> RaggedDot(const InferInput& in) {
  const Shape &lhs = in.operand(0), &rhs = in.operand(1);
  const auto& a = in.as<RaggedDotAttrs>();
  RETURN_IF_ERROR(CheckPairs(lhs, rhs, a));
  RETURN_IF_ERROR(CheckGroupSizes(in));
  Dims sizes = ResultSizes(lhs, rhs, a, a.rhs_group_dims);
  if (FindRagged(a, lhs.rank()).mode == RaggedMode::kContracting)
    sizes.insert(sizes.begin(), in.operand(2).dimensions().back());
  return MakeResult(ResultType(in), sizes);
}

}  // namespace sinter::infer
