// Random programs of several participants on several GPUs, each run again and again: exchange by
// exchange, captured, and as graphs. The same variables as those of tests/fuzz.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "api/client_core.h"
#include "base/status.h"
#include "clients.h"
#include "collectives/run.h"
#include "environment.h"
#include "fuzz/generate.h"
#include "fuzz/random.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter::nccl_test {
namespace {

constexpr int kRuns = 4;

fuzz::Program GenerateFor(uint64_t seed) {
  static const std::vector<collective::Grid> grids{{2, 1}, {1, 2}, {4, 1}, {1, 4}, {2, 2}, {3, 1}};
  fuzz::Random random(seed * 31 + 7);
  const collective::Grid grid = random.Of(grids);
  return fuzz::Generate(seed, {.max_elements = 300,
                               .large = false,
                               .most_moved = 0,
                               .replicas = grid.replicas,
                               .partitions = grid.partitions});
}

absl::Status CheckRuns(Client& client, const fuzz::Program& program, uint64_t seed) {
  ASSIGN_OR_RETURN(std::shared_ptr<HloModule> module, ParseHloText(Print(program), "random.hlo"));
  RETURN_IF_ERROR(VerifyModule(*module));
  CompileOptions options;
  options.replicas = static_cast<int>(program.replicas);
  options.partitions = static_cast<int>(program.partitions);
  ASSIGN_OR_RETURN(Executable executable, client.core()->CompileModule(*module, options));
  const int64_t participants = program.replicas * program.partitions;
  // Of two sets of arguments, so that addresses change and come again.
  std::vector<std::vector<Literal>> expected;
  std::vector<std::vector<std::vector<Buffer>>> buffers(2);
  for (size_t set = 0; set < 2; ++set) {
    testing::Arguments arguments;
    for (int64_t n = 0; n < participants; ++n)
      arguments.push_back(fuzz::Arguments(program, seed * 16 + set * 8 + static_cast<uint64_t>(n)));
    ASSIGN_OR_RETURN(expected.emplace_back(), testing::Interpreted(*module, arguments));
    for (size_t n = 0; n < arguments.size(); ++n) {
      auto& own = buffers[set].emplace_back();
      for (const Literal& x : fuzz::LeavesOf(arguments[n])) {
        ASSIGN_OR_RETURN(Buffer b, client.BufferFromLiteral(x, static_cast<int>(n)));
        own.push_back(std::move(b));
      }
    }
  }
  for (int run = 0; run < kRuns; ++run) {
    for (size_t set = 0; set < 2; ++set) {
      ASSIGN_OR_RETURN(auto results, run % 2 == 0 ? executable.ExecuteOnDevices(buffers[set])
                                                  : executable.ExecuteOnDevicesAsync(buffers[set]));
      for (size_t n = 0; n < results.size(); ++n) {
        std::vector<Literal> leaves;
        for (const Buffer& b : results[n]) {
          ASSIGN_OR_RETURN(Literal x, b.ToLiteral());
          leaves.push_back(std::move(x));
        }
        RETURN_IF_ERROR(Annotate(
            fuzz::Compare(program, fuzz::FromLeaves(expected[set][n].shape(), std::move(leaves)),
                          expected[set][n]),
            Format("run {}, participant {}", run, n)));
      }
    }
  }
  return absl::OkStatus();
}

TEST_CASE("Random programs on several GPUs give what the interpreter gives", "[.][standard]") {
  const int64_t first = testing::FromEnvironment("SINTER_FUZZ_SEED", 1),
                count = testing::FromEnvironment("SINTER_FUZZ_COUNT", first == 1 ? 40 : 1);
  const bool keep_going = std::getenv("SINTER_FUZZ_KEEP_GOING") != nullptr;
  Fixture fixture;
  ReuseMemory();
  const auto client = *MakeClient();
  for (int64_t k = first; k < first + count; ++k) {
    const auto seed = static_cast<uint64_t>(k);
    const fuzz::Program program = GenerateFor(seed);
    if (std::getenv("SINTER_FUZZ_PRINT") != nullptr) std::printf("%s\n", Print(program).c_str());
    const absl::Status s = CheckRuns(*client, program, seed);
    if (s.ok()) continue;
    const std::string report = Format("seed {}: {}\n{}", seed, s.ToString(), Print(program));
    if (!keep_going) FAIL(report);
    std::printf("==== %s\n", report.c_str());
    std::fflush(stdout);
  }
  if (count >= 40) CHECK(GraphLaunches() > 0);
}

}  // namespace
}  // namespace sinter::nccl_test
