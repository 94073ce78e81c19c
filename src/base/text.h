// Text formatting for messages and dumps: fmt behind one name. No other file includes fmt.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>

namespace sinter {

template <class... Args>
std::string Format(fmt::format_string<Args...> format, Args&&... args) {
  return fmt::format(format, std::forward<Args>(args)...);
}

template <class Range>
std::string Join(const Range& range, std::string_view separator) {
  std::string out;
  bool first = true;
  for (const auto& x : range) {
    if (!first) out += separator;
    first = false;
    out += fmt::format("{}", x);
  }
  return out;
}

}  // namespace sinter
