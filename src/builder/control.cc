// Operations that call computations for the flow of control.

#include "builder/impl.h"
#include "ir/composite.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

using Made = absl::StatusOr<HloInstruction*>;

std::vector<Shape> ShapesOf(absl::Span<HloInstruction* const> instructions) {
  std::vector<Shape> shapes;
  shapes.reserve(instructions.size());
  for (const HloInstruction* i : instructions) shapes.push_back(i->shape());
  return shapes;
}

Made AddWhile(Recording& r, const Callable& condition, const Callable& body, HloInstruction* init) {
  ASSIGN_OR_RETURN(HloComputation * c, r.Called(condition, {init->shape()}, "condition"));
  ASSIGN_OR_RETURN(HloComputation * b, r.Called(body, {init->shape()}, "body"));
  HloComputation* called[] = {c, b};
  return r.Add(HloOpcode::While, {init}, NoAttrs{}, called);
}

Made AddConditional(Recording& r, const Operand& index, absl::Span<const Callable* const> branches,
                    std::vector<HloInstruction*> operands, ElementType index_type) {
  ASSIGN_OR_RETURN(HloInstruction * i, r.Find(index, index_type));
  operands.insert(operands.begin(), i);
  if (branches.size() + 1 != operands.size()) {
    return r.Error(
        Format("{} branches need an operand each, got {}", branches.size(), operands.size() - 1),
        operands);
  }
  std::vector<HloComputation*> called;
  for (size_t n = 0; n < branches.size(); ++n) {
    ASSIGN_OR_RETURN(HloComputation * c,
                     r.Called(*branches[n], {operands[n + 1]->shape()}, Format("branch_{}", n)));
    called.push_back(c);
  }
  return r.Add(HloOpcode::Conditional, operands, NoAttrs{}, called);
}

Op IndexedConditional(const Operand& index, absl::Span<const Callable* const> branches,
                      absl::Span<const Op> operands) {
  // The index may be a number.
  Builder* builder = index.builder() ? index.builder() : BuilderOf(operands);
  return Record(builder, Name(HloOpcode::Conditional), index.where(), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    return AddConditional(r, index, branches, std::move(x), ElementType::S32);
  });
}

}  // namespace

Op Call(Builder* builder, const Callable& computation, absl::Span<const Op> operands,
        SourceLocation where) {
  return Record(builder, Name(HloOpcode::Call), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    ASSIGN_OR_RETURN(HloComputation * c, r.Called(computation, ShapesOf(x), "computation"));
    return r.Add(HloOpcode::Call, x, NoAttrs{}, {&c, 1});
  });
}

Op Map(Builder* builder, absl::Span<const Op> operands, const Callable& computation,
       absl::Span<const int64_t> dimensions, absl::Span<const Op> static_operands,
       SourceLocation where) {
  return Record(builder, Name(HloOpcode::Map), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    if (!static_operands.empty()) return Unimplemented("map: static operands");
    std::vector<Shape> parameters;
    for (const HloInstruction* i : x) parameters.emplace_back(i->shape().element_type());
    ASSIGN_OR_RETURN(HloComputation * c,
                     r.Called(computation, std::move(parameters), "computation"));
    c = r.impl().Share(c);
    return r.Add(HloOpcode::Map, x, DimensionsAttrs{{dimensions.begin(), dimensions.end()}},
                 {&c, 1});
  });
}

Op CompositeCall(Builder* builder, const Callable& computation, absl::Span<const Op> operands,
                 const std::string& name, std::optional<std::string_view> attributes,
                 std::optional<int64_t> version, SourceLocation where) {
  return Record(builder, Name(HloOpcode::Call), where, [&](Recording& r) -> Made {
    if (name.empty()) return r.Error("the composite has no name");
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(operands));
    ASSIGN_OR_RETURN(HloComputation * c, r.Called(computation, ShapesOf(x), "computation"));
    ASSIGN_OR_RETURN(HloInstruction * call, r.Add(HloOpcode::Call, x, NoAttrs{}, {&c, 1}));
    SetComposite(call, {name, std::string(attributes.value_or("")), version.value_or(0)});
    return call;
  });
}

Op Scan(Builder* builder, absl::Span<const Op> inputs, absl::Span<const Op> inits,
        const Callable& to_apply, int64_t scan_dimension, bool is_reverse, bool is_associative,
        SourceLocation where) {
  return Record(builder, Name(HloOpcode::Scan), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(inputs));
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> carries, r.Find(inits));
    std::vector<Shape> parameters;
    for (const HloInstruction* i : x) {
      if (!i->shape().is_array() || scan_dimension < 0 || scan_dimension >= i->shape().rank())
        return r.Error(Format("an input has no dimension {}", scan_dimension), x);
      Dims sizes = i->shape().dimensions();
      sizes.erase(sizes.begin() + scan_dimension);
      parameters.emplace_back(i->shape().element_type(), std::move(sizes));
    }
    for (const HloInstruction* i : carries) parameters.push_back(i->shape());
    ASSIGN_OR_RETURN(HloComputation * c, r.Called(to_apply, std::move(parameters), "computation"));
    x.insert(x.end(), carries.begin(), carries.end());
    ScanAttrs attrs{
        {scan_dimension}, static_cast<int64_t>(carries.size()), is_reverse, is_associative};
    return r.Add(HloOpcode::Scan, x, std::move(attrs), {&c, 1});
  });
}

