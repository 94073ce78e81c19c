// Loops over arrays that go on while any element does, as vectorised loops of elements come out of
// JAX; now and then with a value that every turn changes for all elements.
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {

using E = ElementType;

// Numbers grow by one a turn or more, until each is at its own limit.
bool MaskedLoopPattern(Maker& m) {
  const E type = m.random.Of({E::S32, E::F32, E::F32, E::S16, E::F64});
  Dims dims{m.Extent({1, 3, 17, 40, 300})};
  if (m.random.Chance(30)) dims.push_back(m.Extent({1, 2, 5, 16}));
  const bool is_flagged = m.random.Chance(50), is_done = is_flagged && m.random.Chance(50),
             is_limited = m.random.Chance(30), counts_all = m.random.Chance(25);
  const std::string x = ShapeText(type, dims), p = ShapeText(E::PRED, dims),
                    n = ShapeText(E::S32, dims), e = ShapeText(type, {}),
                    state = Format("(s32[], {}, {}, {}, {})", x, x, n, p);
  const int either = AddText(m, Format("  a = pred[] parameter(0)\n  b = pred[] parameter(1)\n"
                                       "  ROOT r = pred[] {}(a, b)\n",
                                       is_done ? "and" : "or"));
  std::string parts = Format(
      "  s = {0} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = {1} get-tuple-element(s), index=1\n  most = {1} get-tuple-element(s), index=2\n"
      "  n = {2} get-tuple-element(s), index=3\n  flag = {3} get-tuple-element(s), index=4\n",
      state, x, n, p);
  // The predicate by which an element goes on, or is done.
  const std::string asks =
      is_flagged ? "" : Format("  asked = {} compare(x, most), direction=LT\n", p);
  const std::string asked = is_flagged ? "flag" : "asked";
  std::string condition =
      parts + asks +
      Format(
          "  start = pred[] constant({})\n"
          "  all = pred[] reduce({}, start), dimensions={{{}}}, to_apply={}\n",
          is_done ? "true" : "false", asked, dims.size() == 1 ? "0" : "0,1", FunctionName(either));
  std::string last = "all";
  if (is_done) {
    condition += "  more = pred[] not(all)\n";
    last = "more";
  }
  if (is_limited) {
    condition += Format(
        "  end = s32[] constant({})\n  early = pred[] compare(i, end), direction=LT\n"
        "  both = pred[] and({}, early)\n",
        m.random.In(0, 9), last);
    last = "both";
  }
  condition += Format("  ROOT r = pred[] and({0}, {0})\n", last);
  std::string body =
      parts + asks +
      Format(
          "  one = {1} constant(1)\n  ones = {0} broadcast(one), dimensions={{}}\n"
          "  next = {0} add(x, ones)\n  twice = {0} add(x, x)\n"
          "  far = {0} maximum(next, twice)\n  grown = {0} minimum(far, most)\n"
          "  step = s32[] constant(1)\n  steps = {2} broadcast(step), dimensions={{}}\n"
          "  counted = {2} add(n, steps)\n  turn = s32[] add(i, step)\n",
          x, e, n);
  body += Format("  y = {} select({}, {}, {})\n", x, asked, is_done ? "x" : "grown",
                 is_done ? "grown" : "x");
  body += counts_all ? Format("  k = {} copy(counted)\n", n)
                     : Format("  k = {} select({}, {}, {})\n", n, asked, is_done ? "n" : "counted",
                              is_done ? "counted" : "n");
  body += Format("  ends = {} compare(y, most), direction={}\n  keeps = {} {}(flag, ends)\n", p,
                 is_done ? "GE" : "LT", p, is_done ? "or" : "and");
  body += Format("  ROOT r = {} tuple(turn, y, most, k, keeps)\n", state);
  const int when = AddText(m, condition, {either}), what = AddText(m, body);
  const int start = m.Parameter(type, dims, Facts::Within(-3, 3, true)),
            most = m.Parameter(type, dims, Facts::Within(-3, 30, true));
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple({m.Scalar(E::S32, 0), start, most, m.Splat(E::S32, dims, 0),
                            m.Splat(E::PRED, dims, is_done ? 0 : 1)})};
  loop.called = {{"condition", when}, {"body", what}};
  const int w = m.Add(loop);
  m.Element(w, 1, type, dims, Facts::Wild());
  m.Element(w, 3, E::S32, dims, Facts::Wild());
  if (m.random.Chance(30)) m.Element(w, 4, E::PRED, dims, Facts::Wild());
  return true;
}

}  // namespace sinter::fuzz
