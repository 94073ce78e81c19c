#include "ir/decomposition_call.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/status.h"

namespace sinter {
namespace {

using Which = DecompositionCall::Kind;

std::optional<Which> KindOf(std::string_view target) {
  if (target == "Qr") return Which::kQr;
  if (target == "ProductOfElementaryHouseholderReflectors") return Which::kHouseholderProduct;
  if (target == "LuDecomposition") return Which::kLu;
  if (target == "Eigh") return Which::kEigh;
  return std::nullopt;
}

// "1,1,100,1e-6"
bool ReadConfig(std::string_view text, DecompositionCall* call) {
  int64_t lower = 0, sorted = 0;
  const char *at = text.data(), *end = at + text.size();
  auto read = [&](auto* value, bool last) {
    auto [stop, error] = std::from_chars(at, end, *value);
    if (error != std::errc() || (last ? stop != end : stop == end || *stop != ',')) return false;
    at = stop + (last ? 0 : 1);
    return true;
  };
  if (!read(&lower, false) || !read(&sorted, false) || !read(&call->max_sweeps, false) ||
      !read(&call->tolerance, true))
    return false;
  call->lower = lower != 0;
  return call->max_sweeps >= 0 && call->tolerance >= 0;
}

}  // namespace

bool IsDecompositionTarget(std::string_view target) { return KindOf(target).has_value(); }

absl::StatusOr<std::optional<DecompositionCall>> ReadDecompositionCall(const HloInstruction& i) {
  if (i.op() != HloOpcode::CustomCall) return std::nullopt;
  const auto& attrs = i.attrs<CustomCallAttrs>();
  std::optional<Which> kind = KindOf(attrs.custom_call_target);
  if (!kind) return std::nullopt;
  DecompositionCall call;
  call.kind = *kind;

  const bool product = call.kind == Which::kHouseholderProduct;
  auto misfit = [&](std::string_view what) {
    return InvalidArgument("{}: custom call to {}: {}", i.name(), attrs.custom_call_target, what);
  };
  if (i.operands().size() != (product ? 2 : 1))
    return misfit(product ? "expected 2 operands" : "expected 1 operand");
  const Shape& a = i.operand(0)->shape();
  if (!a.is_array() || !(IsFloat(a.element_type()) || IsComplex(a.element_type())) || a.rank() < 2)
    return misfit(Format("operand 0 is {}, not matrices of numbers", a.ToString()));

  const int64_t m = a.dimension(a.rank() - 2), n = a.dimension(a.rank() - 1), k = std::min(m, n);
  const ElementType type = a.element_type();
  auto vector = [&](ElementType t, int64_t size) {
    Dims dims(a.dimensions().begin(), a.dimensions().end() - 2);
    dims.push_back(size);
    return Shape(t, dims);
  };
  const Shape matrix(type, a.dimensions());
  Shape expected;
  switch (call.kind) {
    case Which::kQr:
      expected = Shape::Tuple({matrix, vector(type, k)});
      break;
    case Which::kHouseholderProduct: {
      const Shape& taus = i.operand(1)->shape();
      const int64_t count = taus.is_array() && taus.rank() > 0 ? taus.dimensions().back() : 0;
      if (count > k || !Shape::Compatible(taus, vector(type, count)))
        return misfit(Format("operand 1 is {} for {}", taus.ToString(), a.ToString()));
      expected = matrix;
      break;
    }
    case Which::kLu:
      expected = Shape::Tuple({matrix, vector(ElementType::S32, k), vector(ElementType::S32, m)});
      break;
    case Which::kEigh:
      if (m != n) return misfit(Format("operand 0 is {}, not square", a.ToString()));
      if (!attrs.opaque.empty() && !ReadConfig(attrs.opaque, &call))
        return misfit(Format("the backend_config is no \"1,1,100,1e-6\": {}", attrs.opaque));
      expected = Shape::Tuple({matrix, vector(RealPart(type), n)});
      break;
  }
  if (!Shape::Compatible(i.shape(), expected))
    return misfit(Format("the result is {}, not {}", i.shape().ToString(), expected.ToString()));
  return call;
}

}  // namespace sinter
