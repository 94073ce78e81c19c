// Executables as bytes.
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "program/serialize.h"
#include "sinter/client.h"
#include "sinter/import.h"

namespace sinter {
namespace {

// Kernels, constants with elements that share bytes, a loop, branches, a sort.
constexpr char kProgram[] = R"(
func.func @main(%x: tensor<6xf32>, %n: tensor<i32>) -> (tensor<6xf32>, tensor<6xi4>, tensor<6xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %narrow = stablehlo.constant dense<[1, -2, 3, -4, 5, -6]> : tensor<6xi4>
  %sorted = "stablehlo.sort"(%x) ({
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
  }) {dimension = 0 : i64} : (tensor<6xf32>) -> tensor<6xf32>
  %r:2 = stablehlo.while(%i = %zero, %v = %sorted) : tensor<i32>, tensor<6xf32>
   cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %one = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.add %i, %one : tensor<i32>
    %s = stablehlo.sine %v : tensor<6xf32>
    %w = stablehlo.reverse %s, dims = [0] : tensor<6xf32>
    stablehlo.return %next, %w : tensor<i32>, tensor<6xf32>
  }
  %b = "stablehlo.case"(%n) ({
      %k = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.5]> : tensor<6xf32>
      stablehlo.return %k : tensor<6xf32>
    }, {
      %e = stablehlo.exponential %x : tensor<6xf32>
      stablehlo.return %e : tensor<6xf32>
    }) : (tensor<i32>) -> tensor<6xf32>
  return %r#1, %narrow, %b : tensor<6xf32>, tensor<6xi4>, tensor<6xf32>
})";

