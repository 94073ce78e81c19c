// Attributes in HLO text. What Fields() says is printed and read as "name=value"; slice, padding,
// operand_precision and convolution's attributes have forms of their own; a parameter's number and
// a constant's value stand in the parentheses of the operands.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "ir/ops/op.h"
#include "ir/text/lexer.h"

namespace sinter {

// The alternative of Attributes with that index, with the defaults of its fields.
Attributes DefaultAttributes(uint8_t index);

// Appends ", name=value" for each attribute.
void AppendAttributes(HloOpcode op, const Attributes& attrs, std::string& out);

// Reads the value of the attribute `name` at the lexer; false where `attrs` has none of that name.
absl::StatusOr<bool> ParseAttribute(Lexer& lexer, std::string_view name, Attributes& attrs);

// The attributes that an op's text must have.
std::vector<std::string_view> RequiredAttributes(HloOpcode op);

// Names under which an op's called computations stand: {"to_apply"}, {"condition", "body"}; empty
// for those of conditional, which depend on their number.
std::vector<std::string_view> CalledNames(HloOpcode op);

}  // namespace sinter
