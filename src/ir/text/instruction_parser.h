// Reads the instructions of one computation.
#pragma once

#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "ir/module.h"
#include "ir/text/lexer.h"

namespace sinter {

// Names are views into the text. std::hash, since absl's views need not be std's.
using ComputationNames =
    absl::flat_hash_map<std::string_view, HloComputation*, std::hash<std::string_view>>;

class InstructionParser {
 public:
  // `body` is the position of the computation's "{".
  InstructionParser(Lexer& lexer, HloComputation* computation, const ComputationNames& computations,
                    size_t body)
      : l_(lexer), c_(computation), computations_(computations), body_(body) {}

  // "[ROOT] name = shape op(operands), attributes". After an error the lexer stands at its place.
  absl::Status Parse();

 private:
  struct Parts {
    HloOpcode op{};
    Shape shape;
    Attributes attrs;
    std::vector<HloInstruction*> operands;
    std::vector<HloComputation*> called;
    Metadata metadata;
  };

  static bool IsTopKCall(const Parts& parts);
  absl::Status ParseOperands(Parts& parts);
  absl::StatusOr<HloInstruction*> ParseOperand();
  absl::Status ParseParameterNumber(int64_t& number);
  absl::Status ParseAttributes(Parts& parts);
  absl::Status ParseOneAttribute(std::string_view name, Parts& parts);
  absl::StatusOr<bool> ParseCalled(std::string_view name, Parts& parts);
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
  size_t body_;
  int64_t parameter_limit_ = 1024;  // numbers below are taken as they are
  absl::flat_hash_map<std::string_view, HloInstruction*, std::hash<std::string_view>> names_;
};

}  // namespace sinter
