// Arrays put together from parts of others: rolls, shifts, borders, stacks and what is computed of
// several of them, so that their seams lie across each other.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

int Roll(Maker& m, int x, size_t d) {
  const int64_t n = m.at(x).dims[d], by = m.random.In(0, n);
  return Together(m, {Part(m, x, d, n - by, n), Part(m, x, d, 0, n - by)}, d);
}

// Moved along the dimension: a border comes in on one side, elements leave on the other.
int Shift(Maker& m, int x, size_t d) {
  const Node n = m.at(x);
  const int64_t by = m.random.Of({-2, -1, -1, 1, 1, 3});
  std::string text;
  for (size_t k = 0; k < n.dims.size(); ++k)
    text += Format("{}{}_{}", k ? "x" : "", k == d ? by : 0, k == d ? -by : 0);
  if (n.dims[d] < 3) return x;
  Facts g = n.facts;
  g.lo = std::min(g.lo, 0.), g.hi = std::max(g.hi, 1.);
  const int border = m.Scalar(n.type, m.random.Of({0., 1.}));
  return m.Add("pad", n.type, n.dims, {x, border}, g, ", padding=" + text);
}

int Backwards(Maker& m, int x, size_t d) {
  const Node n = m.at(x);
  return m.Add("reverse", n.type, n.dims, {x}, n.facts, Format(", dimensions={{{}}}", d));
}

// The first half of some elements, the second of others.
int Halves(Maker& m, int x, size_t d) {
  const int64_t n = m.at(x).dims[d], half = m.random.In(0, n);
  const int y = m.Like(m.at(x).type, m.at(x).dims);
  if (y < 0) return -1;
  return Together(m, {Part(m, x, d, 0, half), Part(m, y, d, half, n)}, d);
}

int Moved(Maker& m, int x) {
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(m.at(x).dims.size())));
  switch (m.random.Below(6)) {
    case 0:
      return Shift(m, x, d);
    case 1:
      return Halves(m, x, d);
    case 2:
      return Backwards(m, x, d);
    default:
      return Roll(m, x, d);
  }
}

// Planes that have each been moved in its own way, one after another (lattices of particles that
// move by their velocity).
int Planes(Maker& m, int x) {
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(m.at(x).dims.size())));
  const int64_t n = m.at(x).dims[d];
  if (n < 2 || n > 12) return -1;
  std::vector<int> planes;
  for (int64_t k = 0; k < n; ++k) {
    int plane = Part(m, x, d, k, k + 1);
    for (int64_t moves = m.random.In(0, 2); moves > 0 && plane >= 0; --moves)
      plane = Moved(m, plane);
    planes.push_back(plane);
  }
  return Together(m, planes, d);
}

// Many short parts side by side, each from a place of its own: scalars that a program collects,
// columns of a table.
int Crowd(Maker& m, int x) {
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(m.at(x).dims.size())));
  const int64_t n = m.at(x).dims[d];
  if (n < 1) return -1;
  const int64_t row = std::max<int64_t>(1, m.at(x).count() / n);
  const int64_t count = std::min<int64_t>(m.random.In(9, 90), m.options.max_elements / row);
  if (count < 2) return -1;
  const bool computes = m.random.Chance(40);
  std::vector<int> parts;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t lo = m.random.Below(n), most = std::min(n, lo + m.random.Of({1, 1, 1, 2, 3}));
    int part = Part(m, x, d, lo, most);
    if (computes && k % 3 == 0 && part >= 0) {
      const int y = m.Unary(m.at(x).type == E::PRED ? "not" : "negate", part);
      if (y >= 0) part = y;
    }
    parts.push_back(part);
  }
  return Together(m, parts, d);
}

