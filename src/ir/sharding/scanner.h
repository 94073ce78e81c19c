// Reads texts of shardings token by token.
#pragma once

#include <cctype>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sinter::sharding_text {

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool Eat(std::string_view token) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }
  bool At(std::string_view token) {
    SkipSpace();
    return text_.substr(at_).starts_with(token);
  }
  bool AtEnd() {
    SkipSpace();
    return at_ == text_.size();
  }
  // A number below 2^31, without a sign.
  std::optional<int64_t> Integer() {
    SkipSpace();
    const size_t begin = at_;
    int64_t value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      value = value * 10 + (text_[at_++] - '0');
      if (value > INT32_MAX) return std::nullopt;
    }
    if (at_ == begin) return std::nullopt;
    return value;
  }
  // Letters, digits, '_', '.', '-', '$'.
  std::string Word() {
    SkipSpace();
    std::string word;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) ||
                                  std::string_view("_.-$").find(text_[at_]) != std::string::npos))
      word += text_[at_++];
    return word;
  }
  // A string in quotes, without them.
  std::optional<std::string> Quoted() {
    if (!Eat("\"")) return std::nullopt;
    std::string out;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] == '\\') ++at_;
      if (at_ < text_.size()) out += text_[at_++];
    }
    if (at_ == text_.size()) return std::nullopt;
    ++at_;
    return out;
  }
  std::string_view rest() const { return text_.substr(at_); }

 private:
  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace sinter::sharding_text
