#include "sinter/explain.h"

#include <catch2/catch.hpp>

#include "base/status.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/profile.h"
#include "sinter/testing.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

Explanation ExplanationOf(const absl::StatusOr<Computation>& computation, int threads = 2) {
  REQUIRE(computation.ok());
  CpuOptions options;
  options.threads = threads;
  auto client = *Client::Cpu(options);
  auto executable = client->Compile(*computation);
  INFO(MessageOf(executable.status()));
  REQUIRE(executable.ok());
  auto explanation = executable->Explain();
  REQUIRE(explanation.ok());
  return *explanation;
}

Op SumOver(const Op& x, std::vector<int64_t> dims) {
  return Reduce(
      x, 0, [](Op a, Op b) { return a + b; }, dims);
}

TEST_CASE("an elementwise chain is one kernel") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1000}), "x");
  Explanation e = ExplanationOf(b.Build(Tanh(x * 2 + 1)));
  REQUIRE(e.kernels.size() == 1);
  CHECK(e.kernels[0].nest.rfind("loop", 0) == 0);
  CHECK(e.edges.empty());
  const std::string text = e.ToString();
  CHECK(text.find("tanh f32[1000]") != std::string::npos);
  CHECK(text.find("1 kernel;") != std::string::npos);
}

// The code is that of all three: what differs is passed by the launch.
TEST_CASE("kernels that differ in constants, or in where they read, share code") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({8, 6, 40}), "x"), w = Parameter(&b, 1, F32Shape({40, 40}), "w");
  Op h = Reshape(Slice(x, {0, 0, 0}, {8, 1, 40}, {1, 1, 1}), {8, 40});
  for (int64_t k = 1; k < 6; ++k) {
    const Op part = Reshape(Slice(x, {0, k, 0}, {8, 1 + k, 40}, {1, 1, 1}), {8, 40});
    h = Tanh(Dot(h, w) + part) * (0.5F + static_cast<float>(k));
  }
  Computation computation = *b.Build(h);
  Explanation e = ExplanationOf(computation);
  REQUIRE(e.kernels.size() == 5);
  // The first reads two rows of x.
  for (size_t k = 1; k < 5; ++k) CHECK(e.kernels[k].shared);
  Literal input(F32Shape({8, 6, 40})), weights(F32Shape({40, 40}));
  for (int64_t n = 0; n < 1600; ++n) {
    input.data<float>()[n] = 0.01F * static_cast<float>(n % 101);
    weights.data<float>()[n] = 0.01F * static_cast<float>(n % 17 - 8);
  }
  std::vector<Literal> results;
  for (const auto& client : {*Client::Cpu(), *Client::Interpreter()})
    results.push_back(*client->Compile(computation)->Evaluate({input, weights}));
  CHECK(ExpectClose(results[0], results[1], {.relative_to_largest = 1e-5}).ToString() == "OK");
}

TEST_CASE("it is of the client's own options") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({512, 512}), "x");
  Computation product = *b.Build(Dot(x, x));
  CHECK(ExplanationOf(product, 1).kernels.at(0).tasks !=
        ExplanationOf(product, 8).kernels[0].tasks);
}

TEST_CASE("its kernels are those of the profile") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({64, 64}), "x");
  Computation computation = *b.Build(Exp(Dot(Exp(x), x)));
  auto client = *Client::Cpu();
  Executable executable = *client->Compile(computation);
  Explanation e = *executable.Explain();
  ProfileOptions options;
  options.bytes_per_second = options.operations_per_second = 1e9;
  auto profile =
      executable.Profile({*client->BufferFromLiteral(Literal(F32Shape({64, 64})))}, options);
  REQUIRE(profile.ok());
  size_t kernels = 0;
  for (const Profile::Step& s : profile->steps) {
    if (s.kind != Profile::Kind::kKernel) continue;
    ++kernels;
    CHECK(std::any_of(e.kernels.begin(), e.kernels.end(),
                      [&](const Explanation::Kernel& k) { return k.name == s.name; }));
  }
  CHECK(kernels == e.kernels.size());
}

