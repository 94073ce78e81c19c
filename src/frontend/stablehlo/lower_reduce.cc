// Operations that combine elements: reduce, map, dot.
#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "frontend/stablehlo/lowering.h"
#include "ir/ops/dot.h"

namespace sinter::stablehlo::lower {
namespace {

absl::Status SetPrecision(Lowering& l, const Operation& op, DotAttrs* attrs) {
  // An algorithm names the types it multiplies and accumulates in; the best precision is at least
  // as good.
  if (op.Find("algorithm")) attrs->lhs_precision = attrs->rhs_precision = Precision::kHighest;
  return l.ReadPrecisions(op, &attrs->lhs_precision, &attrs->rhs_precision);
}

// #stablehlo.dot<...> or #chlo.ragged_dot<...>: lists of dimensions.
absl::Status ReadFields(Lowering& l, const Operation& op, std::string_view key,
                        std::initializer_list<std::pair<std::string_view, Dims*>> lists) {
  const Attribute* numbers = op.Find(key);
  if (!numbers) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*numbers));
  for (const NamedAttribute& field : fields) {
    auto list = std::find_if(lists.begin(), lists.end(),
                             [&](const auto& x) { return x.first == field.name; });
    if (list == lists.end())
      return l.Invalid(op, "'{}' is no field of dimension numbers", field.name);
    ASSIGN_OR_RETURN(*list->second, l.ToDims(op, field.value));
  }
  return absl::OkStatus();
}

absl::Status CheckRegions(Lowering& l, const Operation& op) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs 1 region, got {}", op.regions.size());
  return absl::OkStatus();
}

}  // namespace

HloComputation* SumComputation(Lowering& l, ElementType type) {
  HloComputation* c = l.module().AddComputation("sum");
  const Shape scalar(type);
  HloInstruction *a = c->AddParameter(0, scalar), *b = c->AddParameter(1, scalar);
  c->set_root(c->AddWithShape(HloOpcode::Add, scalar, {a, b}));
  return c;
}

absl::Status Reduce(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(CheckRegions(l, op));
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "dimensions"));
  ASSIGN_OR_RETURN(HloComputation * body, l.Body(op, op.regions[0], "body"));
  return l.AddResults(op, HloOpcode::Reduce, l.Operands(op), DimensionsAttrs{dims}, {body});
}

absl::Status Map(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(CheckRegions(l, op));
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "dimensions"));
  ASSIGN_OR_RETURN(HloComputation * body, l.Body(op, op.regions[0], "body"));
  return l.AddResult(op, HloOpcode::Map, l.Operands(op), DimensionsAttrs{dims}, {body});
}

namespace {

// Integers that are multiplied by floats become floats of the result's type, as JAX writes them for
// TPUs.
absl::Status AddDot(Lowering& l, const Operation& op, DotAttrs attrs) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  std::vector<HloInstruction*> operands = l.Operands(op);
  const ElementType to = l.ResultShape(op).element_type();
  const bool mixed = !infer::AreOfOneKind(operands[0]->shape().element_type(),
                                          operands[1]->shape().element_type());
  for (HloInstruction*& x : operands) {
    if (!mixed || !IsInteger(x->shape().element_type()) || !IsFloat(to)) continue;
    Shape converted = x->shape();
    converted.set_element_type(to);
    ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Convert, {x}, NoAttrs{}, {}, &converted));
  }
  return l.AddResult(op, HloOpcode::Dot, operands, std::move(attrs));
}

}  // namespace

// The last dimension of the left operand with the first one of the right.
absl::Status Dot(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  int64_t rank = l.Operand(op, 0)->shape().rank();
  DotAttrs attrs;
  attrs.lhs_contracting_dims = {rank - 1};
  attrs.rhs_contracting_dims = {0};
  RETURN_IF_ERROR(SetPrecision(l, op, &attrs));
  return AddDot(l, op, std::move(attrs));
}

absl::Status DotGeneral(Lowering& l, const Operation& op, const OpRow&) {
  DotAttrs attrs;
  auto pair = [&](std::string_view key, Dims* lhs, Dims* rhs) -> absl::Status {
    const Attribute* a = op.Find(key);
    if (!a) return absl::OkStatus();
    if (a->elements.size() != 2) return l.Invalid(op, "expected {} = [...] x [...]", key);
    ASSIGN_OR_RETURN(*lhs, l.ToDims(op, a->elements[0]));
    ASSIGN_OR_RETURN(*rhs, l.ToDims(op, a->elements[1]));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(pair("batching_dims", &attrs.lhs_batch_dims, &attrs.rhs_batch_dims));
  RETURN_IF_ERROR(
      pair("contracting_dims", &attrs.lhs_contracting_dims, &attrs.rhs_contracting_dims));
  RETURN_IF_ERROR(ReadFields(l, op, "dot_dimension_numbers",
                             {{"lhs_batching_dimensions", &attrs.lhs_batch_dims},
                              {"rhs_batching_dimensions", &attrs.rhs_batch_dims},
                              {"lhs_contracting_dimensions", &attrs.lhs_contracting_dims},
                              {"rhs_contracting_dimensions", &attrs.rhs_contracting_dims}}));
  RETURN_IF_ERROR(SetPrecision(l, op, &attrs));
  return AddDot(l, op, std::move(attrs));
}

absl::Status RaggedDot(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  RETURN_IF_ERROR(l.Require(op, "ragged_dot_dimension_numbers").status());
  RaggedDotAttrs attrs;
  RETURN_IF_ERROR(ReadFields(l, op, "ragged_dot_dimension_numbers",
                             {{"lhs_batching_dimensions", &attrs.lhs_batch_dims},
                              {"rhs_batching_dimensions", &attrs.rhs_batch_dims},
                              {"lhs_contracting_dimensions", &attrs.lhs_contracting_dims},
                              {"rhs_contracting_dimensions", &attrs.rhs_contracting_dims},
                              {"lhs_ragged_dimensions", &attrs.lhs_ragged_dims},
                              {"rhs_group_dimensions", &attrs.rhs_group_dims}}));
  RETURN_IF_ERROR(l.ReadPrecisions(op, &attrs.lhs_precision, &attrs.rhs_precision));
  return l.AddResult(op, HloOpcode::RaggedDot, l.Operands(op), attrs);
}

}  // namespace sinter::stablehlo::lower
