// Sequences of exchanges that GPUs are given as graphs.
#include <catch2/catch.hpp>
#include <map>

#include "api/client_core.h"
#include "base/status.h"
#include "clients.h"
#include "collectives/run.h"
#include "cuda/driver/fake_driver.h"
#include "cuda/nccl/fake_nccl.h"
#include "runtime/cuda/driver.h"
#include "runtime/cuda/nccl.h"

namespace sinter::nccl_test {
namespace {

using runtime::cuda::NcclResult;
using sinter::testing::Arguments;
using sinter::testing::ParseFor;
using sinter::testing::Told;

constexpr const char* kAdd = R"(HloModule steps
add { a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}
)";

// Steps of a descent, each with a sum over all; the data are the first argument.
constexpr const char* kDescent = R"(ENTRY main {
  x = f32[100] parameter(0)
  w = f32[100] parameter(1)
  g = f32[100] multiply(x, w)
  a = f32[100] all-reduce(g), to_apply=add, channel_id=1, replica_groups={}
  w1 = f32[100] subtract(w, a)
  g1 = f32[100] multiply(x, w1)
  b = f32[100] all-reduce(g1), to_apply=add, channel_id=2, replica_groups={}
  w2 = f32[100] subtract(w1, b)
  g2 = f32[100] add(x, w2)
  c = f32[100] all-reduce(g2), to_apply=add, channel_id=3, replica_groups={}
  ROOT w3 = f32[100] subtract(w2, c)
})";

// The same with sums that only begin.
constexpr const char* kBegunDescent = R"(ENTRY main {
  x = f32[100] parameter(0)
  w = f32[100] parameter(1)
  g = f32[100] multiply(x, w)
  a = f32[100] all-reduce-start(g), to_apply=add, channel_id=1, replica_groups={}
  h = f32[100] add(x, g)
  b = f32[100] all-reduce-start(h), to_apply=add, channel_id=2, replica_groups={}
  i = f32[100] negate(h)
  p = f32[100] collective-permute(i), source_target_pairs={{0,1},{1,0}}
  ad = f32[100] all-reduce-done(a)
  w1 = f32[100] subtract(w, ad)
  bd = f32[100] all-reduce-done(b)
  w2 = f32[100] subtract(w1, bd)
  ROOT w3 = f32[100] subtract(w2, p)
})";

// Small whole numbers: sums are exact.
Arguments Numbers(int64_t participants, int64_t arguments, int64_t elements, int64_t seed = 0) {
  Arguments result;
  for (int64_t n = 0; n < participants; ++n) {
    auto& own = result.emplace_back();
    for (int64_t k = 0; k < arguments; ++k) {
      std::vector<float> x;
      for (int64_t e = 0; e < elements; ++e)
        x.push_back(static_cast<float>((n * 7 + k * 3 + e * 5 + seed) % 11 - 5));
      own.push_back(Literal::R1<float>(x));
    }
  }
  return result;
}

using Buffers = std::vector<std::vector<Buffer>>;

