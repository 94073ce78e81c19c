// Random programs on the emulator against the interpreter. SINTER_FUZZ_SEED=N runs one program,
// SINTER_FUZZ_COUNT=N so many from there (or from 1), SINTER_FUZZ_KEEP_GOING=1 past failures.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <optional>

#include "base/status.h"
#include "cuda/device/emulated.h"
#include "environment.h"
#include "eval/eval.h"
#include "fuzz/check.h"
#include "fuzz/generate.h"
#include "fuzz/reduce.h"
#include "ir/text/parser.h"

namespace sinter::fuzz {
namespace {

absl::Status CheckEmulated(const Program& program, uint64_t seed) {
  ASSIGN_OR_RETURN(auto module, ParseHloText(Print(program), "fuzz.hlo"));
  const std::vector<Literal> arguments = Arguments(program, seed);
  ASSIGN_OR_RETURN(const Literal expected, Evaluate(*module, arguments));
  emulator::EmulatedProgram::Options options;
  if (seed % 2 == 0)
    options.disabled_passes = {"algebraic", "constant-folding", "common-subexpressions"};
  ASSIGN_OR_RETURN(auto compiled, emulator::EmulatedProgram::Compile(*module, options));
  ASSIGN_OR_RETURN(std::vector<Literal> leaves, compiled->Run(LeavesOf(arguments), seed));
  return Compare(program, FromLeaves(expected.shape(), std::move(leaves)), expected);
}

// What went wrong without the particulars, so that a program that is reduced does not come to fail
// for other reasons.
std::string Kind(const absl::Status& s) {
  const std::string text = s.ToString();
  for (const char* kind : {"race", "divergence", "outside", "no multiple", "nobody", "kernel of",
                           "within", "exact", "UNIMPLEMENTED", "INTERNAL", "INVALID"}) {
    if (text.find(kind) != text.npos) return kind;
  }
  return "other";
}

void RunSeeds(uint64_t first, int64_t count) {
  const bool keep_going = std::getenv("SINTER_FUZZ_KEEP_GOING") != nullptr;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); seed++) {
    INFO("seed " << seed);  // should the process end here
    // Scatters and sorts are loops of many turns there: in some programs, of few elements.
    const bool moves = seed % 5 == 0;
    const Program program =
        moves ? Generate(seed, {.max_elements = 1000, .large = false, .most_moved = 150})
              : Generate(seed, {.most_moved = 0});
    const absl::Status s = CheckEmulated(program, seed);
    if (s.ok()) continue;
    const std::string kind = Kind(s);
    auto fails = [&](const Program& p) {
      const absl::Status again = CheckEmulated(p, seed);
      return !again.ok() && Kind(again) == kind;
    };
    const Program small = Reduce(program, fails, 200);
    const std::string report =
        Format("seed {}: {}\n{}", seed, CheckEmulated(small, seed).ToString().substr(0, 6000),
               Print(small));
    if (!keep_going) FAIL(report);
    std::printf("==== %s\n", report.c_str());
    std::fflush(stdout);
  }
}

TEST_CASE("random programs on the emulator give what the interpreter gives") {
  const int64_t seed = testing::FromEnvironment("SINTER_FUZZ_SEED", 0),
                count = testing::FromEnvironment("SINTER_FUZZ_COUNT", seed ? 1 : 300);
  RunSeeds(static_cast<uint64_t>(seed ? seed : 1), count);
}

TEST_CASE("many random programs on the emulator give what the interpreter gives", "[.full]") {
  RunSeeds(1000, 5000);
}

}  // namespace
}  // namespace sinter::fuzz
