// How operands of different dimensions come to agree.

#include "builder/impl.h"

namespace sinter {
namespace {

Dims Identity(int64_t rank) {
  Dims dims(static_cast<size_t>(rank));
  for (size_t i = 0; i < dims.size(); ++i) dims[i] = static_cast<int64_t>(i);
  return dims;
}

}  // namespace

absl::StatusOr<HloInstruction*> Recording::BroadcastTo(HloInstruction* operand,
                                                       absl::Span<const int64_t> sizes,
                                                       absl::Span<const int64_t> dims) {
  // HLO's broadcast repeats along new dimensions only: those of size 1 that grow are dropped first.
  const Shape& from = operand->shape();
  Dims kept_sizes, kept_dims;
  std::vector<bool> kept_dynamic;
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t size = from.dimensions()[i];
    if (size != sizes[static_cast<size_t>(dims[i])] && size == 1) continue;
    kept_sizes.push_back(size);
    kept_dims.push_back(dims[i]);
    kept_dynamic.push_back(from.is_dynamic(static_cast<int64_t>(i)));
  }
  absl::StatusOr<Shape> result = Shape::Make(from.element_type(), sizes);
  if (!result.ok()) return Error(MessageOf(result.status()), {&operand, 1});
  if (kept_sizes.size() != dims.size()) {
    Shape kept(from.element_type(), std::move(kept_sizes));
    for (size_t i = 0; i < kept_dynamic.size(); ++i)
      kept.set_dynamic(static_cast<int64_t>(i), kept_dynamic[i]);
    ASSIGN_OR_RETURN(operand, Add(HloOpcode::Reshape, {operand}, NoAttrs{}, {}, &kept));
  }
  if (operand->shape().SameDimensions(*result) && kept_dims == Identity(result->rank())) {
    return operand;
  }
  for (size_t i = 0; i < kept_dims.size(); ++i) {
    if (kept_dynamic[i]) result->set_dynamic(kept_dims[i], true);
  }
  return Add(HloOpcode::Broadcast, {operand}, DimensionsAttrs{std::move(kept_dims)}, {}, &*result);
}

absl::Status Recording::MakeAlike(HloInstruction*& lhs, HloInstruction*& rhs,
                                  absl::Span<const int64_t> broadcast_dimensions) {
  HloInstruction* operands[] = {lhs, rhs};
  auto refuse = [&](std::string_view message) { return Error(message, operands); };
  const Shape &l = lhs->shape(), &r = rhs->shape();
  if (!l.is_array() || !r.is_array()) return refuse("the operands must be arrays");
  if (l.element_type() != r.element_type()) {
    return refuse("the operands' element types differ (ConvertElementType converts)");
  }
  bool lhs_is_smaller = l.rank() <= r.rank();
  const Shape &small = lhs_is_smaller ? l : r, &large = lhs_is_smaller ? r : l;
  Dims dims(broadcast_dimensions.begin(), broadcast_dimensions.end());
  if (l.rank() == r.rank()) {
    if (!dims.empty() && dims != Identity(l.rank())) {
      return refuse(
          Format("broadcast_dimensions={} must be all dimensions in order or left out for "
                 "operands of equal rank",
                 DimensionsText(dims)));
    }
    if (l.SameDimensions(r)) return absl::OkStatus();
    dims = Identity(l.rank());
  } else if (dims.empty() && !small.is_scalar()) {
    return refuse(
        "the operands' ranks differ, so broadcast_dimensions must say which dimensions of the "
        "larger "
        "one those of the smaller one are");
  } else if (static_cast<int64_t>(dims.size()) != small.rank()) {
    return refuse(Format("broadcast_dimensions={} must have an entry for each of {} dimensions",
                         DimensionsText(dims), small.rank()));
  }
  Dims sizes = large.dimensions();
  for (size_t i = 0; i < dims.size(); ++i) {
    int64_t d = dims[i];
    if (d < 0 || d >= large.rank()) {
      return refuse(Format("broadcast_dimensions={}: {} is no dimension of {}",
                           DimensionsText(dims), d, large.ToString()));
    }
    if (i > 0 && dims[i - 1] >= d) {
      return refuse(Format("broadcast_dimensions={} must increase", DimensionsText(dims)));
    }
    int64_t a = small.dimensions()[i], b = large.dimension(d);
    if (a != b && a != 1 && b != 1) {
      return refuse(
          Format("dimension {} of size {} does not go with dimension {} of size {}", i, a, d, b));
    }
    if (b == 1) sizes[static_cast<size_t>(d)] = a;
  }
  // `small` and `large` refer into the operands' shapes, which stay.
  HloInstruction*& small_operand = lhs_is_smaller ? lhs : rhs;
  HloInstruction*& large_operand = lhs_is_smaller ? rhs : lhs;
  ASSIGN_OR_RETURN(small_operand, BroadcastTo(small_operand, sizes, dims));
  ASSIGN_OR_RETURN(large_operand, BroadcastTo(large_operand, sizes, Identity(large.rank())));
  return absl::OkStatus();
}

absl::Status Recording::RepeatScalars(std::vector<HloInstruction*>& operands) {
  const Shape* shape = nullptr;
  for (HloInstruction* operand : operands) {
    if (!operand->shape().is_array()) return Error("the operands must be arrays", operands);
    if (operand->shape().is_scalar()) continue;
    if (shape && !shape->SameDimensions(operand->shape())) {
      return Error("the operands must be scalars or have the same dimensions", operands);
    }
    shape = &operand->shape();
  }
  if (!shape) return absl::OkStatus();
  for (HloInstruction*& operand : operands) {
    if (!operand->shape().is_scalar()) continue;
    ASSIGN_OR_RETURN(operand, BroadcastTo(operand, shape->dimensions(), {}));
  }
  return absl::OkStatus();
}

}  // namespace sinter
