// Pieces of MLIR text: strings, symbols, lists, numbers, constants.
#pragma once

#include <string>
#include <string_view>

#include "ir/ops/attributes.h"
#include "sinter/literal.h"

namespace sinter::stablehlo {

// "a\"b" with what is not printable as \HH.
std::string QuotedText(std::string_view text);
// @name, or @"na me".
std::string SymbolText(std::string_view name);
// [1, 2]
std::string ListText(const Dims& dims);
// array<i64: 1, 2>, or array<i64>
std::string ArrayText(const Dims& dims);
// The fewest digits that read back to the same float, with a point: "1.0", "1.5e+30".
std::string FloatText(float value);

// Appends dense<...>, without a type, for an array literal.
void AppendDense(const Literal& literal, std::string& out);

}  // namespace sinter::stablehlo
