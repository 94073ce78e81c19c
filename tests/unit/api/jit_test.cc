#include "sinter/jit.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "base/status.h"
#include "unit/api/clients.h"

namespace sinter {
namespace {

Buffer Vector(Client& client, std::initializer_list<float> values) {
  return *client.BufferFromLiteral(Literal::R1<float>(values));
}

TEST_CASE("a function compiles once for each tuple of shapes") {
  auto client = MakeClient(2);
  Jit axpy([](Builder&, absl::Span<const Op> in) { return in[0] * in[1] + in[2]; });
  Buffer a = *client->BufferFromLiteral(Literal::R0<float>(2));
  Buffer x = Vector(*client, {1, 2, 3}), y = Vector(*client, {10, 20, 30}),
         one = Vector(*client, {1});
  for (int i = 0; i < 3; ++i) {
    auto r = axpy(client, {a, x, y});
    REQUIRE(r.ok());
    REQUIRE(*(*r)[0].ToLiteral() == Literal::R1<float>({12, 24, 36}));
  }
  REQUIRE(axpy.traces() == 1);
  REQUIRE(*(*axpy(client, {a, one, one}))[0].ToLiteral() == Literal::R1<float>({3}));
  REQUIRE(axpy.traces() == 2);
  REQUIRE(client->cache_stats().misses == 2);
  REQUIRE(client->cache_stats().hits == 2);
  REQUIRE((*axpy.Async(client, {a, x, y}))[0].Await().ok());
  auto other = MakeClient(2);
  REQUIRE(axpy.Get(other, {Shape(ElementType::F32), one.shape(), one.shape()}).ok());
  REQUIRE(axpy.traces() == 3);
  Jit same([](Builder&, absl::Span<const Op> in) { return in[0] * in[1] - in[2]; });
  REQUIRE(*(*same(client, {a, x, y}))[0].ToLiteral() == Literal::R1<float>({-8, -16, -24}));
}

TEST_CASE("several results, and donation") {
  auto client = MakeClient(2);
  JitOptions options;
  options.name = "step";
  options.compile.donated_parameters = {0};
  Jit step(
      [](Builder&, absl::Span<const Op> in) {
        return std::vector<Op>{in[0] + 1, in[0] * 2};
      },
      options);
  Buffer x = Vector(*client, {1, 2});
  auto r = step(client, {x});
  REQUIRE(r.ok());
  REQUIRE(r->size() == 2);
  REQUIRE(*(*r)[0].ToLiteral() == Literal::R1<float>({2, 3}));
  REQUIRE(*(*r)[1].ToLiteral() == Literal::R1<float>({2, 4}));
  REQUIRE(x.IsDeleted());
}

TEST_CASE("errors are returned and not cached") {
  auto client = MakeClient(2);
  JitOptions options;
  options.name = "sum";
  Jit sum([](Builder&, absl::Span<const Op> in) { return in[0] + in[1]; }, options);
  Buffer x = Vector(*client, {1, 2}), y = Vector(*client, {1, 2, 3});
  for (int i = 1; i <= 2; ++i) {
    REQUIRE(sum(client, {x, y}).status().code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(sum.traces() == i);
  }
  REQUIRE(client->cache_stats().failures == 2);
  REQUIRE(MessageOf(sum(client, {x, Buffer()}).status()) == "sum: argument 1 is an empty buffer");
  REQUIRE(MessageOf(sum(nullptr, {x, x}).status()) == "sum: there is no client");
}

TEST_CASE("the cache is bounded") {
  CpuOptions client_options;
  client_options.threads = 2;
  client_options.cache_entries = 2;
  auto client = MakeClient(client_options);
  Jit twice([](Builder&, absl::Span<const Op> in) { return in[0] + in[0]; });
  for (int64_t n : {1, 2, 3, 1}) {
    Shape shape(ElementType::F32, {n});
    REQUIRE(twice.Get(client, {shape}).ok());
  }
  REQUIRE(twice.traces() == 4);
  REQUIRE(client->cache_stats().evictions == 2);
}

TEST_CASE("concurrent calls of one shape compile once") {
  auto client = MakeClient(2);
  Jit twice([](Builder&, absl::Span<const Op> in) { return in[0] + in[0]; });
  Buffer x = Vector(*client, {1, 2});
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      auto r = twice(client, {x});
      if (!r.ok() || !(*(*r)[0].ToLiteral() == Literal::R1<float>({2, 4}))) ++wrong;
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(wrong == 0);
  REQUIRE(twice.traces() == 1);
}

}  // namespace
}  // namespace sinter
