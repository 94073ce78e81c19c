// Runs every module of tests/ops on every device.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "ops/devices.h"
#include "ops/module_file.h"
#include "ops/run_all.h"
#include "sinter/testing.h"

namespace sinter {
namespace {

TEST_CASE("every module of every file on every device") { testing::RunAll(testing::AllDevices()); }

TEST_CASE("every op has a file that uses it") {
  std::set<std::string> names;
  for (const OpInfo& info : kOps) {
    std::string name(info.name);
    names.insert(name);
    std::string path = testing::kOpsFolder + "/" + name + ".hlo";
    INFO(path);
    bool used = false;
    for (const auto& text : testing::ReadModules(path)) {
      auto module = testing::LoadModule(path, text);
      if (!module) continue;
      for (const auto& computation : module->computations()) {
        for (const auto& i : computation->instructions()) used |= i->op() == info.op;
      }
    }
    CHECK(used);
  }
  for (const std::string& path : testing::ListModuleFiles(testing::kOpsFolder)) {
    CHECK(names.count(std::filesystem::path(path).stem().string()) == 1);
  }
}

TEST_CASE("a wrong expectation fails") {
  for (const char* target : {"eq", "close", "almost_eq"}) {
    auto module = ParseHloText(Format(R"(HloModule wrong
ENTRY main {{
  x = f32[2] constant({{1, 2}})
  y = f32[2] constant({{1, 3}})
  c = () custom-call(x, y), custom_call_target="check.expect_{}", custom_call_has_side_effect=true
  ROOT r = () tuple()
}})",
                                      target),
                               "wrong.hlo");
    REQUIRE(module.ok());
    for (const auto& device : testing::AllDevices()) {
      if (device->WhyAbsent().empty()) CHECK_FALSE(device->RunChecks(**module).ok());
    }
  }
}

}  // namespace
}  // namespace sinter
