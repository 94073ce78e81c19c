#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "frontend/stablehlo/kept_attributes.h"
#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/parser.h"
#include "frontend/stablehlo/print_text.h"
#include "ir/custom_call_layouts.h"
#include "ir/layout.h"

namespace sinter::stablehlo {

absl::StatusOr<HloInstruction*> Lowering::Splat(const Operation& op, Literal scalar,
                                                const Shape& shape) {
  auto value = std::make_shared<const Literal>(std::move(scalar));
  ASSIGN_OR_RETURN(HloInstruction * one,
                   Add(op, HloOpcode::Constant, {}, ConstantAttrs{std::move(value)}));
  if (shape.rank() == 0) return one;
  Shape result(one->shape().element_type(), shape.dimensions());
  return Add(op, HloOpcode::Broadcast, {one}, DimensionsAttrs{}, {}, &result);
}

namespace {

// As MLIR, which keeps one element where all are the same bits.
bool IsUniform(const Literal& l) {
  auto* bytes = static_cast<const std::byte*>(l.untyped_data());
  auto width = static_cast<size_t>(ByteWidth(l.shape().element_type()));
  auto size = static_cast<size_t>(l.byte_size());
  return size >= width && std::memcmp(bytes, bytes + width, size - width) == 0;
}

Literal FirstElement(const Literal& l) {
  Literal one{Shape(l.shape().element_type())};
  std::memcpy(one.untyped_data(), l.untyped_data(), static_cast<size_t>(one.byte_size()));
  return one;
}

}  // namespace

// The text does not bound how many elements stand for one: large ones are broadcast, small ones
// stay constants, which passes look into more easily.
absl::StatusOr<HloInstruction*> Lowering::AddConstant(const Operation& op, const Attribute& a) {
  constexpr int64_t kMaxFilled = 64;
  const Shape& shape = a.type->shape;
  std::shared_ptr<const Literal> value = a.value;
  if (!a.resource.empty()) {
    auto it = program_.resources.find(a.resource);
    if (it == program_.resources.end()) {
      return source_.Invalid(a.at, "there is no resource '{}'", a.resource);
    }
    // Blobs begin with their alignment, four bytes.
    ASSIGN_OR_RETURN(Literal blob, ParseHex(source_, it->second, shape, 4, nullptr));
    value = std::make_shared<const Literal>(std::move(blob));
  } else if (a.splat && shape.rank() != 0) {
    if (shape.element_count() > kMaxFilled) return Splat(op, *value, shape);
    Literal filled{Shape(shape.element_type(), shape.dimensions())};
    size_t width = static_cast<size_t>(ByteWidth(shape.element_type()));
    auto* out = static_cast<std::byte*>(filled.untyped_data());
    auto* one = static_cast<const std::byte*>(value->untyped_data());
    for (int64_t i = 0; i < shape.element_count(); ++i) out = std::copy_n(one, width, out);
    value = std::make_shared<const Literal>(std::move(filled));
  }
  if (shape.element_count() > kMaxFilled && IsUniform(*value)) {
    return Splat(op, FirstElement(*value), shape);
  }
  if (value->shape().quantization()) {  // the stored integers
    Literal plain(InGraph(value->shape()));
    std::memcpy(plain.untyped_data(), value->untyped_data(),
                static_cast<size_t>(plain.byte_size()));
    value = std::make_shared<const Literal>(std::move(plain));
  }
  return Add(op, HloOpcode::Constant, {}, ConstantAttrs{std::move(value)});
}

namespace lower {

absl::Status Constant(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 0, 1));
  ASSIGN_OR_RETURN(const Attribute* value, l.Require(op, "value"));
  if (value->kind != Attribute::Kind::kElements) {
    return l.Invalid(op, "the value must be a dense constant");
  }
  ASSIGN_OR_RETURN(HloInstruction * constant, l.AddConstant(op, *value));
  return l.SetResult(op, constant);
}

absl::Status Tuple(Lowering& l, const Operation& op, const OpRow&) {
  return l.AddResult(op, HloOpcode::Tuple, l.Operands(op));
}

absl::Status GetTupleElement(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(int64_t index, l.RequireInteger(op, "index"));
  return l.AddResult(op, HloOpcode::GetTupleElement, l.Operands(op), TupleElementAttrs{index});
}

