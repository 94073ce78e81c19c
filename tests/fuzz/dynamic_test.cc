// Random programs of dynamic dimensions: imported for a bound against imported for each size, on
// the interpreter and on the compiled CPU. SINTER_FUZZ_SEED=N and SINTER_FUZZ_COUNT=N as in
// fuzz_test.cc.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "api/client_core.h"
#include "api/compiler.h"
#include "base/status.h"
#include "environment.h"
#include "eval/eval.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "fuzz/dynamic.h"
#include "ir/verify/verify.h"
#include "sinter/client.h"
#include "sinter/testing.h"

namespace sinter::fuzz {
namespace {

constexpr int64_t kRows = 6;

absl::StatusOr<std::unique_ptr<HloModule>> Import(const std::string& text, const Shape& x) {
  ASSIGN_OR_RETURN(auto module,
                   ParseStablehlo(text, "dynamic.mlir", {.arguments = {{.shape = x}}}));
  RETURN_IF_ERROR(VerifyModule(*module));
  return module;
}

absl::Status Check(Client& client, const DynamicProgram& program) {
  Shape bounded(ElementType::F32, {kRows, 3});
  bounded.set_dynamic(0, true);
  ASSIGN_OR_RETURN(const auto dynamic, Import(program.text, bounded));
  ASSIGN_OR_RETURN(Executable compiled, client.core()->CompileModule(*dynamic, CompileOptions()));
  for (int64_t n = 0; n <= kRows; ++n) {
    Literal x(Shape(ElementType::F32, {n, 3}));
    for (size_t k = 0; k < static_cast<size_t>(3 * n); ++k)
      x.data<float>()[k] = static_cast<float>((k * 5 + static_cast<size_t>(n)) % 9) - 4;
    ASSIGN_OR_RETURN(const auto sized, Import(program.text, x.shape()));
    ASSIGN_OR_RETURN(const Literal expected, Evaluate(*sized, {x}));
    const std::string rows = Format("{} rows", n);
    if (expected.shape().dimension(0) != program.rows(n)) {
      return Internal("{}: the result is {}, of {} rows", rows, expected.shape().ToString(),
                      program.rows(n));
    }
    ASSIGN_OR_RETURN(const Literal evaluated, Evaluate(*dynamic, {x}));
    RETURN_IF_ERROR(Annotate(ExpectEqual(evaluated, expected), rows + ", interpreter"));
    ASSIGN_OR_RETURN(const Literal run, compiled.Evaluate({x}));
    RETURN_IF_ERROR(Annotate(ExpectEqual(run, expected), rows + ", compiled"));
  }
  return absl::OkStatus();
}

TEST_CASE("random programs of dynamic dimensions give what those of static ones give") {
  CpuOptions options;
  options.cache_entries = 1;
  options.threads = 1;
  auto client = Client::Cpu(options);
  REQUIRE(client.ok());
  const int64_t seed = testing::FromEnvironment("SINTER_FUZZ_SEED", 1),
                count = testing::FromEnvironment("SINTER_FUZZ_COUNT", 60);
  for (int64_t k = seed; k < seed + count; ++k) {
    const DynamicProgram program = GenerateDynamic(static_cast<uint64_t>(k));
    INFO("seed " << k << "\n" << program.text);
    const absl::Status status = Check(**client, program);
    CHECK(MessageOf(status) == MessageOf(absl::OkStatus()));
  }
}

}  // namespace
}  // namespace sinter::fuzz
