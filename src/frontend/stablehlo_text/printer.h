// Export of a module as StableHLO text, the inverse of stablehlo.h: what is printed parses, here
// and with MLIR's own parser, to a module that computes the same.
//
//   ASSIGN_OR_RETURN(std::string text, sinter::PrintStablehlo(*module));
//
// The entry becomes func.func public @main, computations that `call` and `fusion` name become
// private functions, all others regions, printed where they are used. Tuples dissolve into their
// elements wherever StableHLO has several values in their place: the results of functions and
// custom calls, the carried values of a loop, the results of branches, the operands of barriers.
// Where a tuple is left (a parameter, an operand of a call), stablehlo.tuple and
// stablehlo.get_tuple_element make and read it.
//
// Functions that the text declared without a body are declared again.
//
// Names, layouts and fusion kinds are lost; `copy` prints as its operand. Constants whose elements
// are all the same print as one element, large ones as hexadecimal bytes.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

struct StablehloPrintOptions {
  // loc("op_name"("file":line:0)) behind operations of which it is known.
  bool locations = false;
};

// Unimplemented for operations without a form in StableHLO (those that only passes put, such as
// `windows`) and for aliases of a part of a parameter or of a nested result; ResourceExhausted for
// regions nested deeper than the parser reads, and where computations that are called from many
// places would be repeated too often.
absl::StatusOr<std::string> PrintStablehlo(const HloModule& module,
                                           const StablehloPrintOptions& options = {});

}  // namespace sinter
