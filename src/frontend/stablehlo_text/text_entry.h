// A single attribute or type as text, as MLIR's other forms hold those that have no encoding there.
#pragma once

#include <string_view>

#include "absl/status/statusor.h"
#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

// Places in the attribute are in `text`. Errors are those of ParseStablehlo.
absl::StatusOr<Attribute> ParseAttributeEntry(std::string_view text, std::string_view filename);
absl::StatusOr<Type> ParseTypeEntry(std::string_view text, std::string_view filename);

}  // namespace sinter::stablehlo
