#include "pass/graph.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"

namespace sinter {
namespace {

Dims Permuted(const Shape& shape, const Dims& permutation) {
  Dims sizes;
  for (int64_t d : permutation) sizes.push_back(shape.dimension(d));
  return sizes;
}
// Whether the dimensions that are moved are of size 1, so that elements stay in their order.
bool MovesOnes(const Shape& shape, const Dims& permutation) {
  Dims others;
  for (int64_t d : permutation)
    if (shape.dimension(d) != 1) others.push_back(d);
  return std::is_sorted(others.begin(), others.end());
}

}  // namespace

HloInstruction* Graph::Add(HloOpcode op, absl::Span<HloInstruction* const> operands,
                           Attributes attrs, absl::Span<HloComputation* const> called,
                           const Shape* declared) {
  if (!status_.ok()) return operands.empty() ? c_.AddConstant(Literal::R0(0.0)) : operands[0];
  auto added = c_.Add(op, operands, std::move(attrs), called, declared);
  if (!added.ok()) {
    status_ = Internal("expanding {} {}: {}", Name(origin_.op()), origin_.name(),
                       MessageOf(added.status()));
    return operands.empty() ? c_.AddConstant(Literal::R0(0.0)) : operands[0];
  }
  (*added)->set_metadata(origin_.metadata());
  return *added;
}

HloInstruction* Graph::Constant(absl::StatusOr<Literal> literal) {
  if (literal.ok()) return c_.AddConstant(*std::move(literal));
  Fail(literal.status());
  return Zero(ElementType::S32);
}

HloInstruction* Graph::Zero(ElementType type) { return c_.AddConstant(Literal(Shape(type))); }

HloInstruction* Graph::Scalar(ElementType type, double value) {
  return Convert(c_.AddConstant(Literal::R0(value)), type);
}

HloInstruction* Graph::Convert(HloInstruction* x, ElementType type) {
  if (x->shape().element_type() == type) return x;
  const Shape to(type, x->shape().dimensions());
  return Add(HloOpcode::Convert, {x}, NoAttrs{}, {}, &to);
}

HloInstruction* Graph::Broadcast(HloInstruction* x, const Dims& sizes, const Dims& dims) {
  if (x->shape().dimensions() == sizes && std::is_sorted(dims.begin(), dims.end())) return x;
  const Shape to(x->shape().element_type(), sizes);
  return Add(HloOpcode::Broadcast, {x}, DimensionsAttrs{dims}, {}, &to);
}

HloInstruction* Graph::Reshape(HloInstruction* x, const Dims& sizes) {
  if (x->shape().dimensions() == sizes) return x;
  const Shape to(x->shape().element_type(), sizes);
  return Add(HloOpcode::Reshape, {x}, NoAttrs{}, {}, &to);
}

HloInstruction* Graph::Transpose(HloInstruction* x, const Dims& permutation) {
  const Dims sizes = Permuted(x->shape(), permutation);
  if (MovesOnes(x->shape(), permutation)) return Reshape(x, sizes);
  return Add(HloOpcode::Transpose, {x}, DimensionsAttrs{permutation});
}

HloInstruction* Graph::Element(HloInstruction* tuple, int64_t index) {
  return Add(HloOpcode::GetTupleElement, {tuple}, TupleElementAttrs{index});
}

std::vector<HloInstruction*> Graph::Elements(HloInstruction* x) {
  if (!x->shape().is_tuple()) return {x};
  if (x->op() == HloOpcode::Tuple) return x->operands();
  std::vector<HloInstruction*> elements;
  for (size_t k = 0; k < x->shape().tuple_shapes().size(); ++k)
    elements.push_back(Element(x, static_cast<int64_t>(k)));
  return elements;
}

HloInstruction* Graph::Compare(HloInstruction* x, HloInstruction* y,
                               ComparisonDirection direction) {
  return Add(HloOpcode::Compare, {x, y}, CompareAttrs{direction, ComparisonType::kDefault});
}

HloInstruction* Graph::Pad(HloInstruction* x, HloInstruction* value, const Window& window) {
  if (std::all_of(window.begin(), window.end(), IsInside)) return x;
  PadAttrs pad;
  for (const WindowDimension& w : window) {
    pad.low.push_back(w.padding_low);
    pad.high.push_back(w.padding_high);
    pad.interior.push_back(w.base_dilation - 1);
  }
  return Add(HloOpcode::Pad, {x, value}, std::move(pad));
}

HloInstruction* Graph::Windows(HloInstruction* x, Window window) {
  for (WindowDimension& w : window) {
    w.padding_low = w.padding_high = 0;
    w.base_dilation = 1;
    w.window_reversal = false;
  }
  if (window == Window(window.size())) return x;
  return Add(HloOpcode::Windows, {x}, WindowAttrs{std::move(window)});
}

HloInstruction* Graph::Sum(HloInstruction* x, const Dims& dims) {
  const ElementType type = x->shape().element_type();
  return Add(HloOpcode::Reduce, {x, Zero(type)}, DimensionsAttrs{dims},
             {BinaryComputation(*c_.module(), HloOpcode::Add, type)});
}

HloInstruction* ShapedGraph::Add(HloOpcode op, Shape shape,
                                 absl::Span<HloInstruction* const> operands, Attributes attrs,
                                 absl::Span<HloComputation* const> called) {
  HloInstruction* i = c_->AddWithShape(op, std::move(shape), operands, std::move(attrs), called);
  i->set_metadata(origin_->metadata());
  return i;
}

HloInstruction* ShapedGraph::Reshape(HloInstruction* x, const Dims& sizes) {
  if (x->shape().dimensions() == sizes) return x;
  return Add(HloOpcode::Reshape, Shape(x->shape().element_type(), sizes), {x});
}

HloInstruction* ShapedGraph::Transpose(HloInstruction* x, const Dims& permutation) {
  const Dims sizes = Permuted(x->shape(), permutation);
  if (MovesOnes(x->shape(), permutation)) return Reshape(x, sizes);
  return Add(HloOpcode::Transpose, Shape(x->shape().element_type(), sizes), {x},
             DimensionsAttrs{permutation});
}

HloComputation* BinaryComputation(HloModule& module, HloOpcode op, ElementType type) {
  HloComputation* c = module.AddComputation(std::string(Name(op)));
  HloInstruction *x = c->AddParameter(0, Shape(type)), *y = c->AddParameter(1, Shape(type));
  c->set_root(c->AddWithShape(op, Shape(type), {x, y}));
  return c;
}

ElementType Wide(ElementType type) {
  return IsFloat(type) && BitWidth(type) < 32 ? ElementType::F32 : type;
}

ElementType UnsignedOf(ElementType t) {
  switch (BitWidth(t)) {
    case 64:
      return ElementType::U64;
    case 32:
      return ElementType::U32;
    case 16:
      return ElementType::U16;
    default:
      return ElementType::U8;
  }
}

}  // namespace sinter
