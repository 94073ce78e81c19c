// Runs every program of a folder whose operations and types sinter has, and counts what became of
// them.
//
// usage: conformance_stablehlo [--device=eval|cpu] [--strict] [FILE...]
//
// Ends with 0 if every program that is judged passed, 1 if not, 77 if there is no folder. The
// interpreter is always strict. Programs that the test data itself disables ("RUN-DISABLED") are
// run and counted, not judged.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verify/verify.h"
#include "tools/device.h"
#include "tools/load.h"

namespace sinter {
namespace {

struct Counts {
  int passed = 0, failed = 0, unsupported = 0, disabled_passed = 0, disabled_failed = 0;
  std::map<std::string, int> reasons;  // of unsupported programs
};

// Print and parse give the same text again.
absl::Status CheckText(const HloModule& module) {
  std::string text = Print(module);
  ASSIGN_OR_RETURN(auto again, ParseHloText(text, "printed.hlo"));
  RETURN_IF_ERROR(VerifyModule(*again));
  if (Print(*again) != text) return Internal("the printed text is read back as another module");
  return absl::OkStatus();
}

// The programs hold their inputs as constants, @inputs() and @expected(), and a compiler would
// compute the result when it compiles. Here they become parameters; returns their values.
absl::StatusOr<std::vector<Literal>> LiftConstants(HloModule* module) {
  std::vector<Literal> values;
  HloComputation* entry = module->entry();
  auto lift = [&](HloInstruction* i, const Literal& value) {
    auto number = static_cast<int64_t>(entry->parameters().size());
    entry->ReplaceAllUses(i, entry->AddParameter(number, i->shape()));
    values.push_back(value);
  };
  for (size_t n = 0; n < entry->instructions().size(); ++n) {
    HloInstruction* i = entry->instructions()[n].get();
    if (i->op() != HloOpcode::Call || !i->operands().empty()) continue;
    std::string_view name = i->called(0)->name();
    if (name.substr(0, 6) != "inputs" && name.substr(0, 8) != "expected") continue;
    ASSIGN_OR_RETURN(Literal value, EvaluateComputation(*i->called(0), {}));
    if (!value.shape().is_tuple()) {
      lift(i, value);
      continue;
    }
    std::vector<HloInstruction*> users = i->users();
    for (HloInstruction* user : users) {
      if (user->op() != HloOpcode::GetTupleElement) continue;
      lift(user, value.tuple()[static_cast<size_t>(user->attrs<TupleElementAttrs>().index)]);
    }
  }
  entry->RemoveDead();
  module->RemoveUnreachable();
  RETURN_IF_ERROR(VerifyModule(*module));
  return values;
}

absl::Status RunOne(const std::string& text, const std::string& path, tools::Device& device) {
  ASSIGN_OR_RETURN(auto module, ParseStablehlo(text, path));
  RETURN_IF_ERROR(VerifyModule(*module));
  RETURN_IF_ERROR(CheckText(*module));
  ASSIGN_OR_RETURN(std::vector<Literal> inputs, LiftConstants(module.get()));
  ASSIGN_OR_RETURN(auto program, device.Load(*module, {}, true));
  return program->Run(inputs).status();
}

std::string OneLine(const absl::Status& s) {
  std::string message = MessageOf(s).substr(0, 500);
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

void Judge(const std::string& path, tools::Device& device, Counts* counts) {
  auto text = tools::ReadFile(path);
  absl::Status s = text.ok() ? RunOne(*text, path, device) : text.status();
  bool disabled = text.ok() && text->find("RUN-DISABLED") != std::string::npos;
  if (s.ok()) {
    ++(disabled ? counts->disabled_passed : counts->passed);
    return;
  }
  if (s.code() == absl::StatusCode::kUnimplemented) {
    ++counts->unsupported;
    std::string why = MessageOf(s);
    why.resize(std::min(why.size(), why.find('\n')));
    size_t at = why.rfind(": ");
    ++counts->reasons[at == why.npos ? why : why.substr(at + 2)];
    return;
  }
  ++(disabled ? counts->disabled_failed : counts->failed);
  std::printf("%s %s: %s\n", disabled ? "disabled" : "FAILED",
              std::filesystem::path(path).filename().c_str(), OneLine(s).c_str());
}

int Main(int argc, char** argv) {
  tools::DeviceOptions options{.name = "eval"};
  std::vector<std::string> files;
  for (int i = 1; i < argc; ++i) {
    std::string_view arg = argv[i];
    if (arg.substr(0, 9) == "--device=") {
      options.name = arg.substr(9);
    } else if (arg == "--strict") {
      options.strict_checks = true;
    } else {
      files.emplace_back(arg);
    }
  }
  const char* folder = std::getenv("SINTER_STABLEHLO_TESTDATA");
  if (files.empty()) {
    if (!folder || !*folder) {
      std::printf("skipped: SINTER_STABLEHLO_TESTDATA does not name the folder of programs\n");
      return 77;
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".mlir") files.push_back(entry.path());
    }
    if (error || files.empty()) {
      std::printf("no programs in %s\n", folder);
      return 1;
    }
    std::sort(files.begin(), files.end());
  }
  auto device = tools::OpenDevice(options);
  if (!device.ok()) {
    std::printf("skipped: %s\n", MessageOf(device.status()).c_str());
    return 77;
  }
  Counts counts;
  for (const std::string& file : files) Judge(file, **device, &counts);
  for (const auto& [reason, count] : counts.reasons) {
    std::printf("%5d not supported: %s\n", count, reason.c_str());
  }
  std::printf(
      "%s: %zu programs: %d passed, %d failed, %d not supported; disabled by the data: "
      "%d passed, %d failed\n",
      options.name.c_str(), files.size(), counts.passed, counts.failed, counts.unsupported,
      counts.disabled_passed, counts.disabled_failed);
  return counts.failed ? 1 : 0;
}

}  // namespace
}  // namespace sinter

int main(int argc, char** argv) { return sinter::Main(argc, argv); }
