// Constraints of operations whose shapes are operands: what holds whatever those are.
#include <algorithm>
#include <vector>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"
#include "ir/ops/gather.h"
#include "ir/ops/rule.h"

namespace sinter::stablehlo::constraints {
namespace {

bool IsArray(const Lowering& l, ValueId id) { return l.Declared(id).is_array(); }

// Whether the operand is a vector with that many elements.
bool HasElements(const Lowering& l, ValueId id, int64_t count) {
  const Shape& s = l.Declared(id);
  return s.is_array() && s.rank() == 1 && (!Known(s.dimension(0)) || s.dimension(0) == count);
}

// What a shape rule says, with the types.
absl::Status Broken(const Lowering& l, const Operation& op, const absl::Status& broken) {
  return l.Invalid(op, "{}: ({}) -> ({})", MessageOf(broken), Text(l, op.operands),
                   Text(l, op.results));
}

// What the rule makes of the operands, which may be assumed where sizes are not known.
absl::StatusOr<Shape> Inferred(const Lowering& l, const Operation& op, InferRule rule,
                               absl::Span<const Shape* const> operands,
                               const sinter::Attributes& attributes) {
  absl::StatusOr<Shape> result = rule({operands, attributes, {}, &l.Declared(op.results[0])});
  if (!result.ok()) return Broken(l, op, result.status());
  return result;
}

absl::Status CheckRule(const Lowering& l, const Operation& op, InferRule rule,
                       absl::Span<const Shape* const> operands,
                       const sinter::Attributes& attributes) {
  return Inferred(l, op, rule, operands, attributes).status();
}

}  // namespace

absl::Status DynamicBroadcastInDim(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1 || !IsArray(l, op.operands[0]))
    return absl::OkStatus();
  Shape x = l.Declared(op.operands[0]);
  const Shape& r = l.Declared(op.results[0]);
  ASSIGN_OR_RETURN(const Dims dims, l.RequireDims(op, "broadcast_dimensions"));
  // What may agree agrees, as 1 does with any.
  const int64_t rank = x.rank();
  for (size_t d = 0; d < std::min(static_cast<size_t>(rank), dims.size()); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (dims[d] >= 0 && dims[d] < r.rank() && MayAgree(x, at, r, dims[d])) x.set_dimension(at, 1);
  }
  RETURN_IF_ERROR(CheckRule(l, op, infer::Broadcast, {&x}, DimensionsAttrs{dims}));
  if (!HasElements(l, op.operands[1], r.rank())) {
    return l.Invalid(op, "(C7) output_dimensions is {}, the result has {} dimensions",
                     Text(l, op.operands[1]), r.rank());
  }
  ASSIGN_OR_RETURN(const Dims expanding, l.OptionalDims(op, "known_expanding_dimensions", {}));
  ASSIGN_OR_RETURN(const Dims others, l.OptionalDims(op, "known_nonexpanding_dimensions", {}));
  Dims both = expanding;
  both.insert(both.end(), others.begin(), others.end());
  if (!infer::IsUnique(both)) {
    return l.Invalid(op, "(C8) a dimension is twice among those known to expand {} and not to {}",
                     infer::Text(expanding), infer::Text(others));
  }
  if (!infer::InRange(expanding, rank))
    return l.Invalid(op, "(C9) known_expanding_dimensions {} must be dimensions of {}",
                     infer::Text(expanding), Text(l, op.operands[0]));
  if (!infer::InRange(others, rank))
    return l.Invalid(op, "(C10) known_nonexpanding_dimensions {} must be dimensions of {}",
                     infer::Text(others), Text(l, op.operands[0]));
  return absl::OkStatus();
}

absl::Status DynamicIota(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return absl::OkStatus();
  const Shape& r = l.Declared(op.results[0]);
  ASSIGN_OR_RETURN(const int64_t d, l.RequireInteger(op, "iota_dimension"));
  RETURN_IF_ERROR(CheckRule(l, op, infer::Iota, {}, IotaAttrs{d}));
  if (!HasElements(l, op.operands[0], r.rank())) {
    return l.Invalid(op, "(C2) output_shape is {}, the result has {} dimensions",
                     Text(l, op.operands[0]), r.rank());
  }
  return absl::OkStatus();
}

absl::Status DynamicReshape(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1) return absl::OkStatus();
  const Shape& r = l.Declared(op.results[0]);
  if (!HasElements(l, op.operands[1], r.rank())) {
    return l.Invalid(op, "(C4) output_shape is {}, the result has {} dimensions",
                     Text(l, op.operands[1]), r.rank());
  }
  std::optional<Dims> sizes = ConstantSizes(l, op, 1);
  for (int64_t d = 0; sizes && d < r.rank(); ++d) {
    const int64_t size = (*sizes)[static_cast<size_t>(d)], stated = r.dimension(d);
    if (!Known(stated) || stated == size || (r.is_dynamic(d) && size <= stated)) continue;
    return l.Invalid(op, "(C4) size {} is {}, the result is {}", d, size, ToText(r));
  }
  return absl::OkStatus();
}

