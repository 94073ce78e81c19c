#include "frontend/stablehlo/constraint_checks.h"

#include <algorithm>

namespace sinter::stablehlo::constraints {

bool MayAgree(const Shape& a, int64_t i, const Shape& b, int64_t j) {
  return a.dimension(i) == b.dimension(j) || !Known(a.dimension(i)) || !Known(b.dimension(j)) ||
         a.is_dynamic(i) || b.is_dynamic(j);
}

bool SameSizes(const Shape& a, const Shape& b) {
  if (a.rank() != b.rank()) return false;
  for (int64_t d = 0; d < a.rank(); ++d) {
    if (!MayAgree(a, d, b, d)) return false;
  }
  return true;
}

bool SameType(const Shape& a, const Shape& b) {
  const Quantization *p = a.quantization(), *q = b.quantization();
  return a.element_type() == b.element_type() && SameSizes(a, b) &&
         (p == nullptr) == (q == nullptr) && (p == nullptr || *p == *q) &&
         std::equal(a.tuple_shapes().begin(), a.tuple_shapes().end(), b.tuple_shapes().begin(),
                    b.tuple_shapes().end(),
                    [](const Shape& x, const Shape& y) { return SameType(x, y); });
}

bool SameType(const Lowering& l, ValueId a, ValueId b) {
  return SameType(l.Declared(a), l.Declared(b));
}

std::string Text(const Lowering& l, ValueId id) { return ToText(l.Declared(id)); }

std::string Text(const Lowering& l, const std::vector<ValueId>& ids) {
  std::string out;
  for (ValueId id : ids) out += (out.empty() ? "" : ", ") + Text(l, id);
  return out;
}

std::string Text(const std::vector<Shape>& shapes) {
  std::string out;
  for (const Shape& s : shapes) out += (out.empty() ? "" : ", ") + ToText(s);
  return out;
}

absl::Status CheckResults(const Lowering& l, const Operation& op, const std::vector<ValueId>& ids,
                          std::string_view label) {
  if (op.results.size() != ids.size()) {
    return l.Invalid(op, "({}) has {} results, not {}", label, ids.size(), op.results.size());
  }
  for (size_t i = 0; i < ids.size(); ++i) {
    if (SameType(l, op.results[i], ids[i])) continue;
    return l.Invalid(op, "({}) result {} is {}, not {}", label, i, Text(l, ids[i]),
                     Text(l, op.results[i]));
  }
  return absl::OkStatus();
}

absl::Status CheckPadding(const Lowering& l, const Operation& op, std::string_view label) {
  const Attribute* padding = op.Find("padding");
  if (padding && padding->kind == Attribute::Kind::kArray) {  // of the pretty form
    for (const Attribute& row : padding->elements) {
      const size_t n =
          row.kind == Attribute::Kind::kIntegers ? row.integers.size() : row.elements.size();
      if (n != 2)
        return l.Invalid(op, "({}) padding must have two numbers a dimension, it has {}", label, n);
    }
  }
  if (!padding || padding->kind != Attribute::Kind::kElements || !padding->type)
    return absl::OkStatus();
  const Shape& s = padding->type->shape;
  if (s.rank() == 2 && s.dimension(1) == 2) return absl::OkStatus();
  return l.Invalid(op, "({}) padding must have two numbers a dimension, it is {}", label,
                   ToText(s));
}

std::optional<Dims> ConstantSizes(const Lowering& l, const Operation& op, size_t operand) {
  if (operand >= op.operands.size() || !l.AreConstant(op, operand, operand + 1))
    return std::nullopt;
  absl::StatusOr<Dims> sizes = l.RequireSizes(op, operand);
  if (!sizes.ok()) return std::nullopt;
  return *std::move(sizes);
}

}  // namespace sinter::stablehlo::constraints
