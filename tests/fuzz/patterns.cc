// Several nodes at a time, as programs have them: normalisations, products with what stands around
// them.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Broadcasts the reduction of x over its last dimension back to x's shape.
int Back(Maker& m, int reduced, const Dims& dims, int64_t along = -1) {
  if (along < 0) along = static_cast<int64_t>(dims.size()) - 1;
  Dims where;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d)
    if (d != along) where.push_back(d);
  return reduced < 0 ? -1 : m.Broadcast(reduced, dims, where);
}

// A product of operands of types `left` and `right`, laid out at random, as type `to`.
int Product(Maker& m, E left, E right, E to, const Dims& batch, const Dims& rows, const Dims& cols,
            const Dims& depth) {
  auto operand = [&](E type, const Dims& free, Dims& b, Dims& c) {
    std::vector<int> kinds;
    for (size_t i = 0; i < batch.size(); ++i) kinds.push_back(static_cast<int>(i));
    for (size_t i = 0; i < depth.size(); ++i) kinds.push_back(10 + static_cast<int>(i));
    for (size_t i = 0; i < free.size(); ++i) kinds.push_back(20 + static_cast<int>(i));
    if (m.random.Chance(60)) m.random.Shuffle(kinds);
    Dims dims;
    b.resize(batch.size());
    c.resize(depth.size());
    for (size_t d = 0; d < kinds.size(); ++d) {
      int k = kinds[d];
      dims.push_back(k >= 20   ? free[static_cast<size_t>(k - 20)]
                     : k >= 10 ? depth[static_cast<size_t>(k - 10)]
                               : batch[static_cast<size_t>(k)]);
      if (k < 10)
        b[static_cast<size_t>(k)] = static_cast<int64_t>(d);
      else if (k < 20)
        c[static_cast<size_t>(k - 10)] = static_cast<int64_t>(d);
    }
    Facts facts = m.random.Chance(50) ? Facts::Within(-2, 2, true) : Facts::Within(-1, 1);
    if (!IsFloatOrComplex(type))
      facts = type == E::PRED || (BitWidth(type) == 8 && m.random.Chance(50))
                  ? Facts::Wild()
                  : Facts::Within(0, std::min(5., LargestOf(type)), true);
    int x = m.inner ? m.Like(type, dims) : m.Parameter(type, dims, facts);
    if (m.random.Chance(30)) {
      int y = m.random.Chance(50) && IsFloatOrComplex(type) ? m.Unary("negate", x) : -1;
      if (y < 0 && type != E::PRED) y = m.Binary("add", x, m.Splat(type, dims, 1));
      if (y >= 0) x = y;
    }
    return x;
  };
  Dims xb, yb, xc, yc;
  int x = operand(left, rows, xb, xc), y = operand(right, cols, yb, yc);
  return m.Dot(x, y, xb, yb, xc, yc, to);
}

// Of the last dimension of x, or of another one; -1 where its bounds do not allow it.
int SoftmaxOf(Maker& m, int x, int64_t along = -1) {
  const Dims dims = m.at(x).dims;
  if (along < 0) along = static_cast<int64_t>(dims.size()) - 1;
  if (dims.empty() || dims[static_cast<size_t>(along)] == 0 || !m.at(x).facts.tame() ||
      m.at(x).facts.largest() > 8)
    return -1;
  Dims last = {along};
  int top = Back(m, m.Reduce(x, last, "maximum"), dims, along);
  if (top < 0) return -1;
  int shifted = m.Binary("subtract", x, top);
  if (shifted < 0) return -1;
  m.f.nodes.back().facts.hi = 4;
  int e = m.Unary("exponential", shifted);
  if (e < 0) return -1;
  int sum = Back(m, m.Reduce(e, last, "add"), dims, along);
  if (sum < 0) return -1;
  m.f.nodes.back().facts.lo = .3;
  return m.Binary("divide", e, sum);
}

