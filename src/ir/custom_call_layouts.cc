#include "ir/custom_call_layouts.h"

#include "ir/decomposition_call.h"
#include "ir/layout.h"
#include "types/leaves.h"

namespace sinter {
namespace {

void Append(const Shape& shape, std::vector<Dims>& layouts) {
  std::vector<const Shape*> leaves;
  AppendLeaves(shape, leaves);
  for (const Shape* leaf : leaves) layouts.push_back(leaf->minor_to_major());
}

}  // namespace

void StateLayouts(CustomCallAttrs& attrs, absl::Span<const Shape> operands, const Shape& result) {
  attrs.layouts = {};
  if (IsDecompositionTarget(attrs.custom_call_target)) return;
  if (!HasLayout(result) && absl::c_none_of(operands, HasLayout)) return;
  for (const Shape& operand : operands) Append(operand, attrs.layouts.operands);
  Append(result, attrs.layouts.results);
}

Shape InLayouts(const Shape& shape, absl::Span<const Dims>& layouts) {
  if (shape.is_tuple()) {
    std::vector<Shape> elements;
    for (const Shape& e : shape.tuple_shapes()) elements.push_back(InLayouts(e, layouts));
    return Shape::Tuple(std::move(elements));
  }
  Shape out = shape;
  out.set_minor_to_major(layouts.empty() ? Dims{} : layouts.front());
  if (!layouts.empty()) layouts.remove_prefix(1);
  return out;
}

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

}  // namespace sinter
