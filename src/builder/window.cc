// Operations over windows, and batch normalisation.
#include <algorithm>
#include <tuple>

#include "builder/impl.h"
#include "ir/ops/window.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;
using Paddings = absl::Span<const std::pair<int64_t, int64_t>>;

// The lists of a window, each with an entry a dimension or empty, which stands for the default.
struct WindowLists {
  absl::Span<const int64_t> strides, base_dilations = {}, window_dilations = {};
  Paddings padding = {};
};
absl::StatusOr<Window> MakeWindow(const Recording& r, absl::Span<HloInstruction* const> operands,
                                  absl::Span<const int64_t> sizes, const WindowLists& lists) {
  Window window(sizes.size());
  auto check = [&](size_t count, std::string_view what) -> absl::Status {
    if (count == 0 || count == sizes.size()) return absl::OkStatus();
    return r.Error(Format("the window has {} dimensions, but {} {}", sizes.size(), count, what),
                   operands);
  };
  RETURN_IF_ERROR(check(lists.strides.size(), "strides"));
  RETURN_IF_ERROR(check(lists.base_dilations.size(), "base dilations"));
  RETURN_IF_ERROR(check(lists.window_dilations.size(), "window dilations"));
  RETURN_IF_ERROR(check(lists.padding.size(), "paddings"));
  for (size_t d = 0; d < window.size(); ++d) {
    WindowDimension& w = window[d];
    w.size = sizes[d];
    if (!lists.strides.empty()) w.stride = lists.strides[d];
    if (!lists.base_dilations.empty()) w.base_dilation = lists.base_dilations[d];
    if (!lists.window_dilations.empty()) w.window_dilation = lists.window_dilations[d];
    if (!lists.padding.empty()) std::tie(w.padding_low, w.padding_high) = lists.padding[d];
  }
  return window;
}

// So that there is a window for each stride-th of `size` elements; the odd one goes to the end.
void PadSame(int64_t size, WindowDimension& w) {
  if (w.stride <= 0) return;  // the shape rule will say so
  const int64_t windows = size / w.stride + (size % w.stride != 0);
  const int64_t padding = std::max<int64_t>((windows - 1) * w.stride + w.size - size, 0);
  w.padding_low = padding / 2;
  w.padding_high = padding - w.padding_low;
}

void PadWindow(const Shape& x, Padding padding, Window& window) {
  for (size_t d = 0; d < window.size() && d < x.dimensions().size(); ++d) {
    if (padding == Padding::kSame) PadSame(x.dimensions()[d], window[d]);
  }
}

// `operands` are the inputs, then as many initial values.
Made AddReduceWindow(Recording& r, const std::vector<HloInstruction*>& operands,
                     const Callable& computation, Window window) {
  size_t n = operands.size() / 2;
  std::vector<Shape> parameters;
  for (size_t i = 0; i < 2 * n; ++i)
    parameters.emplace_back(operands[n + i % n]->shape().element_type());
  ASSIGN_OR_RETURN(HloComputation * body,
                   r.Called(computation, std::move(parameters), "computation"));
  body = r.impl().Share(body);
  return r.Add(HloOpcode::ReduceWindow, operands, WindowAttrs{std::move(window)}, {&body, 1});
}

absl::StatusOr<std::vector<HloInstruction*>> FindInputs(Recording& r, absl::Span<const Op> operands,
                                                        absl::Span<const Op> init_values) {
  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
  ASSIGN_OR_RETURN(std::vector<HloInstruction*> init, r.Find(init_values));
  x.insert(x.end(), init.begin(), init.end());
  if (operands.empty() || operands.size() != init.size()) {
    return r.Error(Format("(C1) needs as many initial values as inputs, got {} and {}", init.size(),
                          operands.size()),
                   x);
  }
  return x;
}

Made AddSelectAndScatter(Recording& r, const std::vector<HloInstruction*>& x, Window window,
                         const Callable& select, const Callable& scatter) {
  const Shape scalar(x[0]->shape().element_type());
  ASSIGN_OR_RETURN(HloComputation * s, r.Called(select, {scalar, scalar}, "select"));
  ASSIGN_OR_RETURN(HloComputation * c, r.Called(scatter, {scalar, scalar}, "scatter"));
  HloComputation* called[] = {r.impl().Share(s), r.impl().Share(c)};
  return r.Add(HloOpcode::SelectAndScatter, x, WindowAttrs{std::move(window)}, called);
}

