// Operations over windows: reduce_window, select_and_scatter, convolution; batch normalisation.
#include "frontend/stablehlo/lowering.h"
#include "ir/ops/window.h"

namespace sinter::stablehlo::lower {
namespace {

// The attributes of a window, each a list of one integer (padding: two) a dimension, with the
// label of the constraint on its size; those that are not there have their default.
struct NamedList {
  std::string_view name, label;
};
struct WindowNames {
  NamedList stride, padding, base_dilation, window_dilation, reversal;
};
absl::StatusOr<Window> ReadWindow(Lowering& l, const Operation& op, const Dims& sizes,
                                  const WindowNames& names) {
  const size_t rank = sizes.size();
  Window window(rank);
  auto read = [&](NamedList list, int64_t otherwise, size_t each, auto set) -> absl::Status {
    if (list.name.empty()) return absl::OkStatus();
    ASSIGN_OR_RETURN(Dims values, l.OptionalDims(op, list.name, Dims(rank * each, otherwise)));
    if (values.size() != rank * each) {
      return l.Invalid(op, "{} {} must have {} elements, it has {}", list.label, list.name,
                       rank * each, values.size());
    }
    for (size_t k = 0; k < values.size(); ++k) set(window[k / each], k % each, values[k]);
    return absl::OkStatus();
  };
  for (size_t d = 0; d < rank; ++d) window[d].size = sizes[d];
  RETURN_IF_ERROR(
      read(names.stride, 1, 1, [](WindowDimension& w, size_t, int64_t v) { w.stride = v; }));
  RETURN_IF_ERROR(read(names.base_dilation, 1, 1,
                       [](WindowDimension& w, size_t, int64_t v) { w.base_dilation = v; }));
  RETURN_IF_ERROR(read(names.window_dilation, 1, 1,
                       [](WindowDimension& w, size_t, int64_t v) { w.window_dilation = v; }));
  RETURN_IF_ERROR(read(names.reversal, 0, 1,
                       [](WindowDimension& w, size_t, int64_t v) { w.window_reversal = v != 0; }));
  RETURN_IF_ERROR(read(names.padding, 0, 2, [](WindowDimension& w, size_t side, int64_t v) {
    (side == 0 ? w.padding_low : w.padding_high) = v;
  }));
  return window;
}

absl::Status ReadConvolutionNumbers(Lowering& l, const Operation& op, const Attribute& a,
                                    ConvolutionDimensionNumbers* n) {
  ASSIGN_OR_RETURN(auto entries, FieldsOf(a));
  const std::pair<std::string_view, int64_t*> numbers[] = {
      {"input_batch_dimension", &n->input_batch_dimension.value},
      {"input_feature_dimension", &n->input_feature_dimension.value},
      {"kernel_input_feature_dimension", &n->kernel_input_feature_dimension.value},
      {"kernel_output_feature_dimension", &n->kernel_output_feature_dimension.value},
      {"output_batch_dimension", &n->output_batch_dimension.value},
      {"output_feature_dimension", &n->output_feature_dimension.value}};
  const std::pair<std::string_view, Dims*> lists[] = {
      {"input_spatial_dimensions", &n->input_spatial_dimensions},
      {"kernel_spatial_dimensions", &n->kernel_spatial_dimensions},
      {"output_spatial_dimensions", &n->output_spatial_dimensions}};
  for (const NamedAttribute& field : entries) {
    bool known = false;
    for (const auto& [name, to] : numbers) {
      if (field.name != name || field.value.kind != Attribute::Kind::kInteger) continue;
      *to = field.value.integer;
      known = true;
    }
    for (const auto& [name, to] : lists) {
      if (field.name != name) continue;
      ASSIGN_OR_RETURN(*to, l.ToDims(op, field.value));
      known = true;
    }
    if (!known) return l.Invalid(op, "'{}' is no field of dimension numbers", field.name);
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OptionalInteger(Lowering& l, const Operation& op, std::string_view key,
                                        int64_t otherwise) {
  if (!op.Find(key)) return otherwise;
  return l.RequireInteger(op, key);
}

absl::StatusOr<ConvolutionAttrs> ReadConvolution(Lowering& l, const Operation& op) {
  ConvolutionAttrs attrs;
  ASSIGN_OR_RETURN(const Attribute* numbers, l.Require(op, "dimension_numbers"));
  RETURN_IF_ERROR(ReadConvolutionNumbers(l, op, *numbers, &attrs.dim_labels));
  Dims sizes;
  const Shape& kernel = l.Operand(op, 1)->shape();
  for (int64_t d : attrs.dim_labels.kernel_spatial_dimensions) {
    if (d < 0 || d >= kernel.rank()) {
      return l.Invalid(op, "(C18) {} is not a dimension of the right operand", d);
    }
    sizes.push_back(kernel.dimension(d));
  }
  ASSIGN_OR_RETURN(attrs.window, ReadWindow(l, op, sizes,
                                            {.stride = {"window_strides", "(C2)"},
                                             .padding = {"padding", "(C4)"},
                                             .base_dilation = {"lhs_dilation", "(C5)"},
                                             .window_dilation = {"rhs_dilation", "(C7)"},
                                             .reversal = {"window_reversal", "(C9)"}}));
  ASSIGN_OR_RETURN(attrs.feature_group_count, OptionalInteger(l, op, "feature_group_count", 1));
  ASSIGN_OR_RETURN(attrs.batch_group_count, OptionalInteger(l, op, "batch_group_count", 1));
  RETURN_IF_ERROR(l.ReadPrecisions(op, &attrs.lhs_precision, &attrs.rhs_precision));
  return attrs;
}

}  // namespace

absl::Status ReduceWindow(Lowering& l, const Operation& op, const OpRow&) {
  if (op.regions.size() != 1) return l.Invalid(op, "needs 1 region, got {}", op.regions.size());
  ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, "window_dimensions"));
  ASSIGN_OR_RETURN(Window window, ReadWindow(l, op, sizes,
                                             {.stride = {"window_strides", "(C6)"},
                                              .padding = {"padding", "(C12)"},
                                              .base_dilation = {"base_dilations", "(C8)"},
                                              .window_dilation = {"window_dilations", "(C10)"}}));
  ASSIGN_OR_RETURN(HloComputation * body, l.Body(op, op.regions[0], "body"));
  return l.AddResults(op, HloOpcode::ReduceWindow, l.Operands(op), WindowAttrs{std::move(window)},
                      {body});
}

namespace {

// The computation of two scalars of another integer type, which it converts to its own.
HloComputation* OfConverted(Lowering& l, HloComputation* select, ElementType type) {
  HloComputation* c = l.module().AddComputation("select");
  std::vector<HloInstruction*> arguments;
  for (int64_t n = 0; n < 2; ++n) {
    HloInstruction* x = c->AddParameter(n, Shape(type));
    arguments.push_back(c->AddWithShape(HloOpcode::Convert,
                                        select->parameter(static_cast<size_t>(n))->shape(), {x}));
  }
  c->set_root(c->AddWithShape(HloOpcode::Call, Shape(ElementType::PRED), arguments, NoAttrs{},
                              {&select, 1}));
  return c;
}

// What is scattered becomes the result's numbers; what is selected from only their integers, which
// `select` has back.
absl::Status PromoteScattered(Lowering& l, const Operation& op,
                              std::vector<HloInstruction*>& operands, HloComputation*& select) {
  const Quantization* from = l.QuantizationOf(op.operands[0]);
  const Quantization* to = l.QuantizationOf(op.results[0]);
  if (from == nullptr || to == nullptr || *from == *to) return absl::OkStatus();
  const ElementType stored = operands[0]->shape().element_type();
  for (size_t n : {1, 2}) {
    ASSIGN_OR_RETURN(operands[n], l.Promote(op, operands[n], *from, *to));
  }
  if (stored == to->storage) return absl::OkStatus();
  const Shape widened(to->storage, operands[0]->shape().dimensions());
  ASSIGN_OR_RETURN(operands[0],
                   l.Add(op, HloOpcode::Convert, {operands[0]}, NoAttrs{}, {}, &widened));
  if (select->parameters().size() == 2) select = OfConverted(l, select, to->storage);
  return absl::OkStatus();
}

}  // namespace

absl::Status SelectAndScatter(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  if (op.regions.size() != 2) return l.Invalid(op, "needs 2 regions, got {}", op.regions.size());
  ASSIGN_OR_RETURN(Dims sizes, l.OptionalDims(op, "window_dimensions", {}));
  if (static_cast<int64_t>(sizes.size()) != l.Operand(op, 0)->shape().rank()) {
    return l.Invalid(op, "(C4) window_dimensions has {} sizes for {}", sizes.size(),
                     ToText(l.Operand(op, 0)->shape()));
  }
  ASSIGN_OR_RETURN(Window window, ReadWindow(l, op, sizes,
                                             {.stride = {"window_strides", "(C6)"},
                                              .padding = {"padding", "(C8)"}}));
  ASSIGN_OR_RETURN(HloComputation * select, l.Body(op, op.regions[0], "select"));
  ASSIGN_OR_RETURN(HloComputation * scatter, l.Body(op, op.regions[1], "scatter"));
  std::vector<HloInstruction*> operands = l.Operands(op);
  RETURN_IF_ERROR(PromoteScattered(l, op, operands, select));
  return l.AddResult(op, HloOpcode::SelectAndScatter, operands, WindowAttrs{std::move(window)},
                     {select, scatter});
}

absl::Status Convolution(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(ConvolutionAttrs attrs, ReadConvolution(l, op));
  return l.AddResult(op, HloOpcode::Convolution, l.Operands(op), std::move(attrs));
}

// Padding is an operand: two numbers for each spatial dimension.
absl::Status DynamicConv(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  ASSIGN_OR_RETURN(ConvolutionAttrs attrs, ReadConvolution(l, op));
  HloInstruction* all = l.Operand(op, 2);
  const auto count = static_cast<int64_t>(2 * attrs.window.size());
  if (!all->shape().is_array() || !all->shape().is_static() ||
      all->shape().element_count() != count) {
    return l.Invalid(op, "(C4) the padding must have {} elements, it is {}", count,
                     ToText(all->shape()));
  }
  if (!l.AreConstant(op, 2, 3)) return SizedConvolution(l, op, std::move(attrs));
  ASSIGN_OR_RETURN(const Dims padding, l.RequireSizes(op, 2));
  for (size_t k = 0; k < attrs.window.size(); ++k) {
    attrs.window[k].padding_low = padding[2 * k];
    attrs.window[k].padding_high = padding[2 * k + 1];
  }
  return l.AddResult(op, HloOpcode::Convolution, {l.Operand(op, 0), l.Operand(op, 1)},
                     std::move(attrs));
}

absl::Status BatchNorm(Lowering& l, const Operation& op, const OpRow& row) {
  BatchNormAttrs attrs;
  ASSIGN_OR_RETURN(const Attribute* epsilon, l.Require(op, "epsilon"));
  if (epsilon->kind != Attribute::Kind::kFloat) return l.Invalid(op, "epsilon must be a float");
  attrs.epsilon = static_cast<float>(epsilon->real);
  ASSIGN_OR_RETURN(attrs.feature_index, l.RequireInteger(op, "feature_index"));
  return l.AddResults(op, *row.op, l.Operands(op), attrs, {});
}

}  // namespace sinter::stablehlo::lower
