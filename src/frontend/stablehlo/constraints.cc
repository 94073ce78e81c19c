// Which types may be quantized, and the constraints of families with few: control flow,
// asynchronous operations, random numbers, accuracy.
#include "frontend/stablehlo/constraints.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "absl/strings/ascii.h"
#include "frontend/stablehlo/constraint_checks.h"

namespace sinter::stablehlo {
namespace constraints {

// stablehlo.case has the constraints of stablehlo.if under other labels.
absl::Status Case(const Lowering& l, const Operation& op) {
  const bool is_if = op.name == "stablehlo.if";
  if (op.regions.empty()) return l.Invalid(op, "(C1) needs a branch");
  for (size_t b = 0; b < op.regions.size(); ++b) {
    const Region& branch = op.regions[b];
    if (!branch.arguments.empty()) {
      return l.Invalid(op, "({}) branch {} takes {} arguments", is_if ? "C1" : "C2", b,
                       branch.arguments.size());
    }
    const auto& first = op.regions[0].returned;
    if (branch.returned.size() != first.size()) {
      return l.Invalid(op, "({}) branch {} returns {} values, branch 0 returns {}",
                       is_if ? "C2" : "C3", b, branch.returned.size(), first.size());
    }
    for (size_t i = 0; i < first.size(); ++i) {
      if (SameType(l, branch.returned[i], first[i])) continue;
      return l.Invalid(op, "({}) value {} is {} in branch {}, {} in branch 0", is_if ? "C2" : "C3",
                       i, Text(l, branch.returned[i]), b, Text(l, first[i]));
    }
  }
  return CheckResults(l, op, op.regions[0].returned, is_if ? "C3" : "C4");
}

// The parameters and results of the condition and the body are checked with the loop in the graph.
absl::Status While(const Lowering& l, const Operation& op) {
  return CheckResults(l, op, op.operands, "C3");
}

absl::Status Composite(const Lowering& l, const Operation& op) {
  const Attribute* name = op.Find("name");
  const size_t dot = name ? name->text.find('.') : std::string::npos;
  auto is_part = [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_$.-").find(c) != std::string_view::npos;
  };
  const bool namespaced =
      name && name->kind == Attribute::Kind::kString && dot != std::string::npos && dot > 0 &&
      dot + 1 < name->text.size() &&
      (absl::ascii_isalpha(static_cast<unsigned char>(name->text[0])) || name->text[0] == '_') &&
      std::all_of(name->text.begin(), name->text.end(), is_part);
  if (!namespaced) {
    return l.Invalid(op, "(C1) the name '{}' must be that of a namespace and of an operation",
                     name ? name->text : "");
  }
  const Attribute* symbol = op.Find("decomposition");
  const Function* f = symbol ? l.FindFunction(symbol->text) : nullptr;
  if (f == nullptr) return absl::OkStatus();  // an error of its own
  auto agree = [&](const std::vector<ValueId>& ids, const std::vector<Shape>& shapes) {
    return ids.size() == shapes.size() &&
           std::equal(ids.begin(), ids.end(), shapes.begin(),
                      [&](ValueId id, const Shape& s) { return SameType(l.Declared(id), s); });
  };
  if (!agree(op.operands, f->argument_shapes)) {
    return l.Invalid(op, "(C3) @{} takes ({}), the operands are ({})", f->name,
                     Text(f->argument_shapes), Text(l, op.operands));
  }
  if (!agree(op.results, f->result_shapes)) {
    return l.Invalid(op, "(C4) @{} returns ({}), the results are ({})", f->name,
                     Text(f->result_shapes), Text(l, op.results));
  }
  return absl::OkStatus();
}

absl::Status AsyncStart(const Lowering& l, const Operation& op) {
  if (op.regions.size() != 1) return absl::OkStatus();
  const Region& body = op.regions[0];
  if (body.operations.size() != 1) {
    return l.Invalid(op, "(C1) the body must be one operation, it has {}", body.operations.size());
  }
  const Operation& inner = body.operations[0];
  constexpr std::string_view kAllowed[] = {"stablehlo.all_gather",
                                           "stablehlo.all_reduce",
                                           "stablehlo.all_to_all",
                                           "stablehlo.collective_permute",
                                           "stablehlo.reduce_scatter",
                                           "stablehlo.collective_broadcast",
                                           "stablehlo.slice",
                                           "stablehlo.dynamic_slice",
                                           "stablehlo.dynamic_update_slice"};
  if (std::find(std::begin(kAllowed), std::end(kAllowed), inner.name) == std::end(kAllowed)) {
    return l.Invalid(op, "(C2) '{}' is neither a collective nor a slice", inner.name);
  }
  // The body may name its arguments or capture the operands.
  std::vector<ValueId> passed = inner.operands;
  for (ValueId& id : passed) {
    auto argument = std::find(body.arguments.begin(), body.arguments.end(), id);
    const auto at = static_cast<size_t>(argument - body.arguments.begin());
    if (argument == body.arguments.end()) continue;
    if (at < op.operands.size()) id = op.operands[at];
  }
  if (passed != op.operands) {
    return l.Invalid(op, "(C3) the operands must be those of '{}'", inner.name);
  }
  if (op.results.size() != 1) return absl::OkStatus();
  std::vector<Shape> given;
  for (ValueId id : body.returned) given.push_back(l.Declared(id));
  const Shape future = given.size() == 1 ? given[0] : Shape::Tuple(std::move(given));
  if (!SameType(future, l.Declared(op.results[0]))) {
    return l.Invalid(op, "(C4) the result is a future of {}, the body returns {}",
                     Text(l, op.results[0]), ToText(future));
  }
  return absl::OkStatus();
}

absl::Status AsyncDone(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 1) return absl::OkStatus();
  const Shape& future = l.Declared(op.operands[0]);
  std::vector<Shape> expected =
      future.is_tuple() && op.results.size() != 1 ? future.tuple_shapes() : std::vector{future};
  bool same = expected.size() == op.results.size();
  for (size_t i = 0; same && i < expected.size(); ++i)
    same = SameType(expected[i], l.Declared(op.results[i]));
  if (same) return absl::OkStatus();
  return l.Invalid(op, "(C1) the operand is a future of {}, the results are ({})", ToText(future),
                   Text(l, op.results));
}

// The type of a constant is stated twice in the generic form.
absl::Status Constant(const Lowering& l, const Operation& op) {
  const Attribute* value = op.Find("value");
  if (!value || !value->type || op.results.size() != 1) return absl::OkStatus();
  // Of a quantized constant the stored integers are given.
  Shape result = l.Declared(op.results[0]);
  if (value->type->shape.quantization() == nullptr) result.set_quantization(nullptr);
  if (SameType(value->type->shape, result)) return absl::OkStatus();
  return l.Invalid(op, "(C1) the value is {}, the result is {}", ToText(value->type->shape),
                   Text(l, op.results[0]));
}

absl::Status ReduceWindow(const Lowering& l, const Operation& op) {
  return CheckPadding(l, op, "C12");
}

absl::Status Rng(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 3 || op.results.size() != 1) return absl::OkStatus();
  const Shape &shape = l.Declared(op.operands[2]), &result = l.Declared(op.results[0]);
  if (!shape.is_array() || shape.rank() != 1 || !IsInteger(shape.element_type())) {
    return l.Invalid(op, "the shape must be a vector of integers, not {}", ToText(shape));
  }
  if (!Known(shape.dimension(0))) return absl::OkStatus();
  if (result.rank() != shape.dimension(0)) {
    return l.Invalid(op, "(C3) the shape has {} sizes, the result is {}", shape.dimension(0),
                     ToText(result));
  }
  std::optional<Dims> sizes = ConstantSizes(l, op, 2);
  for (size_t d = 0; sizes && d < sizes->size(); ++d) {
    const int64_t declared = result.dimensions()[d];
    if (Known(declared) && !result.is_dynamic(static_cast<int64_t>(d)) && declared != (*sizes)[d]) {
      return l.Invalid(op, "(C3) size {} is {}, the result is {}", d, (*sizes)[d], ToText(result));
    }
  }
  return absl::OkStatus();
}

