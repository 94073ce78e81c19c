// Runs every tests/errors/*.hlo: one misuse a file, its exact message in the comments "// EXPECT:
// ".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

constexpr std::string_view kMark = "// EXPECT:";

std::string Read(const std::filesystem::path& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Splits a file into the program and its expectation.
std::pair<std::string, std::string> Split(const std::string& text) {
  std::string program, expected;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kMark, 0) == 0) {
      line.erase(0, kMark.size());
      if (!line.empty()) line.erase(0, 1);
      expected += (expected.empty() ? "" : "\n") + line;
    } else {
      program += line + "\n";
    }
  }
  return {program, expected};
}

std::string ErrorOf(const std::string& program, const std::string& name) {
  absl::StatusOr<std::unique_ptr<HloModule>> module = ParseHloText(program, name);
  absl::Status status = module.ok() ? VerifyModule(**module) : module.status();
  if (status.ok()) return "no error";
  std::ostringstream code;
  code << status.code();
  return code.str() + " " + MessageOf(status);
}

void Bless(const std::filesystem::path& path, const std::string& program,
           const std::string& error) {
  std::ofstream out(path);
  out << program;
  std::istringstream lines(error);
  for (std::string line; std::getline(lines, line);) out << kMark << " " << line << "\n";
}

}  // namespace

TEST_CASE("Each misuse gives its message") {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SINTER_SOURCE_DIR "/tests/errors")) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  REQUIRE(paths.size() > 10);
  for (const auto& path : paths) {
    auto [program, expected] = Split(Read(path));
    std::string error = ErrorOf(program, path.filename().string());
    if (std::getenv("SINTER_BLESS")) {
      Bless(path, program, error);
      continue;
    }
    INFO(path.filename());
    CHECK(error == expected);
    CHECK(error != "no error");
  }
}

}  // namespace sinter
