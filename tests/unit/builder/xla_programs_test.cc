#include "unit/builder/xla_programs.h"

#include "eval/eval.h"
#include "ir/verify/verify.h"
#include "record.h"

TEST_CASE("programs in the style of XLA's give what they give there") {
  for (const xla_programs::Program& program : xla_programs::Programs()) {
    DYNAMIC_SECTION(program.name) {
      absl::StatusOr<xla::XlaComputation> c = program.build();
      INFO(c.status().message());
      REQUIRE(c.ok());
      CHECK(sinter::VerifyModule(*c->module()).ok());
      auto result = sinter::Evaluate(*c->module(), program.arguments);
      INFO(result.status().message());
      REQUIRE(result.ok());
      INFO(result->ToString());
      CHECK(*result == program.expected);
    }
  }
}
