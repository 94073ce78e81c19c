// How outputs reach values: terms, and where concatenates and pads cut the axes.
#include "ir/analysis/access.h"

#include <catch2/catch.hpp>

#include "base/text.h"
#include "unit/region.h"

namespace sinter {
namespace {

using Cuts = std::vector<std::vector<int64_t>>;

Accesses Found(const HloModule& m) {
  const HloInstruction* root = m.entry()->root();
  return FindAccesses({root}, WholeOf(root->shape()));
}
const HloInstruction* Named(const HloModule& m, const std::string& name) {
  for (const auto& i : m.entry()->instructions()) {
    if (i->name() == name) return i.get();
  }
  return nullptr;
}

TEST_CASE("intervals saturate, and empty ones stay so") {
  const Interval all{}, i{2, 5};
  CHECK(i.Times(3) == Interval{6, 13});
  CHECK(i.Times(-2) == Interval{-8, -3});
  CHECK(i.Times(0) == Interval{0, 1});
  CHECK(i.Plus(4) == Interval{6, 9});
  CHECK(i.Plus({-1, 2}) == Interval{1, 6});
  CHECK(all.Plus(1) == all);
  CHECK(all.Times(2) == all);
  CHECK(Interval{INT64_MAX - 2, INT64_MAX - 1}.Times(2) == all);
  CHECK(Interval{5, 2}.empty());
  CHECK(Interval{5, 2}.size() == 0);
  CHECK(i.And({4, 9}) == Interval{4, 5});
  CHECK(i.IsIn({2, 5}));
  CHECK_FALSE(i.IsIn({3, 9}));
  CHECK(i.Meets({4, 9}));
  CHECK_FALSE(i.Meets({5, 9}));
}

TEST_CASE("a roll cuts its axis once") {
  auto m = Region(
      "x = f32[8,4] parameter(0)\na = f32[3,4] slice(x), slice={[5:8],[0:4]}\n"
      "b = f32[5,4] slice(x), slice={[0:5],[0:4]}\n"
      "ROOT r = f32[8,4] concatenate(a, b), dimensions={0}");
  const Accesses found = Found(*m);
  CHECK(found.complete);
  CHECK(found.cuts == Cuts{{3}, {}});
  CHECK(found.of.at(Named(*m, "x")).size() == 1);  // the terms are the same
}

TEST_CASE("what all parts of a concatenate share is reached once") {
  std::string text = "v0 = f32[100] parameter(0)\n", parts;
  for (int k = 1; k <= 500; ++k) text += Format("v{} = f32[100] negate(v{})\n", k, k - 1);
  for (int k = 1; k <= 40; ++k) {
    text += Format("p{} = f32[100] add(v500, v{})\nq{} = f32[100,1] reshape(p{})\n", k, k, k, k);
    parts += Format("{}q{}", k > 1 ? ", " : "", k);
  }
  auto m = Region(text + Format("ROOT r = f32[100,40] concatenate({}), dimensions={{1}}", parts));
  const Accesses found = Found(*m);
  CHECK(found.complete);
  CHECK(found.cuts[1].size() == 39);
  CHECK(found.of.at(Named(*m, "v250")) == std::vector<Access>{{{{0, 1}}}});
}

TEST_CASE("cuts are in coordinates of the outputs: through slices, reverses and transposes") {
  auto m = Region(
      "x = f32[4,8] parameter(0)\ny = f32[4,2] parameter(1)\n"
      "c = f32[4,10] concatenate(x, y), dimensions={1}\n"
      "t = f32[10,4] transpose(c), dimensions={1,0}\n"
      "v = f32[10,4] reverse(t), dimensions={0}\n"
      "ROOT s = f32[9,4] slice(v), slice={[1:10],[0:4]}");
  // Element i of the slice is element 9 - (i + 1) of the concatenate's dimension: 8 and 9 are y's.
  CHECK(Found(*m).cuts == Cuts{{1}, {}});
}

TEST_CASE("pads cut at both borders, and read padding only where there is one") {
  auto m = Region(
      "x = f32[6] parameter(0)\nz = f32[] parameter(1)\n"
      "p = f32[9] pad(x, z), padding=2_1\nROOT n = f32[9] negate(p)");
  const Accesses found = Found(*m);
  CHECK(found.cuts == Cuts{{2, 8}});
  CHECK(found.of.contains(Named(*m, "z")));
  const Accesses inside = FindAccesses({m->entry()->root()}, {{2, 8}});
  CHECK(inside.cuts == Cuts{{}});
  CHECK_FALSE(inside.of.contains(Named(*m, "z")));
  CHECK_FALSE(FindAccesses({m->entry()->root()}, {{0, 2}}).of.contains(Named(*m, "x")));
}

TEST_CASE("operands that a part of the outputs does not read are not reached") {
  auto m = Region(
      "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\ne = f32[4] exponential(y)\n"
      "ROOT r = f32[8] concatenate(x, e), dimensions={0}");
  const Accesses low = FindAccesses({m->entry()->root()}, {{0, 4}});
  CHECK(low.of.contains(Named(*m, "x")));
  CHECK_FALSE(low.of.contains(Named(*m, "e")));
}

TEST_CASE("nothing is cut where a start is known at run time only") {
  auto m = Region(
      "x = f32[4] parameter(0)\ny = f32[4] parameter(1)\ni = s32[] parameter(2)\n"
      "c = f32[8] concatenate(x, y), dimensions={0}\n"
      "ROOT r = f32[3] dynamic-slice(c, i), dynamic_slice_sizes={3}");
  const Accesses found = Found(*m);
  CHECK(found.cuts == Cuts{{}});
  CHECK(found.of.contains(Named(*m, "x")));
  CHECK(found.of.contains(Named(*m, "y")));
}

TEST_CASE("nothing is cut along an axis that a reduction opens, or that a map spreads") {
  auto m = Region(
      "x = f32[4,3] parameter(0)\nz = f32[] constant(0)\n"
      "c = f32[8,3] concatenate(x, x), dimensions={0}\n"
      "ROOT r = f32[3] reduce(c, z), dimensions={0}, to_apply=add");
  CHECK(Found(*m).cuts == Cuts{{}});
  auto strided = Region(
      "x = f32[4] parameter(0)\nc = f32[8] concatenate(x, x), dimensions={0}\n"
      "ROOT r = f32[4] slice(c), slice={[0:8:2]}");
  CHECK(Found(*strided).cuts == Cuts{{}});
}

}  // namespace
}  // namespace sinter
