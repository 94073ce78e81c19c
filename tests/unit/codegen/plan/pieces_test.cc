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

using Cuts = std::vector<std::vector<int64_t>>;

// The boxes of a region that is of as many operations everywhere, and whose seams go through it.
std::vector<Box> Choose(const Cuts& cuts, const std::vector<int64_t>& dims, int64_t operations) {
  auto look = [&](const Box& box) -> std::optional<Seams> {
    Seams inside{Cuts(dims.size()), operations};
    for (size_t d = 0; d < dims.size(); ++d)
      for (int64_t cut : cuts[d])
        if (box[d].lo < cut && cut < box[d].hi) inside.cuts[d].push_back(cut);
    return inside;
  };
  return ChoosePieces({cuts, operations}, dims, 16, look);
}

TEST_CASE("a small region is cut at every seam") {
  const std::vector<int64_t> dims{100, 64, 256};
  const std::vector<Box> boxes = Choose({{1}, {}, {128, 160}}, dims, 10);
  CHECK(boxes.size() == 6);
  CheckPartition(boxes, dims);
}

TEST_CASE("a large region: the inner box, and slabs around it") {
  const std::vector<int64_t> dims{100, 100, 100};
  const std::vector<Box> boxes = Choose({{1, 99}, {2, 97}, {1, 98}}, dims, 100);
  CHECK(boxes.size() == 7);
  CheckPartition(boxes, dims);
  CHECK(boxes.back() == Box{{1, 99}, {2, 97}, {1, 98}});
  // Slabs that would leave most elements to tests are no gain.
  CHECK(Choose({{50}, {50}, {50}}, dims, 300).empty());
}

TEST_CASE("slabs that leave nothing to decide are fewer than boxes") {
  const std::vector<int64_t> dims{18, 34, 544};
  const Cuts cuts{{1, 17}, {1, 33}, {16, 528}};
  CHECK(Choose(cuts, dims, 2).size() == 27);
  const std::vector<Box> boxes = ChoosePieces({cuts, 2}, dims, 16, [](const Box&) {
    return Seams{Cuts(3), 2};
  });
  CHECK(boxes.size() == 7);
  CheckPartition(boxes, dims);
}

TEST_CASE("planes of a stack are cut at their own seams") {
  // Nine planes of a few operations each, of which every other one is cut, at another row.
  const std::vector<int64_t> dims{9, 64, 256};
  auto look = [&](const Box& box) -> std::optional<Seams> {
    Seams inside{Cuts(3), 0};
    for (int64_t plane = box[0].lo; plane < box[0].hi; ++plane) {
      inside.operations += 50;
      if (plane > box[0].lo) inside.cuts[0].push_back(plane);
      const int64_t row = plane + 1;
      if (plane % 2 == 1 && box[1].lo < row && row < box[1].hi) inside.cuts[1].push_back(row);
    }
    return inside;
  };
  Box all{{0, 9}, {0, 64}, {0, 256}};
  const std::vector<Box> boxes = ChoosePieces(*look(all), dims, 16, look);
  CHECK(boxes.size() == 13);
  CheckPartition(boxes, dims);
}

TEST_CASE("one nest where there is no seam, little to compute, or only parts of vectors") {
  CHECK(Choose({{}, {}}, {100, 100}, 10).empty());
  CHECK(Choose({{1}, {}}, {2, 16}, 10).empty());
  CHECK(Choose({{}, {1, 2}}, {1000, 3}, 10).empty());
  CHECK(Choose({{500}, {1, 2}}, {1000, 3}, 10).size() == 2);
}

TEST_CASE("many short parts of one row are computed one by one, not all for each vector") {
  std::vector<int64_t> seams;
  for (int64_t k = 1; k < 100; ++k) seams.push_back(k);
  const std::vector<Box> boxes = Choose({seams}, {100}, 3);
  CHECK(boxes.size() == 100);
  CheckPartition(boxes, {100});
  // Not where each part is much to compute, and one vector holds them all.
  CHECK(Choose({{1, 2, 3, 4, 5, 6, 7}}, {8}, 10).empty());
}

TEST_CASE("small boxes that differ in tasks are one nest") {
  const std::vector<int64_t> dims{124, 124, 256};
  const Cuts cuts{{1, 123}, {1, 123}, {}};
  auto join = [&](const std::vector<bool>& may_differ, int64_t operations) {
    auto look = [&](const Box&) { return Seams{Cuts(3), operations}; };
    return JoinSmall(Choose(cuts, dims, operations), may_differ, 16, look);
  };
  const auto joined = join({true, true, false}, 40);
  REQUIRE(joined.size() == 2);
  CHECK(joined[0].size() == 4);
  CHECK(HullOf(joined[0]) == Box{{0, 124}, {0, 124}, {0, 256}});
  CHECK(joined[1] == std::vector<Box>{Box{{1, 123}, {1, 123}, {0, 256}}});
  std::vector<Box> all = joined[0];
  all.push_back(joined[1][0]);
  CheckPartition(all, dims);
  // Of these dimensions there are loops, or tiles.
  CHECK(join({false, false, false}, 40).size() == 5);
  // Code for a single operation is less than what finds the box.
  CHECK(join({true, true, false}, 1).size() == 5);
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
