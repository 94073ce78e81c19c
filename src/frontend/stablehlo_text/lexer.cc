#include "frontend/stablehlo_text/lexer.h"

#include <cstring>

#include "types/brackets.h"

namespace sinter::stablehlo {
namespace {

const char* SkipSpace(const char* p, const char* end) {
  while (p != end) {
    if (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r') {
      ++p;
    } else if (*p == '/' && end - p > 1 && p[1] == '/') {
      p = static_cast<const char*>(std::memchr(p, '\n', static_cast<size_t>(end - p)));
      if (!p) return end;
    } else {
      break;
    }
  }
  return p;
}

template <class Predicate>
const char* SkipWhile(const char* p, const char* end, Predicate accepts) {
  while (p != end && accepts(*p)) ++p;
  return p;
}

// The end of a number that starts at p with a digit.
const char* EndOfNumber(const char* p, const char* end, bool* is_float) {
  *is_float = false;
  auto is_hex = [](char c) { return HexValue(c) >= 0; };
  if (*p == '0' && end - p > 2 && p[1] == 'x' && is_hex(p[2])) return SkipWhile(p + 2, end, is_hex);
  p = SkipWhile(p, end, IsDigit);
  if (p == end || *p != '.') return p;
  *is_float = true;
  p = SkipWhile(p + 1, end, IsDigit);
  if (p != end && (*p == 'e' || *p == 'E')) {
    const char* e = p + 1;
    if (e != end && (*e == '+' || *e == '-')) ++e;
    if (e != end && IsDigit(*e)) p = SkipWhile(e, end, IsDigit);
  }
  return p;
}

}  // namespace

const char* ClosingQuote(const char* at, const char* end) {
  for (const char* p = at + 1; p < end;) {
    auto* quote = static_cast<const char*>(std::memchr(p, '"', static_cast<size_t>(end - p)));
    if (!quote) return nullptr;
    int backslashes = 0;
    for (const char* q = quote; q > p && q[-1] == '\\'; --q) ++backslashes;
    if (backslashes % 2 == 0) return quote;
    p = quote + 1;
  }
  return nullptr;
}

std::string Unquote(std::string_view s) {
  if (s.size() >= 2 && s.front() == '"') s = s.substr(1, s.size() - 2);
  std::string out;
  out.reserve(s.size());
  for (size_t i = 0; i < s.size(); ++i) {
    if (s[i] != '\\' || i + 1 == s.size()) {
      out += s[i];
      continue;
    }
    char c = s[++i];
    if (c == 'n') {
      out += '\n';
    } else if (c == 't') {
      out += '\t';
    } else if (i + 1 < s.size() && HexValue(c) >= 0 && HexValue(s[i + 1]) >= 0) {
      out += static_cast<char>(HexValue(c) * 16 + HexValue(s[++i]));
    } else {
      out += c;
    }
  }
  return out;
}

const char* EndOfBrackets(const char* at, const char* end) {
  const std::string_view text(at, static_cast<size_t>(end - at));
  const size_t stop = FindEndOfBrackets(text, 0, BracketSyntax::kMlir).end;
  return stop == text.npos ? nullptr : at + stop;
}

void Lexer::Take(Tok kind, const char* end) {
  token_ = {kind, std::string_view(next_, static_cast<size_t>(end - next_))};
  next_ = end;
}

void Lexer::Advance() {
  last_end_ = token_.end();
  next_ = SkipSpace(next_, end_);
  const char* p = next_;
  if (p == end_) return Take(Tok::kEnd, p);
  size_t left = static_cast<size_t>(end_ - p);
  char c = *p;
  if (IsLetter(c) || c == '_') return Take(Tok::kWord, SkipWhile(p, end_, IsWordChar));
  if (IsDigit(c)) {
    bool is_float;
    const char* e = EndOfNumber(p, end_, &is_float);
    return Take(is_float ? Tok::kFloat : Tok::kInteger, e);
  }
  auto prefixed = [&](Tok kind) {
    const char* e = SkipWhile(p + 1, end_, IsSuffixChar);
    // "->" is never part of a name.
    if (e != end_ && *e == '>' && e[-1] == '-') --e;
    Take(e == p + 1 ? Tok::kBad : kind, e);
  };
  switch (c) {
    case '%':
      return prefixed(Tok::kValue);
    case '^':
      return prefixed(Tok::kBlock);
    case '!':
      return prefixed(Tok::kBang);
    case '#':
      if (std::string_view(p, left).substr(0, 3) == "#-}") return Take(Tok::kResourcesEnd, p + 3);
      return prefixed(Tok::kHash);
    case '@':
      if (left > 1 && p[1] == '"') {
        const char* close = ClosingQuote(p + 1, end_);
        return close ? Take(Tok::kSymbol, close + 1) : Take(Tok::kBad, p + 1);
      }
      return prefixed(Tok::kSymbol);
    case '"': {
      const char* close = ClosingQuote(p, end_);
      return close ? Take(Tok::kString, close + 1) : Take(Tok::kBad, p + 1);
    }
    case '{':
      if (std::string_view(p, left).substr(0, 3) == "{-#") return Take(Tok::kResources, p + 3);
      return Take(Tok::kPunctuation, p + 1);
    case '-':
      if (left > 1 && p[1] == '>') return Take(Tok::kArrow, p + 2);
      return Take(Tok::kPunctuation, p + 1);
    case '(':
    case ')':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ':':
    case ',':
    case '=':
    case '?':
    case '*':
    case '+':
    case '/':
    case '|':
      return Take(Tok::kPunctuation, p + 1);
    default:
      return Take(Tok::kBad, p + 1);
  }
}

}  // namespace sinter::stablehlo
