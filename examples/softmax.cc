// Softmax over rows with the builder: reductions given as lambdas, and broadcasts of their results.
#include <cmath>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/lib/constants.h"
#include "sinter/testing.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

int main() {
  constexpr int64_t kRows = 512, kColumns = 1024;
  sinter::Builder b("softmax");
  Op x = Parameter(&b, 0, Shape(ElementType::F32, {kRows, kColumns}), "x");
  Op max = Reduce(x, MinValue(&b, ElementType::F32), [](Op p, Op q) { return Max(p, q); }, {1});
  Op e = Exp(Sub(x, max, {0}));
  Op sum = Reduce(e, 0, [](Op p, Op q) { return p + q; }, {1});
  Div(e, sum, {0});
  sinter::Computation softmax = Check(b.Build());

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(softmax));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  Literal input(Shape(ElementType::F32, {kRows, kColumns})), expected(input.shape());
  for (int64_t i = 0; i < kRows * kColumns; ++i) {
    input.data<float>()[static_cast<size_t>(i)] = static_cast<float>(i * 7919 % 1000) / 100;
  }
  for (int64_t row = 0; row < kRows; ++row) {
    const float* in = input.data<float>().data() + row * kColumns;
    float* out = expected.data<float>().data() + row * kColumns;
    double total = 0;
    for (int64_t i = 0; i < kColumns; ++i) total += std::exp(double{in[i]} - 9.99);
    for (int64_t i = 0; i < kColumns; ++i)
      out[i] = static_cast<float>(std::exp(double{in[i]} - 9.99) / total);
  }

  sinter::Buffer argument = Check(client->BufferFromLiteral(input));
  Check(f.Execute({argument}).status());  // the first run touches the memory
  Timer running;
  std::vector<sinter::Buffer> result = Check(f.Execute({argument}));
  std::printf("ran %d x %d in %.3f ms\n", int{kRows}, int{kColumns}, running.Milliseconds());
  Literal y = Check(result[0].ToLiteral());
  Check(ExpectClose(y, expected, {.max_ulp = 16, .rtol = 2e-6}));
  std::printf("%s\n", y.ToString(8).c_str());
}