// #stablehlo.result_accuracy<atol = 1.0e-05, rtol = 0.0, ulps = 1, mode =
// #stablehlo.result_accuracy_mode<TOLERANCE>>: tolerances are not negative, and only that mode has
// them. The accuracy of results does not depend on it.
absl::Status ResultAccuracy(const Lowering& l, const Operation& op) {
  const Attribute* accuracy = op.Find("result_accuracy");
  if (accuracy == nullptr) return absl::OkStatus();
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*accuracy));
  bool has_tolerance = false;
  std::string_view mode = "DEFAULT";
  for (const NamedAttribute& f : fields) {
    if (f.name == "mode") {
      mode = Lowering::Word(f.value);
      continue;
    }
    const bool is_ulps = f.name == "ulps", is_real = f.name == "atol" || f.name == "rtol";
    if (!is_ulps && !is_real)
      return l.Invalid(op, "'{}' is no field of a result's accuracy", f.name);
    const double value = f.value.kind == Attribute::Kind::kInteger
                             ? static_cast<double>(f.value.integer)
                             : f.value.real;
    if (!(value >= 0) || !std::isfinite(value))
      return l.Invalid(op, "the tolerance {} = {} must be finite and not negative", f.name, value);
    has_tolerance |= value != 0;
  }
  constexpr std::string_view kModes[] = {"DEFAULT", "HIGHEST", "TOLERANCE"};
  if (std::find(std::begin(kModes), std::end(kModes), mode) == std::end(kModes))
    return l.Invalid(op, "'{}' is no mode of a result's accuracy", mode);
  if (has_tolerance != (mode == "TOLERANCE")) {
    return l.Invalid(op, "the accuracy's mode {} is one {} tolerances", mode,
                     has_tolerance ? "without" : "with");
  }
  return absl::OkStatus();
}

}  // namespace constraints

namespace {

Quantized QuantizedAs(const Quantization* q) {
  if (q == nullptr) return Quantized::kUnquantized;
  return q->dimension < 0 && q->block_dimensions.empty() ? Quantized::kPerTensor
                                                         : Quantized::kAnyScales;
}

// Whether types that are quantized may be so.
absl::Status CheckQuantizedTypes(const Lowering& l, const Operation& op,
                                 const QuantizedTypes& types) {
  auto check = [&](ValueId id, std::string_view what, size_t i, Quantized allowed) {
    if (QuantizedAs(l.QuantizationOf(id)) <= allowed) return absl::OkStatus();
    return l.Invalid(op, "{} {} may not {}, it is {}", what, i,
                     allowed == Quantized::kUnquantized ? "be quantized" : "have several scales",
                     constraints::Text(l, id));
  };
  for (size_t i = 0; i < op.operands.size(); ++i) {
    RETURN_IF_ERROR(check(op.operands[i], "operand", i, i == 1 ? types.second : types.operands));
  }
  for (size_t i = 0; i < op.results.size(); ++i)
    RETURN_IF_ERROR(check(op.results[i], "result", i, types.results));
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckConstraints(const Lowering& l, const Operation& op, const OpRow& row) {
  RETURN_IF_ERROR(CheckQuantizedTypes(l, op, row.quantized));
  return row.constraints == nullptr ? absl::OkStatus() : row.constraints(l, op);
}

}  // namespace sinter::stablehlo