// A program that is run again and again.
class Program {
 public:
  Program(Client& client, const std::string& body, int64_t participants)
      : client_(client), participants_(participants) {
    module_ = *ParseFor(kAdd + body, {participants, 1});
    CompileOptions options;
    options.replicas = static_cast<int>(participants);
    executable_ = *client.core()->CompileModule(*module_, options);
  }
  Buffers Place(const Arguments& arguments) const {
    Buffers buffers;
    for (size_t n = 0; n < arguments.size(); ++n) {
      auto& own = buffers.emplace_back();
      for (const Literal& x : arguments[n])
        own.push_back(*client_.BufferFromLiteral(x, static_cast<int>(n)));
    }
    return buffers;
  }
  // Against the interpreter.
  absl::Status Run(const Arguments& arguments, const Buffers& buffers, bool async = false) const {
    ASSIGN_OR_RETURN(auto results, async ? executable_.ExecuteOnDevicesAsync(buffers)
                                         : executable_.ExecuteOnDevices(buffers));
    return Check(arguments, results);
  }
  absl::Status Check(const Arguments& arguments, const Buffers& results) const {
    ASSIGN_OR_RETURN(auto expected, testing::Interpreted(*module_, arguments));
    for (const auto& own : results) RETURN_IF_ERROR(own[0].Await());
    for (size_t n = 0; n < results.size(); ++n) {
      ASSIGN_OR_RETURN(Literal x, results[n][0].ToLiteral());
      if (!(x == expected[n])) {
        return absl::DataLossError(
            Format("participant {} has {}, not {}", n, x.ToString(), expected[n].ToString()));
      }
    }
    return absl::OkStatus();
  }
  absl::Status Run(int64_t seed = 0) const {
    const Arguments x = Numbers(participants_, 2, 100, seed);
    return Run(x, Place(x));
  }
  const Executable& executable() const { return executable_; }

 private:
  Client& client_;
  const int64_t participants_;
  std::shared_ptr<HloModule> module_;
  Executable executable_;
};

int NcclCalls() {
  int count = 0;
  for (const auto& [symbol, n] : fake_nccl::Calls()) {
    for (const char* s : {"ncclAllReduce", "ncclAllGather", "ncclReduceScatter", "ncclReduce",
                          "ncclBroadcast", "ncclSend", "ncclRecv"})
      count += symbol == s ? n : 0;
  }
  return count;
}
int64_t GraphsMade() { return fake_cuda::Calls()["cuGraphInstantiateWithFlags"]; }

CudaOptions Of(int64_t devices, double timeout) {
  CudaOptions options;
  for (int d = 0; d < devices; ++d) options.devices.push_back(d);
  options.collective_timeout = timeout;
  return options;
}

TEST_CASE("Runs with exchanges are graphs from the second one on") {
  const int64_t participants = GENERATE(2, 4);
  const bool launches_wait = GENERATE(false, true);
  const char* body = GENERATE(kDescent, kBegunDescent);
  if (body == kBegunDescent && participants == 4) return;  // its pairs are one group of two
  INFO(participants << " participants, launches wait: " << launches_wait << body);
  Fixture fixture;
  ReuseMemory(launches_wait);
  const auto client = *MakeClient(Of(participants, 20));
  const Program program(*client, body, participants);
  const Arguments x = Numbers(participants, 2, 100), y = Numbers(participants, 2, 100, 1);
  const Buffers buffers = program.Place(x), elsewhere = program.Place(y);
  REQUIRE(Told(program.Run(x, buffers)) == "ok");
  const int calls = NcclCalls();
  const int64_t operations = fake_nccl::Operations();
  CHECK(calls >= 3 * participants);
  CHECK(GraphLaunches() == 0);
  // Captured.
  REQUIRE(Told(program.Run(x, buffers)) == "ok");
  CHECK(NcclCalls() == 2 * calls);
  CHECK(GraphLaunches() == participants);
  CHECK(GraphsMade() == participants);
  CHECK(fake_nccl::Operations() == 2 * operations);
  // Launched again: from the same memory, and with arguments elsewhere that only kernels read.
  for (int run = 2; run < 6; ++run) {
    INFO(run);
    REQUIRE(Told(run % 2 == 0 ? program.Run(x, buffers) : program.Run(y, elsewhere)) == "ok");
    CHECK(NcclCalls() == 2 * calls);
    CHECK(GraphLaunches() == run * participants);
    CHECK(GraphsMade() == participants);
    CHECK(fake_nccl::Operations() == (run + 1) * operations);
  }
  CHECK(fake_cuda::Calls()["cuGraphExecKernelNodeSetParams_v2"] > 0);
  CHECK(fake_nccl::Calls()["ncclGetUniqueId"] == 1);
}

