#include "fuzz/generate.h"

#include <algorithm>

#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

std::string Attribute(const std::string& name, const Dims& dims) {
  std::string text;
  for (int64_t d : dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return ", " + name + "={" + text + "}";
}

bool StepUnary(Maker& m) {
  int x = m.Any();
  E type = m.at(x).type;
  Random& r = m.random;
  std::string op;
  if (type == E::PRED) {
    op = "not";
  } else if (IsComplex(type)) {
    op = r.Of({"negate", "real", "imag", "copy"});
  } else if (IsFloat(type)) {
    op = r.Of({"negate",
               "abs",
               "sqrt",
               "ceil",
               "floor",
               "round-nearest-afz",
               "round-nearest-even",
               "sign",
               "is-finite",
               "tanh",
               "erf",
               "sine",
               "cosine",
               "logistic",
               "exponential",
               "exponential-minus-one",
               "log",
               "log-plus-one",
               "rsqrt",
               "cbrt",
               "tan",
               "exponential",
               "tanh",
               "copy",
               "opt-barrier"});
  } else {
    op = r.Of({"negate", "not", "count-leading-zeros", "popcnt", "sign", "copy", "abs"});
    if (op == "abs" && !IsSigned(type)) op = "not";
  }
  return m.Unary(op, x) >= 0;
}

bool StepBinary(Maker& m) {
  int x = m.Any();
  const E type = m.at(x).type;
  int y = m.Like(type, m.at(x).dims);
  Random& r = m.random;
  if (r.Chance(30)) std::swap(x, y);
  std::string op;
  if (type == E::PRED) {
    op = r.Of({"and", "or", "xor", "maximum", "minimum", "add", "multiply"});
  } else if (IsComplex(type)) {
    op = r.Of({"add", "subtract", "multiply"});
  } else if (IsFloat(type)) {
    op = r.Of({"add", "add", "add", "subtract", "subtract", "multiply", "multiply", "multiply",
               "divide", "maximum", "minimum", "remainder", "power", "atan2"});
  } else {
    op = r.Of({"add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and",
               "or", "xor", "shift-left", "shift-right-arithmetic", "shift-right-logical", "power",
               "mulhi"});
  }
  return m.Binary(op, x, y) >= 0;
}

bool StepSelect(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  int y = m.Like(n.type, n.dims);
  int p = -1;
  if (m.random.Chance(60)) {
    int a = m.Any();
    if (m.at(a).dims == n.dims) p = m.Compare(a, m.Like(m.at(a).type, n.dims));
  }
  if (p < 0) p = m.random.Chance(20) ? m.Like(E::PRED, {}) : m.Like(E::PRED, n.dims);
  return m.Select(p, x, y) >= 0;
}

bool StepCompare(Maker& m) {
  const int x = m.Any();
  return m.Compare(x, m.Like(m.at(x).type, m.at(x).dims)) >= 0;
}

bool StepClamp(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  if (IsComplex(n.type)) return false;
  bool scalar = m.random.Chance(50);
  double lo = IsFloat(n.type) ? -1 : 1;
  int a = scalar ? m.Scalar(n.type, lo) : m.Splat(n.type, n.dims, lo),
      b = scalar ? m.Scalar(n.type, 3) : m.Like(n.type, n.dims);
  const Facts f = m.at(b).facts;
  if (!f.exact || (!n.facts.exact && !f.tame())) return false;
  Facts r = n.facts;
  if (IsFloat(n.type)) {
    r.integral = n.facts.integral && f.integral;
    r.lo = std::min({lo, f.lo, n.facts.lo});
    r.hi = std::max({lo, f.hi, n.facts.hi});
  } else {
    r = Facts::Wild();
  }
  return m.Add("clamp", n.type, n.dims, {a, x, b}, r) >= 0;
}

// A type of as many bits: a float where there is one, or an integer; F6 has no other.
E OfWidth(Maker& m, int bits, bool as_float) {
  switch (bits) {
    case 64:
      return as_float ? E::F64 : m.random.Of({E::S64, E::U64});
    case 32:
      return as_float ? E::F32 : m.random.Of({E::S32, E::U32});
    case 16:
      return as_float ? m.random.Of({E::F16, E::BF16}) : m.random.Of({E::S16, E::U16});
    case 8:
      return as_float ? m.random.Of({E::F8E4M3FN, E::F8E5M2, E::F8E3M4, E::F8E4M3FNUZ})
                      : m.random.Of({E::S8, E::U8});
    case 6:
      return m.random.Of({E::F6E2M3FN, E::F6E3M2FN});
    case 4:
      return as_float ? E::F4E2M1FN : m.random.Of({E::S4, E::U4});
    default:
      return m.random.Of({E::S2, E::U2});
  }
}

bool StepConvert(Maker& m) {
  int x = m.Any();
  if (m.random.Chance(20)) {
    // Of the same width; floats without NaNs, whose payload is free.
    const Node n = m.at(x);
    if (IsFloat(n.type) && n.facts.exact && n.facts.tame()) {
      const E to = OfWidth(m, BitWidth(n.type), false);
      return to != n.type && m.Add("bitcast-convert", to, n.dims, {x}, Facts::Wild()) >= 0;
    }
    if (IsInteger(n.type)) {
      const E to = OfWidth(m, BitWidth(n.type), true);
      return m.Add("bitcast-convert", to, n.dims, {x}, Facts::Wild()) >= 0;
    }
  }
  return m.Convert(x, m.DrawType()) >= 0;
}

bool StepBroadcast(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  Dims dims = n.dims, where;
  int64_t count = n.count();
  std::vector<bool> old(dims.size(), true);
  int more = static_cast<int>(m.random.In(1, 2));
  for (int i = 0; i < more && dims.size() < 4; ++i) {
    int64_t d = m.Extent({1, 2, 3, 8, 16, 17, 33, 64});
    if (count * d > m.options.max_elements) d = 1;
    count *= d;
    auto at = m.random.Below(static_cast<int64_t>(dims.size()) + 1);
    dims.insert(dims.begin() + at, d);
    old.insert(old.begin() + at, false);
  }
  for (size_t d = 0; d < dims.size(); ++d)
    if (old[d]) where.push_back(static_cast<int64_t>(d));
  return m.Broadcast(x, dims, where) >= 0;
}

bool StepReshape(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  Dims dims = n.dims;
  for (int i = 0; i < 2; ++i) {
    if (dims.size() >= 2 && m.random.Chance(50)) {
      auto d = m.random.Below(static_cast<int64_t>(dims.size()) - 1);
      dims[static_cast<size_t>(d)] *= dims[static_cast<size_t>(d) + 1];
      dims.erase(dims.begin() + d + 1);
    } else if (dims.size() < 4) {
      auto d = m.random.Below(static_cast<int64_t>(dims.size()) + 1);
      int64_t by = m.random.Of({2, 3, 4, 8, 1});
      if (d == static_cast<int64_t>(dims.size()) || dims[static_cast<size_t>(d)] % by != 0 ||
          dims[static_cast<size_t>(d)] == 0)
        by = 1;
      if (by > 1) dims[static_cast<size_t>(d)] /= by;
      dims.insert(dims.begin() + d, by);
    }
  }
  return m.Reshape(x, dims) >= 0;
}

bool StepTranspose(Maker& m) {
  int x = m.Any();
  Dims p;
  for (size_t d = 0; d < m.at(x).dims.size(); ++d) p.push_back(static_cast<int64_t>(d));
  if (p.size() < 2) return false;
  m.random.Shuffle(p);
  return m.Transpose(x, p) >= 0;
}

bool StepSlice(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  Dims dims;
  std::string text;
  for (int64_t d : n.dims) {
    int64_t start = m.random.Chance(50) ? 0 : m.random.In(0, d),
            limit = m.random.Chance(40) ? d : m.random.In(start, d);
    if (limit == start && !m.random.Chance(10)) start = 0, limit = d;
    int64_t stride = m.random.Of({1, 1, 1, 2, 3});
    dims.push_back((limit - start + stride - 1) / stride);
    text += (text.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(limit) +
            (stride > 1 ? ":" + std::to_string(stride) : "") + "]";
  }
  return m.Add("slice", n.type, dims, {x}, n.facts, ", slice={" + text + "}") >= 0;
}

bool StepPad(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  if (n.dims.empty()) return false;
  int v = m.random.Chance(70) ? m.Scalar(n.type, m.random.Of({0., 1., 2.})) : m.Like(n.type, {});
  const Facts g = n.facts.Or(m.at(v).facts);
  Dims dims;
  std::string text;
  int64_t count = 1;
  for (int64_t d : n.dims) {
    int64_t lo = m.random.Of({0, 0, 1, 2, 7, -1, -2}), hi = m.random.Of({0, 0, 1, 3, 9, -1, -3}),
            in = m.random.Of({0, 0, 0, 1, 2});
    int64_t to = lo + hi + d + std::max<int64_t>(d - 1, 0) * in;
    if (to < 0 || count * to > m.options.max_elements) {
      lo = hi = in = 0;
      to = d;
    }
    // Negative padding past the elements is legal only where they end.
    dims.push_back(to);
    count *= std::max<int64_t>(to, 1);
    text += (text.empty() ? "" : "x") + std::to_string(lo) + "_" + std::to_string(hi) +
            (in ? "_" + std::to_string(in) : "");
  }
  return m.Add("pad", n.type, dims, {x, v}, g, ", padding=" + text) >= 0;
}

bool StepConcatenate(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  if (n.dims.empty()) return false;
  auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(n.dims.size())));
  std::vector<int> operands = {x};
  Facts g = n.facts;
  Dims dims = n.dims;
  int more = static_cast<int>(m.random.In(0, 3));
  for (int i = 0; i < more; ++i) {
    Dims other = n.dims;
    if (m.random.Chance(50)) other[d] = m.Extent({1, 2, 3, 16, 17});
    Node shape = n;
    shape.dims = dims;
    shape.dims[d] += other[d];
    if (shape.count() > m.options.max_elements) break;
    int y = m.Like(n.type, other);
    g = g.Or(m.at(y).facts);
    operands.push_back(y);
    dims[d] += other[d];
  }
  m.random.Shuffle(operands);
  return m.Add("concatenate", n.type, dims, operands, g,
               Attribute("dimensions", {static_cast<int64_t>(d)})) >= 0;
}

