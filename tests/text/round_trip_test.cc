// Programs printed as StableHLO text and read back: those of tests/ops, and the StableHLO programs
// of the folder that SINTER_STABLEHLO_TESTDATA names.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "files.h"
#include "frontend/stablehlo_text/printer.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/analysis/equality.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "ops/module_file.h"
#include "transfer/host.h"

namespace sinter {
namespace {

namespace fs = std::filesystem;
using Module = std::unique_ptr<HloModule>;

using testing::ReadFile;

std::vector<fs::path> FilesIn(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == extension) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

absl::StatusOr<Module> ThroughText(const HloModule& module, std::string* text) {
  ASSIGN_OR_RETURN(*text, PrintStablehlo(module));
  ASSIGN_OR_RETURN(Module again, ParseStablehlo(*text, "printed.mlir"));
  RETURN_IF_ERROR(VerifyModule(*again));
  return again;
}

// What has been read from StableHLO text prints to text that reads as the same module.
absl::Status CheckSame(const HloModule& module) {
  std::string text;
  ASSIGN_OR_RETURN(Module again, ThroughText(module, &text));
  if (SameModule(module, *again)) return absl::OkStatus();
  return Internal("another module is read from\n{}\nnamely\n{}\ninstead of\n{}", text,
                  Print(*again), Print(module));
}

size_t CountChecks(const HloModule& module) {
  size_t count = 0;
  for (const HloComputation* c : module.PostOrder()) {
    for (const HloInstruction* i : c->PostOrder()) count += i->op() == HloOpcode::CustomCall;
  }
  return count;
}

absl::Status CheckMeaning(const testing::ModuleText& hlo, const std::string& name) {
  ASSIGN_OR_RETURN(Module module, ParseHloText(hlo.text, name));
  std::string text;
  ASSIGN_OR_RETURN(Module again, ThroughText(*module, &text));
  absl::Status s = CheckSame(*again);
  if (s.ok() && CountChecks(*again) != CountChecks(*module)) s = Internal("custom calls are lost");
  TransferQueues queues;
  queues.Cancel();
  for (const Literal& data : hlo.to_infeed) s.Update(queues.to_infeed().Offer(data));
  EvalOptions options;
  options.transfers = &queues;
  const std::shared_ptr<const HostTransfers> host = EchoingHost();
  options.host = host.get();
  if (s.ok()) s = Evaluate(*again, {}, options).status();
  return s.ok() ? s : Annotate(s, text);
}

// Programs of tests/ops that StableHLO cannot say.
bool HasNoForm(const std::string& hlo) {
  for (std::string_view name :
       {"windows", "all_to_all_tuple", "collective_permute_several", "reduce_scatter_several"}) {
    if (hlo.find(Format("HloModule {}", name)) != hlo.npos) return true;
  }
  return false;
}

TEST_CASE("Programs of every operation check themselves as StableHLO text too") {
  std::vector<fs::path> files = FilesIn(SINTER_OPS_FOLDER, ".hlo");
  REQUIRE(files.size() > 50);
  for (const fs::path& file : files) {
    for (const testing::ModuleText& hlo : testing::ReadModules(file)) {
      INFO(file.filename().string());
      absl::Status s = CheckMeaning(hlo, file.filename());
      if (HasNoForm(hlo.text)) {
        CHECK(MessageOf(s).find("has no form in StableHLO") != std::string::npos);
      } else {
        CHECK(MessageOf(s) == "");
      }
    }
  }
}

TEST_CASE("StableHLO test data is read as the same modules once printed", "[.standard][standard]") {
  const char* folder = std::getenv("SINTER_STABLEHLO_TESTDATA");
  if (!folder) {
    WARN("SINTER_STABLEHLO_TESTDATA does not name the folder of programs");
    return;
  }
  int same = 0, unknown = 0;
  for (const fs::path& file : FilesIn(folder, ".mlir")) {
    auto module = ParseStablehlo(ReadFile(file), file.filename().string());
    if (module.status().code() == absl::StatusCode::kUnimplemented) {
      ++unknown;
      continue;
    }
    INFO(file.filename().string());
    REQUIRE(MessageOf(module.status()) == "");
    absl::Status s = CheckSame(**module);
    CHECK(MessageOf(s) == "");
    same += s.ok();
  }
  std::printf("%d programs are the same, %d are not supported\n", same, unknown);
  CHECK(same > 0);
}

}  // namespace
}  // namespace sinter
