// Operations whose attributes are more than a list or a word.
#include <algorithm>

#include "base/status.h"
#include "frontend/stablehlo/ast.h"
#include "frontend/stablehlo_text/module_printer.h"
#include "frontend/stablehlo_text/print_text.h"

namespace sinter::stablehlo::print {
namespace {

std::string_view Bool(bool b) { return b ? "true" : "false"; }

std::string_view PrecisionName(Precision p) {
  return p == Precision::kHighest ? "HIGHEST" : p == Precision::kHigh ? "HIGH" : "DEFAULT";
}

bool IsDefault(Precision lhs, Precision rhs) {
  return lhs == Precision::kDefault && rhs == Precision::kDefault;
}

template <class Get>
Dims Collect(const Window& window, Get get) {
  Dims dims;
  for (const WindowDimension& w : window) dims.push_back(get(w));
  return dims;
}
Dims Sizes(const Window& w) {
  return Collect(w, [](const auto& d) { return d.size; });
}
Dims Strides(const Window& w) {
  return Collect(w, [](const auto& d) { return d.stride; });
}
Dims BaseDilations(const Window& w) {
  return Collect(w, [](const auto& d) { return d.base_dilation; });
}
Dims WindowDilations(const Window& w) {
  return Collect(w, [](const auto& d) { return d.window_dilation; });
}

// [[0, 1], [2, 2]]
std::string PaddingList(const Window& window) {
  std::string out = "[";
  for (const WindowDimension& w : window) {
    out += Format("{}[{}, {}]", out.size() > 1 ? ", " : "", w.padding_low, w.padding_high);
  }
  return out + "]";
}

std::string PaddingAttribute(const Window& window) {
  if (window.empty()) return "padding = dense<> : tensor<0x2xi64>";
  return Format("padding = dense<{}> : tensor<{}x2xi64>", PaddingList(window), window.size());
}

// [b, 0, 1, f]
std::string Labels(char batch, int64_t batch_dim, char feature, int64_t feature_dim,
                   const Dims& spatial_dims) {
  std::vector<std::string> labels(spatial_dims.size() + 2);
  labels[static_cast<size_t>(batch_dim)] = batch;
  labels[static_cast<size_t>(feature_dim)] = feature;
  for (size_t d = 0; d < spatial_dims.size(); ++d) {
    labels[static_cast<size_t>(spatial_dims[d])] = std::to_string(d);
  }
  return Format("[{}]", Join(labels, ", "));
}

// Whether the computation is one operation on its two parameters in order.
bool IsOneOperation(const HloComputation& c) {
  const HloInstruction* root = c.root();
  return c.instructions().size() == 3 && c.parameters().size() == 2 &&
         root->operands().size() == 2 && root->operand(0) == c.parameter(0) &&
         root->operand(1) == c.parameter(1);
}

// Operations that "applies" takes: commutative ones whose result is of the operands' type.
std::string_view NameOfReducer(HloOpcode op) {
  switch (op) {
    case HloOpcode::Add:
      return "stablehlo.add";
    case HloOpcode::And:
      return "stablehlo.and";
    case HloOpcode::Maximum:
      return "stablehlo.maximum";
    case HloOpcode::Minimum:
      return "stablehlo.minimum";
    case HloOpcode::Multiply:
      return "stablehlo.multiply";
    case HloOpcode::Or:
      return "stablehlo.or";
    case HloOpcode::Xor:
      return "stablehlo.xor";
    default:
      return {};
  }
}

}  // namespace

absl::Status Slice(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<SliceAttrs>();
  std::string ranges = " [";
  for (size_t d = 0; d < a.starts.size(); ++d) {
    ranges += Format("{}{}:{}", d ? ", " : "", a.starts[d], a.limits[d]);
    if (a.strides[d] != 1) ranges += Format(":{}", a.strides[d]);
  }
  return p.Plain(i, "stablehlo.slice", ranges + "]", false);
}

absl::Status Pad(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<PadAttrs>();
  return p.Plain(i, "stablehlo.pad",
                 Format(", low = {}, high = {}, interior = {}", ListText(a.low), ListText(a.high),
                        ListText(a.interior)),
                 false);
}

absl::Status Dot(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<DotAttrs>();
  std::string clauses;
  if (!a.lhs_batch_dims.empty()) {
    clauses +=
        Format(", batching_dims = {} x {}", ListText(a.lhs_batch_dims), ListText(a.rhs_batch_dims));
  }
  clauses += Format(", contracting_dims = {} x {}", ListText(a.lhs_contracting_dims),
                    ListText(a.rhs_contracting_dims));
  if (!IsDefault(a.lhs_precision, a.rhs_precision)) {
    clauses += Format(", precision = [{}, {}]", PrecisionName(a.lhs_precision),
                      PrecisionName(a.rhs_precision));
  }
  return p.Plain(i, "stablehlo.dot_general", clauses, false);
}

absl::Status RaggedDot(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<RaggedDotAttrs>();
  std::vector<std::string> fields;
  auto add = [&](std::string_view name, const Dims& dims) {
    if (!dims.empty()) fields.push_back(Format("{} = {}", name, ListText(dims)));
  };
  add("lhs_batching_dimensions", a.lhs_batch_dims);
  add("rhs_batching_dimensions", a.rhs_batch_dims);
  add("lhs_contracting_dimensions", a.lhs_contracting_dims);
  add("rhs_contracting_dimensions", a.rhs_contracting_dims);
  add("lhs_ragged_dimensions", a.lhs_ragged_dims);
  add("rhs_group_dimensions", a.rhs_group_dims);
  return p.Generic(
      i, "chlo.ragged_dot", p.Operands(i),
      Format("precision_config = [#chlo<precision {}>, #chlo<precision {}>], "
             "ragged_dot_dimension_numbers = #chlo.ragged_dot<{}>",
             PrecisionName(a.lhs_precision), PrecisionName(a.rhs_precision), Join(fields, ", ")));
}

absl::Status Scan(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<ScanAttrs>();
  const auto carries = static_cast<size_t>(a.num_carries);
  return p.Generic(
      i, "chlo.scan", p.Operands(i),
      Format("dimension = {} : i64, is_associative = {}, is_reverse = {}, operandSegmentSizes = "
             "array<i32: {}, {}>, resultSegmentSizes = array<i32: {}, {}>",
             a.dimensions[0], Bool(a.is_associative), Bool(a.is_reverse),
             i.operands().size() - carries, carries, ResultShapes(i.shape()).size() - carries,
             carries));
}

absl::Status Gather(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<GatherAttrs>();
  return p.Generic(
      i, "stablehlo.gather", p.Operands(i),
      Format("dimension_numbers = #stablehlo.gather<offset_dims = {}, collapsed_slice_dims = {}, "
             "operand_batching_dims = {}, start_indices_batching_dims = {}, start_index_map = {}, "
             "index_vector_dim = {}>, indices_are_sorted = {}, slice_sizes = {}",
             ListText(a.offset_dims), ListText(a.collapsed_slice_dims),
             ListText(a.operand_batching_dims), ListText(a.start_indices_batching_dims),
             ListText(a.start_index_map), a.index_vector_dim, Bool(a.indices_are_sorted),
             ArrayText(a.slice_sizes)));
}

absl::Status Scatter(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<ScatterAttrs>();
  return p.Generic(
      i, "stablehlo.scatter", p.Operands(i),
      Format("indices_are_sorted = {}, scatter_dimension_numbers = #stablehlo.scatter<"
             "update_window_dims = {}, inserted_window_dims = {}, input_batching_dims = {}, "
             "scatter_indices_batching_dims = {}, scatter_dims_to_operand_dims = {}, "
             "index_vector_dim = {}>, unique_indices = {}",
             Bool(a.indices_are_sorted), ListText(a.update_window_dims),
             ListText(a.inserted_window_dims), ListText(a.input_batching_dims),
             ListText(a.scatter_indices_batching_dims), ListText(a.scatter_dims_to_operand_dims),
             a.index_vector_dim, Bool(a.unique_indices)));
}

absl::Status Sort(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<SortAttrs>();
  return p.Generic(
      i, "stablehlo.sort", p.Operands(i),
      Format("dimension = {} : i64, is_stable = {}", a.dimensions[0], Bool(a.is_stable)));
}

// chlo.top_k knows the largest only.
absl::Status TopK(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<TopKAttrs>();
  std::vector<PrintedValue> operands = p.Operands(i), results = p.Begin(ResultShapes(i.shape()));
  if (a.largest) {
    p.out() += Format("chlo.top_k({}, k = {}) : {} -> ({})", p.Names(operands), a.k,
                      p.Types(operands), p.Types(results));
  } else {
    p.out() += Format(
        "stablehlo.custom_call @mhlo.topk({}) {{mhlo.attributes = {{k = {} : i64, "
        "largest = false}}}} : {}",
        p.Names(operands), a.k, p.Signature(operands, results));
  }
  p.End(i);
  p.SetResults(i, std::move(results));
  return absl::OkStatus();
}

absl::Status Reduce(ModulePrinter& p, const HloInstruction& i) {
  const HloComputation& body = *i.called(0);
  std::vector<PrintedValue> operands = p.Operands(i);
  std::string_view reducer = NameOfReducer(body.root()->op());
  // MLIR gives the region that "applies" stands for the operand's type.
  bool same_types = i.operands().size() == 2 && IsOneOperation(body) &&
                    i.operand(0)->shape().element_type() == i.shape().element_type() &&
                    body.root()->shape() == i.operand(1)->shape() &&
                    body.parameter(0)->shape() == i.operand(1)->shape() &&
                    body.parameter(1)->shape() == i.operand(1)->shape();
  if (reducer.empty() || !same_types) {
    return p.Generic(i, "stablehlo.reduce", operands,
                     Format("dimensions = {}", ArrayText(i.dimensions())));
  }
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  p.out() += Format("stablehlo.reduce({} init: {}) applies {} across dimensions = {} : {}",
                    operands[0].name, operands[1].name, reducer, ListText(i.dimensions()),
                    p.Signature(operands, result));
  p.End(i);
  p.SetResults(i, std::move(result));
  return absl::OkStatus();
}

absl::Status ReduceWindow(ModulePrinter& p, const HloInstruction& i) {
  const Window& w = i.attrs<WindowAttrs>().window;
  return p.Generic(
      i, "stablehlo.reduce_window", p.Operands(i),
      Format("base_dilations = {}, {}, window_dilations = {}, window_dimensions = {}, "
             "window_strides = {}",
             ArrayText(BaseDilations(w)), PaddingAttribute(w), ArrayText(WindowDilations(w)),
             ArrayText(Sizes(w)), ArrayText(Strides(w))));
}

absl::Status SelectAndScatter(ModulePrinter& p, const HloInstruction& i) {
  const Window& w = i.attrs<WindowAttrs>().window;
  bool dilated = std::any_of(w.begin(), w.end(), [](const WindowDimension& d) {
    return d.base_dilation != 1 || d.window_dilation != 1;
  });
  if (dilated) return Unimplemented("select-and-scatter with dilations has no form in StableHLO");
  return p.Generic(i, "stablehlo.select_and_scatter", p.Operands(i),
                   Format("{}, window_dimensions = {}, window_strides = {}", PaddingAttribute(w),
                          ArrayText(Sizes(w)), ArrayText(Strides(w))));
}

absl::Status Convolution(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<ConvolutionAttrs>();
  const auto& n = a.dim_labels;
  std::vector<PrintedValue> operands = p.Operands(i), result = p.Begin({&i.shape()});
  std::vector<std::string> reversed;
  for (const WindowDimension& w : a.window) reversed.emplace_back(Bool(w.window_reversal));
  std::string precisions;
  if (!IsDefault(a.lhs_precision, a.rhs_precision)) {
    precisions = Format(", precision_config = [#stablehlo<precision {}>, #stablehlo<precision {}>]",
                        PrecisionName(a.lhs_precision), PrecisionName(a.rhs_precision));
  }
  p.out() += Format(
      "stablehlo.convolution({}) dim_numbers = {}x{}->{}, window = {{stride = {}, pad = {}, "
      "lhs_dilate = {}, rhs_dilate = {}, reverse = [{}]}} {{batch_group_count = {} : i64, "
      "feature_group_count = {} : i64{}}} : {}",
      p.Names(operands),
      Labels('b', n.input_batch_dimension, 'f', n.input_feature_dimension,
             n.input_spatial_dimensions),
      Labels('i', n.kernel_input_feature_dimension, 'o', n.kernel_output_feature_dimension,
             n.kernel_spatial_dimensions),
      Labels('b', n.output_batch_dimension, 'f', n.output_feature_dimension,
             n.output_spatial_dimensions),
      ListText(Strides(a.window)), PaddingList(a.window), ListText(BaseDilations(a.window)),
      ListText(WindowDilations(a.window)), Join(reversed, ", "), a.batch_group_count,
      a.feature_group_count, precisions, p.Signature(operands, result));
  p.End(i);
  p.SetResults(i, std::move(result));
  return absl::OkStatus();
}

absl::Status BatchNorm(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<BatchNormAttrs>();
  std::string name = "stablehlo." + std::string(Name(i.op()));
  std::replace(name.begin(), name.end(), '-', '_');
  return p.Generic(i, name, p.Operands(i),
                   Format("epsilon = {} : f32, feature_index = {} : i64", FloatText(a.epsilon),
                          a.feature_index));
}

absl::Status Fft(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<FftAttrs>();
  return p.Plain(i, "stablehlo.fft",
                 Format(", type = {}, length = {}", Name(a.fft_type), ListText(a.fft_length)),
                 false);
}

absl::Status Cholesky(ModulePrinter& p, const HloInstruction& i) {
  const bool lower = i.attrs<CholeskyAttrs>().lower;
  return p.Plain(i, "stablehlo.cholesky", lower ? ", lower = true" : "", true);
}

absl::Status TriangularSolve(ModulePrinter& p, const HloInstruction& i) {
  const auto& a = i.attrs<TriangularSolveAttrs>();
  return p.Generic(i, "stablehlo.triangular_solve", p.Operands(i),
                   Format("left_side = {}, lower = {}, transpose_a = #stablehlo<transpose {}>, "
                          "unit_diagonal = {}",
                          a.left_side, a.lower, Name(a.transpose_a), a.unit_diagonal));
}

// The shape is an operand, a constant.
absl::Status Rng(ModulePrinter& p, const HloInstruction& i) {
  std::vector<PrintedValue> operands = p.Operands(i);
  const Dims& dims = i.shape().dimensions();
  Shape shape_type(ElementType::S64, {i.shape().rank()});
  PrintedValue shape = p.Begin({&shape_type})[0];
  p.out() += Format("stablehlo.constant dense<{}> : {}\n", dims.empty() ? "" : ListText(dims),
                    ToText(shape_type));
  operands.push_back(shape);
  std::vector<PrintedValue> result = p.Begin({&i.shape()});
  bool uniform = i.attrs<RngAttrs>().distribution == RandomDistribution::kUniform;
  p.out() += Format("stablehlo.rng {}, distribution = {} : {}", p.Names(operands),
                    uniform ? "UNIFORM" : "NORMAL", p.Signature(operands, result));
  p.End(i);
  p.SetResults(i, std::move(result));
  return absl::OkStatus();
}

absl::Status RngBitGenerator(ModulePrinter& p, const HloInstruction& i) {
  std::vector<PrintedValue> operands = p.Operands(i), results = p.Begin(ResultShapes(i.shape()));
  std::string_view algorithm;
  switch (i.attrs<RngBitGeneratorAttrs>().algorithm) {
    case RandomAlgorithm::kDefault:
      algorithm = "DEFAULT";
      break;
    case RandomAlgorithm::kThreeFry:
      algorithm = "THREE_FRY";
      break;
    case RandomAlgorithm::kPhilox:
      algorithm = "PHILOX";
      break;
  }
  p.out() += Format("stablehlo.rng_bit_generator {}, algorithm = {} : {}", p.Names(operands),
                    algorithm, p.Signature(operands, results));
  p.End(i);
  p.SetResults(i, std::move(results));
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::print
