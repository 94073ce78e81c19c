#include "frontend/bytecode/source.h"

#include <algorithm>

#include "frontend/stablehlo/locations.h"

namespace sinter::stablehlo {

absl::Status BytecodeSource::Error(absl::StatusCode code, const char* at,
                                   std::string_view message) const {
  std::string origin;
  auto known = std::lower_bound(operations_.begin(), operations_.end(), at,
                                [](const auto& op, const char* place) { return op.first < place; });
  if (program_ && known != operations_.end() && known->first == at) {
    const Origin from = OriginOf(*program_, known->second);
    if (!from.file.empty()) origin = Format(" ({}:{})", from.file, from.line);
  }
  const size_t place = offset_ + static_cast<size_t>(at - bytes_.data());
  return absl::Status(code, Format("{}: byte {}{}: {}", filename(), place, origin, message));
}

}  // namespace sinter::stablehlo