// Along an axis of which tiles have a row each, beside an axis that is no multiple of tiles.
bool SoftmaxOfColumns(Maker& m) {
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::F64});
  Dims dims{m.Extent({1, 5, 33}), m.Extent({1, 3, 7, 40}), m.Extent({5, 17, 33, 100})};
  if (m.random.Chance(50)) dims.erase(dims.begin());
  const Facts facts = Facts::Within(-4, 4, false);
  const int x = m.inner ? m.Splat(type, dims, 1) : m.Parameter(type, dims, facts);
  const auto along = m.random.Below(static_cast<int64_t>(dims.size()));
  return x >= 0 && SoftmaxOf(m, x, along) >= 0;
}

// A reduction of what another one of the same elements is taken from: their distances from the
// largest, from the mean.
bool ReducedTwice(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::F64});
  Dims dims{m.Extent({1, 5, 33, 64}), m.Extent({3, 7, 40, 131})};
  if (m.random.Chance(40)) dims.push_back(m.Extent({5, 17, 33}));
  const auto along = m.random.Below(static_cast<int64_t>(dims.size()));
  if (dims[static_cast<size_t>(along)] == 0) return false;
  const int x = m.Parameter(type, dims, Facts::Within(-2, 2, false));
  int y = m.random.Chance(70) ? m.Unary(m.random.Of({"tanh", "logistic", "sine"}), x) : x;
  if (y >= 0 && m.random.Chance(30)) y = m.Binary("add", y, m.Like(type, dims));
  if (y < 0 || !m.at(y).facts.tame() || m.at(y).facts.largest() > 8) return false;
  const int first = Back(m, m.Reduce(y, {along}, m.random.Of({"maximum", "minimum"})), dims, along);
  const int apart = first < 0 ? -1 : m.Binary("subtract", y, first);
  const int z = apart < 0 ? -1 : m.Unary(m.random.Of({"abs", "tanh", "logistic"}), apart);
  return z >= 0 && m.Reduce(z, {along}, "add") >= 0;
}

bool LongFunction(Maker& m, int x) {
  return m.Unary(m.random.Of({std::string("tanh"), std::string("logistic"), std::string("cosine"),
                              std::string("sine")}),
                 x) >= 0;
}

// Reductions of rows, or a product of each with the same vector, and a longer function of the
// results.
bool FinishedRows(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::F64, E::C64});
  const int64_t rows = m.Extent({8, 15, 16, 40, 131}), n = m.Extent({8, 16, 33, 65});
  Dims dims{rows, n};
  if (m.random.Chance(30)) dims.insert(dims.begin(), m.Extent({1, 3}));
  const Facts facts = Facts::Within(-2, 2, true);
  const int x = m.Parameter(type, dims, facts);
  const int64_t last = static_cast<int64_t>(dims.size()) - 1;
  int r = -1;
  if (m.random.Chance(50)) {
    r = m.Dot(x, m.Parameter(type, {n}, facts), {}, {}, {last}, {0}, type);
  } else {
    r = m.Reduce(x, {last}, type == E::C64 || m.random.Chance(50) ? "add" : "maximum");
  }
  if (r >= 0 && m.random.Chance(50)) {
    const int other = m.Reduce(m.Unary("negate", x), {last}, "add");
    if (other >= 0) r = m.Binary("add", r, other);
  }
  return r >= 0 && LongFunction(m, r);
}

