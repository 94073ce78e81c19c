#include "eval/evaluator.h"

#include <utility>

#include "base/status.h"
#include "ir/participants.h"

namespace sinter::eval {
namespace {

constexpr int kMaxDepth = 500;

absl::Status CheckShape(const Shape& shape, int64_t max_bytes) {
  for (const Shape& element : shape.tuple_shapes()) RETURN_IF_ERROR(CheckShape(element, max_bytes));
  if (!shape.is_array()) return absl::OkStatus();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.dimension(d) == Shape::kUnbounded)
      return Unimplemented("dynamic shape {} without a bound", shape.ToString());
  }
  if (shape.quantization()) return Unimplemented("quantized type {}", shape.ToString());
  if (shape.byte_size() > max_bytes) {
    return ResourceExhausted("{} is larger than {} bytes", shape.ToString(), max_bytes);
  }
  return absl::OkStatus();
}

absl::Status CheckInstruction(const HloInstruction& i, int64_t max_bytes) {
  absl::Status status = CheckShape(i.shape(), max_bytes);
  if (status.ok()) return status;
  return Annotate(status, Format("evaluating {} '{}'", Name(i.op()), i.name()));
}

absl::StatusOr<Literal> EvaluateAs(Participant* participant, const HloComputation& computation,
                                   absl::Span<const Literal> arguments,
                                   const EvalOptions& options) {
  const auto& parameters = computation.parameters();
  if (arguments.size() != parameters.size()) {
    return InvalidArgument("computation '{}' takes {} arguments, {} were given", computation.name(),
                           parameters.size(), arguments.size());
  }
  std::vector<Value> values;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!Shape::Fits(arguments[i].shape(), parameters[i]->shape())) {
      return InvalidArgument("argument {} of computation '{}' must be {}, not {}", i,
                             computation.name(), parameters[i]->shape().ToString(),
                             arguments[i].shape().ToString());
    }
    values.push_back(Value::Borrow(arguments[i]));
  }
  Evaluator evaluator(options, participant);
  ASSIGN_OR_RETURN(Value result, evaluator.Call(&computation, std::move(values)));
  return result.ToLiteral();
}

}  // namespace

absl::StatusOr<const Evaluator::Plan*> Evaluator::PlanOf(const HloComputation* computation) {
  std::unique_ptr<Plan>& plan = plans_[computation];
  if (plan) return plan.get();
  auto made = std::make_unique<Plan>();
  std::vector<HloInstruction*> order = computation->PostOrder();
  absl::flat_hash_map<const HloInstruction*, int32_t> slots;
  for (const HloInstruction* i : order) {
    RETURN_IF_ERROR(CheckInstruction(*i, options_.max_value_bytes));
    Step step{i, {}, {}, IsDynamic(*i)};
    for (const HloInstruction* operand : i->operands()) {
      auto slot = slots.find(operand);
      RETURN_INTERNAL_IF(slot == slots.end(), "'{}' is used before it is computed",
                         operand->name());
      step.operands.push_back(slot->second);
    }
    slots[i] = static_cast<int32_t>(made->steps.size());
    made->steps.push_back(std::move(step));
  }
  auto root = slots.find(computation->root());
  RETURN_INTERNAL_IF(root == slots.end(), "computation '{}' has no root", computation->name());
  made->root = root->second;

  std::vector<bool> needed(made->steps.size(), false);
  needed[static_cast<size_t>(made->root)] = true;
  for (auto step = made->steps.rbegin(); step != made->steps.rend(); ++step) {
    for (auto slot = step->operands.rbegin(); slot != step->operands.rend(); ++slot) {
      auto at = static_cast<size_t>(*slot);
      step->last_use.push_back(!needed[at]);
      needed[at] = true;
    }
    step->last_use = {step->last_use.rbegin(), step->last_use.rend()};
  }
  plan = std::move(made);
  return plan.get();
}

