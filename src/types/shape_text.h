// The parser of shapes in HLO text, for those who read one out of a longer text.
#pragma once

#include "absl/status/statusor.h"
#include "sinter/shape.h"
#include "types/text_cursor.h"

namespace sinter {

// Reads a shape at the cursor and leaves the cursor behind it, or where it failed. InvalidArgument
// for bad text, ResourceExhausted for sizes that overflow and tuples nested too deep.
absl::StatusOr<Shape> ParseShape(TextCursor& cursor);

// Whether the text at the cursor looks like the start of a shape: "f32[", "token[", "(".
bool AtShape(TextCursor cursor);

}  // namespace sinter
