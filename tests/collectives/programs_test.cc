// Whole programs of several participants, compiled: control flow, channels, donation, faults.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <random>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "collectives/run.h"
#include "sinter/custom_call.h"

namespace sinter::testing {
namespace {

using namespace std::chrono_literals;

Arguments Floats(int64_t participants, int64_t elements) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    std::vector<float> x;
    for (int64_t k = 0; k < elements; ++k)
      x.push_back(static_cast<float>((n * 31 + k * 17) % 101) * 0.37f);
    result.push_back({Literal::R1<float>(x)});
  }
  return result;
}

std::vector<std::vector<Buffer>> Both(const Buffer& a, const Buffer& b) {
  std::vector<std::vector<Buffer>> both(2);
  both[0].push_back(a);
  both[1].push_back(b);
  return both;
}

constexpr const char* kAdd = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
)";

std::string AllReduce(int64_t elements) {
  const std::string x = Format("f32[{}]", elements);
  return Format(
      "{}ENTRY main {{\n x = {} parameter(0)\n y = {} multiply(x, x)\n z = {} all-reduce(y), "
      "to_apply=add, replica_groups={{}}\n ROOT r = {} subtract(z, x)\n}}\n",
      kAdd, x, x, x, x);
}

TEST_CASE("Arrays of all sizes are reduced, in parts where they are large", "[processes]") {
  const auto client = ClientOfEight();
  for (int64_t elements : {0, 1, 3, 63, 2048, 2049, 70001, 300000}) {
    INFO(elements);
    CHECK(Told(SameOnDevices(*client, AllReduce(elements), {3, 1}, Floats(3, elements))) == "ok");
  }
}

TEST_CASE("A reducer may be any computation of scalars", "[processes]") {
  const std::string text = R"(HloModule m
f { a = f32[] parameter(0)
  b = f32[] parameter(1)
  two = f32[] constant(2)
  c = f32[] multiply(a, two)
  d = f32[] subtract(c, b)
  m = f32[] maximum(d, a)
  ROOT s = f32[] add(m, b)
}
ENTRY main {
  x = f32[100] parameter(0)
  ROOT y = f32[100] all-reduce(x), to_apply=f, replica_groups={{2,0,1}}
})";
  CHECK(Told(SameOnDevices(*ClientOfEight(), text, {3, 1}, Floats(3, 100))) == "ok");
}

TEST_CASE("Loops, branches and numbers of participants", "[processes]") {
  const std::string text = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
less { t = (s32[], f32[300]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT
}
step { t = (s32[], f32[300]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[300] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[300] all-reduce(x), to_apply=add, replica_groups={{0,1},{2,3}}
  half = f32[] constant(0.5)
  h = f32[300] broadcast(half), dimensions={}
  z = f32[300] multiply(y, h)
  ROOT r = (s32[], f32[300]) tuple(j, z)
}
shift { x = f32[300] parameter(0)
  ROOT y = f32[300] collective-permute(x), source_target_pairs={{0,1},{1,0}}
}
gather { x = f32[300] parameter(0)
  s = f32[150] slice(x), slice={[0:150]}
  ROOT y = f32[300] all-gather(s), dimensions={0}, channel_id=2, replica_groups={{0,1},{2,3}}, use_global_device_ids=true
}
ENTRY main {
  x = f32[300] parameter(0)
  r = u32[] replica-id()
  id = s32[] convert(r)
  two = s32[] constant(2)
  start = s32[] divide(id, two)
  s = (s32[], f32[300]) tuple(start, x)
  w = (s32[], f32[300]) while(s), condition=less, body=step
  y = f32[300] get-tuple-element(w), index=1
  one = s32[] constant(1)
  low = s32[] minimum(start, one)
  z = f32[300] conditional(low, y, y), branch_computations={shift, gather}
  f = f32[] convert(r)
  b = f32[300] broadcast(f), dimensions={}
  ROOT out = f32[300] add(z, b)
})";
  CHECK(Told(SameOnDevices(*ClientOfEight(), text, {4, 1}, Floats(4, 300))) == "ok");
}

TEST_CASE("Compiled: values go through channels, in a ring too", "[processes]") {
  const std::string pairs =
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,0}}\"}";
  const std::string text =
      "HloModule m\nENTRY main {\nx = f32[50] parameter(0)\ny = f32[50] negate(x)\nt = token[] "
      "after-all()\nr = (f32[50], u32[], token[]) recv(t), channel_id=1, " +
      pairs + "\ns = (f32[50], u32[], token[]) send(y, t), channel_id=1, " + pairs +
      "\nrd = (f32[50], token[]) recv-done(r), channel_id=1\nsd = token[] send-done(s), "
      "channel_id=1\nz = f32[50] get-tuple-element(rd), index=0\nROOT w = f32[50] add(z, x)\n}";
  for (collective::Grid grid : {collective::Grid{3, 1}, {1, 3}, {4, 1}}) {
    CHECK(Told(SameOnDevices(*ClientOfEight(), text, grid, Floats(grid.size(), 50))) == "ok");
  }
}

