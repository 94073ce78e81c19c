#include "runtime/cpu/cpu_device.h"

#include <catch2/catch.hpp>

#include <cfenv>
#include <thread>

#include "base/status.h"
#include "fake_program.h"
#include "runtime/executable.h"
#include "runtime/host_memory_pool.h"

namespace sinter::runtime {
namespace {

using fake::ProgramBuilder;
using program::Slice;

const Shape kVector(ElementType::F32, {16});

struct Host {
  explicit Host(std::unique_ptr<Workers> w, int64_t limit = 0,
                int64_t pool_limit = int64_t{1} << 30)
      : workers(std::move(w)), pool(std::make_shared<HostMemoryPool>(limit, pool_limit)) {}

  absl::StatusOr<std::shared_ptr<Executable>> Load(
      program::Program p, std::vector<program::StageFunction> f = fake::Functions()) {
    std::vector<std::vector<program::StageFunction>> functions{f};
    auto device = cpu::MakeCpuDevice(std::make_shared<fake::FakeLoader>(functions), pool, workers);
    ASSIGN_OR_RETURN(auto steps, device->Prepare(p, {}));
    std::vector<Executable::Prepared> prepared(1);
    prepared[0] = {std::move(device), std::move(steps)};
    return Executable::Make(this, std::move(p), std::move(prepared));
  }
  std::shared_ptr<DeviceBuffer> Make(const Shape& shape, float first, float step = 1) {
    auto storage = *Storage::Allocate(pool, shape.byte_size());
    for (int64_t i = 0; i < shape.element_count(); ++i) {
      static_cast<float*>(storage->data())[i] = first + step * static_cast<float>(i);
    }
    return std::make_shared<DeviceBuffer>(this, std::make_shared<const Shape>(shape), storage);
  }

