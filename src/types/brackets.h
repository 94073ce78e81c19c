// Text in nested brackets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter {

enum class BracketSyntax : uint8_t {
  kHlo,   // ( ) { } [ ]; "/* */" and "// ..." are comments
  kMlir,  // < > too, but "->" closes nothing; no comments
};

struct BracketEnd {
  size_t end = std::string_view::npos;  // behind the closing bracket; npos where there is none
  // Where there is none: the bracket that does not fit, the string that does not end, or `at`.
  size_t bad = 0;
};

// The end of the group that the bracket at `at` opens, with what is nested in it. Brackets in
// strings
// ("...", with \ before a character that does not end them) are none.
BracketEnd FindEndOfBrackets(std::string_view text, size_t at, BracketSyntax syntax);

// Behind the closing quote of the string whose opening quote is at `at`, or npos.
size_t FindEndOfString(std::string_view text, size_t at);

}  // namespace sinter
