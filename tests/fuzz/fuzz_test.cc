// Random programs on eval and on the compiled CPU. SINTER_FUZZ_SEED=N runs one program by all
// variants, in a process of its own, and reduces it if it fails, SINTER_FUZZ_COUNT=N so many from
// there (or from 1), SINTER_FUZZ_KEEP_GOING=1 past failures, SINTER_FUZZ_PRINT=1 prints every
// program.
#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "fuzz/check.h"
#include "fuzz/extents.h"
#include "fuzz/generate.h"
#include "fuzz/reduce.h"
#include "ir/text/parser.h"
#include "ir/verify/verify.h"

namespace sinter::fuzz {
namespace {

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::atoll(text) : otherwise;
}

// What went wrong without the particulars, so that a program that is reduced does not come to fail
// for other reasons.
std::string Kind(const std::string& wrong) {
  for (const char* kind :
       {"cannot be read", "does not verify", "printing", "ended by signal 14", "ended by signal",
        "kernel of", "DATA_LOSS", "INTERNAL", "UNIMPLEMENTED", "INVALID", "against 1", "eval"}) {
    if (wrong.find(kind) != wrong.npos) return kind;
  }
  return "values";
}

std::string Report(const Program& program, uint64_t seed, const std::vector<Variant>& variants,
                   bool two_threads) {
  std::string kind = Kind(CheckApart(program, seed, variants, two_threads).value_or("nothing"));
  auto fails = [&](const Program& p) {
    auto wrong = CheckApart(p, seed, variants, two_threads);
    return wrong && Kind(*wrong) == kind;
  };
  Program small = fails(program) ? Reduce(program, fails, 400) : program;
  std::string what = CheckApart(small, seed, variants, two_threads).value_or("nothing, alone");
  return "seed " + std::to_string(seed) + ": " + what.substr(0, 6000) + "\n" + Print(small);
}

// Every program by the simplified code of this processor, and by one more variant.
void RunSeeds(uint64_t first, int64_t count, bool all) {
  std::vector<Variant> variants = AllVariants();
  Checker checker;
  bool keep_going = std::getenv("SINTER_FUZZ_KEEP_GOING") != nullptr;
  for (uint64_t seed = first; seed < first + static_cast<uint64_t>(count); ++seed) {
    Program program = Generate(seed);
    std::vector<Variant> some = {variants[seed % variants.size()]};
    if (all) some = variants;
    bool two = all || seed % 4 == 0;
    INFO("seed " << seed);  // should the process end here
    if (std::getenv("SINTER_FUZZ_PRINT") != nullptr) std::printf("%s\n", Print(program).c_str());
    auto wrong =
        all ? CheckApart(program, seed, some, two) : checker.Check(program, seed, some, two);
    if (wrong) {
      std::string report = Report(program, seed, some, two);
      if (keep_going)
        std::printf("==== %s\n", report.c_str()), std::fflush(stdout);
      else
        FAIL(report);
    }
  }
}

TEST_CASE("random programs give what the interpreter gives") {
  int64_t seed = FromEnvironment("SINTER_FUZZ_SEED", 0),
          count = FromEnvironment("SINTER_FUZZ_COUNT", seed ? 1 : 300);
  RunSeeds(static_cast<uint64_t>(seed ? seed : 1), count, seed != 0 && count == 1);
}

TEST_CASE("programs that fail are reduced, dimensions too") {
  int reduced = 0;
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    Program program = Generate(seed);
    // "Fails" where a reduction's operand has an extent above 4.
    auto fails = [](const Program& p) {
      const std::vector<bool> live = Live(p.entry());
      for (size_t i = 0; i < live.size(); ++i) {
        const Node& n = p.entry().nodes[i];
        if (!live[i] || n.op != "reduce") continue;
        for (int64_t d : p.entry().nodes[static_cast<size_t>(n.operands[0])].dims)
          if (d > 4) return true;
      }
      return false;
    };
    if (!fails(program)) continue;
    ++reduced;
    const Program small = Reduce(program, fails);
    INFO("seed " << seed << "\n" << Print(small));
    CHECK(fails(small));
    auto module = ParseHloText(Print(small), "small.hlo");
    REQUIRE(module.ok());
    CHECK(VerifyModule(**module).ok());
    CHECK(Extents(small).size() <= 2);
    CHECK(Extents(small)[0] <= 8);
  }
  CHECK(reduced > 5);
}

TEST_CASE("many random programs give what the interpreter gives", "[.full]") {
  RunSeeds(1000, 20000, false);
}

}  // namespace
}  // namespace sinter::fuzz
