// Calls and conditionals: of operands that branches share, of tuples, one in another.
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

Node Anything(const Node& like) {
  Node n = like;
  n.facts = Facts::Wild();
  return n;
}

bool Call(Maker& m) {
  const std::vector<int> carried = Carried(m, 3);
  if (carried.empty()) return false;
  std::vector<Node> parameters;
  for (int c : carried) parameters.push_back(Anything(m.at(c)));
  std::vector<Node> results = {parameters[0]};
  if (m.random.Chance(40)) results.push_back(parameters.back());
  Node n;
  n.op = "call";
  if (results.size() > 1) n.tuple = TupleText(results);
  n.type = results[0].type;
  n.dims = results[0].dims;
  n.operands = carried;
  n.called = {{"to_apply", Nested(m, parameters, results, static_cast<int>(m.random.In(1, 5)))}};
  const int c = m.Add(n);
  for (size_t i = 0; i < results.size() && results.size() > 1; ++i)
    m.Element(c, static_cast<int>(i), results[i].type, results[i].dims, Facts::Wild());
  return true;
}

// What a branch takes: an array, or a tuple of some.
struct BranchOperand {
  int value = -1;
  std::vector<Node> elements;  // of a tuple
};

BranchOperand DrawOperand(Maker& m, const std::vector<int>& carried) {
  BranchOperand o;
  if (!m.loops.empty() && m.random.Chance(30)) {
    const Maker::Loop& loop = m.random.Of(m.loops);
    o.value = m.random.Chance(50) ? loop.state : loop.loop;
    o.elements = loop.elements;
  } else if (m.random.Chance(50)) {
    o.value = m.Tuple(carried);
    for (int c : carried) o.elements.push_back(Anything(m.at(c)));
  } else {
    o.value = m.random.Of(carried);
  }
  return o;
}

int Branch(Maker& m, const BranchOperand& operand, const std::vector<Node>& results) {
  Node p = Anything(m.at(operand.value));
  const int steps = static_cast<int>(m.random.In(0, 5));
  if (p.is_array()) return Nested(m, {p}, results, steps);
  return NestedOfTuple(m, operand.elements, results, steps);
}

bool Conditional(Maker& m) {
  const std::vector<int> carried = Carried(m, 3);
  if (carried.empty()) return false;
  std::vector<Node> results;
  for (int64_t k = m.random.In(1, 3); k > 0; --k)
    results.push_back(Anything(m.at(m.random.Of(carried))));
  Node n;
  n.op = "conditional";
  if (results.size() > 1) n.tuple = TupleText(results);
  n.type = results[0].type;
  n.dims = results[0].dims;
  const bool predicate = m.random.Chance(50);
  const int branches = predicate ? 2 : static_cast<int>(m.random.In(1, 3));
  n.operands = {m.random.Chance(10)
                    ? m.Scalar(predicate ? E::PRED : E::S32, static_cast<double>(m.random.In(0, 1)))
                : predicate           ? m.Like(E::PRED, {})
                : m.random.Chance(50) ? m.Like(E::S32, {})
                : m.inner             ? m.Scalar(E::S32, 1)
                                      : m.Parameter(E::S32, {}, Facts::Within(0, 3, true))};
  const bool shared = m.random.Chance(50);
  BranchOperand operand = DrawOperand(m, carried);
  int branch = -1;
  for (int i = 0; i < branches; ++i) {
    if (i > 0 && !shared) operand = DrawOperand(m, carried), branch = -1;
    if (branch < 0 || !m.random.Chance(10)) branch = Branch(m, operand, results);
    n.operands.push_back(operand.value);
    n.called.push_back(
        {predicate ? i == 0 ? "true_computation" : "false_computation" : "", branch});
  }
  const int c = m.Add(n);
  auto elements = [&](int of) {
    for (size_t i = 0; i < results.size() && results.size() > 1; ++i)
      if (m.random.Chance(80))
        m.Element(of, static_cast<int>(i), results[i].type, results[i].dims, Facts::Wild());
  };
  elements(c);
  if (m.random.Chance(15)) {  // the same branches for another case
    n.operands[0] = predicate ? m.Like(E::PRED, {}) : m.Like(E::S32, {});
    elements(m.Add(n));
  }
  return true;
}

// Branches that take and give tuples.
bool NestedBranches(Maker& m) {
  const E type = m.random.Of({E::S32, E::F32, E::BF16, E::S2});
  const Dims dims = m.DrawDims(300);
  const std::string a = ShapeText(type, dims), pair = Format("({}, {})", a, a),
                    both = Format("({}, {})", pair, a);
  const int64_t branches = m.random.In(1, 3);
  Node node;
  node.op = "conditional";
  node.tuple = both;
  node.operands = {m.random.Chance(50) ? m.Like(E::S32, {})
                                       : m.Parameter(E::S32, {}, Facts::Within(-1, 3, true))};
  const int x = m.Parameter(type, dims), y = m.Parameter(type, dims);
  const int argument = m.Tuple({x, y});
  for (int64_t k = 0; k < branches; ++k) {
    std::string text = Format(
        "  s = {} parameter(0)\n  x = {} get-tuple-element(s), index=0\n"
        "  y = {} get-tuple-element(s), index=1\n",
        pair, a, a);
    const std::string op = m.random.Of({std::string("add"), std::string("subtract"),
                                        std::string("maximum"), std::string("multiply")});
    text += Format("  z = {} {}(x, y)\n", a, op);
    const std::string first = m.random.Chance(30) ? "s" : "p";
    text += Format("  p = {} tuple({})\n", pair, m.random.Chance(50) ? "y, x" : "z, x");
    text += Format("  ROOT r = {} tuple({}, {})\n", both, first,
                   m.random.Of({std::string("z"), std::string("x")}));
    node.operands.push_back(argument);
    node.called.push_back({"", AddText(m, text)});
  }
  const int c = m.Add(node);
  Node inner;
  inner.op = "get-tuple-element";
  inner.tuple = pair;
  inner.operands = {c};
  inner.attributes = ", index=0";
  const int p = m.Add(inner);
  m.Element(p, 0, type, dims, Facts::Wild());
  m.Element(p, 1, type, dims, Facts::Wild());
  m.Element(c, 1, type, dims, Facts::Wild());
  return true;
}

}  // namespace

bool BranchPattern(Maker& m) {
  if (m.depth > 1) return false;
  switch (m.inner ? 2 + m.random.Below(4) : m.random.Below(6)) {
    case 0:
      return NestedBranches(m);
    case 1:
    case 2:
      return Call(m);
    default:
      return Conditional(m);
  }
}

}  // namespace sinter::fuzz
