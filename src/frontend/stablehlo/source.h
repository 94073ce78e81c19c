// The text being read, and errors that point into it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"

namespace sinter::stablehlo {

class Source {
 public:
  Source(std::string_view text, std::string_view filename);

  std::string_view text() const { return text_; }
  std::string_view filename() const { return filename_; }
  const char* begin() const { return text_.data(); }
  const char* end() const { return text_.data() + text_.size(); }

  // Counted from one. `at` points into the text or at its end.
  int64_t LineOf(const char* at) const;

  // Statuses with the message "FILE:LINE:COL: what\nLINE\n  ^".
  template <class... Args>
  absl::Status Invalid(const char* at, fmt::format_string<Args...> f, Args&&... args) const {
    return Error(absl::StatusCode::kInvalidArgument, at, Format(f, std::forward<Args>(args)...));
  }
  template <class... Args>
  absl::Status Unsupported(const char* at, fmt::format_string<Args...> f, Args&&... args) const {
    return Error(absl::StatusCode::kUnimplemented, at, Format(f, std::forward<Args>(args)...));
  }
  template <class... Args>
  absl::Status Exhausted(const char* at, fmt::format_string<Args...> f, Args&&... args) const {
    return Error(absl::StatusCode::kResourceExhausted, at, Format(f, std::forward<Args>(args)...));
  }
  absl::Status Error(absl::StatusCode code, const char* at, std::string_view message) const;

 private:
  std::string_view text_, filename_;
  std::vector<int64_t> line_starts_;
};

}  // namespace sinter::stablehlo