TEST_CASE("Rows of different numbers, roots that operands name", "[processes]") {
  const std::string ragged = R"(HloModule m
ENTRY main {
  x = s32[3,2] parameter(0)
  in = s64[2] parameter(1)
  send = s64[2] parameter(2)
  to = s64[2] parameter(3)
  got = s64[2] parameter(4)
  c = s32[] constant(-1)
  out = s32[4,2] broadcast(c), dimensions={}
  ROOT y = s32[4,2] ragged-all-to-all(x, out, in, send, to, got), replica_groups={{0,1}}
})";
  auto r1 = [](std::vector<int64_t> v) { return Literal::R1<int64_t>(v); };
  auto x = [](int32_t from) {
    Literal l(Shape(ElementType::S32, {3, 2}));
    for (int32_t& e : l.data<int32_t>()) e = from++;
    return l;
  };
  const Arguments rows{{x(0), r1({0, 1}), r1({1, 2}), r1({0, 0}), r1({1, 1})},
                       {x(10), r1({0, 1}), r1({1, 1}), r1({3, 2}), r1({2, 1})}};
  const auto client = ClientOfEight();
  // Of several processes only the first have participants.
  auto fails = [&](int participants, const absl::Status& s, const std::string& why) {
    if (client->process_id() >= participants) return s.ok();
    return s.code() == absl::StatusCode::kInvalidArgument && Told(s).find(why) != std::string::npos;
  };
  CHECK(Told(SameOnDevices(*client, ragged, {2, 1}, rows)) == "ok");
  Arguments wrong = rows;
  wrong[0][2] = r1({1, 3});
  auto module = ParseFor(ragged, {2, 1}).value();
  CHECK(fails(2, OnDevices(*client, *module, wrong).status(), "sends 3 rows from 1 on"));
  CHECK(Told(SameOnDevices(*client, ragged, {2, 1}, rows)) == "ok");

  const std::string roots = R"(HloModule m
add { a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT s = s32[] add(a, b)
}
ENTRY main {
  x = s32[3,2] parameter(0)
  root = s32[1] parameter(1)
  a = s32[3,2] collective-broadcast(x, root), replica_groups={{0,1,2}}, has_dynamic_root=true
  b = s32[3,2] collective-reduce(x, root), replica_groups={{0,1,2}}, has_dynamic_root=true, to_apply=add
  ROOT y = (s32[3,2], s32[3,2]) tuple(a, b)
})";
  auto root = [](int32_t n) { return Literal::R1<int32_t>({n}); };
  CHECK(Told(SameOnDevices(*client, roots, {3, 1},
                           {{x(0), root(2)}, {x(10), root(2)}, {x(20), root(2)}})) == "ok");
  CHECK(fails(3,
              OnDevices(*client, *ParseFor(roots, {3, 1}).value(),
                        {{x(0), root(2)}, {x(10), root(1)}, {x(20), root(2)}})
                  .status(),
              "state roots 2 and 1"));
}

