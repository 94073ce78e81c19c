// Values of which several parts are read, each by something else: halves, planes, components of
// vectors, most of them made of arrays that repeat along other dimensions.
#include <algorithm>
#include <string>

#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// An array that repeats along some of the dimensions, a whole one, or positions.
int Operand(Maker& m, E type, const Dims& dims) {
  if (m.random.Chance(30)) return m.Like(type, dims);
  if (m.random.Chance(15)) return m.Splat(type, dims, m.random.Of({0., 1., 3.}));
  Dims few, where;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (m.random.Chance(40)) continue;
    few.push_back(dims[d]);
    where.push_back(static_cast<int64_t>(d));
  }
  return m.Broadcast(m.Like(type, few), dims, where);
}

int Mixed(Maker& m, int x, int y) {
  if (x < 0 || y < 0) return -1;
  const E type = m.at(x).type;
  if (type == E::PRED) return m.Binary(m.random.Of({"xor", "and"}), x, y);
  if (IsComplex(type)) return m.Binary("add", x, y);
  return m.Binary(m.random.Of({"add", "maximum", "minimum", "subtract", "multiply"}), x, y);
}

}  // namespace

bool PartsPattern(Maker& m) {
  const E type = m.DrawType();
  Dims dims;
  for (int64_t rank = m.random.In(1, 3); rank > 0; --rank)
    dims.push_back(m.random.Of({1, 2, 3, 4, 8, 17, 40, 70}));
  int64_t count = 1;
  for (int64_t n : dims) count *= n;
  if (count > m.options.max_elements) return false;
  int value = Mixed(m, Operand(m, type, dims), Operand(m, type, dims));
  for (int64_t more = m.random.In(0, 3); more > 0 && value >= 0; --more)
    value = Mixed(m, value, m.random.Chance(30) ? value : Operand(m, type, dims));
  if (value < 0) return false;
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size())));
  const int64_t n = dims[d], parts = std::min<int64_t>(n, m.random.In(2, 6));
  int last = -1;
  for (int64_t k = 0; k < parts; ++k) {
    int64_t lo = k * n / parts, hi = (k + 1) * n / parts;
    if (m.random.Chance(15)) lo = m.random.Below(hi);
    int part = Part(m, value, d, lo, hi, m.random.Chance(10) ? 2 : 1);
    if (part < 0) return false;
    if (m.at(part).dims[d] == 1 && m.random.Chance(70)) {
      Dims rest = m.at(part).dims;
      rest.erase(rest.begin() + static_cast<ptrdiff_t>(d));
      part = m.Reshape(part, rest);
    }
    // What reads a part: an operation, one on two parts, a reduction, or nothing.
    if (last >= 0 && m.at(last).dims == m.at(part).dims && m.random.Chance(60)) {
      const int sum = Mixed(m, last, part);
      if (sum >= 0) part = sum;
    } else if (m.random.Chance(40)) {
      const int unary = m.Unary(type == E::PRED ? "not" : "negate", part);
      if (unary >= 0) part = unary;
    } else if (m.random.Chance(40) && type != E::PRED && !IsComplex(type) &&
               !m.at(part).dims.empty()) {
      const auto over = m.random.Below(static_cast<int64_t>(m.at(part).dims.size()));
      m.Reduce(part, {over}, m.random.Of({"maximum", "minimum"}));
    }
    last = part;
  }
  if (m.random.Chance(25)) m.Unary(type == E::PRED ? "not" : "negate", value);
  return true;
}

}  // namespace sinter::fuzz
