// Programs of several participants on several GPUs, against the interpreter.
#include <catch2/catch.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>

#include "base/status.h"
#include "clients.h"
#include "collectives/run.h"
#include "cuda/driver/fake_driver.h"
#include "cuda/nccl/fake_nccl.h"
#include "sinter/custom_call.h"

namespace sinter::nccl_test {
namespace {

using sinter::testing::Arguments;
using sinter::testing::SameOnDevices;
using sinter::testing::Told;

// Small whole numbers, whose sums are exact in any order.
Arguments Numbers(int64_t participants, ElementType t, std::vector<int64_t> dims) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    Literal numbers(Shape(ElementType::S32, dims));
    auto data = numbers.data<int32_t>();
    for (size_t k = 0; k < data.size(); ++k)
      data[k] = static_cast<int32_t>((n * 7 + static_cast<int64_t>(k) * 5) % 13 + 1);
    result.push_back({numbers.Convert(t).value()});
  }
  return result;
}

std::string Reducer(ElementType t, std::string_view op) {
  const std::string s = Shape(t).ToString();
  return Format("f {{ a = {} parameter(0)\n b = {} parameter(1)\n ROOT r = {} {}(a, b)\n}}\n", s, s,
                s, op);
}

std::string Program(ElementType t, std::string_view op, const std::string& shape,
                    const std::string& body) {
  return Format("HloModule m\n{}ENTRY main {{\n x = {} parameter(0)\n{}}}\n", Reducer(t, op), shape,
                body);
}

TEST_CASE("A client has the machine's GPUs, and buffers are copied between them") {
  Fixture fixture;
  CudaOptions two;
  two.devices = {2, 0};
  const auto client = *MakeClient(two);
  CHECK(client->device_count() == 2);
  CHECK(client->local_devices() == std::vector<int>{0, 1});
  const Literal x = Literal::R1<float>({1, 2, 3});
  const Buffer a = *client->BufferFromLiteral(x, 1);
  CHECK(a.device() == 1);
  CHECK(client->memory_stats(1).in_use > 0);
  CHECK(client->memory_stats(0).in_use == 0);
  const Buffer b = *a.CopyToDevice(0);
  CHECK(b.device() == 0);
  CHECK(b.ToLiteral().value() == x);
  CHECK(client->memory_stats(0).in_use > 0);
  CHECK(fake_cuda::Calls()["cuMemcpyPeerAsync"] == 1);
  CHECK(fake_cuda::Calls()["cuMemPoolSetAccess"] == 2);
  CHECK_FALSE(a.CopyToDevice(2).ok());
  two.devices = {1, 1};
  CHECK(Told(MakeClient(two).status()) == "CUDA device 1 is named twice");
  two.devices = {0, 4};
  CHECK(Told(MakeClient(two).status()) == "CUDA device 4 of 4");
  const auto all = *MakeClient();
  CHECK(all->device_count() == kDevices);
  // An executable of one device, on another than the first.
  auto module = testing::ParseFor(
      "HloModule m\nENTRY main { x = f32[3] parameter(0)\n ROOT y = f32[3] add(x, x) }", {1, 1});
  CHECK(testing::OnDevices(*all, **module, {{x}}, false, {3}).value()[0] ==
        Literal::Tuple({Literal::R1<float>({2, 4, 6})}));
}

TEST_CASE("Exchanges of GPUs give what the interpreter's do") {
  Fixture fixture;
  fake_cuda::Settings settings;
  settings.devices = kDevices;
  settings.most_delay_us = GENERATE(0, 300);
  fake_cuda::Configure(settings);
  const auto client = *MakeClient();
  const ElementType f32 = ElementType::F32;
  const std::string x = "f32[3,8,2]";
  const std::string bodies[] = {
      " ROOT y = f32[3,8,2] all-reduce(x), to_apply=f, replica_groups={}\n",
      " ROOT y = f32[3,8,2] all-reduce(x), to_apply=f, replica_groups={{3,1},{0,2}}\n",
      " s = f32[1,8,2] slice(x), slice={[0:1], [0:8], [0:2]}\n ROOT y = (f32[3,8,2], f32[1,8,2]) "
      "all-reduce(x, s), to_apply=f, replica_groups={}\n",
      " ROOT y = f32[12,8,2] all-gather(x), dimensions={0}, replica_groups={}\n",
      " ROOT y = f32[3,32,2] all-gather(x), dimensions={1}, replica_groups={{2,0,3,1}}\n",
      " ROOT y = f32[3,2,2] reduce-scatter(x), dimensions={1}, to_apply=f, replica_groups={}\n",
      " ROOT y = f32[3,8,2] all-to-all(x), dimensions={1}, replica_groups={}\n",
      " ROOT y = f32[3,8,2] collective-broadcast(x), replica_groups={{2,0,1,3}}\n",
      " ROOT y = f32[3,8,2] collective-permute(x), source_target_pairs={{0,1},{1,2},{2,0}}\n",
      " r = u32[] replica-id()\n s = f32[] convert(r)\n b = f32[3,8,2] broadcast(s), "
      "dimensions={}\n z = f32[3,8,2] multiply(x, b)\n ROOT y = f32[3,8,2] all-reduce(z), "
      "to_apply=f, replica_groups={}\n"};
  for (const std::string& body : bodies) {
    INFO(body);
    CHECK(Told(SameOnDevices(*client, Program(f32, "add", x, body), {4, 1},
                             Numbers(4, f32, {3, 8, 2}))) == "ok");
  }
  CHECK(fake_nccl::Calls()["ncclAllReduce"] > 0);
  // One communicator for each order of devices, kept.
  CHECK(fake_nccl::Calls()["ncclGetUniqueId"] <= 8);
}

