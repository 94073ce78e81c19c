// GPUs of several processes: each runs these tests (collectives/processes.py), with a fake driver
// of its own.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "clients.h"
#include "collectives/run.h"
#include "cuda/driver/fake_driver.h"
#include "cuda/nccl/fake_nccl.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nccl.h"
#include "sinter/custom_call.h"

namespace sinter::nccl_test {
namespace {

using namespace std::chrono_literals;
using sinter::testing::Arguments;
using sinter::testing::ParseFor;
using sinter::testing::SameOnDevices;
using sinter::testing::Told;

std::shared_ptr<Client> OfProcesses(double timeout, CudaOptions options = {}) {
  options.devices = {0, 1};
  options.collective_timeout = timeout;
  options.distributed = testing::FromEnvironment();
  return MakeClient(options).value();
}

Arguments Whole(int64_t participants, int64_t elements) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    std::vector<float> x;
    for (int64_t k = 0; k < elements; ++k) x.push_back(static_cast<float>((n * 7 + k * 5) % 13));
    result.push_back({Literal::R1<float>(x)});
  }
  return result;
}

std::string Program(std::string_view name, std::string_view op, std::string_view of = "") {
  return Format(
      "HloModule {}\nf {{ a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] {}(a, "
      "b)\n}}\nENTRY main {{\n x = f32[8] parameter(0)\n h = f32[8] {}\n ROOT y = f32[8] "
      "all-reduce(h), to_apply=f, channel_id=5, replica_groups={{}}\n}}\n",
      name, op, of.empty() ? "negate(x)" : of);
}

absl::Status Together(Client& client) {
  const int64_t n = client.process_count();
  return SameOnDevices(client, Program("together", "add"), {n, 1}, Whole(n, 8));
}

absl::Status RunOnce(Client& client, const std::string& text, bool async) {
  const int64_t n = client.process_count();
  return testing::OnDevices(client, *ParseFor(text, {n, 1}).value(), Whole(n, 8), async).status();
}

TEST_CASE("GPUs of several processes give what one process does", "[.][processes]") {
  Fixture fixture;
  const auto client = OfProcesses(60);
  const int64_t n = 2 * client->process_count();
  CHECK(client->device_count() == n);
  for (int turn = 0; turn < 3; ++turn) {
    CHECK(Told(SameOnDevices(*client, Program("sum", "add"), {n, 1}, Whole(n, 8))) == "ok");
    CHECK(Told(SameOnDevices(*client, Program("most", "maximum"), {n, 1}, Whole(n, 8))) == "ok");
    CHECK(Told(Together(*client)) == "ok");
  }
  const std::string pairs =
      "HloModule m\nENTRY main {\n x = f32[8] parameter(0)\n y = f32[8] collective-permute(x), "
      "source_target_pairs={{0,1},{1,0},{2,3}}\n z = f32[16] all-gather(y), dimensions={0}, "
      "replica_groups={{1,0},{3,2}}\n r = u32[] replica-id()\n i = f32[] convert(r)\n b = f32[16] "
      "broadcast(i), dimensions={}\n ROOT w = f32[16] add(z, b)\n}";
  CHECK(Told(SameOnDevices(*client, pairs, {4, 1}, Whole(4, 8))) == "ok");
  const std::string ragged = R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  in = s64[2] parameter(1)
  send = s64[2] parameter(2)
  to = s64[2] parameter(3)
  got = s64[2] parameter(4)
  c = f32[] constant(-1)
  out = f32[4] broadcast(c), dimensions={}
  ROOT y = f32[4] ragged-all-to-all(x, out, in, send, to, got), replica_groups={{0,1}}
})";
  auto r1 = [](std::vector<int64_t> v) { return Literal::R1<int64_t>(v); };
  const Arguments rows{
      {Literal::R1<float>({1, 2, 3, 4}), r1({0, 1}), r1({1, 2}), r1({0, 0}), r1({1, 1})},
      {Literal::R1<float>({5, 6, 7, 8}), r1({0, 1}), r1({1, 1}), r1({3, 2}), r1({2, 1})}};
  CHECK(Told(SameOnDevices(*client, ragged, {2, 1}, rows)) == "ok");
}

