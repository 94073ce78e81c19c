#include "builder/impl.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

// `operands` are the inputs, then as many initial values.
Made AddReduce(Recording& r, const std::vector<HloInstruction*>& operands,
               const Callable& computation, Dims dimensions) {
  size_t n = operands.size() / 2;
  std::vector<Shape> parameters;
  for (size_t i = 0; i < 2 * n; ++i) {
    parameters.emplace_back(operands[n + i % n]->shape().element_type());
  }
  ASSIGN_OR_RETURN(HloComputation * body,
                   r.Called(computation, std::move(parameters), "computation"));
  body = r.impl().Share(body);
  return r.Add(HloOpcode::Reduce, operands, DimensionsAttrs{std::move(dimensions)}, {&body, 1});
}

}  // namespace

Op Reduce(const Operand& operand, const Operand& init_value, const Callable& computation,
          absl::Span<const int64_t> dimensions_to_reduce) {
  return Record({&operand, &init_value}, Name(HloOpcode::Reduce), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&operand, &init_value}));
    return AddReduce(r, x, computation, {dimensions_to_reduce.begin(), dimensions_to_reduce.end()});
  });
}

Op Reduce(Builder* builder, absl::Span<const Op> operands, absl::Span<const Op> init_values,
          const Callable& computation, absl::Span<const int64_t> dimensions_to_reduce,
          SourceLocation where) {
  return Record(builder, Name(HloOpcode::Reduce), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> init, r.Find(init_values));
    x.insert(x.end(), init.begin(), init.end());
    if (operands.empty() || operands.size() != init.size()) {
      return r.Error(Format("(C3) needs as many initial values as inputs, got {} and {}",
                            init.size(), operands.size()),
                     x);
    }
    return AddReduce(r, x, computation, {dimensions_to_reduce.begin(), dimensions_to_reduce.end()});
  });
}

Op ReduceAll(const Operand& operand, const Operand& init_value, const Callable& computation) {
  return Record({&operand, &init_value}, Name(HloOpcode::Reduce), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&operand, &init_value}));
    Dims all;
    for (int64_t d = 0; d < x[0]->shape().rank(); ++d) all.push_back(d);
    return AddReduce(r, x, computation, std::move(all));
  });
}

}  // namespace sinter
