#include "api/flags.h"

#include <charconv>
#include <cstdlib>

#include "base/status.h"

namespace sinter::api {
namespace {

constexpr std::string_view kKnown =
    "bisect=N, cuda_driver=FILE, disable=PASS, dump=DIR, dump_pass=PASS, isa=NAME, threads=N";

absl::StatusOr<int64_t> Number(std::string_view name, std::string_view text, int64_t least,
                               int64_t most) {
  int64_t n = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc() || end != text.data() + text.size() || n < least || n > most) {
    return InvalidArgument("SINTER_FLAGS: {}={}: expected a number from {} to {}", name, text,
                           least, most);
  }
  return n;
}

absl::Status ParseFlag(std::string_view flag, Flags& flags) {
  size_t equals = flag.find('=');
  std::string_view name = flag.substr(0, equals);
  std::string_view value = equals == std::string_view::npos ? "" : flag.substr(equals + 1);
  if (name == "bisect") {
    ASSIGN_OR_RETURN(flags.pass_limit, Number(name, value, 0, INT64_MAX));
    return absl::OkStatus();
  }
  if (name == "threads") {
    ASSIGN_OR_RETURN(int64_t threads, Number(name, value, 1, 4096));
    flags.threads = static_cast<int>(threads);
    return absl::OkStatus();
  }
  std::string* text = name == "dump"          ? &flags.dump_directory
                      : name == "isa"         ? &flags.isa
                      : name == "cuda_driver" ? &flags.cuda_driver
                                              : nullptr;
  std::vector<std::string>* list = name == "disable"     ? &flags.disabled_passes
                                   : name == "dump_pass" ? &flags.dump_passes
                                                         : nullptr;
  if (text == nullptr && list == nullptr) {
    return InvalidArgument("SINTER_FLAGS: unknown flag '{}'; known: {}", name, kKnown);
  }
  if (value.empty()) return InvalidArgument("SINTER_FLAGS: {} needs a value: {}=...", name, name);
  if (text != nullptr) *text = std::string(value);
  if (list != nullptr) list->emplace_back(value);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Flags> ParseFlags(std::string_view text) {
  Flags flags;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view flag = text.substr(0, comma);
    if (!flag.empty()) RETURN_IF_ERROR(ParseFlag(flag, flags));
    if (comma == std::string_view::npos) break;
    text.remove_prefix(comma + 1);
  }
  return flags;
}

absl::StatusOr<Flags> FlagsFromEnvironment() {
  const char* text = std::getenv("SINTER_FLAGS");
  return ParseFlags(text == nullptr ? "" : text);
}

CompileOptions WithFlags(CompileOptions options, const Flags& flags) {
  if (!flags.dump_directory.empty()) options.dump_directory = flags.dump_directory;
  if (!flags.isa.empty()) options.isa = flags.isa;
  if (flags.pass_limit >= 0) options.pass_limit = flags.pass_limit;
  auto append = [](std::vector<std::string>& to, const std::vector<std::string>& from) {
    to.insert(to.end(), from.begin(), from.end());
  };
  append(options.dump_passes, flags.dump_passes);
  append(options.disabled_passes, flags.disabled_passes);
  return options;
}

}  // namespace sinter::api
