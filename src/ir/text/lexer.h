// The words of HLO text. Text is not copied: names are views into it, numbers of constants are read
// by the literal parser straight from the cursor.
#pragma once

#include <string>
#include <string_view>

#include "types/text_cursor.h"

namespace sinter {

class Lexer : public TextCursor {
 public:
  Lexer(std::string_view text, std::string_view filename) : TextCursor(text), filename_(filename) {}

  // A name, without its '%': letters, digits, '_', '.', '-', '$', '@'. Empty where none stands.
  std::string_view EatName();
  // A quoted string with C escapes. InvalidArgument where none stands or it does not end.
  absl::StatusOr<std::string> EatString();
  absl::Status Expect(char c, std::string_view where);

  // Skips a group in (), {} or [] with what is nested in it, strings and comments included; returns
  // its text.
  absl::StatusOr<std::string_view> SkipGroup();
  // Skips the value of an attribute that we do not know.
  absl::Status SkipValue();

  // Counts what a spelling stands for that is shorter than what it says: ResourceExhausted when a
  // text says more than 2^22 numbers so.
  absl::Status CountImplied(int64_t numbers);

  // The status with "FILE:LINE:COL: " before it and the line and a caret below, for the position
  // `at`.
  absl::Status Locate(const absl::Status& s, size_t at) const;

 private:
  std::string_view filename_;
  int64_t implied_ = 0;
};

// The text as a quoted string with C escapes.
std::string Quoted(std::string_view text);

}  // namespace sinter