// What the functions of the family convolution share beside their operands.
struct ConvolutionOptions {
  absl::Span<const int64_t> strides;
  Paddings paddings = {};
  std::optional<Padding> padding;  // instead
  absl::Span<const int64_t> lhs_dilation = {}, rhs_dilation = {};
  const ConvolutionDimensionNumbers* numbers = nullptr;  // null: the default
  int64_t feature_group_count, batch_group_count;
  const PrecisionConfig* precision;
  std::optional<ElementType> preferred_element_type;
  std::optional<std::vector<bool>> window_reversal = std::nullopt;
  bool must_be_static = false;
};

Made AddConvolution(Recording& r, const std::vector<HloInstruction*>& x,
                    const ConvolutionOptions& o) {
  const Shape &lhs = x[0]->shape(), &rhs = x[1]->shape();
  if (!lhs.is_array() || !rhs.is_array() || lhs.rank() != rhs.rank() || lhs.rank() < 2)
    return r.Error("(C1) the operands must have the same rank, at least 2", x);
  ConvolutionAttrs attrs;
  attrs.dim_labels =
      o.numbers ? *o.numbers
                : Builder::CreateDefaultConvDimensionNumbers(static_cast<int>(lhs.rank()) - 2);
  Dims sizes;
  for (int64_t d : attrs.dim_labels.kernel_spatial_dimensions) {
    if (d < 0 || d >= rhs.rank())
      return r.Error(Format("(C18) {} is not a dimension of the right operand", d), x);
    sizes.push_back(rhs.dimension(d));
  }
  ASSIGN_OR_RETURN(attrs.window, MakeWindow(r, x, sizes,
                                            {.strides = o.strides,
                                             .base_dilations = o.lhs_dilation,
                                             .window_dilations = o.rhs_dilation,
                                             .padding = o.paddings}));
  const Dims& spatial = attrs.dim_labels.input_spatial_dimensions;
  for (size_t k = 0; k < attrs.window.size(); ++k) {
    if (o.padding == Padding::kSame && k < spatial.size() && 0 <= spatial[k] &&
        spatial[k] < lhs.rank())
      PadSame(lhs.dimension(spatial[k]), attrs.window[k]);
    if (o.window_reversal && k < o.window_reversal->size())
      attrs.window[k].window_reversal = (*o.window_reversal)[k];
  }
  if (o.window_reversal && o.window_reversal->size() != attrs.window.size()) {
    return r.Error(Format("(C9) the window has {} dimensions, but {} reversals",
                          attrs.window.size(), o.window_reversal->size()),
                   x);
  }
  attrs.feature_group_count = o.feature_group_count;
  attrs.batch_group_count = o.batch_group_count;
  if (o.precision) {
    const auto& p = o.precision->operand_precision;
    if (p.size() > 2)
      return r.Error(Format("(C24) the precision config has {} entries for 2 operands", p.size()),
                     x);
    if (!p.empty()) attrs.lhs_precision = p[0];
    if (p.size() > 1) attrs.rhs_precision = p[1];
  }
  if (!o.preferred_element_type) return r.Add(HloOpcode::Convolution, x, std::move(attrs));
  if (!IsArrayType(*o.preferred_element_type)) {
    return r.Error(
        Format("preferred_element_type {} is none of arrays", Name(*o.preferred_element_type)), x);
  }
  const Shape* operands[] = {&lhs, &rhs};
  Attributes erased = std::move(attrs);
  ASSIGN_OR_RETURN(Shape shape,
                   InferShape(HloOpcode::Convolution, {operands, erased, {}, nullptr}));
  shape.set_element_type(*o.preferred_element_type);
  return r.Add(HloOpcode::Convolution, x, std::move(erased), {}, &shape);
}

Op RecordConvolution(const Operand& lhs, const Operand& rhs, const ConvolutionOptions& options) {
  return Record({&lhs, &rhs}, Name(HloOpcode::Convolution), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
    if (options.must_be_static && !(x[0]->shape().is_static() && x[1]->shape().is_static())) {
      return Unimplemented("dynamic convolution of {} and {}, whose sizes are not static",
                           x[0]->shape().ToString(), x[1]->shape().ToString());
    }
    return AddConvolution(r, x, options);
  });
}

Op RecordBatchNorm(HloOpcode op, std::initializer_list<const Operand*> operands, float epsilon,
                   int64_t feature_index) {
  return Record(operands, Name(op), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike(operands));
    return r.Add(op, x, BatchNormAttrs{epsilon, feature_index});
  });
}

}  // namespace

