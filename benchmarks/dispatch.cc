// What a call costs besides the work: tiny programs on resident buffers.
#include <benchmark/benchmark.h>

#include <cstdlib>
#include <vector>

#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/jit.h"

namespace {

template <class T>
T OrDie(absl::StatusOr<T> value) {
  if (!value.ok()) std::abort();
  return *std::move(value);
}

std::shared_ptr<sinter::Client> MakeClient(int threads) {
  sinter::CpuOptions options;
  options.threads = threads;
  return OrDie(sinter::Client::Cpu(options));
}

sinter::Op Axpy(sinter::Builder&, absl::Span<const sinter::Op> in) { return in[0] * in[1] + in[2]; }

struct Arguments {
  Arguments(sinter::Client& client, int64_t n) {
    std::vector<float> v(static_cast<size_t>(n), 1.0f);
    buffers.push_back(OrDie(client.BufferFromLiteral(sinter::Literal::R0<float>(2))));
    for (int i = 0; i < 2; ++i) {
      buffers.push_back(
          OrDie(client.BufferFromHost(v.data(), sinter::Shape(sinter::ElementType::F32, {n}))));
    }
  }
  std::vector<sinter::Buffer> buffers;
};

void Execute(benchmark::State& state) {
  auto client = MakeClient(static_cast<int>(state.range(1)));
  Arguments arguments(*client, state.range(0));
  std::vector<sinter::Shape> shapes;
  for (const auto& b : arguments.buffers) shapes.push_back(b.shape());
  sinter::Executable f = OrDie(sinter::Jit(Axpy).Get(client, shapes));
  for (auto _ : state) benchmark::DoNotOptimize(f.Execute(arguments.buffers));
}
BENCHMARK(Execute)
    ->ArgNames({"n", "threads"})
    ->Args({16, 1})
    ->Args({16, 2})
    ->Args({1 << 20, 1})
    ->Args({1 << 20, 2});

// With the look-up by shapes.
void JitCall(benchmark::State& state) {
  auto client = MakeClient(1);
  Arguments arguments(*client, state.range(0));
  sinter::Jit f(Axpy);
  for (auto _ : state) benchmark::DoNotOptimize(f(client, arguments.buffers));
}
BENCHMARK(JitCall)->Arg(16);

// Handed to the client's thread and waited for.
void ExecuteAsync(benchmark::State& state) {
  auto client = MakeClient(1);
  Arguments arguments(*client, state.range(0));
  std::vector<sinter::Shape> shapes;
  for (const auto& b : arguments.buffers) shapes.push_back(b.shape());
  sinter::Executable f = OrDie(sinter::Jit(Axpy).Get(client, shapes));
  for (auto _ : state) {
    auto r = OrDie(f.ExecuteAsync(arguments.buffers));
    if (!r[0].Await().ok()) std::abort();
  }
}
BENCHMARK(ExecuteAsync)->Arg(16);

// The first result of a size touches fresh pages; the others reuse them.
void FirstAndLaterResults(benchmark::State& state) {
  auto client = MakeClient(2);
  Arguments arguments(*client, 16 << 20);
  sinter::Jit f(Axpy);
  for (auto _ : state) {
    if (state.range(0) == 0) client->TrimMemory();
    benchmark::DoNotOptimize(f(client, arguments.buffers));
  }
}
BENCHMARK(FirstAndLaterResults)->ArgName("reuse")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void CopyIn(benchmark::State& state) {
  auto client = MakeClient(1);
  std::vector<float> v(static_cast<size_t>(state.range(0)));
  sinter::Shape shape(sinter::ElementType::F32, {state.range(0)});
  for (auto _ : state) benchmark::DoNotOptimize(client->BufferFromHost(v.data(), shape));
}
BENCHMARK(CopyIn)->Arg(16);

}  // namespace
