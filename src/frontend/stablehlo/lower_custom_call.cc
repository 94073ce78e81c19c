// Custom calls: operations that XLA's exporter and JAX write as calls, and calls of code that the
// host registers.
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "frontend/stablehlo/lowering.h"
#include "ir/custom_call_layouts.h"

namespace sinter::stablehlo {
namespace lower {
namespace {

// stablehlo.custom_call @mhlo.topk(%0) {mhlo.attributes = {k = 2 : i64, largest = true}}
absl::Status TopKCall(Lowering& l, const Operation& op) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 2));
  ASSIGN_OR_RETURN(const Attribute* fields, l.Require(op, "mhlo.attributes"));
  TopKAttrs attrs;
  bool has_k = false;
  for (const NamedAttribute& field : fields->entries) {
    if (field.name == "k" && field.value.kind == Attribute::Kind::kInteger) {
      attrs.k = field.value.integer;
      has_k = true;
    } else if (field.name == "largest" && field.value.kind == Attribute::Kind::kBool) {
      attrs.largest = field.value.integer;
    }
  }
  if (!has_k) return l.Invalid(op, "mhlo.attributes must have an integer k");
  return l.AddResults(op, HloOpcode::TopK, l.Operands(op), attrs, {});
}

// stablehlo.custom_call @ApproxTopK(%x, %indices, %least, %none) {called_computations = [@greater],
// mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64, ...}}: the first elements in the
// order of the comparator, as many as the results have. That is exact, which every recall allows;
// only implementations by reduction use the initial values. The number of elements may be one more
// operand, which then follows from the results' sizes.
absl::Status ApproxTopK(Lowering& l, const Operation& op) {
  const size_t count = op.results.size();
  const bool counted = op.operands.size() == 2 * count + 1;
  RETURN_IF_ERROR(l.CheckCounts(op, 2 * count + (counted ? 1 : 0), count));
  ASSIGN_OR_RETURN(const Attribute* fields, l.Require(op, "mhlo.backend_config"));
  int64_t dimension = -1;
  for (const NamedAttribute& field : fields->entries) {
    if (field.name == "reduction_dim" && field.value.kind == Attribute::Kind::kInteger)
      dimension = field.value.integer;
  }
  if (dimension < 0) return l.Invalid(op, "mhlo.backend_config must have an integer reduction_dim");
  ASSIGN_OR_RETURN(HloComputation * comparator, l.Callee(op, "called_computations"));
  std::vector<HloInstruction*> arrays = l.Operands(op), first;
  arrays.resize(count);
  ASSIGN_OR_RETURN(
      HloInstruction * sorted,
      l.Add(op, HloOpcode::Sort, arrays, SortAttrs{{dimension}, /*is_stable=*/true}, {comparator}));
  for (size_t i = 0; i < count; ++i) {
    HloInstruction* array = sorted;
    if (count > 1) {
      ASSIGN_OR_RETURN(array, l.Add(op, HloOpcode::GetTupleElement, {sorted},
                                    TupleElementAttrs{static_cast<int64_t>(i)}));
    }
    const auto rank = static_cast<size_t>(array->shape().rank());
    ASSIGN_OR_RETURN(
        HloInstruction * slice,
        l.Add(op, HloOpcode::Slice, {array},
              SliceAttrs{Dims(rank, 0), l.ResultShape(op, i).dimensions(), Dims(rank, 1)}));
    first.push_back(slice);
  }
  if (count == 1) return l.SetResult(op, first[0]);
  ASSIGN_OR_RETURN(HloInstruction * all, l.Add(op, HloOpcode::Tuple, first));
  return l.SetResults(op, all);
}

// The shapes of `values` in the layouts that the operation states for them: for the elements where
// the only value is a tuple.
absl::StatusOr<std::vector<Shape>> ReadLayouts(Lowering& l, const Operation& op,
                                               std::string_view key,
                                               absl::Span<const ValueId> values) {
  std::vector<Shape> shapes;
  for (ValueId v : values) shapes.push_back(l.ShapeOf(v));
  const Attribute* layouts = op.Find(key);
  if (layouts == nullptr) return shapes;
  std::vector<Shape*> stated;
  const bool is_tuple = shapes.size() == 1 && shapes[0].is_tuple();
  for (Shape& s : is_tuple ? shapes[0].mutable_tuple_shapes() : shapes) stated.push_back(&s);
  if (layouts->kind != Attribute::Kind::kArray || layouts->elements.size() != stated.size())
    return l.Invalid(op, "{} must be a list of {} layouts", key, stated.size());
  for (size_t i = 0; i < stated.size(); ++i) {
    Shape& shape = *stated[i];
    ASSIGN_OR_RETURN(Dims minor_to_major, l.ToDims(op, layouts->elements[i]));
    Dims own(static_cast<size_t>(shape.is_array() ? shape.rank() : 0));
    std::iota(own.begin(), own.end(), 0);
    if (!std::is_permutation(minor_to_major.begin(), minor_to_major.end(), own.begin(), own.end()))
      return l.Invalid(op, "{} {} is no layout of {}", key, i, ToText(shape));
    if (shape.is_array()) shape.set_minor_to_major(std::move(minor_to_major));
  }
  return shapes;
}

