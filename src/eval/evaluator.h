// What the functions of the interpreter share: their signature, and the evaluator that runs
// computations.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "eval/eval.h"
#include "eval/value.h"
#include "eval/world.h"
#include "ir/module.h"

namespace sinter::eval {

class Evaluator;

// The input of an op's function. The function owns the operands: a value without other owners may
// be changed in place.
struct Input {
  const HloInstruction& instruction;
  absl::Span<Value> operands;
  Evaluator& evaluator;

  const Shape& shape() const { return instruction.shape(); }
  const Literal& array(size_t i) const { return operands[i].array(); }
  HloComputation* called(size_t i) const { return instruction.called(i); }
};
using Function = absl::StatusOr<Value> (*)(const Input&);

// The total table from operations to functions.
Function FunctionOf(HloOpcode op);

class Evaluator {
 public:
  // `participant`: one of several, or null for a program that runs alone.
  explicit Evaluator(const EvalOptions& options, Participant* participant = nullptr)
      : options_(options), participant_(participant) {}

  // The value of the computation's root. Computations may nest 500 deep.
  absl::StatusOr<Value> Call(const HloComputation* computation, std::vector<Value> arguments);

  // `is_dynamic`: the instruction or an operand has a dynamic dimension.
  absl::StatusOr<Value> Run(const HloInstruction& instruction, absl::Span<Value> operands,
                            bool is_dynamic = false);

  const EvalOptions& options() const { return options_; }
  Participant* participant() const { return participant_; }

 private:
  // An instruction in evaluation order; values are in slots numbered by that order.
  struct Step {
    const HloInstruction* instruction;
    std::vector<int32_t> operands;
    std::vector<bool> last_use;  // for each operand: nothing later reads the slot
    bool is_dynamic = false;
  };
  struct Plan {
    std::vector<Step> steps;
    int32_t root = 0;
  };

  absl::StatusOr<const Plan*> PlanOf(const HloComputation* computation);

  const EvalOptions& options_;
  Participant* const participant_;
  absl::flat_hash_map<const HloComputation*, std::unique_ptr<Plan>> plans_;
  int depth_ = 0;
  int64_t executed_ = 0;
};

// Whether the instruction or an operand is declared to have dynamic dimensions.
bool IsDynamic(const HloInstruction& instruction);
// The value of such an instruction for operands of the sizes that they really have (dynamic.cc).
absl::StatusOr<Value> RunDynamic(Evaluator& evaluator, const HloInstruction& instruction,
                                 absl::Span<Value> operands);

}  // namespace sinter::eval