TEST_CASE("Graphs with exchanges on slow devices, in runs that overlap") {
  Fixture fixture;
  ReuseMemory(false, 300);
  const auto client = *MakeClient(Of(2, 20));
  for (const char* body : {kDescent, kBegunDescent}) {
    const Program program(*client, body, 2);
    const Arguments x = Numbers(2, 2, 100);
    const Buffers buffers = program.Place(x);
    for (int run = 0; run < 4; ++run) REQUIRE(Told(program.Run(x, buffers, true)) == "ok");
    CHECK(GraphLaunches() > 0);
    std::vector<Buffers> results;
    for (int run = 0; run < 6; ++run)
      results.push_back(*program.executable().ExecuteOnDevicesAsync(buffers));
    for (const Buffers& r : results) CHECK(Told(program.Check(x, r)) == "ok");
    results.clear();
    for (int run = 0; run < 3; ++run) REQUIRE(Told(program.Run(run)) == "ok");
  }
}

TEST_CASE("Exchanges at other addresses have graphs of their own") {
  Fixture fixture;
  ReuseMemory();
  const auto client = *MakeClient(Of(2, 20));
  // The arguments are what is exchanged.
  const Program program(*client, R"(ENTRY main {
  x = f32[100] parameter(0)
  w = f32[100] parameter(1)
  a = f32[100] all-reduce(x), to_apply=add, channel_id=1, replica_groups={}
  b = f32[100] all-reduce(w), to_apply=add, channel_id=2, replica_groups={}
  ROOT c = f32[100] subtract(a, b)
})",
                        2);
  std::vector<Arguments> x;
  std::vector<Buffers> buffers;
  for (int k = 0; k < 3; ++k) {
    x.push_back(Numbers(2, 2, 100, k));
    buffers.push_back(program.Place(x.back()));
  }
  auto turn = [&] {
    for (size_t k = 0; k < 3; ++k) REQUIRE(Told(program.Run(x[k], buffers[k])) == "ok");
  };
  turn();
  CHECK(GraphLaunches() == 0);
  turn();
  CHECK(GraphsMade() == 3 * 2);
  CHECK(GraphLaunches() == 3 * 2);
  const int calls = NcclCalls();
  turn();
  turn();
  CHECK(NcclCalls() == calls);
  CHECK(GraphsMade() == 3 * 2);
  CHECK(GraphLaunches() == 3 * 3 * 2);
}

TEST_CASE("Loops and conditionals have graphs with exchanges") {
  Fixture fixture;
  ReuseMemory();
  const auto client = *MakeClient(Of(4, 20));
  const Program program(*client, R"(less { t = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  n = s32[] constant(5)
  ROOT c = pred[] compare(i, n), direction=LT
}
step { t = (s32[], f32[100]) parameter(0)
  i = s32[] get-tuple-element(t), index=0
  x = f32[100] get-tuple-element(t), index=1
  one = s32[] constant(1)
  j = s32[] add(i, one)
  y = f32[100] all-reduce(x), to_apply=add, channel_id=1, replica_groups={{0,1},{2,3}}
  r = u32[] replica-id()
  f = f32[] convert(r)
  b = f32[100] broadcast(f), dimensions={}
  z = f32[100] subtract(y, b)
  v = f32[100] all-reduce(z), to_apply=add, channel_id=2, replica_groups={{0,1},{2,3}}
  ROOT q = (s32[], f32[100]) tuple(j, v)
}
first { x = f32[100] parameter(0)
  a = f32[100] all-reduce(x), to_apply=add, channel_id=7, replica_groups={{0,1},{2,3}}
  b = f32[100] negate(a)
  ROOT c = f32[100] all-reduce(b), to_apply=add, channel_id=8, replica_groups={{0,1},{2,3}}
}
second { x = f32[100] parameter(0)
  a = f32[100] all-reduce(x), to_apply=add, channel_id=7, replica_groups={{0,1},{2,3}}
  b = f32[100] add(a, a)
  c = f32[100] all-reduce(b), to_apply=add, channel_id=9, replica_groups={{0,1},{2,3}}
  d = f32[100] negate(c)
  ROOT e = f32[100] all-reduce(d), to_apply=add, channel_id=8, replica_groups={{0,1},{2,3}}
}
ENTRY main {
  x = f32[100] parameter(0)
  w = f32[100] parameter(1)
  r = u32[] replica-id()
  id = s32[] convert(r)
  two = s32[] constant(2)
  half = s32[] divide(id, two)
  s = (s32[], f32[100]) tuple(half, x)
  l = (s32[], f32[100]) while(s), condition=less, body=step
  y = f32[100] get-tuple-element(l), index=1
  z = f32[100] conditional(half, y, w), branch_computations={first, second}
  ROOT o = f32[100] subtract(z, w)
})",
                        4);
  for (int run = 0; run < 4; ++run) {
    INFO(run);
    REQUIRE(Told(program.Run()) == "ok");
  }
  CHECK(GraphLaunches() > 0);
  const int calls = NcclCalls();
  REQUIRE(Told(program.Run()) == "ok");
  CHECK(NcclCalls() == calls);
}

