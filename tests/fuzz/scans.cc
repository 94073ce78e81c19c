// Ragged dots and scans.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Of small integers, so that devices agree in whatever order they add.
Facts SmallIntegers(E type) {
  return IsFloatOrComplex(type) ? Facts::Within(-2, 2, true) : Facts::Within(0, 3, true);
}

E DrawElement(Maker& m) {
  return m.random.Of({E::F32, E::F32, E::F32, E::BF16, E::F16, E::F64, E::S32, E::S8, E::U16});
}

Facts SumFacts(E type, double largest, bool* fits) {
  *fits = !IsFloatOrComplex(type) || largest <= LargestInteger(type);
  if (!IsFloatOrComplex(type)) return Facts::Wild();
  return Facts::Within(-largest, largest, true);
}

// Elements of `even` and `odd` by turns along d; `even` may have one more.
int ByTurns(Maker& m, int even, int odd, size_t d) {
  const Node n = m.at(even);
  const int64_t pairs = m.at(odd).dims[d], length = n.dims[d] + pairs;
  if (m.random.Chance(60)) {
    const int zero = m.Scalar(n.type, 0);
    const int sum =
        m.Binary("add", Apart(m, even, d, 0, length, zero), Apart(m, odd, d, 1, length, zero));
    if (sum >= 0) return sum;
  }
  Dims one = n.dims, both = n.dims;
  one[d] = pairs;
  both[d] = 2 * pairs;
  one.insert(one.begin() + static_cast<ptrdiff_t>(d) + 1, 1);
  const int paired =
      Together(m, {m.Reshape(Part(m, even, d, 0, pairs), one), m.Reshape(odd, one)}, d + 1);
  const int joined = paired < 0 ? -1 : m.Reshape(paired, both);
  if (joined < 0 || length == 2 * pairs) return joined;
  return Together(m, {joined, Part(m, even, d, pairs, pairs + 1)}, d);
}

// What comes of all elements up to each along d: of pairs first, and from those in turn.
int ByHalves(Maker& m, int x, size_t d, const std::string& op) {
  const int64_t n = m.at(x).dims[d];
  if (n < 2) return x;
  const int pairs = m.Binary(op, Part(m, x, d, 0, n - 1, 2), Part(m, x, d, 1, n, 2));
  const int odd = pairs < 0 ? -1 : ByHalves(m, pairs, d, op);
  if (odd < 0) return -1;
  const int first = Part(m, x, d, 0, 1);
  const int64_t rest = (n - 1) / 2;
  if (rest == 0) return ByTurns(m, first, odd, d);
  const int even = m.Binary(op, Part(m, odd, d, 0, rest), Part(m, x, d, 2, n, 2));
  return even < 0 ? -1 : ByTurns(m, Together(m, {first, even}, d), odd, d);
}

}  // namespace

bool RaggedDotPattern(Maker& m) {
  if (m.inner) return false;
  const E type = DrawElement(m);
  const int64_t batch = m.Extent({1, 2, 3}), rows = m.Extent({1, 4, 7, 17}),
                depth = m.Extent({1, 3, 8, 17}), columns = m.Extent({1, 2, 5, 16}),
                groups = m.Extent({1, 2, 3, 5});
  const bool batched = m.random.Chance(40), parts = m.random.Chance(40);
  const bool own_sizes = batched && m.random.Chance(50);
  bool fits;
  const Facts facts = SumFacts(type, 4 * static_cast<double>(depth), &fits);
  if (!fits) return false;
  // [batch,] rows, depth; [groups,] [batch,] depth, columns
  Dims lhs{rows, depth}, rhs{depth, columns}, sizes{groups}, result{rows, columns};
  if (batched) {
    for (Dims* dims : {&lhs, &rhs, &result}) dims->insert(dims->begin(), batch);
  }
  if (own_sizes) sizes.insert(sizes.begin(), batch);
  (parts ? result : rhs).insert(parts ? result.begin() : rhs.begin(), groups);
  const int64_t of_lhs = batched ? 1 : 0, of_rhs = of_lhs + (parts ? 0 : 1);
  std::string attributes;
  if (batched) attributes += Format(", lhs_batch_dims={{0}}, rhs_batch_dims={{{}}}", parts ? 0 : 1);
  attributes +=
      Format(", lhs_contracting_dims={{{}}}, rhs_contracting_dims={{{}}}, lhs_ragged_dims={{{}}}",
             of_lhs + 1, of_rhs, parts ? of_lhs + 1 : of_lhs);
  if (!parts) attributes += ", rhs_group_dims={0}";
  const double most =
      static_cast<double>(parts ? depth : rows) / std::max(1., static_cast<double>(groups)) + 2;
  const int x = m.Parameter(type, lhs, SmallIntegers(type)),
            y = m.Parameter(type, rhs, SmallIntegers(type)),
            n = m.Parameter(m.random.Of({E::S32, E::S64, E::S8, E::U16}), sizes,
                            Facts::Within(0, most, true));
  const int r = m.Add("ragged-dot", type, result, {x, y, n}, facts, attributes);
  return r >= 0 && (m.random.Chance(60) || m.Binary("add", r, r) >= 0);
}

