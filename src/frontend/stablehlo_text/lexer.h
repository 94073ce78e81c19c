// Tokens of MLIR text. The lexer holds one token; a reader of raw characters (dimensions, dialect
// attributes, dense values) sets it back with MoveTo.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::stablehlo {

enum class Tok : uint8_t {
  kEnd,
  kBad,      // no token; text is the character
  kWord,     // add, stablehlo.add, tensor
  kValue,    // %0, %arg0 (without #1)
  kSymbol,   // @main, @"any text"
  kBlock,    // ^bb0
  kHash,     // #stablehlo.dot, #1, #loc
  kBang,     // !stablehlo.token
  kInteger,  // 12, 0x1f
  kFloat,    // 1.5e-3
  kString,   // "text", with its quotes
  kArrow,
  kResources,     // {-#
  kResourcesEnd,  // #-}
  kPunctuation,   // one character: ( ) { } [ ] < > : , = ? * + - / |
};

struct Token {
  Tok kind = Tok::kEnd;
  std::string_view text;

  bool Is(char c) const { return kind == Tok::kPunctuation && text[0] == c; }
  bool Is(std::string_view word) const { return kind == Tok::kWord && text == word; }
  const char* begin() const { return text.data(); }
  const char* end() const { return text.data() + text.size(); }
};

class Lexer {
 public:
  // Reads [begin, end) of the source's text.
  Lexer(const char* begin, const char* end) : next_(begin), end_(end) { Advance(); }

  const Token& token() const { return token_; }
  void Advance();
  void MoveTo(const char* at) {
    next_ = at;
    token_.text = std::string_view(at, 0);
    Advance();
  }
  const char* end() const { return end_; }
  // The end of the token read last before the current one.
  const char* last_end() const { return last_end_; }

 private:
  void Take(Tok kind, const char* end);

  Token token_;
  const char* next_;
  const char* end_;
  const char* last_end_ = nullptr;
};

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsWordChar(char c) {
  return IsLetter(c) || IsDigit(c) || c == '_' || c == '$' || c == '.';
}
constexpr bool IsSuffixChar(char c) { return IsWordChar(c) || c == '-'; }
constexpr int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The closing quote of a string whose opening quote is at `at`, or null.
const char* ClosingQuote(const char* at, const char* end);
// The text of a string token or symbol without quotes, its escapes \n \t \" \\ \XX resolved.
std::string Unquote(std::string_view quoted);
// The end of the text that `at` ('<', '(', '[' or '{') opens, behind the closing bracket; null
// where it does not close. Strings and "->" inside are skipped.
const char* EndOfBrackets(const char* at, const char* end);

}  // namespace sinter::stablehlo
