// When transposes move up to a product, and when they stay: a case a rule.
#include "passes/layout/product_transposes.h"

#include <catch2/catch.hpp>

#include "unit/region.h"

namespace sinter {
namespace {

// What is transposed after the pass: names of products, operations of other values.
std::string Transposed(const std::string& rest) {
  auto module = Region(
      "a = f32[4,64,48] parameter(0)\nb = f32[4,48,64] parameter(1)\n"
      "m = f32[4,64,64] parameter(2)\nzero = f32[] constant(0)\n"
      "s = f32[4,64,64] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, "
      "lhs_contracting_dims={2}, rhs_contracting_dims={1}\n" +
      rest);
  auto changed = MakeProductTransposesPass()->Run(*module);
  INFO(changed.status().ToString());
  REQUIRE(changed.ok());
  std::string all;
  for (const HloInstruction* i : module->entry()->PostOrder()) {
    if (i->op() != HloOpcode::Transpose) continue;
    const HloInstruction& x = *i->operand(0);
    all += (all.empty() ? "" : " ") +
           (x.op() == HloOpcode::Dot ? x.name() : std::string(Name(x.op())));
  }
  return all;
}

TEST_CASE("a transpose moves over elements, reductions and broadcasts to the product") {
  CHECK(Transposed("e = f32[4,64,64] exponential(s)\n"
                   "ROOT t = f32[64,4,64] transpose(e), dimensions={1,0,2}") == "s");
  CHECK(Transposed("e = f32[4,64,64] exponential(s)\n"
                   "sum = f32[4,64] reduce(e, zero), dimensions={2}, to_apply=add\n"
                   "sums = f32[4,64,64] broadcast(sum), dimensions={0,1}\n"
                   "w = f32[4,64,64] divide(e, sums)\n"
                   "ROOT t = f32[64,64,4] transpose(w), dimensions={2,1,0}") == "s");
}

TEST_CASE("transposes of several values become one") {
  CHECK(Transposed("sum = f32[4,64] reduce(s, zero), dimensions={2}, to_apply=add\n"
                   "sum_t = f32[64,4] transpose(sum), dimensions={1,0}\n"
                   "s_t = f32[64,4,64] transpose(s), dimensions={1,0,2}\n"
                   "sums = f32[64,4,64] broadcast(sum_t), dimensions={0,1}\n"
                   "ROOT w = f32[64,4,64] subtract(s_t, sums)") == "s");
}

TEST_CASE("a transpose stays where as much would move") {
  // The product's own is chosen with its form.
  CHECK(Transposed("ROOT t = f32[64,4,64] transpose(s), dimensions={1,0,2}") == "s");
  // Something else reads the value, or it is computed with an array of the program.
  CHECK(Transposed("e = f32[4,64,64] exponential(s)\n"
                   "t = f32[64,4,64] transpose(e), dimensions={1,0,2}\n"
                   "ROOT r = (f32[4,64,64], f32[64,4,64]) tuple(e, t)") == "exponential");
  CHECK(Transposed("sum = f32[4,64,64] add(s, m)\n"
                   "ROOT t = f32[64,4,64] transpose(sum), dimensions={1,0,2}") == "add");
}

TEST_CASE("masks that are computed of positions are computed in the other order") {
  CHECK(Transposed("x = s32[4,64,64] iota(), iota_dimension=1\n"
                   "y = s32[4,64,64] iota(), iota_dimension=2\n"
                   "is_lower = pred[4,64,64] compare(x, y), direction=GE\n"
                   "zeros = f32[4,64,64] broadcast(zero), dimensions={}\n"
                   "w = f32[4,64,64] select(is_lower, s, zeros)\n"
                   "ROOT t = f32[64,4,64] transpose(w), dimensions={1,0,2}") == "s");
}

TEST_CASE("the order is the one in which the least is moved") {
  // Two values are read in one order, one in another.
  CHECK(Transposed("e = f32[4,64,64] exponential(s)\nn = f32[4,64,64] negate(s)\n"
                   "t = f32[64,4,64] transpose(e), dimensions={1,0,2}\n"
                   "u = f32[64,4,64] transpose(n), dimensions={1,0,2}\n"
                   "v = f32[64,64,4] transpose(n), dimensions={2,1,0}\n"
                   "ROOT r = (f32[64,4,64], f32[64,4,64], f32[64,64,4]) tuple(t, u, v)") ==
        "s negate");
}

TEST_CASE("operations that are none on rows end what moves") {
  CHECK(Transposed("e = f32[4,64,64] reverse(s), dimensions={1}\n"
                   "ROOT t = f32[64,4,64] transpose(e), dimensions={1,0,2}") == "reverse");
}

}  // namespace
}  // namespace sinter
