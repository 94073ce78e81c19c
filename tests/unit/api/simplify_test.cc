// What a computation becomes before it is lowered for a device.
#include <catch2/catch.hpp>
#include <string>

#include "base/status.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

TEST_CASE(
    "a simplified computation has no calls, no work that is not needed, and the same result") {
  const Computation whole = LoadStablehlo(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = stablehlo.constant dense<1.0> : tensor<4xf32>
  %y = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %z = stablehlo.multiply %y, %one : tensor<4xf32>
  return %z : tensor<4xf32>
}
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = stablehlo.add %x, %x : tensor<4xf32>
  return %y : tensor<4xf32>
}
)")
                                .value();
  const Computation simple = Simplify(whole).value();
  const std::string text = simple.ToStablehlo().value();
  CHECK(text.find("call") == std::string::npos);
  CHECK(text.find("constant dense<1") == std::string::npos);
  auto client = Client::Interpreter().value();
  const Literal x = Literal::R1<float>({1, -2, 3.5, 0});
  CHECK(client->Compile(simple).value().Evaluate({x}).value() ==
        client->Compile(whole).value().Evaluate({x}).value());
}

TEST_CASE("of a program of partitions the simplified computation is that of one") {
  const Computation whole = LoadHlo(R"(HloModule m, num_partitions=4
ENTRY e {
  x = f32[8,16] parameter(0), sharding={devices=[1,4]<=[4]}
  w = f32[16,6] parameter(1), sharding={devices=[4,1]<=[4]}
  ROOT y = f32[8,6] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}, sharding={replicated}
})")
                                .value();
  CompileOptions options;
  options.partitions = 4;
  const std::string text = Simplify(whole, options).value().ToString();
  CHECK(text.find("f32[8,4] parameter(0)") != std::string::npos);
  CHECK(text.find("all-reduce") != std::string::npos);
}

TEST_CASE("what is no computation is not simplified") {
  CHECK(MessageOf(Simplify(Computation()).status()) == "Simplify: there is no computation");
}

}  // namespace
}  // namespace sinter
