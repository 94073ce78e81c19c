#include "ir/custom_call_layouts.h"

#include <algorithm>

#include "base/status.h"
#include "ir/decomposition_call.h"

namespace sinter {
namespace {

// Dimensions from the one that is outermost in memory to the innermost.
Dims MajorToMinor(const Shape& s) {
  return Dims(s.minor_to_major().rbegin(), s.minor_to_major().rend());
}

// The array as it lies in memory, if that were row-major.
absl::StatusOr<Shape> InMemory(const Shape& s) {
  if (!HasLayout(s)) return s;
  if (s.is_tuple()) return Unimplemented("a custom call of {}", s.ToString());
  Dims sizes;
  for (int64_t d : MajorToMinor(s)) sizes.push_back(s.dimension(d));
  return Shape(s.element_type(), std::move(sizes));
}

}  // namespace

bool HasLayout(const Shape& s) {
  if (s.is_tuple()) return std::any_of(s.tuple_shapes().begin(), s.tuple_shapes().end(), HasLayout);
  return s.is_array() && !s.has_default_layout();
}

Shape RowMajor(const Shape& s) {
  if (s.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& e : s.tuple_shapes()) elements.push_back(RowMajor(e));
    return Shape::Tuple(std::move(elements));
  }
  Shape out = s;
  out.set_minor_to_major({});
  return out;
}

absl::StatusOr<CustomCallInLayouts> AddCustomCallInLayouts(const AddInstruction& add,
                                                           std::vector<HloInstruction*> operands,
                                                           absl::Span<const Shape> operand_shapes,
                                                           const Shape& result,
                                                           CustomCallAttrs attrs) {
  CustomCallInLayouts made;
  if (IsDecompositionTarget(attrs.custom_call_target)) {
    // It is code of our own, of values.
    const Shape given = RowMajor(result);
    ASSIGN_OR_RETURN(made.call, add(HloOpcode::CustomCall, operands, std::move(attrs), &given));
    made.value = made.call;
    return made;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!HasLayout(operand_shapes[i])) continue;
    RETURN_IF_ERROR(InMemory(operand_shapes[i]).status());
    ASSIGN_OR_RETURN(operands[i], add(HloOpcode::Transpose, {operands[i]},
                                      DimensionsAttrs{MajorToMinor(operand_shapes[i])}, nullptr));
  }
  auto back = [&](HloInstruction* x, const Shape& s) -> absl::StatusOr<HloInstruction*> {
    if (!HasLayout(s)) return x;
    const Dims order = MajorToMinor(s);
    Dims inverse(order.size());
    for (size_t p = 0; p < order.size(); ++p)
      inverse[static_cast<size_t>(order[p])] = static_cast<int64_t>(p);
    return add(HloOpcode::Transpose, {x}, DimensionsAttrs{std::move(inverse)}, nullptr);
  };
  if (!result.is_tuple() || !HasLayout(result)) {
    ASSIGN_OR_RETURN(const Shape given, InMemory(result));
    ASSIGN_OR_RETURN(made.call, add(HloOpcode::CustomCall, operands, std::move(attrs), &given));
    ASSIGN_OR_RETURN(made.value, back(made.call, result));
    return made;
  }
  std::vector<Shape> given;
  for (const Shape& e : result.tuple_shapes()) {
    ASSIGN_OR_RETURN(given.emplace_back(), InMemory(e));
  }
  const Shape tuple = Shape::Tuple(std::move(given));
  ASSIGN_OR_RETURN(made.call, add(HloOpcode::CustomCall, operands, std::move(attrs), &tuple));
  std::vector<HloInstruction*> elements;
  for (size_t e = 0; e < result.tuple_shapes().size(); ++e) {
    ASSIGN_OR_RETURN(HloInstruction * element,
                     add(HloOpcode::GetTupleElement, {made.call},
                         TupleElementAttrs{static_cast<int64_t>(e)}, nullptr));
    ASSIGN_OR_RETURN(elements.emplace_back(), back(element, result.tuple_shapes()[e]));
  }
  ASSIGN_OR_RETURN(made.value, add(HloOpcode::Tuple, elements, NoAttrs{}, nullptr));
  return made;
}

}  // namespace sinter