absl::StatusOr<Value> Evaluator::Call(const HloComputation* computation,
                                      std::vector<Value> arguments) {
  if (depth_ >= kMaxDepth) {
    return ResourceExhausted("computations nest deeper than {} at '{}'", kMaxDepth,
                             computation->name());
  }
  ASSIGN_OR_RETURN(const Plan* plan, PlanOf(computation));
  std::vector<Value> values(plan->steps.size());
  std::vector<Value> operands;
  ++depth_;
  for (size_t at = 0; at < plan->steps.size(); ++at) {
    const Step& step = plan->steps[at];
    const HloInstruction& instruction = *step.instruction;
    if (instruction.op() == HloOpcode::Parameter) {
      auto number = static_cast<size_t>(instruction.attrs<ParameterAttrs>().number);
      RETURN_INTERNAL_IF(number >= arguments.size(),
                         "computation '{}' was called with {} arguments", computation->name(),
                         arguments.size());
      values[at] = std::move(arguments[number]);
      continue;
    }
    operands.clear();
    for (size_t i = 0; i < step.operands.size(); ++i) {
      Value& value = values[static_cast<size_t>(step.operands[i])];
      if (step.last_use[i]) {
        operands.push_back(std::move(value));
      } else {
        operands.push_back(value);
      }
    }
    ASSIGN_OR_RETURN(values[at], Run(instruction, absl::MakeSpan(operands), step.is_dynamic));
  }
  --depth_;
  return std::move(values[static_cast<size_t>(plan->root)]);
}

absl::StatusOr<Value> Evaluator::Run(const HloInstruction& instruction, absl::Span<Value> operands,
                                     bool is_dynamic) {
  if (options_.max_instructions && ++executed_ > options_.max_instructions) {
    return ResourceExhausted("more than {} instructions were executed", options_.max_instructions);
  }
  if (is_dynamic) return RunDynamic(*this, instruction, operands);
  return FunctionOf(instruction.op())({instruction, operands, *this});
}

}  // namespace sinter::eval

namespace sinter {

absl::StatusOr<Literal> Evaluate(const HloModule& module, absl::Span<const Literal> arguments,
                                 const EvalOptions& options) {
  if (!module.entry())
    return InvalidArgument("module '{}' has no entry computation", module.name());
  return EvaluateComputation(*module.entry(), arguments, options);
}

absl::StatusOr<Literal> EvaluateComputation(const HloComputation& computation,
                                            absl::Span<const Literal> arguments,
                                            const EvalOptions& options) {
  return eval::EvaluateAs(nullptr, computation, arguments, options);
}

absl::StatusOr<std::vector<Literal>> EvaluateParticipants(
    absl::Span<const HloComputation* const> computations,
    absl::Span<const std::vector<Literal>> arguments, const collective::Grid& grid,
    const EvalOptions& options) {
  const auto size = static_cast<size_t>(grid.size());
  if (computations.size() != size || arguments.size() != size) {
    return InvalidArgument(
        "{} replicas of {} partitions need arguments for {} participants, {} were given",
        grid.replicas, grid.partitions, size, arguments.size());
  }
  std::vector<Literal> results(size);
  eval::World world(grid);
  RETURN_IF_ERROR(world.Run([&](eval::Participant& participant) -> absl::Status {
    const auto n = static_cast<size_t>(participant.number());
    ASSIGN_OR_RETURN(results[n],
                     eval::EvaluateAs(&participant, *computations[n], arguments[n], options));
    return absl::OkStatus();
  }));
  return results;
}

absl::StatusOr<std::vector<Literal>> EvaluateParticipants(
    const HloModule& module, absl::Span<const std::vector<Literal>> arguments,
    const EvalOptions& options) {
  if (!module.entry())
    return InvalidArgument("module '{}' has no entry computation", module.name());
  const std::vector<const HloComputation*> entries(arguments.size(), module.entry());
  return EvaluateParticipants(entries, arguments, GridOf(module), options);
}

absl::StatusOr<Literal> EvaluateInstruction(const HloInstruction& instruction,
                                            absl::Span<const Literal* const> operands,
                                            const EvalOptions& options) {
  RETURN_INTERNAL_IF(
      operands.size() != instruction.operands().size() || instruction.op() == HloOpcode::Parameter,
      "'{}' cannot be evaluated with {} operands", instruction.name(), operands.size());
  RETURN_IF_ERROR(eval::CheckInstruction(instruction, options.max_value_bytes));
  std::vector<eval::Value> values;
  for (const Literal* literal : operands) values.push_back(eval::Value::Borrow(*literal));
  eval::Evaluator evaluator(options);
  ASSIGN_OR_RETURN(eval::Value result, evaluator.Run(instruction, absl::MakeSpan(values),
                                                     eval::IsDynamic(instruction)));
  return result.ToLiteral();
}

}  // namespace sinter
