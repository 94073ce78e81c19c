// Constraints on quantized types, on products and their algorithms.
#include <algorithm>
#include <array>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"
#include "ir/ops/dot.h"

namespace sinter::stablehlo::constraints {
namespace {

bool IsPerAxis(const Quantization& q) { return q.dimension >= 0; }
bool IsPerTensor(const Quantization& q) { return q.dimension < 0 && q.block_dimensions.empty(); }

// Labels of the constraints that convolutions and general products share; without one where there
// is none.
struct ProductLabels {
  std::string_view types, quantized, storage, expressed, per_tensor, hybrid;
  bool takes_mixed = false;
};

// Both operands and the result, or only the right operand, are quantized, or none is.
absl::Status CheckProduct(const Lowering& l, const Operation& op, const ProductLabels& labels) {
  const ValueId lhs = op.operands[0], rhs = op.operands[1], result = op.results[0];
  const Quantization *x = l.QuantizationOf(lhs), *y = l.QuantizationOf(rhs),
                     *r = l.QuantizationOf(result);
  auto types = [&] {
    return Format("{} and {} give {}", Text(l, lhs), Text(l, rhs), Text(l, result));
  };
  if (!x && !y && !r) {
    const ElementType a = l.Declared(lhs).element_type(), b = l.Declared(rhs).element_type();
    if (infer::AreOfOneKind(a, b)) return absl::OkStatus();
    // JAX has general products of integers by floats for TPUs, with a result of floats, and XLA
    // and MLIR's dialect take them.
    const ElementType to = l.Declared(result).element_type();
    if (labels.takes_mixed && IsFloat(to) &&
        (IsInteger(a) ? IsFloat(b) : IsFloat(a) && IsInteger(b)))
      return absl::OkStatus();
    return l.Invalid(op, "({}) the operands must be of one element type: {}", labels.types,
                     types());
  }
  if ((x != nullptr) != (r && y)) {
    return l.Invalid(
        op, "({}) the left operand is quantized where the right one and the result are: {}",
        labels.quantized, types());
  }
  if (x) {
    if (x->storage != y->storage) {
      return l.Invalid(op, "({}) the operands must store the same integers: {}", labels.storage,
                       types());
    }
    if (x->expressed != y->expressed || y->expressed != r->expressed) {
      return l.Invalid(op, "({}) operands and result must express the same floats: {}",
                       labels.expressed, types());
    }
    if (IsPerTensor(*y) && !IsPerTensor(*r)) {
      return l.Invalid(op, "({}) the result must have one scale where the right operand has: {}",
                       labels.per_tensor, types());
    }
  } else if (!y || r || l.Declared(lhs).element_type() != y->expressed ||
             l.Declared(result).element_type() != y->expressed) {
    return l.Invalid(
        op,
        "({}) the left operand and the result must be of the floats that the right one "
        "expresses: {}",
        labels.hybrid, types());
  }
  return absl::OkStatus();
}

absl::Status CheckPrecisions(const Lowering& l, const Operation& op, std::string_view label) {
  const Attribute* config = op.Find("precision_config");
  // MLIR's dialect takes one for the left operand alone.
  if (!config || config->elements.size() <= 2) return absl::OkStatus();
  return l.Invalid(op, "({}) precision_config has {} entries for 2 operands", label,
                   config->elements.size());
}

struct Numbers {
  int64_t kernel_output_feature = -1, output_feature = -1;
};
absl::StatusOr<Numbers> ReadNumbers(const Operation& op) {
  Numbers n;
  const Attribute* a = op.Find("dimension_numbers");
  if (a == nullptr) return n;
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*a));
  for (const NamedAttribute& f : fields) {
    if (f.name == "kernel_output_feature_dimension") n.kernel_output_feature = f.value.integer;
    if (f.name == "output_feature_dimension") n.output_feature = f.value.integer;
  }
  return n;
}

// Of a pretty form, "contracting_dims = [1] x [0]", or of dimension numbers.
absl::StatusOr<Dims> RightContracting(const Lowering& l, const Operation& op) {
  const Attribute* pair = op.Find("contracting_dims");
  if (pair && pair->elements.size() == 2) return l.ToDims(op, pair->elements[1]);
  const Attribute* numbers = op.Find("dot_dimension_numbers");
  if (numbers == nullptr) return Dims{};
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*numbers));
  for (const NamedAttribute& f : fields) {
    if (f.name == "rhs_contracting_dimensions") return l.ToDims(op, f.value);
  }
  return Dims{};
}