Op Scan(absl::Span<const Op> inputs, absl::Span<const Op> inits, const Callable& to_apply,
        int64_t scan_dimension, std::optional<int64_t> scan_dimension_size, bool is_reverse,
        TriState is_associative, SourceLocation where) {
  Builder* builder = BuilderOf(inputs.empty() ? inits : inputs);
  if (builder && scan_dimension_size) {
    for (Op input : inputs) {
      absl::StatusOr<const Shape*> shape = builder->GetShapePtr(input);
      // What is none, or has no such dimension, is reported below.
      if (!shape.ok() || scan_dimension < 0 || scan_dimension >= (*shape)->rank() ||
          (*shape)->dimension(scan_dimension) == *scan_dimension_size)
        continue;
      return Record(builder, Name(HloOpcode::Scan), where, [&](Recording& r) -> Made {
        ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(inputs));
        return r.Error(Format("scan_dimension_size {} is not that of dimension {}",
                              *scan_dimension_size, scan_dimension),
                       x);
      });
    }
  }
  return Scan(builder, inputs, inits, to_apply, scan_dimension, is_reverse,
              is_associative == TriState::kTrue, where);
}

Op While(const Callable& condition, const Callable& body, const Operand& init) {
  return Record({&init}, Name(HloOpcode::While), [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(HloInstruction * x, r.Find(init.op()));
    return AddWhile(r, condition, body, x);
  });
}

Op While(const Callable& condition, const Callable& body, absl::Span<const Op> init,
         SourceLocation where) {
  return Record(BuilderOf(init), Name(HloOpcode::While), where, [&](Recording& r) -> Made {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.Find(init));
    ASSIGN_OR_RETURN(HloInstruction * tuple, r.Add(HloOpcode::Tuple, x));
    return AddWhile(r, condition, body, tuple);
  });
}

Op Conditional(const Operand& predicate, const Operand& true_operand,
               const Callable& true_computation, const Operand& false_operand,
               const Callable& false_computation) {
  return Record(
      {&predicate, &true_operand, &false_operand}, Name(HloOpcode::Conditional),
      [&](Recording& r) -> Made {
        ASSIGN_OR_RETURN(HloInstruction * on_true, r.Find(true_operand.op()));
        ASSIGN_OR_RETURN(HloInstruction * on_false, r.Find(false_operand.op()));
        if (!predicate.is_number()) {
          ASSIGN_OR_RETURN(HloInstruction * p, r.Find(predicate.op()));
          if (!p->shape().is_scalar() || !IsPredicate(p->shape().element_type())) {
            HloInstruction* operands[] = {p, on_true, on_false};
            return r.Error("the predicate must be pred[]", operands);
          }
        }
        const Callable* branches[] = {&true_computation, &false_computation};
        return AddConditional(r, predicate, branches, {on_true, on_false}, ElementType::PRED);
      });
}

Op Conditional(const Operand& branch_index,
               absl::Span<const Computation* const> branch_computations,
               absl::Span<const Op> branch_operands) {
  std::vector<Callable> callables;
  std::vector<const Callable*> branches;
  for (const Computation* c : branch_computations) callables.emplace_back(c ? *c : Computation());
  for (const Callable& c : callables) branches.push_back(&c);
  return IndexedConditional(branch_index, branches, branch_operands);
}

Op Conditional(const Operand& branch_index, absl::Span<const Callable> branch_computations,
               absl::Span<const Op> branch_operands) {
  std::vector<const Callable*> branches;
  for (const Callable& c : branch_computations) branches.push_back(&c);
  return IndexedConditional(branch_index, branches, branch_operands);
}
Op Conditional(const Operand& branch_index, absl::Span<const ComputationId> branch_computations,
               absl::Span<const Op> branch_operands) {
  const std::vector<Callable> callables(branch_computations.begin(), branch_computations.end());
  return Conditional(branch_index, absl::Span<const Callable>(callables), branch_operands);
}
Op Conditional(const Operand& branch_index, std::initializer_list<Callable> branch_computations,
               absl::Span<const Op> branch_operands) {
  absl::Span<const Callable> callables(branch_computations.begin(), branch_computations.size());
  return Conditional(branch_index, callables, branch_operands);
}

}  // namespace sinter