// The only edge of a computation of two kernels.
Explanation::Edge OnlyEdge(const absl::StatusOr<Computation>& computation) {
  Explanation e = ExplanationOf(computation);
  INFO(e.ToString());
  REQUIRE(e.kernels.size() == 2);
  REQUIRE(e.edges.size() == 1);
  CHECK(e.edges[0].producer != e.edges[0].consumer);
  CHECK(e.ToString().find("not fused: " + e.edges[0].value + " of " + e.edges[0].producer) !=
        std::string::npos);
  return e.edges[0];
}

TEST_CASE("a function that a product would compute again and again, with both prices") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({8, 16}), "x"), y = Parameter(&b, 1, F32Shape({16, 32}), "y");
  Explanation::Edge edge = OnlyEdge(b.Build(Dot(Exp(x), y)));
  CHECK(edge.value == "f32[8,16]");
  CHECK(edge.reason.find("each row or column") != std::string::npos);
  // Each of the 8 x 16 elements is read for each of 32 columns.
  CHECK(edge.apart_nanoseconds > 0);
  CHECK(edge.fused_nanoseconds > 2 * edge.apart_nanoseconds);
}

TEST_CASE("a function of few elements that many read") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({64}), "x"), y = Parameter(&b, 1, F32Shape({1000, 64}), "y");
  Explanation::Edge edge = OnlyEdge(b.Build(Add(y, Exp(x), {1})));
  CHECK(edge.reason.find("more often than it has elements") != std::string::npos);
  CHECK(edge.apart_nanoseconds > 0);
  CHECK(edge.fused_nanoseconds > 2 * edge.apart_nanoseconds);
}

TEST_CASE("a reduction that leaves no tasks") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({1 << 16}), "x");
  Explanation::Edge edge = OnlyEdge(b.Build(x - SumOver(x, {0})));
  CHECK(edge.value == "f32[]");
  CHECK(edge.reason.find("too few tasks") != std::string::npos);
  CHECK(edge.fused_nanoseconds == 0);
}

TEST_CASE("a value that is needed elsewhere too") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({100, 50}), "x");
  Op y = Tanh(x);
  Explanation::Edge edge = OnlyEdge(b.Build(Tuple(&b, {y, SumOver(y, {0})})));
  CHECK(edge.reason == "it is needed elsewhere too, and the reader has other dimensions");
}

TEST_CASE("a reshape that no indices express") {
  Builder b("t");
  Op x = Parameter(&b, 0, F32Shape({6, 35}), "x");
  Explanation::Edge edge = OnlyEdge(b.Build(SumOver(Reshape(Tanh(x), {10, 21}), {0})));
  CHECK(edge.value == "f32[10,21]");
  CHECK(edge.reason.find("reshape") != std::string::npos);
}

TEST_CASE("what the library computes is no view and no code of the host's") {
  Builder b("t");
  const Shape shape = F32Shape({40, 40});
  Op a = Parameter(&b, 0, shape, "a");
  Op solved = TriangularSolve(a, a, true, true, false, MatrixTranspose::kNoTranspose);
  Op lu = CustomCall(
      &b, "LuDecomposition", {solved},
      Shape::Tuple({shape, Shape(ElementType::S32, {40}), Shape(ElementType::S32, {40})}));
  const Explanation e = ExplanationOf(b.Build(GetTupleElement(lu, 0)));
  const std::string text = e.ToString();
  INFO(text);
  size_t count = 0;
  for (size_t at = text.find("a kernel of the library"); at != std::string::npos;
       at = text.find("a kernel of the library", at + 1))
    ++count;
  CHECK(count == 2);
  CHECK(text.find("code of the host") == std::string::npos);
}

TEST_CASE("nothing to explain") {
  CHECK(absl::IsInvalidArgument(Executable().Explain().status()));
  Builder b("t");
  auto interpreted =
      (*Client::Interpreter())->Compile(*b.Build(Parameter(&b, 0, F32Shape({2}), "x") + 1));
  REQUIRE(interpreted.ok());
  CHECK(absl::IsUnimplemented(interpreted->Explain().status()));
}

}  // namespace
}  // namespace sinter