// Many short rows, which are reduced several at a time: a reduction, a function of its results, a
// reduction of what these and the elements make, and a function of that.
bool ShortRows(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::F64, E::S32});
  const int64_t n = m.Extent({2, 10, 17, 20, 33, 65, 130});
  Dims dims{m.Extent({64, 70, 131, 257}), n};
  if (m.random.Chance(40)) dims = {m.Extent({17, 40}), m.Extent({4, 5, 16, 20, 33}), n};
  const auto last = static_cast<int64_t>(dims.size()) - 1;
  const int x = m.Parameter(type, dims, Facts::Within(-2, 2, true));
  auto row = [&](int of) {
    const int r = m.Reduce(of, {last}, m.random.Of({"maximum", "minimum", "add"}));
    if (r < 0 || type == E::S32 || m.random.Chance(40)) return r;
    const int f = m.Unary(m.random.Of({"tanh", "logistic", "abs"}), r);
    return f < 0 ? r : f;
  };
  const int first = row(x), back = first < 0 ? -1 : Back(m, first, dims, last);
  const int y = back < 0 ? -1 : m.Binary(m.random.Of({"subtract", "maximum"}), x, back);
  if (y < 0) return first >= 0;
  const int z = type != E::S32 && m.random.Chance(50) ? m.Unary("logistic", y) : y;
  const int second = z < 0 ? -1 : row(z);
  if (second < 0) return false;
  if (m.random.Chance(50)) return type == E::S32 || LongFunction(m, second);
  const int all = Back(m, second, dims, last);
  return all >= 0 && m.Binary(m.random.Of({"add", "minimum"}), z, all) >= 0;
}

// Reductions along another axis, or products with a matrix: results are columns of
// tiles.
bool FinishedTiles(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::BF16, E::F64, E::C64});
  const int64_t depth = m.Extent({2, 8, 16, 33, 64}), cols = m.Extent({17, 33, 45, 64, 100, 131});
  const Facts facts = Facts::Within(-2, 2, true);
  Dims rows;
  if (m.random.Chance(50)) rows = {m.Extent({1, 3, 4, 9, 17})};
  const auto axis = static_cast<int64_t>(rows.size());
  Dims left = rows;
  left.push_back(depth);
  int r = -1;
  if (m.random.Chance(60)) {
    const int x = m.Parameter(type, left, facts);
    r = m.Dot(x, m.Parameter(type, {depth, cols}, facts), {}, {}, {axis}, {0}, type);
  } else {
    left.push_back(cols);
    const int x = m.Parameter(type, left, facts);
    r = m.Reduce(x, {axis}, type == E::C64 || m.random.Chance(50) ? "add" : "maximum");
    // Others beside it, as many as do not divide the accumulators.
    for (int64_t k = m.random.Chance(50) ? m.random.In(1, 5) : 0; k > 0 && r >= 0; --k) {
      const int sum = m.Binary("add", x, m.Parameter(type, left, facts));
      if (sum >= 0) m.Reduce(sum, {axis}, "add");
    }
  }
  if (r >= 0 && m.random.Chance(50)) r = m.Binary("add", r, m.Like(type, m.at(r).dims));
  return r >= 0 && LongFunction(m, r);
}

bool Softmax(Maker& m) {
  if (m.random.Chance(30)) return ReducedTwice(m);
  if (m.random.Chance(35)) return SoftmaxOfColumns(m);
  if (m.random.Chance(25)) return FinishedRows(m);
  if (m.random.Chance(30)) return ShortRows(m);
  if (m.random.Chance(30)) return FinishedTiles(m);
  return SoftmaxOf(m, m.AnyOf(m.random.Of({E::F32, E::F32, E::BF16, E::F64}))) >= 0;
}

