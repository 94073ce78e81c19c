// Reads HLO text.
//
//   auto module = sinter::ParseHloText("HloModule m\nENTRY main { ROOT p = f32[2] parameter(0) }",
//   "m.hlo");
#pragma once

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "ir/module.h"

namespace sinter {

// A text without a header is a module of its computations, or of one instruction, whose operands
// are then parameters of the shapes that are stated.
//
// Computations must stand before their callers, operands before their users. Attributes that we do
// not know are skipped; so are shardings, frontend attributes and control dependencies, which
// change no value. forms.h says what operations are read as others. Shapes are inferred and must
// agree with those stated. Errors: InvalidArgument (Unimplemented for an op that we do not know,
// ResourceExhausted for sizes that overflow and nesting too deep) with "FILE:LINE:COL: message",
// the line, and a caret below the place.
absl::StatusOr<std::unique_ptr<HloModule>> ParseHloText(std::string_view text,
                                                        std::string_view filename);

}  // namespace sinter