TEST_CASE("Devices are assigned, and buffers are on devices") {
  const auto client = ClientOfEight();
  auto module = ParseFor(AllReduce(10), {2, 1}).value();
  const Arguments x = Floats(2, 10);
  CHECK(OnDevices(*client, *module, x, false, {5, 3}).value() ==
        OnDevices(*client, *module, x).value());
  CHECK(Told(OnDevices(*client, *module, x, false, {5, 5}).status()).find("device 5 twice") !=
        std::string::npos);
  CHECK(Told(OnDevices(*client, *module, x, false, {5, 8}).status()).find("device 8") !=
        std::string::npos);
  CHECK(Told(OnDevices(*client, *module, x, false, {5}).status()).find("1 devices for 2") !=
        std::string::npos);

  CompileOptions options;
  options.replicas = 2;
  options.device_assignment = {4, 2};
  Executable e = client->core()->CompileModule(*module, options).value();
  CHECK(e.devices() == std::vector<int>{4, 2});
  CHECK(e.replica_count() == 2);
  Buffer a = client->BufferFromLiteral(x[0][0], 4).value(),
         b = client->BufferFromLiteral(x[1][0]).value();
  CHECK(b.device() == 0);
  CHECK(Told(e.ExecuteOnDevices(Both(a, b)).status()).find("is on device 0, not on device 2") !=
        std::string::npos);
  CHECK(Told(e.ExecuteOnDevices(std::vector<std::vector<Buffer>>(1, {a})).status())
            .find("for 2 participants") != std::string::npos);
  CHECK(Told(e.Execute({a}).status()).find("2 participants") != std::string::npos);
  Buffer moved = b.CopyToDevice(2).value();
  CHECK(moved.device() == 2);
  CHECK_FALSE(b.CopyToDevice(8).ok());
  auto results = e.ExecuteOnDevices(Both(a, moved)).value();
  CHECK(results[0][0].device() == 4);
  CHECK(results[1][0].device() == 2);
  CHECK(moved.ToLiteral().value() == x[1][0]);
  CHECK_FALSE(client->BufferFromLiteral(x[0][0], 8).ok());
}

TEST_CASE("Donated arguments are reduced in place, and come back where a run does not begin") {
  const auto client = ClientOfEight();
  const std::string text = std::string(kAdd) +
                           "ENTRY main {\n x = f32[1000] parameter(0)\n ROOT y = f32[1000] "
                           "all-reduce(x), to_apply=add, replica_groups={}\n}\n";
  auto module = ParseFor(text, {2, 1}).value();
  CompileOptions options;
  options.replicas = 2;
  options.donated_parameters = {0};
  Executable e = client->core()->CompileModule(*module, options).value();
  const Arguments x = Floats(2, 1000);
  const std::vector<Literal> expected = Interpreted(*module, x).value();
  for (bool async : {false, true}) {
    Buffer a = client->BufferFromLiteral(x[0][0], 0).value(),
           b = client->BufferFromLiteral(x[1][0], 1).value();
    const void* memory = a.View().value().get();
    // The second argument is on the wrong device.
    CHECK_FALSE(e.ExecuteOnDevices(Both(a, a)).ok());
    CHECK_FALSE(a.IsDeleted());
    auto results = async ? e.ExecuteOnDevicesAsync(Both(a, b)) : e.ExecuteOnDevices(Both(a, b));
    REQUIRE(Told(results.status()) == "ok");
    CHECK(a.IsDeleted());
    CHECK(b.IsDeleted());
    CHECK((*results)[0][0].ToLiteral().value() == expected[0]);
    CHECK((*results)[0][0].View().value().get() == memory);
    // Again, with what has been computed, in the same memory.
    auto more = e.ExecuteOnDevicesAsync(*results).value();
    REQUIRE(Told(more[0][0].Await()) == "ok");
    CHECK(more[0][0].View().value().get() == memory);
  }
}

