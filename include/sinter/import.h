// Programs as text: StableHLO (MLIR's textual form) and HLO.
//
//   sinter::Computation c = sinter::LoadStablehlo(text, "model.mlir").value();
//   sinter::Executable f = client->Compile(c).value();
#pragma once

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "sinter/computation.h"
#include "sinter/export.h"
#include "sinter/shape.h"

namespace sinter {

// A module of the dialects stablehlo, func, chlo and check; the function "main", else the only
// public one, is the program. Several results become a tuple. Errors, with NAME:LINE:COLUMN, the
// line and a mark below the place: InvalidArgument where the text is wrong, Unimplemented for what
// sinter does not know, ResourceExhausted for sizes and nesting past its limits. Source: StableHLO
// specification, "Programs".
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view text,
                                                     std::string_view name = "");

// The same for arguments of these shapes, the first so many: dimensions without a bound ("?") of
// the program are theirs, and all that follow from them. InvalidArgument where an argument's type
// does not admit the shape; Unimplemented for dimensions that still are without a bound.
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view text, std::string_view name,
                                                     const std::vector<Shape>& arguments);

// HLO text as XLA prints it and Computation::ToString does. Errors as above.
SINTER_API absl::StatusOr<Computation> LoadHlo(std::string_view text, std::string_view name = "");

// Either, by how it begins. InvalidArgument for what begins like neither, Unimplemented for MLIR
// bytecode.
SINTER_API absl::StatusOr<Computation> Load(std::string_view text, std::string_view name = "");

}  // namespace sinter
