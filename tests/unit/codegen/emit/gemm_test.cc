// What packed products read of the memory that their operands are copied to.
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "codegen/emit/emit.h"
#include "codegen/kernel/interpret.h"
#include "codegen/kernel/verify.h"
#include "codegen/plan/plan.h"
#include "unit/codegen/emit/garbage.h"
#include "unit/region.h"

namespace sinter::emit {
namespace {

using kernel::Space;

// The first read of garbage, or "". `is_packed`: the kernel is one that copies operands.
std::string Garbage(const std::string& region, const CpuMachine& machine, bool is_packed) {
  auto m = Region(region);
  auto plan = plan::MakePlan(*m->entry(), machine);
  REQUIRE(plan.ok());
  auto k = EmitKernel(*m->entry(), *plan, "k");
  REQUIRE(k.ok());
  REQUIRE(kernel::Verify(*k).ToString() == "OK");
  std::vector<std::vector<double>> memory;
  std::vector<void*> buffers;
  for (const kernel::Buffer& b : k->buffers) {
    if (b.space == Space::kTask || b.space == Space::kConstant) continue;
    memory.emplace_back(1 << 17);
    buffers.push_back(memory.back().data());
  }
  kernel::GarbageFinder finder(*k);
  CHECK(kernel::Interpret(*k, buffers, {}, &finder).ToString() == "OK");
  CHECK((finder.reads() > 0 || !is_packed));
  return finder.found();
}

TEST_CASE("register tiles multiply what was packed, or zeros") {
  CpuMachine machine;
  machine.vector_bytes = GENERATE(32, 64);
  machine.vector_registers = machine.vector_bytes / 2;
  const auto [rows, columns, depth] = GENERATE(table<int, int, int>(
      {{28, 28, 201}, {61, 45, 40}, {13, 100, 130}, {130, 17, 70}, {50, 64, 97}, {97, 45, 129}}));
  const std::string type = GENERATE("f32", "f64");
  const bool a_turned = GENERATE(false, true), b_turned = GENERATE(false, true);
  auto shape = [&](int a, int b) {
    return type + "[" + std::to_string(a) + "," + std::to_string(b) + "]";
  };
  const std::string a = a_turned ? shape(depth, rows) : shape(rows, depth),
                    b = b_turned ? shape(columns, depth) : shape(depth, columns);
  const std::string region =
      "a = " + a + " parameter(0)\nb = " + b + " parameter(1)\nc = " + a + " negate(a)\nd = " + b +
      " negate(b)\nROOT r = " + shape(rows, columns) + " dot(c, d), lhs_contracting_dims={" +
      (a_turned ? "0" : "1") + "}, rhs_contracting_dims={" + (b_turned ? "1" : "0") + "}";
  INFO(region << " vectors of " << machine.vector_bytes);
  CHECK(Garbage(region, machine, b_turned) == "");
}

}  // namespace
}  // namespace sinter::emit
