#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

absl::StatusOr<HloInstruction*> AddDot(Recording& r, const std::vector<HloInstruction*>& x,
                                       const DotDimensionNumbers& d,
                                       const PrecisionConfig* precision,
                                       std::optional<ElementType> preferred_element_type) {
  DotAttrs attrs{d.lhs_batch, d.rhs_batch, d.lhs_contracting, d.rhs_contracting};
  if (precision) {
    const auto& p = precision->operand_precision;
    if (p.size() > 2) {
      return r.Error(Format("the precision config has {} entries for 2 operands", p.size()), x);
    }
    if (!p.empty()) attrs.lhs_precision = p[0];
    if (p.size() > 1) attrs.rhs_precision = p[1];
  }
  if (!preferred_element_type) return r.Add(HloOpcode::Dot, x, std::move(attrs));
  if (!IsArrayType(*preferred_element_type)) {
    return r.Error(
        Format("preferred_element_type {} is none of arrays", Name(*preferred_element_type)), x);
  }
  const Shape* operands[] = {&x[0]->shape(), &x[1]->shape()};
  Attributes erased = attrs;
  ASSIGN_OR_RETURN(Shape shape, InferShape(HloOpcode::Dot, {operands, erased, {}, nullptr}));
  shape.set_element_type(*preferred_element_type);
  return r.Add(HloOpcode::Dot, x, std::move(erased), {}, &shape);
}

}  // namespace

Op Dot(const Operand& lhs, const Operand& rhs, const PrecisionConfig* precision_config,
       std::optional<ElementType> preferred_element_type) {
  return Record({&lhs, &rhs}, Name(HloOpcode::Dot),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
                  DotDimensionNumbers d;
                  d.lhs_contracting = {x[0]->shape().rank() == 1 ? 0 : 1};
                  d.rhs_contracting = {0};
                  return AddDot(r, x, d, precision_config, preferred_element_type);
                });
}

Op DotGeneral(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dimension_numbers,
              const PrecisionConfig* precision_config,
              std::optional<ElementType> preferred_element_type) {
  return Record({&lhs, &rhs}, Name(HloOpcode::Dot),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
                  return AddDot(r, x, dimension_numbers, precision_config, preferred_element_type);
                });
}

}  // namespace sinter
