#include "sinter/lib/loops.h"

#include "builder/impl.h"
#include "sinter/lib/constants.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

std::vector<Op> Elements(Op tuple, size_t count) {
  std::vector<Op> elements(count);
  for (size_t i = 0; i < count; ++i) elements[i] = GetTupleElement(tuple, static_cast<int64_t>(i));
  return elements;
}

}  // namespace

absl::StatusOr<std::vector<Op>> WhileLoopHelper(
    const WhileLoopHelperConditionFunction& condition_function,
    const WhileLoopHelperBodyFunction& body_function, absl::Span<const Op> initial_values,
    std::string_view name, Builder* builder) {
  if (builder == nullptr) return InvalidArgument("{}: there is no builder", name);
  const size_t count = initial_values.size();
  std::vector<Shape> shapes(count);
  for (size_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(shapes[i], builder->GetShape(initial_values[i]));
  }
  const Shape carried = Shape::Tuple(std::move(shapes));

  std::unique_ptr<Builder> condition = builder->CreateSubBuilder(Format("{}_condition", name));
  Op state = Parameter(condition.get(), 0, carried, "state");
  ASSIGN_OR_RETURN(Op goes_on, condition_function(Elements(state, count), condition.get()));
  ASSIGN_OR_RETURN(Computation built_condition, condition->Build(goes_on));

  std::unique_ptr<Builder> body = builder->CreateSubBuilder(Format("{}_body", name));
  state = Parameter(body.get(), 0, carried, "state");
  ASSIGN_OR_RETURN(std::vector<Op> next, body_function(Elements(state, count), body.get()));
  if (next.size() != count) {
    return InvalidArgument("{}: the body gives {} values, the loop carries {}", name, next.size(),
                           count);
  }
  Op result = Tuple(body.get(), next);
  ASSIGN_OR_RETURN(Computation built_body, body->Build(result));

  Op last = While(built_condition, built_body, Tuple(builder, initial_values));
  RETURN_IF_ERROR(builder->first_error());
  return Elements(last, count);
}

absl::StatusOr<std::vector<Op>> ForEachIndex(int64_t num_iterations,
                                             ElementType num_iterations_type,
                                             const ForEachIndexBodyFunction& body_function,
                                             absl::Span<const Op> initial_values,
                                             std::string_view name, Builder* builder) {
  if (builder == nullptr) return InvalidArgument("{}: there is no builder", name);
  auto condition = [&](absl::Span<const Op> values, Builder*) -> absl::StatusOr<Op> {
    return Lt(values[0], num_iterations);
  };
  auto body = [&](absl::Span<const Op> values, Builder* inner) -> absl::StatusOr<std::vector<Op>> {
    std::vector<Op> next{values[0] + 1};
    ASSIGN_OR_RETURN(std::vector<Op> results, body_function(values[0], values.subspan(1), inner));
    next.insert(next.end(), results.begin(), results.end());
    return next;
  };
  std::vector<Op> values{Zero(builder, num_iterations_type)};
  values.insert(values.end(), initial_values.begin(), initial_values.end());
  ASSIGN_OR_RETURN(values, WhileLoopHelper(condition, body, values, name, builder));
  values.erase(values.begin());
  return values;
}

}  // namespace sinter
