#include "ir/text/lexer.h"

#include <algorithm>

#include "types/brackets.h"

namespace sinter {
namespace {

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '.' || c == '-' || c == '$' || c == '@';
}

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

char Closing(char open) { return open == '(' ? ')' : open == '{' ? '}' : open == '[' ? ']' : '\0'; }

}  // namespace

std::string_view Lexer::EatName() {
  SkipSpace();
  size_t before = pos();
  if (Here() == '%') set_pos(before + 1);
  size_t start = pos();
  while (IsNameChar(Here())) {
    if (Here() == '-' && Here(1) == '>') break;  // "name->"
    set_pos(pos() + 1);
  }
  if (pos() == start) set_pos(before);
  return text().substr(start, pos() - start);
}

absl::StatusOr<std::string> Lexer::EatString() {
  if (!Eat('"')) return Error("expected a string");
  size_t start = pos() - 1;
  std::string out;
  while (remaining()) {
    char c = Here();
    set_pos(pos() + 1);
    if (c == '"') return out;
    if (c != '\\') {
      out += c;
      continue;
    }
    c = Here();
    if (!remaining()) break;
    set_pos(pos() + 1);
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (c == 'r') {
      out += '\r';
    } else if (c == 'x') {
      int value = 0;
      for (int i = 0; i < 2 && HexDigit(Here()) >= 0; ++i) {
        value = value * 16 + HexDigit(Here());
        set_pos(pos() + 1);
      }
      out += static_cast<char>(value);
    } else if (c >= '0' && c <= '7') {
      int value = c - '0';
      for (int i = 0; i < 2 && Here() >= '0' && Here() <= '7'; ++i) {
        value = value * 8 + (Here() - '0');
        set_pos(pos() + 1);
      }
      out += static_cast<char>(value);
    } else {
      out += c;
    }
  }
  set_pos(start);
  return Error("the string does not end");
}

absl::Status Lexer::Expect(char c, std::string_view where) {
  if (Eat(c)) return absl::OkStatus();
  return Error("expected '{}' {}", c, where);
}

absl::StatusOr<std::string_view> Lexer::SkipGroup() {
  SkipSpace();
  const size_t start = pos();
  const BracketEnd group = FindEndOfBrackets(text(), start, BracketSyntax::kHlo);
  if (group.end == std::string_view::npos) {
    set_pos(group.bad);
    if (group.bad == start) return Error("the '{}' is not closed", Here());
    if (Here() == '"') return EatString().status();
    return Error("unexpected '{}'", Here());
  }
  set_pos(group.end);
  return text().substr(start, group.end - start);
}

absl::Status Lexer::SkipValue() {
  SkipSpace();
  size_t start = pos();
  while (remaining()) {
    char c = Here();
    if (c == '"') {
      RETURN_IF_ERROR(EatString().status());
    } else if (Closing(c)) {
      RETURN_IF_ERROR(SkipGroup().status());
    } else if (c == ',' || c == ')' || c == '}' || c == ']' || c == ' ' || c == '\n' || c == '\t' ||
               c == '\r') {
      break;
    } else {
      set_pos(pos() + 1);
    }
  }
  if (pos() == start) return Error("expected a value");
  return absl::OkStatus();
}

absl::Status Lexer::CountImplied(int64_t numbers) {
  constexpr int64_t kMost = 1 << 22;
  if (numbers > kMost - implied_) return ResourceExhausted("more than {} participants", kMost);
  implied_ += numbers;
  return absl::OkStatus();
}

absl::Status Lexer::Locate(const absl::Status& s, size_t at) const {
  at = std::min(at, text().size());
  std::string_view before = text().substr(0, at);
  auto line = std::count(before.begin(), before.end(), '\n') + 1;
  size_t begin = before.rfind('\n');
  begin = begin == std::string_view::npos ? 0 : begin + 1;
  size_t column = at - begin + 1;
  size_t end = std::min(text().find('\n', at), text().size());
  // Of a long line (a constant) only the surroundings are shown.
  constexpr size_t kBefore = 80, kAfter = 40;
  if (at - begin > kBefore) begin = at - kBefore;
  if (end - at > kAfter) end = at + kAfter;
  std::string caret;
  for (char c : text().substr(begin, at - begin)) caret += c == '\t' ? '\t' : ' ';
  return absl::Status(s.code(), Format("{}:{}:{}: {}\n{}\n{}^", filename_, line, column,
                                       MessageOf(s), text().substr(begin, end - begin), caret));
}

std::string Quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 32 || byte == 127) {
      out += Format("\\{:03o}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

}  // namespace sinter
