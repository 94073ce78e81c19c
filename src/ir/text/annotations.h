// Attributes of HLO text that change no result here. They are read as text, held as annotations and
// printed again. The table in annotations.cc lists them; an attribute that is neither the op's own
// nor listed is an error, since nobody knows what it would have changed.
#pragma once

#include <string_view>

namespace sinter {

enum class AnnotationOf { kModule, kComputation, kInstruction };

// Whether the attribute may stand on what `of` says; `op` is an instruction's op in the text, or
// empty.
bool IsAnnotation(AnnotationOf of, std::string_view name, std::string_view op = "");

// Whether every op may have it, so that it stays true of an instruction that is read as another op.
bool IsAnnotationOfAnyOp(std::string_view name);

}  // namespace sinter