bool ScanPattern(Maker& m) {
  if (m.inner) return false;
  const E type = DrawElement(m);
  const Dims dims = m.DrawDims(300, 1);
  const auto along = static_cast<size_t>(m.random.Below(static_cast<int>(dims.size())));
  Dims element = dims;
  element.erase(element.begin() + static_cast<std::ptrdiff_t>(along));
  bool fits;
  const Facts facts = SumFacts(type, 3 * static_cast<double>(dims[along]) + 3, &fits);
  if (!fits) return false;
  const std::string s = ShapeText(type, element);
  Function step;
  step.text = "  x = " + s + " parameter(0)\n  c = " + s + " parameter(1)\n  s = " + s +
              " add(c, x)\n  d = " + s + " subtract(s, x)\n  ROOT r = (" + s + ", " + s +
              ") tuple(" + m.random.Of({std::string("s"), std::string("c"), std::string("d")}) +
              ", s)\n";
  m.program.functions.push_back(step);
  Node scan;
  scan.op = "scan";
  scan.type = type;
  scan.tuple = "(" + ShapeText(type, dims) + ", " + s + ")";
  scan.operands = {m.Parameter(type, dims, SmallIntegers(type)),
                   m.Parameter(type, element, SmallIntegers(type))};
  scan.attributes =
      Format(", dimensions={{{}}}, num_carries=1, is_reverse={}", along, m.random.Chance(50));
  scan.called = {{"to_apply", static_cast<int>(m.program.functions.size()) - 1}};
  scan.facts = facts;
  const int t = m.Add(scan);
  if (t < 0) return false;
  const int y = m.Element(t, 0, type, dims, facts);
  if (m.random.Chance(50)) m.Element(t, 1, type, element, facts);
  return y >= 0;
}

// A cumulative window along any dimension, either way, of rows long and short: what is computed
// before it and after it shares its kernel.
bool CumulativePattern(Maker& m) {
  const E type = DrawElement(m);
  Dims dims;
  if (m.random.Chance(40)) dims.push_back(m.Extent({1, 2, 3}));
  dims.push_back(m.Extent({1, 7, 16, 17, 33}));
  dims.push_back(m.Extent({1, 5, 16, 17, 129, 160, 300}));
  if (m.random.Chance(30)) m.random.Shuffle(dims);
  // Many rows shorter than vectors.
  const bool is_short = m.random.Chance(30);
  if (is_short) dims = {m.Extent({64, 100, 300}), m.Extent({2, 3, 5, 9, 15})};
  const auto along =
      is_short ? 1 : static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size())));
  const int64_t n = dims[along];
  if (n == 0) return false;
  const std::string op = m.random.Of(
      {std::string("add"), std::string("add"), std::string("maximum"), std::string("minimum")});
  bool fits;
  const Facts facts = SumFacts(type, 3 * static_cast<double>(n) + 3, &fits);
  if (!fits) return false;
  int x = m.inner ? m.Splat(type, dims, 1) : m.Parameter(type, dims, SmallIntegers(type));
  if (m.random.Chance(30)) x = m.Unary("negate", x);
  if (x < 0) return false;
  if (m.random.Chance(35)) return ByHalves(m, x, along, op) >= 0;
  const std::string scalar = ShapeText(type, {});
  const int step = AddText(m, "  a = " + scalar + " parameter(0)\n  b = " + scalar +
                                  " parameter(1)\n  ROOT r = " + scalar + " " + op + "(a, b)\n");
  const bool back = m.random.Chance(30);
  std::string size, pad;
  for (size_t d = 0; d < dims.size(); ++d) {
    const bool here = d == along;
    size += Format("{}{}", d ? "x" : "", here ? n : 1);
    pad += Format("{}{}_{}", d ? "x" : "", here && !back ? n - 1 : 0, here && back ? n - 1 : 0);
  }
  Node node;
  node.op = "reduce-window";
  node.type = type;
  node.dims = dims;
  // Of maxima and minima too: an element at least meets it.
  node.operands = {x, m.Scalar(type, 0)};
  node.attributes = Format(", window={{size={} pad={}}}", size, pad);
  node.called = {{"to_apply", step}};
  node.facts = facts;
  const int y = m.Add(node);
  if (y < 0 || m.random.Chance(40)) return y >= 0;
  return m.Binary("subtract", y, x) >= 0;
}

}  // namespace sinter::fuzz
