// What graphs keep the text of: operations of Shardy and declarations of functions.
#pragma once

#include <string>

#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

// Gives an operation that only says where its operand is placed the attribute "annotation": its
// text with %0 for the operand and without types.
void AddAnnotation(Operation* op);

// What stands behind the name of a declaration: "(tensor<2xf32> {a = 1 : i32}) -> tensor<f32>".
std::string SignatureText(const Function& f);

}  // namespace sinter::stablehlo