TEST_CASE("Compiled participants that disagree or wait for ever are told of") {
  const std::string branches = R"(HloModule branches
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
mul { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] multiply(a, b)
}
sum { x = f32[4] parameter(0)
  ROOT here = f32[4] all-reduce(x), to_apply=add, channel_id=7, replica_groups={}
}
product { x = f32[4] parameter(0)
  ROOT there = f32[4] all-reduce(x), to_apply=mul, channel_id=7, replica_groups={}
}
nothing { x = f32[4] parameter(0)
  ROOT y = f32[4] negate(x)
}
ENTRY main {
  x = f32[4] parameter(0)
  r = u32[] replica-id()
  i = s32[] convert(r)
  ROOT y = f32[4] conditional(i, x, x), branch_computations={sum, BRANCH}
})";
  auto with = [&](const std::string& other) {
    std::string text = branches;
    return ParseFor(text.replace(text.find("BRANCH"), 6, other), {2, 1}).value();
  };
  const auto client = ClientOfEight();
  for (bool async : {false, true}) {
    absl::Status s = OnDevices(*client, *with("product"), Floats(2, 4), async).status();
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("all-reduce 'here' (channel 7)") != std::string::npos);
    CHECK(Told(s).find("all-reduce 'there' (channel 7)") != std::string::npos);
    s = OnDevices(*client, *with("nothing"), Floats(2, 4), async).status();
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("branches: the participants wait for one another: participant 0 waits in "
                       "all-reduce 'here' (channel 7) for participant 1; participant 1 has come to "
                       "its end") != std::string::npos);
  }
  CHECK(Told(SameOnDevices(*client, AllReduce(4), {2, 1}, Floats(2, 4))) == "ok");
}

// A participant that is told to sleeps or fails on the way, by its number and its argument.
std::string WithCall() {
  return std::string(kAdd) +
         "ENTRY main {\n x = f32[8] parameter(0)\n h = f32[8] custom-call(x), "
         "custom_call_target=\"tests.halt\"\n y = f32[8] all-reduce(h), to_apply=add, "
         "channel_id=9, "
         "replica_groups={}\n z = f32[8] custom-call(y), custom_call_target=\"tests.halt\"\n ROOT "
         "r "
         "= f32[8] all-reduce(z), to_apply=add, replica_groups={}\n}\n";
}

struct Halts {
  std::function<absl::Status(float)> halt;
  std::shared_ptr<CustomCallRegistry> registry = std::make_shared<CustomCallRegistry>();
  explicit Halts(std::function<absl::Status(float)> f) : halt(std::move(f)) {
    REQUIRE(registry
                ->Register("tests.halt", "Host",
                           [this](const CustomCallFrame& frame) -> absl::Status {
                             const auto* x = static_cast<const float*>(frame.operands[0].data);
                             auto* y = static_cast<float*>(frame.results[0].data);
                             std::copy(x, x + 8, y);
                             return going_on.Within([&] { return halt(x[0]); });
                           })
                .ok());
  }
  CallsGoingOn going_on;
};

// Participant n has the argument n, 0, 0 ...
Arguments Marked(int64_t participants) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    std::vector<float> x(8);
    x[0] = static_cast<float>(n);
    result.push_back({Literal::R1<float>(x)});
  }
  return result;
}

TEST_CASE("One that fails ends the others with Unavailable, and the client goes on") {
  Halts halts([](float first) {
    return first == 2 ? absl::ResourceExhaustedError("no more paper") : absl::OkStatus();
  });
  for (int threads : {0, 1, 2}) {
    CpuOptions options;
    options.custom_calls = halts.registry;
    options.threads = threads;
    options.inline_execution = threads == 0;
    const auto client = ClientOfEight(options);
    auto module = ParseFor(WithCall(), {4, 1}).value();
    CompileOptions how;
    how.replicas = 4;
    Executable e = client->core()->CompileModule(*module, how).value();
    std::vector<std::vector<Buffer>> arguments;
    for (int n = 0; n < 4; ++n)
      arguments.push_back(
          {client->BufferFromLiteral(Marked(4)[static_cast<size_t>(n)][0], n).value()});
    absl::Status s = e.ExecuteOnDevices(arguments).status();
    CHECK(s.code() == absl::StatusCode::kResourceExhausted);
    CHECK(Told(s).find("participant 2: ") != std::string::npos);
    CHECK(Told(s).find("no more paper") != std::string::npos);
    if (threads > 0) {
      std::vector<Event> done;
      auto results = e.ExecuteOnDevicesAsync(arguments, {}, &done).value();
      REQUIRE(done.size() == 4);
      for (size_t n = 0; n < 4; ++n) {
        s = results[n][0].Await();
        CHECK(s == done[n].Wait());
        CHECK(s.code() ==
              (n == 2 ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kUnavailable));
        CHECK(Told(s).find("no more paper") != std::string::npos);
      }
    }
    for (auto& own : arguments)
      own[0] = client->BufferFromLiteral(Marked(1)[0][0], own[0].device()).value();
    CHECK(Told(e.ExecuteOnDevices(arguments).status()) == "ok");
  }
}