bool LayerNorm(Maker& m) {
  int x = m.AnyOf(m.random.Of({E::F32, E::F32, E::BF16, E::F64}));
  const Dims dims = m.at(x).dims;
  const E type = m.at(x).type;
  if (dims.empty() || dims.back() == 0 || !m.at(x).facts.tame() || m.at(x).facts.largest() > 8)
    return false;
  Dims last = {static_cast<int64_t>(dims.size()) - 1};
  int n = m.Splat(type, dims, static_cast<double>(dims.back()));
  int sum = Back(m, m.Reduce(x, last, "add"), dims);
  if (sum < 0) return false;
  int mean = m.Binary("divide", sum, n);
  int centred = mean < 0 ? -1 : m.Binary("subtract", x, mean);
  int square = centred < 0 ? -1 : m.Binary("multiply", centred, centred);
  int sums = square < 0 ? -1 : Back(m, m.Reduce(square, last, "add"), dims);
  int variance = sums < 0 ? -1 : m.Binary("divide", sums, n);
  if (variance < 0) return false;
  int shifted = m.Binary("add", m.Unary("abs", variance), m.Splat(type, dims, .5));
  int scale = shifted < 0 ? -1 : m.Unary("rsqrt", shifted);
  return scale >= 0 && m.Binary("multiply", centred, scale) >= 0;
}

bool SmallProduct(Maker& m) {
  E type = m.random.Of(
      {E::F32, E::F32, E::F32, E::BF16, E::F16, E::F64, E::S32, E::S8, E::C64, E::U16, E::PRED});
  E to = type;
  if (m.random.Chance(20)) {
    // Into a wider type.
    std::tie(type, to) = m.random.Of<std::pair<E, E>>({{E::S8, E::S32},
                                                       {E::U8, E::S32},
                                                       {E::S4, E::S32},
                                                       {E::U4, E::U8},
                                                       {E::S4, E::S4},
                                                       {E::U2, E::S8},
                                                       {E::BF16, E::F32},
                                                       {E::F16, E::F32},
                                                       {E::F8E4M3FN, E::F32},
                                                       {E::F8E5M2, E::F32},
                                                       {E::F8E4M3FNUZ, E::BF16},
                                                       {E::F4E2M1FN, E::F32},
                                                       {E::F32, E::F64}});
  }
  auto extent = [&] { return m.Extent({1, 2, 3, 5, 8, 16, 17, 31, 33}); };
  Dims batch, depth;
  int batches = m.random.Of({0, 0, 1, 1, 2});
  for (int i = 0; i < batches; ++i) batch.push_back(m.Extent({1, 2, 3}));
  int depths = m.random.Of({1, 1, 1, 2, 0});
  for (int i = 0; i < depths; ++i) depth.push_back(i == 0 ? extent() : m.random.In(1, 4));
  auto side = [&] { return m.random.Chance(20) ? Dims() : Dims{extent()}; };
  Dims rows = side(), cols = side();
  if (m.random.Chance(15)) {
    // Of few columns, whose results are sums along what is contracted.
    rows = {m.Extent({32, 33, 40, 70})};
    cols = {m.Extent({2, 3})};
    depth = {m.Extent({16, 17, 31, 64})};
  }
  int d = Product(m, type, type, to, batch, rows, cols, depth);
  if (d < 0) return false;
  if (m.random.Chance(60) && to != E::PRED) m.Binary("add", d, m.Like(to, m.at(d).dims));
  return true;
}