ConvolutionDimensionNumbers Builder::CreateDefaultConvDimensionNumbers(int num_spatial_dims) {
  ConvolutionDimensionNumbers n;
  n.input_batch_dimension = n.output_batch_dimension = n.kernel_output_feature_dimension = 0;
  n.input_feature_dimension = n.output_feature_dimension = n.kernel_input_feature_dimension = 1;
  for (int64_t d = 2; d < num_spatial_dims + 2; ++d) {
    n.input_spatial_dimensions.push_back(d);
    n.kernel_spatial_dimensions.push_back(d);
    n.output_spatial_dimensions.push_back(d);
  }
  return n;
}

absl::Status Builder::Validate(const ConvolutionDimensionNumbers& n) {
  const size_t spatial = n.input_spatial_dimensions.size();
  if (n.kernel_spatial_dimensions.size() != spatial ||
      n.output_spatial_dimensions.size() != spatial) {
    return InvalidArgument(
        "convolution: input, kernel and output have {}, {} and {} spatial dimensions", spatial,
        n.kernel_spatial_dimensions.size(), n.output_spatial_dimensions.size());
  }
  auto check = [](std::string_view array, int64_t first, int64_t second,
                  Dims dims) -> absl::Status {
    dims.insert(dims.end(), {first, second});
    std::sort(dims.begin(), dims.end());
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == static_cast<int64_t>(d)) continue;
      return InvalidArgument(
          "convolution: the dimension numbers of the {} must be 0 to {}, each "
          "once; sorted they are {}",
          array, dims.size() - 1, Join(dims, ","));
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(check("input", n.input_batch_dimension, n.input_feature_dimension,
                        n.input_spatial_dimensions));
  RETURN_IF_ERROR(check("kernel", n.kernel_input_feature_dimension,
                        n.kernel_output_feature_dimension, n.kernel_spatial_dimensions));
  return check("output", n.output_batch_dimension, n.output_feature_dimension,
               n.output_spatial_dimensions);
}

Op ReduceWindow(const Operand& operand, const Operand& init_value, const Callable& computation,
                absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding) {
  return Record({&operand, &init_value}, Name(HloOpcode::ReduceWindow), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&operand, &init_value}));
    ASSIGN_OR_RETURN(Window window,
                     MakeWindow(r, x, window_dimensions, {.strides = window_strides}));
    PadWindow(x[0]->shape(), padding, window);
    return AddReduceWindow(r, x, computation, std::move(window));
  });
}

Op ReduceWindow(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                const Callable& computation, absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding, SourceLocation where) {
  return ReduceWindow(BuilderOf(operands), operands, init_values, computation, window_dimensions,
                      window_strides, padding, where);
}

Op ReduceWindow(Builder* builder, absl::Span<const Op> operands, absl::Span<const Op> init_values,
                const Callable& computation, absl::Span<const int64_t> window_dimensions,
                absl::Span<const int64_t> window_strides, Padding padding, SourceLocation where) {
  return Record(builder, Name(HloOpcode::ReduceWindow), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, FindInputs(r, operands, init_values));
    ASSIGN_OR_RETURN(Window window,
                     MakeWindow(r, x, window_dimensions, {.strides = window_strides}));
    PadWindow(x[0]->shape(), padding, window);
    return AddReduceWindow(r, x, computation, std::move(window));
  });
}

Op ReduceWindowWithGeneralPadding(const Operand& operand, const Operand& init_value,
                                  const Callable& computation,
                                  absl::Span<const int64_t> window_dimensions,
                                  absl::Span<const int64_t> window_strides,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations, Paddings padding) {
  return Record({&operand, &init_value}, Name(HloOpcode::ReduceWindow), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&operand, &init_value}));
    ASSIGN_OR_RETURN(Window window,
                     MakeWindow(r, x, window_dimensions,
                                {window_strides, base_dilations, window_dilations, padding}));
    return AddReduceWindow(r, x, computation, std::move(window));
  });
}

Op ReduceWindowWithGeneralPadding(absl::Span<const Op> operands, absl::Span<const Op> init_values,
                                  const Callable& computation,
                                  absl::Span<const int64_t> window_dimensions,
                                  absl::Span<const int64_t> window_strides,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations, Paddings padding,
                                  SourceLocation where) {
  return ReduceWindowWithGeneralPadding(BuilderOf(operands), operands, init_values, computation,
                                        window_dimensions, window_strides, base_dilations,
                                        window_dilations, padding, where);
}

