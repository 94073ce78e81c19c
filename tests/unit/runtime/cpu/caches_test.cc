#include "runtime/cpu/caches.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

namespace sinter::runtime::cpu {
namespace {

TEST_CASE("cache sizes are read as the system states them") {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / ("sinter-caches-" + std::to_string(getpid()));
  auto write = [&](int index, const char* level, const char* type, const char* size) {
    const fs::path cache = folder / ("index" + std::to_string(index));
    fs::create_directories(cache);
    std::ofstream(cache / "level") << level << "\n";
    std::ofstream(cache / "type") << type << "\n";
    std::ofstream(cache / "size") << size << "\n";
  };
  write(0, "1", "Data", "48K");
  write(1, "2", "Instruction", "64K");
  write(2, "2", "Unified", "2048K");
  write(3, "3", "Unified", "96M");
  CHECK(ReadCacheSizes(folder).l2_bytes == 2 << 20);
  CHECK(ReadCacheSizes(folder).l3_bytes == 96 << 20);
  write(2, "2", "Unified", "what");
  write(3, "3", "Unified", "-1K");
  CHECK(ReadCacheSizes(folder).l2_bytes == 0);
  CHECK(ReadCacheSizes(folder).l3_bytes == 0);
  fs::remove_all(folder);
  CHECK(ReadCacheSizes(folder).l2_bytes == 0);
}

}  // namespace
}  // namespace sinter::runtime::cpu
