// Loops: over scalars alone, over arrays of many types, from states that several loops share, of
// tuples of tuples, one in another.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Writes windows of the loop's arrays, which start where the counter (node `counter`) says: code
// that may update the state in place.
void UpdateWindows(Maker& b, const std::vector<Node>& state, int counter) {
  for (size_t k = 0; k < state.size(); ++k) {
    const Node& s = state[k];
    if (s.dims.empty() || !b.random.Chance(60)) continue;
    int array = static_cast<int>(k) + 1;
    for (int64_t n = b.random.In(1, 2); n > 0; --n) {
      Dims sizes = s.dims;
      for (int64_t& d : sizes) d = b.random.In(std::min<int64_t>(1, d), d);
      std::vector<int> operands = {array, b.Like(s.type, sizes)};
      if (b.random.Chance(30)) {
        std::vector<int> starts = {array};
        for (size_t d = 0; d < s.dims.size(); ++d) starts.push_back(counter);
        operands[1] = b.Add("dynamic-slice", s.type, sizes, starts, s.facts,
                            ", dynamic_slice_sizes={" + Join(sizes, ",") + "}");
      }
      if (!b.at(operands[1]).facts.exact) break;
      for (size_t d = 0; d < s.dims.size(); ++d) operands.push_back(counter);
      array = b.Add("dynamic-update-slice", s.type, s.dims, operands, s.facts);
    }
  }
}

// Which elements a loop carries, and how it counts.
struct State {
  std::vector<Node> elements;
  int counter = 0;  // of the elements
  int64_t step = 1, last = 0;

  E type() const { return elements[static_cast<size_t>(counter)].type; }
  std::string shape() const { return TupleText(elements); }
};

int Element(Maker& m, int tuple, const State& state, size_t k) {
  const Node& n = state.elements[k];
  return m.Element(tuple, static_cast<int>(k), n.type, n.dims, Facts::Wild());
}

// A tuple of the counter among other values that there are.
int DrawState(Maker& m, State& state) {
  std::vector<int> values;
  if (!m.random.Chance(15)) values = Carried(m, m.random.Chance(70) ? 3 : 7);
  const bool scalars = m.random.Chance(40);
  for (int& v : values) {
    const E type = scalars && m.random.Chance(50) ? m.DrawType() : m.at(v).type;
    if (scalars) v = m.Like(type, {});
    if (!m.at(v).facts.exact) return -1;
  }
  const E type = m.random.Of({E::S32, E::S32, E::S32, E::S64, E::U32, E::S8, E::U8, E::S16});
  state.last = m.random.In(0, m.depth > 0 ? 3 : 6);
  int64_t first = 0;
  if (IsSigned(type) && m.random.Chance(20)) {
    state.step = -1;
    std::swap(first, state.last);
  }
  const int counter = m.random.Chance(70) || m.inner || state.step < 0
                          ? m.Scalar(type, static_cast<double>(first))
                          : m.Parameter(type, {}, Facts::Within(0, 4, true));
  state.counter = m.random.Chance(70)
                      ? 0
                      : static_cast<int>(m.random.In(0, static_cast<int64_t>(values.size())));
  values.insert(values.begin() + state.counter, counter);
  for (int v : values) {
    state.elements.push_back(m.at(v));
    state.elements.back().facts = Facts::Wild();
  }
  return m.Tuple(values);
}

// Until the counter is at its end; now and then also while a scalar says so.
int Condition(Maker& m, const State& state) {
  const std::string counter = ShapeText(state.type(), {});
  std::string text = Format("  s = {} parameter(0)\n  i = {} get-tuple-element(s), index={}\n",
                            state.shape(), counter, state.counter);
  text += Format("  n = {} constant({})\n", counter, state.last);
  const char* direction = state.step > 0 ? "LT" : "GT";
  std::string more;
  for (size_t k = 0; k < state.elements.size() && more.empty(); ++k) {
    const Node& n = state.elements[k];
    if (!n.dims.empty() || static_cast<int>(k) == state.counter || !m.random.Chance(20)) continue;
    const std::string scalar = ShapeText(n.type, {});
    if (n.type == E::PRED) {
      more = Format("  p = pred[] get-tuple-element(s), index={}\n", k);
    } else if (IsInteger(n.type)) {
      more = Format(
          "  x = {} get-tuple-element(s), index={}\n  y = {} constant(1)\n"
          "  p = pred[] compare(x, y), direction={}\n",
          scalar, k, scalar, m.random.Of({std::string("NE"), std::string("LE")}));
    }
  }
  text += Format("  {} = pred[] compare(i, n), direction={}\n", more.empty() ? "ROOT r" : "q",
                 direction);
  if (!more.empty()) text += more + "  ROOT r = pred[] and(q, p)\n";
  return AddText(m, text);
}

