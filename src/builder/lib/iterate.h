// Loops that go on for each element until its own result stands: what an element becomes does not
// depend on the others.
#pragma once

#include <string_view>
#include <vector>

#include "builder/lib/compose.h"
#include "sinter/lib/arithmetic.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/loops.h"

namespace sinter {

struct Iteration {
  Op goes_on;  // predicates
  std::vector<Op> values;
};

// `step`, of the number of the step (an F64 scalar, from 1), the values and `fixed`, gives an
// Iteration; it is repeated where `active`, and as long as it goes on, at most `limit` times. The
// last values.
template <class F>
absl::StatusOr<std::vector<Op>> Iterate(std::string_view name, Builder* b, Op active,
                                        const std::vector<Op>& values, const std::vector<Op>& fixed,
                                        int64_t limit, F step) {
  // The step's number, what is active, the values, what is fixed.
  std::vector<Op> state{One(b, ElementType::S32), active};
  state.insert(state.end(), values.begin(), values.end());
  state.insert(state.end(), fixed.begin(), fixed.end());
  const size_t count = values.size();

  auto condition = [&](absl::Span<const Op> s, Builder*) -> absl::StatusOr<Op> {
    return And(Le(s[0], limit), Any(s[1]));
  };
  auto body = [&](absl::Span<const Op> s, Builder*) -> absl::StatusOr<std::vector<Op>> {
    absl::Span<const Op> before = s.subspan(2, count);
    Iteration i = step(ConvertElementType(s[0], ElementType::F64), before, s.subspan(2 + count));
    std::vector<Op> next{s[0] + 1, And(s[1], i.goes_on)};
    for (size_t n = 0; n < count; ++n) next.push_back(Select(s[1], i.values[n], before[n]));
    next.insert(next.end(), s.begin() + static_cast<int64_t>(2 + count), s.end());
    return next;
  };
  ASSIGN_OR_RETURN(state, WhileLoopHelper(condition, body, state, name, b));
  return std::vector<Op>(state.begin() + 2, state.begin() + static_cast<int64_t>(2 + count));
}

// f of floats of equal shapes as F64s, and of how near to 1 a factor of the result is when it
// counts no more; rounded to their type.
template <class F>
Op InF64s(std::string_view name, const Operand& first, std::vector<Op> operands, F f) {
  return Compose(name, first, [&](Builder* b) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(Shape shape, ArrayShape(first.op()));
    if (!IsFloat(shape.element_type()))
      return InvalidArgument("{} is not of floats", shape.ToString());
    const bool wide = shape.element_type() == ElementType::F64;
    for (Op& x : operands) {
      ASSIGN_OR_RETURN(Shape given, ArrayShape(x));
      if (!Shape::Compatible(given, shape))
        return InvalidArgument("the operands {} and {} differ", shape.ToString(), given.ToString());
      if (!wide) x = ConvertElementType(x, ElementType::F64);
    }
    absl::StatusOr<Op> result = f(b, operands, wide ? 0x1p-53 : 0x1p-32);
    if (!result.ok() || wide) return result;
    return ConvertElementType(*result, shape.element_type());
  });
}

// log1p(t) - t of F64s, -0.45 <= t <= 0.8, without cancellation: by the series of atanh.
Op Log1pMinus(Op t);
// log gamma(z) less (z - 1/2) log z - z + log(2 pi) / 2, of F64s above 0.
Op StirlingError(Op z);

}  // namespace sinter
