// Programs with smaller dimensions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fuzz/program.h"

namespace sinter::fuzz {

// The extents above 1 of the values that the results depend on, the greatest first, each once.
std::vector<int64_t> Extents(const Program& program);

// The program with extent `to` where parameters, counts and broadcasts have `from`, and what
// follows from that elsewhere: attributes are fitted, reshapes keep counts. Nothing where that does
// not fit together.
std::optional<Program> WithExtent(const Program& program, int64_t from, int64_t to);

}  // namespace sinter::fuzz
