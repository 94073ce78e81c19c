// Custom calls that only say of their operands where or how they lie: shardings, layouts, memory of
// devices. Each result is the operand of its number. In the graph such a call is a copy of the
// operand, which simplification removes; the copy's annotations hold the call, and text has it
// again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ir/module.h"

namespace sinter {

struct AnnotationCall {
  std::string target;
  std::string backend_config;
  bool has_side_effect = false;

  // That of a sharding group has none: what it says holds for all uses of its operand. Nor has
  // JAX's mark of a value that counts as used.
  bool has_result() const { return target != kShardingGroup && target != kUse; }
  static constexpr std::string_view kShardingGroup = "xla.sdy.ShardingGroup", kUse = "dce_sink";
};

// Whether calls of the target are such calls, where the results have the operands' shapes.
bool IsAnnotationTarget(std::string_view target);

// Targets that make an array of all devices the part of one, in a program's part that is written
// for one (XLA's SPMDFullToShardShape), and back. A call is a copy where both are of one shape.
inline constexpr std::string_view kIntoManual = "SPMDFullToShardShape",
                                  kOutOfManual = "SPMDShardToFullShape";

// The call that a copy stands for, if it does.
std::optional<AnnotationCall> AnnotationCallOf(const HloInstruction& copy);
// Adds to the copy's annotations.
void SetAnnotationCall(HloInstruction* copy, const AnnotationCall& call);

// The names of annotations that hold the call begin so.
inline constexpr std::string_view kAnnotationCallPrefix = "annotation_call.";

}  // namespace sinter