// Large enough to be packed, of types that there are dot instructions for; the contracted axis is
// seldom a multiple of what these take. Its rows, columns and what is summed over may be several
// dimensions each, wherever in the operands, and the result may be transposed.
bool PackedProduct(Maker& m) {
  const auto [type, to] = m.random.Of<std::pair<E, E>>({{E::F32, E::F32},
                                                        {E::F32, E::F32},
                                                        {E::F64, E::F64},
                                                        {E::F16, E::F16},
                                                        {E::BF16, E::BF16},
                                                        {E::BF16, E::F32},
                                                        {E::S8, E::S32},
                                                        {E::S8, E::S32},
                                                        {E::S8, E::S8},
                                                        {E::U8, E::S32},
                                                        {E::U8, E::U32}});
  constexpr int64_t kVolume = 96 * 96 * 96;
  Dims batch;
  if (m.random.Chance(30)) batch.push_back(m.random.In(1, 3));
  const int64_t rows = m.random.Of<int64_t>({5, 7, 12, 13, 16, 17, 31, 48, 97, 130}),
                cols = m.random.Of<int64_t>({32, 33, 64, 95, 129});
  int64_t depth = kVolume / (rows * cols) + m.random.In(1, 40);
  if (m.random.Chance(20)) depth = std::max<int64_t>(depth, 1030) + m.random.In(0, 40);
  // So long beside its results that it is cut into chunks.
  if (batch.empty() && rows * cols <= 17 * 33 && m.random.Chance(30)) depth = 8300;
  E right = type;
  if (IsInteger(type) && m.random.Chance(30)) right = type == E::S8 ? E::U8 : E::S8;
  const bool several = m.random.Chance(60);
  // Vectors can lie in one of its dimensions.
  if (several && m.random.Chance(50)) depth = (depth + 127) / 128 * 128;
  // A dimension as two.
  auto split = [&](int64_t n) {
    const int64_t factor = m.random.Of<int64_t>({1, 2, 3, 4, 5});
    if (several && n % 64 == 0 && m.random.Chance(50)) return Dims{n / 64, 64};
    return several && m.random.Chance(70) && n % factor == 0 ? Dims{n / factor, factor} : Dims{n};
  };
  int d = Product(m, type, right, to, batch, split(rows), split(cols), split(depth));
  if (d < 0) return false;
  if (several && m.random.Chance(60)) {
    Dims order;
    for (size_t k = 0; k < m.at(d).dims.size(); ++k) order.push_back(static_cast<int64_t>(k));
    m.random.Shuffle(order);
    d = m.Transpose(d, order);
  }
  if (d < 0) return false;
  if (m.random.Chance(40)) m.Binary("add", d, m.Like(to, m.at(d).dims));
  return true;
}

