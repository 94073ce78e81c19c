// Files of several modules.
#pragma once

#include <string>
#include <vector>

#include "sinter/literal.h"

namespace sinter::testing {

// The text of one module, and the line of the file on which it begins.
struct ModuleText {
  std::string text;
  int line = 1;
  // Of lines "// infeed: f32[2] {1, 2}" and "// outfeed: ...": what its infeeds take and its
  // outfeeds must give.
  std::vector<Literal> to_infeed, from_outfeed;
};

// The modules of a file, which lines "// ---" separate; none where it cannot be read.
std::vector<ModuleText> ReadModules(const std::string& path);

// The *.hlo files of a folder, sorted.
std::vector<std::string> ListModuleFiles(const std::string& folder);

}  // namespace sinter::testing
