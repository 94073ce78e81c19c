// Operations that carry several arrays: reductions, windows, scatters, maps.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Arrays of the same dimensions to fold, each by an operation that does not care for the order.
struct Folds {
  std::vector<int> arrays, initial;
  std::vector<std::string> ops;
  std::vector<E> types;
  std::vector<Facts> facts;
  int body = -1;  // that folds all at once
};

Folds DrawFolds(Maker& m, const Dims& dims) {
  Folds folds;
  const int64_t count = m.random.In(2, 3);
  for (int64_t k = 0; k < count; ++k) {
    const E type = m.random.Of({E::F32, E::F32, E::S32, E::S8, E::F64, E::BF16, E::U4, E::PRED});
    const bool number = IsFloat(type);
    std::string op = number ? m.random.Of({"maximum", "minimum"})
                            : m.random.Of({"add", "maximum", "minimum", "xor"});
    if (type == E::PRED) op = m.random.Of({"and", "or", "xor"});
    const Facts facts = number ? Facts::Within(-2, 2) : m.DrawFacts(type);
    folds.arrays.push_back(m.Parameter(type, dims, facts));
    // Where padding or chunks come in, it comes in more than once.
    folds.initial.push_back(m.Scalar(type, op == "add" || op == "xor" ? 0 : 1));
    folds.ops.push_back(op);
    folds.types.push_back(type);
    folds.facts.push_back(number ? Facts::Within(-2, 2) : Facts::Wild());
  }
  // The left elements of all arrays, then their right ones.
  std::string text, results, shape;
  const size_t n = folds.ops.size();
  for (size_t k = 0; k < n; ++k) {
    const std::string s = ShapeText(folds.types[k], {}), comma = k ? ", " : "";
    text += Format("  a{} = {} parameter({})\n  b{} = {} parameter({})\n", k, s, k, k, s, n + k);
    text += Format("  r{} = {} {}(a{}, b{})\n", k, s, folds.ops[k], k, k);
    results += Format("{}r{}", comma, k);
    shape += comma + s;
  }
  folds.body = AddText(m, text + "  ROOT r = (" + shape + ") tuple(" + results + ")\n");
  return folds;
}

bool AddFolded(Maker& m, Node node, const Folds& folds, const Dims& dims) {
  std::vector<Node> results;
  for (E type : folds.types) {
    Node r;
    r.type = type;
    r.dims = dims;
    results.push_back(r);
  }
  node.tuple = TupleText(results);
  const int t = m.Add(node);
  for (size_t k = 0; k < results.size(); ++k) {
    if (m.random.Chance(80))
      m.Element(t, static_cast<int>(k), folds.types[k], dims, folds.facts[k]);
  }
  return true;
}

bool ReduceSeveral(Maker& m) {
  const Dims dims = m.DrawDims(2000, 1);
  Folds folds = DrawFolds(m, dims);
  Dims over, kept;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (m.random.Chance(50))
      over.push_back(static_cast<int64_t>(d));
    else
      kept.push_back(dims[d]);
  }
  Node node;
  node.op = "reduce";
  node.operands = folds.arrays;
  node.operands.insert(node.operands.end(), folds.initial.begin(), folds.initial.end());
  node.attributes = Format(", dimensions={{{}}}", Join(over, ","));
  node.called = {{"to_apply", folds.body}};
  return AddFolded(m, node, folds, kept);
}

bool WindowsOfSeveral(Maker& m) {
  const Dims dims = m.DrawDims(400, 1);
  Folds folds = DrawFolds(m, dims);
  Dims results;
  std::string size, pad, stride;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t w = m.random.Of({1, 1, 2, 3}), lo = m.random.Below(w), hi = m.random.Below(w),
                  step = m.random.Of({1, 1, 2});
    const int64_t span = dims[d] + lo + hi;
    results.push_back(span < w ? 0 : (span - w) / step + 1);
    const char* x = d ? "x" : "";
    size += Format("{}{}", x, w);
    pad += Format("{}{}_{}", x, lo, hi);
    stride += Format("{}{}", x, step);
  }
  Node node;
  node.op = "reduce-window";
  node.operands = folds.arrays;
  node.operands.insert(node.operands.end(), folds.initial.begin(), folds.initial.end());
  node.attributes = Format(", window={{size={} stride={} pad={}}}", size, stride, pad);
  node.called = {{"to_apply", folds.body}};
  return AddFolded(m, node, folds, results);
}