// Products of which one's left operand is made of the other, row by row, as in attention; or nearly
// so, where something else needs a value on the way. Rows may be those of several groups, which
// share the other operands, and their dimensions may change places on the way.
bool ProductChain(Maker& m) {
  if (m.inner) return false;
  const E type = m.random.Of({E::F32, E::F32, E::F32, E::BF16, E::F64});
  constexpr int64_t kVolume = 96 * 96 * 96;
  const Dims batch = m.random.Of<Dims>({{}, {2}, {1, 2}});
  Dims rows = {m.random.Of<int64_t>({16, 33, 100, 140})};
  const int64_t keys = m.random.Of<int64_t>({64, 97, 150});
  if (m.random.Chance(40)) {
    rows[0] = m.random.Of<int64_t>({16, 33, 48});
    rows.insert(rows.begin() + m.random.Below(2), m.random.In(2, 4));
  }
  // Few columns are enough between two products.
  auto enough = [&] {
    const int64_t all = rows[0] * (rows.size() > 1 ? rows[1] : 1);
    return m.random.Chance(30) ? m.random.In(12, 40)
                               : std::max<int64_t>(kVolume / (all * keys) + m.random.In(1, 20), 33);
  };
  int x = Product(m, type, type, type, batch, rows, {keys}, {enough()});
  if (x < 0) return false;
  // Which dimension each was before it moved; keys stay last, most often.
  std::vector<int64_t> was(m.at(x).dims.size());
  std::iota(was.begin(), was.end(), 0);
  auto move = [&](int y) {
    Dims order(was.size());
    std::iota(order.begin(), order.end(), 0);
    const bool all = m.random.Chance(20);
    for (size_t k = order.size() - (all ? 0 : 1); k > 1; --k)
      std::swap(order[k - 1], order[static_cast<size_t>(m.random.Below(static_cast<int64_t>(k)))]);
    std::vector<int64_t> is;
    for (int64_t d : order) is.push_back(was[static_cast<size_t>(d)]);
    was = is;
    return m.Transpose(y, order);
  };
  auto place = [&](size_t d) {
    return std::find(was.begin(), was.end(), static_cast<int64_t>(d)) - was.begin();
  };
  const bool moves = rows.size() > 1 || m.random.Chance(15);
  if (moves && m.random.Chance(30)) x = move(x);
  Dims dims = m.at(x).dims;
  const size_t keys_dim = dims.size() - 1;
  // So small that exponentials stay exact enough.
  const double scale = std::exp2(std::floor(std::log2(4 / std::max(1., m.at(x).facts.largest()))));
  x = m.Binary("multiply", x, m.Splat(type, dims, scale));
  if (x >= 0 && m.random.Chance(40))
    x = m.Binary(
        "add", x,
        m.Broadcast(m.Parameter(type, {keys}, Facts::Within(-1, 1)), dims, {place(keys_dim)}));
  if (x >= 0 && moves && m.random.Chance(50)) {
    x = move(x);
    dims = m.at(x).dims;
  }
  if (x >= 0 && m.random.Chance(40)) {
    const int row = m.Add("iota", E::S32, dims, {}, Facts::Wild(),
                          ", iota_dimension=" + std::to_string(place(keys_dim - 1))),
              key = m.Add("iota", E::S32, dims, {}, Facts::Wild(),
                          ", iota_dimension=" + std::to_string(place(keys_dim)));
    x = m.Select(m.Compare(row, key), x, m.Splat(type, dims, -4));
  }
  if (x < 0) return false;
  switch (m.random.Below(4)) {
    case 0:
    case 1:
      x = SoftmaxOf(m, x, place(keys_dim));
      break;
    case 2:
      x = m.Binary("maximum", x, m.Splat(type, dims, 0));
      break;
    default:  // divided by what its rows come to
      const int sum =
          Back(m, m.Reduce(m.Unary("abs", x), {place(keys_dim)}, "add"), dims, place(keys_dim));
      const int more = sum < 0 ? -1 : m.Binary("add", sum, m.Splat(type, dims, 1));
      x = more < 0 ? -1 : m.Binary("divide", x, more);
  }
  if (x >= 0 && moves && m.random.Chance(30)) x = move(x);
  if (x < 0) return false;
  const int64_t cols = enough();
  Dims right = batch, where(batch.size()), from;
  std::iota(where.begin(), where.end(), 0);
  for (size_t d = 0; d < batch.size(); ++d) from.push_back(place(d));
  const bool turned = m.random.Chance(50);
  right.insert(right.end(), {turned ? cols : keys, turned ? keys : cols});
  const int y = m.Parameter(type, right, Facts::Within(-2, 2, true));
  const Dims of_right = {static_cast<int64_t>(batch.size()) + (turned ? 1 : 0)};
  const bool is_right = m.random.Chance(20);
  int d = is_right ? m.Dot(y, x, where, from, of_right, {place(keys_dim)}, type)
                   : m.Dot(x, y, from, where, {place(keys_dim)}, of_right, type);
  if (d >= 0 && moves && m.random.Chance(40)) {
    Dims order(m.at(d).dims.size());
    std::iota(order.begin(), order.end(), 0);
    m.random.Shuffle(order);
    d = m.Transpose(d, order);
  }
  if (d >= 0 && m.random.Chance(30)) m.Binary("add", d, m.Like(type, m.at(d).dims));
  if (m.random.Chance(15)) m.Unary("negate", x);
  return d >= 0;
}

