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
#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/imported.h"
#include "frontend/stablehlo/options.h"
#include "ir/module.h"

namespace sinter {

// InvalidArgument where the text is wrong, Unimplemented for operations and types that sinter does
// not know (yet), ResourceExhausted for nesting and sizes past the limits. Messages are
// "FILE:LINE:COL: what", a newline, the line of text, a newline and a caret under the place.
absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehlo(std::string_view text,
                                                          std::string_view filename,
                                                          const StablehloOptions& options = {});

// The same without the graph, for several. The text and the file's name must outlive what is
// returned.
absl::StatusOr<ImportedProgram> ReadStablehlo(std::string_view text, std::string_view filename);

}  // namespace sinter
