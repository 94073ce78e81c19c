// Random programs of several participants on the interpreter and on devices of a client. The same
// variables as those of fuzz_test.cc.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>

#include "base/status.h"
#include "collectives/run.h"
#include "environment.h"
#include "fuzz/check.h"
#include "fuzz/generate.h"
#include "fuzz/random.h"
#include "fuzz/reduce.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter::fuzz {
namespace {

constexpr int kMostDevices = 6;

Program GenerateSeveral(uint64_t seed) {
  static const std::vector<collective::Grid> grids{{2, 1}, {1, 2}, {3, 1}, {1, 3}, {4, 1},
                                                   {1, 4}, {2, 2}, {3, 2}, {2, 3}};
  Random random(seed * 31 + 7);
  const collective::Grid grid = random.Of(grids);
  return Generate(seed,
                  {.max_elements = 3000, .replicas = grid.replicas, .partitions = grid.partitions});
}

absl::Status CheckOn(Client& client, const Program& program, uint64_t seed) {
  static const std::vector<Variant> variants = AllVariants();
  ASSIGN_OR_RETURN(std::shared_ptr<HloModule> module, ParseHloText(Print(program), "fuzz.hlo"));
  RETURN_IF_ERROR(VerifyModule(*module));
  testing::Arguments arguments;
  const int64_t participants = program.replicas * program.partitions;
  for (int64_t n = 0; n < participants; ++n)
    arguments.push_back(Arguments(program, seed * 16 + static_cast<uint64_t>(n)));
  ASSIGN_OR_RETURN(std::vector<Literal> expected, testing::Interpreted(*module, arguments));
  for (auto& own : arguments) own = LeavesOf(own);
  const Variant variant = variants[seed % variants.size()];
  CompileOptions options;
  options.isa = variant.isa;
  options.disabled_passes = variant.DisabledPasses();
  ASSIGN_OR_RETURN(std::vector<Literal> actual,
                   testing::OnDevices(client, *module, arguments, seed % 2 == 0, {}, options));
  for (size_t n = 0; n < expected.size(); ++n) {
    Literal given = FromLeaves(expected[n].shape(), LeavesOf({actual[n]}));
    RETURN_IF_ERROR(Annotate(Compare(program, given, expected[n]),
                             Format("{}, participant {}", variant.Text(), n)));
  }
  return absl::OkStatus();
}

std::optional<std::string> Checked(const Program& program, uint64_t seed) {
  CpuOptions options;
  options.cache_entries = 1;
  options.threads = static_cast<int>(seed % 3) + 1;
  options.devices = kMostDevices;
  auto client = Client::Cpu(options);
  if (!client.ok()) return client.status().ToString();
  const absl::Status status = CheckOn(**client, program, seed);
  if (status.ok()) return std::nullopt;
  return status.ToString();
}

std::string Report(const Program& program, uint64_t seed) {
  auto apart = [&](const Program& p) { return Apart([&] { return Checked(p, seed); }); };
  const std::string kind = Kind(apart(program).value_or("nothing"));
  auto fails = [&](const Program& p) {
    const auto wrong = apart(p);
    return wrong && Kind(*wrong) == kind;
  };
  const Program small = fails(program) ? Reduce(program, fails, 400) : program;
  return Format("seed {}: {}\n{}", seed, apart(small).value_or("nothing, alone").substr(0, 6000),
                Print(small));
}

TEST_CASE("random programs of several participants give what the interpreter gives") {
  const int64_t seed = testing::FromEnvironment("SINTER_FUZZ_SEED", 1),
                count = testing::FromEnvironment("SINTER_FUZZ_COUNT", seed == 1 ? 60 : 1);
  const bool keep_going = std::getenv("SINTER_FUZZ_KEEP_GOING") != nullptr;
  for (int64_t k = seed; k < seed + count; ++k) {
    const auto s = static_cast<uint64_t>(k);
    const Program program = GenerateSeveral(s);
    INFO("seed " << s);
    if (std::getenv("SINTER_FUZZ_PRINT") != nullptr) std::printf("%s\n", Print(program).c_str());
    const auto wrong =
        keep_going ? Apart([&] { return Checked(program, s); }) : Checked(program, s);
    if (!wrong) continue;
    const std::string report = Report(program, s);
    if (!keep_going) FAIL(report);
    std::printf("==== %s\n", report.c_str());
    std::fflush(stdout);
  }
}

}  // namespace
}  // namespace sinter::fuzz
