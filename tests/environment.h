// Numbers that the environment gives tests.
#pragma once

#include <cstdint>
#include <cstdlib>

namespace sinter::testing {

inline int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

}  // namespace sinter::testing
