#include "collectives/run.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <sstream>
#include <thread>

#include "api/client_core.h"
#include "base/status.h"
#include "eval/eval.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"
#include "sinter/custom_call.h"
#include "sinter/testing.h"

namespace sinter::testing {
namespace {

void AddLeaves(const Literal& x, std::vector<Literal>& leaves) {
  if (!x.shape().is_tuple()) return leaves.push_back(x);
  for (const Literal& e : x.tuple()) AddLeaves(e, leaves);
}

// Participant n on a device of process n, n - count, ...
std::vector<int> InTurn(const Client& client, size_t participants) {
  std::vector<int> assignment, used(static_cast<size_t>(client.process_count()));
  std::vector<std::vector<int>> devices(used.size());
  for (int d = 0; d < client.device_count(); ++d)
    devices[static_cast<size_t>(client.process_of(d))].push_back(d);
  for (size_t n = 0; assignment.size() < participants; ++n) {
    const size_t p = n % used.size();
    const auto next = static_cast<size_t>(used[p]++);
    if (next < devices[p].size()) assignment.push_back(devices[p][next]);
  }
  return assignment;
}

using Results = std::vector<std::vector<Buffer>>;  // of each participant of this process

// A program for devices, and the arguments of its participants on them.
struct Prepared {
  Executable executable;
  std::vector<std::vector<Buffer>> arguments;
};

absl::StatusOr<Prepared> Prepare(Client& client, const HloModule& module,
                                 const Arguments& arguments, std::vector<int> assignment = {},
                                 CompileOptions options = {}) {
  options.replicas = module.replica_count();
  options.partitions = module.partition_count();
  if (assignment.empty() && client.process_count() > 1)
    assignment = InTurn(client, arguments.size());
  options.device_assignment = std::move(assignment);
  Prepared program;
  ASSIGN_OR_RETURN(program.executable, client.core()->CompileModule(module, options));
  for (int64_t participant : program.executable.local_participants()) {
    const auto n = static_cast<size_t>(participant);
    auto& own = program.arguments.emplace_back();
    for (const Literal& x : arguments[n]) {
      ASSIGN_OR_RETURN(Buffer b, client.BufferFromLiteral(x, program.executable.devices()[n]));
      own.push_back(std::move(b));
    }
  }
  return program;
}

absl::StatusOr<Results> Run(const Prepared& program, bool async) {
  if (program.arguments.empty()) return Results();
  return async ? program.executable.ExecuteOnDevicesAsync(program.arguments)
               : program.executable.ExecuteOnDevices(program.arguments);
}

absl::StatusOr<std::vector<Literal>> Literals(const Results& results) {
  std::vector<Literal> all;
  for (const auto& own : results) {
    std::vector<Literal> leaves;
    for (const Buffer& b : own) {
      ASSIGN_OR_RETURN(Literal x, b.ToLiteral());
      leaves.push_back(std::move(x));
    }
    all.push_back(Literal::Tuple(std::move(leaves)));
  }
  return all;
}

// `given` is what the participants of this process have, `expected` what all have.
absl::Status SameAsExpected(const Client& client, const std::vector<Literal>& expected,
                            const std::vector<Literal>& given) {
  const std::vector<int> devices =
      client.process_count() > 1 ? InTurn(client, expected.size()) : std::vector<int>();
  size_t place = 0;
  for (size_t n = 0; n < expected.size(); ++n) {
    if (!devices.empty() && client.process_of(devices[n]) != client.process_id()) continue;
    std::vector<Literal> leaves;
    AddLeaves(expected[n], leaves);
    if (place == given.size()) return Internal("no results of participant {}", n);
    absl::Status same = ExpectEqual(given[place++], Literal::Tuple(std::move(leaves)));
    if (!same.ok()) return Annotate(same, Format("participant {}", n));
  }
  return absl::OkStatus();
}

}  // namespace

DistributedOptions FromEnvironment() {
  DistributedOptions options;
  const char* text = std::getenv("SINTER_TEST_PROCESSES");
  if (text == nullptr) return options;
  std::istringstream words(text);
  std::string transport, address;
  words >> transport;
  options.transport = transport == "mpi" ? DistributedOptions::Transport::kMpi
                                         : DistributedOptions::Transport::kTcp;
  if (transport == "mpi") return options;
  words >> options.process_id;
  while (words >> address) options.addresses.push_back(address);
  options.process_count = static_cast<int>(options.addresses.size());
  return options;
}

std::shared_ptr<Client> ClientOfEight(CpuOptions options) {
  constexpr int kDevices = 8;
  options.distributed = FromEnvironment();
  options.devices = kDevices;
  if (const char* count = std::getenv("SINTER_TEST_PROCESS_COUNT")) {
    const int n = std::atoi(count);
    // Of three processes the last has fewer.
    const int most = (kDevices + n - 1) / n;
    const char* id = std::getenv("SINTER_TEST_PROCESS_ID");
    if (id == nullptr) id = std::getenv("OMPI_COMM_WORLD_RANK");
    if (id == nullptr) id = std::getenv("PMI_RANK");
    options.devices = std::min(most, kDevices - most * (id == nullptr ? 0 : std::atoi(id)));
    if (options.collective_timeout == 0) options.collective_timeout = 60;
  }
  auto client = Client::Cpu(options);
  if (!client.ok()) {
    std::fprintf(stderr, "%s\n", client.status().ToString().c_str());
    std::exit(1);
  }
  return *std::move(client);
}

absl::StatusOr<std::shared_ptr<HloModule>> ParseFor(const std::string& text,
                                                    collective::Grid grid) {
  ASSIGN_OR_RETURN(auto module, ParseHloText(text, "test.hlo"));
  module->set_replica_count(grid.replicas);
  module->set_partition_count(grid.partitions);
  RETURN_IF_ERROR(VerifyModule(*module));
  return std::shared_ptr<HloModule>(std::move(module));
}

absl::StatusOr<std::vector<Literal>> Interpreted(const HloModule& module,
                                                 const Arguments& arguments) {
  return EvaluateParticipants(module, arguments);
}

absl::StatusOr<std::vector<Literal>> OnDevices(Client& client, const HloModule& module,
                                               const Arguments& arguments, bool async,
                                               std::vector<int> assignment,
                                               CompileOptions options) {
  ASSIGN_OR_RETURN(Prepared program,
                   Prepare(client, module, arguments, std::move(assignment), std::move(options)));
  ASSIGN_OR_RETURN(Results results, Run(program, async));
  return Literals(results);
}

absl::Status SameOnDevices(Client& client, const std::string& text, collective::Grid grid,
                           const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto module, ParseFor(text, grid));
  ASSIGN_OR_RETURN(std::vector<Literal> expected, Interpreted(*module, arguments));
  ASSIGN_OR_RETURN(Prepared program, Prepare(client, *module, arguments));
  for (bool async : {false, true}) {
    ASSIGN_OR_RETURN(Results results, Run(program, async));
    ASSIGN_OR_RETURN(std::vector<Literal> given, Literals(results));
    absl::Status same = SameAsExpected(client, expected, given);
    if (!same.ok()) return Annotate(same, Format("async {}", async));
  }
  return absl::OkStatus();
}

