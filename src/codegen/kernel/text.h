// The text form of kernels. Print and Parse are inverse up to the numbers of values:
// Print(Parse(Print(k))) is Print(k) to the letter, and Hash(Parse(Print(k))) is Hash(k).
//
//   kernel add lanes 16 {
//     param %n 1..4096 multiple 64
//     %c0:s64 = const 0
//     %c1:s64 = const 1
//     buffer @x f32 argument [%n] [%c1]
//     buffer @o f32 argument [%n] [%c1] written
//     for.par.exact 64 %c0, %n { (%0:s64)
//       %1:f32[1x64] = load @x[%0+c]
//       %2:f32[1x64] = add %1, %1
//       store %2, @o[%0+c]
//       yield
//     }
//   }
//
// Kernels with layouts say `warps 8` behind their lanes, and each layout before the parameters:
//   layout #1 rows [] cols [reg 2, warp 8, lane 32, reg 4]
#pragma once

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "codegen/kernel/kernel.h"

namespace sinter::kernel {

// Prints any kernel, an invalid one too, for dumps: what refers to nothing is printed with a
// question mark.
std::string Print(const Kernel& kernel);

// The line of one operation of `kernel` (without its regions), for messages.
std::string Print(const Kernel& kernel, const Op& op);

// Reads what Print writes. Checks the grammar only, Verify the rest. Errors (InvalidArgument) name
// the line.
absl::StatusOr<Kernel> Parse(std::string_view text);

}  // namespace sinter::kernel
