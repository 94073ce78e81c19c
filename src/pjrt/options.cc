#include "pjrt/options.h"

#include <charconv>
#include <cstdlib>
#include <limits>

#include "base/status.h"

namespace sinter::pjrt {
namespace {

absl::Status WrongValue(const NamedValue& option, std::string_view expected) {
  return InvalidArgument("the option {} takes {}", option.name, expected);
}

// Numbers and truth values may come as text, as they do from the environment.
absl::StatusOr<int64_t> Integer(const NamedValue& option, int64_t least, int64_t most) {
  int64_t value = 0;
  if (const auto* i = std::get_if<int64_t>(&option.value)) {
    value = *i;
  } else if (const auto* text = std::get_if<std::string>(&option.value)) {
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size())
      return WrongValue(option, "an integer");
  } else {
    return WrongValue(option, "an integer");
  }
  if (value < least || value > most)
    return InvalidArgument("the option {} is {}, out of range", option.name, value);
  return value;
}

absl::StatusOr<bool> Truth(const NamedValue& option) {
  if (const auto* b = std::get_if<bool>(&option.value)) return *b;
  const auto* text = std::get_if<std::string>(&option.value);
  if (text != nullptr && (*text == "true" || *text == "1")) return true;
  if (text != nullptr && (*text == "false" || *text == "0")) return false;
  return WrongValue(option, "true or false");
}

}  // namespace

absl::Status SetOption(const NamedValue& option, PluginOptions& options) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  constexpr int64_t kMostInt = std::numeric_limits<int>::max();
  const std::string& name = option.name;
  if (name == "platform") {
    const auto* text = std::get_if<std::string>(&option.value);
    if (text == nullptr || (*text != "cpu" && *text != "cuda" && *text != "interpreter"))
      return WrongValue(option, "cpu, cuda or interpreter");
    options.platform = *text;
  } else if (name == "device") {
    ASSIGN_OR_RETURN(options.device, Integer(option, 0, kMostInt));
  } else if (name == "devices") {
    ASSIGN_OR_RETURN(options.devices, Integer(option, 1, 1024));
  } else if (name == "node_id") {
    ASSIGN_OR_RETURN(options.node_id, Integer(option, 0, 1023));
  } else if (name == "num_nodes") {
    ASSIGN_OR_RETURN(options.num_nodes, Integer(option, 1, 1024));
  } else if (name == "collective_timeout") {
    ASSIGN_OR_RETURN(const int64_t seconds, Integer(option, 0, 1'000'000));
    options.collective_timeout = static_cast<double>(seconds);
  } else if (name == "threads") {
    ASSIGN_OR_RETURN(options.threads, Integer(option, 0, kMostInt));
  } else if (name == "inline_execution") {
    ASSIGN_OR_RETURN(options.inline_execution, Truth(option));
  } else if (name == "memory_limit") {
    ASSIGN_OR_RETURN(options.memory_limit, Integer(option, 0, kMost));
  } else if (name == "memory_pool_limit") {
    ASSIGN_OR_RETURN(options.memory_pool_limit, Integer(option, 0, kMost));
  } else if (name == "cache_entries") {
    ASSIGN_OR_RETURN(options.cache_entries, Integer(option, 0, kMost));
  } else {
    return InvalidArgument(
        "unknown option {}; there are platform, device, devices, node_id, num_nodes, "
        "collective_timeout, threads, inline_execution, memory_limit, memory_pool_limit and "
        "cache_entries",
        name);
  }
  return absl::OkStatus();
}

absl::Status SetOptions(std::string_view text, PluginOptions& options) {
  while (!text.empty()) {
    const size_t comma = text.find(',');
    const std::string_view item = text.substr(0, comma);
    text = comma == std::string_view::npos ? "" : text.substr(comma + 1);
    if (item.empty()) continue;
    const size_t equals = item.find('=');
    if (equals == std::string_view::npos)
      return InvalidArgument("an option without a value: {}", item);
    RETURN_IF_ERROR(SetOption(
        {std::string(item.substr(0, equals)), std::string(item.substr(equals + 1))}, options));
  }
  return absl::OkStatus();
}

absl::StatusOr<PluginOptions> ReadOptions(const PJRT_NamedValue* values, size_t count) {
  PluginOptions options;
  ASSIGN_OR_RETURN(const std::vector<NamedValue> given, ReadNamedValues(values, count));
  for (const NamedValue& v : given) RETURN_IF_ERROR(SetOption(v, options));
  if (const char* text = std::getenv("SINTER_PJRT_OPTIONS")) {
    if (absl::Status s = SetOptions(text, options); !s.ok())
      return Annotate(s, "SINTER_PJRT_OPTIONS");
  }
  if (const char* text = std::getenv("SINTER_DEVICES"); text != nullptr && *text != '\0') {
    if (absl::Status s = SetOption({"devices", std::string(text)}, options); !s.ok())
      return Annotate(s, "SINTER_DEVICES");
  }
  return options;
}

std::string ToString(const PluginOptions& o) {
  return Format(
      "platform={},device={},devices={},node_id={},num_nodes={},collective_timeout={},threads={},"
      "inline_execution={},"
      "memory_limit={},memory_pool_limit={},cache_entries={}",
      o.platform, o.device, o.devices, o.node_id, o.num_nodes,
      static_cast<int64_t>(o.collective_timeout), o.threads, o.inline_execution, o.memory_limit,
      o.memory_pool_limit, o.cache_entries);
}

}  // namespace sinter::pjrt
