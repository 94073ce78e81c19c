// Mutated files of jax.export: whatever one says, reading it returns. SINTER_FUZZ_COUNT=N reads N
// files, SINTER_FUZZ_SEED=N the one of that number.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "files.h"
#include "frontend/program/program.h"
#include "fuzz/apart.h"
#include "fuzz/random.h"

namespace sinter::fuzz {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string>& Exports() {
  static const std::vector<std::string> all = [] {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(SINTER_JAX_EXPORT_FOLDER)) {
      if (entry.path().extension() == ".jaxexport") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());  // the same file for the same number
    std::vector<std::string> contents;
    for (const fs::path& path : files) contents.push_back(testing::ReadFile(path));
    return contents;
  }();
  return all;
}

void SetNumber(std::string& bytes, size_t at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width && at + i < bytes.size(); ++i)
    bytes[at + i] = static_cast<char>(value >> (8 * i));
}

std::string MutatedExport(uint64_t seed) {
  Random random(seed);
  std::string bytes = random.Of(Exports());
  const int64_t times = random.In(1, 5);
  for (int64_t i = 0; i < times && !bytes.empty(); ++i) {
    auto below = [&](size_t end) {
      return static_cast<size_t>(random.Below(static_cast<int64_t>(end)));
    };
    // Tables are in front, what they name behind the module.
    const size_t front = std::min<size_t>(bytes.size(), 160);
    const size_t back = bytes.size() - below(std::min<size_t>(bytes.size(), 900)) - 1;
    const size_t at = random.Chance(60)   ? below(front)
                      : random.Chance(70) ? back
                                          : below(bytes.size());
    switch (random.Below(6)) {
      case 0:  // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
        break;
      case 1:  // a byte
        bytes[at] = static_cast<char>(random.Below(256));
        break;
      case 2:  // an offset, a length or a field of a table of fields
        SetNumber(bytes, at & ~size_t{3},
                  random.Of({uint64_t{0}, uint64_t{4}, uint64_t{1} << 31, ~uint64_t{0},
                             uint64_t{0x7fffffff}, static_cast<uint64_t>(below(bytes.size())),
                             static_cast<uint64_t>(random.Below(64))}),
                  4);
        break;
      case 3:
        SetNumber(
            bytes, at & ~size_t{1},
            random.Of({uint64_t{0}, uint64_t{0xffff}, static_cast<uint64_t>(random.Below(128))}),
            2);
        break;
      case 4:  // a number of another place
        SetNumber(bytes, at & ~size_t{3}, static_cast<uint8_t>(bytes[below(bytes.size())]), 4);
        break;
      default:
        if (random.Chance(20)) bytes.resize(at);
        break;
    }
  }
  return bytes;
}

bool IsUsersFault(const absl::Status& s) {
  return s.ok() || absl::IsInvalidArgument(s) || absl::IsUnimplemented(s) ||
         absl::IsResourceExhausted(s);
}

std::optional<std::string> WrongExport(const std::string& bytes) {
  for (const std::string platform : {"cpu", "cuda"}) {
    const auto program = frontend::Program::Read(bytes, "fuzz", {.platform = platform});
    if (!IsUsersFault(program.status())) return program.status().ToString();
    if (!program.ok()) continue;
    std::vector<StablehloArgument> known(program->arguments().size());
    for (size_t i = 0; i < known.size(); ++i) {
      const Shape& shape = program->arguments()[i].shape;
      if (shape.is_array())
        known[i].sizes = std::vector<int64_t>(static_cast<size_t>(shape.rank()), 4);
    }
    const auto module = program->Specialize(known);
    if (!IsUsersFault(module.status())) return module.status().ToString();
    const auto without = program->Specialize({});
    if (!IsUsersFault(without.status())) return without.status().ToString();
  }
  return std::nullopt;
}

void RunExports(uint64_t first, uint64_t count) {
  REQUIRE(Exports().size() > 5);
  RunAllApart([](uint64_t seed) { return WrongExport(MutatedExport(seed)); }, first, count);
}

TEST_CASE("reading mutated files of jax.export returns") {
  const Numbers asked = NumbersAskedFor(5000);
  RunExports(asked.first, asked.count);
}

TEST_CASE("reading a million mutated files of jax.export returns", "[.full]") {
  RunExports(1000000, 1000000);
}

}  // namespace
}  // namespace sinter::fuzz
