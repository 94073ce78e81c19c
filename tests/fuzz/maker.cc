#include "fuzz/maker.h"

#include <algorithm>
#include <cmath>

namespace sinter::fuzz {
namespace {

std::string DimsAttribute(const std::string& name, const Dims& dims) {
  std::string text;
  for (int64_t d : dims) text += (text.empty() ? "" : ",") + std::to_string(d);
  return ", " + name + "={" + text + "}";
}

}  // namespace

int Maker::Add(Node node) {
  f.nodes.push_back(std::move(node));
  return static_cast<int>(f.nodes.size()) - 1;
}

int Maker::Add(std::string op, ElementType type, Dims dims, std::vector<int> operands, Facts facts,
               std::string attributes) {
  Node n;
  n.op = std::move(op);
  n.type = type;
  n.dims = std::move(dims);
  n.operands = std::move(operands);
  n.attributes = std::move(attributes);
  n.facts = facts;
  if (IsFloatOrComplex(type)) {
    // What is exact may overflow, what is not must stay well inside and known well.
    if (n.facts.largest() > LargestBound(type)) n.facts.lo = -HUGE_VAL, n.facts.hi = HUGE_VAL;
    if (n.facts.integral && n.facts.largest() > LargestInteger(type)) n.facts.integral = false;
    if (!n.facts.exact &&
        (!n.facts.tame() || !(n.facts.error < .05 * std::max(1., n.facts.largest()))))
      return -1;
    if (n.facts.exact) n.facts.error = 0;
  } else if (!n.facts.exact) {
    return -1;
  }
  return Add(std::move(n));
}

Facts Maker::DrawFacts(ElementType type) {
  if (type == ElementType::PRED) return Facts::Wild();
  if (!IsFloatOrComplex(type))
    return random.Chance(60)
               ? Facts::Within(std::max(-9., LeastOf(type)), std::min(9., LargestOf(type)), true)
               : Facts::Wild();
  switch (random.Below(10)) {
    case 0:
      return Facts::Wild();
    case 1:
    case 2:
    case 3:
      return Facts::Within(-4, 4, true);
    case 4:
    case 5:
      return Facts::Within(.5, 2);
    default:
      return Facts::Within(-2, 2);
  }
}

int Maker::Parameter(ElementType type, Dims dims, Facts facts) {
  int p = Add("parameter", type, std::move(dims), {}, facts);
  f.parameters.push_back(p);
  return p;
}
int Maker::Parameter(ElementType type, Dims dims) {
  return Parameter(type, std::move(dims), DrawFacts(type));
}

int Maker::Scalar(ElementType type, double value) {
  if (!std::isinf(value)) value = Nearest(type, value);
  std::string text;
  if (type == ElementType::PRED) {
    text = value != 0 ? "true" : "false";
  } else {
    char digits[40];
    std::snprintf(digits, sizeof digits, IsFloatOrComplex(type) ? "%.17g" : "%.0f", value);
    text = digits;
    if (IsComplex(type)) text = "(" + text + ", 0)";
  }
  int c = Add("constant", type, {}, {}, Facts::Within(value, value, value == std::floor(value)));
  if (std::isinf(value)) f.nodes.back().facts = Facts::Wild();
  f.nodes.back().literal = text;
  return c;
}

int Maker::Broadcast(int x, Dims dims, const Dims& where) {
  // As broadcast_in_dim of an array that has all dimensions writes it: single elements repeat.
  if (where.size() < dims.size() && std::is_sorted(where.begin(), where.end()) &&
      random.Chance(30)) {
    Dims all, whole(dims.size(), 1);
    for (size_t d = 0; d < dims.size(); ++d) all.push_back(static_cast<int64_t>(d));
    for (int64_t d : where) whole[static_cast<size_t>(d)] = dims[static_cast<size_t>(d)];
    const int reshaped = Reshape(x, whole);
    return Add("broadcast", at(x).type, std::move(dims), {reshaped}, at(x).facts,
               DimsAttribute("dimensions", all));
  }
  return Add("broadcast", at(x).type, std::move(dims), {x}, at(x).facts,
             DimsAttribute("dimensions", where));
}
int Maker::Splat(ElementType type, Dims dims, double value) {
  int c = Scalar(type, value);
  return dims.empty() ? c : Broadcast(c, dims, {});
}

int Maker::Unary(const std::string& op, int x) {
  const Node& n = at(x);
  Facts g = n.facts;
  ElementType type = n.type;
  auto make = [&](ElementType t, Facts facts) { return Add(op, t, at(x).dims, {x}, facts); };
  if (!IsFloatOrComplex(type)) return make(type, Facts::Wild());
  double eps = EpsilonOf(type) * 2;
  auto smooth = [&](double lo, double hi, double slope) {
    Facts r = Facts::Within(std::min(lo, hi), std::max(lo, hi));
    r.exact = false;
    r.error = g.error * slope + 8 * eps * std::max(1e-3, r.largest()) + 1e-30;
    return make(type, r);
  };
  double lo = g.lo, hi = g.hi;
  if (op == "negate") {
    std::swap(g.lo, g.hi);
    g.lo = -g.lo;
    g.hi = -g.hi;
    return make(type, g);
  }
  if (op == "copy" || op == "opt-barrier") return make(type, g);
  if (IsComplex(type)) {
    if (op == "real" || op == "imag") return make(RealPart(type), g);
    return -1;
  }
  if (op == "abs") {
    g.hi = g.largest();
    g.lo = 0;
    return make(type, g);
  }
  if (op == "sqrt") {
    if (g.exact)
      return make(
          type, g.tame() && lo >= 0 ? Facts::Within(std::sqrt(lo), std::sqrt(hi)) : Facts::Wild());
    return lo < .1 ? -1 : smooth(std::sqrt(lo), std::sqrt(hi), .5 / std::sqrt(lo));
  }
  if (op == "ceil" || op == "floor" || op == "round-nearest-afz" || op == "round-nearest-even") {
    if (!g.exact) return -1;
    return make(type, g.tame() ? Facts::Within(lo - 1, hi + 1, true) : g);
  }
  if (op == "sign") return !g.exact ? -1 : make(type, g.tame() ? Facts::Within(-1, 1, true) : g);
  if (op == "is-finite") return !g.exact ? -1 : make(ElementType::PRED, Facts::Wild());
  if (!g.tame()) return -1;
  if (op == "tanh" || op == "erf") return smooth(-1, 1, 1.2);
  if (op == "sine" || op == "cosine") return g.largest() > 1e4 ? -1 : smooth(-1, 1, 1);
  if (op == "logistic") return smooth(0, 1, .25);
  if (op == "exponential") return hi > 5 ? -1 : smooth(std::exp(lo), std::exp(hi), std::exp(hi));
  if (op == "exponential-minus-one")
    return hi > 5 ? -1 : smooth(std::expm1(lo), std::expm1(hi), std::exp(hi));
  if (op == "log") return lo < .1 ? -1 : smooth(std::log(lo), std::log(hi), 1 / lo);
  if (op == "log-plus-one")
    return lo < -.5 ? -1 : smooth(std::log1p(lo), std::log1p(hi), 1 / (1 + lo));
  if (op == "rsqrt")
    return lo < .1 ? -1 : smooth(1 / std::sqrt(lo), 1 / std::sqrt(hi), .5 * std::pow(lo, -1.5));
  if (op == "cbrt")
    return lo < .1 ? -1 : smooth(std::cbrt(lo), std::cbrt(hi), std::pow(lo, -2. / 3));
  if (op == "tan") return g.largest() > 1 ? -1 : smooth(std::tan(lo), std::tan(hi), 3.5);
  return -1;
}

int Maker::Binary(const std::string& op, int x, int y) {
  const Facts a = at(x).facts, b = at(y).facts;
  ElementType type = at(x).type;
  auto make = [&](Facts facts) { return Add(op, type, at(x).dims, {x, y}, facts); };
  if (!IsFloatOrComplex(type)) return make(Facts::Wild());
  bool tame = a.tame() && b.tame();
  Facts r;
  r.exact = a.exact && b.exact;
  r.integral = a.integral && b.integral;
  auto finish = [&] {
    if (!tame) r.lo = -HUGE_VAL, r.hi = HUGE_VAL;
    // Values rounded up leave the bounds of the exact ones.
    double eps = EpsilonOf(type);
    if (tame) {
      double wider = 2 * eps * r.largest();
      r.lo -= wider;
      r.hi += wider;
    }
    if (!r.exact) r.error += 2 * eps * r.largest() + 1e-30;
    return make(r);
  };
  if (!tame && !r.exact) return -1;
  if (op == "add") {
    r.lo = a.lo + b.lo;
    r.hi = a.hi + b.hi;
    r.error = a.error + b.error;
    return finish();
  }
  if (op == "subtract") {
    r.lo = a.lo - b.hi;
    r.hi = a.hi - b.lo;
    r.error = a.error + b.error;
    return finish();
  }
  if (op == "multiply") {
    double p = a.largest() * b.largest() * (IsComplex(type) ? 2 : 1);
    r.lo = a.lo >= 0 && b.lo >= 0 ? a.lo * b.lo : -p;
    r.hi = p;
    if (IsComplex(type)) {
      if (!tame) return -1;
      r.lo = -p;
      r.exact = r.exact && r.integral && p <= LargestInteger(type);
    }
    r.error = (a.largest() * b.error + b.largest() * a.error + a.error * b.error) * 2;
    return finish();
  }
  if (IsComplex(type)) return -1;
  if (op == "maximum" || op == "minimum") {
    bool max = op == "maximum";
    r.lo = max ? std::max(a.lo, b.lo) : std::min(a.lo, b.lo);
    r.hi = max ? std::max(a.hi, b.hi) : std::min(a.hi, b.hi);
    r.error = std::max(a.error, b.error);
    if (!tame) r.lo = -HUGE_VAL, r.hi = HUGE_VAL;
    return make(r);
  }
  if (op == "divide") {
    r.integral = false;
    if (!tame || b.lo < .25) {
      if (!r.exact) return -1;
      tame = false;
      return finish();
    }
    double p = a.largest() / b.lo;
    r.lo = a.lo >= 0 ? a.lo / b.hi : -p;
    r.hi = p;
    r.error = (a.error + p * b.error) / b.lo * 1.5;
    return finish();
  }
  if (op == "remainder") {
    if (!r.exact) return -1;
    r.integral = false;
    tame = false;
    return finish();
  }
  if (op == "power") {
    if (!tame || a.lo < .25 || a.hi > 4 || b.largest() > 4) return -1;
    r.exact = false;
    r.integral = false;
    double p = std::pow(std::max(a.hi, 1 / a.lo), b.largest());
    r.lo = 1 / p;
    r.hi = p;
    r.error = p * (b.error * 1.5 + a.error * b.largest() / a.lo) + 8 * EpsilonOf(type) * p;
    return finish();
  }
  if (op == "atan2") {
    if (!tame || a.lo < .25) return -1;
    r.exact = false;
    r.integral = false;
    r.lo = 0;
    r.hi = 3.2;
    r.error = (a.error + b.error) / a.lo + 8 * EpsilonOf(type);
    return finish();
  }
  return -1;
}

int Maker::Convert(int x, ElementType to) {
  const Facts g = at(x).facts;
  ElementType from = at(x).type;
  auto make = [&](Facts facts) { return Add("convert", to, at(x).dims, {x}, facts); };
  // Of complex numbers the real part alone counts, which types other than PRED leave to `real`.
  if (IsComplex(from) && to != ElementType::PRED) return -1;
  if (!IsFloatOrComplex(to)) return g.exact ? make(Facts::Wild()) : -1;
  if (from == ElementType::PRED) return make(Facts::Within(0, 1, true));
  if (!IsFloat(from)) {
    if (g.tame()) {
      const double wider = 2 * EpsilonOf(to) * g.largest();
      Facts rounded = g;
      if (g.largest() > LargestInteger(to)) rounded.lo -= wider, rounded.hi += wider;
      return make(rounded);
    }
    double most = std::ldexp(1, BitWidth(from));
    return make(Facts::Within(IsSigned(from) ? -most : 0, most));
  }
  Facts r = g;
  if (IsComplex(to)) r.integral = g.integral;
  if (g.tame()) {
    double wider = 2 * EpsilonOf(to) * r.largest();
    r.lo -= wider;
    r.hi += wider;
  }
  if (!r.exact) r.error += 2 * EpsilonOf(to) * r.largest();
  return make(r);
}

int Maker::Select(int p, int x, int y) {
  if (p < 0 || x < 0 || y < 0) return -1;
  return Add("select", at(x).type, at(x).dims, {p, x, y}, at(x).facts.Or(at(y).facts));
}

int Maker::Compare(int x, int y) {
  if (!at(x).facts.exact || !at(y).facts.exact) return -1;
  bool equality = IsComplex(at(x).type);
  std::string d =
      equality ? random.Of({"EQ", "NE"}) : random.Of({"EQ", "NE", "LT", "LE", "GT", "GE"});
  // The sign of a NaN that was computed is nobody's promise.
  auto has_order = [&](int i) {
    return !IsFloat(at(i).type) || at(i).facts.tame() || at(i).op == "parameter";
  };
  std::string order;
  if (!equality && has_order(x) && has_order(y) && random.Chance(25)) {
    // Either spelling; of integers and predicates the total order is the order.
    order = IsFloat(at(x).type) && random.Chance(50) ? ", type=TOTALORDER" : ", order=TOTAL";
  }
  return Add("compare", ElementType::PRED, at(x).dims, {x, y}, Facts::Wild(),
             ", direction=" + d + order);
}

int Maker::Reduce(int x, const Dims& over, const std::string& op) {
  const Node n = at(x);
  const Facts g = n.facts;
  Dims kept;
  double count = 1;
  for (size_t d = 0; d < n.dims.size(); ++d) {
    if (std::find(over.begin(), over.end(), static_cast<int64_t>(d)) == over.end())
      kept.push_back(n.dims[d]);
    else
      count *= static_cast<double>(n.dims[d]);
  }
  double neutral = op == "multiply" || op == "and" ? 1 : 0;
  Facts r = Facts::Wild();
  if (IsFloatOrComplex(n.type)) {
    r = g;
    double eps = EpsilonOf(n.type), accumulated = n.type == ElementType::F64 ? eps : 0x1p-24;
    if (op == "add") {
      if (!g.tame()) return -1;
      // Starting off zero is exact only if the sum is.
      if (g.integral && random.Chance(30)) neutral = 3;
      r.lo = std::min(0., g.lo * count) - 3;
      r.hi = std::max(0., g.hi * count) + 3;
      r.exact = g.exact && ((g.integral && r.largest() <= LargestInteger(n.type)) || count <= 1);
      r.error = (g.error + accumulated * count * g.largest()) * count + 2 * eps * r.largest();
    } else if (op == "multiply") {
      if (IsComplex(n.type) || !g.tame() || count > 6) return -1;
      double p = std::pow(std::max(1., g.largest()), count);
      r.lo = -p;
      r.hi = p;
      r.exact = g.exact && ((g.integral && p <= LargestInteger(n.type)) || count <= 1);
      r.error = count * p * (g.error + 2 * eps) * 4;
    } else {
      if (IsComplex(n.type)) return -1;
      neutral = op == "maximum" ? -HUGE_VAL : HUGE_VAL;
      if (!HasInfinity(n.type)) neutral = op == "maximum" ? LeastOf(n.type) : LargestOf(n.type);
      if (random.Chance(20) || count == 0) {
        neutral = 1;
        r.lo = std::min(r.lo, 1.);
        r.hi = std::max(r.hi, 1.);
      }
    }
  } else if (op == "maximum" || op == "minimum") {
    neutral = n.type == ElementType::PRED ? op == "minimum" : 3;
  } else if (op == "and") {
    neutral = IsSigned(n.type) ? -1 : LargestOf(n.type);
    if (BitWidth(n.type) == 64 && !IsSigned(n.type)) neutral = 4611686018427387904.;
  }
  int init = Scalar(n.type, neutral);
  if (std::isinf(neutral)) f.nodes.back().literal = neutral < 0 ? "-inf" : "inf";
  std::string s = ShapeText(n.type, {});
  Function body;
  body.text = "  a = " + s + " parameter(0)\n  b = " + s + " parameter(1)\n  ROOT r = " + s + " " +
              op + (random.Chance(80) ? "(a, b)\n" : "(b, a)\n");
  program.functions.push_back(body);
  int result = Add("reduce", n.type, kept, {x, init}, r, DimsAttribute("dimensions", over));
  if (result >= 0)
    f.nodes.back().called = {{"to_apply", static_cast<int>(program.functions.size()) - 1}};
  return result;
}

int Maker::Dot(int x, int y, const Dims& xb, const Dims& yb, const Dims& xc, const Dims& yc,
               ElementType to) {
  const Node a = at(x), b = at(y);
  // Only integers mix, whose products are exact.
  if (!a.is_array() || (a.type != b.type && !(IsInteger(a.type) && IsInteger(b.type)))) return -1;
  Dims dims;
  double count = 1;
  auto has = [](const Dims& list, size_t d) {
    return std::find(list.begin(), list.end(), static_cast<int64_t>(d)) != list.end();
  };
  for (int64_t d : xb) dims.push_back(a.dims[static_cast<size_t>(d)]);
  for (size_t d = 0; d < a.dims.size(); ++d)
    if (!has(xb, d) && !has(xc, d)) dims.push_back(a.dims[d]);
  for (size_t d = 0; d < b.dims.size(); ++d)
    if (!has(yb, d) && !has(yc, d)) dims.push_back(b.dims[d]);
  for (int64_t d : xc) count *= static_cast<double>(a.dims[static_cast<size_t>(d)]);
  Facts r = Facts::Wild();
  if (IsFloatOrComplex(a.type)) {
    if (!a.facts.tame() || !b.facts.tame()) return -1;
    double p = a.facts.largest() * b.facts.largest() * (IsComplex(a.type) ? 2 : 1);
    double eps = EpsilonOf(to), accumulated = std::min(eps, 0x1p-24);
    r = Facts::Within(-p * count, p * count, a.facts.integral && b.facts.integral);
    r.exact = a.facts.exact && b.facts.exact && r.integral && p * count <= LargestInteger(to);
    r.error = 2 * count * (a.facts.error * b.facts.largest() + b.facts.error * a.facts.largest()) +
              accumulated * count * std::min(count, 40 * std::sqrt(count)) * p +
              2 * eps * p * count;
  }
  std::string attributes;
  if (!xb.empty())
    attributes = DimsAttribute("lhs_batch_dims", xb) + DimsAttribute("rhs_batch_dims", yb);
  attributes +=
      DimsAttribute("lhs_contracting_dims", xc) + DimsAttribute("rhs_contracting_dims", yc);
  return Add("dot", to, dims, {x, y}, r, attributes);
}

int Maker::Transpose(int x, const Dims& permutation) {
  Dims dims;
  for (int64_t p : permutation) dims.push_back(at(x).dims[static_cast<size_t>(p)]);
  return Add("transpose", at(x).type, dims, {x}, at(x).facts,
             DimsAttribute("dimensions", permutation));
}
int Maker::Reshape(int x, Dims dims) {
  return Add("reshape", at(x).type, std::move(dims), {x}, at(x).facts);
}

int Maker::Tuple(const std::vector<int>& elements) {
  std::vector<Node> nodes;
  for (int e : elements) nodes.push_back(at(e));
  Node t;
  t.op = "tuple";
  t.tuple = TupleText(nodes);
  t.operands = elements;
  for (const Node& n : nodes) t.facts.exact &= n.facts.exact;
  return Add(t);
}

int Maker::Element(int tuple, int index, ElementType type, Dims dims, Facts facts) {
  return Add("get-tuple-element", type, std::move(dims), {tuple}, facts,
             ", index=" + std::to_string(index));
}

ElementType Maker::DrawType() {
  using E = ElementType;
  if (random.Chance(45)) return E::F32;
  if (random.Chance(10))
    return random.Of({E::S4, E::S4, E::U4, E::S2, E::U2, E::F4E2M1FN, E::F8E4M3FN, E::F8E5M2,
                      E::F8E4M3, E::F8E3M4, E::F8E4M3FNUZ, E::F8E5M2FNUZ, E::F8E4M3B11FNUZ,
                      E::F6E2M3FN, E::F6E3M2FN, E::C128});
  return random.Of({E::PRED, E::S8, E::U8, E::S16, E::U16, E::S32, E::S32, E::U32, E::S64, E::U64,
                    E::F16, E::BF16, E::BF16, E::F64, E::C64});
}

Dims Maker::DrawDims(int64_t most, int min_rank) {
  int64_t rank = random.Of({0, 1, 1, 2, 2, 2, 2, 3, 3, 4});
  rank = std::max<int64_t>(rank, min_rank);
  Dims dims;
  int64_t count = 1;
  for (int64_t d = 0; d < rank; ++d) {
    int64_t n = Extent({1, 2, 3, 5, 8, 16, 17, 31, 33, 64, 100});
    while (n > 1 && count * n > most) n = n > 17 ? 17 : n > 5 ? 5 : n - 1;
    count *= std::max<int64_t>(n, 1);
    dims.push_back(n);
  }
  random.Shuffle(dims);
  return dims;
}

int64_t Maker::Extent(std::initializer_list<int64_t> list) {
  return random.Chance(options.empty_percent) ? 0 : random.Of(list);
}

int Maker::Any() {
  int n = static_cast<int>(f.nodes.size());
  for (int tries = 0; tries < 20; ++tries) {
    int late = n - 1 - static_cast<int>(random.Below(std::min(n, 6)));
    int i = random.Chance(60) ? late : static_cast<int>(random.Below(n));
    if (at(i).is_array()) return i;
  }
  int first = 0;
  while (!at(first).is_array()) ++first;
  return first;
}

int Maker::AnyOf(ElementType type) {
  for (int tries = 0; tries < 10; ++tries) {
    int i = Any();
    if (at(i).type == type) return i;
  }
  return Like(type, DrawDims(options.max_elements));
}

int Maker::Like(ElementType type, Dims dims) {
  std::vector<int> fit, scalars, vectors;
  for (size_t i = 0; i < f.nodes.size(); ++i) {
    const Node& n = f.nodes[i];
    if (!n.is_array() || n.type != type) continue;
    if (n.dims == dims)
      fit.push_back(static_cast<int>(i));
    else if (n.dims.empty())
      scalars.push_back(static_cast<int>(i));
    else if (n.dims.size() == 1 && std::find(dims.begin(), dims.end(), n.dims[0]) != dims.end())
      vectors.push_back(static_cast<int>(i));
  }
  if (!fit.empty() && random.Chance(70)) return random.Of(fit);
  if (!vectors.empty() && random.Chance(50)) {
    int v = random.Of(vectors);
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d] == at(v).dims[0]) return Broadcast(v, dims, {static_cast<int64_t>(d)});
    }
  }
  if (!scalars.empty() && random.Chance(40)) return Broadcast(random.Of(scalars), dims, {});
  if (!dims.empty() && random.Chance(15) && type != ElementType::PRED && !IsComplex(type)) {
    int64_t d = random.Below(static_cast<int64_t>(dims.size()));
    auto n = static_cast<double>(dims[static_cast<size_t>(d)]);
    const double most = IsFloat(type) ? LargestInteger(type) : LargestOf(type);
    if (n <= most)
      return Add("iota", type, dims, {}, Facts::Within(0, n, true),
                 ", iota_dimension=" + std::to_string(d));
  }
  if (inner || random.Chance(30)) return Splat(type, dims, random.Of({0., 1., 2., 3.}));
  return Parameter(type, dims);
}

}  // namespace sinter::fuzz
