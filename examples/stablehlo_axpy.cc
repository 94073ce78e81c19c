// A StableHLO program loaded from text, fed with literals and checked to three units in the last
// place.
#include "example.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/testing.h"

using sinter::Literal;

constexpr std::string_view kProgram = R"(
module @axpy {
  func.func @main(%alpha: tensor<f32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
    %a = stablehlo.broadcast_in_dim %alpha, dims = [] : (tensor<f32>) -> tensor<4xf32>
    %ax = stablehlo.multiply %a, %x : tensor<4xf32>
    %result = stablehlo.add %ax, %y : tensor<4xf32>
    return %result : tensor<4xf32>
  }
}
)";

int main() {
  sinter::Computation axpy = Check(sinter::LoadStablehlo(kProgram, "axpy.mlir"));

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(axpy));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  Timer running;
  Literal z = Check(f.Evaluate({Literal::R0(3.14f), Literal::R1<float>({1, 2, 3, 4}),
                                Literal::R1<float>({10.5, 20.5, 30.5, 40.5})}));
  std::printf("ran in %.3f ms: %s\n", running.Milliseconds(), z.ToString().c_str());
  Check(ExpectClose(z, Literal::R1<float>({13.64f, 26.78f, 39.92f, 53.06f})));
}
