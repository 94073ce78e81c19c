#include "sinter/lib/dynamic_shaped_ops.h"

#include <algorithm>

#include "builder/lib/compose.h"
#include "sinter/lib/constants.h"

namespace sinter {
namespace {

// What all branches can give: sizes that differ become dynamic, up to the largest.
absl::StatusOr<Shape> Common(const Shape& x, const Shape& y) {
  auto differ = [&] {
    return InvalidArgument("branches give {} and {}", x.ToString(), y.ToString());
  };
  if (x.is_tuple() != y.is_tuple()) return differ();
  if (x.is_tuple()) {
    if (x.tuple_shapes().size() != y.tuple_shapes().size()) return differ();
    std::vector<Shape> elements;
    for (size_t i = 0; i < x.tuple_shapes().size(); ++i) {
      ASSIGN_OR_RETURN(Shape element, Common(x.tuple_shapes()[i], y.tuple_shapes()[i]));
      elements.push_back(element);
    }
    return Shape::Tuple(std::move(elements));
  }
  if (x.element_type() != y.element_type() || x.rank() != y.rank()) return differ();
  Shape common = x;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const bool dynamic = x.is_dynamic(i) || y.is_dynamic(i) || x.dimension(i) != y.dimension(i);
    common.set_dimension(i, std::max(x.dimension(i), y.dimension(i)));
    common.set_dynamic(i, dynamic);
  }
  return common;
}

// The value, of a shape that `to` is common to, in the form of `to`.
Op Widened(Op x, const Shape& from, const Shape& to) {
  if (to.is_tuple()) {
    std::vector<Op> elements;
    for (size_t i = 0; i < to.tuple_shapes().size(); ++i) {
      elements.push_back(Widened(GetTupleElement(x, static_cast<int64_t>(i)),
                                 from.tuple_shapes()[i], to.tuple_shapes()[i]));
    }
    return Tuple(x.builder(), elements);
  }
  for (int64_t i = 0; i < to.rank(); ++i) {
    if (!to.is_dynamic(i) || (from.is_dynamic(i) && from.dimension(i) == to.dimension(i))) continue;
    Op size = GetDimensionSize(x, i);
    if (from.is_dynamic(i)) x = RemoveDynamicDimension(x, i);
    x = PadInDim(x, Zero(x.builder(), to.element_type()), i, 0,
                 to.dimension(i) - from.dimension(i));
    x = SetDimensionSize(x, size, i);
  }
  return x;
}

// The branches, such that all give one shape.
absl::StatusOr<std::vector<Callable>> Reconciled(
    absl::Span<const Computation* const> computations) {
  std::vector<Shape> shapes;
  for (const Computation* c : computations) {
    if (c == nullptr) return InvalidArgument("a branch is null");
    ASSIGN_OR_RETURN(ProgramShape program, c->GetProgramShape());
    shapes.push_back(program.result);
  }
  if (shapes.empty()) return InvalidArgument("there are no branches");
  Shape common = shapes[0];
  for (const Shape& shape : shapes) {
    ASSIGN_OR_RETURN(common, Common(common, shape));
  }
  std::vector<Callable> branches;
  for (size_t i = 0; i < computations.size(); ++i) {
    Computation c = *computations[i];
    if (Shape::Compatible(shapes[i], common)) {
      branches.emplace_back(c);
      continue;
    }
    branches.emplace_back([c, from = shapes[i], common](Op operand) {
      return Widened(Call(operand.builder(), c, {operand}), from, common);
    });
  }
  return branches;
}

}  // namespace

Op DynamicConditional(Builder*, const Operand& predicate, const Operand& true_operand,
                      const Computation& true_computation, const Operand& false_operand,
                      const Computation& false_computation) {
  return Compose("dynamic-conditional", predicate, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(std::vector<Callable> branches,
                     Reconciled({&true_computation, &false_computation}));
    return Conditional(predicate, true_operand, branches[0], false_operand, branches[1]);
  });
}

Op DynamicConditional(Builder*, const Operand& branch_index,
                      absl::Span<const Computation* const> branch_computations,
                      absl::Span<const Op> branch_operands) {
  return Compose("dynamic-conditional", branch_index, [&](Builder*) -> absl::StatusOr<Op> {
    ASSIGN_OR_RETURN(std::vector<Callable> branches, Reconciled(branch_computations));
    return Conditional(branch_index, absl::Span<const Callable>(branches), branch_operands);
  });
}

}  // namespace sinter