std::shared_ptr<CustomCallRegistry> Delays() {
  const auto calls = std::make_shared<std::atomic<uint64_t>>(0);
  auto registry = std::make_shared<CustomCallRegistry>();
  const absl::Status registered =
      registry->Register("tests.delay", "Host", [calls](const CustomCallFrame& frame) {
        // Knuth's multiplicative hash: neighbours differ in all of the upper bits.
        const uint64_t hash = (*calls)++ * 0x9E3779B97F4A7C15;
        if (hash >> 62 == 0)
          std::this_thread::sleep_for(std::chrono::microseconds((hash >> 40) % 500));
        const CustomCallFrame::Array &x = frame.operands[0], &y = frame.results[0];
        std::memcpy(y.data, x.data, static_cast<size_t>(x.shape->packed_byte_size()));
        return absl::OkStatus();
      });
  if (!registered.ok()) {
    std::fprintf(stderr, "%s\n", registered.ToString().c_str());
    std::exit(1);
  }
  return registry;
}

absl::Status SameInRuns(Client& client, const std::string& text, const std::string& delayed,
                        collective::Grid grid, const Arguments& arguments, int runs) {
  constexpr size_t kAtATime = 8;
  ASSIGN_OR_RETURN(auto plain, ParseFor(text, grid));
  ASSIGN_OR_RETURN(std::vector<Literal> expected, Interpreted(*plain, arguments));
  ASSIGN_OR_RETURN(auto module, ParseFor(delayed, grid));
  ASSIGN_OR_RETURN(Prepared program, Prepare(client, *module, arguments));
  std::deque<Results> begun;
  for (int run = 0; run < runs || !begun.empty(); ++run) {
    if (run < runs) {
      // Among runs that are asynchronous one that is waited for, in the same order everywhere.
      ASSIGN_OR_RETURN(Results results, Run(program, run % 5 != 4));
      begun.push_back(std::move(results));
      if (begun.size() < kAtATime) continue;
    }
    ASSIGN_OR_RETURN(std::vector<Literal> given, Literals(begun.front()));
    begun.pop_front();
    RETURN_IF_ERROR(SameAsExpected(client, expected, given));
  }
  return absl::OkStatus();
}

}  // namespace sinter::testing
