#include "sinter/import.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/client.h"

namespace sinter {
namespace {

constexpr std::string_view kStablehlo = R"(module @axpy {
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %a, %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
)";
constexpr std::string_view kHlo = "HloModule m\nENTRY e { ROOT x = f32[2] parameter(0) }";

TEST_CASE("a program is known by its beginning") {
  CHECK(Load(kStablehlo).ok());
  CHECK(Load(kHlo).ok());
  CHECK(Load(std::string("// comment\n\n  ") + std::string(kStablehlo)).ok());
  CHECK(Load(std::string("/* comment */\n") + std::string(kHlo)).ok());
  CHECK(Load("#loc = loc(unknown)\n" + std::string(kStablehlo)).ok());
  CHECK(Load("func.func @main() { return }").ok());
  CHECK(Load("\"builtin.module\"() ({\n" + std::string(kStablehlo) + "}) : () -> ()").ok());
  CHECK(LoadStablehlo(kStablehlo)->GetProgramShape()->parameters.size() == 1);
  CHECK(LoadHlo(kHlo)->name() == "m");
}

TEST_CASE("what is neither") {
  CHECK(MessageOf(Load("hello", "greeting").status()) ==
        "greeting: neither StableHLO, which begins with \"module\" or \"func.func\", nor HLO text, "
        "which begins with "
        "\"HloModule\", nor MLIR bytecode, nor a file of jax.export");
  CHECK(Load("").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Load("// only a comment").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Load("/* never closed").status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Load("modules {}").status().code() == absl::StatusCode::kInvalidArgument);
  const absl::Status cut = Load("ML\xefR\x0d").status();  // bytecode that ends behind its version
  CHECK(cut.code() == absl::StatusCode::kInvalidArgument);
  CHECK(cut.message().find("stablehlo: byte 5: ") == 0);
}

TEST_CASE("errors tell the place") {
  CHECK(MessageOf(LoadHlo("HloModule m\nENTRY e { ROOT x = f32[2 parameter(0) }", "m.hlo").status())
            .starts_with("m.hlo:2:"));
  CHECK(MessageOf(LoadStablehlo("module {\n  nonsense\n}", "m.mlir").status())
            .starts_with("m.mlir:2:"));
}

TEST_CASE("results are in row-major order whatever layout the text states") {
  auto c = LoadHlo(
      "HloModule m\nENTRY e {\n  x = f32[2,3] parameter(0)\n"
      "  ROOT y = f32[3,2]{0,1} transpose(x), dimensions={1,0}\n}\n");
  REQUIRE(c.ok());
  auto client = Client::Cpu();
  REQUIRE(client.ok());
  auto executable = (*client)->Compile(*c);
  REQUIRE(executable.ok());
  const Literal x = Literal::R2<float>({{1, 2, 3}, {4, 5, 6}});
  auto y = executable->Evaluate({x});
  REQUIRE(y.ok());
  CHECK(*y == Literal::R2<float>({{1, 4}, {2, 5}, {3, 6}}));
}

}  // namespace
}  // namespace sinter