bool StepReverse(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  Dims over;
  for (size_t d = 0; d < n.dims.size(); ++d)
    if (m.random.Chance(50)) over.push_back(static_cast<int64_t>(d));
  return m.Add("reverse", n.type, n.dims, {x}, n.facts, Attribute("dimensions", over)) >= 0;
}

bool StepDynamicSlice(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  E index = m.random.Of({E::S32, E::S32, E::S64, E::U32, E::S8, E::U8});
  Dims sizes;
  for (int64_t d : n.dims)
    sizes.push_back(m.random.Chance(40) ? d : m.random.In(std::min<int64_t>(d, 1), d));
  bool update = m.random.Chance(50);
  std::vector<int> operands = {x};
  Facts g = n.facts;
  if (update) {
    int y = m.Like(n.type, sizes);
    operands.push_back(y);
    g = g.Or(m.at(y).facts);
  }
  for (size_t d = 0; d < n.dims.size(); ++d) {
    operands.push_back(
        m.random.Chance(40) || m.inner
            ? m.Like(index, {})
            : m.Parameter(
                  index, {},
                  Facts::Within(IsSigned(index) ? -3 : 0,
                                static_cast<double>(std::min<int64_t>(n.dims[d] + 1, 100)), true)));
  }
  return m.Add(update ? "dynamic-update-slice" : "dynamic-slice", n.type, update ? n.dims : sizes,
               operands, g, update ? "" : Attribute("dynamic_slice_sizes", sizes)) >= 0;
}

