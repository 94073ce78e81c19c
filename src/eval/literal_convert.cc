// Literal::Convert, which is what the interpreter does for convert.
#include "base/status.h"
#include "eval/functions.h"

namespace sinter {

absl::StatusOr<Literal> Literal::Convert(ElementType type) const {
  RETURN_IF_ERROR(status());
  if (!shape_.is_array() || !IsArrayType(type)) {
    return InvalidArgument("Convert: from {} to {}", shape_.ToString(), Name(type));
  }
  if (type == shape_.element_type()) return *this;
  return eval::ConvertTo(*this, type);
}

}  // namespace sinter
