// Running every module of this folder.
#pragma once

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "ir/module.h"
#include "ops/devices.h"
#include "ops/module_file.h"

namespace sinter::testing {

// This folder; the environment variable SINTER_OPS_FOLDER names it on machines without the source.
inline const std::string kOpsFolder = [] {
  const char* folder = std::getenv("SINTER_OPS_FOLDER");
  return std::string(folder != nullptr ? folder : SINTER_OPS_FOLDER);
}();

// The status's message, "ok" of one that is.
std::string Text(const absl::Status& status);

// Parses and verifies; what goes wrong fails the test case under the file's line, and gives null.
std::unique_ptr<HloModule> LoadModule(const std::string& path, const ModuleText& text);

// A section a file, within a test case.
void RunAll(const std::vector<std::unique_ptr<Device>>& devices);

}  // namespace sinter::testing
