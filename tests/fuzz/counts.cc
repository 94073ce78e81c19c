// Many updates of single elements, as histograms and sums of segments have them: what they and
// their indices are is computed, or searched for in a table.
#include <algorithm>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

// Where each of an array's elements would be in a table, by halves; the table need not be sorted.
int Search(Maker& m, const Dims& batch, int64_t extent) {
  const Facts facts = Facts::Within(-20, 20, true);
  const int64_t turns = m.random.In(1, 9);
  const std::vector<int> values = {m.Scalar(E::S32, 0), m.Parameter(E::F32, {extent}, facts),
                                   m.Parameter(E::F32, batch, facts), m.Splat(E::S32, batch, 0),
                                   m.Splat(E::S32, batch, static_cast<double>(extent))};
  std::vector<Node> state;
  for (int v : values) state.push_back(m.at(v));
  const std::string tuple = TupleText(state), number = ShapeText(E::S32, batch),
                    key = ShapeText(E::F32, batch), table = ShapeText(E::F32, {extent}),
                    truth = ShapeText(E::PRED, batch);
  Dims column = batch;
  column.push_back(1);
  const int condition =
      AddText(m, Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                        "  n = s32[] constant({})\n  ROOT r = pred[] compare(i, n), direction=LT\n",
                        tuple, turns));
  const int body = AddText(
      m, Format("  s = {0} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                "  t = {1} get-tuple-element(s), index=1\n"
                "  x = {2} get-tuple-element(s), index=2\n"
                "  lo = {3} get-tuple-element(s), index=3\n"
                "  hi = {3} get-tuple-element(s), index=4\n",
                tuple, table, key, number) +
             Format("  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
                    "  ones = {0} broadcast(one), dimensions={{}}\n  sum = {0} add(lo, hi)\n"
                    "  middle = {0} shift-right-logical(sum, ones)\n"
                    "  index = {1} reshape(middle)\n",
                    number, ShapeText(E::S32, column)) +
             Format("  found = {0} gather(t, index), offset_dims={{}}, collapsed_slice_dims={{0}}, "
                    "start_index_map={{0}}, index_vector_dim={1}, slice_sizes={{1}}\n"
                    "  above = {2} compare(x, found), direction=LT\n"
                    "  low = {3} select(above, lo, middle)\n"
                    "  high = {3} select(above, middle, hi)\n",
                    key, batch.size(), truth, number) +
             Format("  ROOT r = {} tuple(next, t, x, low, high)\n", tuple));
  Node loop;
  loop.op = "while";
  loop.tuple = tuple;
  loop.operands = {m.Tuple(values)};
  loop.called = {{"condition", condition}, {"body", body}};
  const int done = m.Add(loop);
  return m.Element(done, m.random.Chance(50) ? 3 : 4, E::S32, batch,
                   Facts::Within(0, static_cast<double>(extent), true));
}

// An index into `extent` elements for each update, sometimes outside.
int Index(Maker& m, E type, const Dims& batch, int64_t extent) {
  const auto most = static_cast<double>(extent);
  if (m.random.Chance(20)) return m.Convert(Search(m, batch, extent), type);
  if (m.random.Chance(30)) {
    // Of numbers, clamped or not.
    int x = m.Parameter(E::F32, batch, Facts::Within(-4, 2 * most, true));
    x = m.Binary("multiply", x, m.Splat(E::F32, batch, 0.5));
    if (x >= 0 && m.random.Chance(50)) {
      x = m.Binary("maximum", x, m.Splat(E::F32, batch, 0));
      x = x < 0 ? -1 : m.Binary("minimum", x, m.Splat(E::F32, batch, most - 1));
    }
    return x < 0 ? -1 : m.Convert(x, type);
  }
  const double low = IsSigned(type) ? -2 : 0;
  // Most of them into few elements, so that updates of the same one follow each other.
  const double high = m.random.Chance(30) ? std::min(most, 2.0) : most;
  const int x = m.Parameter(type, batch, Facts::Within(low, high, true));
  switch (m.random.Below(3)) {
    case 0:
      return x;
    case 1:
      return m.Binary("add", x, m.Parameter(type, batch, Facts::Within(0, 2, true)));
    default:
      return m.Binary("maximum", x, m.Splat(type, batch, 0));
  }
}

// A number for each update.
int Update(Maker& m, E type, const Dims& batch) {
  if (m.random.Chance(25)) return m.Splat(type, batch, 1);
  const Facts facts = Facts::Within(0, 3, true);
  const int x = m.Parameter(type, batch, facts);
  return m.random.Chance(50) ? x : m.Binary("add", x, m.Parameter(type, batch, facts));
}

}  // namespace

bool CountsPattern(Maker& m) {
  if (m.inner || m.options.most_moved <= 0) return false;
  const int64_t n = m.random.Chance(8) ? m.random.In(32768, 40000)
                                       : std::min(m.options.max_elements, m.random.In(50, 1400));
  Dims batch{n};
  if (m.random.Chance(30)) batch = {m.random.In(1, 3), n};
  Dims array{m.random.Of({int64_t{1}, int64_t{7}, int64_t{64}, int64_t{300}})};
  if (m.random.Chance(30)) array.push_back(m.random.In(1, 9));
  const E index_type = m.random.Of({E::S32, E::S32, E::S64, E::U32, E::S16});
  const E type = m.random.Of({E::S32, E::F32, E::F32, E::S8, E::F64, E::C64});
  Dims column = batch;
  column.push_back(1);
  std::vector<int> components;
  for (int64_t extent : array) {
    const int index = Index(m, index_type, batch, extent);
    if (index < 0) return false;
    components.push_back(m.Reshape(index, column));
  }
  const int indices =
      components.size() == 1 ? components[0] : Together(m, components, batch.size());
  const int update = Update(m, type, batch);
  if (indices < 0 || update < 0) return false;
  const double most = 6 * static_cast<double>(n * (batch.size() > 1 ? batch[0] : 1)) + 10;
  std::string op = "add";
  if (m.random.Chance(40) && type != E::C64) op = m.random.Of({"maximum", "minimum", "set"});
  const std::string scalar = ShapeText(type, {});
  const int combine = AddText(
      m, op == "set" ? Format("  p = {0} parameter(0)\n  ROOT q = {0} parameter(1)\n", scalar)
                     : Format("  p = {0} parameter(0)\n  q = {0} parameter(1)\n"
                              "  ROOT r = {0} {1}(p, q)\n",
                              scalar, op));
  const int x = m.random.Chance(50) ? m.Splat(type, array, 0)
                                    : m.Parameter(type, array, Facts::Within(-5, 5, true));
  Node s;
  s.op = "scatter";
  s.type = type;
  s.dims = array;
  s.operands = {x, indices, update};
  s.facts = IsInteger(type) ? Facts::Wild() : Facts::Within(-most, most, true);
  Dims map;
  for (size_t d = 0; d < array.size(); ++d) map.push_back(static_cast<int64_t>(d));
  s.attributes = Format(
      ", update_window_dims={{}}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
      "index_vector_dim={1}",
      Braces(map), batch.size());
  s.called = {{"to_apply", combine}};
  return m.Add(s) >= 0;
}

}  // namespace sinter::fuzz