  std::shared_ptr<Workers> workers;
  std::shared_ptr<MemoryPool> pool;
};

std::vector<float> Read(const DeviceBuffer& b) {
  REQUIRE(b.ready().Wait().ok());
  StorageRef s = *b.Hold();
  auto* p = static_cast<const float*>(s->data());
  return std::vector<float>(p, p + b.shape().element_count());
}
std::vector<float> Iota(size_t n, float first) {
  std::vector<float> v(n);
  for (size_t i = 0; i < n; ++i) v[i] = first + static_cast<float>(i);
  return v;
}
absl::StatusOr<Executable::Results> Run(Executable& e, std::vector<DeviceBuffer*> arguments,
                                        const RunOptions& options = {}) {
  return e.Execute(arguments, options);
}

program::Program AddOneProgram(int aliased = -1, Shape shape = kVector, int64_t nanoseconds = 0) {
  ProgramBuilder b("add_one");
  Slice x = b.Argument(shape), y = b.Result(shape, aliased);
  b.Add(ProgramBuilder::Launch(fake::kAddOne, {x, y}, shape.element_count(), nanoseconds));
  return b.Build(4);
}

TEST_CASE("a launch, serial and parallel") {
  int64_t n = GENERATE(16, 100003);
  int threads = GENERATE(1, 2, 5);
  Host device(MakePoolWorkers(threads));
  Shape shape(ElementType::F32, {n});
  auto e = *device.Load(AddOneProgram(-1, shape, n * 10));
  for (int i = 0; i < 20; ++i) {
    auto x = device.Make(shape, 1);
    auto r = Run(*e, {x.get()});
    REQUIRE(r.ok());
    REQUIRE(Read(*(*r)[0]) == Iota(static_cast<size_t>(n), 2));
  }
}

TEST_CASE("stages are separated by barriers and have task memory") {
  // Stage 0 writes i to scratch buffer [i]; stage 1 reads from the far end.
  auto first = [](void* const* b, const int64_t*, int64_t lo, int64_t hi, void* scratch) {
    auto* mine = static_cast<int64_t*>(scratch);
    for (int64_t i = lo; i < hi; ++i) {
      mine[0] = i;
      std::this_thread::yield();
      static_cast<float*>(b[0])[i] = static_cast<float>(mine[0]);
    }
  };
  auto second = [](void* const* b, const int64_t* dims, int64_t lo, int64_t hi, void*) {
    for (int64_t i = lo; i < hi; ++i) {
      static_cast<float*>(b[1])[i] = static_cast<float*>(b[0])[dims[0] - 1 - i];
    }
  };
  Host device(MakePoolWorkers(4));
  ProgramBuilder b;
  Shape shape(ElementType::F32, {1000});
  Slice temp = b.Temp(4000), y = b.Result(shape);
  program::Launch launch;
  launch.name = "two stages";
  launch.buffers = {temp, y};
  launch.dims = {1000};
  launch.stages = {{0, 1000, 100000}, {1, 1000, 100000}};
  launch.task_bytes = 8;
  b.Add({launch});
  auto e = *device.Load(b.Build(2), {first, second});
  for (int i = 0; i < 50; ++i) {
    auto r = Run(*e, {});
    REQUIRE(r.ok());
    auto v = Read(*(*r)[0]);
    for (size_t k = 0; k < 1000; ++k) REQUIRE(v[k] == static_cast<float>(999 - k));
  }
}

TEST_CASE("while, conditional, copy and constants") {
  // y = constant; while (y[0] < limit) y += 1; selector picks Fill(-1), Fill(-2) or nothing in z.
  Host device(MakePoolWorkers(2));
  ProgramBuilder b;
  Slice selector = b.Argument(Shape(ElementType::S32));
  Slice constant = b.Constant(Literal::R1<float>({1, 2, 3}));
  Shape three(ElementType::F32, {3});
  Slice y = b.Result(three), z = b.Result(three), predicate = b.Temp(1), t = b.Temp(12);
  b.Add({program::Copy{constant, t}});
  program::While loop;
  loop.predicate = predicate;
  loop.condition = {ProgramBuilder::Launch(fake::kLessThan, {t, predicate}, 1, 0, {100})};
  loop.body = {ProgramBuilder::Launch(fake::kAddOne, {t, t}, 3)};
  b.Add({loop});
  b.Add({program::Copy{t, y}});
  program::Conditional c;
  c.selector = selector;
  c.branches.resize(3);
  c.branches[0] = {ProgramBuilder::Launch(fake::kFill, {z}, 3, 0, {-1})};
  c.branches[1] = {ProgramBuilder::Launch(fake::kFill, {z}, 3, 0, {-2})};
  program::Conditional inner;
  inner.selector = predicate;  // 0 after the loop: the second
  inner.selector_is_predicate = true;
  inner.branches.resize(2);
  inner.branches[0] = {ProgramBuilder::Launch(fake::kFill, {z}, 3, 0, {-9})};
  inner.branches[1] = {ProgramBuilder::Launch(fake::kFill, {z}, 3, 0, {-3})};
  c.branches[2] = {{inner}};
  b.Add({c});
  auto e = *device.Load(b.Build(4));
  for (auto [select, expected] :
       {std::pair{0, -1.f}, {1, -2.f}, {2, -3.f}, {7, -3.f}, {-1, -3.f}}) {
    auto storage = *Storage::Allocate(device.pool, 4);
    std::memcpy(storage->data(), &select, 4);
    DeviceBuffer s(&device, std::make_shared<const Shape>(ElementType::S32), storage);
    auto r = Run(*e, {&s});
    REQUIRE(r.ok());
    REQUIRE(Read(*(*r)[0]) == std::vector<float>{100, 101, 102});
    REQUIRE(Read(*(*r)[1]) == std::vector<float>(3, expected));
  }
}

TEST_CASE("storage exchanges its roles from turn to turn") {
  // while (s[0] < limit) { n = s + 1; s = n; }, alone and twice in a loop that does so with u and
  // v: while (u[0] < 3) { s = u; while (s[0] < limit) ...; v = u + 1; u = v; }
  Host device(MakePoolWorkers(2));
  Shape three(ElementType::F32, {3});
  for (int64_t limit : {1, 2, 3, 4, 5, 8}) {
    for (bool nested : {false, true}) {
      ProgramBuilder b;
      Slice constant = b.Constant(Literal::R1<float>({1, 2, 3}));
      Slice y = b.Result(three), z = b.Result(three), predicate = b.Temp(1), other = b.Temp(1),
            s = b.Temp(12), n = b.Temp(12), u = b.Temp(12), v = b.Temp(12);
      program::While loop;
      loop.predicate = predicate;
      loop.condition = {ProgramBuilder::Launch(fake::kLessThan, {s, predicate}, 1, 0, {limit})};
      loop.body = {ProgramBuilder::Launch(fake::kAddOne, {s, n}, 3),
                   {program::Copy{n, s, /*exchange=*/true}}};
      b.Add({program::Copy{constant, u}});
      b.Add({program::Copy{constant, s}});
      if (nested) {
        program::While outer;
        outer.predicate = other;
        outer.condition = {ProgramBuilder::Launch(fake::kLessThan, {u, other}, 1, 0, {4})};
        outer.body = {{program::Copy{u, s}},
                      {loop},
                      ProgramBuilder::Launch(fake::kAddOne, {u, v}, 3),
                      {program::Copy{v, u, /*exchange=*/true}}};
        b.Add({outer});
      } else {
        b.Add({loop});
      }
      b.Add({program::Copy{s, y}});
      b.Add({program::Copy{u, z}});
      auto e = *device.Load(b.Build(4));
      auto r = Run(*e, {});
      REQUIRE(r.ok());
      const float from = nested ? 3 : 1, last = std::max(from, static_cast<float>(limit));
      CHECK(Read(*(*r)[0]) == std::vector<float>{last, last + 1, last + 2});
      CHECK(Read(*(*r)[1])[0] == (nested ? 4 : 1));
    }
  }
}

TEST_CASE("two that both hold what is needed exchange their roles, too") {
  // while (s[0] < limit) { s, t = t + 1, s; }, where t + 1 is computed in t's storage.
  Host device(MakePoolWorkers(2));
  Shape three(ElementType::F32, {3});
  for (int64_t limit : {1, 2, 3, 4, 5, 8}) {
    ProgramBuilder b;
    Slice low = b.Constant(Literal::R1<float>({0, 1, 2})),
          high = b.Constant(Literal::R1<float>({1, 2, 3})), y = b.Result(three),
          z = b.Result(three), predicate = b.Temp(1), s = b.Temp(12), t = b.Temp(12),
          saved = b.Temp(12);
    program::While loop;
    loop.predicate = predicate;
    loop.condition = {ProgramBuilder::Launch(fake::kLessThan, {s, predicate}, 1, 0, {limit})};
    loop.body = {ProgramBuilder::Launch(fake::kAddOne, {t, t}, 3),
                 {program::Copy{s, saved, false, /*keeps=*/true}},
                 {program::Copy{t, s, /*exchange=*/true}},
                 {program::Copy{saved, t, false, /*keeps=*/true}}};
    b.Add({program::Copy{low, s}});
    b.Add({program::Copy{high, t}});
    b.Add({loop});
    b.Add({program::Copy{s, y}});
    b.Add({program::Copy{t, z}});
    auto e = *device.Load(b.Build(4));
    auto r = Run(*e, {});
    REQUIRE(r.ok());
    float first = 0, second = 1;
    while (first < static_cast<float>(limit)) {
      const float old = first;
      first = second + 1;
      second = old;
    }
    CHECK(Read(*(*r)[0]) == std::vector<float>{first, first + 1, first + 2});
    CHECK(Read(*(*r)[1]) == std::vector<float>{second, second + 1, second + 2});
  }
}

TEST_CASE("deep nesting is no recursion") {
  Host device(MakeInlineWorkers());
  ProgramBuilder b;
  Slice x = b.Argument(kVector), y = b.Result(kVector);
  std::vector<program::Step> body = {ProgramBuilder::Launch(fake::kAddOne, {x, y}, 16)};
  for (int i = 0; i < 1000; ++i) {
    program::Conditional c;
    c.selector = x;
    c.selector_is_predicate = true;
    c.branches.resize(2);
    c.branches[1] = std::move(body);
    body.clear();
    body.push_back({std::move(c)});
  }
  b.program().steps = std::move(body);
  auto e = *device.Load(b.Build(4));
  auto in = device.Make(kVector, 0);  // its first byte is 0
  REQUIRE(Read(*(*Run(*e, {in.get()}))[0]) == Iota(16, 1));
}

TEST_CASE("results that are arguments, constants, slices or duplicates are copies") {
  Host device(MakeInlineWorkers());
  ProgramBuilder b;
  Slice x = b.Argument(kVector);
  Slice constant = b.Constant(Literal::R1<float>({5}));
  Slice y = b.Result(kVector);
  b.ResultFrom(kVector, x);
  b.ResultFrom(Shape(ElementType::F32, {1}), constant);
  b.ResultFrom(Shape(ElementType::F32, {2}), Slice{y.allocation, 8, 8});
  b.ResultFrom(kVector, y);
  b.Add(ProgramBuilder::Launch(fake::kAddOne, {x, y}, 16));
  auto e = *device.Load(b.Build(4));
  auto in = device.Make(kVector, 0);
  auto r = *Run(*e, {in.get()});
  REQUIRE(Read(*r[0]) == Iota(16, 1));
  REQUIRE(Read(*r[1]) == Iota(16, 0));
  REQUIRE(Read(*r[2]) == std::vector<float>{5});
  REQUIRE(Read(*r[3]) == Iota(2, 3));
  REQUIRE(Read(*r[4]) == Iota(16, 1));
  REQUIRE((*r[4]->Hold())->data() != (*r[0]->Hold())->data());
}

TEST_CASE("aliased arguments are updated in place where nobody else holds them") {
  Host device(MakePoolWorkers(2));
  auto e = *device.Load(AddOneProgram(0));
  auto x = device.Make(kVector, 0);
  void* data = (*x->Hold())->data();
  SECTION("in place") {
    auto r = *Run(*e, {x.get()});
    REQUIRE((*r[0]->Hold())->data() == data);
    REQUIRE(x->is_deleted());
    auto again = Run(*e, {x.get()});
    REQUIRE(again.status().code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(MessageOf(again.status()) ==
            "add_one: argument 0: the buffer f32[16] has been donated to an execution");
    // A chain stays in place.
    auto r2 = *Run(*e, {r[0].get()});
    REQUIRE((*r2[0]->Hold())->data() == data);
    REQUIRE(Read(*r2[0]) == Iota(16, 2));
  }
  SECTION("kept") {
    int64_t keep[] = {0};
    auto r = *Run(*e, {x.get()}, {.keep = keep});
    REQUIRE(Read(*x) == Iota(16, 0));
    REQUIRE(Read(*r[0]) == Iota(16, 1));
  }
  SECTION("held by someone else") {
    StorageRef reader = *x->Hold();
    auto r = *Run(*e, {x.get()});
    REQUIRE(x->is_deleted());
    REQUIRE(static_cast<float*>(reader->data())[3] == 3);
    REQUIRE(Read(*r[0]) == Iota(16, 1));
  }
  SECTION("asynchronously, in a chain") {
    std::vector<std::shared_ptr<DeviceBuffer>> chain = {x};
    for (int i = 0; i < 50; ++i) {
      DeviceBuffer* in[] = {chain.back().get()};
      chain.push_back((*e->ExecuteAsync(in, {}))[0]);
    }
    REQUIRE(Read(*chain.back()) == Iota(16, 50));
    REQUIRE((*chain.back()->Hold())->data() == data);
  }
}

TEST_CASE("donation without an alias frees the argument") {
  Host device(MakeInlineWorkers());
  auto e = *device.Load(AddOneProgram());
  auto x = device.Make(kVector, 0);
  int64_t donate[] = {0};
  auto r = *Run(*e, {x.get()}, {.donate = donate});
  REQUIRE(x->is_deleted());
  REQUIRE(Read(*r[0]) == Iota(16, 1));
  REQUIRE(device.pool->stats().in_use == 64);
}

TEST_CASE("arguments are checked, and errors consume nothing") {
  Host device(MakeInlineWorkers()), other(MakeInlineWorkers());
  ProgramBuilder b("axpy");
  Slice a = b.Argument(Shape(ElementType::F32)), x = b.Argument(kVector), y = b.Argument(kVector);
  Slice z = b.Result(kVector, 2);
  b.Add(ProgramBuilder::Launch(fake::kAxpy, {a, x, y, z}, 16));
  auto e = *device.Load(b.Build(4));
  auto s = device.Make(Shape(ElementType::F32), 2), v = device.Make(kVector, 0),
       w = device.Make(kVector, 1);
  auto message = [&](std::vector<DeviceBuffer*> arguments, const RunOptions& d = {}) {
    auto r = Run(*e, std::move(arguments), d);
    REQUIRE(r.status().code() == absl::StatusCode::kInvalidArgument);
    REQUIRE(!w->is_deleted());
    return MessageOf(r.status());
  };
  REQUIRE(message({s.get(), v.get()}) == "axpy: expected 3 arguments, given 2");
  REQUIRE(message({s.get(), s.get(), w.get()}) ==
          "axpy: argument 1: expected f32[16], given f32[]");
  REQUIRE(message({s.get(), nullptr, w.get()}) == "axpy: argument 1 is an empty buffer");
  REQUIRE(message({s.get(), w.get(), w.get()}) ==
          "axpy: the buffer f32[16] is argument 2, which is donated, and also argument 1");
  int64_t five[] = {5}, two[] = {2};
  REQUIRE(message({s.get(), v.get(), w.get()}, {.donate = five}) ==
          "axpy: donation names argument 5 of 3");
  REQUIRE(message({s.get(), v.get(), w.get()}, {.donate = two, .keep = two}) ==
          "axpy: argument 2 is both donated and kept");
  auto foreign = other.Make(kVector, 0);
  REQUIRE(message({s.get(), foreign.get(), w.get()}) ==
          "axpy: argument 1: the buffer f32[16] belongs to another client");
  v->Delete();
  REQUIRE(message({s.get(), v.get(), w.get()}) ==
          "axpy: argument 1: the buffer f32[16] has been deleted");
}

TEST_CASE("over the memory limit nothing is consumed") {
  Shape big(ElementType::F32, {1 << 20});
  Host device(MakeInlineWorkers(), 11 << 20);
  auto e = *device.Load(AddOneProgram(0, big));
  auto x = device.Make(big, 0, 0);
  StorageRef reader = *x->Hold();  // prevents the update in place
  {
    auto more = device.Make(big, 0, 0);
    auto r = Run(*e, {x.get()});
    REQUIRE(r.status().code() == absl::StatusCode::kResourceExhausted);
    REQUIRE(!x->is_deleted());
  }
  REQUIRE(Run(*e, {x.get()}).ok());
}

TEST_CASE("memory of results is reused between calls") {
  Shape big(ElementType::F32, {16 << 20});
  Host device(MakeInlineWorkers());
  auto e = *device.Load(AddOneProgram(-1, big));
  auto x = device.Make(big, 0, 0);
  void* data = nullptr;
  for (int i = 0; i < 3; ++i) {
    auto r = *Run(*e, {x.get()});
    void* now = (*r[0]->Hold())->data();
    if (i > 0) REQUIRE(now == data);
    data = now;
  }
}

TEST_CASE("asynchronous errors reach the results and what is computed from them") {
  Shape big(ElementType::F32, {1 << 20});
  Host device(MakePoolWorkers(1), 13 << 20);
  ProgramBuilder b("hungry");
  Slice x = b.Argument(kVector), y = b.Result(kVector);
  b.Temp(64 << 20);
  b.Add(ProgramBuilder::Launch(fake::kAddOne, {x, y}, 16));
  auto hungry = *device.Load(b.Build(4));
  auto add = *device.Load(AddOneProgram());
  auto in = device.Make(kVector, 0);
  DeviceBuffer* arguments[] = {in.get()};
  auto first = *hungry->ExecuteAsync(arguments, {});
  DeviceBuffer* next[] = {first[0].get()};
  auto second = *add->ExecuteAsync(next, {});
  REQUIRE(second[0]->ready().Wait().code() == absl::StatusCode::kResourceExhausted);
  REQUIRE(add->Execute(next, {}).status().code() == absl::StatusCode::kResourceExhausted);
}

TEST_CASE("several threads run one executable") {
  Host device(MakePoolWorkers(2));
  Shape shape(ElementType::F32, {4096});
  auto e = *device.Load(AddOneProgram(-1, shape, 100000));
  std::atomic<int> bad{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      auto x = device.Make(shape, static_cast<float>(t));
      for (int i = 0; i < 100; ++i) {
        DeviceBuffer* in[] = {x.get()};
        auto r = i % 2 ? e->Execute(in, {}) : e->ExecuteAsync(in, {});
        if (!r.ok() || !(*r)[0]->ready().Wait().ok()) {
          ++bad;
          continue;
        }
        StorageRef s = *(*r)[0]->Hold();
        if (static_cast<float*>(s->data())[4095] != static_cast<float>(4096 + t)) ++bad;
      }
    });
  }
  for (auto& t : threads) t.join();
  REQUIRE(bad == 0);
}

TEST_CASE("malformed programs are internal errors") {
  Host device(MakeInlineWorkers());
  auto code = [&](program::Program p) { return device.Load(std::move(p)).status().code(); };
  auto good = AddOneProgram();
  REQUIRE(device.Load(good).ok());
  auto p = good;
  std::get<program::Launch>(p.steps[0].op).buffers[0].offset = 4;
  REQUIRE(code(p) == absl::StatusCode::kInternal);
  p = good;
  std::get<program::Launch>(p.steps[0].op).stages[0].function = 9;
  REQUIRE(code(p) == absl::StatusCode::kInternal);
  p = good;
  p.results[0].allocation = 7;
  REQUIRE(code(p) == absl::StatusCode::kInternal);
  p = good;
  p.allocations[1].aliased_argument = 3;
  REQUIRE(code(p) == absl::StatusCode::kInternal);
  p = good;
  p.allocations.push_back({program::Residence::kTemp, 0, 0, 64});
  REQUIRE(code(p) == absl::StatusCode::kInternal);
}

TEST_CASE("the host's rounding mode is neither used nor lost") {
  Host device(MakeInlineWorkers());
  auto third = [](void* const* b, const int64_t*, int64_t, int64_t, void*) {
    volatile float one = 1, three = 3;
    *static_cast<float*>(b[0]) = one / three;
  };
  ProgramBuilder b;
  Slice y = b.Result(Shape(ElementType::F32));
  b.Add(ProgramBuilder::Launch(0, {y}, 1));
  auto e = *device.Load(b.Build(1), {third});
  volatile float one = 1, three = 3;
  float nearest = one / three;
  std::fesetround(FE_DOWNWARD);
  auto r = Run(*e, {});
  bool kept = std::fegetround() == FE_DOWNWARD;
  std::fesetround(FE_TONEAREST);
  REQUIRE(kept);
  REQUIRE(Read(*(*r)[0])[0] == nearest);
}

}  // namespace
}  // namespace sinter::runtime