Op ReduceWindowWithGeneralPadding(Builder* builder, absl::Span<const Op> operands,
                                  absl::Span<const Op> init_values, const Callable& computation,
                                  absl::Span<const int64_t> window_dimensions,
                                  absl::Span<const int64_t> window_strides,
                                  absl::Span<const int64_t> base_dilations,
                                  absl::Span<const int64_t> window_dilations, Paddings padding,
                                  SourceLocation where) {
  return Record(builder, Name(HloOpcode::ReduceWindow), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, FindInputs(r, operands, init_values));
    ASSIGN_OR_RETURN(Window window,
                     MakeWindow(r, x, window_dimensions,
                                {window_strides, base_dilations, window_dilations, padding}));
    return AddReduceWindow(r, x, computation, std::move(window));
  });
}

Op SelectAndScatter(const Operand& operand, const Callable& select,
                    absl::Span<const int64_t> window_dimensions,
                    absl::Span<const int64_t> window_strides, Padding padding,
                    const Operand& source, const Operand& init_value, const Callable& scatter) {
  return Record({&operand, &source, &init_value}, Name(HloOpcode::SelectAndScatter),
                [&](Recording& r) -> Made {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x,
                                   r.FindAlike({&operand, &source, &init_value}));
                  ASSIGN_OR_RETURN(Window window, MakeWindow(r, x, window_dimensions,
                                                             {.strides = window_strides}));
                  PadWindow(x[0]->shape(), padding, window);
                  return AddSelectAndScatter(r, x, std::move(window), select, scatter);
                });
}

Op SelectAndScatterWithGeneralPadding(const Operand& operand, const Callable& select,
                                      absl::Span<const int64_t> window_dimensions,
                                      absl::Span<const int64_t> window_strides, Paddings padding,
                                      const Operand& source, const Operand& init_value,
                                      const Callable& scatter) {
  return Record({&operand, &source, &init_value}, Name(HloOpcode::SelectAndScatter),
                [&](Recording& r) -> Made {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x,
                                   r.FindAlike({&operand, &source, &init_value}));
                  ASSIGN_OR_RETURN(Window window,
                                   MakeWindow(r, x, window_dimensions,
                                              {.strides = window_strides, .padding = padding}));
                  return AddSelectAndScatter(r, x, std::move(window), select, scatter);
                });
}

Op Conv(const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> window_strides,
        Padding padding, int64_t feature_group_count, int64_t batch_group_count,
        const PrecisionConfig* precision_config,
        std::optional<ElementType> preferred_element_type) {
  return RecordConvolution(lhs, rhs,
                           {.strides = window_strides,
                            .padding = padding,
                            .feature_group_count = feature_group_count,
                            .batch_group_count = batch_group_count,
                            .precision = precision_config,
                            .preferred_element_type = preferred_element_type});
}

Op ConvWithGeneralPadding(const Operand& lhs, const Operand& rhs,
                          absl::Span<const int64_t> window_strides, Paddings padding,
                          int64_t feature_group_count, int64_t batch_group_count,
                          const PrecisionConfig* precision_config,
                          std::optional<ElementType> preferred_element_type) {
  return RecordConvolution(lhs, rhs,
                           {.strides = window_strides,
                            .paddings = padding,
                            .feature_group_count = feature_group_count,
                            .batch_group_count = batch_group_count,
                            .precision = precision_config,
                            .preferred_element_type = preferred_element_type});
}

Op ConvWithGeneralDimensions(const Operand& lhs, const Operand& rhs,
                             absl::Span<const int64_t> window_strides, Padding padding,
                             const ConvolutionDimensionNumbers& dimension_numbers,
                             int64_t feature_group_count, int64_t batch_group_count,
                             const PrecisionConfig* precision_config,
                             std::optional<ElementType> preferred_element_type) {
  return RecordConvolution(lhs, rhs,
                           {.strides = window_strides,
                            .padding = padding,
                            .numbers = &dimension_numbers,
                            .feature_group_count = feature_group_count,
                            .batch_group_count = batch_group_count,
                            .precision = precision_config,
                            .preferred_element_type = preferred_element_type});
}

Op ConvGeneral(const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> window_strides,
               Paddings padding, const ConvolutionDimensionNumbers& dimension_numbers,
               int64_t feature_group_count, int64_t batch_group_count,
               const PrecisionConfig* precision_config,
               std::optional<ElementType> preferred_element_type) {
  return ConvGeneralDilated(lhs, rhs, window_strides, padding, {}, {}, dimension_numbers,
                            feature_group_count, batch_group_count, precision_config,
                            preferred_element_type);
}

