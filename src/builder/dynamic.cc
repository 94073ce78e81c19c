// Dynamic dimensions.

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

absl::Status CheckDimension(Recording& r, HloInstruction* x, int64_t dimension) {
  if (x->shape().is_array() && 0 <= dimension && dimension < x->shape().rank())
    return absl::OkStatus();
  return r.Error(Format("dimension {} is not one of the operand's", dimension), {&x, 1});
}

// Set to its bound, which makes it static.
Made MakeDimensionStatic(Recording& r, HloInstruction* x, int64_t dimension) {
  if (!x->shape().is_dynamic(dimension)) return x;
  Shape shape = x->shape();
  shape.set_dynamic(dimension, false);
  HloInstruction* bound =
      r.AddConstant(Literal::R0(static_cast<int32_t>(shape.dimension(dimension))));
  return r.Add(HloOpcode::SetDimensionSize, {x, bound}, DimensionsAttrs{{dimension}}, {}, &shape);
}

}  // namespace

Op GetDimensionSize(const Operand& operand, int64_t dimension) {
  return Record({&operand}, Name(HloOpcode::GetDimensionSize), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    return r.Add(HloOpcode::GetDimensionSize, {x}, DimensionsAttrs{{dimension}});
  });
}

Op SetDimensionSize(const Operand& operand, const Operand& val, int64_t dimension) {
  return Record({&operand, &val}, Name(HloOpcode::SetDimensionSize), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(HloInstruction * size, r.Find(val, ElementType::S32));
    RETURN_IF_ERROR(CheckDimension(r, x, dimension));
    const bool whole = size->op() == HloOpcode::Constant &&
                       size->shape() == Shape(ElementType::S32) &&
                       size->literal().data<int32_t>()[0] == x->shape().dimension(dimension);
    if (whole) return MakeDimensionStatic(r, x, dimension);
    return r.Add(HloOpcode::SetDimensionSize, {x, size}, DimensionsAttrs{{dimension}});
  });
}

Op RemoveDynamicDimension(const Operand& operand, int64_t dimension) {
  return Record({&operand}, "remove-dynamic-dimension", [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    RETURN_IF_ERROR(CheckDimension(r, x, dimension));
    return MakeDimensionStatic(r, x, dimension);
  });
}

Op DynamicReshape(const Operand& operand, absl::Span<const Op> dim_sizes,
                  absl::Span<const int64_t> new_size_bounds,
                  const std::vector<bool>& dims_are_dynamic) {
  return Record({&operand}, Name(HloOpcode::DynamicReshape), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> operands, r.Find(dim_sizes));
    operands.insert(operands.begin(), x);
    if (new_size_bounds.size() != dims_are_dynamic.size()) {
      return r.Error(Format("new_size_bounds are {}, but dims_are_dynamic {}",
                            new_size_bounds.size(), dims_are_dynamic.size()),
                     operands);
    }
    absl::StatusOr<Shape> shape = Shape::Make(x->shape().element_type(), new_size_bounds);
    if (!shape.ok()) return r.Error(MessageOf(shape.status()), operands);
    for (size_t d = 0; d < dims_are_dynamic.size(); ++d) {
      if (dims_are_dynamic[d]) shape->set_dynamic(static_cast<int64_t>(d), true);
    }
    return r.Add(HloOpcode::DynamicReshape, operands, NoAttrs{}, {}, &*shape);
  });
}

}  // namespace sinter
