#include <algorithm>
#include <cstring>
#include <numeric>
#include <optional>

#include "absl/algorithm/container.h"
#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/preserved_attributes.h"

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
  if (a.resource) {
    RETURN_IF_ERROR(a.resource->status());
    value = std::shared_ptr<const Literal>(a.resource, &**a.resource);
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