// Parts that are computed alike, each of slices and constants of its own: loops that a program
// wrote out. Now and then one of them is computed in another way.
int Unrolled(Maker& m, int x) {
  const Node n = m.at(x);
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(n.dims.size())));
  const int64_t extent = m.random.Of({1, 1, 1, 2}), most = n.dims[d] / extent;
  if (most < 1 || n.type == E::PRED) return -1;
  const int64_t row = std::max<int64_t>(1, n.count() / std::max<int64_t>(n.dims[d], 1)) * extent,
                count = std::min<int64_t>(m.random.In(4, 24), m.options.max_elements / row);
  if (count < 2) return -1;
  const bool is_even = extent > 1 || m.random.Chance(60);
  const int64_t step = is_even && most >= 2 * count && extent == 1 ? m.random.In(1, 2) : 1,
                first = m.random.In(0, std::max<int64_t>(most - count * step, 0));
  const int other = m.random.Chance(50) ? m.Like(n.type, n.dims) : x;
  std::vector<std::string> kinds;  // of the steps
  for (int64_t k = m.random.In(0, 3); k > 0; --k)
    kinds.push_back(std::string(m.random.Of({"constant", "slice", "shared", "negate", "reshape"})));
  std::vector<std::string> operations;
  for (size_t k = 0; k < kinds.size(); ++k)
    operations.push_back(std::string(m.random.Of({"add", "multiply", "maximum"})));
  int shared = -1;
  std::vector<int> parts;
  for (int64_t k = 0; k < count; ++k) {
    auto slice = [&](int of, int64_t shift) {
      const int64_t at = is_even ? (first + k * step + shift) % most : m.random.Below(most);
      return Part(m, of, d, at * extent, (at + 1) * extent);
    };
    int part = slice(x, 0);
    if (shared < 0) shared = m.Like(n.type, m.at(part).dims);
    for (size_t s = 0; s < kinds.size() && part >= 0; ++s) {
      int y = -1;
      if (kinds[s] == "constant") y = m.Splat(n.type, m.at(part).dims, m.random.In(0, 3));
      if (kinds[s] == "slice") y = slice(other, 1);
      if (kinds[s] == "shared") y = shared;
      if (kinds[s] == "reshape") {
        const Dims dims = m.at(part).dims;
        Dims more = dims;
        more.insert(more.begin(), 1);
        part = m.Unary("negate", m.Reshape(part, more));
        if (part >= 0) part = m.Reshape(part, dims);
      } else if (y < 0 || m.random.Chance(2)) {
        part = m.Unary("negate", part);
      } else {
        part = m.Binary(operations[s], part, y);
      }
    }
    if (part < 0) return -1;
    parts.push_back(part);
  }
  const auto along = m.random.Chance(70)
                         ? d
                         : static_cast<size_t>(m.random.Below(static_cast<int64_t>(n.dims.size())));
  return Together(m, parts, along);
}

// The sum of parts that are spread over the even and the odd positions of a dimension, as gradients
// of scans by halves have it; a few times over.
int Spread(Maker& m, int x, size_t d) {
  for (int64_t times = m.random.In(1, 3); times > 0 && x >= 0; --times) {
    const Node n = m.at(x);
    const int64_t extent = 2 * n.dims[d] + m.random.In(0, 1);
    if (n.dims[d] == 0 || n.count() / n.dims[d] * extent > m.options.max_elements) break;
    const int zero = m.Scalar(n.type, m.random.Chance(90) ? 0 : 1);
    int sum = -1;
    for (int64_t k = m.random.In(2, 4); k > 0; --k) {
      const int64_t low = m.random.Of({0, 1, 1, 2, 3}), most = (extent - low + 1) / 2;
      if (most < 1) continue;
      const int64_t count = std::min(n.dims[d], m.random.Chance(70) ? most : m.random.In(1, most));
      const int part = Part(m, x, d, 0, count);
      const int pad = Apart(m, part, d, low, extent, zero);
      if (pad < 0) return -1;
      sum = sum < 0               ? pad
            : m.random.Chance(70) ? m.Binary("add", sum, pad)
                                  : m.Binary("add", pad, sum);
      if (sum < 0) return -1;
    }
    if (sum < 0) return -1;
    x = sum;
  }
  return x;
}

// Fields of which each turn makes new ones, each of several that have been moved: what is computed
// of the first turn's is read at many places, and of the last turn all are made of the same.
int Fields(Maker& m, int x) {
  std::vector<int> fields{x};
  for (int64_t more = m.random.In(1, 3); more > 0; --more) {
    const int field = m.Like(m.at(x).type, m.at(x).dims);
    if (field < 0) return -1;
    fields.push_back(field);
  }
  const auto d = static_cast<size_t>(m.random.Below(std::ssize(m.at(x).dims)));
  for (int64_t turns = m.random.In(1, 3); turns > 0; --turns) {
    std::vector<int> next;
    for (size_t k = 0; k < fields.size(); ++k) {
      int sum = m.random.Chance(70) ? fields[k] : Moved(m, fields[k]);
      for (int64_t n = m.random.In(1, 4); n > 0 && sum >= 0; --n) {
        const int of = m.random.Of(fields);
        const int y = m.random.Chance(60) ? Roll(m, of, d) : Moved(m, of);
        if (y >= 0)
          sum =
              m.Binary(m.random.Of({"add", "subtract", "maximum", "minimum", "multiply"}), sum, y);
      }
      if (sum < 0) return -1;
      next.push_back(sum);
    }
    fields = next;
  }
  int all = fields[0];
  for (size_t k = 1; k < fields.size() && all >= 0; ++k)
    all = m.random.Chance(50) ? m.Binary("maximum", all, fields[k]) : all;
  return all;
}

}  // namespace

