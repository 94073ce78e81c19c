// Programs as MLIR bytecode become the graphs that their text becomes. NAME.mlir is a program as
// text, in MLIR's generic form, and each NAME.*.mlirbc the same as bytecode: those of `programs`,
// which `make.py` has made, and of the folder that SINTER_BYTECODE_TESTDATA names.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <vector>

#include "base/status.h"
#include "files.h"
#include "frontend/bytecode/bytecode.h"
#include "frontend/stablehlo_text/printer.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/printer.h"
#include "sinter/import.h"

namespace sinter {
namespace {

namespace fs = std::filesystem;

using testing::ReadFile;

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

// MLIR counts the arguments of all functions of a file together where it prints the generic form,
// from the last to the first: arg7 is named by where it is first in its computation.
std::string WithArgumentsCounted(const std::string& text) {
  std::string out;
  std::map<std::string, std::string> names;
  for (size_t at = 0; at < text.size();) {
    if (text.compare(at, 2, "\n\n") == 0) names.clear();
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == '(' ||
                        text[at - 1] == '%' || text[at - 1] == '\n';
    size_t end = at + 3;
    auto is_part = [&](char c) { return std::isdigit(static_cast<unsigned char>(c)) || c == '.'; };
    while (end < text.size() && is_part(text[end])) ++end;
    if (!begins || text.compare(at, 3, "arg") != 0 || end == at + 3) {
      out += text[at++];
      continue;
    }
    const std::string number = std::to_string(names.size());
    out += "arg" + names.try_emplace(text.substr(at, end - at), number).first->second;
    at = end;
  }
  return out;
}

// The names of the functions to read: main, or all where there is none.
std::vector<std::string> EntriesOf(const std::string& text) {
  std::vector<std::string> names;
  for (size_t at = 0; (at = text.find("func.func", at)) != text.npos;) {
    const bool is_generic = text[at + 9] == '"';
    at = is_generic ? text.find("sym_name = \"", at) + 12 : text.find('@', at) + 1;
    const size_t end = text.find_first_of("(\"", at);
    // Declarations are no programs.
    const bool is_declared = !is_generic && text.find('{', end) > text.find('\n', end);
    if (!is_declared) names.push_back(text.substr(at, end - at));
  }
  if (std::find(names.begin(), names.end(), "main") != names.end()) return {"main"};
  return names;
}

using Module = std::unique_ptr<HloModule>;

// Without the place, and the line of text.
std::string WhatOf(const absl::Status& status) {
  static const std::regex place("^program:( byte [0-9]+( \\(.*:[0-9]+\\))?|[0-9]+:[0-9]+): ");
  const std::string message(status.message());
  return std::regex_replace(message.substr(0, message.find('\n')), place, "");
}

// How the two differ; what cannot be read as text cannot be read as bytecode for the same reason.
std::optional<std::string> Difference(const absl::StatusOr<Module>& text,
                                      const absl::StatusOr<Module>& bytecode) {
  if (text.ok() != bytecode.ok()) {
    return text.ok() ? "is not read: " + bytecode.status().ToString()
                     : "is read, the text is not: " + text.status().ToString();
  }
  if (!text.ok()) {
    if (text.status().code() == bytecode.status().code() &&
        WhatOf(text.status()) == WhatOf(bytecode.status())) {
      return std::nullopt;
    }
    return "another error: " + bytecode.status().ToString() +
           "\nof the text: " + text.status().ToString();
  }
  const PrintOptions plain{.metadata = false};
  std::string expected = WithArgumentsCounted(Print(**text, plain));
  std::string got = WithArgumentsCounted(Print(**bytecode, plain));
  if (got == expected) {
    // StableHLO text has what HLO text leaves out.
    const auto more = PrintStablehlo(**text), also = PrintStablehlo(**bytecode);
    if (more.ok() != also.ok()) return "is printed otherwise: " + also.status().ToString();
    if (!more.ok()) return std::nullopt;
    expected = WithArgumentsCounted(*more);
    got = WithArgumentsCounted(*also);
  }
  if (got == expected) return std::nullopt;
  const auto [left, right] =
      std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  const auto place = static_cast<size_t>(left - got.begin());
  const size_t from = place - std::min<size_t>(place, 100);
  return "is another graph, from\n" + got.substr(from, 400) + "\nwhere the text has\n" +
         expected.substr(from, 400);
}

struct Counts {
  int files = 0, functions = 0, unread = 0;
};

Counts CheckAll(const fs::path& folder) {
  Counts counts;
  for (const auto& [path_of_text, all] : ProgramsIn(folder)) {
    const std::string text = ReadFile(path_of_text);
    const std::vector<std::string> entries = EntriesOf(text);
    counts.files += static_cast<int>(all.size());
    for (const fs::path& path : all) {
      const std::string bytes = ReadFile(path);
      for (const std::string& entry : entries) {
        StablehloOptions options{.entry = entry};
        if (path.filename().string().starts_with("dynamic."))
          options.arguments = {{.sizes = std::vector<int64_t>{5, 3}}};
        const auto expected = ParseStablehlo(text, "program", options);
        const auto got = ParseStablehloBytecode(bytes, "program", options);
        if (auto difference = Difference(expected, got)) {
          FAIL_CHECK(path.filename().string() << " @" << entry << " " << *difference);
        }
        ++counts.functions;
        counts.unread += !expected.ok();
      }
    }
  }
  WARN(counts.files << " files with " << counts.functions << " functions compared in " << folder
                    << ", of which " << counts.unread << " are errors in both forms");
  return counts;
}

TEST_CASE("bytecode becomes the graph of the text") {
  const Counts counts = CheckAll(SINTER_BYTECODE_FOLDER);
  CHECK(counts.files > 0);
  CHECK(counts.unread == 0);
}

TEST_CASE("bytecode is loaded as text is") {
  const fs::path folder = SINTER_BYTECODE_FOLDER;
  const std::vector<Shape> shapes = {Shape(ElementType::F32, {5, 3})};
  const auto expected = LoadStablehlo(ReadFile(folder / "dynamic.mlir"), "", shapes);
  const auto got = LoadStablehlo(ReadFile(folder / "dynamic.plain.mlirbc"), "", shapes);
  REQUIRE(expected.ok());
  REQUIRE(got.ok());
  CHECK(got->ToString() == expected->ToString());
  const std::string sharded = ReadFile(folder / "sharded.plain.mlirbc");
  CHECK(Load(sharded).ok());
  const absl::Status cut = Load(sharded.substr(0, 100), "name").status();
  CHECK(cut.code() == absl::StatusCode::kInvalidArgument);
  CHECK(cut.message().find("name: byte ") == 0);
}

TEST_CASE("bytecode of another folder becomes the graphs of its texts") {
  const char* folder = std::getenv("SINTER_BYTECODE_TESTDATA");
  if (folder == nullptr) return;
  CHECK(CheckAll(folder).files > 0);
}

}  // namespace
}  // namespace sinter