TEST_CASE("What NCCL does not reduce is exchanged whole") {
  Fixture fixture;
  const auto client = *MakeClient();
  for (const char* op : {"maximum", "subtract"}) {
    for (const char* body :
         {" ROOT y = f32[4,3] all-reduce(x), to_apply=f, replica_groups={{1,0},{2,3}}\n",
          " ROOT y = f32[4,3] all-reduce(x), to_apply=f, channel_id=1, "
          "replica_groups={{0,3},{1,2}}, "
          "use_global_device_ids=true\n",
          " ROOT y = f32[2,3] reduce-scatter(x), dimensions={0}, to_apply=f, "
          "replica_groups={{1,0},{2,3}}\n"}) {
      INFO(op << body);
      Arguments x = Numbers(4, ElementType::F32, {4, 3});
      x[1][0].data<float>()[5] = std::numeric_limits<float>::quiet_NaN();
      CHECK(Told(SameOnDevices(*client, Program(ElementType::F32, op, "f32[4,3]", body), {4, 1},
                               x)) == "ok");
    }
  }
}

TEST_CASE("Rows of different numbers, channels, loops on GPUs") {
  Fixture fixture;
  const auto client = *MakeClient();
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
  Arguments rows{{x(0), r1({0, 1}), r1({1, 2}), r1({0, 0}), r1({1, 1})},
                 {x(10), r1({0, 1}), r1({1, 1}), r1({3, 2}), r1({2, 1})}};
  CHECK(Told(SameOnDevices(*client, ragged, {2, 1}, rows)) == "ok");
  rows[0][2] = r1({1, 3});
  CHECK(Told(testing::OnDevices(*client, *testing::ParseFor(ragged, {2, 1}).value(), rows).status())
            .find("sends 3 rows from 1 on") != std::string::npos);

  const std::string pairs =
      "frontend_attributes={_xla_send_recv_source_target_pairs=\"{{0,1},{1,2},{2,0}}\"}";
  const std::string ring =
      "HloModule m\nENTRY main {\nx = f32[50] parameter(0)\ny = f32[50] negate(x)\nt = token[] "
      "after-all()\nr = (f32[50], u32[], token[]) recv(t), channel_id=1, " +
      pairs + "\ns = (f32[50], u32[], token[]) send(y, t), channel_id=1, " + pairs +
      "\nrd = (f32[50], token[]) recv-done(r), channel_id=1\nsd = token[] send-done(s), "
      "channel_id=1\nz = f32[50] get-tuple-element(rd), index=0\nROOT w = f32[50] add(z, x)\n}";
  CHECK(Told(SameOnDevices(*client, ring, {4, 1}, Numbers(4, ElementType::F32, {50}))) == "ok");
  // From device to device: three sends, run twice.
  CHECK(fake_cuda::Calls()["cuMemcpyPeerAsync"] == 6);

  const std::string loop = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
less { t = (s32[], f32[30]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(4)
  ROOT c = pred[] compare(i, n), direction=LT
}
step { t = (s32[], f32[30]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[30] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[30] all-reduce(x), to_apply=add, replica_groups={{0,1},{2,3}}
  ROOT r = (s32[], f32[30]) tuple(j, y)
}
ENTRY main {
  x = f32[30] parameter(0)
  r = u32[] replica-id()
  id = s32[] convert(r)
  two = s32[] constant(2)
  start = s32[] divide(id, two)
  s = (s32[], f32[30]) tuple(start, x)
  w = (s32[], f32[30]) while(s), condition=less, body=step
  ROOT y = f32[30] get-tuple-element(w), index=1
})";
  CHECK(Told(SameOnDevices(*client, loop, {4, 1}, Numbers(4, ElementType::F32, {30}))) == "ok");
}

// A flag that a stream's thread waits for, not for ever.
class StreamFlag {
 public:
  void Set() {
    std::lock_guard<std::mutex> lock(mutex_);
    set_ = true;
    changed_.notify_all();
  }
  bool Wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(20), [&] { return set_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool set_ = false;
};

TEST_CASE("GPUs work between a collective's start and its end") {
  Fixture fixture;
  StreamFlag begun, ended;
  const auto registry = std::make_shared<CustomCallRegistry>();
  // On the device: what it does for the participant that its first element names, then a copy.
  auto add = [&](const std::string& name, const std::function<bool(int)>& act) {
    REQUIRE(registry
                ->Register("tests." + name, "CUDA",
                           [act](const CustomCallFrame& frame) -> absl::Status {
                             const void* from = frame.operands[0].data;
                             void* to = frame.results[0].data;
                             const bool submitted = fake_cuda::SubmitToStream(frame.stream, [=] {
                               constexpr size_t kBytes = 8 * sizeof(float);
                               const char* x = fake_cuda::MemoryAt(from, kBytes);
                               char* y = fake_cuda::MemoryAt(to, kBytes);
                               float first = 0;
                               std::memcpy(&first, x, sizeof first);
                               if (!act(static_cast<int>(first))) return 999;  // CUDA_ERROR_UNKNOWN
                               std::memcpy(y, x, kBytes);
                               return 0;
                             });
                             return submitted ? absl::OkStatus() : Internal("no stream");
                           })
                .ok());
  };
  // Device 1 begins when 0 is behind its start, and 0 goes on when 1 has the sum.
  add("before", [&](int p) { return p != 1 || begun.Wait(); });
  add("between", [&](int p) {
    if (p == 0) begun.Set();
    return p != 0 || ended.Wait();
  });
  add("after", [&](int) {
    ended.Set();
    return true;
  });
  CudaOptions options;
  options.custom_calls = registry;
  const auto client = *MakeClient(options);
  const std::string text = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[8] parameter(0)
  before = f32[8] custom-call(x), custom_call_target="tests.before"
  s = f32[8] all-reduce-start(before), to_apply=add, replica_groups={}
  between = f32[8] custom-call(x), custom_call_target="tests.between"
  d = f32[8] all-reduce-done(s)
  after = f32[8] custom-call(d), custom_call_target="tests.after"
  ROOT r = (f32[8], f32[8]) tuple(between, after)
})";
  Arguments x;
  for (float n : {0.0F, 1.0F}) x.push_back({Literal::R1<float>({n, n + 1, 2, 3, 4, 5, 6, 7})});
  auto given = testing::OnDevices(*client, *testing::ParseFor(text, {2, 1}).value(), x);
  REQUIRE(Told(given.status()) == "ok");
  for (size_t n = 0; n < 2; ++n) {
    CHECK((*given)[n].tuple()[0] == x[n][0]);
    CHECK((*given)[n].tuple()[1] == Literal::R1<float>({1, 3, 4, 6, 8, 10, 12, 14}));
  }
}

