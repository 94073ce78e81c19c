// A layer of a transformer cut over four devices of one process (Shoeybi et al., "Megatron-LM",
// 2019, section 3): each device has a quarter of the heads and of the hidden units of the
// perceptron. It needs two sums between the devices, and gives what one device with all of the
// weights gives, but for the order of sums.
#include <cmath>
#include <utility>
#include <vector>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/collective_ops.h"
#include "sinter/lib/constants.h"
#include "sinter/lib/matrix.h"
#include "sinter/testing.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

constexpr int64_t kRows = 64, kWidth = 128, kHeads = 8, kHead = kWidth / kHeads, kHidden = 512;

static Op Add2(Op p, Op q) { return p + q; }

// Rows of mean square 1.
static Op Normalize(Op x) {
  Op squares = Reduce(x * x, 0, Add2, {1});
  return Mul(x, Rsqrt(squares / kWidth + 1e-5), {0});
}

// The part of the layer that one of `devices` has.
static sinter::Computation Layer(int64_t devices) {
  sinter::Builder b("layer");
  const int64_t heads = kHeads / devices, width = heads * kHead, hidden = kHidden / devices;
  auto parameter = [&, n = int64_t{0}](int64_t rows, int64_t columns, const char* name) mutable {
    return Parameter(&b, n++, Shape(ElementType::F32, {rows, columns}), name);
  };
  Op x = parameter(kRows, kWidth, "x");
  Op wq = parameter(kWidth, width, "wq"), wk = parameter(kWidth, width, "wk"),
     wv = parameter(kWidth, width, "wv"), wo = parameter(width, kWidth, "wo");
  Op w1 = parameter(kWidth, hidden, "w1"), w2 = parameter(hidden, kWidth, "w2");

  Op in = Normalize(x);
  auto by_head = [&](Op w) {
    return Transpose(Reshape(Dot(in, w), {kRows, heads, kHead}), {1, 0, 2});
  };
  Op scores = BatchDot(by_head(wq), false, by_head(wk), true) / std::sqrt(float{kHead});
  Op max =
      Reduce(scores, MinValue(&b, ElementType::F32), [](Op p, Op q) { return Max(p, q); }, {2});
  Op weights = Exp(Sub(scores, max, {0, 1}));
  Op shares = Div(weights, Reduce(weights, 0, Add2, {2}), {0, 1});
  Op attended = Reshape(Transpose(BatchDot(shares, by_head(wv)), {1, 0, 2}), {kRows, width});
  Op y = x + sinter::AllReduce(Dot(attended, wo), Add2);

  Op units = Dot(Normalize(y), w1);
  Op z = y + sinter::AllReduce(Dot(units * Logistic(units), w2), Add2);
  return Check(b.Build(z));
}

// Rows and columns of a matrix, from a row and a column on.
static Literal Part(const Literal& m, int64_t row, int64_t rows, int64_t column, int64_t columns) {
  Literal part(Shape(ElementType::F32, {rows, columns}));
  const int64_t all = m.shape().dimensions()[1];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t k = 0; k < columns; ++k) {
      part.data<float>()[static_cast<size_t>(i * columns + k)] =
          m.data<float>()[static_cast<size_t>((row + i) * all + column + k)];
    }
  }
  return part;
}

// The result of each of so many devices.
static std::vector<Literal> Run(int devices, const std::vector<Literal>& whole) {
  sinter::CpuOptions options;
  options.devices = devices;
  auto client = Check(sinter::Client::Cpu(options));
  sinter::CompileOptions how;
  how.replicas = devices;
  sinter::Executable f = Check(client->Compile(Layer(devices), how));
  std::vector<std::vector<sinter::Buffer>> arguments(static_cast<size_t>(devices));
  for (int d = 0; d < devices; ++d) {
    auto& own = arguments[static_cast<size_t>(d)];
    for (size_t k = 0; k < whole.size(); ++k) {
      // x is whole; wo and w2 are cut along their rows, others along their columns.
      const auto dims = whole[k].shape().dimensions();
      const bool by_rows = k == 4 || k == 6;
      const int64_t rows = by_rows ? dims[0] / devices : dims[0];
      const int64_t columns = by_rows || k == 0 ? dims[1] : dims[1] / devices;
      own.push_back(
          Check(client->BufferFromLiteral(Part(whole[k], by_rows ? d * rows : 0, rows,
                                               by_rows || k == 0 ? 0 : d * columns, columns),
                                          d)));
    }
  }
  Check(f.ExecuteOnDevices(arguments).status());  // the first run touches the memory
  Timer running;
  auto results = Check(f.ExecuteOnDevices(arguments));
  std::printf("%d devices: %.3f ms\n", devices, running.Milliseconds());
  std::vector<Literal> all;
  for (const auto& own : results) all.push_back(Check(own[0].ToLiteral()));
  return all;
}

int main() {
  std::vector<Literal> whole;
  const std::pair<int64_t, int64_t> shapes[] = {
      {kRows, kWidth},  {kWidth, kWidth},  {kWidth, kWidth}, {kWidth, kWidth},
      {kWidth, kWidth}, {kWidth, kHidden}, {kHidden, kWidth}};
  uint64_t state = 1;
  for (auto [rows, columns] : shapes) {
    Literal& l = whole.emplace_back(Shape(ElementType::F32, {rows, columns}));
    for (float& v : l.data<float>()) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      v = static_cast<float>(static_cast<int32_t>(state >> 32)) * 0x1p-31f *
          (whole.size() == 1 ? 1.0f : 0.15f);
    }
  }
  const Literal one = Run(1, whole)[0];
  for (const Literal& four : Run(4, whole))
    Check(sinter::ExpectClose(four, one, {.relative_to_largest = 1e-5}));
  std::printf("four devices agree with one\n");
}
