#include "custom_call/shape_assertion.h"

#include "base/placeholders.h"
#include "base/status.h"

namespace sinter {
namespace {

absl::Status Assert(const CustomCallFrame& frame) {
  if (frame.operands.empty() || !frame.results.empty())
    return InvalidArgument("takes a predicate and numbers, and gives nothing");
  std::vector<int64_t> numbers;
  for (const CustomCallFrame::Array& x : frame.operands) {
    const ElementType type = x.shape->element_type();
    const bool first = &x == frame.operands.data();
    if (!x.shape->is_scalar() ||
        (first ? type != ElementType::PRED : type != ElementType::S32 && type != ElementType::S64))
      return InvalidArgument("an operand cannot be {}", x.shape->ToString());
    if (first) continue;
    numbers.push_back(type == ElementType::S32 ? *static_cast<const int32_t*>(x.data)
                                               : *static_cast<const int64_t*>(x.data));
  }
  if (*static_cast<const bool*>(frame.operands[0].data)) return absl::OkStatus();
  return InvalidArgument("{}", WithNumbers(frame.opaque, numbers));
}

}  // namespace

CustomCallFunction FindShapeAssertion(std::string_view target) {
  return target == "shape_assertion" ? CustomCallFunction(Assert) : CustomCallFunction();
}

}  // namespace sinter
