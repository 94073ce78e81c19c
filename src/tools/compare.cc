#include "tools/compare.h"

#include <cmath>

#include "base/text.h"
#include "types/small_floats.h"

namespace sinter::tools {
namespace {

bool IsElementaryFunction(HloOpcode op) {
  switch (op) {
    case HloOpcode::Atan2:
    case HloOpcode::Cbrt:
    case HloOpcode::Cosine:
    case HloOpcode::Erf:
    case HloOpcode::Exp:
    case HloOpcode::Expm1:
    case HloOpcode::Log:
    case HloOpcode::Log1p:
    case HloOpcode::Logistic:
    case HloOpcode::Power:
    case HloOpcode::Rsqrt:
    case HloOpcode::Sine:
    case HloOpcode::Tan:
    case HloOpcode::Tanh:
      return true;
    default:
      return false;
  }
}

double Epsilon(ElementType t) {
  ElementType part = RealPart(t);
  if (part == ElementType::F64) return 0x1p-52;
  auto format = FormatOf(part);
  return format ? std::ldexp(1.0, -format->mantissa_bits) : 0;
}

std::string IndexText(const Shape& shape, int64_t at) {
  Dims index;
  for (int64_t i = shape.rank(); i-- > 0;) {
    index.insert(index.begin(), at % shape.dimension(i));
    at /= shape.dimension(i);
  }
  return Format("[{}]", Join(index, ","));
}

}  // namespace

std::string LargestError(const Literal& actual, const Literal& expected) {
  uint64_t largest = 0;
  int64_t at = 0;
  for (int64_t i = 0; i < expected.shape().element_count(); ++i) {
    uint64_t distance = UlpDistance(actual, expected, i);
    if (distance <= largest) continue;
    largest = distance;
    at = i;
  }
  if (largest == 0) return "0 ulp";
  std::string size =
      largest == UINT64_MAX ? std::string("not comparable") : Format("{} ulp", largest);
  return Format("{} ({:.3g} absolute) at {}: {}, expected {}", size,
                std::fabs(actual.GetAsDouble(at) - expected.GetAsDouble(at)),
                IndexText(expected.shape(), at), actual.ElementToString(at),
                expected.ElementToString(at));
}

Tolerance DeviceTolerance(const HloModule& module, ElementType type) {
  int64_t functions = 0, sums = 0;
  for (const HloComputation* c : module.PostOrder()) {
    for (const auto& i : c->instructions()) {
      OpKind kind = Info(i->op()).kind;
      bool complex = IsComplex(i->shape().element_type()) && IsElementwise(i->op());
      if (IsElementaryFunction(i->op()) || complex) ++functions;
      if (kind == OpKind::kReduction || kind == OpKind::kContraction) ++sums;
    }
  }
  Tolerance t{.max_ulp = 0};
  if (functions + sums == 0) return t;
  double epsilon = Epsilon(type), growth = std::sqrt(static_cast<double>(functions + sums));
  t.max_ulp = 4 + static_cast<uint64_t>(4 * growth);
  t.rtol = 8 * epsilon * growth;
  t.relative_to_largest = (sums ? 4 : 2) * epsilon * growth;
  return t;
}

}  // namespace sinter::tools
