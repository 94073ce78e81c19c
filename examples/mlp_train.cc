// A small network trained on generated data: one compiled step computes the loss, the gradients
// written by hand, and new weights, which take over the old ones' memory.
#include <cmath>
#include <vector>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

constexpr int64_t kBatch = 256, kIn = 2, kHidden = 32, kOut = 1, kWeights = 4;

static Op SumOfRows(Op x) {
  return Reduce(x, 0, [](Op p, Op q) { return p + q; }, {0});
}

static sinter::Computation TrainingStep(float rate) {
  sinter::Builder b("train");
  auto parameter = [&, n = int64_t{0}](std::vector<int64_t> dims, const char* name) mutable {
    return Parameter(&b, n++, Shape(ElementType::F32, std::move(dims)), name);
  };
  Op w1 = parameter({kIn, kHidden}, "w1"), b1 = parameter({kHidden}, "b1");
  Op w2 = parameter({kHidden, kOut}, "w2"), b2 = parameter({kOut}, "b2");
  Op x = parameter({kBatch, kIn}, "x"), y = parameter({kBatch, kOut}, "y");

  Op hidden = Tanh(Add(Dot(x, w1), b1, {1}));
  Op error = Add(Dot(hidden, w2), b2, {1}) - y;
  Op loss = ReduceAll(error * error, 0, [](Op p, Op q) { return p + q; }) / kBatch;

  Op d_out = error * (2.0 / kBatch);
  Op d_w2 = Dot(Transpose(hidden, {1, 0}), d_out);
  Op d_hidden = Dot(d_out, Transpose(w2, {1, 0})) * (1 - hidden * hidden);
  Op d_w1 = Dot(Transpose(x, {1, 0}), d_hidden);

  Op result = Tuple(&b, {w1 - d_w1 * rate, b1 - SumOfRows(d_hidden) * rate, w2 - d_w2 * rate,
                         b2 - SumOfRows(d_out) * rate, loss});
  for (int64_t i = 0; i < kWeights; ++i) b.SetUpAlias({i}, i, {});
  return Check(b.Build(result));
}

// Numbers in (-1, 1) that are the same everywhere.
class Random {
 public:
  float Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<float>(static_cast<int32_t>(state_ >> 32)) * 0x1p-31f;
  }

 private:
  uint64_t state_ = 1;
};

int main() {
  sinter::Computation step = TrainingStep(0.2f);
  auto client = Check(sinter::Client::Cpu());
  Timer compiling;
  sinter::Executable f = Check(client->Compile(step));
  std::printf("compiled in %.2f ms\n", compiling.Milliseconds());
  std::printf("%s", Check(f.Explain()).ToString().c_str());

  Random random;
  std::vector<sinter::Buffer> state;
  for (const Shape& shape : f.parameter_shapes()) {
    Literal l(shape);
    bool is_bias = shape.rank() == 1;
    for (float& v : l.data<float>()) v = is_bias ? 0 : random.Next();
    state.push_back(Check(client->BufferFromLiteral(l)));
  }
  // The target: a smooth function of x.
  Literal x = Check(state[kWeights].ToLiteral()), y(Shape(ElementType::F32, {kBatch, kOut}));
  for (size_t i = 0; i < kBatch; ++i) {
    y.data<float>()[i] = std::sin(3 * x.data<float>()[2 * i]) * x.data<float>()[2 * i + 1];
  }
  state[kWeights + 1] = Check(client->BufferFromLiteral(y));

  constexpr int kSteps = 2000;
  float first = 0, loss = 0;
  Timer running;
  for (int i = 0; i <= kSteps; ++i) {
    std::vector<sinter::Buffer> result = Check(f.Execute(state));
    for (size_t k = 0; k < kWeights; ++k) state[k] = result[k];
    if (i % (kSteps / 5) != 0) continue;
    loss = Check(result[kWeights].ToLiteral()).data<float>()[0];
    if (i == 0) first = loss;
    std::printf("step %4d: loss %.5f\n", i, double{loss});
  }
  std::printf("%d steps in %.1f ms\n", kSteps, running.Milliseconds());
  Expect(loss < first / 10, "the loss did not fall");
}