bool ArgMax(Maker& m) {
  int x = m.random.Chance(20) ? m.Like(m.random.Of({E::F32, E::S32, E::F64, E::U8}),
                                       {m.Extent({64, 67, 100}), m.random.In(2, 16)})
                              : m.Any();
  const Node n = m.at(x);
  if (n.dims.empty() || IsComplex(n.type) || n.type == E::PRED || !n.facts.exact) return false;
  if (IsNarrow(n.type)) return false;  // no room for the numbers that it starts from
  if (IsFloat(n.type) && !n.facts.tame()) return false;
  int64_t d = m.random.Below(static_cast<int64_t>(n.dims.size()));
  E index = m.random.Of({E::S32, E::S32, E::S64});
  Dims kept = n.dims;
  kept.erase(kept.begin() + d);
  std::string v = ShapeText(n.type, {}), i = ShapeText(index, {});
  bool max = m.random.Chance(50);
  Function f;
  f.text =
      "  a = " + v + " parameter(0)\n  i = " + i + " parameter(1)\n  b = " + v +
      " parameter(2)\n  j = " + i +
      " parameter(3)\n  gt = pred[] compare(a, b), direction=" + (max ? "GT" : "LT") +
      "\n  eq = pred[] compare(a, b), direction=EQ\n  before = pred[] compare(i, j), direction=LT\n"
      "  tie = pred[] and(eq, before)\n  take = pred[] or(gt, tie)\n  v = " +
      v + " select(take, a, b)\n  k = " + i + " select(take, i, j)\n  ROOT r = (" + v + ", " + i +
      ") tuple(v, k)\n";
  m.program.functions.push_back(f);
  int at = m.Add("iota", index, n.dims, {}, Facts::Within(0, 1e4, true),
                 ", iota_dimension=" + std::to_string(d));
  bool whole = IsFloat(n.type);
  double worst = whole ? (max ? -1e4 : 1e4) : max && IsSigned(n.type) ? -100 : max ? 0 : 100;
  int v0 = m.Scalar(n.type, worst), i0 = m.Scalar(index, 2147483647.);
  Node r;
  r.op = "reduce";
  std::string dims = ShapeText(n.type, kept), indices = ShapeText(index, kept);
  r.tuple = "(" + dims + ", " + indices + ")";
  r.operands = {x, at, v0, i0};
  r.attributes = ", dimensions={" + std::to_string(d) + "}";
  r.called = {{"to_apply", static_cast<int>(m.program.functions.size()) - 1}};
  int t = m.Add(r);
  Facts facts = whole ? Facts::Within(-1e4, 1e4, n.facts.integral) : Facts::Wild();
  m.Element(t, 0, n.type, kept, facts);
  m.Element(t, 1, index, kept, Facts::Wild());
  return true;
}

bool Complexes(Maker& m) {
  const E part = m.random.Of({E::F32, E::F32, E::F64});
  int x = m.AnyOf(part);
  int y = m.Like(part, m.at(x).dims);
  const Facts g = m.at(x).facts.Or(m.at(y).facts);
  return m.Add("complex", part == E::F32 ? E::C64 : E::C128, m.at(x).dims, {x, y}, g) >= 0;
}

}  // namespace

int AddText(Maker& m, const std::string& text, std::vector<int> called) {
  Function f;
  f.text = text;
  f.called = std::move(called);
  m.program.functions.push_back(f);
  return static_cast<int>(m.program.functions.size()) - 1;
}

std::string TupleText(const std::vector<Node>& nodes) {
  std::string text;
  for (const Node& n : nodes) text += (text.empty() ? "" : ", ") + ShapeText(n);
  return "(" + text + ")";
}

bool Pattern(Maker& m) {
  switch (m.random.Below(28)) {
    case 0:
      return Softmax(m);
    case 1:
      return LayerNorm(m);
    case 2:
      return SmallProduct(m);
    case 3:
      return m.random.Chance(50)   ? PackedProduct(m)
             : m.random.Chance(50) ? ProductChain(m)
                                   : SmallProduct(m);
    case 4:
      return ArgMax(m);
    case 5:
    case 6:
      return LoopPattern(m);
    case 7:
      return BranchPattern(m);
    case 8:
    case 9:
    case 10:
      return Move(m);
    case 11:
      return WindowPattern(m);
    case 12:
      return RaggedDotPattern(m);
    case 13:
      return ScanPattern(m);
    case 14:
      return AlgebraPattern(m);
    case 21:
      return CumulativePattern(m);
    case 15:
    case 16:
      return FunctionPattern(m);
    case 17:
      return NormPattern(m);
    case 18:
      return BitPattern(m);
    case 19:
    case 20:
      return SeveralPattern(m);
    case 22:
      return PairsPattern(m);
    case 23:
      return LayersPattern(m);
    case 24:
    case 25:
      return NarrowPattern(m);
    case 26:
      return FeaturesPattern(m);
    default:
      return Complexes(m);
  }
}

