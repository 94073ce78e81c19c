#include "sinter/lib/comparators.h"

#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

// By the first type, of floats in total order.
Computation OfTheFirst(const std::string& name, const std::vector<ElementType>& operand_types,
                       Builder* builder, ScalarComparator of_floats, ScalarComparator of_others) {
  std::vector<std::optional<ScalarComparator>> comparators(operand_types.size());
  if (!comparators.empty()) comparators[0] = IsFloat(operand_types[0]) ? of_floats : of_others;
  return CreateScalarComparisonComputation(name, operand_types, comparators, builder);
}

// Total order tells zeros and NaNs apart; other types have only one equality.
Op IsEqual(Op x, Op y, ElementType type) { return IsFloat(type) ? EqTotalOrder(x, y) : Eq(x, y); }

}  // namespace

Computation CreateScalarComparisonComputation(
    const std::string& name, const std::vector<ElementType>& operand_types,
    const std::vector<std::optional<ScalarComparator>>& comparators, Builder* builder) {
  if (builder == nullptr) return Computation();
  std::unique_ptr<Builder> b = builder->CreateSubBuilder(name);
  if (operand_types.empty() || operand_types.size() != comparators.size()) {
    builder->ReportError(InvalidArgument("{}: {} comparators for {} types", name,
                                         comparators.size(), operand_types.size()));
    return Computation();
  }
  std::vector<Op> x, y;
  for (size_t i = 0; i < operand_types.size(); ++i) {
    const auto number = static_cast<int64_t>(2 * i);
    x.push_back(Parameter(b.get(), number, Shape(operand_types[i]), Format("p{}.lhs", i)));
    y.push_back(Parameter(b.get(), number + 1, Shape(operand_types[i]), Format("p{}.rhs", i)));
  }
  // From the last to the first: where a pair is equal, what follows decides.
  Op result;
  for (size_t i = operand_types.size(); i-- > 0;) {
    if (!comparators[i]) continue;
    Op compared = (*comparators[i])(x[i], y[i], {});
    result = result.IsUninitialized()
                 ? compared
                 : Select(IsEqual(x[i], y[i], operand_types[i]), result, compared);
  }
  if (result.IsUninitialized()) result = ConstantR0<bool>(b.get(), true);
  absl::StatusOr<Computation> built = b->Build(result);
  if (built.ok()) return *std::move(built);
  builder->ReportError(built.status());
  return Computation();
}

Computation CreateScalarLtComputation(const std::vector<ElementType>& operand_types,
                                      Builder* builder) {
  return OfTheFirst("compare-less-than", operand_types, builder, LtTotalOrder, Lt);
}
Computation CreateScalarGtComputation(const std::vector<ElementType>& operand_types,
                                      Builder* builder) {
  return OfTheFirst("compare-greater-than", operand_types, builder, GtTotalOrder, Gt);
}

}  // namespace sinter