// The algorithms that are known to be supported anywhere (the dialect's list): operands of one
// type and component each, products of up to nine parts of them, summed in a type.
absl::Status CheckAlgorithm(const Lowering& l, const Operation& op,
                            absl::Span<const NamedAttribute> fields) {
  std::string lhs, rhs, accumulation;
  int64_t operations = 1, components = 1;
  bool imprecise = false;
  for (const NamedAttribute& f : fields) {
    const Type* stated = f.value.type.get();
    const std::string type(stated == nullptr ? Lowering::Word(f.value)
                           : stated->kind == Type::Kind::kScalar
                               ? Name(stated->shape.element_type())
                               : stated->text);
    if (f.name == "lhs_precision_type") lhs = type;
    if (f.name == "rhs_precision_type") rhs = type;
    if (f.name == "accumulation_type") accumulation = type;
    if (f.name == "num_primitive_operations") operations = f.value.integer;
    if (f.name == "lhs_component_count" || f.name == "rhs_component_count")
      components = std::max(components, f.value.integer);
    if (f.name == "allow_imprecise_accumulation") imprecise = f.value.integer != 0;
  }
  struct Known {
    std::string_view operands, accumulation;
    int64_t operations;
  };
  constexpr Known kKnown[] = {{"f16", "f16", 1},  {"f16", "f32", 1},  {"bf16", "bf16", 1},
                              {"bf16", "f32", 1}, {"bf16", "f32", 3}, {"bf16", "f32", 6},
                              {"bf16", "f32", 9}, {"tf32", "f32", 1}, {"tf32", "f32", 3},
                              {"f32", "f32", 1},  {"f64", "f64", 1}};
  auto is_f8 = [](const std::string& t) {
    return t.substr(0, 2) == "f8" || t.substr(0, 2) == "F8";
  };
  const bool eight_bits = is_f8(lhs) && is_f8(rhs) && accumulation == "f32" && operations == 1;
  const bool known = std::any_of(std::begin(kKnown), std::end(kKnown), [&](const Known& k) {
    return lhs == k.operands && rhs == k.operands && accumulation == k.accumulation &&
           operations == k.operations;
  });
  if (components == 1 && (eight_bits || (known && !imprecise))) return absl::OkStatus();
  return l.Invalid(op,
                   "the algorithm of {} operations on {} and {} summed in {} is none that is known",
                   operations, lhs, rhs, accumulation);
}

}  // namespace

// (C1) is that of the graph's add.
absl::Status Add(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1) return absl::OkStatus();
  const std::array<const Quantization*, 3> all = {l.QuantizationOf(op.operands[0]),
                                                  l.QuantizationOf(op.operands[1]),
                                                  l.QuantizationOf(op.results[0])};
  const auto is_null = [](const Quantization* q) { return q == nullptr; };
  if (std::all_of(all.begin(), all.end(), is_null)) return absl::OkStatus();
  if (std::any_of(all.begin(), all.end(), is_null))
    return l.Invalid(op, "(C2) either both operands and the result are quantized or none is");
  const auto& [x, y, r] = all;
  if (x->storage != r->storage || y->storage != r->storage)
    return l.Invalid(op, "(C3) operands and result must store the same integers");
  if (x->expressed != r->expressed || y->expressed != r->expressed)
    return l.Invalid(op, "(C4) operands and result must express the same floats");
  if ((IsPerAxis(*x) || IsPerAxis(*y)) != IsPerAxis(*r)) {
    return l.Invalid(
        op, "(C5) the result has scales along a dimension where an operand has, else none");
  }
  if (IsPerAxis(*x) && x->dimension != r->dimension) {
    return l.Invalid(op, "(C6) scales run along dimension {} of operand 0, {} of the result",
                     x->dimension, r->dimension);
  }
  if (IsPerAxis(*y) && y->dimension != r->dimension) {
    return l.Invalid(op, "(C7) scales run along dimension {} of operand 1, {} of the result",
                     y->dimension, r->dimension);
  }
  return absl::OkStatus();
}

