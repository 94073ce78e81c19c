// Many small rows, points or small matrices: what works on their single elements, alone and in
// loops, so that they are computed with the short dimensions first, or each element by itself.
#include <algorithm>
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Without its last dimension, which is of one element; and with one more.
int Drop(Maker& m, int x) {
  if (x < 0) return x;
  Dims dims = m.at(x).dims;
  dims.pop_back();
  return m.Reshape(x, dims);
}
int Column(Maker& m, int x, int64_t k) { return Part(m, x, m.at(x).dims.size() - 1, k, k + 1); }

int Mix(Maker& m, int x, int y) {
  if (x < 0 || y < 0) return -1;
  const E type = m.at(x).type;
  if (type == E::PRED) return m.Binary("xor", x, y);
  return m.Binary(IsComplex(type) ? "add" : m.random.Of({"add", "maximum", "minimum", "subtract"}),
                  x, y);
}

// Columns that are computed of two others each.
int NewColumns(Maker& m, int x) {
  const int64_t n = m.at(x).dims.back();
  std::vector<int> columns;
  for (int64_t k = 0; k < n; ++k) {
    const int a = Column(m, x, m.random.In(0, n - 1)), b = Column(m, x, m.random.In(0, n - 1));
    int c = m.random.Chance(60) ? Mix(m, a, b) : a;
    if (c < 0) return -1;
    if (m.random.Chance(40)) {
      // By way of arrays without the dimension.
      Dims one = m.at(c).dims;
      c = Drop(m, c);
      c = m.Reshape(c, one);
    }
    columns.push_back(c);
  }
  return Together(m, columns, m.at(x).dims.size() - 1);
}

int Reduced(Maker& m, int x) {
  const Node n = m.at(x);
  const auto last = static_cast<int64_t>(n.dims.size()) - 1;
  if (n.type == E::PRED || IsComplex(n.type)) return -1;
  const int r = m.Reduce(x, {last}, m.random.Of({"maximum", "minimum", "add"}));
  if (r < 0 || !m.at(r).facts.exact) return -1;
  Dims where;
  for (int64_t d = 0; d < last; ++d) where.push_back(d);
  return Mix(m, x, m.Broadcast(r, n.dims, where));
}

// Each row's element at its index, mixed into the row.
int Chosen(Maker& m, int x) {
  const Node n = m.at(x);
  const auto last = static_cast<int64_t>(n.dims.size()) - 1;
  Dims batch = n.dims, dims, ones(n.dims.size(), 1);
  batch.pop_back();
  for (int64_t d = 0; d < last; ++d) dims.push_back(d);
  if (std::find(n.dims.begin(), n.dims.end(), 0) != n.dims.end()) return -1;
  Dims indices = batch;
  indices.push_back(1);
  const int index = IndicesInto(m, indices, {n.dims.back()});
  const int element = m.Add(
      "gather", n.type, batch, {x, index}, n.facts,
      Format(", offset_dims={{}}, collapsed_slice_dims={{{0}}}, start_index_map={{{0}}}, "
             "operand_batching_dims={1}, start_indices_batching_dims={1}, index_vector_dim={0}, "
             "slice_sizes={2}",
             last, Braces(dims), Braces(ones)));
  return element < 0 ? -1 : Mix(m, x, m.Broadcast(element, n.dims, dims));
}

// Each row with a new element at an index.
int Placed(Maker& m, int x) {
  const Node n = m.at(x);
  const auto last = static_cast<int64_t>(n.dims.size()) - 1;
  Dims batch = n.dims, dims;
  batch.pop_back();
  for (int64_t d = 0; d < last; ++d) dims.push_back(d);
  Dims indices = batch;
  indices.push_back(1);
  const int index = IndicesInto(m, indices, {n.dims.back()}), update = m.Like(n.type, batch);
  const Facts b = m.at(update).facts;
  if (!n.facts.exact || !b.exact) return -1;
  const std::string scalar = ShapeText(n.type, {});
  const int set =
      AddText(m, Format("  p = {0} parameter(0)\n  ROOT q = {0} parameter(1)\n", scalar));
  Node scatter;
  scatter.op = "scatter";
  scatter.type = n.type;
  scatter.dims = n.dims;
  scatter.operands = {x, index, update};
  scatter.facts = Facts{true, n.facts.integral && b.integral, std::min(n.facts.lo, b.lo),
                        std::max(n.facts.hi, b.hi), 0};
  scatter.attributes = Format(
      ", update_window_dims={{}}, inserted_window_dims={{{0}}}, "
      "scatter_dims_to_operand_dims={{{0}}}, "
      "input_batching_dims={1}, scatter_indices_batching_dims={1}, index_vector_dim={0}",
      last, Braces(dims));
  scatter.called = {{"to_apply", set}};
  return m.Add(scatter);
}