TEST_CASE("One that does not come ends the others after the timeout") {
  std::atomic<bool> go{false};
  Halts halts([&](float first) {
    while (first == 1 && !go) std::this_thread::sleep_for(1ms);
    return absl::OkStatus();
  });
  CpuOptions options;
  options.custom_calls = halts.registry;
  options.collective_timeout = 0.05;
  const auto client = ClientOfEight(options);
  auto module = ParseFor(WithCall(), {3, 1}).value();
  CompileOptions how;
  how.replicas = 3;
  Executable e = client->core()->CompileModule(*module, how).value();
  std::vector<std::vector<Buffer>> arguments;
  for (int n = 0; n < 3; ++n)
    arguments.push_back(
        {client->BufferFromLiteral(Marked(3)[static_cast<size_t>(n)][0], n).value()});
  std::vector<Event> done;
  auto results = e.ExecuteOnDevicesAsync(arguments, {}, &done).value();
  // Waiting must not run the work on this thread, which then would not come back.
  for (const Event& d : done) {
    std::atomic<bool> set{false};
    d.OnReady([&](const absl::Status& s) {
      CHECK(s.code() == absl::StatusCode::kUnavailable);
      CHECK(Told(s).find("all-reduce 'y' (channel 9): arrived") != std::string::npos);
      CHECK(Told(s).find("missing participant 1") != std::string::npos);
      set = true;
    });
    while (!set) std::this_thread::sleep_for(1ms);
  }
  go = true;
  // What is not stuck any more is not too late for the next.
  CHECK(Told(e.ExecuteOnDevices(arguments).status()) == "ok");
}

TEST_CASE("A hundred runs with delays at random", "[processes]") {
  std::atomic<uint32_t> seed{1};
  Halts halts([&](float) {
    std::minstd_rand random(seed.fetch_add(1));
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    return absl::OkStatus();
  });
  for (int threads : {1, 2, 4}) {
    CpuOptions options;
    options.custom_calls = halts.registry;
    options.threads = threads;
    const auto client = ClientOfEight(options);
    auto module = ParseFor(WithCall(), {8, 1}).value();
    const std::vector<Literal> first = OnDevices(*client, *module, Marked(8)).value();
    for (int run = 0; run < 100; ++run) {
      auto again = OnDevices(*client, *module, Marked(8), run % 2 == 0);
      REQUIRE(Told(again.status()) == "ok");
      REQUIRE(*again == first);
    }
  }
}

TEST_CASE("Several programs of one client at a time") {
  const auto client = ClientOfEight();
  auto module = ParseFor(AllReduce(5000), {4, 1}).value();
  const Arguments x = Floats(4, 5000);
  const std::vector<Literal> expected = Interpreted(*module, x).value();
  std::vector<std::thread> threads;
  std::atomic<int> right{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int run = 0; run < 10; ++run) {
        auto given = OnDevices(*client, *module, x, t % 2 == 0);
        bool same = given.ok();
        for (size_t n = 0; same && n < expected.size(); ++n)
          same = (*given)[n].tuple()[0] == expected[n];
        right += same;
      }
    });
  }
  for (std::thread& t : threads) t.join();
  CHECK(right == 40);
}

}  // namespace
}  // namespace sinter::testing
