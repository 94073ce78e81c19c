// a * x + y with the builder: record, compile, run.
#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/testing.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

int main() {
  sinter::Builder b("axpy");
  Op a = Parameter(&b, 0, Shape(ElementType::F32), "a");
  Op x = Parameter(&b, 1, Shape(ElementType::F32, {4}), "x");
  Op y = Parameter(&b, 2, Shape(ElementType::F32, {4}), "y");
  Op z = a * x + y;
  sinter::Computation axpy = Check(b.Build(z));
  std::printf("%s\n", axpy.ToString().c_str());

  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(axpy));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  Timer running;
  Literal result = Check(f.Evaluate({Literal::R0(3.14f), Literal::R1<float>({1, 2, 3, 4}),
                                     Literal::R1<float>({10.5, 20.5, 30.5, 40.5})}));
  std::printf("ran in %.3f ms: %s\n", running.Milliseconds(), result.ToString().c_str());
  Check(ExpectClose(result, Literal::R1<float>({13.64f, 26.78f, 39.92f, 53.06f})));
}