bool StepReduce(Maker& m) {
  int x = m.Any();
  const Node n = m.at(x);
  Dims over;
  for (size_t d = 0; d < n.dims.size(); ++d)
    if (m.random.Chance(50)) over.push_back(static_cast<int64_t>(d));
  if (over.empty() && !n.dims.empty() && !m.random.Chance(5))
    over.push_back(static_cast<int64_t>(n.dims.size()) - 1);
  std::string op;
  if (n.type == E::PRED)
    op = m.random.Of({"and", "or", "maximum", "minimum"});
  else if (IsFloat(n.type))
    op = m.random.Of({"add", "add", "add", "maximum", "minimum", "multiply"});
  else if (IsComplex(n.type))
    op = "add";
  else
    op = m.random.Of({"add", "multiply", "maximum", "minimum", "and", "or", "xor"});
  return m.Reduce(x, over, op) >= 0;
}

// A tuple of values, copied whole or behind a barrier, and its elements.
bool StepTuple(Maker& m) {
  std::vector<int> elements;
  for (int64_t k = m.random.In(1, 3); k > 0; --k) elements.push_back(m.Any());
  const int tuple = m.Tuple(elements);
  Node copy = m.at(tuple);
  copy.op = m.random.Of({"copy", "copy", "opt-barrier"});
  copy.operands = {tuple};
  const int t = m.Add(copy);
  for (size_t k = 0; k < elements.size(); ++k) {
    const Node n = m.at(elements[k]);
    m.Element(t, static_cast<int>(k), n.type, n.dims, n.facts);
  }
  return true;
}

}  // namespace

