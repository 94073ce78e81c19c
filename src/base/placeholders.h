// Messages that name numbers by their places.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

// `message` with "{1}" replaced by numbers[1], and so on; what names no number stays as it is.
std::string WithNumbers(std::string_view message, const std::vector<int64_t>& numbers);

}  // namespace sinter