Op ConvGeneralDilated(const Operand& lhs, const Operand& rhs,
                      absl::Span<const int64_t> window_strides, Paddings padding,
                      absl::Span<const int64_t> lhs_dilation,
                      absl::Span<const int64_t> rhs_dilation,
                      const ConvolutionDimensionNumbers& dimension_numbers,
                      int64_t feature_group_count, int64_t batch_group_count,
                      const PrecisionConfig* precision_config,
                      std::optional<ElementType> preferred_element_type,
                      std::optional<std::vector<bool>> window_reversal) {
  return RecordConvolution(lhs, rhs,
                           {.strides = window_strides,
                            .paddings = padding,
                            .lhs_dilation = lhs_dilation,
                            .rhs_dilation = rhs_dilation,
                            .numbers = &dimension_numbers,
                            .feature_group_count = feature_group_count,
                            .batch_group_count = batch_group_count,
                            .precision = precision_config,
                            .preferred_element_type = preferred_element_type,
                            .window_reversal = std::move(window_reversal)});
}

Op DynamicConvForward(const Operand& lhs, const Operand& rhs,
                      absl::Span<const int64_t> window_strides, Paddings padding,
                      absl::Span<const int64_t> lhs_dilation,
                      absl::Span<const int64_t> rhs_dilation,
                      const ConvolutionDimensionNumbers& dimension_numbers,
                      int64_t feature_group_count, int64_t batch_group_count,
                      const PrecisionConfig* precision_config, PaddingType,
                      std::optional<ElementType> preferred_element_type) {
  return RecordConvolution(lhs, rhs,
                           {.strides = window_strides,
                            .paddings = padding,
                            .lhs_dilation = lhs_dilation,
                            .rhs_dilation = rhs_dilation,
                            .numbers = &dimension_numbers,
                            .feature_group_count = feature_group_count,
                            .batch_group_count = batch_group_count,
                            .precision = precision_config,
                            .preferred_element_type = preferred_element_type,
                            .must_be_static = true});
}

Op DynamicConvInputGrad(const Operand& input_sizes, const Operand& lhs, const Operand& rhs,
                        absl::Span<const int64_t> window_strides, Paddings padding,
                        absl::Span<const int64_t> lhs_dilation,
                        absl::Span<const int64_t> rhs_dilation,
                        const ConvolutionDimensionNumbers& dimension_numbers,
                        int64_t feature_group_count, int64_t batch_group_count,
                        const PrecisionConfig* precision_config, PaddingType padding_type,
                        std::optional<ElementType> preferred_element_type) {
  const Op sizes = Record({&input_sizes}, Name(HloOpcode::Convolution), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(input_sizes.op()));
    const auto rank = static_cast<int64_t>(dimension_numbers.input_spatial_dimensions.size()) + 2;
    if (x->shape() == Shape(ElementType::S32, {rank})) return x;
    return r.Error(Format("input_sizes must be s32[{}]", rank), {&x, 1});
  });
  if (!sizes.valid()) return sizes;
  return DynamicConvForward(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation,
                            dimension_numbers, feature_group_count, batch_group_count,
                            precision_config, padding_type, preferred_element_type);
}

Op DynamicConvKernelGrad(const Operand& activations, const Operand& gradients,
                         absl::Span<const int64_t> window_strides, Paddings padding,
                         absl::Span<const int64_t> lhs_dilation,
                         absl::Span<const int64_t> rhs_dilation,
                         const ConvolutionDimensionNumbers& dimension_numbers,
                         int64_t feature_group_count, int64_t batch_group_count,
                         const PrecisionConfig* precision_config, PaddingType padding_type,
                         std::optional<ElementType> preferred_element_type) {
  return DynamicConvForward(activations, gradients, window_strides, padding, lhs_dilation,
                            rhs_dilation, dimension_numbers, feature_group_count, batch_group_count,
                            precision_config, padding_type, preferred_element_type);
}

Op BatchNormTraining(const Operand& operand, const Operand& scale, const Operand& offset,
                     float epsilon, int64_t feature_index) {
  return RecordBatchNorm(HloOpcode::BatchNormTraining, {&operand, &scale, &offset}, epsilon,
                         feature_index);
}

Op BatchNormInference(const Operand& operand, const Operand& scale, const Operand& offset,
                      const Operand& mean, const Operand& variance, float epsilon,
                      int64_t feature_index) {
  return RecordBatchNorm(HloOpcode::BatchNormInference,
                         {&operand, &scale, &offset, &mean, &variance}, epsilon, feature_index);
}

Op BatchNormGrad(const Operand& operand, const Operand& scale, const Operand& batch_mean,
                 const Operand& batch_var, const Operand& grad_output, float epsilon,
                 int64_t feature_index) {
  return RecordBatchNorm(HloOpcode::BatchNormGrad,
                         {&operand, &scale, &batch_mean, &batch_var, &grad_output}, epsilon,
                         feature_index);
}

}  // namespace sinter
