// Programs in the style of XLA's on compiled devices, and what a host can get wrong.
#include "unit/builder/xla_programs.h"

#include <catch2/catch.hpp>

#include "sinter/client.h"

namespace sinter {
namespace {

TEST_CASE("compiled programs in the style of XLA's give what they give there") {
  auto client = *Client::Cpu();
  for (const xla_programs::Program& program : xla_programs::Programs()) {
    DYNAMIC_SECTION(program.name) {
      auto c = program.build();
      INFO(c.status().message());
      REQUIRE(c.ok());
      auto executable = client->Compile(*c);
      INFO(executable.status().message());
      REQUIRE(executable.ok());
      auto result = executable->Evaluate(program.arguments);
      INFO(result.status().message());
      REQUIRE(result.ok());
      INFO(result->ToString());
      CHECK(*result == program.expected);
    }
  }
}

TEST_CASE("literals that hold errors are refused where they are given") {
  auto client = *Client::Cpu();
  const Literal ragged = Literal::R2<float>({{1}, {2, 3}});
  CHECK(client->BufferFromLiteral(ragged).status().message() == ragged.status().message());
  CHECK(client->TransferToInfeed(ragged).message() == ragged.status().message());
  Builder b("negate");
  auto c = *b.Build(Neg(Parameter(&b, 0, Shape(ElementType::F32, {2, 2}), "x")));
  CHECK(client->Compile(c)->Evaluate({ragged}).status().message() ==
        "Evaluate: argument 0: " + std::string(ragged.status().message()));
}

TEST_CASE("results in the host's memory") {
  auto client = *Client::Cpu();
  Builder b("negate");
  b.SetUpAlias({}, 0, {});
  auto c = *b.Build(Neg(Parameter(&b, 0, Shape(ElementType::F32, {4}), "x")));
  auto f = *client->Compile(c);
  alignas(kInPlaceAlignment) float memory[32] = {};
  for (int first : {0, 1}) {
    for (int i = 0; i < 4; ++i) memory[first + i] = static_cast<float>(i + 1);
    Buffer x = *client->BufferFromHost(memory + first, Shape(ElementType::F32, {4}),
                                       HostBufferSemantics::kMutableZeroCopy);
    CHECK(x.CanBeTakenOver() == (first == 0));
    auto results = f.Execute({x});
    REQUIRE(results.ok());
    CHECK(*(*results)[0].ToLiteral() == Literal::R1<float>({-1, -2, -3, -4}));
    // In place where the buffer said so, else in memory of its own.
    CHECK((memory[first] == -1) == (first == 0));
    CHECK_FALSE(x.CanBeTakenOver());
  }
  Buffer lent = *client->BufferFromHost(memory, Shape(ElementType::F32, {4}),
                                        HostBufferSemantics::kImmutableZeroCopy);
  CHECK_FALSE(lent.CanBeTakenOver());
  CHECK(client->BufferFromLiteral(Literal::R1<float>({1}))->CanBeTakenOver());
  CHECK_FALSE(Buffer().CanBeTakenOver());
}

}  // namespace
}  // namespace sinter