// The body is a loop itself, which ends where the outer one does.
int BodyOfALoop(Maker& m, const State& state, int condition, int body) {
  Function f;
  Node p;
  p.op = "parameter";
  p.tuple = state.shape();
  f.parameters = {0};
  Node w = p;
  w.op = "while";
  w.operands = {0};
  w.called = {{"condition", condition}, {"body", body}};
  f.nodes = {p, w};
  f.results = {1};
  m.program.functions.push_back(std::move(f));
  return static_cast<int>(m.program.functions.size()) - 1;
}

int LoopBody(Maker& m, const State& state) {
  Maker b(m.program, m.random, m.options);
  b.inner = true;
  b.depth = m.depth + 1;
  Node p;
  p.op = "parameter";
  p.tuple = state.shape();
  b.f.parameters.push_back(b.Add(p));
  for (size_t k = 0; k < state.elements.size(); ++k) Element(b, 0, state, k);
  const int counter = state.counter + 1;
  const bool elementwise = m.random.Chance(40);
  const int steps = static_cast<int>(m.random.In(0, 6));
  for (int k = 0; k < steps; ++k) {
    if (elementwise)
      ElementwiseStep(b);
    else
      Step(b);
  }
  if (!elementwise && m.random.Chance(50)) UpdateWindows(b, state.elements, counter);
  const int by = b.Scalar(state.type(), 1);
  const int next = b.Binary(state.step > 0 ? "add" : "subtract", counter, by);
  for (size_t k = 0; k < state.elements.size(); ++k) {
    int value = static_cast<int>(k) + 1;
    for (size_t j = 0; j < b.f.nodes.size(); ++j) {
      const Node& node = b.f.nodes[j];
      if (node.is_array() && node.type == state.elements[k].type &&
          node.dims == state.elements[k].dims && node.facts.exact && m.random.Chance(70)) {
        value = static_cast<int>(j);
      }
    }
    b.f.results.push_back(static_cast<int>(k) == state.counter ? next : value);
  }
  b.f.tuple = true;
  m.program.functions.push_back(std::move(b.f));
  return static_cast<int>(m.program.functions.size()) - 1;
}

// A loop whose state is (s32[], (A, (B, s32[n]))): sums of what it reads of an array at the
// counter, the parts of the inner tuple exchanged on the way.
bool NestedLoop(Maker& m) {
  const E type = m.random.Of({E::S32, E::F32, E::S8, E::U4});
  const int64_t n = m.Extent({1, 3, 8, 17}), trips = m.random.In(0, 6);
  const Dims dims{n};
  const std::string a = ShapeText(type, dims), counts = ShapeText(E::S32, dims),
                    inner = Format("({}, {})", a, counts), outer = Format("({}, {})", a, inner),
                    state = Format("(s32[], {})", outer);
  const int condition =
      AddText(m, Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                        "  n = s32[] constant({})\n"
                        "  ROOT r = pred[] compare(i, n), direction=LT\n",
                        state, trips));
  const bool exchange = m.random.Chance(50);
  std::string text = Format(
      "  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  o = {} get-tuple-element(s), index=1\n  a = {} get-tuple-element(o), index=0\n"
      "  q = {} get-tuple-element(o), index=1\n  b = {} get-tuple-element(q), index=0\n"
      "  c = {} get-tuple-element(q), index=1\n",
      state, outer, a, inner, a, counts);
  text += Format(
      "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
      "  is = {} broadcast(i), dimensions={{}}\n  d = {} add(c, is)\n  x = {} {}(a, b)\n",
      counts, counts, a, m.random.Of({std::string("maximum"), std::string("minimum")}));
  text += Format("  p = {} tuple({}, d)\n  u = {} tuple({}, p)\n  ROOT r = {} tuple(next, u)\n",
                 inner, exchange ? "a" : "b", outer, exchange ? "b" : "x", state);
  const int body = AddText(m, text);
  auto leaf = [&](E t) { return m.Parameter(t, dims, m.DrawFacts(t)); };
  const int first = leaf(type), second = leaf(type), third = leaf(E::S32);
  const int start = m.random.Chance(50) ? m.Scalar(E::S32, 0)
                                        : m.Parameter(E::S32, {}, Facts::Within(0, 4, true));
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple({start, m.Tuple({first, m.Tuple({second, third})})})};
  loop.called = {{"condition", condition}, {"body", body}};
  const int w = m.Add(loop);
  auto part = [&](int of, int index, const std::string& tuple) {
    Node node;
    node.op = "get-tuple-element";
    node.tuple = tuple;
    node.operands = {of};
    node.attributes = Format(", index={}", index);
    return m.Add(node);
  };
  m.Element(w, 0, E::S32, {}, Facts::Wild());
  const int o = part(w, 1, outer);
  m.Element(o, 0, type, dims, Facts::Wild());
  const int q = part(o, 1, inner);
  m.Element(q, 0, type, dims, Facts::Wild());
  m.Element(q, 1, E::S32, dims, Facts::Wild());
  return true;
}