namespace {

// What only annotates an operand is a copy of it, on which the text of the operation is kept and
// which simplification removes. What is no array, and what has no text, is the operand itself.
absl::StatusOr<HloInstruction*> AnnotatedCopy(Lowering& l, const Operation& op, size_t operand,
                                              std::string text) {
  HloInstruction* x = l.Operand(op, operand);
  if (text.empty() || !x->shape().is_array()) return x;
  ASSIGN_OR_RETURN(HloInstruction * copy, l.Add(op, HloOpcode::Copy, {x}));
  copy->set_annotations({{std::string(kIdentity), std::move(text)}});
  return copy;
}

// sdy.sharding_constraint %0 <@mesh, [{"x"}]>, also from the generic form.
std::string AnnotationText(const Operation& op) {
  if (const Attribute* text = op.Find("annotation")) return text->text;
  const Attribute* sharding = op.Find("sharding");
  const bool is_form = op.name == "sdy.sharding_constraint" || op.name == "sdy.reshard";
  if (!is_form || sharding == nullptr || sharding->body.empty()) return "";
  return Format("{} %0 <{}>", op.name, sharding->body);
}

}  // namespace

absl::Status Identity(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(HloInstruction * x, AnnotatedCopy(l, op, 0, AnnotationText(op)));
  return l.SetResult(op, x);
}

// What groups values by where they lie: what uses the value afterwards uses the one of the group.
absl::Status Nothing(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 0));
  ASSIGN_OR_RETURN(HloInstruction * x, AnnotatedCopy(l, op, 0, AnnotationText(op)));
  l.Rebind(op.operands[0], x);
  return absl::OkStatus();
}

absl::Status AfterAll(Lowering& l, const Operation& op, const OpRow&) {
  return l.AddResult(op, HloOpcode::AfterAll, l.Operands(op));
}

// Several operands go through one barrier as a tuple.
absl::Status Barrier(Lowering& l, const Operation& op, const OpRow&) {
  if (op.operands.size() != op.results.size()) {
    return l.Invalid(op, "has {} operands, but {} results", op.operands.size(), op.results.size());
  }
  if (op.operands.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(HloInstruction * packed, l.Pack(op, op.operands));
  return l.AddResults(op, HloOpcode::OptimizationBarrier, {packed}, NoAttrs{}, {});
}

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

// Calls that say where values lie, and change none: those of their operands' shapes, so that on one
// device the whole is its part.
bool IsAnnotation(Lowering& l, const Operation& op, std::string_view target) {
  constexpr std::string_view kTargets[] = {"Sharding",
                                           "SPMDFullToShardShape",
                                           "SPMDShardToFullShape",
                                           "LayoutConstraint",
                                           "MoveToDevice",
                                           "MoveToHost",
                                           "annotate_device_placement",
                                           "xla.sdy.FuncResultSharding",
                                           "xla.sdy.GlobalToLocalShape",
                                           "xla.sdy.LocalToGlobalShape",
                                           "xla.sdy.PropagationBarrier"};
  if (!absl::c_linear_search(kTargets, target) || op.operands.size() != op.results.size()) {
    return false;
  }
  for (size_t i = 0; i < op.results.size(); ++i) {
    if (!l.IsOfType(l.Operand(op, i)->shape(), l.ResultShape(op, i))) return false;
  }
  return !op.results.empty();
}

// stablehlo.custom_call @Sharding(%0) {backend_config = "unspecified_dims=[0]"}
absl::Status AnnotationCall(Lowering& l, const Operation& op, std::string_view target) {
  std::string attributes;
  const Attribute* config = op.Find("backend_config");
  if (config && config->kind == Attribute::Kind::kString && !config->text.empty())
    attributes = Format("backend_config = {}", QuotedText(config->text));
  const Attribute* effect = op.Find("has_side_effect");
  if (effect && effect->kind == Attribute::Kind::kBool && effect->integer)
    attributes += Format("{}has_side_effect = true", attributes.empty() ? "" : ", ");
  const std::string text = Format("stablehlo.custom_call {}(%0){}", SymbolText(target),
                                  attributes.empty() ? "" : Format(" {{{}}}", attributes));
  std::vector<HloInstruction*> results;
  for (size_t i = 0; i < op.operands.size(); ++i) {
    ASSIGN_OR_RETURN(HloInstruction * x, AnnotatedCopy(l, op, i, text));
    results.push_back(x);
  }
  return l.BindResults(op, results);
}

// stablehlo.custom_call @ApproxTopK(%x, %indices, %least, %none) {called_computations = [@greater],
// mhlo.backend_config = {reduction_dim = 1 : i64, top_k = 2 : i64, ...}}: what sorting by the
// comparator brings to the front, as many as the results have. That is exact, which every recall
// allows; the initial values are only for those who reduce.
// How many are taken may be one more operand, and follow from the results' sizes.
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

absl::Status CallInLayouts(Lowering& l, const Operation& op, CustomCallAttrs attrs) {
  ASSIGN_OR_RETURN(std::vector<Shape> in, ReadLayouts(l, op, "operand_layouts", op.operands));
  ASSIGN_OR_RETURN(std::vector<Shape> out, ReadLayouts(l, op, "result_layouts", op.results));
  const std::vector<HloInstruction*> operands = l.Operands(op);
  if (absl::c_none_of(in, HasLayout) && absl::c_none_of(out, HasLayout))
    return l.AddResults(op, HloOpcode::CustomCall, operands, std::move(attrs), {});
  auto add = [&](HloOpcode opcode, const std::vector<HloInstruction*>& x, Attributes a,
                 const Shape* declared) {
    return l.Add(op, opcode, x, std::move(a), {}, declared);
  };
  const bool one = out.size() == 1;
  ASSIGN_OR_RETURN(CustomCallInLayouts made,
                   AddCustomCallInLayouts(add, operands, in, one ? out[0] : Shape::Tuple(out),
                                          std::move(attrs)));
  return one ? l.SetResult(op, made.value) : l.SetResults(op, made.value);
}

// XLA's exporter writes what StableHLO has no operation for as calls: @mhlo.sinh, @mhlo.erf.
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
  if (IsAnnotation(l, op, target->text)) return AnnotationCall(l, op, target->text);
  if (target->text == "mhlo.topk") return TopKCall(l, op);
  if (target->text == "ApproxTopK" || target->text == "stablehlo.dynamic_approx_top_k")
    return ApproxTopK(l, op);
  if (std::optional<HloOpcode> unary = UnaryCall(target->text)) {
    return l.AddResult(op, *unary, l.Operands(op));
  }
  for (std::string_view key : {"backend_config", "mhlo.backend_config"}) {
    const Attribute* config = op.Find(key);
    if (!config || !attrs.opaque.empty()) continue;
    attrs.opaque =
        config->kind == Attribute::Kind::kString ? config->text : std::string(config->body);
  }
  const Attribute* effect = op.Find("has_side_effect");
  attrs.has_side_effect = effect && effect->kind == Attribute::Kind::kBool && effect->integer;
  return CallInLayouts(l, op, std::move(attrs));
}

