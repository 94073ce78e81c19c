#include <numeric>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {

absl::Status BroadcastInDim(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "broadcast_dimensions"));
  return l.AddResult(op, HloOpcode::Broadcast, l.Operands(op), DimensionsAttrs{dims});
}

// New dimensions stand before those of the operand.
absl::Status Broadcast(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, "broadcast_sizes"));
  const Shape& operand = l.Operand(op, 0)->shape();
  Dims dims(static_cast<size_t>(operand.rank()));
  std::iota(dims.begin(), dims.end(), static_cast<int64_t>(sizes.size()));
  Dims expected = sizes;
  expected.insert(expected.end(), operand.dimensions().begin(), operand.dimensions().end());
  const Shape& result = l.Declared(op.results[0]);
  bool same = result.is_array() && result.rank() == static_cast<int64_t>(expected.size());
  for (size_t d = 0; same && d < expected.size(); ++d) {
    const int64_t size = result.dimensions()[d];
    same = expected[d] >= 0 && (size == expected[d] || size == Shape::kUnbounded);
  }
  if (!same) {
    return l.Invalid(op, "{} with broadcast_sizes [{}] before its sizes is not {}", ToText(operand),
                     Join(sizes, ", "), ToText(result));
  }
  return l.AddResult(op, HloOpcode::Broadcast, l.Operands(op), DimensionsAttrs{dims});
}

absl::Status Concatenate(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "dimension"));
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, l.Alike(op, l.Operands(op), dim));
  return l.AddResult(op, HloOpcode::Concatenate, operands, DimensionsAttrs{{dim}});
}

absl::Status DynamicSlice(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, "slice_sizes"));
  return l.AddResult(op, HloOpcode::DynamicSlice, l.Operands(op), DynamicSliceAttrs{sizes});
}

absl::Status DynamicUpdateSlice(Lowering& l, const Operation& op, const OpRow&) {
  return l.AddResult(op, HloOpcode::DynamicUpdateSlice, l.Operands(op));
}

absl::Status Iota(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "iota_dimension"));
  return l.AddResult(op, HloOpcode::Iota, l.Operands(op), IotaAttrs{dim});
}

absl::Status Pad(Lowering& l, const Operation& op, const OpRow&) {
  PadAttrs attrs;
  ASSIGN_OR_RETURN(attrs.low, l.RequireDims(op, "edge_padding_low"));
  ASSIGN_OR_RETURN(attrs.high, l.RequireDims(op, "edge_padding_high"));
  ASSIGN_OR_RETURN(attrs.interior, l.RequireDims(op, "interior_padding"));
  return l.AddResult(op, HloOpcode::Pad, l.Operands(op), attrs);
}

absl::Status Reshape(Lowering& l, const Operation& op, const OpRow& row) {
  return l.AddResult(op, *row.op, l.Operands(op));
}

absl::Status Reverse(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "dimensions"));
  return l.AddResult(op, HloOpcode::Reverse, l.Operands(op), DimensionsAttrs{dims});
}

absl::Status Slice(Lowering& l, const Operation& op, const OpRow&) {
  SliceAttrs attrs;
  ASSIGN_OR_RETURN(attrs.starts, l.RequireDims(op, "start_indices"));
  ASSIGN_OR_RETURN(attrs.limits, l.RequireDims(op, "limit_indices"));
  ASSIGN_OR_RETURN(attrs.strides, l.RequireDims(op, "strides"));
  return l.AddResult(op, HloOpcode::Slice, l.Operands(op), attrs);
}

absl::Status Transpose(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "permutation"));
  return l.AddResult(op, HloOpcode::Transpose, l.Operands(op), DimensionsAttrs{dims});
}

}  // namespace sinter::stablehlo::lower
