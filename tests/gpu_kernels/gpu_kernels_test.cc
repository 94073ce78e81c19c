// Kernels planned for a GPU against eval: the modules of tests/ops, random programs, and shapes
// that reach each schedule. SINTER_FUZZ_SEED and SINTER_FUZZ_COUNT choose the random programs.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "base/status.h"
#include "codegen/emit/elementwise.h"
#include "codegen/kernel/text.h"
#include "eval/eval.h"
#include "fuzz/generate.h"
#include "gpu_kernels/gpu_program.h"
#include "ir/text/parser.h"
#include "ops/module_file.h"
#include "sinter/testing.h"
#include "tools/check.h"
#include "tools/load.h"

namespace sinter {
namespace {

using testing::GpuProgram;

bool Covers(const HloModule& module) {
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      if (!i->shape().is_array()) continue;
      if (!emit::HasElementType(i->shape().element_type())) return false;
      if (!IsElementwise(i->op())) continue;
      for (const HloInstruction* o : i->operands()) {
        if (!emit::HasElementwise(i->op(), o->shape().element_type())) return false;
      }
    }
  }
  return true;
}

// Constants are not folded: nothing would be left to run.
absl::Status RunChecks(const HloModule& module, size_t* kernels) {
  ASSIGN_OR_RETURN(tools::CheckedProgram checked, tools::ExtractChecks(module));
  ASSIGN_OR_RETURN(auto program, GpuProgram::Make(checked.module->Clone(), {.simplify = false}));
  *kernels += program->units().size();
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, program->Run({}));
  return tools::RunChecks(checked, leaves, false);
}

TEST_CASE("the modules of tests/ops") {
  size_t modules = 0, kernels = 0;
  for (const std::string& path : testing::ListModuleFiles(SINTER_OPS_FOLDER)) {
    for (const auto& text : testing::ReadModules(path)) {
      auto module = ParseHloText(text.text, "test");
      REQUIRE(module.ok());
      if (!Covers(**module)) continue;
      INFO(path << ":" << text.line);
      ++modules;
      absl::Status status = RunChecks(**module, &kernels);
      CHECK((status.ok() ? "ok" : MessageOf(status)) == "ok");
    }
  }
  CHECK(modules > 300);
  CHECK(kernels >= modules);
}

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

absl::Status Compare(const fuzz::Program& program, absl::Span<const Literal> actual,
                     const Literal& expected) {
  const fuzz::Function& entry = program.entry();
  std::vector<Literal> leaves;
  tools::FlattenLiteral(expected, &leaves);
  for (size_t i = 0; i < entry.results.size(); ++i) {
    const fuzz::Facts& facts = entry.nodes[static_cast<size_t>(entry.results[i])].facts;
    absl::Status s =
        facts.exact
            ? ExpectEqual(actual[i], leaves[i])
            : ExpectClose(actual[i], leaves[i], {.max_ulp = 8, .rtol = 0, .atol = 4 * facts.error});
    if (!s.ok()) return Annotate(s, Format("result {}", i));
  }
  return absl::OkStatus();
}

absl::Status RunSeed(uint64_t seed, std::string* text) {
  fuzz::Program program = fuzz::Generate(seed, {.max_elements = 4000});
  *text = fuzz::Print(program);
  ASSIGN_OR_RETURN(auto module, ParseHloText(*text, "fuzz.hlo"));
  std::vector<Literal> arguments = fuzz::Arguments(program, seed);
  ASSIGN_OR_RETURN(Literal expected, Evaluate(*module, arguments));
  ASSIGN_OR_RETURN(auto gpu,
                   GpuProgram::Make(std::move(module), {.simplify = seed % 4 != 0}));
  std::vector<Literal> leaves;
  for (const Literal& a : arguments) tools::FlattenLiteral(a, &leaves);
  ASSIGN_OR_RETURN(std::vector<Literal> actual, gpu->Run(leaves));
  return Compare(program, actual, expected);
}

TEST_CASE("random programs") {
  const int64_t first = FromEnvironment("SINTER_FUZZ_SEED", 1),
                count = FromEnvironment("SINTER_FUZZ_COUNT", 300);
  for (int64_t seed = first; seed < first + count; ++seed) {
    std::string text;
    absl::Status status = RunSeed(static_cast<uint64_t>(seed), &text);
    INFO("seed " << seed << "\n" << text);
    CHECK((status.ok() ? "ok" : MessageOf(status)) == "ok");
  }
}

}  // namespace
}  // namespace sinter
