#include "frontend/stablehlo/locations.h"

namespace sinter::stablehlo {
namespace {

// Aliases may go in circles, and call sites share parts.
constexpr int kMaxSteps = 100;

void Resolve(const Program& program, LocationId id, int* steps, Origin* origin) {
  if (id == kNoLocation || ++*steps > kMaxSteps) return;
  const Location& l = program.locations[static_cast<size_t>(id)];
  switch (l.kind) {
    case Location::Kind::kUnknown:
      return;
    case Location::Kind::kFile:
      origin->file = l.text;
      origin->line = l.line;
      return;
    case Location::Kind::kAlias: {
      auto it = program.location_aliases.find(l.text);
      if (it != program.location_aliases.end()) Resolve(program, it->second, steps, origin);
      return;
    }
    case Location::Kind::kName:
      if (origin->name.empty()) origin->name = l.text;
      break;
    case Location::Kind::kCallSite:
    case Location::Kind::kFused:
      break;
  }
  const int32_t before = origin->line;
  for (LocationId child : l.children) {
    Resolve(program, child, steps, origin);
    if (origin->line != before) return;
  }
}

}  // namespace

Origin OriginOf(const Program& program, LocationId id, Origin origin) {
  int steps = 0;
  Resolve(program, id, &steps, &origin);
  return origin;
}

}  // namespace sinter::stablehlo