bool Step(Maker& m) {
  const bool several = m.program.replicas * m.program.partitions > 1;
  if (several && !m.inner && m.random.Chance(30)) return ExchangePattern(m);
  int64_t k = m.random.Below(127);
  if (k < 18) return StepUnary(m);
  if (k < 42) return StepBinary(m);
  if (k < 47) return StepSelect(m);
  if (k < 49) return StepClamp(m);
  if (k < 55) return StepConvert(m);
  if (k < 60) return StepBroadcast(m);
  if (k < 65) return StepReshape(m);
  if (k < 70) return StepTranspose(m);
  if (k < 74) return StepSlice(m);
  if (k < 78) return StepPad(m);
  if (k < 82) return StepConcatenate(m);
  if (k < 84) return StepReverse(m);
  if (k < 88) return StepDynamicSlice(m);
  if (k < 98) return StepReduce(m);
  if (k < 100) return LoopPattern(m);
  if (k < 101) {
    const int64_t kind = m.random.Below(3);
    return kind == 0 ? StatePattern(m) : kind == 1 ? IntegratorPattern(m) : HistoryPattern(m);
  }
  if (k < 103) return BranchPattern(m);
  if (k < 105) return StepCompare(m);
  if (k < 106) return StepTuple(m);
  if (k < 110) return m.random.Chance(60) ? PiecesPattern(m) : PartsPattern(m);
  if (k < 112) return RowsPattern(m);
  if (k < 115) return CountsPattern(m);
  return Pattern(m);
}

bool ElementwiseStep(Maker& m) {
  const int64_t k = m.random.Below(10);
  return k < 4 ? StepUnary(m) : k < 8 ? StepBinary(m) : k < 9 ? StepSelect(m) : StepConvert(m);
}

