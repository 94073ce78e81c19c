// What a host says of a program that it imports.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sinter/literal.h"
#include "sinter/shape.h"

namespace sinter {

// The known facts of an argument of the entry function.
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

}  // namespace sinter
