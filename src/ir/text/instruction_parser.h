// Reads the instructions of one computation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ir/text/async.h"
#include "ir/text/forms.h"
#include "ir/text/lexer.h"
#include "ir/text/stack_frames.h"

namespace sinter {

// Names are views into the text. std::hash, since absl's views need not be std's.
using ComputationNames =
    absl::flat_hash_map<std::string_view, HloComputation*, std::hash<std::string_view>>;

// Reads a computation that stands where the name of one may: "{ instructions }".
using InlineComputation = std::function<absl::StatusOr<HloComputation*>()>;

class InstructionParser {
 public:
  static constexpr int kMaxDepth = 64;

  // `body` is the position of the computation's "{".
  InstructionParser(Lexer& lexer, HloComputation* computation, const ComputationNames& computations,
                    const StackFrames& frames, size_t body, InlineComputation parse_inline)
      : l_(lexer),
        c_(computation),
        computations_(computations),
        frames_(frames),
        body_(body),
        parse_inline_(std::move(parse_inline)) {}

  // "[ROOT] name = [shape] op(operands), attributes", where an operand may be "[shape]
  // op(operands)" in its turn. After an error the lexer stands at its place.
  absl::Status Parse();
  // From now on an operand that nothing defines but whose shape is stated becomes a parameter, as
  // where an instruction stands alone.
  void MakeParametersOfUnknown() { unknown_are_parameters_ = true; }
  // To be called at the end: what the text has no name for gets one.
  void NameTheRest();

 private:
  struct Parts {
    HloOpcode op{};
    std::string_view name;         // of the op, in the text
    std::optional<TextForm> form;  // where the name is no op's
    std::optional<Shape> shape;    // that the text states
    Attributes attrs;
    std::vector<HloInstruction*> operands;
    std::vector<Shape> operand_layouts;  // operand_layout_constraints, else empty
    std::vector<HloComputation*> called;
    Metadata metadata;
    Annotations annotations;
    std::string thread;  // async_execution_thread
  };

  static bool IsTopKCall(const Parts& parts);
  bool IsArcTangent(const Parts& parts) const;
  absl::StatusOr<HloInstruction*> ParseValue(std::string_view name);
  absl::StatusOr<HloInstruction*> ParseOp(std::string_view name, Parts parts);
  absl::StatusOr<HloInstruction*> Add(std::string_view name, Parts& parts);
  static void StateLayoutsOf(Parts& parts);
  absl::Status ParseOperands(Parts& parts);
  absl::StatusOr<HloInstruction*> ParseOperand();
  absl::StatusOr<HloInstruction*> ParseElements(HloInstruction* value);
  absl::Status ParseParameterNumber(int64_t& number);
  // With `present` false only checks that none is required.
  absl::Status ParseAttributes(Parts& parts, bool present);
  // `at`: where the name stands.
  absl::Status ParseOneAttribute(std::string_view name, size_t at, Parts& parts);
  absl::Status ParseComparisonOrder(CompareAttrs& compare);
  absl::Status CheckAccuracy(HloOpcode op);
  absl::Status ParsePredecessors(Annotations& annotations);
  absl::StatusOr<bool> ParseCalled(std::string_view name, Parts& parts);
  // "{f32[2,3]{0,1}, ...}", one shape an operand.
  absl::Status ParseOperandLayouts(Parts& parts);
  // "{a, b}".
  absl::StatusOr<bool> ParseComputationNames(Parts& parts);
  absl::StatusOr<HloComputation*> ParseComputationName();
  absl::Status ParseMetadata(Metadata& metadata);

  // The error, with the lexer set to the place it is about.
  absl::Status At(size_t pos, absl::Status s) {
    l_.set_pos(pos);
    return s;
  }

  Lexer& l_;
  HloComputation* c_;
  const ComputationNames& computations_;
  const StackFrames& frames_;
  size_t body_;
  InlineComputation parse_inline_;
  std::vector<HloInstruction*> anonymous_;
  AsyncChains chains_;
  bool unknown_are_parameters_ = false;
  int depth_ = 0;                   // of operands that are instructions of their own
  int64_t parameter_limit_ = 1024;  // numbers below are taken as they are
  absl::flat_hash_map<std::string_view, HloInstruction*, std::hash<std::string_view>> names_;
};

}  // namespace sinter
