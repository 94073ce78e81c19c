// The three families of errors, all statuses: the user's (InvalidArgument, Unimplemented), the
// environment's (Unavailable, ResourceExhausted), and our own bugs (Internal).
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/text.h"

namespace sinter {

#define SINTER_STATUS_MAKER(Name)                                                                \
  template <class... Args>                                                                       \
  absl::Status Name(fmt::format_string<Args...> format, Args&&... args) {                        \
    return absl::Status(absl::StatusCode::k##Name, Format(format, std::forward<Args>(args)...)); \
  }
SINTER_STATUS_MAKER(InvalidArgument)
SINTER_STATUS_MAKER(Unimplemented)
SINTER_STATUS_MAKER(Unavailable)
SINTER_STATUS_MAKER(ResourceExhausted)
SINTER_STATUS_MAKER(NotFound)
SINTER_STATUS_MAKER(Internal)
SINTER_STATUS_MAKER(FailedPrecondition)
#undef SINTER_STATUS_MAKER

// The message of a status as std::string (absl::string_view need not be std::string_view).
inline std::string MessageOf(const absl::Status& s) {
  return std::string(s.message().data(), s.message().size());
}
// The same status with `context` and ": " before its message.
inline absl::Status Annotate(const absl::Status& s, std::string_view context) {
  return absl::Status(s.code(), Format("{}: {}", context, MessageOf(s)));
}

}  // namespace sinter

#define SINTER_CONCAT_(a, b) a##b
#define SINTER_CONCAT(a, b) SINTER_CONCAT_(a, b)

#define RETURN_IF_ERROR(expr)                          \
  do {                                                 \
    if (absl::Status _s = (expr); !_s.ok()) return _s; \
  } while (0)

#define ASSIGN_OR_RETURN(lhs, expr) ASSIGN_OR_RETURN_(SINTER_CONCAT(_or_, __LINE__), lhs, expr)
#define ASSIGN_OR_RETURN_(tmp, lhs, expr) \
  auto tmp = (expr);                      \
  if (!tmp.ok()) return tmp.status();     \
  lhs = std::move(tmp).value()

// A check of our own invariants that returns Internal instead of stopping the process.
#define RETURN_INTERNAL_IF(condition, ...)                 \
  do {                                                     \
    if (condition) return ::sinter::Internal(__VA_ARGS__); \
  } while (0)
