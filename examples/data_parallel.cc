// The network of mlp_train.cc trained on four devices: of one process, or of as many as
// `mpirun -n 4 data_parallel mpi` starts. Each has a quarter of the
// batch and a copy of the weights, and the gradients are added up between them (AllReduce). The
// losses are those of one device with the whole batch, but for the order of sums.
#include <cmath>
#include <cstring>
#include <vector>

#include "example.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/collective_ops.h"

using sinter::ElementType, sinter::Literal, sinter::Op, sinter::Shape;

constexpr int64_t kBatch = 256, kIn = 2, kHidden = 32, kOut = 1, kWeights = 4;

static Op SumOfRows(Op x) {
  return Reduce(x, 0, [](Op p, Op q) { return p + q; }, {0});
}

// A step on `rows` rows of the batch, for as many devices as have them all.
static sinter::Computation TrainingStep(float rate, int64_t rows) {
  sinter::Builder b("train");
  auto parameter = [&, n = int64_t{0}](std::vector<int64_t> dims, const char* name) mutable {
    return Parameter(&b, n++, Shape(ElementType::F32, std::move(dims)), name);
  };
  Op w1 = parameter({kIn, kHidden}, "w1"), b1 = parameter({kHidden}, "b1");
  Op w2 = parameter({kHidden, kOut}, "w2"), b2 = parameter({kOut}, "b2");
  Op x = parameter({rows, kIn}, "x"), y = parameter({rows, kOut}, "y");

  Op hidden = Tanh(Add(Dot(x, w1), b1, {1}));
  Op error = Add(Dot(hidden, w2), b2, {1}) - y;
  Op loss = ReduceAll(error * error, 0, [](Op p, Op q) { return p + q; }) / kBatch;

  Op d_out = error * (2.0 / kBatch);
  Op d_w2 = Dot(Transpose(hidden, {1, 0}), d_out);
  Op d_hidden = Dot(d_out, Transpose(w2, {1, 0})) * (1 - hidden * hidden);
  Op d_w1 = Dot(Transpose(x, {1, 0}), d_hidden);

  // All in one exchange. Without groups all devices take part.
  Op sums = sinter::AllReduceTuple({d_w1, SumOfRows(d_hidden), d_w2, SumOfRows(d_out), loss},
                                   [](Op p, Op q) { return p + q; });
  auto sum = [&](int64_t k) { return GetTupleElement(sums, k); };
  Op result = Tuple(
      &b, {w1 - sum(0) * rate, b1 - sum(1) * rate, w2 - sum(2) * rate, b2 - sum(3) * rate, sum(4)});
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

// The losses of every hundredth step on all devices of a client.
static std::vector<float> Train(const sinter::CpuOptions& options) {
  auto client = Check(sinter::Client::Cpu(options));
  const int devices = client->device_count();
  sinter::CompileOptions how;
  how.replicas = devices;
  const int64_t rows = kBatch / devices;
  sinter::Executable f = Check(client->Compile(TrainingStep(0.2f, rows), how));

  Random random;
  std::vector<Literal> weights;
  for (size_t k = 0; k < kWeights; ++k) {
    Literal& l = weights.emplace_back(f.parameter_shapes()[k]);
    for (float& v : l.data<float>()) v = l.shape().rank() == 1 ? 0 : random.Next();
  }
  std::vector<std::vector<sinter::Buffer>> state;  // of this process's devices
  for (int d = 0; d < devices; ++d) {
    Literal x(Shape(ElementType::F32, {rows, kIn})), y(Shape(ElementType::F32, {rows, kOut}));
    for (float& v : x.data<float>()) v = random.Next();
    for (size_t i = 0; i < static_cast<size_t>(rows); ++i)
      y.data<float>()[i] = std::sin(3 * x.data<float>()[2 * i]) * x.data<float>()[2 * i + 1];
    if (client->process_of(d) != client->process_id()) continue;
    auto& own = state.emplace_back();
    for (const Literal& w : weights) own.push_back(Check(client->BufferFromLiteral(w, d)));
    own.push_back(Check(client->BufferFromLiteral(x, d)));
    own.push_back(Check(client->BufferFromLiteral(y, d)));
  }

  std::vector<float> losses;
  Timer running;
  for (int i = 0; i <= 1000; ++i) {
    auto results = Check(f.ExecuteOnDevices(state));
    for (size_t d = 0; d < state.size(); ++d) {
      for (size_t k = 0; k < kWeights; ++k) state[d][k] = results[d][k];
    }
    if (i % 100 != 0) continue;
    losses.push_back(Check(results.back()[kWeights].ToLiteral()).data<float>()[0]);
  }
  std::printf("process %d of %d, %d devices: %.1f ms, loss %.5f to %.5f\n", client->process_id(),
              client->process_count(), devices, running.Milliseconds(), double{losses.front()},
              double{losses.back()});
  return losses;
}

int main(int argc, char** argv) {
  sinter::CpuOptions alone, together;
  if (argc > 1 && std::strcmp(argv[1], "mpi") == 0) {
    together.distributed.transport = sinter::DistributedOptions::Transport::kMpi;
    together.collective_timeout = 60;
  } else {
    together.devices = 4;
  }
  const std::vector<float> one = Train(alone), four = Train(together);
  for (size_t i = 0; i < one.size(); ++i)
    Expect(std::abs(one[i] - four[i]) <= 1e-3f * one[i], "the losses are not those of one device");
  Expect(four.back() < four.front() / 5, "the loss did not fall");
}
