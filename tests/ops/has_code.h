// What compiled devices claim to run.
#pragma once

#include "codegen/emit/elementwise.h"
#include "ir/module.h"

namespace sinter::testing {

// The type in which kernels hold and compute elements that are smaller than a byte, or floats of
// one.
inline ElementType HeldAs(ElementType t) {
  if (IsFloat(t)) return BitWidth(t) <= 8 ? ElementType::F32 : t;
  if (!IsInteger(t) || BitWidth(t) >= 8) return t;
  return IsSigned(t) ? ElementType::S8 : ElementType::U8;
}

// Whether compiled devices have code for every operation of the module.
inline bool HasCode(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (!i->shape().is_array()) continue;
      if (!emit::HasElementType(HeldAs(i->shape().element_type()))) return false;
    }
  }
  return true;
}

inline bool HasSmallFloats(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (i->shape().is_array() && IsFloat(i->shape().element_type()) &&
          BitWidth(i->shape().element_type()) <= 8)
        return true;
    }
  }
  return false;
}

// Whether it exchanges data with its host.
inline bool HasTransfers(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      for (HloOpcode op : {HloOpcode::Infeed, HloOpcode::Outfeed, HloOpcode::Recv, HloOpcode::Send})
        if (i->op() == op) return true;
    }
  }
  return false;
}

// As HasCode, without what are loops of many turns on GPUs: sorts, eigenvalues (which are sorted),
// scatters.
inline bool HasCodeWithoutSorts(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (i->op() == HloOpcode::CustomCall &&
          i->attrs<CustomCallAttrs>().custom_call_target == "Eigh")
        return false;
      for (HloOpcode op : {HloOpcode::Scatter, HloOpcode::Sort, HloOpcode::TopK}) {
        if (i->op() == op) return false;
      }
    }
  }
  return HasCode(module);
}

}  // namespace sinter::testing
