// Which parts of a region's outputs have nests of their own.
#include "codegen/plan/pieces.h"

#include <catch2/catch.hpp>

#include "codegen/plan/plan.h"
#include "ir/text/parser.h"

namespace sinter::plan {
namespace {

// Every element is in one of the boxes, and in one only.
void CheckPartition(const std::vector<Box>& boxes, const std::vector<int64_t>& dims) {
  int64_t all = 1, covered = 0;
  for (int64_t n : dims) all *= n;
  for (size_t a = 0; a < boxes.size(); ++a) {
    covered += ElementsIn(boxes[a]);
    for (size_t b = a + 1; b < boxes.size(); ++b) {
      bool apart = false;
      for (size_t d = 0; d < dims.size(); ++d) apart |= !boxes[a][d].Meets(boxes[b][d]);
      CHECK(apart);
    }
  }
  CHECK(covered == all);
}

bool Undecided(const Box&) { return false; }

TEST_CASE("a small region is cut at every seam") {
  const std::vector<int64_t> dims{100, 64, 256};
  const std::vector<Box> boxes = ChoosePieces({{1}, {}, {128, 160}}, dims, 10, 16, Undecided);
  CHECK(boxes.size() == 6);
  CheckPartition(boxes, dims);
}

TEST_CASE("a large region: the inner box, and slabs around it") {
  const std::vector<int64_t> dims{100, 100, 100};
  const std::vector<Box> boxes =
      ChoosePieces({{1, 99}, {2, 97}, {1, 98}}, dims, 100, 16, Undecided);
  CHECK(boxes.size() == 7);
  CheckPartition(boxes, dims);
  CHECK(boxes.back() == Box{{1, 99}, {2, 97}, {1, 98}});
  // Slabs that would leave most elements to tests are no gain.
  CHECK(ChoosePieces({{50}, {50}, {50}}, dims, 300, 16, Undecided).empty());
}

TEST_CASE("slabs that leave nothing to decide are fewer than boxes") {
  const std::vector<int64_t> dims{18, 34, 544};
  const auto decided = [](const Box&) { return true; };
  CHECK(ChoosePieces({{1, 17}, {1, 33}, {16, 528}}, dims, 2, 16, Undecided).size() == 27);
  const std::vector<Box> boxes = ChoosePieces({{1, 17}, {1, 33}, {16, 528}}, dims, 2, 16, decided);
  CHECK(boxes.size() == 7);
  CheckPartition(boxes, dims);
}

TEST_CASE("one nest where there is no seam, little to compute, or only parts of vectors") {
  CHECK(ChoosePieces({{}, {}}, {100, 100}, 10, 16, Undecided).empty());
  CHECK(ChoosePieces({{1}, {}}, {2, 16}, 10, 16, Undecided).empty());
  CHECK(ChoosePieces({{}, {1, 2}}, {1000, 3}, 10, 16, Undecided).empty());
  CHECK(ChoosePieces({{500}, {1, 2}}, {1000, 3}, 10, 16, Undecided).size() == 2);
}

TEST_CASE("pieces plan what they read alone, at the same width of vectors") {
  auto module = ParseHloText(
      "HloModule m\nENTRY main {\n x = f32[512,64] parameter(0)\n y = f64[512,64] parameter(1)\n"
      " c = f32[512,64] convert(y)\n"
      " ROOT r = f32[1024,64] concatenate(x, c), dimensions={0}\n}\n",
      "region.hlo");
  REQUIRE(module.ok());
  auto plan = MakePlan(*(*module)->entry(), CpuMachine{});
  REQUIRE(plan.ok());
  REQUIRE(plan->pieces.size() == 2);
  CHECK(plan->pieces[0].domain == Box{{0, 512}, {0, 64}});
  CHECK(plan->pieces[1].domain == Box{{512, 1024}, {0, 64}});
  CHECK(plan->pieces[0].lanes == plan->lanes);
  CHECK(plan->pieces[0].nanoseconds < plan->pieces[1].nanoseconds);  // reads half of the bytes
}

}  // namespace
}  // namespace sinter::plan