// Participants that take different ways meet in what they have alike, one exchange at a time.
TEST_CASE("Sequences that begin alike and go on otherwise are exchanged one by one") {
  Fixture fixture;
  ReuseMemory();
  const auto client = *MakeClient(Of(2, 20));
  const std::string text = R"(first { x = f32[100] parameter(0)
  a = f32[100] all-reduce(x), to_apply=add, channel_id=7, replica_groups={}
  b = f32[100] negate(a)
  ROOT c = f32[100] all-reduce(b), to_apply=add, channel_id=8, replica_groups={}
}
second { x = f32[100] parameter(0)
  a = f32[100] all-reduce(x), to_apply=add, channel_id=7, replica_groups={}
  b = f32[100] add(a, a)
  c = f32[100] all-reduce(b), to_apply=add, channel_id=8, replica_groups={}
  ROOT d = f32[100] all-reduce(c), to_apply=add, channel_id=LAST, replica_groups={}
}
ENTRY main {
  x = f32[100] parameter(0)
  w = f32[100] parameter(1)
  r = u32[] replica-id()
  i = s32[] convert(r)
  z = f32[100] conditional(i, x, w), branch_computations={first, second}
  y = f32[100] add(z, w)
  ROOT m = f32[100] all-reduce(y), to_apply=add, channel_id=10, replica_groups={}
})";
  std::string other = text;
  other.replace(other.find("LAST"), 4, "9");
  const Program program(*client, other, 2);
  for (int run = 0; run < 3; ++run) {
    const Arguments x = Numbers(2, 2, 100);
    const absl::Status s = program.executable().ExecuteOnDevices(program.Place(x)).status();
    INFO(Told(s));
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("all-reduce 'm' (channel 10)") != std::string::npos);
    CHECK(Told(s).find("all-reduce 'd' (channel 9)") != std::string::npos);
  }
}

TEST_CASE("A graph with an exchange that fails ends the run, and later runs have new ones") {
  Fixture fixture;
  ReuseMemory(GENERATE(false, true));
  const bool hangs = GENERATE(false, true), async = GENERATE(false, true);
  INFO("hangs: " << hangs << ", async: " << async);
  // Long enough for runs that do not hang, on a machine that does other things too.
  const auto client = *MakeClient(Of(2, hangs ? 2 : 60));
  const Program program(*client, async ? kBegunDescent : kDescent, 2);
  const Arguments x = Numbers(2, 2, 100);
  const Buffers buffers = program.Place(x);
  for (int turn = 0; turn < 2; ++turn) {
    for (int run = 0; run < 3; ++run) REQUIRE(Told(program.Run(x, buffers)) == "ok");
    const int64_t made = GraphsMade();
    const int64_t launches = GraphLaunches();
    if (hangs) {
      fake_nccl::Hang(1);
    } else {
      fake_nccl::FailLater(0, static_cast<int>(NcclResult::kRemoteError));
    }
    const absl::Status s = program.Run(x, buffers, async);
    CHECK(GraphLaunches() > launches);
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    INFO(Told(s));
    CHECK(Told(s).find("steps: one of all-reduce 'a' (channel 1), all-reduce 'b' (channel 2), ") !=
          std::string::npos);
    CHECK(Told(s).find(hangs ? "2 seconds" : "remote process exited") != std::string::npos);
    CHECK(fake_nccl::Mistakes() == "");
    if (hangs) {
      fake_nccl::Reset();
      ReuseMemory();
    }
    for (int run = 0; run < 4; ++run) REQUIRE(Told(program.Run(x, buffers)) == "ok");
    CHECK(GraphsMade() >= made + 2);
  }
}

