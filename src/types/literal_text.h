// Text of literal values as HLO writes them, without the shape: "1.5", "true", "(1, 2)" for a
// complex number or a tuple, "{{1, 2}, {3, nan}}" for an array.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "sinter/literal.h"
#include "types/text_cursor.h"

namespace sinter {

// Reads a value of `shape` at the cursor and leaves the cursor behind it, or where it failed. The
// text's length bounds what is allocated. Not "{...}", XLA's mark of a value left out.
absl::StatusOr<Literal> ParseLiteralValue(TextCursor& cursor, const Shape& shape);

// Appends the value; along each dimension what exceeds the share of `max_elements` becomes "...".
void AppendLiteralValue(const Literal& literal, int64_t max_elements, std::string& out);

// "f32[2] {1, 2}", the form of Literal::ToString.
absl::StatusOr<Literal> ParseLiteral(std::string_view text);

}  // namespace sinter
