#include "pass/neutral.h"

#include <limits>

namespace sinter {
namespace {

// The least or the greatest value of a type.
std::optional<Literal> Extreme(ElementType type, bool least) {
  const int bits = BitWidth(type);
  if (IsPredicate(type)) return Literal::R0(!least);
  if (IsUnsigned(type))
    return Literal::R0<uint64_t>(least ? 0 : std::numeric_limits<uint64_t>::max() >> (64 - bits));
  if (IsSigned(type)) {
    const int64_t greatest = std::numeric_limits<int64_t>::max() >> (64 - bits);
    return Literal::R0<int64_t>(least ? -greatest - 1 : greatest);
  }
  if (!IsFloat(type) || bits <= 8) return std::nullopt;
  const double infinity = std::numeric_limits<double>::infinity();
  return Literal::R0<double>(least ? -infinity : infinity);
}

std::optional<Literal> Value(HloOpcode op, ElementType type) {
  switch (op) {
    case HloOpcode::Add:
      // -0 + -0 is -0, but -0 + 0 is not.
      if (IsPredicate(type)) return Literal::R0(false);
      if (IsComplex(type)) return Literal::R0(std::complex<double>(-0.0, -0.0));
      return Literal::R0(-0.0);
    case HloOpcode::Or:
    case HloOpcode::Xor:
      if (IsPredicate(type)) return Literal::R0(false);
      return Literal::R0<int64_t>(0);
    case HloOpcode::Multiply:
      if (IsPredicate(type)) return Literal::R0(true);
      return Literal::R0(1.0);
    case HloOpcode::And:
      if (IsPredicate(type)) return Literal::R0(true);
      return Literal::R0<int64_t>(-1);
    case HloOpcode::Maximum:
      return Extreme(type, true);
    case HloOpcode::Minimum:
      return Extreme(type, false);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Literal> NeutralElement(HloOpcode op, ElementType type) {
  std::optional<Literal> value = Value(op, type);
  if (!value) return std::nullopt;
  auto converted = value->Convert(type);
  if (!converted.ok()) return std::nullopt;
  return *std::move(converted);
}

}  // namespace sinter
