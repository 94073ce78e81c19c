// Exchanges of GPUs that fail: what is said, what is left behind, and whether the client is of use
// afterwards.
#include <catch2/catch.hpp>

#include <atomic>
#include <chrono>
#include <set>
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

using runtime::cuda::NcclResult;
using sinter::testing::ParseFor;
using sinter::testing::Told;

constexpr const char* kSum = R"(HloModule sum
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] all-reduce(x), to_apply=add, channel_id=5, replica_groups={{0,1}}, use_global_device_ids=true
  ROOT z = f32[4] collective-permute(y), source_target_pairs={{0,1}}
})";

// The sum only begins, beside another exchange.
constexpr const char* kBegunSum = R"(HloModule sum
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  s = f32[4] all-reduce-start(x), to_apply=add, channel_id=5, replica_groups={{0,1}}, use_global_device_ids=true
  q = f32[4] collective-permute(x), source_target_pairs={{1,0}}
  y = f32[4] all-reduce-done(s)
  p = f32[4] collective-permute(y), source_target_pairs={{0,1}}
  r = u32[] replica-id()
  f = f32[] convert(r)
  b = f32[4] broadcast(f), dimensions={}
  m = f32[4] multiply(q, b)
  ROOT z = f32[4] add(p, m)
})";

struct Sum {
  Executable executable;
  std::vector<std::vector<Buffer>> arguments;
};

absl::StatusOr<Sum> Make(Client& client, const char* text = kSum) {
  ASSIGN_OR_RETURN(auto module, ParseFor(text, {2, 1}));
  CompileOptions options;
  options.replicas = 2;
  Sum sum;
  ASSIGN_OR_RETURN(sum.executable, client.core()->CompileModule(*module, options));
  for (int d = 0; d < 2; ++d) {
    ASSIGN_OR_RETURN(Buffer x, client.BufferFromLiteral(Literal::R1<float>({1, 2, 3, 4}), d));
    sum.arguments.push_back({x});
  }
  return sum;
}

absl::Status Check(const std::vector<std::vector<Buffer>>& results) {
  ASSIGN_OR_RETURN(Literal zero, results[0][0].ToLiteral());
  ASSIGN_OR_RETURN(Literal sum, results[1][0].ToLiteral());
  if (!(zero == Literal::R1<float>({0, 0, 0, 0})) || !(sum == Literal::R1<float>({2, 4, 6, 8})))
    return absl::DataLossError("wrong results");
  return absl::OkStatus();
}

absl::Status Run(const Sum& sum, bool async) {
  ASSIGN_OR_RETURN(auto results, async ? sum.executable.ExecuteOnDevicesAsync(sum.arguments)
                                       : sum.executable.ExecuteOnDevices(sum.arguments));
  for (const auto& own : results) RETURN_IF_ERROR(own[0].Await());
  return Check(results);
}

absl::Status Use(Client& client) {
  ASSIGN_OR_RETURN(const Sum sum, Make(client));
  ASSIGN_OR_RETURN(const Sum begun, Make(client, kBegunSum));
  // One by one, captured, launched again.
  for (bool async : {false, true, false}) {
    RETURN_IF_ERROR(Run(sum, async));
    RETURN_IF_ERROR(Run(begun, async));
  }
  ASSIGN_OR_RETURN(Buffer copy, sum.arguments[0][0].CopyToDevice(1));
  return copy.ToLiteral().status();
}

CudaOptions Within(double seconds) {
  CudaOptions options;
  options.devices = {0, 1};
  options.collective_timeout = seconds;
  return options;
}

TEST_CASE("Every fault at every entry point of NCCL") {
  std::map<std::string, int> calls;
  {
    Fixture fixture;
    ReuseMemory();
    REQUIRE(Told(Use(**MakeClient(Within(10)))) == "ok");
    CHECK(fake_cuda::Calls()["cuGraphLaunch"] == 2 * 2 * 2);
    calls = fake_nccl::Calls();
  }
  // Ending what has failed, and saying why.
  const std::set<std::string> silent = {"ncclCommFinalize", "ncclCommDestroy", "ncclCommAbort",
                                        "ncclGetErrorString"};
  // Others are in programs_test.cc.
  const std::set<std::string> unused = {"ncclCommAbort",     "ncclGetErrorString", "ncclAllGather",
                                        "ncclReduceScatter", "ncclReduce",         "ncclBroadcast"};
  int tried = 0;
  for (const auto& [symbol, count] : calls) {
    CAPTURE(symbol, count);
    CHECK((count == 0) == unused.contains(symbol));
    for (int place : {1, 2, count / 2, count}) {
      for (NcclResult fault : {NcclResult::kUnhandledCudaError, NcclResult::kInternalError,
                               NcclResult::kRemoteError}) {
        if (place < 1 || place > count) continue;
        CAPTURE(place, static_cast<int>(fault));
        Fixture fixture;
        ReuseMemory();
        auto client = *MakeClient(Within(10));
        fake_nccl::InjectFault(symbol, place, static_cast<int>(fault));
        const absl::Status status = Use(*client);
        if (!fake_nccl::FaultHappened()) {
          // What ends communicators comes when the client goes; what looks at them comes at any
          // time.
          REQUIRE(Told(status) == "ok");
          continue;
        }
        ++tried;
        INFO(Told(status));
        if (status.ok()) {
          CHECK((silent.contains(symbol) || symbol == "ncclCommGetAsyncError"));
        } else {
          CHECK(status.code() == (fault == NcclResult::kInternalError
                                      ? absl::StatusCode::kInternal
                                      : absl::StatusCode::kUnavailable));
          CHECK(Told(status).find("NCCL error") != std::string::npos);
        }
        CHECK(Told(Use(*client)) == "ok");
      }
    }
  }
  CHECK(tried > 30);
}

