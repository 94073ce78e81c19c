#include "ir/composite.h"

#include <algorithm>
#include <charconv>

#include "base/status.h"

namespace sinter {
namespace {

// Where the value that begins at `at` ends: at a ',' or '}' that is in no brackets and no string.
size_t EndOfValue(std::string_view text, size_t at) {
  int depth = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\';
    } else if (c == '{' || c == '[' || c == '(' || c == '<') {
      ++depth;
    } else if (depth == 0 && (c == ',' || c == '}')) {
      break;
    } else if (c == '}' || c == ']' || c == ')' || c == '>') {
      --depth;
    }
  }
  return std::min(at, text.size());
}

std::string_view Trimmed(std::string_view s) {
  while (!s.empty() && (s.front() == ' ' || s.front() == '\n')) s.remove_prefix(1);
  while (!s.empty() && (s.back() == ' ' || s.back() == '\n')) s.remove_suffix(1);
  return s;
}

std::string Unquoted(std::string_view s) {
  if (s.size() < 2 || s.front() != '"') return std::string(s);
  std::string out;
  for (size_t i = 1; i + 1 < s.size(); ++i) {
    if (s[i] == '\\' && i + 2 < s.size()) ++i;
    out += s[i];
  }
  return out;
}

std::string QuotedName(std::string_view s) {
  std::string out = "\"";
  for (char c : s) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::optional<CompositeCallInfo> CompositeOf(const HloInstruction& call) {
  if (call.op() != HloOpcode::Call) return std::nullopt;
  const std::string* is = Find(call.annotations(), "is_composite");
  const std::string* all = Find(call.annotations(), "frontend_attributes");
  if (is == nullptr || *is != "true" || all == nullptr) return std::nullopt;
  CompositeCallInfo info;
  const std::string_view text = *all;
  for (size_t at = 1; at < text.size();) {
    const size_t end = EndOfValue(text, at);
    const std::string_view entry = text.substr(at, end - at);
    at = end + 1;
    const size_t equals = entry.find('=');
    if (equals == entry.npos) continue;
    const std::string_view key = Trimmed(entry.substr(0, equals));
    const std::string_view value = Trimmed(entry.substr(equals + 1));
    if (key == "composite.name") {
      info.name = Unquoted(value);
    } else if (key == "composite.attributes") {
      info.attributes = value;
    } else if (key == "composite.version") {
      const std::string number = Unquoted(value);
      std::from_chars(number.data(), number.data() + number.size(), info.version);
    }
  }
  if (info.name.empty()) return std::nullopt;
  return info;
}

void SetComposite(HloInstruction* call, const CompositeCallInfo& info) {
  Annotations annotations = call->annotations();
  std::erase_if(annotations, [](const Annotation& a) {
    return a.name == "is_composite" || a.name == "frontend_attributes";
  });
  annotations.push_back({"is_composite", "true"});
  annotations.push_back(
      {"frontend_attributes",
       Format("{{{}composite.name={},composite.version=\"{}\"}}",
              info.attributes.empty() ? "" : Format("composite.attributes={},", info.attributes),
              QuotedName(info.name), info.version)});
  call->set_annotations(std::move(annotations));
}

}  // namespace sinter
