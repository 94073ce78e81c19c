// Functions of floats composed of operations.
#pragma once

#include <limits>
#include <string_view>

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Computes f for floats, for those narrower than f32 in f32. `type` becomes the floats'.
template <class F>
Op OfWideFloats(const Operand& operand, std::string_view name, ElementType& type, F f) {
  Builder* builder = operand.builder();
  if (builder == nullptr) return Op();
  ComposedAt at(operand);
  Op x = Record({&operand}, name, [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(operand.op()));
    type = i->shape().element_type();
    if (!IsFloat(type)) return r.Error("the operand must be of a float type", {&i, 1});
    return i;
  });
  if (!x.valid()) return x;
  return f(BitWidth(type) >= 32 ? x : ConvertElementType(x, ElementType::F32));
}

// The same with the result in the type of the operand.
template <class F>
Op OfFloats(const Operand& operand, std::string_view name, F f) {
  ComposedAt at(operand);
  ElementType type = ElementType::F32;
  Op y = OfWideFloats(operand, name, type, f);
  return y.valid() && BitWidth(type) < 32 ? ConvertElementType(y, type) : y;
}

// The same with predicates as the result.
template <class F>
Op TestFloats(const Operand& operand, std::string_view name, F f) {
  ElementType type = ElementType::F32;
  return OfWideFloats(operand, name, type, f);
}

}  // namespace sinter
