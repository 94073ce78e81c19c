// A position in text, for the parsers of shapes and literals: reads past spaces and comments,
// remembers where and why it failed. Text is not copied.
#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "absl/status/status.h"
#include "base/status.h"

namespace sinter {

class TextCursor {
 public:
  explicit TextCursor(std::string_view text, size_t start = 0) : text_(text), pos_(start) {}

  size_t pos() const { return pos_; }
  TextCursor& set_pos(size_t p) {
    pos_ = p;
    return *this;
  }
  std::string_view text() const { return text_; }
  size_t remaining() const { return text_.size() - pos_; }

  // Skips spaces, newlines, "/* */" and "// ...".
  void SkipSpace() {
    while (pos_ < text_.size()) {
      char c = text_[pos_];
      if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
        ++pos_;
      } else if (c != '/' || !SkipComment()) {
        return;
      }
    }
  }
  // The next character that is not space, or 0 at the end.
  char Peek() {
    SkipSpace();
    return pos_ < text_.size() ? text_[pos_] : '\0';
  }
  // The character right here, or 0 at the end.
  char Here(size_t ahead = 0) const { return ahead < remaining() ? text_[pos_ + ahead] : '\0'; }
  bool Eat(char c) {
    if (Peek() != c || pos_ >= text_.size()) return false;
    ++pos_;
    return true;
  }
  bool Eat(std::string_view word) {
    SkipSpace();
    if (text_.substr(pos_, word.size()) != word) return false;
    pos_ += word.size();
    return true;
  }
  bool EatInt(int64_t* value) {
    SkipSpace();
    const char* first = text_.data() + pos_;
    auto [end, error] = std::from_chars(first, text_.data() + text_.size(), *value);
    if (error != std::errc()) return false;
    pos_ += static_cast<size_t>(end - first);
    return true;
  }
  bool EatFloat(float* value) {
    SkipSpace();
    const char* first = text_.data() + pos_;
    auto [end, error] = std::from_chars(first, text_.data() + text_.size(), *value);
    if (error != std::errc()) return false;
    pos_ += static_cast<size_t>(end - first);
    return true;
  }

  // The status makers of errors at this position; the caller adds the file, line and column of
  // pos().
  template <class... Args>
  absl::Status Error(fmt::format_string<Args...> format, Args&&... args) const {
    return InvalidArgument(format, std::forward<Args>(args)...);
  }

 private:
  bool SkipComment() {
    size_t end;
    if (text_.substr(pos_, 2) == "/*") {
      end = text_.find("*/", pos_ + 2);
      pos_ = end == std::string_view::npos ? text_.size() : end + 2;
      return true;
    }
    if (text_.substr(pos_, 2) == "//") {
      end = text_.find('\n', pos_);
      pos_ = end == std::string_view::npos ? text_.size() : end + 1;
      return true;
    }
    return false;
  }

  std::string_view text_;
  size_t pos_;
};

}  // namespace sinter
