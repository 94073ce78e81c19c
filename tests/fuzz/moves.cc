// Operations that move elements from and to places that depend on data.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {

std::string Braces(const Dims& dims) { return "{" + Join(dims, ",") + "}"; }

int IndicesInto(Maker& m, const Dims& dims, const Dims& array) {
  const ElementType type =
      m.random.Of({ElementType::S32, ElementType::S32, ElementType::S64, ElementType::U32,
                   ElementType::S8, ElementType::U8, ElementType::U64});
  if (m.inner) return m.Like(type, dims);
  const int64_t most = array.empty() ? 0 : *std::max_element(array.begin(), array.end());
  return m.Parameter(type, dims,
                     Facts::Within(IsSigned(type) ? -2 : 0,
                                   static_cast<double>(std::min<int64_t>(most + 1, 100)), true));
}

namespace {

using E = ElementType;

// Random dimension numbers for an array, the indices that they need, and the dimensions of the
// slices.
struct Numbers {
  Dims window, dropped, map, array_batch, indices_batch, sizes;
  int64_t vector_dim = 0;
  Dims indices, slices;
};
Numbers DrawNumbers(Maker& m, const Dims& array) {
  Numbers n;
  const auto rank = static_cast<int64_t>(array.size());
  Dims started, kept;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t extent = array[static_cast<size_t>(d)];
    // A slice of an empty dimension is empty, even where the result does not have the dimension.
    n.sizes.push_back(std::min<int64_t>(extent, m.Extent({1})));
    if (m.random.Chance(15)) {
      n.array_batch.push_back(d);
      continue;
    }
    if (m.random.Chance(60)) started.push_back(d);
    if (m.random.Chance(50)) {
      n.dropped.push_back(d);
      continue;
    }
    n.sizes.back() =
        m.random.Chance(50) ? extent : m.random.In(std::min<int64_t>(extent, 1), extent);
    kept.push_back(n.sizes.back());
  }
  m.random.Shuffle(started);
  n.map = started;
  // The batch: paired dimensions and others, in any order.
  std::vector<int> kinds;
  for (size_t k = 0; k < n.array_batch.size(); ++k) kinds.push_back(static_cast<int>(k));
  for (int64_t others = m.random.In(0, 2); others > 0; --others) kinds.push_back(-1);
  m.random.Shuffle(kinds);
  Dims batch;
  n.indices_batch.resize(n.array_batch.size());
  for (int kind : kinds) {
    if (kind >= 0) n.indices_batch[static_cast<size_t>(kind)] = static_cast<int64_t>(batch.size());
    batch.push_back(kind >= 0 ? array[static_cast<size_t>(n.array_batch[static_cast<size_t>(kind)])]
                              : m.Extent({1, 2, 3, 5, 17}));
  }
  n.vector_dim = m.random.In(0, static_cast<int64_t>(batch.size()));
  n.indices = batch;
  const bool implicit = n.map.size() == 1 && m.random.Chance(50);
  if (implicit) {
    n.vector_dim = static_cast<int64_t>(batch.size());
  } else {
    n.indices.insert(n.indices.begin() + n.vector_dim, static_cast<int64_t>(n.map.size()));
    for (int64_t& d : n.indices_batch) d += d >= n.vector_dim ? 1 : 0;
  }
  std::vector<int> is_window(batch.size() + kept.size(), 0);
  for (size_t k = 0; k < kept.size(); ++k) is_window[k] = 1;
  m.random.Shuffle(is_window);
  size_t next_window = 0, next_batch = 0;
  for (size_t d = 0; d < is_window.size(); ++d) {
    if (is_window[d]) n.window.push_back(static_cast<int64_t>(d));
    n.slices.push_back(is_window[d] ? kept[next_window++] : batch[next_batch++]);
  }
  return n;
}

int64_t Count(const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= d;
  return n;
}

int64_t MostMoved(const Maker& m) { return std::min<int64_t>(3000, m.options.most_moved); }

bool Gather(Maker& m) {
  const int x = m.Any();
  const Node array = m.at(x);
  const Numbers n = DrawNumbers(m, array.dims);
  if (Count(n.slices) > m.options.max_elements || Count(n.indices) > m.options.max_elements)
    return false;
  return m.Add("gather", array.type, n.slices, {x, IndicesInto(m, n.indices, array.dims)},
               array.facts,
               Format(", offset_dims={}, collapsed_slice_dims={}, start_index_map={}, "
                      "operand_batching_dims={}, start_indices_batching_dims={}, "
                      "index_vector_dim={}, slice_sizes={}",
                      Braces(n.window), Braces(n.dropped), Braces(n.map), Braces(n.array_batch),
                      Braces(n.indices_batch), n.vector_dim, Braces(n.sizes))) >= 0;
}

