// The names by which compiled programs call for a transfer: custom calls whose backend_config is
// the shape of the data, a token besides them among the operands and results.
#pragma once

#include <string_view>

namespace sinter {

// Takes a token, gives the data and a token.
inline constexpr std::string_view kInfeedTarget = "sinter.infeed";
// Takes the data and a token, gives a token.
inline constexpr std::string_view kOutfeedTarget = "sinter.outfeed";
// The same through a channel to the host, whose number stands before the shape, after it a space.
inline constexpr std::string_view kReceiveTarget = "sinter.receive";
inline constexpr std::string_view kSendTarget = "sinter.send";

}  // namespace sinter