// check.expect_close %a, %b, max_ulp_difference = 3 becomes the custom call of that name; its
// attributes stand in the backend_config as "max_ulp_difference=3". The forms with _const have the
// expected value as an attribute.
absl::Status Check(Lowering& l, const Operation& op, const OpRow&) {
  constexpr std::string_view kConst = "_const";
  CustomCallAttrs attrs;
  attrs.custom_call_target = op.name;
  attrs.has_side_effect = true;
  std::vector<HloInstruction*> operands = l.Operands(op);
  std::string& name = attrs.custom_call_target;
  if (name.size() > kConst.size() && name.substr(name.size() - kConst.size()) == kConst) {
    name.resize(name.size() - kConst.size());
    ASSIGN_OR_RETURN(const Attribute* value, l.Require(op, "value"));
    if (value->kind != Attribute::Kind::kElements) {
      return l.Invalid(op, "the value must be a dense constant");
    }
    ASSIGN_OR_RETURN(HloInstruction * expected, l.AddConstant(op, *value));
    operands.push_back(expected);
  }
  if (operands.size() != 2) return l.Invalid(op, "compares 2 values, got {}", operands.size());
  if (name == "check.expect_almost_eq") attrs.opaque = "tolerance=0.0001";
  for (const NamedAttribute& a : op.attributes) {
    if (a.value.kind == Attribute::Kind::kInteger) {
      attrs.opaque = Format("{}={}", a.name, a.value.integer);
    } else if (a.value.kind == Attribute::Kind::kFloat) {
      attrs.opaque = Format("{}={}", a.name, a.value.real);
    }
  }
  Shape none;
  return l.Add(op, HloOpcode::CustomCall, operands, std::move(attrs), {}, &none).status();
}

}  // namespace lower
}  // namespace sinter::stablehlo
