// Which modules of tests/ops are not run on the emulator, so that nobody leaves one out unseen.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "ops/devices.h"
#include "ops/module_file.h"
#include "ops/run_all.h"

namespace sinter::testing {
namespace {

// The emulator has no host to call; the CUDA executor calls it for infeeds and outfeeds.
const std::vector<std::string> kLeftOut = {
    "infeed_array",   "infeed_loop", "infeed_tuple", "outfeed",         "outfeed_order",
    "recv_done_late", "recv_types",  "send_array",   "send_done_order", "send_in_loop",
};

TEST_CASE("the emulator runs every module of tests/ops but those that exchange data with a host") {
  const auto devices = Devices();
  REQUIRE(devices.size() == 1);
  std::vector<std::string> left_out;
  int64_t run = 0;
  for (const std::string& path : ListModuleFiles(kOpsFolder)) {
    for (const auto& text : ReadModules(path)) {
      auto module = LoadModule(path, text);
      if (!module) continue;
      ++run;
      if (!devices[0]->Covers(*module)) left_out.push_back(module->name());
    }
  }
  std::sort(left_out.begin(), left_out.end());
  CHECK(left_out == kLeftOut);
  CHECK(run > 2399);
}

}  // namespace
}  // namespace sinter::testing