int Part(Maker& m, int x, size_t d, int64_t lo, int64_t hi, int64_t stride) {
  const Node n = m.at(x);
  Dims dims = n.dims;
  std::string text;
  for (size_t k = 0; k < dims.size(); ++k) {
    text += Format("{}[{}:{}{}]", k ? ", " : "", k == d ? lo : 0, k == d ? hi : dims[k],
                   k == d && stride > 1 ? Format(":{}", stride) : "");
  }
  dims[d] = (hi - lo + stride - 1) / stride;
  return m.Add("slice", n.type, dims, {x}, n.facts, ", slice={" + text + "}");
}

int Apart(Maker& m, int x, size_t d, int64_t low, int64_t extent, int between) {
  const Node n = m.at(x);
  Dims dims = n.dims;
  std::string text;
  for (size_t k = 0; k < dims.size(); ++k) {
    text += (k ? "x" : "") +
            (k == d ? Format("{}_{}_1", low, extent - low - 2 * dims[d] + 1) : std::string("0_0"));
  }
  dims[d] = extent;
  return m.Add("pad", n.type, dims, {x, between}, n.facts.Or(m.at(between).facts),
               ", padding=" + text);
}

int Together(Maker& m, const std::vector<int>& parts, size_t d) {
  if (parts[0] < 0) return -1;
  Node n = m.at(parts[0]);
  Facts g = n.facts;
  n.dims[d] = 0;
  for (int p : parts) {
    if (p < 0) return -1;
    g = g.Or(m.at(p).facts);
    n.dims[d] += m.at(p).dims[d];
  }
  return m.Add("concatenate", n.type, n.dims, parts, g, Format(", dimensions={{{}}}", d));
}

bool PiecesPattern(Maker& m) {
  int x = m.Any();
  if (m.at(x).dims.empty() || m.at(x).count() < 2 || m.random.Chance(40)) {
    const Dims dims = m.DrawDims(m.options.max_elements, 1);
    x = m.Like(m.DrawType(), dims);
  }
  const Dims dims = m.at(x).dims;
  if (dims.empty()) return false;
  if (x < 0) return false;
  if (m.random.Chance(12)) return Crowd(m, x) >= 0;
  if (m.random.Chance(15)) return Unrolled(m, x) >= 0;
  const bool is_ordered = m.at(x).type != E::PRED && !IsComplex(m.at(x).type);
  if (is_ordered && m.random.Chance(15)) return Fields(m, x) >= 0;
  if (m.at(x).type != E::PRED && m.random.Chance(15)) {
    const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size())));
    return Spread(m, x, d) >= 0;
  }
  int sum = m.random.Chance(25) ? Planes(m, x) : -1;
  for (int64_t k = m.random.In(sum < 0 ? 1 : 0, 5); k > 0; --k) {
    int y = Moved(m, x);
    if (y >= 0 && m.random.Chance(30)) y = Moved(m, y);
    if (y < 0) break;
    if (m.random.Chance(30)) {
      const int z = m.Unary(m.at(x).type == E::PRED ? "not" : "negate", y);
      if (z >= 0) y = z;
    }
    const bool joins = m.at(x).type == E::PRED || IsComplex(m.at(x).type);
    int next = sum < 0 ? y
                       : m.Binary(joins ? (m.at(x).type == E::PRED ? "xor" : "add")
                                        : m.random.Of({"add", "maximum", "minimum", "subtract"}),
                                  sum, y);
    if (next < 0) break;
    sum = next;
  }
  if (sum < 0) return false;
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size())));
  if (m.random.Chance(25)) sum = Together(m, {sum, x, sum}, d);  // stacked
  if (sum < 0) return false;
  if (m.random.Chance(20)) {
    Dims order;
    for (size_t k = 0; k < dims.size(); ++k) order.push_back(static_cast<int64_t>(k));
    m.random.Shuffle(order);
    sum = m.Transpose(sum, order);
  }
  if (m.random.Chance(20) && m.at(sum).type != E::PRED && !IsComplex(m.at(sum).type))
    return m.Reduce(sum, {static_cast<int64_t>(d)}, m.random.Of({"maximum", "minimum", "add"})) >=
           0;
  return sum >= 0;
}

}  // namespace sinter::fuzz
