// Collectives that a program has as a start and an end: other work runs between them.
#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "collectives/run.h"
#include "frontend/stablehlo_text/stablehlo.h"
#include "ir/participants.h"
#include "sinter/custom_call.h"
#include "sinter/testing.h"

namespace sinter::testing {
namespace {

using namespace std::chrono_literals;

Arguments Rows(int64_t participants, int64_t elements) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    std::vector<float> x;
    for (int64_t k = 0; k < elements; ++k)
      x.push_back(static_cast<float>((n * 13 + k * 7) % 41) * 0.25f - 3);
    result.push_back({Literal::R1<float>(x)});
  }
  return result;
}

constexpr const char* kSum = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
)";

// Two participants that go on only where both have begun the all-reduce and neither waits for its
// end yet: participant 1 begins when 0 is behind its start, and 0 needs the end when 1 has passed
// it.
const std::string kOverlapping = std::string(kSum) + R"(ENTRY main {
  x = f32[8] parameter(0)
  before = f32[8] custom-call(x), custom_call_target="tests.before"
  s = f32[8] all-reduce-start(before), to_apply=add, channel_id=3, replica_groups={}
  between = f32[8] custom-call(x), custom_call_target="tests.between"
  d = f32[8] all-reduce-done(s)
  after = f32[8] custom-call(d), custom_call_target="tests.after"
  ROOT r = (f32[8], f32[8]) tuple(between, after)
})";

// A flag that is waited for, not for ever.
class Flag {
 public:
  void Set() {
    std::lock_guard<std::mutex> lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  absl::Status Wait(std::string_view what) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (changed_.wait_for(lock, 20s, [&] { return set_; })) return absl::OkStatus();
    return Unavailable("{} has not come", what);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

// Calls that know the participant by its first element.
class Calls {
 public:
  using Act = std::function<absl::Status(int participant)>;
  void Add(const std::string& name, Act act) {
    REQUIRE(registry
                ->Register("tests." + name, "Host",
                           [this, act](const CustomCallFrame& frame) -> absl::Status {
                             const auto* x = static_cast<const float*>(frame.operands[0].data);
                             auto* y = static_cast<float*>(frame.results[0].data);
                             return going_on_.Within([&]() -> absl::Status {
                               RETURN_IF_ERROR(act(static_cast<int>(x[0])));
                               std::copy(x, x + 8, y);
                               return absl::OkStatus();
                             });
                           })
                .ok());
  }
  std::shared_ptr<CustomCallRegistry> registry = std::make_shared<CustomCallRegistry>();

 private:
  CallsGoingOn going_on_;
};

// Participant n: n, 10 n + 1, ...
Arguments Numbered() {
  Arguments result;
  for (int n = 0; n < 2; ++n) {
    std::vector<float> x{static_cast<float>(n)};
    for (int k = 1; k < 8; ++k) x.push_back(static_cast<float>(10 * n + k));
    result.push_back({Literal::R1<float>(x)});
  }
  return result;
}

class Overlap {
 public:
  Overlap() {
    calls.Add("before", [this](int p) {
      return p == 1 ? begun_.Wait("participant 0 behind its start") : absl::OkStatus();
    });
    calls.Add("between", [this](int p) {
      if (p != 0) return absl::OkStatus();
      begun_.Set();
      return ended_.Wait("participant 1 behind its end");
    });
    // The sums are the same on both; the second to come finds it set.
    calls.Add("after", [this](int) {
      ended_.Set();
      return absl::OkStatus();
    });
  }

 private:
  Flag begun_, ended_;

 public:
  Calls calls;
};

TEST_CASE("Work between a start and its end runs while the collective does") {
  for (bool async : {false, true}) {
    Overlap overlap;
    CpuOptions options;
    options.threads = 2;
    options.custom_calls = overlap.calls.registry;
    const auto client = ClientOfEight(options);
    auto module = ParseFor(kOverlapping, {2, 1}).value();
    auto given = OnDevices(*client, *module, Numbered(), async);
    REQUIRE(Told(given.status()) == "ok");
    for (size_t n = 0; n < 2; ++n) {
      CHECK((*given)[n].tuple()[0] == Numbered()[n][0]);
      CHECK((*given)[n].tuple()[1] == Literal::R1<float>({1, 12, 14, 16, 18, 20, 22, 24}));
    }
  }
}

// What processes find each other by.
class Store {
 public:
  DistributedOptions OptionsOf(int process) {
    DistributedOptions o;
    o.transport = DistributedOptions::Transport::kTcp;
    o.process_id = process;
    o.process_count = 2;
    o.put_key = [this](std::string_view key, std::string_view value) {
      std::lock_guard<std::mutex> lock(mutex_);
      values_[std::string(key)] = value;
      changed_.notify_all();
      return absl::OkStatus();
    };
    o.get_key = [this](std::string_view key, double) -> absl::StatusOr<std::string> {
      std::unique_lock<std::mutex> lock(mutex_);
      const std::string name(key);
      if (!changed_.wait_for(lock, 20s, [&] { return values_.contains(name); }))
        return Unavailable("no {}", name);
      return values_[name];
    };
    return o;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<std::string, std::string> values_;
};

TEST_CASE("The same between clients that send each other messages") {
  Store store;
  Overlap overlap;
  auto run = [&](int process) -> absl::Status {
    CpuOptions options;
    options.devices = 1;
    options.threads = 2;
    options.collective_timeout = 20;
    options.custom_calls = overlap.calls.registry;
    options.distributed = store.OptionsOf(process);
    ASSIGN_OR_RETURN(const auto client, Client::Cpu(options));
    auto module = ParseFor(kOverlapping, {2, 1}).value();
    ASSIGN_OR_RETURN(const auto given, OnDevices(*client, *module, Numbered()));
    return ExpectEqual(given[0].tuple()[1], Literal::R1<float>({1, 12, 14, 16, 18, 20, 22, 24}));
  };
  absl::Status other;
  std::thread thread([&] { other = run(1); });
  CHECK(Told(run(0)) == "ok");
  thread.join();
  CHECK(Told(other) == "ok");
}

TEST_CASE("Collectives that only begin give what others give", "[processes]") {
  const auto client = ClientOfEight();
  // Several at a time, operands that are read meanwhile and afterwards, results that are results.
  const std::string several = std::string(kSum) + R"(ENTRY main {
  x = f32[600] parameter(0)
  y = f32[600] multiply(x, x)
  a = f32[600] all-reduce-start(y), to_apply=add, replica_groups={{0,1},{2,3}}
  b = (f32[600], f32[2400]) all-gather-start(x), dimensions={0}, replica_groups={}
  c = (f32[600], f32[600], u32[], u32[]) collective-permute-start(y), source_target_pairs={{0,1},{1,2},{3,0}}
  d = f32[600] all-reduce-start(x), to_apply=add, replica_groups={{0,1},{2,3}}
  between = f32[600] negate(y)
  more = f32[600] subtract(between, x)
  e = f32[600] all-reduce-done(a)
  f = f32[2400] all-gather-done(b)
  g = f32[600] collective-permute-done(c)
  h = f32[600] all-reduce-done(d)
  i = f32[600] add(e, y)
  j = f32[600] multiply(i, more)
  k = f32[600] add(j, g)
  ROOT r = (f32[600], f32[2400], f32[600], f32[600]) tuple(k, f, more, h)
})";
  CHECK(Told(SameOnDevices(*client, several, {4, 1}, Rows(4, 600))) == "ok");

  // One after the other, each beside work that needs none of them; large ones in pieces.
  const std::string chain = std::string(kSum) + R"(ENTRY main {
  x = f32[70000] parameter(0)
  a = f32[70000] all-reduce-start(x), to_apply=add, replica_groups={}
  b = f32[70000] all-reduce-done(a)
  c = f32[70000] abs(b)
  d = f32[70000] all-reduce-start(c), to_apply=add, replica_groups={}
  e = f32[70000] all-reduce-done(d)
  u = f32[70000] negate(x)
  v = f32[70000] multiply(u, x)
  w = f32[70000] add(v, b)
  ROOT r = f32[70000] add(e, w)
})";
  CHECK(Told(SameOnDevices(*client, chain, {3, 1}, Rows(3, 70000))) == "ok");

  // In a loop, whose state is reduced where it is.
  const std::string loop =
      std::string(kSum) + R"(less { t = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