Executable Compiled(Client& client, const CompileOptions& options = {}) {
  auto c = Load(kProgram, "program");
  CAPTURE(MessageOf(c.status()));
  REQUIRE(c.ok());
  auto compiled = client.Compile(*c, options);
  CAPTURE(MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  return *compiled;
}

Literal Six() { return Literal::R1<float>({0.5f, -1, 3, 2, 7, -0.25f}); }

TEST_CASE("an executable that was serialized computes what it did") {
  auto client = *Client::Cpu(), other = *Client::Cpu();
  CompileOptions options;
  options.donated_parameters = {0};
  const Executable made = Compiled(*client, options);
  const auto bytes = made.Serialize();
  CAPTURE(MessageOf(bytes.status()));
  REQUIRE(bytes.ok());
  for (Client* c : {client.get(), other.get()}) {
    const auto loaded = c->LoadSerialized(*bytes);
    CAPTURE(MessageOf(loaded.status()));
    REQUIRE(loaded.ok());
    REQUIRE(loaded->name() == made.name());
    REQUIRE(loaded->flat_parameter_shapes() == made.flat_parameter_shapes());
    REQUIRE(loaded->flat_result_shapes() == made.flat_result_shapes());
    REQUIRE(loaded->temp_bytes() == made.temp_bytes());
    REQUIRE(loaded->cost().nanoseconds == made.cost().nanoseconds);
    for (int n = 0; n < 3; ++n) {
      const std::vector<Literal> arguments{Six(), Literal::R0<int32_t>(n)};
      REQUIRE(*loaded->Evaluate(arguments) == *made.Evaluate(arguments));
    }
    // What it was compiled with it still has.
    auto x = *c->BufferFromLiteral(Six()), n = *c->BufferFromLiteral(Literal::R0<int32_t>(1));
    REQUIRE(loaded->Execute({x, n}).ok());
    REQUIRE(x.IsDeleted());
    // Once more, the bytes are the same.
    REQUIRE(*loaded->Serialize() == *bytes);
    REQUIRE(absl::IsUnimplemented(loaded->Explain().status()));
  }
}

TEST_CASE("bytes that are no executable of this build") {
  auto client = *Client::Cpu();
  const std::string bytes = *Compiled(*client).Serialize();
  for (size_t size = 0; size < bytes.size(); size += 1 + size / 16) {
    CAPTURE(size);
    REQUIRE(absl::IsInvalidArgument(client->LoadSerialized(bytes.substr(0, size)).status()));
  }
  REQUIRE(absl::IsInvalidArgument(client->LoadSerialized(bytes + "x").status()));
  // Behind the name of the build every byte counts.
  for (size_t step = 1; step < bytes.size() - 100; step += 1 + step / 8) {
    std::string changed = bytes;
    const size_t at = bytes.size() - step;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    CAPTURE(at);
    REQUIRE(absl::IsInvalidArgument(client->LoadSerialized(changed).status()));
  }
  // The first bytes of the build's name stand behind the magic and a length.
  std::string changed = bytes;
  changed[bytes.find('\n') + 9] ^= 1;
  REQUIRE(absl::IsUnavailable(client->LoadSerialized(changed).status()));
}

TEST_CASE("the stages of one kernel may be code of several threads") {
  constexpr char kDepthwise[] = R"(
func.func @main(%x: tensor<1x40x40x32xf32>, %k: tensor<3x3x1x32xf32>) -> tensor<1x40x40x32xf32> {
  %y = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f],
    window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 32 : i64}
    : (tensor<1x40x40x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x40x40x32xf32>
  return %y : tensor<1x40x40x32xf32>
})";
  auto computation = Load(kDepthwise, "depthwise");
  CAPTURE(MessageOf(computation.status()));
  REQUIRE(computation.ok());
  Literal x(Shape(ElementType::F32, {1, 40, 40, 32})), k(Shape(ElementType::F32, {3, 3, 1, 32}));
  for (size_t i = 0; i < x.data<float>().size(); ++i)
    x.data<float>()[i] = static_cast<float>(i % 31) * 0.37f;
  for (size_t i = 0; i < k.data<float>().size(); ++i)
    k.data<float>()[i] = static_cast<float>(i % 7) * 0.61f - 1;
  std::vector<Literal> results;
  for (int threads : {1, 2}) {
    CpuOptions options;
    options.threads = threads;
    auto client = *Client::Cpu(options);
    auto compiled = client->Compile(*computation);
    REQUIRE(compiled.ok());
    const std::string bytes = *compiled->Serialize();
    auto image = program::Deserialize(bytes, bytes.substr(bytes.find('\n') + 9, 40));
    REQUIRE(image.ok());
    CHECK(image->program.codes.size() == static_cast<size_t>(threads));
    CHECK(compiled->kernel_count() == 1);
    auto loaded = client->LoadSerialized(bytes);
    REQUIRE(loaded.ok());
    const std::vector<Literal> arguments{x, k};
    results.push_back(*loaded->Evaluate(arguments));
  }
  CHECK(results[0] == results[1]);
}

TEST_CASE("code for another processor or another platform is not taken") {
  auto client = *Client::Cpu();
  CompileOptions options;
  options.isa = "sse4.2";
  const std::string bytes = *Compiled(*client, options).Serialize();
  REQUIRE(client->LoadSerialized(bytes).ok());
  // The build's name is in the bytes, so that images can be made here.
  const std::string build = bytes.substr(bytes.find('\n') + 9, 40);
  auto image = program::Deserialize(bytes, build);
  REQUIRE(image.ok());
  image->program.codes[0].target = "x86_64-unknown-linux-gnu/another/";
  const absl::Status processor = client->LoadSerialized(program::Serialize(*image, build)).status();
  REQUIRE(absl::IsUnavailable(processor));
  REQUIRE(MessageOf(processor).find("another") != std::string::npos);
  image->platform = "cuda";
  const absl::Status platform = client->LoadSerialized(program::Serialize(*image, build)).status();
  REQUIRE(absl::IsUnavailable(platform));
  REQUIRE(MessageOf(platform).find("cuda") != std::string::npos);

  auto interpreter = *Client::Interpreter();
  REQUIRE(absl::IsUnimplemented(Compiled(*interpreter).Serialize().status()));
  REQUIRE(absl::IsUnimplemented(interpreter->LoadSerialized(bytes).status()));
  REQUIRE(absl::IsInvalidArgument(Executable().Serialize().status()));
}

}  // namespace
}  // namespace sinter
