#include "ir/module.h"  // before what names ops shortly

#include "sinter/client.h"

#include <catch2/catch.hpp>

#include <atomic>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "fake_program.h"

namespace sinter {
namespace {

using fake::ProgramBuilder;
using Rule = HostBufferSemantics;

const Shape kVector(ElementType::F32, {16});
const Shape kBig(ElementType::F32, {1 << 16});

// Programs by the name of the module: "add_one", "in_place" (argument 0 taken over), "big", "pair"
// of two results.
absl::StatusOr<api::Compiled> CompileFake(const HloModule& module, const CompileOptions&) {
  const std::string& name = module.name();
  if (name == "bad") return Unimplemented("bad: not supported");
  Shape shape = name == "big" ? kBig : kVector;
  ProgramBuilder b(name);
  program::Slice x = b.Argument(shape), y = b.Result(shape, name == "in_place" ? 0 : -1);
  b.Add(
      ProgramBuilder::Launch(fake::kAddOne, {x, y}, shape.element_count(), shape.element_count()));
  if (name == "pair") {
    program::Slice z = b.Result(shape);
    b.Add(ProgramBuilder::Launch(fake::kAddOne, {y, z}, shape.element_count()));
  }
  return api::Compiled{b.Build(4), {}};
}

struct Fixture {
  explicit Fixture(CpuOptions options = {}) {
    api::Compiler compiler;
    compiler.compile = [this](const HloModule& m, const CompileOptions& o, Workers&) {
      ++compilations;
      return CompileFake(m, o);
    };
    compiler.key = [](const HloModule& m, Hasher& h) { h.Add(m.name()); };
    compiler.loader = std::make_shared<fake::FakeLoader>(
        std::vector<std::vector<program::StageFunction>>{fake::Functions()});
    auto core = api::ClientCore::Cpu(options, compiler, {});
    REQUIRE(core.ok());
    client = std::make_shared<Client>(*core);
  }
  absl::StatusOr<Executable> Compile(const std::string& name, const CompileOptions& options = {}) {
    HloModule module(name);
    return client->core()->CompileModule(module, options);
  }
  std::atomic<int> compilations{0};
  std::shared_ptr<Client> client;
};

std::vector<float> IotaVector(int64_t n, float first) {
  std::vector<float> v(static_cast<size_t>(n));
  for (size_t i = 0; i < v.size(); ++i) v[i] = first + static_cast<float>(i);
  return v;
}
Literal IotaLiteral(const Shape& shape, float first) {
  auto v = IotaVector(shape.element_count(), first);
  return *Literal::FromSpan<float>(shape.dimensions(), v);
}
std::vector<float> Read(const Buffer& b) {
  std::vector<float> v(static_cast<size_t>(b.shape().element_count()));
  REQUIRE(b.CopyToHost(absl::MakeSpan(v)).ok());
  return v;
}
template <class T>
std::string InvalidMessage(const T& result) {
  absl::Status status;
  if constexpr (std::is_same_v<T, absl::Status>) {
    status = result;
  } else {
    status = result.status();
  }
  REQUIRE(status.code() == absl::StatusCode::kInvalidArgument);
  return MessageOf(status);
}

CpuOptions Inline() {
  CpuOptions o;
  o.inline_execution = true;
  return o;
}
CpuOptions Threads(int n) {
  CpuOptions o;
  o.threads = n;
  return o;
}

TEST_CASE("execute, evaluate, asynchronously and in chains") {
  Fixture f(GENERATE(0, 1, 2) == 0 ? Inline() : Threads(2));
  Executable e = *f.Compile("add_one");
  REQUIRE(e.name() == "add_one");
  REQUIRE(e.kernel_count() == 1);
  REQUIRE(e.flat_parameter_shapes() == std::vector<Shape>{kVector});
  Buffer x = *f.client->BufferFromLiteral(IotaLiteral(kVector, 0));
  auto r = e.Execute({x});
  REQUIRE(r.ok());
  REQUIRE(Read((*r)[0]) == IotaVector(16, 1));
  REQUIRE(*(*r)[0].ToLiteral() == IotaLiteral(kVector, 1));
  REQUIRE(*e.Evaluate({IotaLiteral(kVector, 5)}) == IotaLiteral(kVector, 6));
  Buffer at = x;
  for (int i = 0; i < 20; ++i) at = (*e.ExecuteAsync({at}))[0];
  std::vector<float> v(16);
  REQUIRE(at.CopyToHostAsync(v.data(), 64).Wait().ok());
  REQUIRE(v == IotaVector(16, 20));
  REQUIRE(*f.Compile("pair")->Evaluate({IotaLiteral(kVector, 0)}) ==
          Literal::Tuple({IotaLiteral(kVector, 1), IotaLiteral(kVector, 2)}));
}

TEST_CASE("handles outlive their client") {
  Buffer y;
  Executable e;
  {
    Fixture f(Threads(2));
    e = *f.Compile("big");
    Buffer x = *f.client->BufferFromLiteral(IotaLiteral(kBig, 0));
    y = (*e.ExecuteAsync({x}))[0];
  }
  REQUIRE(Read(y) == IotaVector(1 << 16, 1));
  REQUIRE(Read((*e.Execute({y}))[0]) == IotaVector(1 << 16, 2));
}

TEST_CASE("a host's memory enters by four rules") {
  Fixture f(Threads(2));
  Executable e = *f.Compile("add_one"), in_place = *f.Compile("in_place");
  alignas(64) float data[16];
  auto fill = [&] {
    for (int i = 0; i < 16; ++i) data[i] = static_cast<float>(i);
  };
  fill();
  std::atomic<int> done{0};
  auto on_done = [&] { ++done; };
  SECTION("immutable only during the call") {
    Buffer x = *f.client->BufferFromHost(data, kVector, Rule::kImmutableOnlyDuringCall, on_done);
    REQUIRE(done == 1);
    data[0] = 100;
    REQUIRE(Read(x) == IotaVector(16, 0));
  }
  SECTION("immutable until the transfer completes") {
    auto big = IotaVector(1 << 16, 0);
    Buffer x = *f.client->BufferFromHost(big.data(), kBig, Rule::kImmutableUntilTransferCompletes,
                                         on_done);
    REQUIRE(x.Await().ok());
    while (done == 0) std::this_thread::yield();
    big[0] = 100;
    REQUIRE(Read(x) == IotaVector(1 << 16, 0));
  }
  SECTION("immutable without a copy") {
    Buffer x = *f.client->BufferFromHost(data, kVector, Rule::kImmutableZeroCopy, on_done);
    REQUIRE(x.View()->get() == data);
    REQUIRE(Read((*e.Execute({x}))[0]) == IotaVector(16, 1));
    auto r = *in_place.Execute({x});  // donated, but not ours to write to
    REQUIRE(Read(r[0]) == IotaVector(16, 1));
    REQUIRE(data[3] == 3);
    REQUIRE(x.IsDeleted());
    REQUIRE(done == 1);
  }
  SECTION("mutable without a copy") {
    Buffer x = *f.client->BufferFromHost(data, kVector, Rule::kMutableZeroCopy, on_done);
    auto r = *in_place.Execute({x});
    REQUIRE(data[3] == 4);
    REQUIRE(r[0].View()->get() == data);
    REQUIRE(done == 0);
    r[0].Delete();
    REQUIRE(done == 1);
  }
  SECTION("a view keeps memory after the buffer's end") {
    Buffer x = *f.client->BufferFromHost(data, kVector, Rule::kImmutableZeroCopy, on_done);
    auto view = *x.View();
    x.Delete();
    REQUIRE(done == 0);
    view.reset();
    REQUIRE(done == 1);
  }
  SECTION("errors never call back") {
    REQUIRE(InvalidMessage(f.client->BufferFromHost(data, Shape::Tuple({kVector}),
                                                    Rule::kImmutableZeroCopy, on_done)) ==
            "BufferFromHost: expected the shape of an array, given (f32[16])");
    REQUIRE(InvalidMessage(f.client->BufferFromHost(nullptr, kVector)) ==
            "BufferFromHost: no data for f32[16]");
    REQUIRE(InvalidMessage(f.client->BufferFromHost(reinterpret_cast<char*>(data) + 1,
                                                    Shape(ElementType::F32, {2}))) ==
            "BufferFromHost: the data of f32[2] is not aligned to 4 bytes");
    REQUIRE(done == 0);
  }
}

TEST_CASE("donation") {
  Fixture f(Threads(2));
  Executable e = *f.Compile("in_place"), add = *f.Compile("add_one");
  Buffer x = *f.client->BufferFromLiteral(IotaLiteral(kVector, 0));
  SECTION("consumes, and use afterwards is an error") {
    const void* data = x.View()->get();
    auto r = *e.Execute({x});
    REQUIRE(r[0].View()->get() == data);
    std::string donated = "the buffer f32[16] has been donated to an execution";
    REQUIRE(InvalidMessage(add.Execute({x})) == "add_one: argument 0: " + donated);
    REQUIRE(InvalidMessage(x.ToLiteral()) == donated);
    REQUIRE(InvalidMessage(x.View()) == donated);
    REQUIRE(x.CopyToHostAsync(nullptr, 64).Wait().code() == absl::StatusCode::kInvalidArgument);
  }
  SECTION("kept") {
    ExecuteOptions keep;
    keep.keep = {0};
    REQUIRE(Read((*e.Execute({x}, keep))[0]) == IotaVector(16, 1));
    REQUIRE(Read(x) == IotaVector(16, 0));
  }
  SECTION("a reader in flight is not disturbed") {
    std::vector<Buffer> reads;
    for (int i = 0; i < 10; ++i) reads.push_back((*add.ExecuteAsync({x}))[0]);
    Buffer y = (*e.ExecuteAsync({x}))[0];
    for (auto& r : reads) REQUIRE(Read(r) == IotaVector(16, 1));
    REQUIRE(Read(y) == IotaVector(16, 1));
  }
}

TEST_CASE("misuse is InvalidArgument") {
  Fixture f(Inline()), other(Inline());
  Executable e = *f.Compile("add_one");
  Buffer x = *f.client->BufferFromLiteral(Literal::R1<float>({1}));
  REQUIRE(InvalidMessage(e.Execute({})) == "add_one: expected 1 arguments, given 0");
  REQUIRE(InvalidMessage(e.Execute({x})) == "add_one: argument 0: expected f32[16], given f32[1]");
  REQUIRE(InvalidMessage(e.Execute({Buffer()})) == "add_one: argument 0 is an empty buffer");
  Buffer ints = *f.client->BufferFromLiteral(Literal(Shape(ElementType::S32, {16})));
  REQUIRE(InvalidMessage(e.Execute({ints})) ==
          "add_one: argument 0: expected f32[16], given s32[16]");
  Buffer foreign = *other.client->BufferFromLiteral(IotaLiteral(kVector, 0));
  REQUIRE(InvalidMessage(e.Execute({foreign})) ==
          "add_one: argument 0: the buffer f32[16] belongs to another client");
  foreign.Delete();
  REQUIRE(InvalidMessage(foreign.ToLiteral()) == "the buffer f32[16] has been deleted");
  REQUIRE(InvalidMessage(Buffer().ToLiteral()) == "an empty buffer");
  REQUIRE(InvalidMessage(Executable().Execute({})) == "an empty executable");
  std::vector<float> three(3);
  REQUIRE(InvalidMessage(x.CopyToHost(absl::MakeSpan(three))) ==
          "CopyToHost: f32[1] takes 4 bytes, given 12");
  REQUIRE(InvalidMessage(f.client->BufferFromLiteral(Literal::Tuple({}))) ==
          "BufferFromLiteral: expected an array, given ()");
}

TEST_CASE("a layout is undone on the way to the host") {
  Fixture f(Inline());
  Shape shape(ElementType::F32, {2, 3});
  shape.set_minor_to_major({0, 1});
  float data[] = {0, 10, 1, 11, 2, 12};  // columns of two
  Buffer x = *f.client->BufferFromHost(data, shape);
  REQUIRE(Read(x) == std::vector<float>{0, 1, 2, 10, 11, 12});
  REQUIRE(x.ToLiteral()->data<float>()[3] == 10);
}

TEST_CASE("options of a client") {
  auto error = [](const CpuOptions& o) { return InvalidMessage(api::ClientCore::Cpu(o, {}, {})); };
  CpuOptions o = Threads(-1);
  REQUIRE(error(o) == "CpuOptions.threads: expected 0 to 4096, given -1");
  o = Threads(2);
  o.inline_execution = true;
  REQUIRE(error(o) ==
          "CpuOptions: expected one of threads, inline_execution and executor, given 2");
  o = Inline();
  o.memory_limit = -5;
  REQUIRE(error(o) == "CpuOptions: a limit is negative: -5");
  REQUIRE(Fixture(Threads(3)).client->parallelism() == 3);
  REQUIRE(Fixture(Inline()).client->parallelism() == 1);
}

TEST_CASE("memory limit and statistics") {
  CpuOptions o = Inline();
  o.memory_limit = 5 << 20;
  Fixture f(o);
  Shape shape(ElementType::F32, {1 << 19});
  Literal literal(shape);
  Buffer a = *f.client->BufferFromLiteral(literal), b = *f.client->BufferFromLiteral(literal);
  auto c = f.client->BufferFromLiteral(literal);
  REQUIRE(c.status().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(f.client->memory_stats().in_use == 4 << 20);
  a.Delete();
  REQUIRE(f.client->memory_stats().pooled == 2 << 20);
  REQUIRE(f.client->BufferFromLiteral(literal).ok());
  REQUIRE(f.client->memory_stats().reused == 1);
  f.client->TrimMemory();
  REQUIRE(f.client->memory_stats().pooled == 0);
}

TEST_CASE("equal modules and options compile once") {
  Fixture f(Threads(1));
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      if (!f.Compile("add_one").ok()) std::terminate();
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(f.compilations == 1);
  REQUIRE(f.client->cache_stats().hits == 3);
  REQUIRE(f.Compile("bad").status().code() == absl::StatusCode::kUnimplemented);
  REQUIRE(f.Compile("bad").status().code() == absl::StatusCode::kUnimplemented);
  REQUIRE(f.compilations == 3);
  REQUIRE(f.client->cache_stats().failures == 2);

  // Each option that changes code makes another key, the others none.
  CompileOptions base;
  std::vector<CompileOptions> different(7, base);
  different[0].allow_contraction = true;
  different[1].allow_excess_precision = true;
  different[2].flush_denormals = true;
  different[3].isa = "avx2";
  different[4].donated_parameters = {0};
  different[5].disabled_passes = {"x"};
  different[6].pass_limit = 3;
  for (const auto& o : different) REQUIRE(f.Compile("add_one", o).ok());
  REQUIRE(f.compilations == 10);
  base.dump_directory = "/nowhere";
  base.dump_passes = {"x"};
  REQUIRE(f.Compile("add_one", base).ok());
  REQUIRE(f.compilations == 10);
  f.client->ClearCache();
  REQUIRE(f.Compile("add_one").ok());
  REQUIRE(f.compilations == 11);
}

class OneThread : public Executor {
 public:
  OneThread() : thread_([this] { queue_.RunUntil([this] { return stop_.load(); }); }) {}
  ~OneThread() override {
    stop_ = true;
    queue_.Poke();
    thread_.join();
  }
  void Schedule(std::function<void()> task) override { queue_.Push(std::move(task)); }
  int parallelism() const override { return 4; }

 private:
  TaskQueue queue_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST_CASE("everything works from the host's only thread") {
  CpuOptions o;
  o.executor = std::make_shared<OneThread>();
  Fixture f(o);
  Executable e = *f.Compile("big");
  Buffer x = *f.client->BufferFromLiteral(IotaLiteral(kBig, 0));
  std::atomic<int> right{0}, finished{0};
  for (int i = 0; i < 3; ++i) {
    o.executor->Schedule([&] {
      {
        Buffer at = x;
        for (int k = 0; k < 4; ++k) at = (*e.ExecuteAsync({at}))[0];
        std::vector<float> v(1 << 16);
        absl::Status s = at.CopyToHostAsync(v.data(), 4 << 16).Wait();
        if (s.ok() && v == IotaVector(1 << 16, 4)) ++right;
      }
      // Nothing of the client's is left here, or its last part would end on this thread, and the
      // executor, which joins it, with that.
      ++finished;
    });
  }
  while (finished < 3) std::this_thread::yield();
  REQUIRE(right == 3);
}

}  // namespace
}  // namespace sinter
