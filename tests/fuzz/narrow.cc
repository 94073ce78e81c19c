// Short rows put together from narrow parts, and what reads them otherwise than from end to end;
// long rows, most of them of narrow elements; and bands of matrices, chosen again and again.
#include <algorithm>
#include <vector>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// A run of `run` elements of each row of x [rows, n], from where an index says.
int Runs(Maker& m, int x, int64_t run) {
  const Node n = m.at(x);
  const int index = IndicesInto(m, {n.dims[0], 1}, {n.dims[1] - run + 1});
  return m.Add("gather", n.type, {n.dims[0], run}, {x, index}, n.facts,
               Format(", offset_dims={{1}}, collapsed_slice_dims={{}}, start_index_map={{1}}, "
                      "operand_batching_dims={{0}}, start_indices_batching_dims={{0}}, "
                      "index_vector_dim=1, slice_sizes={{1,{}}}",
                      run));
}

// What is read of the rows: by steps, a run, one position, or all.
int Read(Maker& m, int x) {
  const Node n = m.at(x);
  const int64_t extent = n.dims[1];
  switch (m.random.Below(5)) {
    case 0:
      return Part(m, x, 1, m.random.In(0, extent - 1), extent, m.random.In(2, 3));
    case 1:
      return Runs(m, x, m.random.In(1, extent));
    case 2:  // rolled by as many places as an index says
      return Runs(m, Together(m, {x, x}, 1), extent);
    case 3: {
      const int64_t at = m.random.Below(extent);
      const int one = Part(m, x, 1, at, at + 1);
      return m.random.Chance(50) ? one : m.Reshape(one, {n.dims[0]});
    }
    default:
      return x;
  }
}

int Band(Maker& m, const Dims& dims) {
  int sides[2];
  for (int64_t k = 0; k < 2; ++k) {
    sides[k] = m.Add("iota", E::S32, dims, {}, Facts::Within(0, 100, true),
                     Format(", iota_dimension={}", k + 1));
    if (m.random.Chance(30)) {
      const int more = m.Splat(E::S32, dims, m.random.In(-2, 2));
      sides[k] = m.Add("add", E::S32, dims, {sides[k], more}, Facts::Within(-2, 102, true));
    }
  }
  if (m.random.Chance(30)) std::swap(sides[0], sides[1]);
  return m.Add("compare", E::PRED, dims, {sides[0], sides[1]}, Facts::Within(0, 1, true),
               Format(", direction={}", m.random.Of({"LT", "LE", "GT", "GE", "EQ", "NE"})));
}

// Choices by bands of matrices, of which one is transposed now and then.
int Bands(Maker& m) {
  const int64_t n = m.random.Of({3, 8, 9, 17});
  const Dims dims{m.random.In(1, 3), n, n};
  const E type = m.DrawType();
  int x = m.Like(type, dims);
  for (int64_t k = m.random.In(2, 4); k > 0; --k) {
    const int y = m.Like(type, dims);
    const Facts both = m.at(x).facts.Or(m.at(y).facts);
    const bool first = m.random.Chance(50);
    x = m.Add("select", type, dims, {Band(m, dims), first ? x : y, first ? y : x}, both);
    if (m.random.Chance(40)) x = m.Transpose(x, {0, 2, 1});
  }
  return x;
}

// One more operation on rows, among others on their neighbours.
int StepOfRows(Maker& m, int x) {
  const Node n = m.at(x);
  const int64_t extent = n.dims[1], at = m.random.In(1, extent - 1);
  auto other = [&] { return m.random.Chance(50) ? x : m.Like(n.type, n.dims); };
  switch (m.random.Below(8)) {
    case 0:
      return m.Unary(n.type == E::PRED ? "not" : m.random.Of({"negate", "not"}), x);
    case 1:  // rolled
      return Together(m, {Part(m, x, 1, at, extent), Part(m, x, 1, 0, at)}, 1);
    case 2: {  // shifted
      const int edge = m.Splat(n.type, {n.dims[0], at}, m.random.In(0, 1));
      const int rest = Part(m, x, 1, 0, extent - at);
      return Together(m, m.random.Chance(50) ? std::vector{edge, rest} : std::vector{rest, edge},
                      1);
    }
    case 3:
      return m.Add("reverse", n.type, n.dims, {x}, n.facts,
                   Format(", dimensions={{{}}}", m.random.In(0, 1)));
    case 4: {
      const int y = other();
      return m.Select(m.Compare(x, m.Like(n.type, n.dims)), x, y);
    }
    case 5:
      return m.Convert(x, m.random.Of({E::PRED, E::U8, E::S8, E::S16, E::U16, E::BF16, E::F16}));
    default:
      return m.Binary(m.random.Of({"and", "or", "xor", "add", "multiply", "maximum", "minimum"}), x,
                      other());
  }
}

int LongRows(Maker& m) {
  const E type =
      m.random.Of({E::PRED, E::U8, E::S8, E::S16, E::U16, E::BF16, E::F16, E::F32, E::F32, E::S32});
  const int64_t most = m.options.max_elements, rows = m.random.Of({1, 2, 3, 7}),
                extent = std::min<int64_t>(most / rows,
                                           m.random.Of({31, 32, 45, 64, 71, 129, 301, 513}));
  if (extent < 2) return -1;
  int x = m.Like(type, {rows, extent});
  for (int64_t k = m.random.In(1, 6); k > 0 && x >= 0; --k) {
    const int next = StepOfRows(m, x);
    if (next >= 0) x = next;
  }
  // Reduced, and put beside what they come to, as norms do.
  if (x < 0 || m.random.Chance(50)) return x;
  const Node n = m.at(x);
  const int sum = m.Reduce(x, {1}, n.type == E::PRED ? "or" : m.random.Of({"add", "maximum"}));
  if (sum < 0 || m.random.Chance(30)) return sum;
  const int all = m.Broadcast(sum, n.dims, {0});
  const int y = m.Binary(n.type == E::PRED ? "xor" : "subtract", x, all);
  return y < 0 || m.random.Chance(50) ? y : StepOfRows(m, y);
}

}  // namespace

bool NarrowPattern(Maker& m) {
  if (m.random.Chance(25)) return Bands(m) >= 0;
  if (m.random.Chance(35)) return LongRows(m) >= 0;
  const E type = m.random.Of({E::PRED, E::U8, E::S8, E::BF16, E::F16, E::F32, E::S32, E::F64});
  const int64_t rows = m.random.Of({5, 9, 16, 40, 129}),
                most = std::max<int64_t>(2, m.options.max_elements / rows);
  std::vector<int> parts;
  int64_t extent = 0;
  for (int64_t k = m.random.In(2, 10); k > 0; --k) {
    const int64_t n = m.random.Of({1, 2, 3, 3, 4, 5, 6, 7, 9, 19});
    if (extent + n > most) break;
    extent += n;
    int part = m.Like(type, {rows, n});
    if (part >= 0 && m.random.Chance(30)) {
      const int y = m.Unary(type == E::PRED ? "not" : "negate", part);
      if (y >= 0) part = y;
    }
    parts.push_back(part);
  }
  if (parts.empty()) return false;
  const int together = Together(m, parts, 1);
  return together >= 0 && Read(m, together) >= 0;
}

}  // namespace sinter::fuzz
