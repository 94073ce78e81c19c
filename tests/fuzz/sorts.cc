// Sorts by several keys, one among the equals of another, short and long.
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Rows of these many elements: of a network, of blocks, and longer than those.
Dims DrawRows(Maker& m, bool large) {
  if (large) return {m.random.Of({17000, 33000, 40001})};
  const int64_t n = m.Extent({1, 2, 15, 16, 17, 64, 100, 511, 513, 1500});
  if (m.random.Chance(50)) return {n};
  // Many short rows, along any dimension.
  if (m.random.Chance(40))
    return {m.Extent({2, 5, 9}), m.Extent({3, 8, 13, 40}), m.Extent({3, 17})};
  return {m.Extent({1, 2, 3, 17}), n};
}

}  // namespace

bool SortByKeys(Maker& m, bool large) {
  if (m.inner) return false;
  const Dims dims = DrawRows(m, large);
  int64_t count = 1;
  for (int64_t n : dims) count *= n;
  if (count > m.options.most_moved) return false;
  const auto rank = static_cast<int64_t>(dims.size());
  const int64_t d = m.random.Chance(60) ? rank - 1 : m.random.In(0, rank - 1),
                keys = m.random.In(1, 3), operands = keys + m.random.In(0, 2);
  Node s;
  s.op = "sort";
  std::vector<Node> nodes;
  std::string text;
  for (int64_t k = 0; k < operands; ++k) {
    const E type = m.random.Of(
        {E::F32, E::S32, E::F64, E::BF16, E::U32, E::S8, E::U16, E::S64, E::F16, E::PRED, E::U64});
    // Few values, so that there are equals, or many; those of floats NaNs and zeros of both signs.
    const bool few = k + 1 < keys || m.random.Chance(30);
    const Facts facts = few && type != E::PRED
                            ? Facts::Within(IsInteger(type) && !IsSigned(type) ? 0 : -2, 3, true)
                            : Facts::Wild();
    s.operands.push_back(m.Parameter(type, dims, facts));
    nodes.push_back(m.at(s.operands.back()));
    const std::string scalar = ShapeText(type, {});
    text += Format("  a{} = {} parameter({})\n  b{} = {} parameter({})\n", k, scalar, 2 * k, k,
                   scalar, 2 * k + 1);
  }
  const bool by_select = m.random.Chance(50);
  std::string next;
  for (int64_t k = keys; k-- > 0;) {
    const E type = nodes[static_cast<size_t>(k)].type;
    const std::string order = IsFloat(type) ? ", type=TOTALORDER" : "";
    std::string a = Format("a{}", k), b = Format("b{}", k);
    // As JAX's comparators have it: all NaNs are equal, and zeros.
    if (IsFloat(type) && m.random.Chance(50)) {
      const std::string scalar = ShapeText(type, {});
      text += Format("  nan{0} = {1} constant(nan)\n  zero{0} = {1} constant(0)\n", k, scalar);
      for (std::string* x : {&a, &b}) {
        text += Format(
            "  is0{0} = pred[] compare({0}, zero{1}), direction=EQ\n  no0{0} = {2} select(is0{0}, "
            "zero{1}, {0})\n  isnan{0} = pred[] compare({0}, {0}), direction=NE\n  key{0} = {2} "
            "select(isnan{0}, nan{1}, no0{0})\n",
            *x, k, scalar);
        *x = "key" + *x;
      }
    }
    text += Format("  lt{0} = pred[] compare({1}, {2}), direction={3}{4}\n", k, a, b,
                   m.random.Of({"LT", "GT"}), order);
    std::string result = Format("lt{}", k);
    if (!next.empty()) {
      text += Format("  eq{} = pred[] compare({}, {}), direction=EQ{}\n", k, a, b, order);
      result = Format("r{}", k);
      text += by_select ? Format("  {0} = pred[] select(eq{1}, {2}, lt{1})\n", result, k, next)
                        : Format(
                              "  both{1} = pred[] and(eq{1}, {2})\n  {0} = pred[] or(lt{1}, "
                              "both{1})\n",
                              result, k, next);
    }
    next = result;
  }
  text += "  ROOT root = pred[] copy(" + next + ")\n";
  s.type = nodes[0].type;
  s.dims = dims;
  s.facts = nodes[0].facts;
  if (operands > 1) s.tuple = TupleText(nodes);
  s.attributes = Format(", dimensions={{{}}}, is_stable=true", d);
  s.called = {{"to_apply", AddText(m, text)}};
  const int sorted = m.Add(s);
  for (size_t k = 0; operands > 1 && k < nodes.size(); ++k)
    m.Element(sorted, static_cast<int>(k), nodes[k].type, dims, nodes[k].facts);
  return true;
}

}  // namespace sinter::fuzz
