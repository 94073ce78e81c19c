#include "base/placeholders.h"

#include <algorithm>

#include "base/text.h"

namespace sinter {

std::string WithNumbers(std::string_view message, const std::vector<int64_t>& numbers) {
  std::string out;
  for (size_t at = 0; at < message.size(); ++at) {
    const size_t end = message.find('}', at);
    const std::string_view inside = message[at] == '{' && end != message.npos
                                        ? message.substr(at + 1, end - at - 1)
                                        : std::string_view();
    const bool number =
        !inside.empty() && inside.size() <= 4 &&
        std::all_of(inside.begin(), inside.end(), [](char c) { return '0' <= c && c <= '9'; });
    size_t which = 0;
    for (char c : inside) which = which * 10 + static_cast<size_t>(c - '0');
    if (number && which < numbers.size()) {
      out += Format("{}", numbers[which]);
      at = end;
    } else {
      out += message[at];
    }
  }
  return out;
}

}  // namespace sinter
