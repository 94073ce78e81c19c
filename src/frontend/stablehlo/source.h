// What is read, and errors that name places in it.
#pragma once

#include <cstdint>
#include <string_view>

#include "base/status.h"

namespace sinter::stablehlo {

class Source {
 public:
  explicit Source(std::string_view filename) : filename_(filename) {}
  virtual ~Source() = default;
  Source(const Source&) = delete;

  std::string_view filename() const { return filename_; }
  virtual const char* begin() const = 0;

  // Counted from one, or 0 where there are no lines. `at` points into what is read or at its end.
  virtual int64_t LineOf(const char* at) const = 0;

  // Statuses whose message names the file and the place before it says what.
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
  virtual absl::Status Error(absl::StatusCode code, const char* at,
                             std::string_view message) const = 0;

 private:
  std::string_view filename_;
};

}  // namespace sinter::stablehlo