TEST_CASE("Collectives of GPUs that only begin give what others give") {
  Fixture fixture;
  fake_cuda::Settings settings;
  settings.devices = kDevices;
  settings.most_delay_us = 300;
  fake_cuda::Configure(settings);
  const auto client = *MakeClient();
  const std::string text = R"(HloModule m
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[60] parameter(0)
  y = f32[60] multiply(x, x)
  a = f32[60] all-reduce-start(y), to_apply=add, replica_groups={{0,1},{2,3}}
  b = (f32[60], f32[240]) all-gather-start(x), dimensions={0}, replica_groups={}
  c = (f32[60], f32[60], u32[], u32[]) collective-permute-start(y), source_target_pairs={{0,1},{1,2},{3,0}}
  between = f32[60] negate(y)
  m = f32[60] all-reduce(between), to_apply=add, replica_groups={{0,1},{2,3}}
  e = f32[60] all-reduce-done(a)
  f = f32[240] all-gather-done(b)
  g = f32[60] collective-permute-done(c)
  i = f32[60] add(e, y)
  j = f32[60] add(i, m)
  k = f32[60] add(j, g)
  ROOT r = (f32[60], f32[240]) tuple(k, f)
})";
  for (int run = 0; run < 5; ++run)
    CHECK(Told(SameOnDevices(*client, text, {4, 1}, Numbers(4, ElementType::F32, {60}))) == "ok");
}

TEST_CASE("All types that GPUs reduce", "[.][standard]") {
  Fixture fixture;
  const auto client = *MakeClient();
  for (ElementType t :
       {ElementType::PRED, ElementType::S8, ElementType::U8, ElementType::S16, ElementType::S32,
        ElementType::U32, ElementType::S64, ElementType::U64, ElementType::F16, ElementType::BF16,
        ElementType::F64, ElementType::F8E4M3FN, ElementType::C64}) {
    const std::string x = Shape(t, {2, 4}).ToString(), half = Shape(t, {2, 2}).ToString();
    for (std::string_view op : {"add", "multiply", "maximum"}) {
      if (IsPredicate(t) != (op == "maximum") && IsPredicate(t)) continue;
      if (IsComplex(t) && op == "maximum") continue;
      const std::string f = IsPredicate(t) ? "or" : std::string(op);
      INFO(x << " " << f);
      CHECK(Told(SameOnDevices(*client,
                               Program(t, f, x,
                                       Format(" a = {} all-reduce(x), to_apply=f, "
                                              "replica_groups={{}}\n s = {} reduce-scatter(x), "
                                              "dimensions={{1}}, to_apply=f, replica_groups={{}}\n "
                                              "ROOT r = ({}, {}) tuple(a, s)\n",
                                              x, half, x, half)),
                               {2, 1}, Numbers(2, t, {2, 4}))) == "ok");
    }
  }
}

}  // namespace
}  // namespace sinter::nccl_test
