// Random programs with random shardings, as HLO text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/literal.h"

namespace sinter::partition_testing {

struct Program {
  std::string text;
  std::vector<Literal> arguments;
  bool is_exact = true;  // of integers alone
};

Program Generate(uint64_t seed);

}  // namespace sinter::partition_testing
