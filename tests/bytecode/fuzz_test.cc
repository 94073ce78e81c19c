// Mutated bytecode: whatever a file says, reading it returns. SINTER_FUZZ_COUNT=N reads N files,
// SINTER_FUZZ_SEED=N the one of that number; SINTER_FUZZ_CORPUS names a folder of further *.mlirbc.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "files.h"
#include "frontend/bytecode/bytecode.h"
#include "fuzz/apart.h"
#include "fuzz/random.h"
#include "ir/verify/verify.h"

namespace sinter::fuzz {
namespace {

namespace fs = std::filesystem;

struct File {
  std::string bytes;
  std::vector<std::string> functions;
};

// The names in a program's text, by which its functions can be read one by one.
std::vector<std::string> FunctionsOf(const std::string& text) {
  std::vector<std::string> names;
  for (std::string_view before : {"sym_name = \"", "func.func public @"}) {
    for (size_t at = 0; (at = text.find(before, at)) != text.npos;) {
      at += before.size();
      names.push_back(text.substr(at, text.find_first_of("(\"", at) - at));
    }
  }
  return names;
}

using testing::ReadFile;

const std::vector<File>& Corpus() {
  static const std::vector<File> all = [] {
    std::vector<fs::path> roots = {fs::path(SINTER_BYTECODE_FOLDER)}, files;
    if (const char* more = std::getenv("SINTER_FUZZ_CORPUS")) roots.emplace_back(more);
    for (const fs::path& root : roots) {
      for (const auto& entry : fs::directory_iterator(root)) {
        if (entry.path().extension() == ".mlirbc") files.push_back(entry.path());
      }
    }
    std::sort(files.begin(), files.end());  // the same file for the same number
    std::vector<File> contents;
    for (const fs::path& path : files) {
      const std::string name = path.filename().string();
      const fs::path text = path.parent_path() / (name.substr(0, name.find('.')) + ".mlir");
      contents.push_back({ReadFile(path), FunctionsOf(ReadFile(text))});
      if (contents.back().functions.empty()) contents.back().functions = {"main"};
    }
    return contents;
  }();
  return all;
}

// A number as MLIR writes it, in as many bytes as it likes or in more.
std::string VarInt(uint64_t value, int bytes) {
  std::string out;
  if (bytes > 8 || value >> (7 * bytes) != 0) {
    out.push_back('\0');
    for (int i = 0; i < 8; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
    return out;
  }
  value = (value << 1 | 1) << (bytes - 1);
  for (int i = 0; i < bytes; ++i) out.push_back(static_cast<char>(value >> (8 * i)));
  return out;
}

uint64_t Number(Random& random) {
  const uint64_t corner =
      random.Of({uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{127}, uint64_t{128},
                 uint64_t{1} << 16, uint64_t{1} << 31, uint64_t{1} << 32, uint64_t{1} << 60,
                 uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 1});
  return random.Chance(50) ? corner : static_cast<uint64_t>(random.Below(2000));
}

struct Program {
  std::string bytes, entry;
};

Program Mutated(uint64_t seed) {
  Random random(seed);
  const File& file = random.Of(Corpus());
  std::string bytes = file.bytes;
  const int64_t times = random.In(1, 6);
  for (int64_t i = 0; i < times; ++i) {
    auto somewhere = [&] {
      return static_cast<size_t>(random.Below(static_cast<int64_t>(bytes.size()) + 1));
    };
    if (bytes.empty()) break;
    // Half of the places are at the beginning, where sections, dialects and entries are.
    size_t at = random.Chance(50) ? somewhere() : somewhere() % std::min<size_t>(bytes.size(), 400);
    at = std::min(at, bytes.size() - 1);
    switch (random.Below(9)) {
      case 0:  // a bit
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random.Below(8));
        break;
      case 1:  // a byte
        bytes[at] = static_cast<char>(random.Below(256));
        break;
      case 2:  // a number of one byte by another
        bytes[at] = static_cast<char>(random.Below(128) << 1 | 1);
        break;
      case 3:  // a number by one of any length
      case 4:
        bytes.replace(at, 1, VarInt(Number(random), static_cast<int>(random.In(1, 9))));
        break;
      case 5:  // one more or less
        bytes[at] = static_cast<char>(bytes[at] + (random.Chance(50) ? 2 : -2));
        break;
      case 6: {  // a stretch away, or twice
        const auto size = static_cast<size_t>(random.In(1, random.Chance(50) ? 4 : 60));
        if (random.Chance(50)) {
          bytes.erase(at, size);
        } else {
          bytes.insert(somewhere(), bytes.substr(at, size));
        }
        break;
      }
      case 7: {  // a stretch of another file over it
        const std::string& from = random.Of(Corpus()).bytes;
        const auto size = static_cast<size_t>(random.In(1, 60));
        const auto place = static_cast<size_t>(random.Below(static_cast<int64_t>(from.size())));
        const std::string part = from.substr(place, size);
        bytes.replace(at, random.Chance(70) ? part.size() : 0, part);
        break;
      }
      default:
        if (random.Chance(20)) bytes.resize(at);
        break;
    }
  }
  return {std::move(bytes), random.Of(file.functions)};
}

bool IsUsers(absl::StatusCode code) {
  return code == absl::StatusCode::kInvalidArgument || code == absl::StatusCode::kUnimplemented ||
         code == absl::StatusCode::kResourceExhausted;
}

// What is wrong with how the bytes are taken.
std::optional<std::string> Wrong(const Program& program) {
  const auto read = ParseStablehloBytecode(program.bytes, "fuzz", {.entry = program.entry});
  if (!read.ok()) {
    if (IsUsers(read.status().code())) return std::nullopt;
    return read.status().ToString();
  }
  if (absl::Status s = VerifyModule(**read); !s.ok())
    return "read, but does not verify: " + s.ToString();
  return std::nullopt;
}

void RunFiles(uint64_t first, uint64_t count) {
  REQUIRE(Corpus().size() > 5);
  RunAllApart([](uint64_t seed) { return Wrong(Mutated(seed)); }, first, count);
}

TEST_CASE("reading mutated bytecode returns") {
  const Numbers asked = NumbersAskedFor(5000);
  RunFiles(asked.first, asked.count);
}

TEST_CASE("reading a million mutated files of bytecode returns", "[.full]") {
  RunFiles(1000000, 1000000);
}

}  // namespace
}  // namespace sinter::fuzz
