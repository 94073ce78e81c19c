// Programs whose elements change threads through shared memory: which of their accesses conflict.
#include <catch2/catch.hpp>

#include "base/status.h"
#include "cuda/device/emulated.h"
#include "ir/text/parser.h"

namespace sinter::emulator {
namespace {

// Accesses of shared memory in all, and those that wait for a bank.
struct Total {
  int64_t accesses = 0, waves = 0, least = 0;
  std::string conflicts;
};

Total BanksOf(const std::string& body) {
  auto module = ParseHloText("HloModule m\nENTRY main {\n" + body + "}\n", "banks.hlo");
  INFO(MessageOf(module.status()) << body);
  REQUIRE(module.ok());
  auto compiled = EmulatedProgram::Compile(**module, {});
  INFO(MessageOf(compiled.status()));
  REQUIRE(compiled.ok());
  std::vector<BankUse> banks;
  (*compiled)->CountBanks(&banks);
  std::vector<Literal> arguments;
  for (const HloInstruction* p : (*module)->entry()->parameters())
    arguments.emplace_back(p->shape());
  const auto results = (*compiled)->Run(arguments, 1);
  INFO(MessageOf(results.status()));
  REQUIRE(results.ok());
  Total total;
  for (const BankUse& use : banks) {
    total.accesses += use.accesses;
    total.waves += use.waves;
    total.least += use.least;
    if (use.waves > use.least)
      total.conflicts += Format("{} of {}: {}\n", use.waves, use.least, use.text);
  }
  return total;
}

TEST_CASE("transposes go through shared memory without conflicts") {
  for (const char* type : {"f32", "f64", "bf16", "u8", "s64", "pred"}) {
    const Total total =
        BanksOf(Format("  x = {0}[64,96] parameter(0)\n  n = {0}[64,96] copy(x)\n"
                       "  ROOT r = {0}[96,64] transpose(n), dimensions={{1,0}}\n",
                       type));
    INFO(type << "\n" << total.conflicts);
    CHECK(total.accesses > 0);
    CHECK(total.conflicts.empty());
  }
  // Batches, and edges that no tile divides.
  const Total edges = BanksOf(
      "  x = f32[3,70,45] parameter(0)\n"
      "  ROOT r = f32[3,45,70] transpose(x), dimensions={0,2,1}\n");
  INFO(edges.conflicts);
  CHECK(edges.accesses > 0);
  CHECK(edges.conflicts.empty());
}

// Slices of both operands wait in shared memory; some are transposed on the way there.
TEST_CASE("products ask the banks at most twice as often as they must") {
  for (const char* type : {"f32", "f64", "bf16", "s32", "s8"}) {
    for (const char* sides : {"1}, rhs_contracting_dims={0}", "0}, rhs_contracting_dims={0}",
                              "1}, rhs_contracting_dims={1}", "0}, rhs_contracting_dims={1}"}) {
      const Total total =
          BanksOf(Format("  x = {0}[128,128] parameter(0)\n  y = {0}[128,128] parameter(1)\n"
                         "  ROOT d = {0}[128,128] dot(x, y), lhs_contracting_dims={{{1}\n",
                         type, sides));
      INFO(type << " " << sides << "\n"
                << total.waves << " of " << total.least << "\n"
                << total.conflicts);
      CHECK(total.accesses > 0);
      CHECK(total.waves <= 2 * total.least);
    }
  }
}

}  // namespace
}  // namespace sinter::emulator