// A loop whose turns scale and turn weights that never change, and multiply by them.
bool LoopWithWeights(Maker& m) {
  const E type = m.random.Of({E::S32, E::F32, E::F32, E::F64});
  const int64_t n = m.Extent({5, 16, 17, 33}), trips = m.random.In(0, 4);
  if (n == 0) return false;
  const Dims square{n, n}, row{n};
  const std::string w = ShapeText(type, square), h = ShapeText(type, row), e = ShapeText(type, {}),
                    state = Format("(s32[], {}, {}, s32[])", h, w);
  const int condition = AddText(m, Format("  s = {} parameter(0)\n"
                                          "  i = s32[] get-tuple-element(s), index=0\n"
                                          "  n = s32[] get-tuple-element(s), index=3\n"
                                          "  ROOT r = pred[] compare(i, n), direction=LT\n",
                                          state));
  std::string text = Format(
      "  s = {0} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  h = {1} get-tuple-element(s), index=1\n  w = {2} get-tuple-element(s), index=2\n"
      "  n = s32[] get-tuple-element(s), index=3\n  one = s32[] constant(1)\n"
      "  next = s32[] add(i, one)\n  c = {3} constant(2)\n"
      "  cs = {2} broadcast(c), dimensions={{}}\n  twice = {2} multiply(w, cs)\n"
      "  turned = {2} transpose(twice), dimensions={{1,0}}\n"
      "  most = {3} constant(40)\n  limit = {1} broadcast(most), dimensions={{}}\n",
      state, h, w, e);
  text += Format(
      "  p = {0} dot({1}, h), lhs_contracting_dims={{{2}}}, rhs_contracting_dims={{0}}\n"
      "  size = {0} abs(p)\n  below = {0} minimum(size, limit)\n",
      h, m.random.Of({std::string("turned"), std::string("twice"), std::string("w")}),
      m.random.Below(2));
  text += Format(
      "  first = {0} slice({1}), slice={{[0:1], [0:{2}]}}\n  tops = {3} reshape(first)\n"
      "  y = {3} maximum(below, tops)\n  ROOT r = {4} tuple(next, {5}, w, n)\n",
      ShapeText(type, {1, n}), m.random.Of({std::string("turned"), std::string("twice")}), n, h,
      state, m.random.Of({std::string("y"), std::string("y"), std::string("tops")}));
  const int body = AddText(m, text);
  const Facts facts = Facts::Within(-3, 3, true);
  const int start = m.Scalar(E::S32, 0), end = m.Scalar(E::S32, static_cast<double>(trips));
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {
      m.Tuple({start, m.Parameter(type, row, facts), m.Parameter(type, square, facts), end})};
  loop.called = {{"condition", condition}, {"body", body}};
  const int result = m.Add(loop);
  m.Element(result, 1, type, row, Facts::Within(-40, 40, true));
  if (m.random.Chance(50)) m.Element(result, 2, type, square, facts);
  return true;
}

// What an earlier loop started from or ended with; nothing if there is none.
int StateOfAnother(Maker& m, const Maker::Loop& other, State& state) {
  state.elements = other.elements;
  state.counter = other.counter;
  state.last = m.random.In(0, 6);
  if (!IsSigned(state.type()) || m.random.Chance(80)) {
    state.step = 1;
  } else {
    state.step = -1;
    state.last = 0;
  }
  return m.random.Chance(60) ? other.state : other.loop;
}

bool PlainLoop(Maker& m) {
  State state;
  int start = -1, condition = -1, body = -1;
  if (!m.loops.empty() && m.random.Chance(40)) {
    const Maker::Loop other = m.random.Of(m.loops);
    start = StateOfAnother(m, other, state);
    if (m.random.Chance(25)) condition = other.condition, body = other.body;
  } else {
    start = DrawState(m, state);
  }
  if (start < 0) return false;
  if (condition < 0) {
    condition = Condition(m, state);
    body = LoopBody(m, state);
    if (m.depth == 0 && m.random.Chance(8)) body = BodyOfALoop(m, state, condition, body);
  }
  Node w;
  w.op = "while";
  w.tuple = state.shape();
  w.operands = {start};
  w.called = {{"condition", condition}, {"body", body}};
  const int loop = m.Add(w);
  m.loops.push_back({start, loop, state.elements, state.counter, condition, body});
  for (size_t k = 0; k < state.elements.size(); ++k)
    if (m.random.Chance(75)) Element(m, loop, state, k);
  return true;
}

}  // namespace

std::vector<int> Carried(Maker& m, int most) {
  std::vector<int> list;
  const int want = static_cast<int>(m.random.In(1, most));
  for (int tries = 0; tries < 10 && static_cast<int>(list.size()) < want; ++tries) {
    const int x = m.Any();
    if (m.at(x).facts.exact && m.at(x).count() <= 2000) list.push_back(x);
  }
  return list;
}

bool LoopPattern(Maker& m) {
  if (m.depth > 1) return false;
  if (!m.inner && m.random.Chance(20)) return NestedLoop(m);
  if (!m.inner && m.random.Chance(25)) return LoopWithWeights(m);
  if (!m.inner && m.random.Chance(25)) return MaskedLoopPattern(m);
  return PlainLoop(m);
}

}  // namespace sinter::fuzz