bool Scatter(Maker& m) {
  const int x = m.Any();
  const Node array = m.at(x);
  const Numbers n = DrawNumbers(m, array.dims);
  const int64_t most = MostMoved(m);
  if (!array.facts.exact || Count(n.slices) > most || Count(n.indices) > most) return false;
  const int indices = IndicesInto(m, n.indices, array.dims), update = m.Like(array.type, n.slices);
  const Facts a = array.facts, b = m.at(update).facts;
  if (!b.exact) return false;
  std::string op = "set";
  Facts facts{true, a.integral && b.integral, std::min(a.lo, b.lo), std::max(a.hi, b.hi), 0};
  if (IsInteger(array.type)) {
    op = m.random.Of({"set", "add", "subtract", "maximum", "xor"});
    facts = Facts::Wild();
  } else if (IsFloat(array.type)) {
    op = m.random.Of({"set", "maximum", "minimum"});
  }
  const std::string scalar = ShapeText(array.type, {});
  Function f;
  f.text = "  a = " + scalar + " parameter(0)\n  " + (op == "set" ? "ROOT b = " : "b = ") + scalar +
           " parameter(1)\n";
  if (op != "set") f.text += "  ROOT r = " + scalar + " " + op + "(b, a)\n";
  m.program.functions.push_back(f);
  Node s;
  s.op = "scatter";
  s.type = array.type;
  s.dims = array.dims;
  s.operands = {x, indices, update};
  s.facts = facts;
  s.attributes = Format(
      ", update_window_dims={}, inserted_window_dims={}, scatter_dims_to_operand_dims={}, "
      "input_batching_dims={}, scatter_indices_batching_dims={}, index_vector_dim={}",
      Braces(n.window), Braces(n.dropped), Braces(n.map), Braces(n.array_batch),
      Braces(n.indices_batch), n.vector_dim);
  s.called = {{"to_apply", static_cast<int>(m.program.functions.size()) - 1}};
  return m.Add(s) >= 0;
}

// By one operand, or by one and among its equals by another.
bool Sort(Maker& m) {
  const int x = m.Any();
  const Node n = m.at(x);
  if (n.dims.empty() || !n.facts.exact || n.count() > MostMoved(m)) return false;
  const auto d = m.random.Below(static_cast<int64_t>(n.dims.size()));
  std::vector<Node> nodes = {n};
  std::vector<int> operands = {x};
  for (int64_t others = m.random.In(0, 2); others > 0; --others) {
    operands.push_back(m.Like(m.DrawType(), n.dims));
    nodes.push_back(m.at(operands.back()));
    if (!nodes.back().facts.exact) return false;
  }
  const std::string order = IsFloatOrComplex(n.type) ? ", type=TOTALORDER" : "",
                    way = m.random.Chance(50) ? "LT" : "GT";
  Function f;
  std::string shape;
  for (size_t k = 0; k < nodes.size(); ++k) {
    const std::string scalar = ShapeText(nodes[k].type, {});
    f.text += Format("  a{} = {} parameter({})\n  b{} = {} parameter({})\n", k, scalar, 2 * k, k,
                     scalar, 2 * k + 1);
    shape += (k ? ", " : "") + ShapeText(nodes[k]);
  }
  const E second = nodes.back().type;
  // Now and then by a key that is computed of the operand.
  std::string x0 = "a0", y0 = "b0";
  if (IsComplex(n.type) || m.random.Chance(25)) {
    const bool complex = IsComplex(n.type), number = IsFloat(n.type);
    const std::string op = complex             ? m.random.Of({"real", "imag"})
                           : n.type == E::PRED ? "not"
                           : number
                               ? m.random.Of({"abs", "negate", "floor"})
                               : m.random.Of({"not", "negate", "popcnt", "count-leading-zeros"});
    const std::string scalar = ShapeText(RealPart(n.type), {});
    f.text += Format("  ka = {} {}(a0)\n  kb = {} {}(b0)\n", scalar, op, scalar, op);
    x0 = "ka", y0 = "kb";
  }
  // The sign of a computed NaN is not specified, and total order depends on it: one NaN for
  // all, as JAX's comparators have it.
  const E key = RealPart(n.type);
  if (IsFloat(key) && HasNan(key) && n.op != "parameter") {
    const std::string scalar = ShapeText(key, {});
    f.text += Format("  nan = {} constant(nan)\n", scalar);
    for (std::string* k : {&x0, &y0}) {
      f.text += Format(
          "  is{0} = pred[] compare({0}, {0}), direction=NE\n  one{0} = {1} select(is{0}, nan, "
          "{0})\n",
          *k, scalar);
      *k = "one" + *k;
    }
  }
  if (m.random.Chance(20)) std::swap(x0, y0);
  if (nodes.size() > 1 && !IsComplex(second) && !IsFloat(second) && m.random.Chance(50)) {
    const size_t k = nodes.size() - 1;
    f.text += Format(
        "  lt = pred[] compare({}, {}), direction={}{}\n  eq = pred[] compare({}, {}), "
        "direction=EQ{}\n  next = pred[] compare(a{}, b{}), direction=LT\n  both = pred[] and(eq, "
        "next)\n  ROOT r = pred[] or(lt, both)\n",
        x0, y0, way, order, x0, y0, order, k, k);
  } else {
    f.text += Format("  ROOT r = pred[] compare({}, {}), direction={}{}\n", x0, y0, way, order);
  }
  m.program.functions.push_back(f);
  Node s;
  s.op = "sort";
  s.type = n.type;
  s.dims = n.dims;
  s.facts = n.facts;
  if (nodes.size() > 1) s.tuple = "(" + shape + ")";
  s.operands = operands;
  s.attributes = Format(", dimensions={{{}}}, is_stable=true", d);
  s.called = {{"to_apply", static_cast<int>(m.program.functions.size()) - 1}};
  const int sorted = m.Add(s);
  for (size_t k = 0; k < nodes.size() && nodes.size() > 1; ++k)
    m.Element(sorted, static_cast<int>(k), nodes[k].type, nodes[k].dims, nodes[k].facts);
  return true;
}

}  // namespace

bool Move(Maker& m) {
  switch (m.options.most_moved > 0 ? m.random.Below(4) : 0) {
    case 0:
      return Gather(m);
    case 1:
      return Scatter(m);
    case 2:
      return SortByKeys(m, /*large=*/false);
    default:
      return Sort(m);
  }
}

}  // namespace sinter::fuzz