TEST_CASE("Faults of the driver where devices exchange") {
  using runtime::cuda::Result;
  for (const char* symbol : {"cuDeviceCanAccessPeer", "cuMemPoolSetAccess", "cuMemcpyPeerAsync",
                             "cuMemsetD8Async", "cuStreamWaitEvent", "cuEventRecord"}) {
    for (int place : {1, 2, 3}) {
      for (Result fault : {Result::kOutOfMemory, Result::kUnknown, Result::kIllegalAddress}) {
        CAPTURE(symbol, place, static_cast<int>(fault));
        Fixture fixture;
        fake_cuda::InjectFault(symbol, place, static_cast<int>(fault));
        auto client = MakeClient(Within(10));
        const absl::Status status = client.ok() ? Use(**client) : client.status();
        INFO(Told(status));
        if (!fake_cuda::FaultHappened()) {
          CHECK(Told(status) == "ok");
          continue;
        }
        CHECK_FALSE(status.ok());
        if (client.ok() && !runtime::cuda::IsSticky(fault)) CHECK(Told(Use(**client)) == "ok");
      }
    }
  }
}

TEST_CASE("A device that does not come ends the others after the timeout") {
  Fixture fixture;
  const auto client = *MakeClient(Within(0.3));
  const Sum sum = *Make(*client);
  REQUIRE(Told(Run(sum, false)) == "ok");
  for (bool async : {false, true}) {
    fake_nccl::Hang(1);
    const auto begin = std::chrono::steady_clock::now();
    const absl::Status s = Run(sum, async);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(5));
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    INFO(Told(s));
    CHECK(Told(s).find("sum: all-reduce 'y' (channel 5): all have come to it, and it has not been "
                       "done for 0.3 seconds") != std::string::npos);
    fake_nccl::Reset();
    CHECK(Told(Run(sum, async)) == "ok");
  }
}

TEST_CASE("An error that NCCL meets later ends the run, and what is made of its results") {
  Fixture fixture;
  const auto client = *MakeClient(Within(0));
  const Sum sum = *Make(*client);
  fake_nccl::FailLater(0, static_cast<int>(NcclResult::kRemoteError));
  auto results = *sum.executable.ExecuteOnDevicesAsync(sum.arguments);
  // Where the error is known already, nothing is submitted.
  auto more = sum.executable.ExecuteOnDevicesAsync(results);
  if (!more.ok()) {
    CHECK(more.status().code() == absl::StatusCode::kUnavailable);
    more = results;
  }
  for (const auto& own : {results[0], results[1], (*more)[0], (*more)[1]}) {
    const absl::Status s = own[0].Await();
    INFO(Told(s));
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    CHECK(Told(s).find("remote process exited") != std::string::npos);
    CHECK(own[0].ToLiteral().status().code() == absl::StatusCode::kUnavailable);
    const absl::StatusOr<Buffer> copy = own[0].CopyToDevice(1 - own[0].device());
    CHECK((copy.ok() ? copy->Await() : copy.status()).code() == absl::StatusCode::kUnavailable);
  }
  CHECK(sum.executable.ExecuteOnDevices(results).status().code() == absl::StatusCode::kUnavailable);
  CHECK(Told(Run(sum, false)) == "ok");
}

// A client of two devices on which `call` is the target `name`.
std::shared_ptr<Client> ClientCalling(const std::string& name, CustomCallFunction call) {
  auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry->Register(name, "CUDA", std::move(call)).ok());
  CudaOptions options = Within(0);
  options.custom_calls = registry;
  return *MakeClient(options);
}

// A program of one participant that calls "tests.wait".
constexpr const char* kWait = R"(HloModule wait
ENTRY main { x = f32[4] parameter(0)
  ROOT h = f32[4] custom-call(x), custom_call_target="tests.wait"
})";

