// Faults among several processes. Each test is run by three of them at a time (processes.py), and
// does what its process has to do.
#include <dlfcn.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <csignal>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "collectives/run.h"
#include "network/mpi_library.h"
#include "sinter/custom_call.h"

namespace sinter::testing {
namespace {

using namespace std::chrono_literals;

constexpr const char* kNegated = " y = f32[4] negate(x)\n";

// All-reduces between one device of each process, one after the other: who has the first may still
// wait for the second. `before` computes y of x.
std::string Sum(std::string_view name, std::string_view reducer,
                const std::string& before = kNegated, bool twice = false) {
  std::string text = Format(
      "HloModule {}\nf {{ a = f32[] parameter(0)\n b = f32[] parameter(1)\n ROOT s = f32[] {}(a, "
      "b)\n}}\nENTRY main {{\n x = f32[4] parameter(0)\n{} {}z = f32[4] "
      "all-reduce(y), to_apply=f, channel_id=5, replica_groups={{}}\n",
      name, reducer, before, twice ? "" : "ROOT ");
  if (twice)
    text += " ROOT w = f32[4] all-reduce(z), to_apply=f, channel_id=6, replica_groups={}\n";
  return text + "}\n";
}
std::string Twice(std::string_view name) { return Sum(name, "maximum", kNegated, true); }
// `name` is what participant 1 receives of x from another.
std::string ToParticipant1(std::string_view name, int from, int channel) {
  const std::string attributes = Format(
      "channel_id={}, "
      "frontend_attributes={{_xla_send_recv_source_target_pairs=\"{{{{{},1}}}}\"}}\n",
      channel, from);
  return Format(
      " t{0} = token[] after-all()\n r{0} = (f32[4], u32[], token[]) recv(t{0}), {2}"
      " s{0} = (f32[4], u32[], token[]) send(x, t{0}), {2}"
      " g{0} = (f32[4], token[]) recv-done(r{0}), channel_id={0}\n"
      " d{0} = token[] send-done(s{0}), channel_id={0}\n"
      " {1} = f32[4] get-tuple-element(g{0}), index=0\n",
      channel, name, attributes);
}

struct Group {
  std::shared_ptr<Client> client;
  Executable executable;
  std::vector<std::vector<Buffer>> arguments;
};

Group Make(const std::shared_ptr<Client>& client, const std::string& text) {
  const int count = client->process_count();
  Group g;
  g.client = client;
  CompileOptions options;
  options.replicas = count;
  for (int p = 0, d = 0; p < count; ++p) {
    while (client->process_of(d) != p) ++d;
    options.device_assignment.push_back(d);
  }
  auto module = ParseFor(text, {count, 1}).value();
  g.executable = client->core()->CompileModule(*module, options).value();
  g.arguments.push_back({client->BufferFromLiteral(Literal::R1<float>({1, 2, 3, 4})).value()});
  return g;
}

CpuOptions Within(double seconds) {
  CpuOptions options;
  options.collective_timeout = seconds;
  return options;
}

// Programs of this process alone run as ever.
void CheckAlone(Client& client) {
  auto module = ParseFor(
                    "HloModule m\nENTRY main {\n x = f32[4] parameter(0)\n ROOT y = f32[4] "
                    "add(x, x)\n}\n",
                    {1, 1})
                    .value();
  Executable e = client.core()->CompileModule(*module, {}).value();
  CHECK(e.devices() == std::vector<int>{client.local_devices()[0]});
  CHECK(e.Evaluate({Literal::R1<float>({1, 2, 3, 4})}).value() == Literal::R1<float>({2, 4, 6, 8}));
}

void CheckTogether(const std::shared_ptr<Client>& client) {
  Group g = Make(client, Sum("together", "add"));
  auto results = g.executable.ExecuteOnDevices(g.arguments);
  REQUIRE(Told(results.status()) == "ok");
  const auto n = static_cast<float>(-client->process_count());
  CHECK((*results)[0][0].ToLiteral().value() == Literal::R1<float>({n, 2 * n, 3 * n, 4 * n}));
}

TEST_CASE("Devices are numbered process by process", "[.][faults]") {
  const auto client = ClientOfEight(Within(20));
  CHECK(client->device_count() == 8);
  int next = 0;
  for (int d = 1; d < 8; ++d) CHECK(client->process_of(d) >= client->process_of(d - 1));
  for (int d : client->local_devices()) {
    CHECK(client->process_of(d) == client->process_id());
    next = d;
  }
  const int other = next == 7 ? 0 : 7;
  CHECK(Told(client->BufferFromLiteral(Literal::R0<float>(1), other).status())
            .find(Format("device {}: it is one of process", other)) != std::string::npos);
  CheckAlone(*client);
  CheckTogether(client);
}

TEST_CASE("Ranks of a communicator of the host's are the processes", "[.][communicator]") {
  const auto mpi = network::FindMpi("").value();
  int provided = 0, rank = -1;
  constexpr int kMultiple = 3;  // MPI_THREAD_MULTIPLE
  REQUIRE(mpi->init_thread(nullptr, nullptr, kMultiple, &provided) == 0);
  REQUIRE(provided == kMultiple);
  REQUIRE(mpi->comm_rank(mpi->world, &rank) == 0);
  // The first two, in reverse order; the others are on their own.
  auto* split = reinterpret_cast<int (*)(network::MpiLibrary::Handle, int, int,
                                         network::MpiLibrary::Handle*)>(
      dlsym(RTLD_DEFAULT, "MPI_Comm_split"));
  REQUIRE(split != nullptr);
  network::MpiLibrary::Handle communicator = 0;
  REQUIRE(split(mpi->world, rank < 2 ? 0 : rank, -rank, &communicator) == 0);
  CpuOptions options = Within(20);
  options.devices = 2;
  options.distributed.transport = DistributedOptions::Transport::kMpi;
  options.distributed.process_count = 0;  // as MPI says
  options.distributed.mpi_communicator = &communicator;
  {
    const auto client = Client::Cpu(options).value();
    CHECK(client->process_count() == (rank < 2 ? 2 : 1));
    CHECK(client->process_id() == (rank < 2 ? 1 - rank : 0));
    CHECK(client->device_count() == (rank < 2 ? 4 : 2));
    CheckAlone(*client);
    if (rank < 2) CheckTogether(client);
    options.distributed.process_id = 7;
    CHECK(Client::Cpu(options).status().code() == absl::StatusCode::kInvalidArgument);
  }
  // It is the host's still, and so is the end of MPI.
  int size = 0;
  CHECK(mpi->comm_size(communicator, &size) == 0);
  CHECK(size == (rank < 2 ? 2 : 1));
  CHECK(mpi->finalize() == 0);
}

TEST_CASE("Processes that disagree are told of both operations", "[.][faults]") {
  const auto client = ClientOfEight(Within(20));
  const bool odd = client->process_id() == 1;
  for (bool async : {false, true}) {
    Group g = Make(client, Sum("disagree", odd ? "multiply" : "add"));
    auto results = async ? g.executable.ExecuteOnDevicesAsync(g.arguments)
                         : g.executable.ExecuteOnDevices(g.arguments);
    const absl::Status s = results.ok() ? (*results)[0][0].Await() : results.status();
    INFO(s.ToString());
    CHECK(s.code() == absl::StatusCode::kInvalidArgument);
    CHECK(Told(s).find("all-reduce 'z' (channel 5)") != std::string::npos);
    CHECK(Told(s).find("add") != std::string::npos);
    CHECK(Told(s).find("multiply") != std::string::npos);
    CheckAlone(*client);
    CheckTogether(client);
  }
  // The same programs in another order.
  Group a = Make(client, Sum("first", "add")), b = Make(client, Sum("second", "maximum"));
  Group& first = odd ? b : a;
  CHECK(first.executable.ExecuteOnDevices(first.arguments).status().code() ==
        absl::StatusCode::kInvalidArgument);
  CheckTogether(client);
}

TEST_CASE("A process that comes late ends the others after the timeout", "[.][faults]") {
  const auto client = ClientOfEight(Within(4));
  CheckTogether(client);
  Group g = Make(client, Twice("late"));
  const bool late = client->process_id() == 1;
  if (late) std::this_thread::sleep_for(9s);
  const auto begin = std::chrono::steady_clock::now();
  const absl::Status s = g.executable.ExecuteOnDevices(g.arguments).status();
  INFO(s.ToString());
  CHECK(s.code() == absl::StatusCode::kUnavailable);
  CHECK(std::chrono::steady_clock::now() - begin < 8s);
  CHECK(Told(s).find("late") != std::string::npos);
  CHECK(Told(s).find("all-reduce 'z' (channel 5): arrived ") != std::string::npos);
  CHECK(Told(s).find("missing participant 1") != std::string::npos);
  CheckAlone(*client);
  if (!late) std::this_thread::sleep_for(5s);
  CheckTogether(client);
}

TEST_CASE("A process whose call fails ends those of the others", "[.][faults]") {
  const auto client = ClientOfEight(Within(20));
  Group g = Make(client, Sum("wrong", "maximum"));
  const bool wrong = client->process_id() == 2;
  if (wrong) g.arguments[0][0] = client->BufferFromLiteral(Literal::R1<float>({1, 2, 3})).value();
  absl::Status s = g.executable.ExecuteOnDevices(g.arguments).status();
  INFO(s.ToString());
  CHECK(s.code() == (wrong ? absl::StatusCode::kInvalidArgument : absl::StatusCode::kUnavailable));
  CHECK(Told(s).find("expected f32[4], given f32[3]") != std::string::npos);
  CheckTogether(client);
}

TEST_CASE("A client that goes cancels what waits for others", "[.][faults]") {
  auto client = ClientOfEight(Within(20));
  CheckTogether(client);
  Group g = Make(client, Twice("cancelled"));
  const bool leaves = client->process_id() == 0;
  if (!leaves) std::this_thread::sleep_for(300ms);
  std::vector<Event> done;
  absl::Status begun = g.executable.ExecuteOnDevicesAsync(g.arguments, {}, &done).status();
  REQUIRE(Told(begun) == "ok");
  REQUIRE(done.size() == 1);
  if (leaves) {
    g = {};
    client.reset();
  }
  // Waiting must not take the reference that keeps the client.
  const absl::Status s = done[0].Wait();
  INFO(s.ToString());
  CHECK(s.code() == (leaves ? absl::StatusCode::kCancelled : absl::StatusCode::kUnavailable));
  if (!leaves) CheckAlone(*client);
}

TEST_CASE("A process that dies ends the calls of the others", "[.][death]") {
  const auto registry = std::make_shared<CustomCallRegistry>();
  REQUIRE(registry
              ->Register("tests.die", "Host",
                         [](const CustomCallFrame& frame) -> absl::Status {
                           const auto* x = static_cast<const float*>(frame.operands[0].data);
                           auto* y = static_cast<float*>(frame.results[0].data);
                           std::copy(x, x + 4, y);
                           if (x[0] == 7) std::raise(SIGKILL);
                           return absl::OkStatus();
                         })
              .ok());
  // Long enough for all to come to the first call where other programs have the processor.
  CpuOptions options = Within(10);
  options.custom_calls = registry;
  const auto client = ClientOfEight(options);
  CheckTogether(client);
  // MPI may drop what a process has sent before it died. So this one dies when the others say that
  // they have got all of it.
  Group g = Make(client, Sum("dies", "add",
                             ToParticipant1("a", 0, 6) + ToParticipant1("b", 2, 7) +
                                 " y = f32[4] custom-call(x, a, b), "
                                 "custom_call_target=\"tests.die\"\n"));
  if (client->process_id() == 1)
    g.arguments[0][0] = client->BufferFromLiteral(Literal::R1<float>({7, 0, 0, 0})).value();
  for (bool async : {false, true}) {
    const auto begin = std::chrono::steady_clock::now();
    auto results = async ? g.executable.ExecuteOnDevicesAsync(g.arguments)
                         : g.executable.ExecuteOnDevices(g.arguments);
    const absl::Status s = results.ok() ? (*results)[0][0].Await() : results.status();
    INFO(s.ToString());
    CHECK(s.code() == absl::StatusCode::kUnavailable);
    CHECK(Told(s).find("participant 1") != std::string::npos);
    CHECK(std::chrono::steady_clock::now() - begin < 14s);
    CheckAlone(*client);
  }
}

}  // namespace
}  // namespace sinter::testing
