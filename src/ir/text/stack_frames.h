// The tables that XLA's text may have behind its first line, to which metadata refers by numbers:
//
//   FileNames
//   1 "f.py"
//
//   FunctionNames
//   1 "main"
//
//   FileLocations
//   1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=2 end_column=31}
//
//   StackFrames
//   1 {file_location_id=1 parent_frame_id=1}
#pragma once

#include <string>

#include "absl/container/flat_hash_map.h"
#include "ir/text/lexer.h"

namespace sinter {

struct SourcePlace {
  std::string file;
  int32_t line = 0;
};
// The innermost place of each stack frame.
using StackFrames = absl::flat_hash_map<int64_t, SourcePlace>;

class StackFrameTables {
 public:
  // Reads the tables at the lexer's position, if any.
  absl::Status Parse(Lexer& lexer);
  const StackFrames& places() const { return places_; }

 private:
  absl::Status ParseTable(Lexer& lexer, std::string_view name);

  absl::flat_hash_map<int64_t, std::string> files_;
  absl::flat_hash_map<int64_t, SourcePlace> locations_;
  StackFrames places_;
};

}  // namespace sinter
