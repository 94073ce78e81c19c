#include "passes/expand/elements.h"

#include <limits>

#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "pass/expansion.h"
#include "pass/inline_elementwise.h"

namespace sinter {
namespace expand {
namespace {

// The state: the number of the element, the arguments, the results so far; arrays are vectors.
absl::StatusOr<Values> ElementAfterElement(HloComputation& c, const HloInstruction& origin,
                                           const HloComputation& body, const Values& arguments,
                                           const Dims& dims, int64_t count) {
  Graph g(c, origin);
  const ElementType index =
      count <= std::numeric_limits<int32_t>::max() ? ElementType::S32 : ElementType::S64;
  Values state{g.Zero(index)};
  for (HloInstruction* x : arguments) state.push_back(g.Reshape(x, {count}));
  const Shape& root = body.root()->shape();
  const size_t results = root.is_tuple() ? root.tuple_shapes().size() : 1;
  for (size_t k = 0; k < results; ++k) {
    const Shape& result = root.is_tuple() ? root.tuple_shapes()[k] : root;
    state.push_back(g.Splat(g.Zero(result.element_type()), {count}));
  }
  RETURN_IF_ERROR(g.status());
  if (count > 0) {
    ASSIGN_OR_RETURN(
        state, AddLoop(
                   c, origin, "elements", state,
                   [&](Graph& b, const Values& s) {
                     return b.Compare(s[0], b.Scalar(index, static_cast<double>(count)),
                                      ComparisonDirection::kLt);
                   },
                   [&](Graph& b, const Values& s) {
                     HloComputation& turn = *s[0]->parent();
                     Values scalars;
                     for (size_t k = 0; k < arguments.size(); ++k)
                       scalars.push_back(b.Reshape(b.Add(HloOpcode::DynamicSlice, {s[1 + k], s[0]},
                                                         DynamicSliceAttrs{Dims{1}}),
                                                   {}));
                     Values next = s;
                     next[0] = b.Add(HloOpcode::Add, {s[0], b.Scalar(index, 1)});
                     if (!b.status().ok()) return next;
                     const Values own = b.Elements(turn.Inline(body, scalars));
                     for (size_t k = 0; k < results; ++k) {
                       HloInstruction*& result = next[1 + arguments.size() + k];
                       result = b.Add(HloOpcode::DynamicUpdateSlice,
                                      {result, b.Reshape(own[k], {1}), s[0]});
                     }
                     return next;
                   }));
  }
  Values arrays;
  for (size_t k = 0; k < results; ++k)
    arrays.push_back(g.Reshape(state[1 + arguments.size() + k], dims));
  RETURN_IF_ERROR(g.status());
  return arrays;
}

}  // namespace

absl::StatusOr<Values> MapElements(HloComputation& c, const HloInstruction& origin,
                                   const HloComputation& body, const Values& arguments,
                                   const Dims& dims) {
  if (IsScalarComputation(body)) return InlineElementwiseResults(c, body, arguments, dims);
  int64_t count = 1;
  for (int64_t d : dims) count *= d;
  return ElementAfterElement(c, origin, body, arguments, dims, count);
}

}  // namespace expand

std::unique_ptr<Pass> MakeExpandMapsPass() {
  return MakeExpansionPass(
      "expand-maps", [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Map || i.operands().empty()) return nullptr;
        ASSIGN_OR_RETURN(
            expand::Values results,
            expand::MapElements(c, i, *i.called(0), i.operands(), i.shape().dimensions()));
        return results[0];
      });
}

}  // namespace sinter
