// Infeeds and outfeeds: the two queues of a client. Channels to the host of a run.
#include <atomic>
#include <catch2/catch.hpp>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "case.h"
#include "sinter/builder.h"
#include "sinter/collective_ops.h"
#include "sinter/transfer.h"

namespace sinter::conformance {
namespace {

const Shape kFour(ElementType::F32, {4});

Literal Four(float x) { return Literal::R1<float>({x, x + 1, x + 2, x + 3}); }

// Outfeeds twice what it is fed, and returns what it is fed plus its argument.
Executable CompileTwice(Client& client) {
  Builder b("twice");
  Op x = Parameter(&b, 0, kFour, "x");
  Op fed = Infeed(&b, kFour);
  Outfeed(fed + fed, kFour);
  return Compile(client, b, fed + x);
}

TEST_CASE("runs take and give in order") {
  ClientCase c;
  Executable twice = CompileTwice(*c.client);
  for (int i = 0; i < 3; ++i) REQUIRE(c.client->TransferToInfeed(Four(10.0f * float(i))).ok());
  for (int i = 0; i < 3; ++i) {
    auto y = twice.Evaluate({Four(0)});
    REQUIRE(y.ok());
    const float f = 10.0f * float(i);
    REQUIRE(*y == Literal::R1<float>({f, f + 2, f + 4, f + 6}));
  }
  for (int i = 0; i < 3; ++i) {
    const float f = 20.0f * float(i);
    REQUIRE(*c.client->TransferFromOutfeed() == Literal::R1<float>({f, f + 2, f + 4, f + 6}));
  }
}

TEST_CASE("a run waits for its data") {
  ClientCase c;
  if (!c.device.asynchronous) return;
  Executable twice = CompileTwice(*c.client);
  Buffer x = *c.client->BufferFromLiteral(Four(1));
  auto first = twice.ExecuteAsync({x});
  REQUIRE(first.ok());
  auto second = twice.ExecuteAsync({(*first)[0]});
  REQUIRE(second.ok());
  REQUIRE(c.client->TransferToInfeed(Four(0)).ok());
  REQUIRE(*c.client->TransferFromOutfeed() == Literal::R1<float>({0, 2, 4, 6}));
  REQUIRE(c.client->TransferToInfeed(Four(0)).ok());
  REQUIRE(*(*second)[0].ToLiteral() == Literal::R1<float>({1, 4, 7, 10}));
  REQUIRE(*c.client->TransferFromOutfeed() == Literal::R1<float>({0, 2, 4, 6}));
}

// A loop over infeeds that ends on a flag, and sends the sum so far.
TEST_CASE("a loop that another thread feeds") {
  ClientCase c;
  Builder b("loop");
  const Shape data = Shape::Tuple({kFour, Shape(ElementType::PRED)});
  Op zeros = Broadcast(ConstantR0<float>(&b, 0), {4});
  Op state = While([](Op, Op more) { return more; },
                   [&](Op sum, Op) {
                     Op fed = Infeed(sum.builder(), data);
                     Op next = sum + GetTupleElement(fed, 0);
                     Outfeed(next, kFour);
                     return Tuple(sum.builder(), {next, GetTupleElement(fed, 1)});
                   },
                   Tuple(&b, {zeros, ConstantR0(&b, true)}));
  Executable loop = Compile(*c.client, b, GetTupleElement(state, 0));
  constexpr int kTurns = 20;
  std::vector<Literal> sums;
  std::thread feeder([&] {
    for (int i = 0; i < kTurns; ++i) {
      Literal turn = Literal::Tuple({Four(float(i)), Literal::R0(i + 1 < kTurns)});
      REQUIRE(c.client->TransferToInfeed(std::move(turn)).ok());
      sums.push_back(*c.client->TransferFromOutfeed());
    }
  });
  auto sum = loop.Evaluate({});
  feeder.join();
  REQUIRE(sum.ok());
  REQUIRE(*sum == sums.back());
  float expected = 0;
  for (int i = 0; i < kTurns; ++i) {
    expected += float(i);
    REQUIRE(sums[static_cast<size_t>(i)].data<float>()[0] == expected);
  }
}

TEST_CASE("data of another shape fail the run that meets them, and no other") {
  ClientCase c;
  Executable twice = CompileTwice(*c.client);
  REQUIRE(c.client->TransferToInfeed(Literal::R0<float>(1)).ok());
  REQUIRE(c.client->TransferToInfeed(Four(0)).ok());
  absl::Status wrong = twice.Evaluate({Four(0)}).status();
  REQUIRE(wrong.code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(wrong.message() == "infeed: expected f32[4], given f32[]");
  REQUIRE(twice.Evaluate({Four(0)}).ok());
}

TEST_CASE("runs that wait end when the client goes") {
  ClientCase c;
  if (!c.device.asynchronous) return;
  Executable twice = CompileTwice(*c.client);
  Buffer x = *c.client->BufferFromLiteral(Four(1));
  auto y = twice.ExecuteAsync({x});
  REQUIRE(y.ok());
  c.client.reset();
  REQUIRE((*y)[0].ToLiteral().status().code() == absl::StatusCode::kCancelled);
}

TEST_CASE("cancelled transfers do not wait, on either side") {
  ClientCase c;
  Executable twice = CompileTwice(*c.client);
  REQUIRE(c.client->TransferToInfeed(Four(0)).ok());
  c.client->CancelTransfers();
  REQUIRE(twice.Evaluate({Four(0)}).ok());
  REQUIRE(twice.Evaluate({Four(0)}).status().code() == absl::StatusCode::kCancelled);
  REQUIRE(c.client->TransferFromOutfeed().ok());
  REQUIRE(c.client->TransferFromOutfeed().status().code() == absl::StatusCode::kCancelled);
}

// --- channels

ChannelHandle ToHost(int64_t number) { return {number, ChannelHandle::DEVICE_TO_HOST}; }
ChannelHandle FromHost(int64_t number) { return {number, ChannelHandle::HOST_TO_DEVICE}; }

// Sends twice its argument through channel 3, receives from channel 5 and returns the sum of that
// and the argument.
Executable CompileExchange(Client& client, const CompileOptions& options = {}) {
  Builder b("exchange");
  Op x = Parameter(&b, 0, kFour, "x");
  Op sent = SendToHost(x + x, CreateToken(&b), kFour, ToHost(3));
  Op received = RecvFromHost(sent, kFour, FromHost(5));
  return Compile(client, b, GetTupleElement(received, 0) + x, options);
}

ExecuteOptions With(HostTransfers host) {
  ExecuteOptions options;
  options.host_transfers = std::make_shared<const HostTransfers>(std::move(host));
  return options;
}

TEST_CASE("a run asks its host through channels, in the order of tokens") {
  ClientCase c;
  Executable exchange = CompileExchange(*c.client);
  std::vector<std::string> asked;
  Literal sent;
  HostTransfers host;
  host.send = [&](const HostTransfer& to, Literal data) {
    asked.push_back("send " + std::to_string(to.channel_id) + " of " +
                    std::to_string(to.participant));
    sent = std::move(data);
    return absl::OkStatus();
  };
  host.receive = [&](const HostTransfer& from, const Shape& shape) -> absl::StatusOr<Literal> {
    asked.push_back("receive " + std::to_string(from.channel_id) + ": " + shape.ToString());
    return Four(100);
  };
  const ExecuteOptions options = With(host);
  for (int i = 0; i < 2; ++i) {
    auto y = exchange.Evaluate({Four(1)}, options);
    CAPTURE(y.status().message());
    REQUIRE(y.ok());
    CHECK(*y == Literal::R1<float>({101, 103, 105, 107}));
    CHECK(sent == Literal::R1<float>({2, 4, 6, 8}));
  }
  REQUIRE(asked.size() == 4);
  CHECK(asked[2] == "send 3 of 0");
  CHECK(asked[3].rfind("receive 5: f32[4]", 0) == 0);
}

TEST_CASE("an asynchronous run waits for its host on another thread") {
  ClientCase c;
  if (!c.device.asynchronous) return;
  Executable exchange = CompileExchange(*c.client);
  std::atomic<bool> answers{false};
  HostTransfers host;
  host.send = [](const HostTransfer&, const Literal&) { return absl::OkStatus(); };
  host.receive = [&](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    while (!answers) std::this_thread::yield();
    return Four(0);
  };
  Buffer x = *c.client->BufferFromLiteral(Four(1));
  auto y = exchange.ExecuteAsync({x}, With(host));
  REQUIRE(y.ok());
  answers = true;
  CHECK(*(*y)[0].ToLiteral() == Literal::R1<float>({1, 3, 5, 7}));
}

TEST_CASE("what the host does not answer, or answers wrongly, is the run's error") {
  ClientCase c;
  Executable exchange = CompileExchange(*c.client);
  auto status = [&](const ExecuteOptions& options) {
    return exchange.Evaluate({Four(1)}, options).status();
  };
  absl::Status s = status({});
  CHECK(s.code() == absl::StatusCode::kFailedPrecondition);
  CHECK(std::string(s.message())
            .find("a send to the host, channel 3, participant 0: the run has "
                  "no ExecuteOptions::host_transfers") != std::string::npos);
  HostTransfers host;
  host.send = [](const HostTransfer&, const Literal&) { return absl::OkStatus(); };
  CHECK(status(With(host)).code() == absl::StatusCode::kFailedPrecondition);
  host.receive = [](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    return Literal::R1<float>({1});
  };
  s = status(With(host));
  CHECK(s.code() == absl::StatusCode::kInvalidArgument);
  CHECK(std::string(s.message()).find("expected f32[4]") != std::string::npos);
  host.receive = [](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    return absl::AbortedError("the host has gone");
  };
  CHECK(status(With(host)).code() == absl::StatusCode::kAborted);
  host.receive = [](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    throw std::runtime_error("surprise");
  };
  s = status(With(host));
  CHECK(s.code() == absl::StatusCode::kInternal);
  CHECK(std::string(s.message()).find("surprise") != std::string::npos);
  // The executable is as good as before.
  host.receive = [](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    return Four(0);
  };
  CHECK(status(With(host)).ok());
}

TEST_CASE("a loop sends in each turn, and receives what the host makes of it") {
  ClientCase c;
  Builder b("loop");
  Op zero = ConstantR0<int32_t>(&b, 0);
  Op state = While(
      [](Op i, Op) { return Lt(i, ConstantR0<int32_t>(i.builder(), 5)); },
      [&](Op i, Op sum) {
        Builder* body = i.builder();
        Op sent = SendToHost(sum, CreateToken(body), kFour, ToHost(1));
        Op back = RecvFromHost(sent, kFour, FromHost(2));
        return Tuple(body, {i + ConstantR0<int32_t>(body, 1), sum + GetTupleElement(back, 0)});
      },
      Tuple(&b, {zero, Parameter(&b, 0, kFour, "x")}));
  Executable loop = Compile(*c.client, b, GetTupleElement(state, 1));
  Literal last;
  HostTransfers host;
  host.send = [&](const HostTransfer&, Literal data) {
    last = std::move(data);
    return absl::OkStatus();
  };
  host.receive = [&](const HostTransfer&, const Shape&) -> absl::StatusOr<Literal> {
    return std::move(last);
  };
  auto y = loop.Evaluate({Four(1)}, With(host));
  CAPTURE(y.status().message());
  REQUIRE(y.ok());
  CHECK(*y == Literal::R1<float>({32, 64, 96, 128}));
}

TEST_CASE("each of several participants has channels of its own") {
  CpuOptions cpu;
  cpu.devices = 3;
  auto client = Client::Cpu(cpu);
  REQUIRE(client.ok());
  CompileOptions several;
  several.replicas = 3;
  Executable exchange = CompileExchange(**client, several);
  HostTransfers host;
  std::mutex mutex;
  std::map<int64_t, Literal> sent;
  host.send = [&](const HostTransfer& to, Literal data) {
    const std::lock_guard<std::mutex> lock(mutex);
    sent[to.participant] = std::move(data);
    return absl::OkStatus();
  };
  host.receive = [&](const HostTransfer& from, const Shape&) -> absl::StatusOr<Literal> {
    return Four(100.0f * float(from.participant));
  };
  std::vector<std::vector<Buffer>> arguments;
  for (int d = 0; d < 3; ++d)
    arguments.push_back({*(*client)->BufferFromLiteral(Four(float(d)), d)});
  auto results = exchange.ExecuteOnDevices(arguments, With(host));
  CAPTURE(results.status().message());
  REQUIRE(results.ok());
  for (int d = 0; d < 3; ++d) {
    const float x = float(d), y = 101.0f * x;
    CHECK(*(*results)[size_t(d)][0].ToLiteral() == Literal::R1<float>({y, y + 2, y + 4, y + 6}));
    CHECK(sent.at(d) == Literal::R1<float>({2 * x, 2 * x + 2, 2 * x + 4, 2 * x + 6}));
  }
}

}  // namespace
}  // namespace sinter::conformance
