#include <catch2/catch.hpp>

#include <thread>

#include "clients.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/import.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

Computation Doubled(int64_t size) {
  Builder b("doubled");
  Op x = Parameter(&b, 0, F32Shape({size}), "x");
  return b.Build(x + x).value();
}

TEST_CASE("an event can be the host's") {
  Promise promise;
  const Event event = promise.event();
  CHECK_FALSE(event.IsReady());
  int calls = 0;
  event.OnReady([&](const absl::Status& s) { calls += s.ok() ? 1 : 100; });
  std::thread keeper([copy = promise] { copy.Set(absl::OkStatus()); });
  CHECK(event.Wait().ok());
  keeper.join();
  CHECK(calls == 1);
}

TEST_CASE("a promised buffer is computed with before it is there") {
  for (int threads : {1, 2}) {
    auto client = MakeClient(threads);
    Executable f = client->Compile(Doubled(4)).value();
    BufferPromise promise = client->PromiseBuffer(F32Shape({4})).value();
    Event done;
    std::vector<Buffer> results = f.ExecuteAsync({promise.buffer()}, {}, &done).value();
    CHECK_FALSE(done.IsReady());
    CHECK_FALSE(promise.buffer().IsReady());
    const float values[] = {1, 2, 3, 4};
    REQUIRE(promise.Write(values + 2, 8, 8).ok());
    REQUIRE(promise.Write(values, 0, 8).ok());
    CHECK(promise.Write(values, 8, 12).code() == absl::StatusCode::kInvalidArgument);
    CHECK(promise.Write(values, -4, 4).code() == absl::StatusCode::kInvalidArgument);
    CHECK(static_cast<const float*>(promise.data())[3] == 4);
    REQUIRE(promise.Keep().ok());
    CHECK(promise.Keep().code() == absl::StatusCode::kFailedPrecondition);
    CHECK(promise.Write(values, 0, 4).code() == absl::StatusCode::kFailedPrecondition);
    CHECK(promise.data() == nullptr);
    CHECK(done.Wait().ok());
    CHECK(results[0].ToLiteral()->ToString() == "f32[4] {2, 4, 6, 8}");
  }
}

