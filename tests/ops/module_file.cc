#include "ops/module_file.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "types/literal_text.h"

namespace sinter::testing {

static void AddTransfer(const std::string& line, const std::string& mark,
                        std::vector<Literal>& transfers) {
  if (line.compare(0, mark.size(), mark) != 0) return;
  auto data = ParseLiteral(std::string_view(line).substr(mark.size()));
  INFO(line);
  REQUIRE(data.ok());
  transfers.push_back(*std::move(data));
}

std::vector<ModuleText> ReadModules(const std::string& path) {
  std::vector<ModuleText> modules;
  std::ifstream file(path);
  ModuleText current;
  int line_number = 0;
  bool has_text = false;
  auto finish = [&] {
    if (has_text) modules.push_back(current);
    current = {"", line_number + 1};
    has_text = false;
  };
  for (std::string line; std::getline(file, line);) {
    ++line_number;
    if (line == "// ---") {
      finish();
      continue;
    }
    has_text |= !line.empty() && line.compare(0, 2, "//") != 0;
    current.text += line + "\n";
    AddTransfer(line, "// infeed: ", current.to_infeed);
    AddTransfer(line, "// outfeed: ", current.from_outfeed);
  }
  finish();
  return modules;
}

std::vector<std::string> ListModuleFiles(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".hlo") paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace sinter::testing