step { t = (s32[], f32[300], f32[300]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[300] get-tuple-element(t), index=1
  z = f32[300] get-tuple-element(t), index=2
  one = s32[] constant(1)
  j = s32[] add(i, one)
  s = f32[300] all-reduce-start(x), to_apply=add, replica_groups={{0,1},{2,3}}
  q = f32[300] negate(z)
  d = f32[300] all-reduce-done(s)
  half = f32[] constant(0.5)
  h = f32[300] broadcast(half), dimensions={}
  y = f32[300] multiply(d, h)
  p = f32[300] add(q, y)
  ROOT r = (s32[], f32[300], f32[300]) tuple(j, y, p)
}
ENTRY main {
  x = f32[300] parameter(0)
  zero = s32[] constant(0)
  s = (s32[], f32[300], f32[300]) tuple(zero, x, x)
  w = (s32[], f32[300], f32[300]) while(s), condition=less, body=step
  y = f32[300] get-tuple-element(w), index=1
  z = f32[300] get-tuple-element(w), index=2
  ROOT out = f32[300] add(y, z)
})";
  CHECK(Told(SameOnDevices(*client, loop, {4, 1}, Rows(4, 300))) == "ok");

  // Collectives that XLA has no start for, by a computation; one that only some take part in.
  const std::string wrapped = std::string(kSum) + R"(scatter { x = f32[40] parameter(0)
  ROOT y = f32[10] reduce-scatter(x), dimensions={0}, to_apply=add, replica_groups={}
}
ENTRY main {
  x = f32[40] parameter(0)
  s = ((f32[40]), f32[10], u32[]) async-start(x), calls=scatter
  n = f32[40] negate(x)
  p = (f32[40], f32[40], u32[], u32[]) collective-permute-start(n), source_target_pairs={{0,1}}
  d = f32[10] async-done(s)
  m = f32[40] abs(x)
  q = f32[40] collective-permute-done(p)
  e = f32[40] add(q, m)
  ROOT r = (f32[10], f32[40]) tuple(d, e)
})";
  CHECK(Told(SameOnDevices(*client, wrapped, {4, 1}, Rows(4, 40))) == "ok");
}

