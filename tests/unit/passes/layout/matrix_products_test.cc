// Which form a product gets: a case a rule.
#include "passes/layout/matrix_products.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "unit/region.h"

namespace sinter {
namespace {

// The products after the pass, as their results' sizes, and transposes as "t": "[8,128,64] t".
std::string Products(const std::string& body, const TargetInfo& target = CpuMachine{}) {
  auto module = Region(body);
  auto changed = MakeMatrixProductsPass(target)->Run(*module);
  INFO(changed.status().ToString());
  REQUIRE(changed.ok());
  std::vector<std::string> all;
  for (const HloInstruction* i : module->entry()->PostOrder()) {
    if (i->op() == HloOpcode::Transpose) all.emplace_back("t");
    if (i->op() != HloOpcode::Dot) continue;
    std::vector<std::string> sizes;
    for (int64_t d : i->shape().dimensions()) sizes.push_back(std::to_string(d));
    all.push_back("[" + Join(sizes, ",") + "]");
  }
  return Join(all, " ");
}

// Sums over a dimension in the middle of an image, so many times.
std::string Middle(int images) {
  return Format(
      "x = f32[{0},64,128] parameter(0)\nw = f32[64,128] parameter(1)\n"
      "d = f32[{0},128,128] dot(x, w), lhs_contracting_dims={{1}}, rhs_contracting_dims={{0}}\n"
      "ROOT t = f32[{0},128,128] transpose(d), dimensions={{0,2,1}}",
      images);
}

TEST_CASE("what is small is repeated over what would move") {
  CHECK(Products(Middle(8)) == "[8,128,128]");
  // So many times that to move the rest costs less.
  CHECK(Products("x = f32[4096,5,96] parameter(0)\nw = f32[96,2048] parameter(1)\n"
                 "d = f32[4096,5,2048] dot(x, w), lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={0}\nROOT r = f32[4096,5,2048] negate(d)") ==
        "[20480,2048]");
}

// Attention whose keys are shared by four heads; so many queries.
std::string Grouped(int queries) {
  return Format(
      "q = f32[2,{0},2,4,64] parameter(0)\nk = f32[2,1024,2,64] parameter(1)\n"
      "v = f32[2,1024,2,64] parameter(2)\n"
      "s = f32[2,2,{0},4,1024] dot(q, k), lhs_batch_dims={{0,2}}, rhs_batch_dims={{0,2}}, "
      "lhs_contracting_dims={{4}}, rhs_contracting_dims={{3}}\n"
      "t = f32[2,2,4,{0},1024] transpose(s), dimensions={{0,1,3,2,4}}\n"
      "w = f32[2,2,4,{0},1024] exponential(t)\n"
      "ROOT o = f32[2,2,4,{0},64] dot(w, v), lhs_batch_dims={{0,1}}, rhs_batch_dims={{0,2}}, "
      "lhs_contracting_dims={{4}}, rhs_contracting_dims={{1}}",
      queries);
}

TEST_CASE("two products take the rows between them as they are, where a target chains them") {
  CHECK(Products(Grouped(512)) == "[2,2,4,512,1024] [2,2,4,512,64]");
  // The second has rows of all heads: there is nothing to save.
  CHECK(Products(Grouped(512), GpuMachine{}) == "[2,2,4,512,1024] [2,2,2048,64]");
  // Few rows are not worth packing the keys again for each head.
  CHECK(Products(Grouped(8)) == "t [2,2,32,1024] [2,2,32,64]");
}

TEST_CASE("what one product alone reads stays in the order in which it is computed") {
  CHECK(Products("x = f32[128,128] parameter(0)\nw = f32[32,128,96] parameter(1)\n"
                 "y = f32[96,64] parameter(2)\n"
                 "d = f32[128,32,96] dot(x, w), lhs_contracting_dims={1}, "
                 "rhs_contracting_dims={1}\n"
                 "e = f32[128,32,64] dot(d, y), lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={0}\n"
                 "ROOT t = f32[32,128,64] transpose(e), dimensions={1,0,2}") ==
        "[32,128,96] [32,128,64]");
}

TEST_CASE("rows of few elements are no rows to keep") {
  CHECK(Products("x = f32[8,64,64,3] parameter(0)\nw = f32[64,128] parameter(1)\n"
                 "d = f32[8,64,3,128] dot(x, w), lhs_contracting_dims={2}, "
                 "rhs_contracting_dims={0}\n"
                 "ROOT t = f32[8,64,128,3] transpose(d), dimensions={0,1,3,2}") ==
        "t [1536,128] t");
}

}  // namespace
}  // namespace sinter
