// Runs every module of tests/ops on every device.
#include <catch2/catch.hpp>
#include <filesystem>
#include <set>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "ops/devices.h"
#include "ops/module_file.h"
#include "sinter/testing.h"

namespace sinter {
namespace {

const std::string kFolder = SINTER_OPS_FOLDER;

std::string Text(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

// Parses and verifies; what goes wrong is reported under the file's line.
std::unique_ptr<HloModule> Load(const std::string& path, const testing::ModuleText& text) {
  std::string name = std::filesystem::path(path).filename().string();
  auto module = ParseHloText(text.text, Format("{}+{}", name, text.line - 1));
  if (!module.ok()) {
    FAIL_CHECK(MessageOf(module.status()));
    return nullptr;
  }
  absl::Status verified = VerifyModule(**module);
  if (!verified.ok()) {
    FAIL_CHECK(name << ":" << text.line << ": " << MessageOf(verified));
    return nullptr;
  }
  return *std::move(module);
}

bool HasCheck(const HloModule& module) {
  for (const auto& i : module.entry()->instructions()) {
    if (i->op() == HloOpcode::CustomCall &&
        IsCheck(i->attrs<CustomCallAttrs>().custom_call_target)) {
      return true;
    }
  }
  return false;
}

void RunAll(const std::vector<std::unique_ptr<testing::Device>>& devices) {
  for (const auto& device : devices) {
    if (std::string why = device->WhyAbsent(); !why.empty()) {
      WARN("skipped: " << device->name() << ": " << why);
    }
  }
  for (const std::string& path : testing::ListModuleFiles(kFolder)) {
    DYNAMIC_SECTION(std::filesystem::path(path).stem().string()) {
      auto texts = testing::ReadModules(path);
      CHECK_FALSE(texts.empty());
      for (const auto& text : texts) {
        auto module = Load(path, text);
        if (!module) continue;
        INFO(path << ":" << text.line << ": module " << module->name());
        CHECK(HasCheck(*module));
        for (const auto& device : devices) {
          if (!device->WhyAbsent().empty() || !device->Covers(*module)) continue;
          INFO("device " << device->name());
          CHECK(Text(device->RunChecks(*module)) == "ok");
        }
      }
    }
  }
}

TEST_CASE("every module of every file on every device") { RunAll(testing::AllDevices()); }

TEST_CASE("every kernel of every module against its interpreter", "[.kernels]") {
  RunAll(testing::KernelDevices());
}

TEST_CASE("every op has a file that uses it") {
  std::set<std::string> names;
  for (const OpInfo& info : kOps) {
    std::string name(info.name);
    names.insert(name);
    std::string path = kFolder + "/" + name + ".hlo";
    INFO(path);
    bool used = false;
    for (const auto& text : testing::ReadModules(path)) {
      auto module = Load(path, text);
      if (!module) continue;
      for (const auto& computation : module->computations()) {
        for (const auto& i : computation->instructions()) used |= i->op() == info.op;
      }
    }
    CHECK(used);
  }
  for (const std::string& path : testing::ListModuleFiles(kFolder)) {
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
