#include "tools/report.h"

#include "base/status.h"

namespace sinter::tools {
namespace {

constexpr char kFilePayload[] = "sinter/file", kInputPayload[] = "sinter/input";

std::string_view KindOfError(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kFailedPrecondition:
      return "check failed";
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kCancelled:  // an infeed that the command line gives no data
      return "invalid";
    case absl::StatusCode::kNotFound:
      return "not found";
    case absl::StatusCode::kUnimplemented:
      return "not supported";
    case absl::StatusCode::kResourceExhausted:
      return "too large";
    case absl::StatusCode::kUnavailable:
      return "unavailable";
    default:
      return "internal error";
  }
}

// The length of ":12:34" at the start, or of ":12", or 0.
size_t PlaceLength(std::string_view text) {
  size_t length = 0;
  for (int i = 0; i < 2; ++i) {
    if (length == text.size() || text[length] != ':') break;
    size_t end = text.find_first_not_of("0123456789", length + 1);
    if (end == text.npos || end == length + 1) break;
    length = end;
  }
  return length;
}

}  // namespace

int ExitStatusOf(const absl::Status& status) {
  if (status.GetPayload(kInputPayload)) return 2;
  switch (status.code()) {
    case absl::StatusCode::kOk:
      return 0;
    case absl::StatusCode::kFailedPrecondition:
      return 1;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kNotFound:
    case absl::StatusCode::kUnimplemented:
      return 2;
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnavailable:
      return 3;
    default:
      return 70;
  }
}

absl::Status InFile(const absl::Status& status, std::string_view file) {
  if (status.ok() || status.GetPayload(kFilePayload)) return status;
  std::string message = MessageOf(status);
  if (message.substr(0, file.size() + 1) != std::string(file) + ":") {
    message = Format("{}: {}", file, message);
  }
  absl::Status result(status.code(), message);
  status.ForEachPayload([&](auto key, const absl::Cord& value) { result.SetPayload(key, value); });
  result.SetPayload(kFilePayload, absl::Cord(std::string(file)));
  return result;
}

absl::Status AsInputError(const absl::Status& status) {
  absl::Status result = status;
  if (!result.ok()) result.SetPayload(kInputPayload, absl::Cord("1"));
  return result;
}

std::string ErrorText(const absl::Status& status) {
  std::string message = MessageOf(status), context, place;
  size_t newline = message.find('\n');
  if (newline != message.npos) {
    context = message.substr(newline + 1) + "\n";
    message.resize(newline);
  }
  if (auto payload = status.GetPayload(kFilePayload)) {
    std::string file(*payload);
    std::string_view rest = std::string_view(message).substr(std::min(file.size(), message.size()));
    size_t length = PlaceLength(rest);
    place = file + std::string(rest.substr(0, length)) + ": ";
    rest.remove_prefix(length);
    while (!rest.empty() && (rest[0] == ':' || rest[0] == ' ')) rest.remove_prefix(1);
    message = std::string(rest);
  }
  return Format("{}sinter: {}{}: {}\n", context, place, KindOfError(status.code()), message);
}

}  // namespace sinter::tools
