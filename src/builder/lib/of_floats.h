// Functions of floats composed of operations.
#pragma once

#include <string_view>

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {

// Computes f for floats, for those narrower than f32 in f32.
template <class F>
Op OfFloats(const Operand& operand, std::string_view name, F f) {
  Builder* builder = operand.builder();
  if (builder == nullptr) return Op();
  ComposedAt at(operand);
  ElementType type = ElementType::F32;
  Op x = Record({&operand}, name, [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(operand.op()));
    type = i->shape().element_type();
    if (!IsFloat(type)) return r.Error("the operand must be of a float type", {&i, 1});
    return i;
  });
  if (!x.valid()) return x;
  if (BitWidth(type) >= 32) return f(x);
  return ConvertElementType(f(ConvertElementType(x, ElementType::F32)), type);
}

}  // namespace sinter
