// Programs in the forms of others: StableHLO as MLIR's text or bytecode, and HLO text.
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

// A module of the dialects stablehlo, func, chlo, sdy and check, as text or, where it begins with
// "ML\xefR", as MLIR bytecode: a portable artifact of StableHLO 0.9.0 to 1.22 (VHLO), which JAX's
// serialize_portable_artifact makes, or what MLIR writes of the module itself. The function "main",
// else the only public one, is the program. Several results become a tuple. Errors, with
// NAME:LINE:COLUMN, the line and a mark below the place, or of bytecode with "NAME: byte OFFSET"
// and the file and line that an operation comes from: InvalidArgument where the program is wrong,
// Unimplemented for what sinter does not know, versions past the newest known among it,
// ResourceExhausted for sizes and nesting past its limits. Source: StableHLO specification,
// "Programs"; MLIR, "MLIR Bytecode Format".
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view program,
                                                     std::string_view name = "");

// The same for arguments of these shapes, the first so many: dimensions without a bound ("?") of
// the program are theirs, and all that follow from them. InvalidArgument where an argument's type
// does not admit the shape; Unimplemented for dimensions that still are without a bound.
SINTER_API absl::StatusOr<Computation> LoadStablehlo(std::string_view program,
                                                     std::string_view name,
                                                     const std::vector<Shape>& arguments);

// HLO text as XLA prints it and Computation::ToString does. Errors as above.
SINTER_API absl::StatusOr<Computation> LoadHlo(std::string_view text, std::string_view name = "");

// Either, by how it begins. InvalidArgument for what begins like neither.
SINTER_API absl::StatusOr<Computation> Load(std::string_view program, std::string_view name = "");

}  // namespace sinter
