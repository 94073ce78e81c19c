// Runs every tests/errors/*.hlo, one misuse a file, and every part of
// tests/errors/stablehlo/*.mlir, one misuse a part: its exact message in the comments "// EXPECT:
// ".
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "base/status.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter {
namespace {

constexpr std::string_view kMark = "// EXPECT:", kNextPart = "// -----";

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

// The parts of a file, each without the mark that stands between them.
std::vector<std::string> Parts(const std::string& text) {
  std::vector<std::string> parts(1);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(kNextPart, 0) == 0) {
      parts.emplace_back();
    } else {
      parts.back() += line + "\n";
    }
  }
  return parts;
}

std::string ErrorOf(const std::string& program, const std::string& name) {
  absl::StatusOr<std::unique_ptr<HloModule>> module =
      name.ends_with(".mlir") ? ParseStablehlo(program, name) : ParseHloText(program, name);
  absl::Status status = module.ok() ? VerifyModule(**module) : module.status();
  if (status.ok()) return "no error";
  std::ostringstream code;
  code << status.code();
  return code.str() + " " + MessageOf(status);
}

std::string Blessed(const std::string& program, const std::string& error) {
  std::string out = program;
  std::istringstream lines(error);
  for (std::string line; std::getline(lines, line);) out += Format("{} {}\n", kMark, line);
  return out;
}

std::vector<std::filesystem::path> Files(const std::filesystem::path& folder,
                                         std::string_view extension) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == extension) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

void Check(const std::filesystem::path& path) {
  INFO(path.filename());
  std::string blessed;
  for (const std::string& part : Parts(Read(path))) {
    auto [program, expected] = Split(part);
    const std::string error = ErrorOf(program, path.filename().string());
    blessed += (blessed.empty() ? "" : std::string(kNextPart) + "\n") + Blessed(program, error);
    if (std::getenv("SINTER_BLESS")) continue;
    INFO(program);
    CHECK(error == expected);
    CHECK(error != "no error");
  }
  if (std::getenv("SINTER_BLESS")) std::ofstream(path) << blessed;
}

}  // namespace

TEST_CASE("Each misuse gives its message") {
  const std::filesystem::path folder = SINTER_SOURCE_DIR "/tests/errors";
  const auto hlo = Files(folder, ".hlo"), stablehlo = Files(folder / "stablehlo", ".mlir");
  REQUIRE(hlo.size() > 10);
  REQUIRE(stablehlo.size() > 10);
  for (const auto& path : hlo) Check(path);
  for (const auto& path : stablehlo) Check(path);
}

}  // namespace sinter
