// sum(x + y * z): a product, a sum and a reduction that become one kernel, so that each input is
// read once and nothing is written but the result.
#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

int main() {
  constexpr int64_t kSize = 1 << 22;
  sinter::Builder b("fused_sum");
  Shape shape(ElementType::F32, {kSize});
  Op x = Parameter(&b, 0, shape, "x"), y = Parameter(&b, 1, shape, "y"),
     z = Parameter(&b, 2, shape, "z");
  ReduceAll(x + y * z, 0, [](Op p, Op q) { return p + q; });
  sinter::Computation sum = Check(b.Build());

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(sum));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  sinter::Explanation explanation = Check(f.Explain());
  std::printf("%s", explanation.ToString().c_str());
  Expect(explanation.kernels.size() == 1, "expected one kernel");

  // Small integers, so that every order of summation gives the same.
  std::vector<sinter::Buffer> arguments;
  int64_t expected = 0;
  std::vector<Literal> inputs(3, Literal(shape));
  for (int64_t i = 0; i < kSize; ++i) {
    auto at = static_cast<size_t>(i);
    float v[] = {static_cast<float>(i % 3), static_cast<float>(i % 2),
                 static_cast<float>(i % 5 - 2)};
    for (size_t k = 0; k < 3; ++k) inputs[k].data<float>()[at] = v[k];
    expected += static_cast<int64_t>(v[0] + v[1] * v[2]);
  }
  for (const Literal& input : inputs) arguments.push_back(Check(client->BufferFromLiteral(input)));
  Check(f.Execute(arguments).status());
  Timer running;
  sinter::Buffer result = Check(f.Execute(arguments))[0];
  double ms = running.Milliseconds();
  Literal total = Check(result.ToLiteral());
  std::printf("ran in %.3f ms, %.1f GB/s: %s\n", ms, 3 * 4 * kSize / ms * 1e-6,
              total.ToString().c_str());
  Expect(total.GetAsDouble(0) == static_cast<double>(expected), "wrong sum");
}