static Dims LastTwoTurned(size_t rank) {
  Dims order(rank);
  std::iota(order.begin(), order.end(), 0);
  std::swap(order[rank - 2], order[rank - 1]);
  return order;
}

void LargePattern(Maker& m) {
  if (m.random.Chance(20) && ProductChain(m)) return;
  if (m.options.most_moved > 0 && m.random.Chance(5) && SortByKeys(m, /*large=*/true)) return;
  E type = m.random.Of({E::F32, E::F32, E::F32, E::BF16, E::F64});
  if (m.random.Chance(60)) {
    auto extent = [&] {
      return m.random.Of({96, 97, 100, 128, 130, 111}) +
             (m.random.Chance(20) ? m.random.In(0, 70) : 0);
    };
    Dims batch, depth = {extent()};
    if (m.random.Chance(30)) batch = m.random.Chance(50) ? Dims{2} : Dims{1, 3};
    int64_t rows = extent(), cols = extent();
    if (m.random.Chance(30)) {  // so deep that the sum is made in several slices
      depth = {m.random.Of({520, 768, 1030})};
      rows = m.random.Of({32, 43, 48}), cols = m.random.Of({40, 64, 71});
    }
    int d = Product(m, type, type, type, batch, {rows}, {cols}, depth);
    if (d < 0) return;
    const Dims dims = m.at(d).dims;
    if (m.random.Chance(70)) {
      int bias = m.Parameter(type, {dims.back()}, Facts::Within(-2, 2, true));
      int sum =
          m.Binary("add", d, m.Broadcast(bias, dims, {static_cast<int64_t>(dims.size()) - 1}));
      if (sum >= 0 && m.random.Chance(60)) m.Binary("maximum", sum, m.Splat(type, dims, 0));
      if (sum >= 0 && m.random.Chance(20)) m.Transpose(sum, LastTwoTurned(dims.size()));
    }
    return;
  }
  int64_t n = m.random.Of({65536, 70000, 100003, 131072});
  Dims dims = m.random.Chance(50)   ? Dims{n}
              : m.random.Chance(50) ? Dims{n, m.random.In(1, 3)}
                                    : Dims{m.random.In(1, 3), n};
  int x = m.Parameter(m.random.Chance(70) ? type : E::S32, dims, Facts::Within(-2, 2, true));
  if (m.random.Chance(50)) x = m.Binary("multiply", x, x);
  if (m.random.Chance(30)) x = m.Binary("add", x, m.Splat(m.at(x).type, dims, 1));
  Dims over;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] == n || m.random.Chance(50)) over.push_back(static_cast<int64_t>(d));
  auto reduce = [&](int y) {
    m.Reduce(y, over, m.random.Of({"add", "add", "maximum", "minimum"}));
  };
  reduce(x);
  // Others of the same elements, or of all but a row of them.
  for (int64_t k = m.random.Chance(50) ? m.random.In(1, 4) : 0; k > 0; --k) {
    int y = x;
    if (m.random.Chance(30)) y = m.Binary("multiply", x, x);
    if (y >= 0 && m.random.Chance(50)) {
      const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size())));
      if (dims[d] < 2) continue;
      y = m.Binary("subtract", Part(m, y, d, 1, dims[d]), Part(m, y, d, 0, dims[d] - 1));
    }
    if (y >= 0) reduce(y);
  }
}

}  // namespace sinter::fuzz