absl::Status ReadVersion(Lowering& l, const Operation& op, CustomCallAttrs& attrs) {
  const Attribute* version = op.Find("api_version");
  if (version == nullptr) return absl::OkStatus();
  constexpr auto kLast = static_cast<int64_t>(CustomCallApiVersion::kTypedFfi);
  if (version->kind != Attribute::Kind::kInteger || version->integer < 0 ||
      version->integer > kLast)
    return l.Invalid(op, "api_version must be an integer of 0 to {}", kLast);
  attrs.api_version = static_cast<CustomCallApiVersion>(version->integer);
  return absl::OkStatus();
}

// [#stablehlo.output_operand_alias<output_tuple_indices = [0], operand_index = 0,
// operand_tuple_indices = []>]
absl::Status ReadAliases(Lowering& l, const Operation& op, CustomCallAttrs& attrs) {
  const Attribute* aliases = op.Find("output_operand_aliases");
  if (aliases == nullptr || aliases->kind != Attribute::Kind::kArray) return absl::OkStatus();
  for (const Attribute& a : aliases->elements) {
    ASSIGN_OR_RETURN(auto fields, FieldsOf(a));
    OutputOperandAlias& alias = attrs.output_to_operand_aliasing.emplace_back();
    for (const NamedAttribute& f : fields) {
      if (f.name == "operand_index") alias.operand = f.value.integer;
      Dims* to = f.name == "output_tuple_indices"    ? &alias.output_index
                 : f.name == "operand_tuple_indices" ? &alias.operand_index
                                                     : nullptr;
      if (to == nullptr) continue;
      ASSIGN_OR_RETURN(*to, l.ToDims(op, f.value));
    }
  }
  return absl::OkStatus();
}

// The arguments of a target besides its arrays.
void ReadConfig(const Operation& op, CustomCallAttrs& attrs) {
  for (std::string_view key : {"backend_config", "mhlo.backend_config"}) {
    const Attribute* config = op.Find(key);
    if (!config || !attrs.opaque.empty()) continue;
    if (config->kind == Attribute::Kind::kString) {
      attrs.opaque = config->text;
      continue;
    }
    attrs.opaque = config->kept;
    // Only that interface takes dictionaries.
    if (attrs.api_version == CustomCallApiVersion::kUnspecified)
      attrs.api_version = CustomCallApiVersion::kTypedFfi;
  }
}

// XLA's exporter writes operations that StableHLO does not have as calls: @mhlo.sinh, @mhlo.erf.
std::optional<HloOpcode> UnaryCall(std::string_view target) {
  constexpr std::string_view kPrefix = "mhlo.";
  if (target.substr(0, kPrefix.size()) != kPrefix) return std::nullopt;
  std::optional<HloOpcode> op = OpFromName(target.substr(kPrefix.size()));
  if (!op || !IsElementwise(*op) || Info(*op).arity != 1) return std::nullopt;
  if (Info(*op).attrs != kAttributesIndex<NoAttrs>) return std::nullopt;
  return op;
}

}  // namespace

absl::Status CustomCall(Lowering& l, const Operation& op, const OpRow& row) {
  ASSIGN_OR_RETURN(const Attribute* target, l.Require(op, "call_target_name"));
  if (op.Find("indices_of_shape_operands")) {
    ASSIGN_OR_RETURN(const Operation refined, WithoutShapeOperands(l, op));
    return CustomCall(l, refined, row);
  }
  CustomCallAttrs attrs;
  attrs.custom_call_target = target->text;
  if (SizedCall lower = FindSizedCall(target->text)) return lower(l, op);
  if (IsAnnotationCall(l, op, target->text)) return AnnotationCall(l, op, target->text);
  if (target->text == "mhlo.topk") return TopKCall(l, op);
  if (target->text == "ApproxTopK" || target->text == "stablehlo.dynamic_approx_top_k")
    return ApproxTopK(l, op);
  if (std::optional<HloOpcode> unary = UnaryCall(target->text)) {
    return l.AddResult(op, *unary, l.Operands(op));
  }
  RETURN_IF_ERROR(ReadVersion(l, op, attrs));
  RETURN_IF_ERROR(ReadAliases(l, op, attrs));
  ReadConfig(op, attrs);
  attrs.has_side_effect = op.Flag("has_side_effect");
  ASSIGN_OR_RETURN(std::vector<Shape> in, ReadLayouts(l, op, "operand_layouts", op.operands));
  ASSIGN_OR_RETURN(std::vector<Shape> out, ReadLayouts(l, op, "result_layouts", op.results));
  StateLayouts(attrs, in, out.size() == 1 ? out[0] : Shape::Tuple(out));
  ASSIGN_OR_RETURN(std::vector<HloComputation*> called, l.Callees(op, "called_computations"));
  return l.AddResults(op, HloOpcode::CustomCall, l.Operands(op), std::move(attrs), called);
}

}  // namespace lower
}  // namespace sinter::stablehlo
