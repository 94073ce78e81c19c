// Infeeds and outfeeds: the two queues of a client.
#include <catch2/catch.hpp>
#include <thread>

#include "case.h"
#include "sinter/builder.h"
#include "sinter/collective_ops.h"

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

}  // namespace
}  // namespace sinter::conformance
