// How MLIR spells attributes: what graphs keep of those that mean nothing to them.
#pragma once

#include <string>

#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

// With types, where MLIR prints them: 1 : i32, dense<0> : tensor<2xi8>, {a = "b"}.
std::string AttributeText(const Attribute& a);
// array<f32: 1.000000e+00>, of floats of the type.
std::string FloatArrayText(const Type& type, absl::Span<const Attribute> elements);
// Of an attribute of Shardy: as it is inside of another, <@mesh, [{}]> of #sdy.sharding<@mesh,
// [{}]>.
std::string StrippedText(const Attribute& a);

}  // namespace sinter::stablehlo
