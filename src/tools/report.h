// How the tool ends: exit status and the last line on standard error.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace sinter::tools {

// 0 done; 1 a check failed or outputs differ; 2 the input is wrong or not supported; 3 the
// environment; 64 usage; 70 a bug of ours.
int ExitStatusOf(const absl::Status& status);

// A status whose message begins with FILE, so that the last line can say so. Parsers' messages do
// so already.
absl::Status InFile(const absl::Status& status, std::string_view file);
// The same kind of error whatever its code: limits met while reading are the input's fault, not the
// environment's.
absl::Status AsInputError(const absl::Status& status);

// What to print on standard error: lines of source text first, if the message has any, then the one
// line "sinter: FILE:LINE:COL: KIND: what".
std::string ErrorText(const absl::Status& status);

}  // namespace sinter::tools
