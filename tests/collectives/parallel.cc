// StableHLO's own programs of several participants: `interpreter.run_parallel` runs functions side
// by side, a list for each replica and in it one for each partition, and checks compare what they
// give. Each function is made the main one of a module of its own.
//
// usage: conformance_parallel [FILE...]     (the folder: SINTER_STABLEHLO_INTERPRET)
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "sinter/testing.h"
#include "tools/load.h"

namespace sinter {
namespace {

struct Main {
  std::map<std::string, Literal> values;  // by name
  std::vector<std::vector<std::string>> programs;
  std::vector<std::string> arguments;
  std::vector<std::pair<size_t, Literal>> expected;  // by result
};

std::vector<std::string> All(const std::string& text, const std::string& pattern, int group = 1) {
  std::vector<std::string> found;
  const std::regex r(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), r), end; i != end; ++i)
    found.push_back((*i)[static_cast<size_t>(group)]);
  return found;
}

// dense<[1, 2]> : tensor<2xi64>
absl::StatusOr<Literal> Constant(const std::string& attribute, const std::string& type) {
  ASSIGN_OR_RETURN(auto module,
                   ParseStablehlo(Format("func.func @main() -> {} {{\n%0 = stablehlo.constant {} : "
                                         "{}\nfunc.return %0 : {}\n}}",
                                         type, attribute, type, type),
                                  "constant"));
  return Evaluate(*module, {});
}

absl::StatusOr<Main> ReadMain(const std::string& text) {
  Main m;
  const std::string constant = R"((dense<[^>]*>) : (tensor<[^>]*>))";
  const std::regex value("%(\\w+) = (?:\"stablehlo\\.constant\"|stablehlo\\.constant) " + constant);
  for (std::sregex_iterator i(text.begin(), text.end(), value), end; i != end; ++i) {
    ASSIGN_OR_RETURN(Literal x, Constant((*i)[2], (*i)[3]));
    m.values.emplace((*i)[1], std::move(x));
  }
  for (const std::string& name : All(text, R"(%(\w+) = stablehlo.after_all)"))
    m.values.emplace(name, Literal(Shape::Token()));
  std::smatch run;
  if (!std::regex_search(text, run,
                         std::regex(R"(interpreter\.run_parallel"\(([^)]*)\)\s*\{([^}]*)\})"))) {
    return InvalidArgument("no run_parallel");
  }
  m.arguments = All(run[1], R"(%(\w+))");
  const std::string lists = run[2];
  if (lists.find("infeed") != std::string::npos) return Unimplemented("infeeds");
  const std::string programs = lists.substr(lists.find("[[") + 1);
  for (const std::string& row : All(programs, R"(\[([^\]]*)\])"))
    m.programs.push_back(All(row, R"(@(\w+))"));
  const std::regex check("check.expect_eq_const %\\w+(?:#(\\d+))?, " + constant);
  for (std::sregex_iterator i(text.begin(), text.end(), check), end; i != end; ++i) {
    ASSIGN_OR_RETURN(Literal x, Constant((*i)[2], (*i)[3]));
    m.expected.emplace_back((*i)[1].matched ? std::stoul((*i)[1]) : 0, std::move(x));
  }
  if (m.expected.empty()) return Unimplemented("nothing is checked");
  return m;
}

absl::Status RunModule(const std::string& text, const std::string& path) {
  const size_t at = text.find("func.func @main");
  if (at == std::string::npos) return InvalidArgument("no main function");
  ASSIGN_OR_RETURN(Main m, ReadMain(text.substr(at)));
  // The functions stand before main, which ends the module.
  const std::string functions = text.substr(0, at) + "}\n";
  std::map<std::string, std::unique_ptr<HloModule>> modules;
  std::vector<const HloComputation*> computations;
  std::vector<std::vector<Literal>> arguments;
  size_t next = 0;
  for (const auto& row : m.programs) {
    for (const std::string& name : row) {
      auto& module = modules[name];
      if (module == nullptr) {
        std::string own = std::regex_replace(functions, std::regex("@" + name + "\\b"), "@main");
        ASSIGN_OR_RETURN(module, ParseStablehlo(own, path));
      }
      const HloComputation* entry = module->entry();
      computations.push_back(entry);
      auto& given = arguments.emplace_back();
      for (size_t k = 0; k < entry->parameters().size(); ++k) {
        if (next == m.arguments.size()) return InvalidArgument("too few arguments");
        given.push_back(m.values.at(m.arguments[next++]));
      }
    }
  }
  const collective::Grid grid{static_cast<int64_t>(m.programs.size()),
                              static_cast<int64_t>(m.programs[0].size())};
  ASSIGN_OR_RETURN(std::vector<Literal> results,
                   EvaluateParticipants(computations, arguments, grid));
  std::vector<Literal> flat;
  for (Literal& r : results) {
    if (!r.shape().is_tuple()) {
      flat.push_back(std::move(r));
    } else {
      for (const Literal& e : r.tuple()) flat.push_back(e);
    }
  }
  for (const auto& [n, expected] : m.expected) {
    if (n >= flat.size()) return InvalidArgument("there is no result {}", n);
    RETURN_IF_ERROR(ExpectEqual(flat[n], expected));
  }
  return absl::OkStatus();
}

std::vector<std::string> Split(const std::string& text) {
  std::vector<std::string> modules;
  const std::string line = "// -----\n";
  for (size_t at = 0;;) {
    const size_t end = text.find(line, at);
    modules.push_back(text.substr(at, end - at));
    if (end == std::string::npos) return modules;
    at = end + line.size();
  }
}

int Run(std::vector<std::string> files) {
  if (const char* folder = std::getenv("SINTER_STABLEHLO_INTERPRET"); files.empty() && folder) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".mlir") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
  }
  if (files.empty()) {
    std::printf("skipped: SINTER_STABLEHLO_INTERPRET does not name the folder of programs\n");
    return 77;
  }
  int passed = 0, failed = 0, unsupported = 0;
  for (const std::string& file : files) {
    auto text = tools::ReadFile(file);
    if (!text.ok()) return 1;
    for (const std::string& module : Split(*text)) {
      if (module.find("interpreter.run_parallel") == std::string::npos) continue;
      absl::Status s = RunModule(module, file);
      if (s.ok()) {
        ++passed;
      } else {
        ++(s.code() == absl::StatusCode::kUnimplemented ? unsupported : failed);
        std::smatch name;
        std::regex_search(module, name, std::regex(R"(module @(\w+))"));
        std::printf("%s %s %s\n", std::filesystem::path(file).filename().c_str(),
                    name.str(1).c_str(), s.ToString().c_str());
      }
    }
  }
  std::printf("%d passed, %d failed, %d not supported\n", passed, failed, unsupported);
  return failed > 0 || passed == 0 ? 1 : 0;
}

}  // namespace
}  // namespace sinter

int main(int argc, char** argv) { return sinter::Run({argv + 1, argv + argc}); }