// A process's first device comes to its group before the other one: processes come to the groups in
// different orders, and each group needs a communicator of its own.
TEST_CASE("Groups over the same processes do not wait for one another", "[.][processes]") {
  Fixture fixture;
  const auto registry = std::make_shared<CustomCallRegistry>();
  const auto calls = std::make_shared<std::atomic<int>>(0);
  REQUIRE(registry
              ->Register("tests.second_is_late", "CUDA",
                         [calls](const CustomCallFrame& frame) -> absl::Status {
                           if ((*calls)++ % 2 == 1) std::this_thread::sleep_for(50ms);
                           const void* from = frame.operands[0].data;
                           void* to = frame.results[0].data;
                           const bool submitted = fake_cuda::SubmitToStream(frame.stream, [=] {
                             constexpr size_t kBytes = 8 * sizeof(float);
                             std::memcpy(fake_cuda::MemoryAt(to, kBytes),
                                         fake_cuda::MemoryAt(from, kBytes), kBytes);
                             return 0;
                           });
                           return submitted ? absl::OkStatus() : Internal("no stream");
                         })
              .ok());
  CudaOptions options;
  options.custom_calls = registry;
  const auto client = OfProcesses(10, options);
  const auto processes = static_cast<size_t>(client->process_count());
  const auto self = static_cast<size_t>(client->process_id());
  const auto count = static_cast<int64_t>(2 * processes);
  // Of one process's first device and another one's second.
  std::vector<std::string> groups;
  for (int64_t n = 0; 2 * n < count; ++n) groups.push_back(Format("{{{},{}}}", n, count - 1 - n));
  const auto text = [&](std::string_view h) {
    return Format(
        "HloModule crossed\nf {{ a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] "
        "add(a, b)\n}}\nENTRY main {{\n x = f32[8] parameter(0)\n h = f32[8] {}\n y = f32[8] "
        "all-reduce(h), to_apply=f, channel_id=1, replica_groups={{{}}}\n ROOT z = f32[8] "
        "all-reduce(y), to_apply=f, channel_id=2, replica_groups={{}}\n}}\n",
        h, Join(groups, ","));
  };
  const auto parsed = [&](std::string_view h) { return *ParseFor(text(h), {count, 1}); };
  const Arguments x = Whole(count, 8);
  const auto expected = *testing::Interpreted(*parsed("copy(x)"), x);
  const auto slow = parsed("custom-call(x), custom_call_target=\"tests.second_is_late\"");
  for (bool async : {false, true}) {
    const auto given = testing::OnDevices(*client, *slow, x, async);
    REQUIRE(Told(given.status()) == "ok");
    for (size_t k = 0; k < given->size(); ++k)
      CHECK((*given)[k].tuple()[0] == expected[k * processes + self]);
  }
}

// Two sums over all, of which the first only begins, each of what the one before gives: on the
// devices of all processes, one of each in turn.
class Repeated {
 public:
  explicit Repeated(Client& client) {
    ReuseMemory();
    const int64_t participants = 2 * client.process_count();
    module_ = *ParseFor(R"(HloModule repeated
f { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[100] parameter(0)
  n = f32[100] negate(x)
  a = f32[100] all-reduce-start(n), to_apply=f, channel_id=1, replica_groups={}
  m = f32[100] add(x, x)
  d = f32[100] all-reduce-done(a)
  e = f32[100] subtract(m, d)
  y = f32[100] all-reduce(e), to_apply=f, channel_id=2, replica_groups={}
  ROOT z = f32[100] subtract(y, m)
})",
                        {participants, 1});
    arguments_ = Whole(participants, 100);
    CompileOptions options;
    options.replicas = static_cast<int>(participants);
    for (int k = 0; k < 2; ++k) {
      for (int p = 0; p < client.process_count(); ++p)
        options.device_assignment.push_back(2 * p + k);
    }
    executable_ = *client.core()->CompileModule(*module_, options);
    for (int64_t n : executable_.local_participants()) {
      const auto k = static_cast<size_t>(n);
      buffers_.push_back({*client.BufferFromLiteral(arguments_[k][0], executable_.devices()[k])});
    }
  }
  absl::Status Run(bool async = false) const {
    ASSIGN_OR_RETURN(auto results, async ? executable_.ExecuteOnDevicesAsync(buffers_)
                                         : executable_.ExecuteOnDevices(buffers_));
    ASSIGN_OR_RETURN(auto expected, testing::Interpreted(*module_, arguments_));
    for (size_t k = 0; k < results.size(); ++k) {
      ASSIGN_OR_RETURN(Literal x, results[k][0].ToLiteral());
      if (!(x == expected[static_cast<size_t>(executable_.local_participants()[k])]))
        return absl::DataLossError("wrong results");
    }
    return absl::OkStatus();
  }

 private:
  std::shared_ptr<HloModule> module_;
  Arguments arguments_;
  Executable executable_;
  std::vector<std::vector<Buffer>> buffers_;
};

TEST_CASE("Exchanges with GPUs of other processes are graphs when they come again",
          "[.][processes]") {
  Fixture fixture;
  const auto client = OfProcesses(60);
  const Repeated program(*client);
  REQUIRE(Told(program.Run()) == "ok");
  REQUIRE(Told(program.Run()) == "ok");
  CHECK(GraphLaunches() == 2);
  const int calls = fake_nccl::Calls()["ncclAllReduce"];
  for (bool async : {false, true, false, true}) REQUIRE(Told(program.Run(async)) == "ok");
  CHECK(GraphLaunches() == 5 * 2);
  CHECK(fake_nccl::Calls()["ncclAllReduce"] == calls);
  REQUIRE(Told(Together(*client)) == "ok");
  REQUIRE(Told(program.Run()) == "ok");
}