TEST_CASE("Where nothing can be captured, exchanges are given one by one") {
  Fixture fixture;
  ReuseMemory();
  const auto client = *MakeClient(Of(2, 20));
  const Program program(*client, kDescent, 2);
  const Arguments x = Numbers(2, 2, 100);
  const Buffers buffers = program.Place(x);
  REQUIRE(Told(program.Run(x, buffers)) == "ok");
  if (GENERATE(false, true)) {
    fake_cuda::InjectFault("cuStreamBeginCapture_v2", 1,
                           static_cast<int>(runtime::cuda::Result::kNotSupported));
  } else {
    fake_nccl::InjectFault("ncclAllReduce", 1, static_cast<int>(NcclResult::kInvalidUsage));
  }
  for (int run = 0; run < 4; ++run) REQUIRE(Told(program.Run(x, buffers)) == "ok");
  CHECK((fake_nccl::FaultHappened() || fake_cuda::FaultHappened()));
  CHECK(GraphLaunches() == 0);
  CHECK(GraphsMade() == 0);
  CHECK(fake_cuda::Calls()["cuStreamBeginCapture_v2"] <= 2);
}

TEST_CASE("Faults of the driver at graphs with exchanges", "[.][standard]") {
  using runtime::cuda::Result;
  for (const char* symbol :
       {"cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuStreamGetCaptureInfo_v2",
        "cuGraphInstantiateWithFlags", "cuGraphLaunch", "cuGraphExecDestroy", "cuGraphDestroy",
        "cuGraphExecKernelNodeSetParams_v2", "cuStreamCreate", "cuEventRecord",
        "cuStreamWaitEvent"}) {
    for (int place : {1, 2, 3, 4}) {
      for (Result fault : {Result::kOutOfMemory, Result::kUnknown, Result::kIllegalAddress}) {
        CAPTURE(symbol, place, static_cast<int>(fault));
        Fixture fixture;
        ReuseMemory();
        const auto client = *MakeClient(Of(2, 5));
        const Program program(*client, kBegunDescent, 2);
        const Arguments x = Numbers(2, 2, 100), y = Numbers(2, 2, 100, 1);
        const Buffers buffers = program.Place(x), elsewhere = program.Place(y);
        auto use = [&](int run) {
          return run % 3 == 2 ? program.Run(y, elsewhere) : program.Run(x, buffers);
        };
        REQUIRE(Told(use(0)) == "ok");
        fake_cuda::InjectFault(symbol, place, static_cast<int>(fault));
        absl::Status status;
        for (int run = 0; run < 4 && status.ok(); ++run) status = use(run);
        INFO(Told(status));
        if (!fake_cuda::FaultHappened()) {
          CHECK(Told(status) == "ok");
          continue;
        }
        const bool silent = std::string_view(symbol).find("Destroy") != std::string_view::npos;
        if (!silent) CHECK_FALSE(status.ok());
        if (runtime::cuda::IsSticky(fault)) continue;
        for (int run = 0; run < 3; ++run) REQUIRE(Told(use(run)) == "ok");
      }
    }
  }
}

}  // namespace
}  // namespace sinter::nccl_test