// Its state outlives calls that go on when a test has failed.
struct Gate {
  std::atomic<bool> open{false};
  void Wait() const {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (!open && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
};

TEST_CASE("An exchange that fails concerns nothing that its devices were given before") {
  Fixture fixture;
  auto gate = std::make_shared<Gate>();
  const auto client = ClientCalling("tests.wait", [gate](const CustomCallFrame& frame) {
    fake_cuda::SubmitToStream(frame.stream, [gate] {
      gate->Wait();
      return 0;
    });
    return absl::OkStatus();
  });
  const Sum sum = *Make(*client);
  REQUIRE(Told(Run(sum, false)) == "ok");
  // Device 1 has not come to the exchange when it fails on device 0.
  auto module = ParseFor(kWait, {1, 1});
  CompileOptions alone;
  alone.device_assignment = {1};
  const Executable wait = *client->core()->CompileModule(**module, alone);
  const Buffer held = (*wait.ExecuteAsync({sum.arguments[1][0]}))[0];
  const Buffer before = *client->BufferFromLiteral(Literal::R1<float>({5, 6, 7, 8}), 1);
  fake_nccl::FailLater(0, static_cast<int>(NcclResult::kRemoteError));
  const auto results = *sum.executable.ExecuteOnDevicesAsync(sum.arguments);
  CHECK(results[0][0].Await().code() == absl::StatusCode::kUnavailable);
  gate->open = true;
  CHECK(results[1][0].Await().code() == absl::StatusCode::kUnavailable);
  CHECK(Told(held.Await()) == "ok");
  CHECK(Told(before.Await()) == "ok");
  CHECK(Told(Run(sum, false)) == "ok");
}

TEST_CASE("An exchange that fails while its run is still being submitted ends the run") {
  Fixture fixture;
  const auto client = ClientCalling("tests.wait", [](const CustomCallFrame&) {
    // Until the communicators have been given up.
    for (int k = 0; k < 20000 && fake_nccl::CommsAlive() > 0; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return absl::OkStatus();
  });
  const Sum sum = *Make(*client, R"(HloModule sum
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  y = f32[4] all-reduce(x), to_apply=add, channel_id=5, replica_groups={{0,1}}, use_global_device_ids=true
  ROOT h = f32[4] custom-call(y), custom_call_target="tests.wait"
})");
  for (bool async : {false, true}) {
    fake_nccl::FailLater(0, static_cast<int>(NcclResult::kRemoteError));
    const absl::Status s = Run(sum, async);
    INFO(Told(s));
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    CHECK(Told(s).find("remote process exited") != std::string::npos);
  }
}

TEST_CASE("Participants on GPUs that disagree are told of both operations") {
  Fixture fixture;
  const auto client = *MakeClient(Within(0));
  const Sum sum = *Make(*client, R"(HloModule branches
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
mul { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] multiply(a, b)
}
first { x = f32[4] parameter(0)
  ROOT here = f32[4] all-reduce(x), to_apply=add, channel_id=7, replica_groups={}
}
second { x = f32[4] parameter(0)
  ROOT there = f32[4] all-reduce(x), to_apply=mul, channel_id=7, replica_groups={}
}
ENTRY main {
  x = f32[4] parameter(0)
  r = u32[] replica-id()
  i = s32[] convert(r)
  ROOT y = f32[4] conditional(i, x, x), branch_computations={first, second}
})");
  for (bool async : {false, true}) {
    const absl::Status s = Run(sum, async);
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("all-reduce 'here' (channel 7)") != std::string::npos);
    CHECK(Told(s).find("all-reduce 'there' (channel 7)") != std::string::npos);
  }
  CHECK(Told(Use(*client)) == "ok");
}

TEST_CASE("A participant that fails ends those on other GPUs") {
  Fixture fixture;
  const auto client = ClientCalling(
      "tests.fail", [calls = std::make_shared<int>(0)](const CustomCallFrame&) -> absl::Status {
        return (*calls)++ == 1 ? absl::ResourceExhaustedError("no more paper") : absl::OkStatus();
      });
  const Sum sum = *Make(*client, R"(HloModule fails
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
ENTRY main {
  x = f32[4] parameter(0)
  h = f32[4] custom-call(x), custom_call_target="tests.fail"
  ROOT y = f32[4] all-reduce(h), to_apply=add, replica_groups={}
})");
  auto results = *sum.executable.ExecuteOnDevicesAsync(sum.arguments);
  CHECK(results[0][0].Await().code() == absl::StatusCode::kUnavailable);
  CHECK(results[1][0].Await().code() == absl::StatusCode::kResourceExhausted);
  CHECK(Told(results[0][0].Await()).find("no more paper") != std::string::npos);
}

TEST_CASE("Without NCCL programs of one device run") {
  Fixture fixture;
  CudaOptions options = Within(0);
  options.nccl = "/nowhere/libnccl.so";
  const auto client = *MakeClient(options);
  const absl::Status s = Use(*client);
  CHECK(s.code() == absl::StatusCode::kUnavailable);
  CHECK(Told(s).find("no NCCL, by which devices exchange: /nowhere/libnccl.so") !=
        std::string::npos);
  auto module = ParseFor(
      "HloModule m\nENTRY main { x = f32[3] parameter(0)\n ROOT y = f32[3] "
      "add(x, x) }",
      {1, 1});
  CHECK(testing::OnDevices(*client, **module, {{Literal::R1<float>({1, 2, 3})}}).ok());
}

}  // namespace
}  // namespace sinter::nccl_test
