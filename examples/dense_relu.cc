// relu(x * w + bias): a matrix product whose bias and activation are applied where its result is
// written, in one kernel.
#include <algorithm>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/testing.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

int main() {
  constexpr int64_t kBatch = 128, kIn = 256, kOut = 192;
  sinter::Builder b("dense_relu");
  Op x = Parameter(&b, 0, Shape(ElementType::F32, {kBatch, kIn}), "x");
  Op w = Parameter(&b, 1, Shape(ElementType::F32, {kIn, kOut}), "w");
  Op bias = Parameter(&b, 2, Shape(ElementType::F32, {kOut}), "bias");
  Max(Add(Dot(x, w), bias, {1}), 0);
  sinter::Computation layer = Check(b.Build());

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(layer));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  sinter::Explanation explanation = Check(f.Explain());
  std::printf("%s", explanation.ToString().c_str());
  Expect(explanation.kernels.size() == 1, "expected one kernel");

  auto ramp = [](std::vector<int64_t> dims, int64_t modulus) {
    Literal l(Shape(ElementType::F32, std::move(dims)));
    int64_t i = 0;
    for (float& v : l.data<float>()) v = static_cast<float>(i++ * 31 % modulus - modulus / 2) / 16;
    return l;
  };
  Literal lx = ramp({kBatch, kIn}, 17), lw = ramp({kIn, kOut}, 13), lb = ramp({kOut}, 7);
  Literal expected(Shape(ElementType::F32, {kBatch, kOut}));
  for (int64_t i = 0; i < kBatch; ++i) {
    for (int64_t j = 0; j < kOut; ++j) {
      double sum = lb.data<float>()[static_cast<size_t>(j)];
      for (int64_t k = 0; k < kIn; ++k) {
        sum += double{lx.data<float>()[static_cast<size_t>(i * kIn + k)]} *
               double{lw.data<float>()[static_cast<size_t>(k * kOut + j)]};
      }
      expected.data<float>()[static_cast<size_t>(i * kOut + j)] =
          static_cast<float>(std::max(sum, 0.0));
    }
  }

  std::vector<sinter::Buffer> arguments;
  for (const Literal* l : {&lx, &lw, &lb})
    arguments.push_back(Check(client->BufferFromLiteral(*l)));
  Check(f.Execute(arguments).status());
  Timer running;
  sinter::Buffer result = Check(f.Execute(arguments))[0];
  double ms = running.Milliseconds();
  Literal y = Check(result.ToLiteral());
  std::printf("ran in %.3f ms, %.1f Gflop/s\n%s\n", ms, 2 * kBatch * kIn * kOut / ms * 1e-6,
              y.ToString(8).c_str());
  Check(ExpectClose(y, expected, {.max_ulp = 8, .relative_to_largest = 1e-6}));
}
