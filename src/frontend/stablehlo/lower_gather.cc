// Operations that move elements to or from places that depend on data: gathers, scatters, sorts.
#include <algorithm>
#include <numeric>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {
namespace {

// The fields of dimension numbers: lists of dimensions by name, and index_vector_dim, which is not
// printed where it is 0.
struct FieldName {
  std::string_view name;
  Dims* to;
};
absl::Status ReadNumbers(const Lowering& l, const Operation& op, std::string_view key,
                         std::initializer_list<FieldName> names, int64_t* index_vector_dim) {
  ASSIGN_OR_RETURN(const Attribute* numbers, l.Require(op, key));
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*numbers));
  for (const NamedAttribute& field : fields) {
    if (field.name == "index_vector_dim") {
      if (field.value.kind != Attribute::Kind::kInteger)
        return l.Invalid(op, "index_vector_dim must be an integer");
      *index_vector_dim = field.value.integer;
      continue;
    }
    const FieldName* known = std::find_if(names.begin(), names.end(),
                                          [&](const FieldName& n) { return n.name == field.name; });
    if (known == names.end())
      return l.Invalid(op, "'{}' is no field of dimension numbers", field.name);
    ASSIGN_OR_RETURN(*known->to, l.ToDims(op, field.value));
  }
  return absl::OkStatus();
}

absl::Status CheckRegion(Lowering& l, const Operation& op) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs 1 region, got {}", op.regions.size());
  return absl::OkStatus();
}

}  // namespace

absl::Status ReadGather(const Lowering& l, const Operation& op, GatherAttrs* attrs) {
  RETURN_IF_ERROR(ReadNumbers(l, op, "dimension_numbers",
                              {{"offset_dims", &attrs->offset_dims},
                               {"collapsed_slice_dims", &attrs->collapsed_slice_dims},
                               {"operand_batching_dims", &attrs->operand_batching_dims},
                               {"start_indices_batching_dims", &attrs->start_indices_batching_dims},
                               {"start_index_map", &attrs->start_index_map}},
                              &attrs->index_vector_dim));
  attrs->indices_are_sorted = op.Flag("indices_are_sorted");
  return absl::OkStatus();
}

absl::Status Gather(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  GatherAttrs attrs;
  RETURN_IF_ERROR(ReadGather(l, op, &attrs));
  ASSIGN_OR_RETURN(attrs.slice_sizes, l.RequireDims(op, "slice_sizes"));
  return l.AddResult(op, HloOpcode::Gather, l.Operands(op), std::move(attrs));
}

// With slice sizes that are a constant, a gather.
absl::Status DynamicGather(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  GatherAttrs attrs;
  RETURN_IF_ERROR(ReadGather(l, op, &attrs));
  if (!l.AreConstant(op, 2, 3)) return SizedGather(l, op, std::move(attrs));
  ASSIGN_OR_RETURN(attrs.slice_sizes, l.RequireSizes(op, 2));
  return l.AddResult(op, HloOpcode::Gather, {l.Operand(op, 0), l.Operand(op, 1)}, std::move(attrs));
}

// The result's dimensions: those of the operand before `dim`, of the indices past the batch, of the
// operand behind `dim`.
absl::Status TorchIndexSelect(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "dim"));
  ASSIGN_OR_RETURN(int64_t batch, l.RequireInteger(op, "batch_dims"));
  const Shape &x = l.Operand(op, 0)->shape(), &indices = l.Operand(op, 1)->shape();
  if (batch < 0 || batch > indices.rank() || dim < batch || dim >= x.rank()) {
    return l.Invalid(op, "dim={} must be a dimension of the operand behind {} batch dimensions",
                     dim, batch);
  }
  GatherAttrs attrs;
  attrs.collapsed_slice_dims = attrs.start_index_map = {dim};
  attrs.index_vector_dim = indices.rank();
  attrs.slice_sizes = x.dimensions();
  for (int64_t d = 0; d < batch; ++d) {
    attrs.operand_batching_dims.push_back(d);
    attrs.start_indices_batching_dims.push_back(d);
    attrs.slice_sizes[static_cast<size_t>(d)] = 1;
  }
  attrs.slice_sizes[static_cast<size_t>(dim)] = 1;
  for (int64_t d = batch; d < dim; ++d) attrs.offset_dims.push_back(d);
  for (int64_t d = dim + 1; d < x.rank(); ++d)
    attrs.offset_dims.push_back(d - 1 + indices.rank() - batch);
  return l.AddResult(op, HloOpcode::Gather, l.Operands(op), std::move(attrs));
}

absl::Status Scatter(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(CheckRegion(l, op));
  ScatterAttrs attrs;
  RETURN_IF_ERROR(
      ReadNumbers(l, op, "scatter_dimension_numbers",
                  {{"update_window_dims", &attrs.update_window_dims},
                   {"inserted_window_dims", &attrs.inserted_window_dims},
                   {"input_batching_dims", &attrs.input_batching_dims},
                   {"scatter_indices_batching_dims", &attrs.scatter_indices_batching_dims},
                   {"scatter_dims_to_operand_dims", &attrs.scatter_dims_to_operand_dims}},
                  &attrs.index_vector_dim));
  attrs.indices_are_sorted = op.Flag("indices_are_sorted");
  attrs.unique_indices = op.Flag("unique_indices");
  ASSIGN_OR_RETURN(HloComputation * body, l.Body(op, op.regions[0], "update"));
  return l.AddResults(op, HloOpcode::Scatter, l.Operands(op), std::move(attrs), {body});
}

// A negative dimension counts from the last; where there is none, the last.
absl::Status Sort(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(CheckRegion(l, op));
  if (op.operands.empty()) return l.Invalid(op, "(C1) needs an operand");
  int64_t dimension = -1;
  if (op.Find("dimension")) {
    ASSIGN_OR_RETURN(dimension, l.RequireInteger(op, "dimension"));
  }
  if (dimension < 0) dimension += l.Operand(op, 0)->shape().rank();
  ASSIGN_OR_RETURN(HloComputation * comparator, l.Body(op, op.regions[0], "comparator"));
  return l.AddResults(op, HloOpcode::Sort, l.Operands(op),
                      SortAttrs{{dimension}, op.Flag("is_stable")}, {comparator});
}

absl::Status TopK(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 2));
  ASSIGN_OR_RETURN(int64_t k, l.RequireInteger(op, "k"));
  return l.AddResults(op, HloOpcode::TopK, l.Operands(op), TopKAttrs{k, true}, {});
}

}  // namespace sinter::stablehlo::lower