// The results among the nodes of a function whose parameters are there; its index in the program.
static int Finish(Maker& m, const std::vector<Node>& results, int steps) {
  for (int i = 0; i < steps; ++i) Step(m);
  for (const Node& r : results) {
    std::vector<int> fit;
    for (size_t i = 0; i < m.f.nodes.size(); ++i) {
      const Node& n = m.f.nodes[i];
      if (n.is_array() && n.type == r.type && n.dims == r.dims && n.facts.exact)
        fit.push_back(static_cast<int>(i));
    }
    if (fit.empty()) fit.push_back(m.Splat(r.type, r.dims, 1));
    m.f.results.push_back(m.random.Chance(60) ? fit.back() : m.random.Of(fit));
  }
  m.f.tuple = results.size() > 1;
  m.program.functions.push_back(std::move(m.f));
  return static_cast<int>(m.program.functions.size()) - 1;
}

int Nested(Maker& outer, const std::vector<Node>& parameters, const std::vector<Node>& results,
           int steps) {
  Maker m(outer.program, outer.random, outer.options);
  m.inner = true;
  m.depth = outer.depth + 1;
  for (const Node& p : parameters) m.Parameter(p.type, p.dims, p.facts);
  return Finish(m, results, steps);
}

int NestedOfTuple(Maker& outer, const std::vector<Node>& elements, const std::vector<Node>& results,
                  int steps) {
  Maker m(outer.program, outer.random, outer.options);
  m.inner = true;
  m.depth = outer.depth + 1;
  Node p;
  p.op = "parameter";
  p.tuple = TupleText(elements);
  m.f.parameters.push_back(m.Add(p));
  for (size_t k = 0; k < elements.size(); ++k)
    m.Element(0, static_cast<int>(k), elements[k].type, elements[k].dims, Facts::Wild());
  return Finish(m, results, steps);
}

// What nobody uses, and sometimes more, tuples too.
static void DrawResults(Maker& m) {
  Random& random = m.random;
  std::vector<bool> used(m.f.nodes.size());
  for (const Node& n : m.f.nodes)
    for (int o : n.operands) used[static_cast<size_t>(o)] = true;
  std::vector<int> tuples;
  for (size_t i = m.f.nodes.size(); i-- > 0 && m.f.results.size() < 6;) {
    const Node& n = m.f.nodes[i];
    const bool leaf = n.op == "parameter" || n.op == "constant";
    const bool fits = n.is_array() || n.facts.exact;
    if (fits && ((!used[i] && !leaf) || random.Chance(8)))
      m.f.results.push_back(static_cast<int>(i));
    if (fits && !n.is_array()) tuples.push_back(static_cast<int>(i));
  }
  if (m.f.results.empty()) m.f.results.push_back(m.Any());
  if (random.Chance(5)) m.f.results.push_back(random.Of(m.f.results));
  if (!tuples.empty() && random.Chance(15)) m.f.results = {random.Of(tuples)};
}

Program Generate(uint64_t seed, const GenerateOptions& options) {
  Program program;
  program.replicas = options.replicas;
  program.partitions = options.partitions;
  Random random(seed);
  Maker m(program, random, options);
  const int64_t most =
      random.Chance(70) ? std::min<int64_t>(options.max_elements, 3000) : options.max_elements;
  m.options.max_elements = most;
  if (random.Chance(12)) m.options.empty_percent = random.Of({15, 30});
  if (random.Chance(5)) {
    Corners(m);
  } else {
    const int parameters = static_cast<int>(random.In(1, 3));
    Dims dims = m.DrawDims(most);
    for (int i = 0; i < parameters; ++i) {
      m.Parameter(m.DrawType(), dims);
      if (random.Chance(50)) dims = m.DrawDims(most);
    }
    if (options.large && random.Chance(8)) LargePattern(m);
    const int steps = static_cast<int>(random.In(1, random.Chance(70) ? 10 : 30));
    for (int i = 0; i < steps; ++i) Step(m);
    DrawResults(m);
  }
  m.f.tuple = m.f.results.size() > 1 || random.Chance(10);
  program.functions.push_back(std::move(m.f));
  return program;
}

}  // namespace sinter::fuzz