absl::Status Convolution(const Lowering& l, const Operation& op) {
  if (op.operands.size() < 2 || op.results.size() != 1) return absl::OkStatus();
  RETURN_IF_ERROR(CheckPrecisions(l, op, "C24"));
  RETURN_IF_ERROR(CheckPadding(l, op, "C4"));
  const Shape &lhs = l.Declared(op.operands[0]), &result = l.Declared(op.results[0]);
  if (lhs.rank() != result.rank())
    return l.Invalid(op, "(C26) the result must have rank {}, not {}", lhs.rank(), result.rank());
  ASSIGN_OR_RETURN(const Numbers n, ReadNumbers(op));
  const Quantization *y = l.QuantizationOf(op.operands[1]), *r = l.QuantizationOf(op.results[0]);
  RETURN_IF_ERROR(CheckProduct(l, op, {"C27", "C28", "C31", "C32", "C33", "C34"}));
  if (y && IsPerAxis(*y) && y->dimension != n.kernel_output_feature) {
    return l.Invalid(op,
                     "(C29) scales of the kernel run along dimension {}, its output features {}",
                     y->dimension, n.kernel_output_feature);
  }
  if (r && IsPerAxis(*r) && r->dimension != n.output_feature) {
    return l.Invalid(op, "(C30) scales of the result run along dimension {}, its features {}",
                     r->dimension, n.output_feature);
  }
  return absl::OkStatus();
}

absl::Status DotGeneral(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1) return absl::OkStatus();
  RETURN_IF_ERROR(CheckPrecisions(l, op, "C11"));
  RETURN_IF_ERROR(CheckProduct(l, op, {"C13", "C14", "C17", "C18", "C19", "C20", true}));
  if (const Quantization* y = l.QuantizationOf(op.operands[1])) {
    if (std::any_of(y->zero_points.begin(), y->zero_points.end(), [](int64_t z) { return z != 0; }))
      return l.Invalid(op, "(C15) the zero points of the right operand must be 0");
    ASSIGN_OR_RETURN(const Dims contracting, RightContracting(l, op));
    if (IsPerAxis(*y) && std::count(contracting.begin(), contracting.end(), y->dimension)) {
      return l.Invalid(op, "(C16) dimension {} of the right operand is contracted, and has scales",
                       y->dimension);
    }
  }
  const Attribute* algorithm = op.Find("algorithm");
  if (algorithm == nullptr) return absl::OkStatus();
  if (const Attribute* config = op.Find("precision_config")) {
    for (const Attribute& p : config->elements) {
      if (Lowering::Word(p) != "DEFAULT")
        return l.Invalid(op, "(C21) precision_config is {} beside an algorithm, not DEFAULT",
                         Lowering::Word(p));
    }
  }
  ASSIGN_OR_RETURN(auto fields, FieldsOf(*algorithm));
  constexpr std::pair<std::string_view, std::string_view> kCounts[] = {
      {"lhs_component_count", "C22"},
      {"rhs_component_count", "C23"},
      {"num_primitive_operations", "C24"}};
  for (const NamedAttribute& f : fields) {
    for (const auto& [name, label] : kCounts) {
      if (f.name != name) continue;
      if (f.value.kind != Attribute::Kind::kInteger || f.value.integer < 1)
        return l.Invalid(op, "({}) {} must be positive, not {}", label, name, f.value.integer);
    }
  }
  return CheckAlgorithm(l, op, fields);
}

absl::Status UniformQuantize(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &r = l.Declared(op.results[0]);
  if (!SameSizes(x, r))
    return l.Invalid(op, "(C1) the operand is {}, the result {}", ToText(x), ToText(r));
  if (r.quantization() == nullptr) return absl::OkStatus();  // an error of its own
  const ElementType from = x.quantization() ? x.quantization()->expressed : x.element_type();
  if (from != r.quantization()->expressed) {
    return l.Invalid(op, "(C2) the operand is of {}, the result expresses {}", Name(from),
                     Name(r.quantization()->expressed));
  }
  return absl::OkStatus();
}

absl::Status UniformDequantize(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &r = l.Declared(op.results[0]);
  if (!SameSizes(x, r))
    return l.Invalid(op, "(C1) the operand is {}, the result {}", ToText(x), ToText(r));
  if (x.quantization() == nullptr) return absl::OkStatus();  // an error of its own
  if (r.element_type() != x.quantization()->expressed) {
    return l.Invalid(op, "(C2) the operand expresses {}, the result is of {}",
                     Name(x.quantization()->expressed), Name(r.element_type()));
  }
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::constraints
