// Which products are packed: the matrices that they are, and where that pays.
#include "codegen/plan/gemm.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "codegen/plan/plan.h"
#include "unit/region.h"

namespace sinter::plan {
namespace {

std::optional<MatrixProduct> ProductOf(const std::string& body) {
  auto region = Region(body);
  return PackedProduct(*region->entry()->root(), CpuMachine());
}
// [20,5,depth] by [5,depth,90], both axes contracted.
std::string TwoAxes(int64_t depth) {
  return Format(
      "x = f32[20,5,{0}] parameter(0)\ny = f32[5,{0},90] parameter(1)\n"
      "ROOT d = f32[20,90] dot(x, y), lhs_contracting_dims={{1,2}}, rhs_contracting_dims={{0,1}}",
      depth);
}

TEST_CASE("a contracted axis of several dimensions, the minor one last") {
  const auto p = ProductOf(TwoAxes(192));
  REQUIRE(p);
  CHECK(p->k == 960);
  CHECK(p->depth == std::vector<int64_t>{5, 192});
  const auto turned = ProductOf(
      "x = f32[20,5,192] parameter(0)\ny = f32[5,192,90] parameter(1)\n"
      "ROOT d = f32[20,90] dot(x, y), lhs_contracting_dims={2,1}, rhs_contracting_dims={1,0}");
  REQUIRE(turned);
  CHECK(turned->depth == p->depth);
  CHECK(turned->sides[0].contracted == std::vector<int64_t>{1, 2});
  CHECK(turned->sides[1].contracted == std::vector<int64_t>{0, 1});
  // Vectors would leave the last one.
  CHECK(!ProductOf(TwoAxes(200)));
  // Memory runs along another one in each operand.
  CHECK(!ProductOf(
      "x = f32[20,64,192] parameter(0)\ny = f32[90,192,64] parameter(1)\n"
      "ROOT d = f32[20,90] dot(x, y), lhs_contracting_dims={1,2}, rhs_contracting_dims={2,1}"));
}

TEST_CASE("rows of several dimensions, where memory runs along the contracted axis") {
  const auto p = ProductOf(
      "x = f32[7,96,9] parameter(0)\ny = f32[96,200] parameter(1)\nt = f32[7,9,96] transpose(x), "
      "dimensions={0,2,1}\n"
      "c = f32[7,9,96] copy(t)\n"
      "ROOT d = f32[7,9,200] dot(c, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
  REQUIRE(p);  // it runs along rows, three or nine of which are a register tile's
  CHECK(p->has_tiled_rows());
  CHECK(!ProductOf(
      "x = f32[7,96,11] parameter(0)\ny = f32[96,200] parameter(1)\nt = f32[7,11,96] "
      "transpose(x), dimensions={0,2,1}\n"
      "c = f32[7,11,96] copy(t)\n"
      "ROOT d = f32[7,11,200] dot(c, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}"));
  const auto q = ProductOf(
      "x = f32[9,7,640] parameter(0)\ny = f32[640,200] parameter(1)\nt = f32[7,9,640] "
      "transpose(x), dimensions={1,0,2}\n"
      "ROOT d = f32[7,9,200] dot(t, y), lhs_contracting_dims={2}, rhs_contracting_dims={0}");
  REQUIRE(q);
  CHECK(q->m == 63);
  CHECK(q->rows == std::vector<int64_t>{7, 9});
}

TEST_CASE("slices of a contracted axis of several dimensions begin where vectors may") {
  for (int64_t depth : {160, 192, 320, 512, 1056}) {
    auto region = Region(TwoAxes(depth));
    const HloInstruction& dot = *region->entry()->root();
    const auto p = PackedProduct(dot, CpuMachine());
    REQUIRE(p);
    CHECK(ChooseGemmBlocks(dot, *p, {}, 16).depth % 32 == 0);
  }
}

TEST_CASE("gradients for a filter read rows as they are, whole runs a slice") {
  auto blocks = [](int64_t features, int64_t places) {
    auto region =
        Region(Format("x = f32[8,{1},{1},{0}] parameter(0)\nw = f32[8,3,3,{0},{2},{2}] windows(x), "
                      "window={{size=1x{2}x{2}x1}}\n"
                      "y = f32[8,{2},{2},64] parameter(1)\n"
                      "ROOT d = f32[3,3,{0},64] dot(w, y), lhs_contracting_dims={{0,4,5}}, "
                      "rhs_contracting_dims={{0,1,2}}",
                      features, places + 2, places));
    auto plan = MakePlan(*region->entry(), CpuMachine{});
    REQUIRE(plan.ok());
    CHECK(plan->nest == Nest::kGemm);
    CHECK(!plan->gemm.packs_a);
    CHECK(features % plan->gemm.rows == 0);
    return plan->gemm;
  };
  CHECK(blocks(64, 32).depth % 32 == 0);
  CHECK(blocks(96, 14).depth % 14 == 0);
  CHECK(blocks(24, 56).depth % 56 == 0);
  CHECK(blocks(3, 12).rows == 3);
}

TEST_CASE("products of few rows and columns read both operands as they are") {
  auto blocks = [](const std::string& left, int64_t m, int64_t n, const std::string& type) {
    auto region =
        Region(Format("x = {3}[3000,{1}] parameter(0)\ny = {3}[3000,{2}] parameter(1)\n{0}"
                      "ROOT d = {3}[{1},{2}] dot(l, y), lhs_contracting_dims={{0}}, "
                      "rhs_contracting_dims={{0}}",
                      left, m, n, type));
    auto plan = MakePlan(*region->entry(), CpuMachine{});
    REQUIRE(plan.ok());
    REQUIRE(plan->nest == Nest::kGemm);
    return plan->gemm;
  };
  const std::string same = "l = f32[3000,64] copy(x)\n", computed = "l = f32[3000,64] tanh(x)\n";
  CHECK(!blocks(same, 64, 100, "f32").packs_a);
  CHECK(blocks(same, 64, 100, "f32").depth < 200);
  CHECK(blocks(computed, 64, 100, "f32").packs_a);
  CHECK(blocks(same, 64, 400, "f32").packs_a);                            // rows of many pages
  CHECK(blocks("l = bf16[3000,64] copy(x)\n", 64, 100, "bf16").packs_a);  // of words
}

TEST_CASE("windows are packed where their filters leave the second-level cache") {
  auto nest = [](int64_t features) {
    auto region =
        Region(Format("x = f32[1,9,9,{0}] parameter(0)\nw = f32[1,7,7,{0},3,3] windows(x), "
                      "window={{size=1x3x3x1}}\n"
                      "y = f32[3,3,{0},{0}] parameter(1)\n"
                      "ROOT d = f32[1,7,7,{0}] dot(w, y), lhs_contracting_dims={{4,5,3}}, "
                      "rhs_contracting_dims={{0,1,2}}",
                      features));
    auto plan = MakePlan(*region->entry(), CpuMachine{.l2_bytes = 1 << 20});
    REQUIRE(plan.ok());
    return plan->nest;
  };
  CHECK(nest(64) == Nest::kLoop);
  CHECK(nest(128) == Nest::kGemm);
}

}  // namespace
}  // namespace sinter::plan
