// Import of MLIR bytecode: VHLO's portable artifacts of all versions, as JAX's exports and PJRT
// hold them, and programs of the dialects stablehlo, func, chlo and sdy as MLIR writes them itself.
//
//   ASSIGN_OR_RETURN(auto module, sinter::ParseStablehloBytecode(bytes, "model.mlirbc"));
//
// The same graph comes of the text of such a program (frontend/stablehlo_text/stablehlo.h).
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/imported.h"
#include "frontend/stablehlo/options.h"
#include "ir/module.h"

namespace sinter {

// InvalidArgument where the bytes are wrong, Unimplemented for versions, operations, attributes and
// types that sinter does not know (yet), ResourceExhausted for nesting and sizes past the limits.
// Messages are "FILE: byte OFFSET: what", with "(ORIGIN:LINE)" behind the offset for operations
// that come from a file.
absl::StatusOr<std::unique_ptr<HloModule>> ParseStablehloBytecode(
    std::string_view bytes, std::string_view filename, const StablehloOptions& options = {});

// The same without the graph, for several. The bytes and the file's name must outlive what is
// returned. `offset` is where the bytes are in the file, which errors name.
absl::StatusOr<ImportedProgram> ReadStablehloBytecode(std::string_view bytes,
                                                      std::string_view filename, size_t offset = 0);

}  // namespace sinter
