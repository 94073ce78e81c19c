// Programs as MLIR bytecode become the graphs that their text becomes. NAME.mlir is a program as
// text, in MLIR's generic form, and each NAME.*.mlirbc the same as bytecode: those of `programs`,
// which `make.py` has made, and of the folder that SINTER_BYTECODE_TESTDATA names.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "base/status.h"
#include "sinter/import.h"

namespace sinter {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

// By the texts, the files of bytecode.
std::map<fs::path, std::vector<fs::path>> ProgramsIn(const fs::path& folder) {
  std::map<fs::path, std::vector<fs::path>> programs;
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const fs::path& path : files) {
    if (path.extension() == ".mlir") programs[path];
  }
  for (const fs::path& path : files) {
    if (path.extension() != ".mlirbc") continue;
    const std::string name = path.filename().string();
    for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
      auto text = programs.find(folder / (name.substr(0, dot) + ".mlir"));
      if (text == programs.end()) continue;
      text->second.push_back(path);
      break;
    }
  }
  return programs;
}

// How the two differ; what cannot be read as text, for a reason that is not the text's form, cannot
// be read as bytecode for that reason.
std::optional<std::string> Difference(const absl::StatusOr<Computation>& text,
                                      const absl::StatusOr<Computation>& bytecode) {
  if (text.ok() != bytecode.ok()) {
    return text.ok() ? "is not read: " + bytecode.status().ToString()
                     : "is read, the text is not: " + text.status().ToString();
  }
  if (!text.ok()) {
    if (text.status().code() == bytecode.status().code()) return std::nullopt;
    return "another error: " + bytecode.status().ToString() +
           "\nof the text: " + text.status().ToString();
  }
  const std::string expected = text->ToString(), got = bytecode->ToString();
  if (got == expected) return std::nullopt;
  const auto [left, right] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  const auto place = static_cast<size_t>(left - got.begin());
  const size_t from = place == 0 ? 0 : got.rfind('\n', place - 1) + 1;
  return "is another graph, from\n" + got.substr(from, 400) + "\nwhere the text has\n" +
         expected.substr(from, 400);
}

int CheckAll(const fs::path& folder) {
  int compared = 0, unread = 0;
  for (const auto& [text, all] : ProgramsIn(folder)) {
    const absl::StatusOr<Computation> expected = LoadStablehlo(ReadFile(text), "program");
    for (const fs::path& path : all) {
      const absl::StatusOr<Computation> got = Load(ReadFile(path), "program");
      if (auto difference = Difference(expected, got)) {
        FAIL_CHECK(path.filename().string() << " " << *difference);
      }
      ++compared;
      unread += !expected.ok();
    }
  }
  WARN(compared << " files compared in " << folder << ", of which " << unread
                << " are errors as text");
  return compared;
}

TEST_CASE("bytecode becomes the graph of the text") {
  CHECK(CheckAll(SINTER_BYTECODE_FOLDER) > 0);
}

TEST_CASE("bytecode of another folder becomes the graphs of its texts") {
  const char* folder = std::getenv("SINTER_BYTECODE_TESTDATA");
  if (folder == nullptr) return;
  CHECK(CheckAll(folder) > 0);
}

}  // namespace
}  // namespace sinter
