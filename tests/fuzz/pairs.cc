// Reductions of what is computed from each pair of rows of two arrays: distances, joined by scales
// of components, batches and what is read of the result.
#include "fuzz/maker.h"

namespace sinter::fuzz {

bool PairsPattern(Maker& m) {
  const ElementType type = m.random.Of(
      {ElementType::F32, ElementType::F32, ElementType::F64, ElementType::S32, ElementType::BF16});
  const int64_t first = m.random.In(6, 14), second = m.random.In(14, 36),
                length = m.random.Of({3, 7, 9, 12, 16, 20});
  Dims dims{first, second, length};
  if (m.random.Chance(20)) dims.insert(dims.begin(), m.random.In(1, 3));
  int64_t elements = 1;
  for (int64_t d : dims) elements *= d;
  if (elements > 3 * m.options.max_elements) return false;
  const auto last = static_cast<int64_t>(dims.size()) - 1;
  // An operand that lacks dimension `without`, of the first two of a pair; both for 0.
  auto operand = [&](int64_t without) {
    Dims own, where;
    for (int64_t d = 0; d <= last; ++d) {
      if (d == without || (without == 0 && d < last)) continue;
      own.push_back(dims[static_cast<size_t>(d)]);
      where.push_back(d);
    }
    const int x = m.Like(type, own);
    return x < 0 ? x : m.Broadcast(x, dims, where);
  };
  const int x = operand(last - 1), y = operand(last - 2);
  if (x < 0 || y < 0) return false;
  int z = m.random.Chance(10) ? m.Binary("subtract", y, x)
                              : m.Binary(m.random.Of({"subtract", "add", "maximum"}), x, y);
  if (z >= 0 && m.random.Chance(30)) {
    const int scale = operand(0);
    if (scale < 0) return false;
    z = m.Binary("multiply", z, scale);
  }
  if (z >= 0 && m.random.Chance(60))
    z = m.random.Chance(50) ? m.Unary("abs", z) : m.Binary("multiply", z, z);
  if (z < 0) return false;
  const int r = m.Reduce(z, {last}, m.random.Of({"add", "add", "maximum", "minimum"}));
  if (r >= 0 && m.random.Chance(30)) m.Reduce(r, {last - 1}, m.random.Of({"maximum", "add"}));
  if (m.random.Chance(15)) m.Binary("add", z, x);  // the pairs are needed, too
  return r >= 0;
}

}  // namespace sinter::fuzz