TEST_CASE("Where a process cannot capture, none does", "[.][processes]") {
  Fixture fixture;
  const auto client = OfProcesses(60);
  const Repeated program(*client);
  REQUIRE(Told(program.Run()) == "ok");
  if (client->process_id() == 1) {
    if (GENERATE(false, true)) {
      fake_cuda::InjectFault("cuStreamBeginCapture_v2", 1,
                             static_cast<int>(runtime::cuda::Result::kNotSupported));
    } else {
      fake_nccl::InjectFault("ncclAllReduce", 2,
                             static_cast<int>(runtime::cuda::NcclResult::kInvalidUsage));
    }
  } else {
    GENERATE(false, true);
  }
  for (bool async : {false, true, false, true}) REQUIRE(Told(program.Run(async)) == "ok");
  CHECK(GraphLaunches() == 0);
}

TEST_CASE("Graphs with exchanges of several processes that fail are made anew",
          "[.][process_faults]") {
  Fixture fixture;
  const auto client = OfProcesses(2);
  const Repeated program(*client);
  for (int run = 0; run < 3; ++run) REQUIRE(Told(program.Run()) == "ok");
  const bool odd = client->process_id() == 1;
  for (bool async : {false, true}) {
    const int64_t launches = GraphLaunches();
    if (odd) fake_nccl::Hang(1);
    const absl::Status s = program.Run(async);
    INFO(Told(s));
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    CHECK(Told(s).find("repeated: one of all-reduce 'a' (channel 1), all-reduce 'y' (channel 2)") !=
          std::string::npos);
    CHECK(GraphLaunches() > launches);
    if (odd) fake_nccl::Reset();
    for (int run = 0; run < 3; ++run) REQUIRE(Told(program.Run(async)) == "ok");
    CHECK(GraphLaunches() > launches + 2);
  }
  // A process that fails to capture tells the others.
  const Repeated other(*client);
  REQUIRE(Told(other.Run()) == "ok");
  if (odd) {
    fake_cuda::InjectFault("cuGraphInstantiateWithFlags", 2,
                           static_cast<int>(runtime::cuda::Result::kOutOfMemory));
  }
  const absl::Status s = other.Run();
  INFO(Told(s));
  CHECK(s.code() == absl::StatusCode::kResourceExhausted);
  CHECK(Told(s).find("cuGraphInstantiate") != std::string::npos);
  for (int run = 0; run < 3; ++run) REQUIRE(Told(other.Run()) == "ok");
  REQUIRE(Told(Together(*client)) == "ok");
}

TEST_CASE("Processes whose GPUs disagree or do not come are told of", "[.][process_faults]") {
  Fixture fixture;
  const auto client = OfProcesses(2);
  const bool odd = client->process_id() == 1;
  REQUIRE(Told(Together(*client)) == "ok");
  for (bool async : {false, true}) {
    const absl::Status s = RunOnce(*client, Program("disagree", odd ? "multiply" : "add"), async);
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("all-reduce 'y' (channel 5)") != std::string::npos);
    CHECK(Told(s).find("multiply") != std::string::npos);
    REQUIRE(Told(Together(*client)) == "ok");
  }
  if (odd) std::this_thread::sleep_for(4s);
  const absl::Status s = RunOnce(*client, Program("late", "add"), false);
  CHECK(s.code() == absl::StatusCode::kUnavailable);
  CHECK(Told(s).find("missing participant 1") != std::string::npos);
  if (!odd) std::this_thread::sleep_for(2500ms);
  REQUIRE(Told(Together(*client)) == "ok");
}

TEST_CASE("A device that hangs ends those of other processes, and all go on",
          "[.][process_faults]") {
  Fixture fixture;
  const auto client = OfProcesses(2);
  REQUIRE(Told(Together(*client)) == "ok");
  if (client->process_id() == 1) fake_nccl::Hang(1);
  const absl::Status s = RunOnce(*client, Program("hangs", "multiply"), false);
  INFO(Told(s));
  CHECK(s.code() == absl::StatusCode::kUnavailable);
  CHECK(Told(s).find("hangs: all-reduce 'y' (channel 5)") != std::string::npos);
  fake_nccl::Reset();
  // With a new communicator, whichever processes have given up the old one.
  CHECK(Told(Together(*client)) == "ok");
}

TEST_CASE("A process that dies ends the exchanges of the others' GPUs", "[.][death]") {
  Fixture fixture;
  const auto registry = std::make_shared<CustomCallRegistry>();
  const bool dies = testing::FromEnvironment().process_id == 1;
  REQUIRE(registry
              ->Register("tests.die", "CUDA",
                         [dies](const CustomCallFrame&) -> absl::Status {
                           if (dies) std::raise(SIGKILL);
                           return absl::OkStatus();
                         })
              .ok());
  CudaOptions options;
  options.custom_calls = registry;
  const auto client = OfProcesses(5, options);
  REQUIRE(Told(Together(*client)) == "ok");
  for (bool async : {false, true}) {
    const auto begin = std::chrono::steady_clock::now();
    const absl::Status s = RunOnce(
        *client, Program("dies", "add", "custom-call(x), custom_call_target=\"tests.die\""), async);
    INFO(Told(s));
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    CHECK(Told(s).find("participant 1") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < 5s);
  }
}

}  // namespace
}  // namespace sinter::nccl_test
