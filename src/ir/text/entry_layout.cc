#include "ir/text/entry_layout.h"

#include "base/status.h"
#include "types/shape_text.h"

namespace sinter {

absl::Status CheckEntryLayout(std::string_view value, const HloComputation& entry) {
  if (value.find("auto") != value.npos) return absl::OkStatus();
  TextCursor c(value);
  auto bad = [&] {
    return InvalidArgument("{} must be {{(shapes)->shape}}, got {}", kEntryLayout,
                           value.substr(0, 200));
  };
  if (!c.Eat('{') || !c.Eat('(')) return bad();
  const ComputationShape own = entry.shape();
  size_t count = 0;
  if (!c.Eat(')')) {
    do {
      ASSIGN_OR_RETURN(const Shape shape, ParseShape(c));
      if (count < own.parameters.size() && !Shape::Compatible(shape, own.parameters[count])) {
        return InvalidArgument("{}: parameter {} is {}, not {}", kEntryLayout, count,
                               own.parameters[count].ToString(), shape.ToString());
      }
      ++count;
    } while (c.Eat(','));
    if (!c.Eat(')')) return bad();
  }
  if (count != own.parameters.size()) {
    return InvalidArgument("{} has {} parameters, the entry {}", kEntryLayout, count,
                           own.parameters.size());
  }
  if (!c.Eat("->")) return bad();
  ASSIGN_OR_RETURN(const Shape result, ParseShape(c));
  if (!Shape::Compatible(result, own.result)) {
    return InvalidArgument("{}: the result is {}, not {}", kEntryLayout, own.result.ToString(),
                           result.ToString());
  }
  return c.Eat('}') ? absl::OkStatus() : bad();
}

}  // namespace sinter
