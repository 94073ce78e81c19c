#include "ir/text/program_form.h"

#include <algorithm>

namespace sinter {
namespace {

// The text behind white space and comments: of lines ("//") and of HLO ("/* */").
std::string_view SkipComments(std::string_view text) {
  for (;;) {
    const size_t begin = text.find_first_not_of(" \t\r\n\f\v");
    text.remove_prefix(begin == std::string_view::npos ? text.size() : begin);
    std::string_view end;
    if (text.starts_with("//")) {
      end = "\n";
    } else if (text.starts_with("/*")) {
      end = "*/";
    } else {
      return text;
    }
    const size_t at = text.find(end, 2);
    text.remove_prefix(at == std::string_view::npos ? text.size() : at + end.size());
  }
}

bool IsWordChar(char c) {
  return ('a' <= c && c <= 'z') || ('A' <= c && c <= 'Z') || ('0' <= c && c <= '9') || c == '_' ||
         c == '.';
}

// A flatbuffer begins with where its root table is, in four bytes. Writers put that table in front,
// so that the upper two are zeros, which no text has.
bool IsFlatbuffer(std::string_view bytes) {
  if (bytes.size() < 8 || bytes[2] != 0 || bytes[3] != 0) return false;
  const size_t root = static_cast<uint8_t>(bytes[0]) | static_cast<uint8_t>(bytes[1]) << 8;
  return root >= 4 && root % 4 == 0 && root < bytes.size();
}

}  // namespace

ProgramForm FormOf(std::string_view text) {
  if (text.starts_with("ML\xefR")) return ProgramForm::kMlirBytecode;
  if (IsFlatbuffer(text)) return ProgramForm::kJaxExport;
  text = SkipComments(text);
  if (text.empty()) return ProgramForm::kNothing;
  const auto end = std::find_if_not(text.begin(), text.end(), IsWordChar);
  const std::string_view word = text.substr(0, static_cast<size_t>(end - text.begin()));
  if (word == "HloModule") return ProgramForm::kHlo;
  for (std::string_view first : {"module", "builtin.module", "func.func", "func"}) {
    if (word == first) return ProgramForm::kStablehlo;
  }
  for (std::string_view first : {"\"builtin.module\"", "\"func.func\"", "#", "!", "{-#"}) {
    if (text.starts_with(first)) return ProgramForm::kStablehlo;
  }
  return ProgramForm::kUnknown;
}

}  // namespace sinter
