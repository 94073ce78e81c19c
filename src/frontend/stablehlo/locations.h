// Where operations come from, of a program's own locations.
#pragma once

#include <cstdint>
#include <string>

#include "frontend/stablehlo/ast.h"

namespace sinter::stablehlo {

struct Origin {
  std::string name;  // the outermost
  std::string file;  // the innermost, and the line in it; empty: none
  int32_t line = 0;
};
// What the location names, after `origin` has what its surroundings do.
Origin OriginOf(const Program& program, LocationId id, Origin origin = {});

}  // namespace sinter::stablehlo
