#include "ir/text/stack_frames.h"

#include "base/status.h"

namespace sinter {

absl::Status StackFrameTables::Parse(Lexer& l) {
  for (;;) {
    l.SkipSpace();
    const size_t at = l.pos();
    const std::string_view name = l.EatName();
    const bool is_table = (name == "FileNames" || name == "FunctionNames" ||
                           name == "FileLocations" || name == "StackFrames") &&
                          l.Peek() != '{' && l.Peek() != '(';
    if (!is_table) {  // a computation
      l.set_pos(at);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(ParseTable(l, name));
  }
}

absl::Status StackFrameTables::ParseTable(Lexer& l, std::string_view name) {
  int64_t id;
  while (l.EatInt(&id)) {
    if (l.Peek() == '"') {
      ASSIGN_OR_RETURN(std::string text, l.EatString());
      if (name == "FileNames") files_[id] = std::move(text);
      continue;
    }
    RETURN_IF_ERROR(l.Expect('{', "before the fields of a row"));
    absl::flat_hash_map<std::string, int64_t> fields;
    while (!l.Eat('}')) {
      const std::string_view field = l.EatName();
      if (field.empty()) return l.Error("expected the name of a field");
      RETURN_IF_ERROR(l.Expect('=', "after the name of a field"));
      if (!l.EatInt(&fields[std::string(field)])) return l.Error("expected an integer");
      l.Eat(',');
    }
    if (name == "FileLocations") {
      auto file = files_.find(fields["file_name_id"]);
      const int64_t line = fields["line"];
      if (file == files_.end() || line < 0 || line > INT32_MAX) continue;
      locations_[id] = {file->second, static_cast<int32_t>(line)};
    } else if (name == "StackFrames") {
      auto location = locations_.find(fields["file_location_id"]);
      if (location != locations_.end()) places_[id] = location->second;
    }
  }
  return absl::OkStatus();
}

}  // namespace sinter
