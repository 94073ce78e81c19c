#include "types/brackets.h"

#include <string>

namespace sinter {
namespace {

char ClosingOf(char c, BracketSyntax syntax) {
  switch (c) {
    case '(':
      return ')';
    case '{':
      return '}';
    case '[':
      return ']';
    case '<':
      return syntax == BracketSyntax::kMlir ? '>' : '\0';
    default:
      return '\0';
  }
}

bool IsClosing(char c, BracketSyntax syntax) {
  return c == ')' || c == '}' || c == ']' || (c == '>' && syntax == BracketSyntax::kMlir);
}

// Behind the comment that begins at `at`, or `at` where none does. One that does not end goes to
// the end of the text.
size_t EndOfComment(std::string_view text, size_t at) {
  const std::string_view rest = text.substr(at);
  if (!rest.starts_with("/*") && !rest.starts_with("//")) return at;
  const std::string_view closing = rest[1] == '*' ? "*/" : "\n";
  const size_t end = text.find(closing, at + 2);
  return end == text.npos ? text.size() : end + closing.size();
}

}  // namespace

size_t FindEndOfString(std::string_view text, size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') {
      ++at;
    } else if (text[at] == '"') {
      return at + 1;
    }
  }
  return text.npos;
}

BracketEnd FindEndOfBrackets(std::string_view text, size_t at, BracketSyntax syntax) {
  const size_t start = at;
  std::string open;  // the brackets that are to come, the next one last
  while (at < text.size()) {
    const char c = text[at];
    if (syntax == BracketSyntax::kHlo) {
      const size_t end = EndOfComment(text, at);
      if (end != at) {
        at = end;
        continue;
      }
    }
    if (c == '"') {
      const size_t end = FindEndOfString(text, at);
      if (end == text.npos) return {text.npos, at};
      at = end;
      continue;
    }
    if (syntax == BracketSyntax::kMlir && text.substr(at, 2) == "->") {
      at += 2;
      continue;
    }
    if (const char closing = ClosingOf(c, syntax)) {
      open += closing;
    } else if (IsClosing(c, syntax)) {
      if (open.empty() || open.back() != c) return {text.npos, at};
      open.pop_back();
    }
    ++at;
    if (open.empty()) return {at, start};
  }
  return {text.npos, start};
}

}  // namespace sinter
