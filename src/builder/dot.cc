#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

// The result is of the type that is preferred, if one is.
template <class Attrs>
absl::StatusOr<HloInstruction*> AddDot(Recording& r, HloOpcode op,
                                       const std::vector<HloInstruction*>& x, Attrs attrs,
                                       const PrecisionConfig* precision,
                                       std::optional<ElementType> preferred_element_type) {
  if (precision) {
    const auto& p = precision->operand_precision;
    if (p.size() > 2) {
      return r.Error(Format("the precision config has {} entries for 2 operands", p.size()), x);
    }
    if (!p.empty()) attrs.lhs_precision = p[0];
    if (p.size() > 1) attrs.rhs_precision = p[1];
  }
  if (!preferred_element_type) return r.Add(op, x, std::move(attrs));
  if (!IsArrayType(*preferred_element_type)) {
    return r.Error(
        Format("preferred_element_type {} is none of arrays", Name(*preferred_element_type)), x);
  }
  std::vector<const Shape*> operands;
  for (const HloInstruction* i : x) operands.push_back(&i->shape());
  Attributes erased = std::move(attrs);
  ASSIGN_OR_RETURN(Shape shape, InferShape(op, {operands, erased, {}, nullptr}));
  shape.set_element_type(*preferred_element_type);
  return r.Add(op, x, std::move(erased), {}, &shape);
}

DotAttrs DotAttributes(const DotDimensionNumbers& d) {
  return {d.lhs_batch, d.rhs_batch, d.lhs_contracting, d.rhs_contracting};
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
                  return AddDot(r, HloOpcode::Dot, x, DotAttributes(d), precision_config,
                                preferred_element_type);
                });
}

Op DotGeneral(const Operand& lhs, const Operand& rhs, const DotDimensionNumbers& dimension_numbers,
              const PrecisionConfig* precision_config,
              std::optional<ElementType> preferred_element_type) {
  return Record({&lhs, &rhs}, Name(HloOpcode::Dot),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
                  return AddDot(r, HloOpcode::Dot, x, DotAttributes(dimension_numbers),
                                precision_config, preferred_element_type);
                });
}

Op RaggedDot(const Operand& lhs, const Operand& rhs, const Operand& group_sizes,
             const RaggedDotDimensionNumbers& dimension_numbers,
             const PrecisionConfig* precision_config,
             std::optional<ElementType> preferred_element_type) {
  return Record({&lhs, &rhs, &group_sizes}, Name(HloOpcode::RaggedDot),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
                  ASSIGN_OR_RETURN(HloInstruction * sizes, r.Find(group_sizes.op()));
                  x.push_back(sizes);
                  RaggedDotAttrs attrs;
                  static_cast<DotAttrs&>(attrs) =
                      DotAttributes(dimension_numbers.dot_dimension_numbers);
                  attrs.lhs_ragged_dims = dimension_numbers.lhs_ragged_dimensions;
                  attrs.rhs_group_dims = dimension_numbers.rhs_group_dimensions;
                  return AddDot(r, HloOpcode::RaggedDot, x, std::move(attrs), precision_config,
                                preferred_element_type);
                });
}

}  // namespace sinter
