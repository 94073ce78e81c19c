#include "ir/frontend_attributes.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "base/text.h"
#include "types/brackets.h"

namespace sinter {
namespace {

// Where the value that begins at `at` ends: at a ',' or '}' that is in no brackets and no string.
size_t EndOfValue(std::string_view text, size_t at) {
  while (at < text.size() && text[at] != ',' && text[at] != '}') {
    const char c = text[at];
    size_t end = at + 1;
    if (c == '"') {
      end = FindEndOfString(text, at);
    } else if (c == '{' || c == '[' || c == '(' || c == '<') {
      end = FindEndOfBrackets(text, at, BracketSyntax::kMlir).end;
    }
    at = std::min(end, text.size());
  }
  return at;
}

std::string_view Trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

std::string Unescaped(std::string_view s) {
  std::string out;
  const bool ok = absl::CUnescape(absl::string_view(s.data(), s.size()), &out);
  return ok ? out : std::string(s);  // text with other escapes than C's is taken as it is
}

}  // namespace

std::vector<FrontendAttribute> FrontendAttributes(std::string_view text) {
  std::vector<FrontendAttribute> attributes;
  for (size_t at = 1; at < text.size();) {
    const size_t end = EndOfValue(text, at);
    const std::string_view entry = text.substr(at, end - at);
    at = end + 1;
    const size_t equals = entry.find('=');
    if (equals == entry.npos) continue;
    const std::string_view value = Trimmed(entry.substr(equals + 1));
    const bool is_string = value.size() > 1 && value.front() == '"' && value.back() == '"';
    attributes.push_back(
        {std::string(Trimmed(entry.substr(0, equals))),
         is_string ? Unescaped(value.substr(1, value.size() - 2)) : std::string(value), is_string});
  }
  return attributes;
}

std::string FrontendAttributesText(absl::Span<const FrontendAttribute> attributes) {
  std::vector<std::string> entries;
  for (const FrontendAttribute& a : attributes) {
    entries.push_back(a.is_string ? Format("{}=\"{}\"", a.name, std::string(absl::CEscape(a.value)))
                                  : Format("{}={}", a.name, a.value));
  }
  return Format("{{{}}}", Join(entries, ","));
}

}  // namespace sinter