TEST_CASE("runs that wait hold no memory for their results") {
  constexpr int64_t kSize = 1 << 20;
  CpuOptions options;
  options.threads = 2;
  options.memory_limit = 5 * 4 * kSize;
  auto client = Client::Cpu(options).value();
  Executable f = client->Compile(Doubled(kSize)).value();
  BufferPromise promise = client->PromiseBuffer(F32Shape({kSize})).value();
  // Each result is dropped when the next run has been submitted.
  Buffer x = f.ExecuteAsync({promise.buffer()}).value()[0];
  for (int i = 0; i < 20; ++i) x = f.ExecuteAsync({x}).value()[0];
  CHECK_FALSE(x.IsReady());
  CHECK(client->memory_stats().in_use <= 2 * 4 * kSize);
  const std::vector<float> ones(kSize, 1);
  REQUIRE(promise.Write(ones.data(), 0, 4 * kSize).ok());
  REQUIRE(promise.Keep().ok());
  const auto result = x.ToLiteral();
  REQUIRE(result.ok());
  CHECK(static_cast<const float*>(result->untyped_data())[kSize - 1] == 1 << 21);
  // Where there is none when a run begins, the error is that of its results.
  std::vector<Buffer> kept;
  for (int i = 0; i < 8; ++i) kept.push_back(f.ExecuteAsync({x}).value()[0]);
  CHECK(kept.front().Ready().Wait().ok());
  CHECK(kept.back().Ready().Wait().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("a promise that is not kept is an error") {
  auto client = MakeClient(2);
  Executable f = client->Compile(Doubled(4)).value();
  std::vector<Buffer> results;
  {
    BufferPromise promise = client->PromiseBuffer(F32Shape({4})).value();
    results = f.ExecuteAsync({promise.buffer()}).value();
  }
  CHECK(results[0].Await().code() == absl::StatusCode::kCancelled);
  BufferPromise promise = client->PromiseBuffer(F32Shape({4})).value();
  REQUIRE(promise.Keep(absl::AbortedError("no")).ok());
  CHECK(promise.buffer().ToLiteral().status().code() == absl::StatusCode::kAborted);
  CHECK(client->PromiseBuffer(Shape::Tuple({})).status().code() ==
        absl::StatusCode::kInvalidArgument);
  CHECK(BufferPromise().buffer().is_empty());
  CHECK(BufferPromise().Keep().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a promised buffer that is there is taken over in place") {
  auto client = MakeClient(1);
  CompileOptions options;
  options.donated_parameters = {0};
  Executable f = client->Compile(Doubled(1024), options).value();
  BufferPromise promise = client->PromiseBuffer(F32Shape({1024})).value();
  void* address = promise.data();
  REQUIRE(promise.Keep().ok());
  std::vector<Buffer> results = f.Execute({promise.buffer()}).value();
  CHECK(results[0].View()->get() == address);
  CHECK(f.aliased_bytes() == 4096);
}

TEST_CASE("buffers share contents and live apart") {
  auto client = MakeClient(1);
  CompileOptions options;
  options.donated_parameters = {0};
  Executable f = client->Compile(Doubled(4), options).value();
  BufferPromise promise = client->PromiseBuffer(F32Shape({4})).value();
  Buffer a = promise.buffer(), b = a.Share().value();
  CHECK_FALSE(b.IsReady());
  const float values[] = {1, 2, 3, 4};
  REQUIRE(promise.Write(values, 0, 16).ok());
  REQUIRE(promise.Keep().ok());
  std::vector<Buffer> results = f.Execute({a}).value();
  CHECK(a.IsDeleted());
  CHECK_FALSE(b.IsDeleted());
  CHECK(b.ToLiteral()->ToString() == "f32[4] {1, 2, 3, 4}");
  CHECK(results[0].ToLiteral()->ToString() == "f32[4] {2, 4, 6, 8}");
  CHECK(a.Share().status().code() == absl::StatusCode::kInvalidArgument);
  CHECK(Buffer().Share().status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("a buffer in place of one that could not be computed") {
  auto client = MakeClient(2);
  Buffer lost = client->ErrorBuffer(F32Shape({4}), absl::DataLossError("gone")).value();
  Executable f = client->Compile(Doubled(4)).value();
  CHECK(f.Execute({lost}).status().code() == absl::StatusCode::kDataLoss);
  Event done;
  std::vector<Buffer> results = f.ExecuteAsync({lost}, {}, &done).value();
  CHECK(done.Wait().code() == absl::StatusCode::kDataLoss);
  CHECK(results[0].Await().code() == absl::StatusCode::kDataLoss);
  CHECK_FALSE(lost.CanBeTakenOver());
  CHECK(client->ErrorBuffer(F32Shape({4}), absl::OkStatus()).status().code() ==
        absl::StatusCode::kInvalidArgument);
}

TEST_CASE("what a run does is counted") {
  auto client = MakeClient(1);
  Executable f = client->Compile(Doubled(1000)).value();
  const ExecutionCost cost = f.cost();
  CHECK(cost.bytes_read == 4000);
  CHECK(cost.bytes_written == 4000);
  CHECK(cost.operations == 1000);
  CHECK(cost.nanoseconds > 0);
  CHECK_FALSE(cost.open_ended);
  CHECK(f.code_bytes() > 0);
  CHECK(f.aliased_bytes() == 0);
  CHECK(f.custom_call_targets().empty());
  CHECK(Executable().cost().operations == 0);
  CHECK(Executable().code_bytes() == 0);

  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(
      registry->Register("mine", "Host", [](const CustomCallFrame&) { return absl::OkStatus(); })
          .ok());
  CpuOptions options;
  options.threads = 1;
  options.custom_calls = registry;
  auto calling = MakeClient(options);
  Builder b("calls");
  Op x = Parameter(&b, 0, F32Shape({4}), "x");
  Op y = CustomCall(&b, "mine", {CustomCall(&b, "mine", {x}, F32Shape({4}))}, F32Shape({4}));
  Executable g = calling->Compile(b.Build(y).value()).value();
  CHECK(g.custom_call_targets() == std::vector<std::string>{"mine"});
  CHECK(g.cost().open_ended);
}

// Hosts that have no tokens, JAX among them, give arrays of nothing.
TEST_CASE("a token is given as an array of nothing, or as a result that is one") {
  auto client = MakeClient(1);
  Computation computation = LoadStablehlo(R"(
func.func @main(%t: !stablehlo.token, %x: tensor<2xf32>) -> (!stablehlo.token, tensor<2xf32>) {
  return %t, %x : !stablehlo.token, tensor<2xf32>
})")
                                .value();
  Executable f = client->Compile(computation).value();
  Buffer nothing = client->BufferFromHost(nullptr, Shape(ElementType::PRED, {0})).value();
  Buffer x = client->BufferFromLiteral(Literal::R1<float>({1, 2})).value();
  std::vector<Buffer> results = f.Execute({nothing, x}).value();
  REQUIRE(results.size() == 2);
  CHECK(results[0].shape().is_token());
  CHECK(f.Execute({results[0], x}).ok());
  CHECK(f.Execute({x, x}).status().code() == absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace sinter
