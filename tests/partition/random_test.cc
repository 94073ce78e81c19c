// Random programs with random shardings. SINTER_PARTITION_SEED=N runs one, SINTER_PARTITION_COUNT=N
// so many from there or from 1, SINTER_PARTITION_KEEP_GOING=1 past failures.
#include <catch2/catch.hpp>
#include <cstdio>

#include "environment.h"
#include "generate.h"
#include "ir/participants.h"
#include "ir/text/parser.h"
#include "partitioned.h"

namespace sinter::partition_testing {
namespace {

int64_t CountCollectives(const HloModule& module) {
  int64_t count = 0;
  for (const auto& c : module.computations()) {
    for (const auto& i : c->instructions()) {
      count += NeedsParticipants(i->op()) && i->op() != HloOpcode::PartitionId;
    }
  }
  return count;
}

TEST_CASE("partitions give together what the whole program gives") {
  const int64_t seed = testing::FromEnvironment("SINTER_PARTITION_SEED", 0),
                count = testing::FromEnvironment("SINTER_PARTITION_COUNT", seed != 0 ? 1 : 300),
                keep_going = testing::FromEnvironment("SINTER_PARTITION_KEEP_GOING", 0);
  const int64_t first = seed != 0 ? seed : 1;
  int64_t failures = 0, collectives = 0;
  for (int64_t k = first; k < first + count; ++k) {
    const Program program = Generate(static_cast<uint64_t>(k));
    INFO("seed " << k << "\n" << program.text);
    auto module = ParseHloText(program.text, "program.hlo");
    INFO(MessageOf(module.status()));
    if (!keep_going) REQUIRE(module.ok());
    std::string wrong = MessageOf(module.status());
    if (module.ok()) {
      Tolerance tolerance;
      tolerance.max_ulp = 0;
      if (!program.is_exact) tolerance.relative_to_largest = 1e-5;
      const Comparison c = Compare(**module, program.arguments, tolerance);
      wrong = MessageOf(c.status);
      if (c.partitioned != nullptr) collectives += CountCollectives(*c.partitioned);
      if (!wrong.empty() && seed != 0 && c.partitioned != nullptr)
        std::printf("%s\n%s\n", program.text.c_str(), Print(*c.partitioned).c_str());
    }
    if (wrong.empty()) continue;
    ++failures;
    if (keep_going) {
      std::printf("seed %lld: %s\n", static_cast<long long>(k), wrong.substr(0, 300).c_str());
      continue;
    }
    FAIL(wrong);
  }
  CHECK(failures == 0);
  // Most programs make partitions exchange something.
  if (count > 100) CHECK(collectives > count);
}

}  // namespace
}  // namespace sinter::partition_testing
