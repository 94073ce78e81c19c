#include "ir/custom_call_layouts.h"

#include "base/status.h"
#include "ir/decomposition_call.h"
#include "ir/layout.h"

namespace sinter {
namespace {

// The arrays as they lie in memory, if that were row-major.
Shape InMemory(const Shape& s) {
  if (!HasLayout(s)) return s;
  if (s.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& e : s.tuple_shapes()) elements.push_back(InMemory(e));
    return Shape::Tuple(std::move(elements));
  }
  Dims sizes;
  for (int64_t d : MajorToMinor(s)) sizes.push_back(s.dimension(d));
  return Shape(s.element_type(), std::move(sizes));
}

enum class To { kMemory, kRowMajor };

// From row-major arrays to their order in memory, that of `s`, or back.
absl::StatusOr<HloInstruction*> Moved(const AddInstruction& add, HloInstruction* x, const Shape& s,
                                      To to) {
  if (!HasLayout(s)) return x;
  if (s.is_tuple()) {
    std::vector<HloInstruction*> elements;
    for (const Shape& e : s.tuple_shapes()) {
      const TupleElementAttrs index{static_cast<int64_t>(elements.size())};
      ASSIGN_OR_RETURN(HloInstruction * element,
                       add(HloOpcode::GetTupleElement, {x}, index, nullptr));
      ASSIGN_OR_RETURN(elements.emplace_back(), Moved(add, element, e, to));
    }
    return add(HloOpcode::Tuple, elements, NoAttrs{}, nullptr);
  }
  Dims order = MajorToMinor(s);
  if (to == To::kRowMajor) order = InversePermutation(order);
  return add(HloOpcode::Transpose, {x}, DimensionsAttrs{std::move(order)}, nullptr);
}

}  // namespace

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
    ASSIGN_OR_RETURN(operands[i], Moved(add, operands[i], operand_shapes[i], To::kMemory));
  }
  const Shape given = InMemory(result);
  ASSIGN_OR_RETURN(made.call, add(HloOpcode::CustomCall, operands, std::move(attrs), &given));
  ASSIGN_OR_RETURN(made.value, Moved(add, made.call, result, To::kRowMajor));
  return made;
}

}  // namespace sinter
