// Import of StableHLO text: MLIR's generic form and the pretty forms that the dialects stablehlo,
// func, chlo and check print, in either spelling.
//
//   ASSIGN_OR_RETURN(auto module, sinter::ParseStablehlo(text, "model.mlir"));
//
// Functions become computations, func.call becomes `call`, the entry function's several results a
// tuple. Operations with several results become one instruction with a tuple result and
// get-tuple-elements. Values that regions capture become operands: of `while` as further elements
// of the carried tuple, of `conditional` as the branches' operands; captured constants are copied
// into the region.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

// What is known about an argument of the entry function.
struct StablehloArgument {
  // Its shape, which must be one of those that its type admits. A dimension without a bound may be
  // given one, and then is dynamic when the program runs.
  std::optional<Shape> shape;
  // Of an argument whose shape is not given, the sizes: its dimensions without a bound are of them.
  std::optional<std::vector<int64_t>> sizes;
  // Its value: it becomes a constant, is no parameter, and may be a size.
  std::optional<Literal> value;
};

struct StablehloOptions {
  // The entry function. Where it is "main" and there is none, the only public function is taken.
  std::string_view entry = "main";
  // Of the first so many arguments. A program with dynamic dimensions is imported for these shapes:
  // sizes that operations take as operands must follow from them and from constants.
  std::vector<StablehloArgument> arguments;
};

// InvalidArgument where the text is wrong, Unimplemented for operations and types that sinter does
// not know (yet), ResourceExhausted for nesting and sizes past the limits. Messages are
// "FILE:LINE:COL: what", a newline, the line of text, a newline and a caret under the place.
absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string_view text,
                                                          std::string_view filename,
                                                          const StablehloOptions& options = {});

}  // namespace sinter
