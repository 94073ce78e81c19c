#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "case.h"
#include "sinter/builder.h"
#include "sinter/client.h"
#include "sinter/jit.h"

namespace sinter::conformance {
namespace {

Shape Vector(int64_t n) { return Shape(ElementType::F32, {n}); }

struct Case : ClientCase {
  // n elements first, first + 1, ...
  Buffer Iota(int64_t n, float first = 0) {
    Literal literal(Vector(n));
    for (int64_t i = 0; i < n; ++i)
      literal.data<float>()[static_cast<size_t>(i)] = first + static_cast<float>(i);
    auto buffer = client->BufferFromLiteral(literal);
    REQUIRE(buffer.ok());
    return *buffer;
  }
  Executable Compile(int64_t n, bool donate = false) {
    Builder b("increment");
    Op x = Parameter(&b, 0, Vector(n), "x");
    auto computation = b.Build(x + 1);
    REQUIRE(computation.ok());
    CompileOptions options;
    if (donate) options.donated_parameters = {0};
    auto e = client->Compile(*computation, options);
    REQUIRE(e.ok());
    return *e;
  }
};

void RequireIota(const Buffer& b, float first) {
  auto literal = b.ToLiteral();
  REQUIRE(literal.ok());
  auto data = literal->data<float>();
  for (size_t i = 0; i < data.size(); ++i) {
    if (data[i] != first + static_cast<float>(i)) REQUIRE(data[i] == first + static_cast<float>(i));
  }
}

TEST_CASE("sizes from none to many") {
  Case c;
  for (int64_t n : {int64_t{0}, int64_t{1}, int64_t{17}, c.device.elements}) {
    CAPTURE(n);
    auto r = c.Compile(n).Execute({c.Iota(n)});
    REQUIRE(r.ok());
    RequireIota((*r)[0], 1);
  }
}

TEST_CASE("asynchronous chains keep their order") {
  Case c;
  Executable e = c.Compile(c.device.elements), in_place = c.Compile(c.device.elements, true);
  Buffer x = c.Iota(c.device.elements), at = x;
  for (int i = 0; i < 10; ++i) {
    auto r = (i % 3 ? in_place : e).ExecuteAsync({at});
    REQUIRE(r.ok());
    if (!c.device.asynchronous) REQUIRE((*r)[0].IsReady());
    at = (*r)[0];
  }
  RequireIota(at, 10);
  RequireIota(x, 0);
}

TEST_CASE("donated arguments are gone, others are not") {
  Case c;
  Executable e = c.Compile(100, true);
  Buffer x = c.Iota(100);
  ExecuteOptions keep;
  keep.keep = {0};
  REQUIRE(e.Execute({x}, keep).ok());
  RequireIota(x, 0);
  REQUIRE(e.Execute({x}).ok());
  REQUIRE(x.IsDeleted());
  REQUIRE(e.Execute({x}).status().code() == absl::StatusCode::kInvalidArgument);
  REQUIRE(x.ToLiteral().status().code() == absl::StatusCode::kInvalidArgument);
}

TEST_CASE("deleting a buffer does not disturb what reads it") {
  Case c;
  Executable e = c.Compile(c.device.elements);
  Buffer x = c.Iota(c.device.elements);
  auto r = e.ExecuteAsync({x});
  x.Delete();
  REQUIRE(r.ok());
  RequireIota((*r)[0], 1);
}

TEST_CASE("a host's memory comes back exactly once") {
  Case c;
  Executable e = c.Compile(c.device.elements, true);
  std::vector<float> data(static_cast<size_t>(c.device.elements));
  for (auto rule :
       {HostBufferSemantics::kImmutableOnlyDuringCall,
        HostBufferSemantics::kImmutableUntilTransferCompletes,
        HostBufferSemantics::kImmutableZeroCopy, HostBufferSemantics::kMutableZeroCopy}) {
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
    std::atomic<int> done{0};
    {
      auto x =
          c.client->BufferFromHost(data.data(), Vector(c.device.elements), rule, [&] { ++done; });
      REQUIRE(x.ok());
      auto r = e.Execute({*x});
      REQUIRE(r.ok());
      RequireIota((*r)[0], 1);
      if (rule != HostBufferSemantics::kMutableZeroCopy) REQUIRE(data[5] == 5);
    }
    while (done == 0) std::this_thread::yield();
    REQUIRE(done == 1);
  }
}

TEST_CASE("several threads share a client") {
  Case c;
  Executable e = c.Compile(c.device.elements);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    Buffer x = c.Iota(c.device.elements, static_cast<float>(t));
    threads.emplace_back([&, t, x] {
      for (int i = 0; i < 10; ++i) {
        auto r = i % 2 ? e.Execute({x}) : e.ExecuteAsync({x});
        auto l = r.ok() ? (*r)[0].ToLiteral() : r.status();
        if (!l.ok() || l->data<float>()[7] != static_cast<float>(8 + t)) ++wrong;
      }
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(wrong == 0);
}

TEST_CASE("results do not depend on the client's threads") {
  Jit wave([](Builder&, absl::Span<const Op> in) {
    return Sin(in[0] * 0.37f) * Exp(in[0] * -0.00001f);
  });
  Case c;
  CpuOptions one;
  one.inline_execution = true;
  auto reference = *Client::Cpu(one);
  if (!c.device.exact) return;
  Literal x(Vector(c.device.elements));
  for (size_t i = 0; i < static_cast<size_t>(c.device.elements); ++i)
    x.data<float>()[i] = static_cast<float>(i % 1000);
  auto r = wave(c.client, {*c.client->BufferFromLiteral(x)});
  auto s = wave(reference, {*reference->BufferFromLiteral(x)});
  REQUIRE(r.ok());
  REQUIRE(s.ok());
  REQUIRE(*(*r)[0].ToLiteral() == *(*s)[0].ToLiteral());
}

TEST_CASE("work entered from the host's own tasks finishes") {
  Case c;
  if (c.device.executor == nullptr) return;
  Executable e = c.Compile(c.device.elements);
  Buffer x = c.Iota(c.device.elements);
  auto run = [&] {
    Buffer at = x;
    for (int i = 0; i < 5; ++i) {
      auto r = i % 2 ? e.Execute({at}) : e.ExecuteAsync({at});
      if (r.ok()) at = (*r)[0];
    }
    auto l = at.ToLiteral();
    return l.ok() && l->data<float>()[1] == 6;
  };
  std::atomic<int> state{0};
  // The task holds nothing of the client once it is reported as done: releasing the last reference
  // there would end the executor on the executor's own thread.
  c.device.executor->Schedule([&] {
    const bool right = run();
    state = right ? 1 : 2;
  });
  while (state == 0) std::this_thread::yield();
  REQUIRE(state == 1);
}

}  // namespace
}  // namespace sinter::conformance
