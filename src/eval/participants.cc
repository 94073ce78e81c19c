// Collectives and transfers, on the one device there is.
#include "ir/participants.h"

#include "base/status.h"
#include "eval/functions.h"

namespace sinter::eval {

absl::StatusOr<Value> Participants(const Input& in) {
  ASSIGN_OR_RETURN(Alone alone, AloneOnDevice(in.instruction));
  if (alone == Alone::kZero) return Value(Literal(in.shape()));
  std::vector<Value> results;
  for (size_t n = 0; n < in.operands.size(); ++n) {
    const Shape& result = in.shape().is_tuple() ? in.shape().tuple_shapes()[n] : in.shape();
    if (in.array(n).shape().element_type() == result.element_type()) {
      results.push_back(std::move(in.operands[n]));
    } else {
      results.emplace_back(ConvertTo(in.array(n), result.element_type()));
    }
  }
  if (in.shape().is_tuple()) return Value(std::move(results));
  return std::move(results[0]);
}

}  // namespace sinter::eval
