// Prints a module as HLO text that ParseHloText reads back to the same module.
#pragma once

#include <limits>
#include <string>

#include "ir/module.h"

namespace sinter {

struct PrintOptions {
  bool metadata = true;         // "metadata={...}" where there is any
  bool operand_shapes = false;  // "add(f32[2] a, f32[2] b)"
  bool entry_layout = false;    // "entry_computation_layout={(f32[2])->f32[2]}"
  // Larger constants are abridged, and the text cannot be read back.
  int64_t max_constant_elements = std::numeric_limits<int64_t>::max();
};

std::string Print(const HloModule& module, const PrintOptions& options = {});
std::string Print(const HloComputation& computation, const PrintOptions& options = {});
// One line, without a newline.
std::string Print(const HloInstruction& instruction, const PrintOptions& options = {});

}  // namespace sinter
