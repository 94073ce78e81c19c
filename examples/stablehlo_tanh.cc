// A StableHLO program of one operation, in MLIR's generic form, as tools print it.
#include <cmath>

#include "example.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/testing.h"

using sinter::Literal;

constexpr std::string_view kProgram = R"(
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<6xf32>) -> tensor<6xf32>, sym_name = "main"}> ({
  ^bb0(%arg0: tensor<6xf32>):
    %0 = "stablehlo.tanh"(%arg0) : (tensor<6xf32>) -> tensor<6xf32>
    "func.return"(%0) : (tensor<6xf32>) -> ()
  }) : () -> ()
}) : () -> ()
)";

int main() {
  sinter::Computation tanh = Check(sinter::Load(kProgram, "tanh.mlir"));

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(tanh));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  std::vector<float> x = {-20, -1, -1e-4f, 0, 0.5f, 3}, expected;
  for (float v : x) expected.push_back(static_cast<float>(std::tanh(double{v})));
  Timer running;
  Literal y = Check(f.Evaluate({Literal::R1<float>(absl::Span<const float>(x))}));
  std::printf("ran in %.3f ms: %s\n", running.Milliseconds(), y.ToString().c_str());
  Check(ExpectClose(y, Literal::R1<float>(absl::Span<const float>(expected)), {.max_ulp = 4}));
}
