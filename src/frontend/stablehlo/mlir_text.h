// How MLIR spells types, strings and symbols: in errors, and in what graphs keep as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "sinter/shape.h"

namespace sinter::stablehlo {

struct Type;

// tensor<2x?xf32>, !stablehlo.token, tuple<...>
std::string ToText(const Shape& shape);
std::string ToText(const Type& type);
// The type of the elements of an array: f32, complex<f32>, !quant.uniform<...>
std::string ElementText(const Shape& shape);
// The type of a name such as bf16 or ui8.
std::optional<ElementType> ElementTypeOf(std::string_view name);
// The least and the largest value of an integer type, within int64.
std::pair<int64_t, int64_t> StorageRange(ElementType t);

// "a\"b" with what is not printable as \HH.
std::string QuotedText(std::string_view text);
// @name, or @"na me".
std::string SymbolText(std::string_view name);

}  // namespace sinter::stablehlo