TEST_CASE("StableHLO's futures begin collectives") {
  const std::string text = R"(func.func @main(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %f = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<8xf32>):
      %s = "stablehlo.all_reduce"(%a) ({
        ^bb0(%p: tensor<f32>, %q: tensor<f32>):
          %t = stablehlo.add %p, %q : tensor<f32>
          stablehlo.return %t : tensor<f32>
      }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<8xf32>) -> tensor<8xf32>
      stablehlo.return %s : tensor<8xf32>
  }) : (tensor<8xf32>) -> !stablehlo.future<tensor<8xf32>>
  %n = stablehlo.negate %x : tensor<8xf32>
  %d = "stablehlo.async_done"(%f) : (!stablehlo.future<tensor<8xf32>>) -> tensor<8xf32>
  func.return %n, %d : tensor<8xf32>, tensor<8xf32>
})";
  auto parsed = ParseStablehlo(text, "test.mlir");
  REQUIRE(Told(parsed.status()) == "ok");
  std::shared_ptr<HloModule> module = *std::move(parsed);
  module->set_replica_count(2);
  int begin = 0;
  for (const auto& i : module->entry()->instructions()) begin += IsAsync(*i);
  CHECK(begin == 1);
  const auto client = ClientOfEight();
  auto given = OnDevices(*client, *module, Numbered());
  REQUIRE(Told(given.status()) == "ok");
  CHECK((*given)[1].tuple()[1] == Literal::R1<float>({1, 12, 14, 16, 18, 20, 22, 24}));
}

TEST_CASE("One that fails between a start and its end ends the others") {
  for (int which : {0, 1}) {
    std::atomic<bool> fails{true};
    Calls calls;
    calls.Add("before", [](int) { return absl::OkStatus(); });
    calls.Add("after", [](int) { return absl::OkStatus(); });
    calls.Add("between", [&](int p) {
      if (p != which) std::this_thread::sleep_for(2ms);
      return p == which && fails ? absl::ResourceExhaustedError("no more ink") : absl::OkStatus();
    });
    for (int threads : {1, 2}) {
      CpuOptions options;
      options.threads = threads;
      options.custom_calls = calls.registry;
      const auto client = ClientOfEight(options);
      auto module = ParseFor(kOverlapping, {2, 1}).value();
      for (int run = 0; run < 20; ++run) {
        fails = run % 2 == 0;
        const absl::Status s =
            OnDevices(*client, *module, Numbered(), /*async=*/run % 4 < 2).status();
        if (!fails) CHECK(Told(s) == "ok");
        if (fails) CHECK(Told(s).find("no more ink") != std::string::npos);
      }
    }
  }
}

TEST_CASE("One that does not begin ends those who wait for the end after the timeout") {
  std::atomic<bool> go{false};
  Calls calls;
  calls.Add("before", [&](int p) {
    while (p == 1 && !go) std::this_thread::sleep_for(1ms);
    return absl::OkStatus();
  });
  calls.Add("between", [](int) { return absl::OkStatus(); });
  calls.Add("after", [](int) { return absl::OkStatus(); });
  CpuOptions options;
  options.threads = 2;
  options.collective_timeout = 0.05;
  options.custom_calls = calls.registry;
  const auto client = ClientOfEight(options);
  auto module = ParseFor(kOverlapping, {2, 1}).value();
  CompileOptions how;
  how.replicas = 2;
  Executable e = client->core()->CompileModule(*module, how).value();
  std::vector<std::vector<Buffer>> arguments;
  for (int n = 0; n < 2; ++n)
    arguments.push_back(
        {client->BufferFromLiteral(Numbered()[static_cast<size_t>(n)][0], n).value()});
  std::vector<Event> done;
  auto results = e.ExecuteOnDevicesAsync(arguments, {}, &done).value();
  for (const Event& d : done) {
    std::atomic<bool> set{false};
    d.OnReady([&](const absl::Status& s) {
      CHECK(s.code() == absl::StatusCode::kUnavailable);
      CHECK(Told(s).find("all-reduce 's' (channel 3): arrived participant 0; missing participant "
                         "1") != std::string::npos);
      set = true;
    });
    while (!set) std::this_thread::sleep_for(1ms);
  }
  go = true;
  CHECK(Told(e.ExecuteOnDevices(arguments).status()) == "ok");
}

}  // namespace
}  // namespace sinter::testing