// Products of small matrices.
int Multiplied(Maker& m, int x) {
  const Node n = m.at(x);
  if (n.dims.size() != 3 || n.type == E::PRED) return -1;
  const int y = m.Like(n.type, {n.dims[0], n.dims[2], m.random.Chance(70) ? n.dims[2] : 2});
  return m.Dot(x, y, {0}, {0}, {2}, {1}, n.type);
}

// Short dimensions that are one longer dimension for a while, along which elements move.
int Joined(Maker& m, int x) {
  const Dims dims = m.at(x).dims;
  if (m.at(x).count() == 0) return x;
  int y = m.Reshape(x, {dims[0], m.at(x).count() / dims[0]});
  for (int64_t k = m.random.In(1, 3); k > 0 && y >= 0; --k) {
    const Node n = m.at(y);
    if (m.random.Chance(50)) {
      y = Mix(m, y, m.Like(n.type, n.dims));
    } else if (m.random.Chance(50)) {
      const int column = Drop(m, Column(m, y, m.random.In(0, n.dims[1] - 1)));
      y = column < 0 ? -1 : Mix(m, y, m.Broadcast(column, n.dims, {0}));
    } else {
      y = m.Add("reverse", n.type, n.dims, {y}, n.facts, ", dimensions={1}");
    }
  }
  return y < 0 ? -1 : m.Reshape(y, dims);
}

int Turned(Maker& m, int x) {
  Dims order;
  for (size_t k = 0; k < m.at(x).dims.size(); ++k) order.push_back(static_cast<int64_t>(k));
  m.random.Shuffle(order);
  return m.Transpose(x, order);
}

// x (array of `shape`), as HLO text, after one step of an integrator; `k` numbers names.
std::string TextStep(Maker& m, const std::string& elem, int64_t n, int64_t s, const std::string x,
                     int k, std::string& out) {
  const std::string shape = Format("{}[{},{}]", elem, n, s), column = Format("{}[{},1]", elem, n);
  std::string text, list;
  for (int64_t j = 0; j < s; ++j) {
    const int64_t a = m.random.In(0, s - 1), b = m.random.In(0, s - 1);
    text += Format("  a{0}_{1} = {2} slice({3}), slice={{[0:{4}], [{5}:{6}]}}\n", k, j, column, x,
                   n, a, a + 1);
    text += Format("  b{0}_{1} = {2} slice({3}), slice={{[0:{4}], [{5}:{6}]}}\n", k, j, column, x,
                   n, b, b + 1);
    text += Format("  c{0}_{1} = {2} {3}(a{0}_{1}, b{0}_{1})\n", k, j, column,
                   m.random.Of({std::string("maximum"), std::string("minimum"),
                                std::string("subtract"), std::string("add")}));
    list += Format("{}c{}_{}", j ? ", " : "", k, j);
  }
  text += Format("  d{} = {} concatenate({}), dimensions={{1}}\n", k, shape, list);
  out = Format("e{}", k);
  text += Format("  e{} = {} {}({}, d{})\n", k, shape,
                 m.random.Of({std::string("maximum"), std::string("minimum")}), x, k);
  // Rows times a matrix that only moves their elements, and all rows joined with one.
  if (m.random.Chance(50)) {
    text += Format(
        "  f{0} = s32[{1},{1}] iota(), iota_dimension=0\n"
        "  g{0} = s32[{1},{1}] iota(), iota_dimension=1\n"
        "  h{0} = pred[{1},{1}] compare(f{0}, g{0}), direction=EQ\n"
        "  l{0} = pred[{1},{1}] reverse(h{0}), dimensions={{1}}\n"
        "  m{0} = {2}[{1},{1}] convert(l{0})\n"
        "  n{0} = {3} dot({4}, m{0}), lhs_contracting_dims={{1}}, "
        "rhs_contracting_dims={{{5}}}\n",
        k, s, elem, shape, out, m.random.In(0, 1));
    out = Format("n{}", k);
  }
  if (n > 0 && m.random.Chance(50)) {
    const int64_t row = m.random.In(0, n - 1);
    text += Format(
        "  o{0} = {1}[1,{2}] slice({3}), slice={{[{4}:{5}], [0:{2}]}}\n"
        "  p{0} = {1}[{2}] reshape(o{0})\n"
        "  q{0} = {6} broadcast(p{0}), dimensions={{1}}\n"
        "  r{0} = {6} {7}({3}, q{0})\n",
        k, elem, s, out, row, row + 1, shape,
        m.random.Of({std::string("maximum"), std::string("subtract")}));
    out = Format("r{}", k);
  }
  return text;
}

