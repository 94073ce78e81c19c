// Where the specification allows quantized values: the types that its tables "Inputs" and "Outputs"
// give operands and results.
#include <algorithm>
#include <iterator>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"

namespace sinter::stablehlo {
namespace {

enum class Quantized : uint8_t {
  kNone,
  kPerTensor,  // of one scale
  kAny,        // of scales along a dimension too, or in blocks
};
using enum Quantized;

struct Row {
  std::string_view name;
  Quantized operands, results;
  Quantized second;  // operand 1: of products it is the one with several scales
};
constexpr Row All(std::string_view name, Quantized q) { return {name, q, q, q}; }

// Sorted by name, without "stablehlo.". What has no row takes and gives no quantized values. Those
// that the dialect has beyond the specification (dot, broadcast, real_dynamic_slice, ...)
// are as what replaced them.
constexpr Row kRows[] = {
    All("abs", kPerTensor),
    All("add", kAny),
    All("all_gather", kPerTensor),
    All("all_reduce", kPerTensor),
    All("all_to_all", kPerTensor),
    All("async_done", kPerTensor),
    All("async_start", kPerTensor),
    All("atan2", kPerTensor),
    All("batch_norm_grad", kPerTensor),
    All("batch_norm_inference", kPerTensor),
    All("batch_norm_training", kPerTensor),
    All("bitcast_convert", kAny),
    All("broadcast", kAny),
    All("broadcast_in_dim", kAny),
    All("case", kAny),
    All("cbrt", kPerTensor),
    All("ceil", kPerTensor),
    All("cholesky", kPerTensor),
    All("clamp", kPerTensor),
    All("collective_broadcast", kPerTensor),
    All("collective_permute", kPerTensor),
    All("collective_reduce", kPerTensor),
    {"compare", kPerTensor, kNone, kPerTensor},
    All("composite", kAny),
    All("concatenate", kPerTensor),
    All("constant", kAny),
    {"convolution", kPerTensor, kAny, kAny},
    All("cosine", kPerTensor),
    All("cross-replica-sum", kPerTensor),
    All("custom_call", kAny),
    All("divide", kPerTensor),
    {"dot", kPerTensor, kAny, kAny},
    {"dot_general", kPerTensor, kAny, kAny},
    All("dynamic_broadcast_in_dim", kAny),
    {"dynamic_conv", kPerTensor, kAny, kAny},
    All("dynamic_gather", kPerTensor),
    All("dynamic_iota", kPerTensor),
    All("dynamic_pad", kPerTensor),
    All("dynamic_reshape", kAny),
    All("dynamic_slice", kPerTensor),
    All("dynamic_update_slice", kPerTensor),
    All("exponential", kPerTensor),
    All("exponential_minus_one", kPerTensor),
    All("floor", kPerTensor),
    All("gather", kPerTensor),
    {"get_dimension_size", kAny, kNone, kNone},
    All("get_tuple_element", kAny),
    All("if", kAny),
    All("infeed", kAny),
    All("iota", kPerTensor),
    {"is_finite", kPerTensor, kNone, kPerTensor},
    All("log", kPerTensor),
    All("log_plus_one", kPerTensor),
    All("logistic", kPerTensor),
    All("map", kPerTensor),
    All("maximum", kPerTensor),
    All("minimum", kPerTensor),
    All("multiply", kPerTensor),
    All("negate", kPerTensor),
    All("optimization_barrier", kPerTensor),
    All("outfeed", kAny),
    All("pad", kPerTensor),
    All("power", kPerTensor),
    All("real_dynamic_slice", kPerTensor),
    All("recv", kAny),
    All("reduce", kPerTensor),
    All("reduce_precision", kPerTensor),
    All("reduce_scatter", kPerTensor),
    All("reduce_window", kPerTensor),
    All("remainder", kPerTensor),
    All("reshape", kAny),
    All("reverse", kPerTensor),
    All("round_nearest_afz", kPerTensor),
    All("round_nearest_even", kPerTensor),
    All("rsqrt", kPerTensor),
    All("scatter", kPerTensor),
    All("select", kPerTensor),
    All("select_and_scatter", kPerTensor),
    All("send", kAny),
    All("set_dimension_size", kPerTensor),
    All("sign", kPerTensor),
    All("sine", kPerTensor),
    All("slice", kPerTensor),
    All("sort", kPerTensor),
    All("sqrt", kPerTensor),
    All("subtract", kPerTensor),
    All("tan", kPerTensor),
    All("tanh", kPerTensor),
    All("torch_index_select", kPerTensor),
    All("transpose", kAny),
    All("triangular_solve", kPerTensor),
    All("tuple", kAny),
    All("uniform_dequantize", kAny),
    All("uniform_quantize", kAny),
    All("while", kAny),
};
constexpr bool ByName(const Row& a, const Row& b) { return a.name < b.name; }
static_assert(std::is_sorted(std::begin(kRows), std::end(kRows), ByName),
              "rows are sorted by name");

Quantized QuantizedAs(const Quantization* q) {
  if (q == nullptr) return kNone;
  return q->dimension < 0 && q->block_dimensions.empty() ? kPerTensor : kAny;
}

}  // namespace

absl::Status CheckQuantizedTypes(const Lowering& l, const Operation& op) {
  constexpr std::string_view kDialect = "stablehlo.";
  if (!op.name.starts_with(kDialect)) return absl::OkStatus();
  const std::string_view name = std::string_view(op.name).substr(kDialect.size());
  auto* row = std::lower_bound(std::begin(kRows), std::end(kRows), All(name, kNone), ByName);
  const Row none = All(name, kNone);
  if (row == std::end(kRows) || row->name != name) row = &none;
  auto check = [&](ValueId id, std::string_view what, size_t i, Quantized allowed) {
    if (QuantizedAs(l.QuantizationOf(id)) <= allowed) return absl::OkStatus();
    if (allowed == kNone)
      return l.Invalid(op, "{} {} may not be quantized, it is {}", what, i,
                       constraints::Text(l, id));
    return l.Invalid(op, "{} {} may not have several scales, it is {}", what, i,
                     constraints::Text(l, id));
  };
  for (size_t i = 0; i < op.operands.size(); ++i)
    RETURN_IF_ERROR(check(op.operands[i], "operand", i, i == 1 ? row->second : row->operands));
  for (size_t i = 0; i < op.results.size(); ++i)
    RETURN_IF_ERROR(check(op.results[i], "result", i, row->results));
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo
