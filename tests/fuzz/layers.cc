// Steps that a program writes out one by one, alike but for their constants, or for where they read
// and write arrays: layers with weights in one array, the stages of an integrator, rows set one
// after another. Their kernels share code.
#include <string>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// `x` with elements [at, at + n) along the dimension replaced by the update.
int SetPart(Maker& m, int x, int update, size_t d, int64_t at) {
  const Node n = m.at(x);
  std::vector<int> operands{x, update};
  for (size_t k = 0; k < n.dims.size(); ++k)
    operands.push_back(m.Scalar(E::S32, k == d ? static_cast<double>(at) : 0));
  return m.Add("dynamic-update-slice", n.type, n.dims, operands, n.facts.Or(m.at(update).facts));
}

// What one layer does with a part of the array, by a constant of its own.
struct Layer {
  std::string unary, binary;  // or none
  std::string reduction;
  bool splats_first = false;

  int operator()(Maker& m, int part, double constant) const {
    int y = part;
    const Node n = m.at(y);
    if (!binary.empty()) {
      const int c = m.Splat(n.type, n.dims, constant);
      y = splats_first ? m.Binary(binary, c, y) : m.Binary(binary, y, c);
    }
    if (y >= 0 && !unary.empty()) y = m.Unary(unary, y);
    if (y >= 0 && !reduction.empty()) y = m.Reduce(y, {0}, reduction);
    return y;
  }
};

// A table that is written element by element, or part by part, at known places, from what it had
// there and elsewhere: extrapolations, recurrences.
bool Table(Maker& m) {
  const E type = m.random.Of({E::F32, E::F64, E::S32});
  Dims dims = m.DrawDims(m.options.max_elements / 32, 1);
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size()) + 1));
  const int64_t extent = m.random.In(3, 12);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(d), extent);
  int table = m.Like(type, dims), before = table;
  for (int64_t k = m.random.In(2, 12); k > 0 && table >= 0; --k) {
    const int64_t n = m.random.Chance(80) ? 1 : m.random.In(1, (extent + 3) / 4);
    const auto part = [&] {
      const int64_t at = m.random.Below(extent - n + 1);
      return Part(m, m.random.Chance(60) ? table : before, d, at, at + n);
    };
    const int a = part(), b = part();
    const int update =
        a < 0 || b < 0 ? -1 : m.Binary(std::string(m.random.Of({"add", "subtract"})), a, b);
    if (update < 0) return false;
    before = table;
    // Now and then from a place outside.
    table = SetPart(m, table, update, d, m.random.In(-1, extent));
  }
  const int64_t at = m.random.Below(extent);
  return table >= 0 && (m.random.Chance(30) || Part(m, table, d, at, at + 1) >= 0);
}

}  // namespace

bool LayersPattern(Maker& m) {
  if (m.random.Chance(30)) return Table(m);
  const E type = m.random.Of({E::F32, E::F32, E::F32, E::F64, E::S32, E::BF16});
  const int64_t count = m.random.In(3, 7), extent = m.random.Of({1, 1, 2, 3, 8, 16});
  Dims dims = m.DrawDims(m.options.max_elements / (count * extent + 2), 1);
  const auto d = static_cast<size_t>(m.random.Below(static_cast<int64_t>(dims.size()) + 1));
  const int64_t gap = m.random.Chance(30) ? 1 : 0, first = m.random.In(0, 2);
  dims.insert(dims.begin() + static_cast<std::ptrdiff_t>(d),
              first + count * (extent + gap) + m.random.In(0, 2));
  const int x = m.Like(type, dims);
  if (x < 0) return false;
  Layer layer;
  const bool floats = IsFloat(type);
  if (m.random.Chance(50)) layer.unary = floats ? m.random.Of({"tanh", "abs", "negate"}) : "negate";
  if (m.random.Chance(70))
    layer.binary = m.random.Of({"multiply", "add", "maximum", "minimum", "subtract"});
  layer.splats_first = m.random.Chance(30);
  const bool sets = m.random.Chance(40);
  if (!sets && m.random.Chance(50)) layer.reduction = m.random.Of({"maximum", "minimum", "add"});
  int y = x;
  std::vector<int> results;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t at = first + k * (extent + gap);
    const double constant = m.random.Of({-2., 0.5, 1., 3., static_cast<double>(k)});
    const int part = layer(m, Part(m, x, d, at, at + extent), floats ? constant : at);
    if (part < 0) return false;
    if (sets) y = SetPart(m, y, part, d, at);
    results.push_back(part);
  }
  if (sets) return y >= 0;
  if (m.random.Chance(30)) return true;  // each for itself, for whoever reads it
  return Together(m, results, m.at(results[0]).dims.size() - 1) >= 0;
}

}  // namespace sinter::fuzz