bool Integrator(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::S32, E::F64, E::U8});
  const std::string elem = ShapeText(type, {});
  const std::string name = elem.substr(0, elem.find('['));
  const int64_t n = m.Extent({64, 67, 100}), s = m.random.In(2, 4), trips = m.random.In(0, 4);
  const Dims dims{n, s};
  const std::string shape = ShapeText(type, dims), state = Format("(s32[], {}, {})", shape, shape);
  const int condition =
      AddText(m, Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                        "  n = s32[] constant({})\n  ROOT r = pred[] compare(i, n), direction=LT\n",
                        state, trips));
  std::string text = Format(
      "  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  x = {} get-tuple-element(s), index=1\n  y = {} get-tuple-element(s), index=2\n"
      "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n",
      state, shape, shape);
  std::string last = "x";
  const int steps = static_cast<int>(m.random.In(1, 3));
  for (int k = 0; k < steps; ++k) text += TextStep(m, name, n, s, last, k, last);
  const bool exchange = m.random.Chance(40);
  text += Format("  ROOT r = {} tuple(next, {}, {})\n", state, exchange ? "y" : last,
                 exchange ? last : m.random.Of({std::string("y"), std::string("x")}));
  const int body = AddText(m, text);
  auto leaf = [&] { return m.Parameter(type, dims, Facts::Within(-4, 4, true)); };
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple({m.Scalar(E::S32, 0), leaf(), leaf()})};
  loop.called = {{"condition", condition}, {"body", body}};
  const int w = m.Add(loop);
  const bool both = m.random.Chance(70);
  m.Element(w, 1, type, dims, Facts::Wild());
  if (both) m.Element(w, 2, type, dims, Facts::Wild());
  return true;
}

// Rows that are computed with the same row, with a number for each of them, or with the numbers of
// their columns or rows, and stacked or finished by something long.
bool SharedRows(Maker& m) {
  const int64_t columns = m.random.In(2, 33);
  Dims dims = {m.Extent({33, 64, 70, 131}), columns};
  if (m.random.Chance(20)) dims.insert(dims.begin(), m.random.In(2, 4));
  const auto last = static_cast<int64_t>(dims.size()) - 1;
  const E type = m.DrawType();
  if (type == E::PRED || IsComplex(type)) return false;
  int x = m.Like(type, dims);
  std::vector<int> all{x};
  for (int64_t k = m.random.In(1, 3); k > 0 && x >= 0; --k) {
    int shared = -1;
    if (type == E::S32 && m.random.Chance(40)) {
      shared = m.Add("iota", type, dims, {}, Facts::Within(0, 140, true),
                     Format(", iota_dimension={}", last - m.random.Below(2)));
    } else {
      const int64_t d = last - (m.random.Chance(25) ? 1 : 0);
      const int own = m.Like(type, {dims[static_cast<size_t>(d)]});
      const int row = own >= 0 && m.random.Chance(30) ? Mix(m, own, own) : own;
      shared = row < 0 ? row : m.Broadcast(row, dims, {d});
    }
    x = Mix(m, x, shared);
    all.push_back(x);
  }
  if (x < 0) return false;
  if (IsFloat(type) && m.random.Chance(30)) return m.Unary("tanh", x) >= 0;
  Dims one = dims;
  one.push_back(1);
  for (int& part : all) {
    if (part >= 0) part = m.Reshape(part, one);
    if (part < 0) return false;
  }
  return Together(m, all, dims.size()) >= 0;
}

}  // namespace

bool RowsPattern(Maker& m) {
  if (!m.inner && m.random.Chance(30)) return Integrator(m);
  if (m.random.Chance(20)) return SharedRows(m);
  Dims dims = {m.Extent({64, 67, 100}),
               m.random.Chance(20) ? m.random.In(5, 16) : m.random.In(1, 4)};
  if (m.random.Chance(30)) dims.insert(dims.end() - 1, m.random.In(1, 4));
  int x = m.Like(m.DrawType(), dims);
  for (int64_t k = m.random.In(2, 9); k > 0; --k) {
    int next = -1;
    switch (m.random.Below(10)) {
      case 9:
        next = Joined(m, x);
        break;
      case 6:
        next = Chosen(m, x);
        break;
      case 7:
        next = m.options.most_moved >= m.at(x).count() ? Placed(m, x) : Chosen(m, x);
        break;
      case 8:
        next = Multiplied(m, x);
        if (next >= 0) dims = m.at(next).dims;
        break;
      case 0:
        next = Reduced(m, x);
        break;
      case 1:
        next = Mix(m, x, m.Like(m.at(x).type, dims));
        break;
      case 2:
        if (dims.size() == 3 && dims[1] == dims[2]) {
          next = m.Transpose(x, {0, 2, 1});
          break;
        }
        [[fallthrough]];
      default:
        next = NewColumns(m, x);
    }
    if (next < 0) break;
    x = next;
  }
  if (m.random.Chance(30)) x = Turned(m, x);
  return x >= 0;
}

}  // namespace sinter::fuzz
