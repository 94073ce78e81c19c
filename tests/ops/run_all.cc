#include "ops/run_all.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "base/status.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "sinter/testing.h"

namespace sinter::testing {

std::string Text(const absl::Status& s) { return s.ok() ? "ok" : MessageOf(s); }

std::unique_ptr<HloModule> LoadModule(const std::string& path, const ModuleText& text) {
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

absl::Status RunOnDevice(tools::Device& device, const HloModule& module, Transfers& transfers) {
  for (const Literal& data : transfers.to_infeed) RETURN_IF_ERROR(device.TransferToInfeed(data));
  ASSIGN_OR_RETURN(auto program, device.Load(module, {}, false));
  RETURN_IF_ERROR(program->Run({}).status());
  ASSIGN_OR_RETURN(transfers.from_outfeed, device.TransferFromOutfeed());
  return absl::OkStatus();
}

static bool HasCheck(const HloModule& module) {
  for (const auto& i : module.entry()->instructions()) {
    if (i->op() == HloOpcode::CustomCall &&
        IsCheck(i->attrs<CustomCallAttrs>().custom_call_target)) {
      return true;
    }
  }
  return false;
}

void RunAll(const std::vector<std::unique_ptr<Device>>& devices) {
  for (const auto& device : devices) {
    if (std::string why = device->WhyAbsent(); !why.empty()) {
      WARN("skipped: " << device->name() << ": " << why);
    }
  }
  for (const std::string& path : ListModuleFiles(kOpsFolder)) {
    DYNAMIC_SECTION(std::filesystem::path(path).stem().string()) {
      auto texts = ReadModules(path);
      CHECK_FALSE(texts.empty());
      for (const auto& text : texts) {
        auto module = LoadModule(path, text);
        if (!module) continue;
        INFO(path << ":" << text.line << ": module " << module->name());
        CHECK(HasCheck(*module));
        for (const auto& device : devices) {
          if (!device->WhyAbsent().empty() || !device->Covers(*module)) continue;
          INFO("device " << device->name());
          Transfers transfers{text.to_infeed, {}};
          CHECK(Text(device->RunChecks(*module, transfers)) == "ok");
          CHECK(transfers.from_outfeed == text.from_outfeed);
        }
      }
    }
  }
}

}  // namespace sinter::testing
