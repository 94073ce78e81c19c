// Pieces of MLIR text: lists, numbers, constants; strings and symbols are in mlir_text.h.
#pragma once

#include <string>
#include <string_view>

#include "frontend/stablehlo/mlir_text.h"
#include "ir/ops/attributes.h"
#include "sinter/literal.h"

namespace sinter::stablehlo {

// [1, 2]
std::string ListText(const Dims& dims);
// array<i64: 1, 2>, or array<i64>
std::string ArrayText(const Dims& dims);
// The fewest digits that read back to the same float, with a point: "1.0", "1.5e+30".
std::string FloatText(float value);

// Appends dense<...>, without a type, for an array literal.
void AppendDense(const Literal& literal, std::string& out);

}  // namespace sinter::stablehlo
