// Custom calls that frameworks make of shapes with symbolic dimensions: assertions about sizes, and
// operations that take as operands what else they have as attributes. JAX lists them among the
// calls with stable semantics (jax/_src/export).
#include <algorithm>

#include "base/placeholders.h"
#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {
namespace {

// @shape_assertion(%holds, %numbers...) {error_message = "..."}: what the arguments' shapes must
// fulfil. Where sizes are known only when the program runs, a call that the host answers.
absl::Status ShapeAssertion(Lowering& l, const Operation& op) {
  if (op.operands.empty() || !op.results.empty())
    return l.Invalid(op, "takes a predicate and numbers, and gives nothing");
  for (size_t k = 0; k < op.operands.size(); ++k) {
    const Shape& shape = l.Operand(op, k)->shape();
    const ElementType type = shape.element_type();
    if (!shape.is_scalar() || (k == 0 ? !IsPredicate(type) : !IsInteger(type)))
      return l.Invalid(op, "operand {} cannot be {}", k, ToText(shape));
  }
  const Attribute* attribute = op.Find("error_message");
  const std::string message = attribute && attribute->kind == Attribute::Kind::kString
                                  ? attribute->text
                                  : "the assertion about the shapes does not hold";
  const std::optional<Literal> holds = l.ConstantOf(l.Operand(op, 0));
  if (!holds) {
    CustomCallAttrs attrs;
    attrs.custom_call_target = "shape_assertion";
    attrs.opaque = message;
    attrs.has_side_effect = true;
    const Shape none;
    return l.Add(op, HloOpcode::CustomCall, l.Operands(op), std::move(attrs), {}, &none).status();
  }
  if (holds->data<bool>()[0]) return absl::OkStatus();
  std::vector<int64_t> numbers;
  for (size_t k = 1; k < op.operands.size(); ++k) {
    const std::optional<Literal> value = l.ConstantOf(l.Operand(op, k));
    if (!value) break;
    numbers.push_back(static_cast<int64_t>(value->GetAsDouble(0)));
  }
  return l.Invalid(op, "{}", WithNumbers(message, numbers));
}

// @stablehlo.dynamic_top_k(%x, %k)
absl::Status DynamicTopK(Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 2));
  ASSIGN_OR_RETURN(const Dims k, l.RequireSizes(op, 1));
  if (k.size() != 1) return l.Invalid(op, "operand 1 must be one integer");
  return l.AddResults(op, HloOpcode::TopK, {l.Operand(op, 0)}, TopKAttrs{k[0], true}, {});
}

// @stablehlo.dynamic_rng_bit_generator(%state, %sizes) {rng_algorithm = ...}
absl::Status DynamicRngBitGenerator(Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 2));
  if (!l.AreConstant(op, 1, 2)) return SizedRngBitGenerator(l, op);
  ASSIGN_OR_RETURN(const Dims sizes, l.RequireSizes(op, 1));
  if (l.ResultShape(op, 1).rank() != static_cast<int64_t>(sizes.size()))
    return l.Invalid(op, "{} sizes for {}", sizes.size(), ToText(l.ResultShape(op, 1)));
  RETURN_IF_ERROR(l.RefineResult(op, 1, sizes));
  Operation plain = op;
  plain.operands.pop_back();
  return RngBitGenerator(l, plain, *FindOp("stablehlo.rng_bit_generator"));
}

// @stablehlo.dynamic_reduce_window(%inputs..., %initial..., %sizes, %strides, %base_dilations,
// %window_dilations, %padding) {called_computations = [@body]}
absl::Status DynamicReduceWindow(Lowering& l, const Operation& op) {
  const size_t inputs = op.results.size(), first = 2 * inputs;
  RETURN_IF_ERROR(l.CheckCounts(op, first + 5, inputs));
  if (inputs == 0) return l.Invalid(op, "needs an array");
  const auto rank = static_cast<size_t>(std::max<int64_t>(l.Operand(op, 0)->shape().rank(), 0));
  Window window(rank);
  for (size_t which = 0; which < 5; ++which) {
    ASSIGN_OR_RETURN(const Dims values, l.RequireSizes(op, first + which));
    const size_t each = which == 4 ? 2 : 1;
    if (values.size() != each * rank) {
      return l.Invalid(op, "operand {} must have {} elements, it has {}", first + which,
                       each * rank, values.size());
    }
    for (size_t k = 0; k < values.size(); ++k) {
      WindowDimension& w = window[k / each];
      int64_t* const to[] = {&w.size, &w.stride, &w.base_dilation, &w.window_dilation,
                             k % 2 == 0 ? &w.padding_low : &w.padding_high};
      *to[which] = values[k];
    }
  }
  ASSIGN_OR_RETURN(HloComputation * body, l.Callee(op, "called_computations"));
  std::vector<HloInstruction*> operands = l.Operands(op);
  operands.resize(first);
  return l.AddResults(op, HloOpcode::ReduceWindow, operands, WindowAttrs{std::move(window)},
                      {body});
}

}  // namespace

SizedCall FindSizedCall(std::string_view target) {
  constexpr std::pair<std::string_view, SizedCall> kCalls[] = {
      {"shape_assertion", ShapeAssertion},
      {"stablehlo.dynamic_reduce_window", DynamicReduceWindow},
      {"stablehlo.dynamic_rng_bit_generator", DynamicRngBitGenerator},
      {"stablehlo.dynamic_top_k", DynamicTopK}};
  for (const auto& [name, lower] : kCalls) {
    if (name == target) return lower;
  }
  return nullptr;
}

// {indices_of_shape_operands = dense<[3, 4]>}: operands that are the sizes of the results, in
// order, and not operands of the target.
absl::StatusOr<Operation> WithoutShapeOperands(Lowering& l, const Operation& op) {
  ASSIGN_OR_RETURN(const Dims indices, l.RequireDims(op, "indices_of_shape_operands"));
  if (indices.size() != op.results.size()) {
    return l.Invalid(op, "indices_of_shape_operands must have {} entries, one for each result",
                     op.results.size());
  }
  for (size_t k = 0; k < indices.size(); ++k) {
    const int64_t at = indices[k];
    if (at < 0 || at >= static_cast<int64_t>(op.operands.size()))
      return l.Invalid(op, "indices_of_shape_operands: there is no operand {}", at);
    ASSIGN_OR_RETURN(const Dims sizes, l.RequireSizes(op, static_cast<size_t>(at)));
    if (!l.ResultShape(op, k).is_array() ||
        l.ResultShape(op, k).rank() != static_cast<int64_t>(sizes.size()))
      return l.Invalid(op, "{} sizes for {}", sizes.size(), ToText(l.ResultShape(op, k)));
    RETURN_IF_ERROR(l.RefineResult(op, k, sizes));
  }
  Operation rest = op;
  rest.operands.clear();
  std::erase_if(rest.attributes,
                [](const NamedAttribute& a) { return a.name == "indices_of_shape_operands"; });
  std::vector<Attribute>* layouts = nullptr;
  for (NamedAttribute& a : rest.attributes) {
    if (a.name == "operand_layouts" && a.value.elements.size() == op.operands.size())
      layouts = &a.value.elements;
  }
  std::vector<Attribute> kept;
  for (size_t k = 0; k < op.operands.size(); ++k) {
    if (std::find(indices.begin(), indices.end(), static_cast<int64_t>(k)) != indices.end())
      continue;
    rest.operands.push_back(op.operands[k]);
    if (layouts) kept.push_back((*layouts)[k]);
  }
  if (layouts) *layouts = std::move(kept);
  return rest;
}

}  // namespace sinter::stablehlo::lower
