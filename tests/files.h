// What tests read.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace sinter::testing {

// The bytes of a file; of one that cannot be read, none.
inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

}  // namespace sinter::testing