// Rows of [rows, columns] arrays.
bool ScatterSeveral(Maker& m) {
  const int64_t rows = m.Extent({1, 3, 8, 17}), columns = m.Extent({1, 2, 5, 16}),
                updates = m.Extent({0, 1, 4, 9, 20});
  const Dims dims{rows, columns};
  Folds folds = DrawFolds(m, dims);
  Node node;
  node.op = "scatter";
  node.operands = folds.arrays;
  node.operands.push_back(m.Parameter(m.random.Of({E::S32, E::S64, E::S8}), {updates, 1},
                                      Facts::Within(-1, static_cast<double>(rows), true)));
  for (E type : folds.types) {
    node.operands.push_back(m.Parameter(type, {updates, columns},
                                        IsFloat(type) ? Facts::Within(-2, 2) : m.DrawFacts(type)));
  }
  node.attributes =
      ", update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim=1";
  node.called = {{"to_apply", folds.body}};
  return AddFolded(m, node, folds, dims);
}

bool Map(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::S32, E::F64, E::U8, E::BF16, E::S4, E::C64});
  const Dims dims = m.DrawDims(500);
  const int64_t count = m.random.In(1, 3);
  std::string text;
  const std::string s = ShapeText(type, {});
  std::vector<int> operands;
  for (int64_t k = 0; k < count; ++k) {
    text += Format("  p{} = {} parameter({})\n", k, s, k);
    operands.push_back(m.Parameter(type, dims));
  }
  text += Format("  x = {} subtract(p0, p{})\n  y = {} add(x, p0)\n", s, count - 1, s);
  const bool compares = m.random.Chance(30);
  if (compares)
    text += "  ROOT r = pred[] compare(x, y), direction=NE\n";
  else
    text += "  ROOT r = " + s + " negate(y)\n";
  std::string all;
  for (size_t d = 0; d < dims.size(); ++d) all += Format("{}{}", d ? "," : "", d);
  Node node;
  node.op = "map";
  node.type = compares ? E::PRED : type;
  node.dims = dims;
  node.operands = operands;
  node.attributes = ", dimensions={" + all + "}";
  node.called = {{"to_apply", AddText(m, text)}};
  return m.Add(node) >= 0;
}

bool TopK(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::S32, E::U8, E::F64, E::S4, E::F8E5M2});
  const Dims dims = m.DrawDims(600, 1);
  Dims results = dims;
  results.back() = m.random.In(0, std::min<int64_t>(dims.back(), 20));
  Node node;
  node.op = "topk";
  node.type = type;
  node.tuple = "(" + ShapeText(type, results) + ", " + ShapeText(E::S32, results) + ")";
  node.operands = {m.Parameter(
      type, dims, IsFloat(type) ? Facts::Within(-2, 2, m.random.Chance(50)) : m.DrawFacts(type))};
  node.attributes =
      Format(", k={}, largest={}", results.back(), m.random.Chance(50) ? "true" : "false");
  const int t = m.Add(node);
  m.Element(t, 0, type, results, IsFloat(type) ? Facts::Within(-2, 2) : Facts::Wild());
  m.Element(t, 1, E::S32, results, Facts::Wild());
  return true;
}

}  // namespace

bool SeveralPattern(Maker& m) {
  if (m.inner) return false;
  const bool moves = m.options.most_moved > 0;
  switch (m.random.Below(moves ? 5 : 3)) {
    case 0:
      return ReduceSeveral(m);
    case 1:
      return WindowsOfSeveral(m);
    case 2:
      return Map(m);
    case 3:
      return ScatterSeveral(m);
    default:
      return TopK(m);
  }
}

}  // namespace sinter::fuzz
