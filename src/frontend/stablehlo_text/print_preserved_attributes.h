// What graphs keep of attributes (preserved_attributes.h), as MLIR spells it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "frontend/stablehlo/preserved_attributes.h"

namespace sinter::stablehlo {

// Between which participants a transfer is, as PairsAnnotation notes it.
std::optional<Groups> FindPairs(const Annotated& transfer);

// "a.b = 1 : i32, mhlo.sharding = \"{replicated}\"": the annotations whose names begin with the
// prefix, without it. Empty where there is none that StableHLO has a form for.
std::string AttributesText(const Annotated& annotated, std::string_view prefix = "");

}  // namespace sinter::stablehlo