absl::Status DynamicPad(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 5 || op.results.size() != 1 || !IsArray(l, op.operands[0]))
    return absl::OkStatus();
  Shape x = l.Declared(op.operands[0]);
  const Shape &value = l.Declared(op.operands[1]), &r = l.Declared(op.results[0]);
  const auto rank = static_cast<size_t>(x.rank());
  for (size_t k = 2; k < 5; ++k) {
    if (HasElements(l, op.operands[k], x.rank())) continue;
    return l.Invalid(op, "(C2) operand {} must have a number for each of {} dimensions, it is {}",
                     k, x.rank(), Text(l, op.operands[k]));
  }
  auto sizes = [&](size_t operand) {
    std::optional<Dims> dims = ConstantSizes(l, op, operand);
    if (dims && dims->size() != rank) dims.reset();  // an error of its own
    return dims;
  };
  const std::optional<Dims> low = sizes(2), high = sizes(3), interior = sizes(4);
  const Dims zeros(rank);
  PadAttrs attrs{low.value_or(zeros), high.value_or(zeros), interior.value_or(zeros)};
  // Without its edges is what is not known how long.
  std::vector<bool> known(rank);
  for (size_t d = 0; d < rank; ++d) {
    const auto at = static_cast<int64_t>(d);
    known[d] = low && high && interior && Known(x.dimension(at)) && !x.is_dynamic(at);
    if (known[d]) continue;
    if (!Known(x.dimension(at))) x.set_dimension(at, 0);
    attrs.low[d] = attrs.high[d] = 0;
  }
  ASSIGN_OR_RETURN(const Shape padded, Inferred(l, op, infer::Pad, {&x, &value}, attrs));
  if (r.element_type() != padded.element_type()) {
    return l.Invalid(op, "(C1) {} is padded and gives {}", Text(l, op.operands[0]), ToText(r));
  }
  if (padded.rank() != r.rank())
    return l.Invalid(op, "(C4) {} is padded to {}", Text(l, op.operands[0]), ToText(r));
  for (size_t d = 0; d < rank; ++d) {
    const auto at = static_cast<int64_t>(d);
    if (!known[d] || !Known(r.dimension(at)) || r.is_dynamic(at)) continue;
    if (padded.dimension(at) == r.dimension(at)) continue;
    return l.Invalid(op, "(C4) dimension {} of {} is not what {} is padded to", d, ToText(r),
                     Text(l, op.operands[0]));
  }
  return absl::OkStatus();
}

// As those of gather, whose slice sizes are an attribute, under other labels.
absl::Status DynamicGather(const Lowering& l, const Operation& op) {
  constexpr infer::GatherLabels kLabels{.rank = "(C1) ",
                                        .numbers = {.vector_dim = "(C2) ",
                                                    .map_size = "(C3) ",
                                                    .dropped_unique = "(C6) ",
                                                    .dropped_sorted = "(C6) ",
                                                    .dropped_range = "(C7) ",
                                                    .map_unique = "(C9) ",
                                                    .map_range = "(C10) "},
                                        .offset_sorted = "(C4) ",
                                        .offset_range = "(C5) ",
                                        .slice_count = "(C11) ",
                                        .slice_range = "(C12) ",
                                        .collapsed_size = "(C8) "};
  if (op.operands.size() != 3 || op.results.size() != 1 || !IsArray(l, op.operands[0]) ||
      !IsArray(l, op.operands[1]))
    return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &indices = l.Declared(op.operands[1]),
              &r = l.Declared(op.results[0]);
  GatherAttrs attrs;
  RETURN_IF_ERROR(lower::ReadGather(l, op, &attrs));
  if (!HasElements(l, op.operands[2], x.rank())) {
    return l.Invalid(op, "(C11) slice_sizes is {}, the operand has {} dimensions",
                     Text(l, op.operands[2]), x.rank());
  }
  const Dims unknown(static_cast<size_t>(x.rank()), Shape::kUnbounded);
  attrs.slice_sizes = ConstantSizes(l, op, 2).value_or(unknown);
  const absl::StatusOr<Dims> sizes = infer::GatherSizes(x, indices, attrs, kLabels);
  if (!sizes.ok()) return Broken(l, op, sizes.status());
  if (r.element_type() != x.element_type())
    return l.Invalid(op, "(C14) the operand is {}, the result {}", ToText(x), ToText(r));
  if (static_cast<int64_t>(sizes->size()) != r.rank()) {
    return l.Invalid(op, "(C13) the result must have {} dimensions, it is {}", sizes->size(),
                     ToText(r));
  }
  for (int64_t d = 0; d < r.rank(); ++d) {
    const int64_t size = (*sizes)[static_cast<size_t>(d)];
    if (!Known(size) || !Known(r.dimension(d)) || r.is_dynamic(d) || size == r.dimension(d))
      continue;
    return l.Invalid(op, "(C13) dimension {} of {} must be {}", d, ToText(r), size);
  }
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::constraints
