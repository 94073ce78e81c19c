// Random programs over the core operations.
#pragma once

#include <cstdint>

#include "fuzz/program.h"

namespace sinter::fuzz {

struct GenerateOptions {
  int64_t max_elements = 20000;  // of a value, but for the patterns below
  bool large = true;             // products for the blocked path and long reductions
  // Elements that a scatter or sort moves, 0 for neither. On GPUs they are loops of many turns.
  int64_t most_moved = 100000;
  int empty_percent = 2;  // how many extents are 0; in some programs more are
  // Where there are several of either, participants exchange values.
  int64_t replicas = 1, partitions = 1;
};

// The same program for the same seed and options.
Program Generate(uint64_t seed, const GenerateOptions& options = {});

}  // namespace sinter::fuzz
