// Reducers that compare elements and choose one.
#include "ir/analysis/choice.h"

#include <catch2/catch.hpp>

#include "ir/text/parser.h"

namespace sinter {
namespace {

// Of the computation `f` of a module.
Choice ChoiceOf(const std::string& f, size_t n) {
  auto m = ParseHloText("HloModule m\n\n" + f + "\nENTRY main {\n  ROOT c = f32[] constant(0)\n}\n",
                        "m");
  REQUIRE(m.ok());
  for (const auto& c : (*m)->computations())
    if (c->name() == "f") return sinter::ChoiceOf(*c, n);
  FAIL("no computation f");
  return Choice::kUnknown;
}
std::string OfPairs(const std::string& type, const std::string& p, const std::string& q) {
  return "f {\n  a = " + type + "[] parameter(0)\n  i = s32[] parameter(1)\n  b = " + type +
         "[] parameter(2)\n  j = s32[] parameter(3)\n"
         "  beats = pred[] compare(a, b), direction=GT\n"
         "  equal = pred[] compare(a, b), direction=EQ\n"
         "  before = pred[] compare(i, j), direction=LT\n"
         "  tie = pred[] and(equal, before)\n" +
         p + q + "  x = " + type + "[] select(p, a, b)\n  k = s32[] select(q, i, j)\n" +
         "  ROOT t = (" + type + "[], s32[]) tuple(x, k)\n}\n";
}

TEST_CASE("choices that depend on the order, and those that do not") {
  const std::string nan =
                        "  nan = pred[] compare(a, a), direction=NE\n"
                        "  p = pred[] or(beats, nan)\n",
                    tie = "  q = pred[] or(p, tie)\n", plain = "  p = pred[] or(beats, beats)\n";
  // NaNs first, and of them the first that is met.
  CHECK(ChoiceOf(OfPairs("f32", nan, tie), 2) == Choice::kGreatest);
  // A NaN is dropped by what follows, or not, as it is met.
  CHECK(ChoiceOf(OfPairs("f32", plain, tie), 2) == Choice::kNumbers);
  CHECK(ChoiceOf(OfPairs("s32", plain, tie), 2) == Choice::kAnyOrder);
  // Of equal ones the one that comes last.
  CHECK(ChoiceOf(OfPairs("s32", plain, "  q = pred[] or(p, p)\n"), 2) == Choice::kUnknown);

  auto of_values = [](const std::string& body) {
    return ChoiceOf("f {\n  a = s32[] parameter(0)\n  b = s32[] parameter(1)\n" + body + "}\n", 1);
  };
  CHECK(of_values("  p = pred[] compare(a, b), direction=LT\n"
                  "  ROOT r = s32[] select(p, b, a)\n") == Choice::kAnyOrder);
  CHECK(of_values("  z = s32[] constant(0)\n  p = pred[] compare(b, z), direction=NE\n"
                  "  ROOT r = s32[] select(p, b, a)\n") == Choice::kUnknown);
  CHECK(of_values("  ROOT r = s32[] subtract(a, b)\n") == Choice::kUnknown);
}

}  // namespace
}  // namespace sinter
