#include "tools/compare.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "ir/results.h"
#include "types/small_floats.h"

namespace sinter::tools {
namespace {

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

// How many terms each sum of a reduction or contraction adds.
double TermsOf(const HloInstruction& i) {
  double terms = 1;
  if (i.op() == HloOpcode::Dot) {
    for (int64_t d : i.attrs<DotAttrs>().lhs_contracting_dims)
      terms *= static_cast<double>(i.operand(0)->shape().dimension(d));
  } else if (i.op() == HloOpcode::RaggedDot) {
    for (int64_t d : i.attrs<RaggedDotAttrs>().lhs_contracting_dims)
      terms *= static_cast<double>(i.operand(0)->shape().dimension(d));
  } else if (i.op() == HloOpcode::Convolution) {
    const auto& a = i.attrs<ConvolutionAttrs>();
    terms = static_cast<double>(
        i.operand(1)->shape().dimension(a.dim_labels.kernel_input_feature_dimension));
    for (const WindowDimension& w : a.window) terms *= static_cast<double>(w.size);
  } else if (i.op() == HloOpcode::ReduceWindow || i.op() == HloOpcode::SelectAndScatter) {
    for (const WindowDimension& w : i.attrs<WindowAttrs>().window)
      terms *= static_cast<double>(w.size);
  } else if (const auto* a = std::get_if<BatchNormAttrs>(&i.attributes())) {
    const Shape& x = i.operand(0)->shape();
    terms = static_cast<double>(x.element_count()) /
            std::max(1.0, static_cast<double>(x.dimension(a->feature_index)));
  } else if (!i.operands().empty()) {
    const Shape& result = ResultShape(i);
    terms = static_cast<double>(i.operand(0)->shape().element_count()) /
            std::max(1.0, static_cast<double>(result.element_count()));
  }
  return std::max(1.0, terms);
}

}  // namespace

std::string LargestError(const Literal& actual, const Literal& expected) {
  uint64_t largest = 0;
  int64_t at = 0, farthest_at = 0;
  double farthest = 0;
  for (int64_t i = 0; i < expected.shape().element_count(); ++i) {
    uint64_t distance = UlpDistance(actual, expected, i);
    if (distance == 0) continue;
    double difference = std::fabs(actual.GetAsDouble(i) - expected.GetAsDouble(i));
    if (distance > largest) {
      largest = distance;
      at = i;
    }
    if (difference > farthest) {
      farthest = difference;
      farthest_at = i;
    }
  }
  if (largest == 0) return "0 ulp";
  std::string size =
      largest == UINT64_MAX ? std::string("not comparable") : Format("{} ulp", largest);
  std::string text = Format("{} at {}: {}, expected {}", size, IndexText(expected.shape(), at),
                            actual.ElementToString(at), expected.ElementToString(at));
  // Near zero many units are a small difference, so the place of the largest one is named as well.
  text += Format("; largest difference {:.3g}", farthest);
  if (farthest_at != at) {
    text += Format(" at {}: {}, expected {}", IndexText(expected.shape(), farthest_at),
                   actual.ElementToString(farthest_at), expected.ElementToString(farthest_at));
  }
  return text;
}

Tolerance DeviceTolerance(const HloModule& module, ElementType type) {
  double functions = 0, terms = 0;
  for (const HloComputation* c : module.PostOrder()) {
    for (const auto& i : c->instructions()) {
      OpKind kind = Info(i->op()).kind;
      bool complex = IsComplex(i->shape().element_type()) && IsElementwise(i->op());
      if (IsElementaryFunction(i->op()) || complex) ++functions;
      if (kind == OpKind::kReduction || kind == OpKind::kContraction) terms += TermsOf(*i);
    }
  }
  Tolerance t{.max_ulp = 0};
  if (functions + terms == 0) return t;
  // A sum of n terms in another order errs by about sqrt(n) roundings of its partial sums, which
  // are as large as the result or larger: relative to the largest element, not to each.
  double epsilon = Epsilon(type), growth = std::sqrt(functions + terms);
  t.max_ulp = 4 + static_cast<uint64_t>(4 * growth);
  t.rtol = 8 * epsilon * growth;
  t.relative_to_largest = (terms > 0 ? 4 : 2) * epsilon * growth;
  return t;
}

}  // namespace sinter::tools
