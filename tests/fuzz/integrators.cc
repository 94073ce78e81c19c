// Loops whose states are put together from rows, as integrators' are: of points, small matrices, a
// few long arrays. Turns read rows, compute new ones of these, and change the state as a whole.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

constexpr int64_t kTurns = 8;  // that are stacked

class Integrator {
 public:
  Integrator(Maker& m, E type, Dims dims, size_t axis)
      : m_(m),
        type_(type),
        dims_(std::move(dims)),
        axis_(axis),
        array_(ShapeText(type, dims_)),
        stacked_(ShapeText(type, With(dims_, 0, kTurns))) {
    Dims row = dims_;
    row[axis_] = 1;
    row_ = ShapeText(type, row);
    row.erase(row.begin() + static_cast<ptrdiff_t>(axis_));
    flat_ = ShapeText(type, row);
  }

  // (s32[], array, array, array of turns, coefficients)
  std::string state() const {
    return Format("(s32[], {}, {}, {}, {})", array_, array_, stacked_, coefficients());
  }
  std::string coefficients() const { return ShapeText(type_, {dims_[axis_]}); }

  int Make() {
    text_ = Format(
        "  s = {0} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
        "  a = {1} get-tuple-element(s), index=1\n  b = {1} get-tuple-element(s), index=2\n"
        "  ys = {2} get-tuple-element(s), index=3\n  c = {3} get-tuple-element(s), index=4\n"
        "  zero = s32[] constant(0)\n  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
        "  low = {4} constant({5})\n  high = {4} constant(9)\n",
        state(), array_, stacked_, coefficients(), ShapeText(type_, {}), -9);
    wholes_ = {"a", "b"};
    for (int64_t stages = m_.random.In(1, 3); stages > 0; --stages) Stage();
    std::string last = "ys";
    if (m_.random.Chance(40)) {
      text_ += Format("  row = {} reshape({})\n", ShapeText(type_, With(dims_, 0, 1)),
                      m_.random.Of(wholes_));
      last = "stacked";
      text_ += Format("  stacked = {} dynamic-update-slice(ys, row, i", stacked_);
      for (size_t d = 0; d < dims_.size(); ++d) text_ += ", zero";
      text_ += ")\n";
    }
    const std::string x = m_.random.Chance(85) ? wholes_.back() : m_.random.Of(wholes_),
                      y = m_.random.Of(wholes_);
    text_ += Format("  ROOT r = {} tuple(next, {}, {}, {}, c)\n", state(), x, y, last);
    return AddText(m_, text_, called_);
  }

 private:
  static Dims With(Dims dims, size_t at, int64_t n) {
    dims.insert(dims.begin() + static_cast<ptrdiff_t>(at), n);
    return dims;
  }
  std::string Name() { return Format("v{}", names_++); }

  std::string Row(const std::string& whole) {
    const int64_t at = m_.random.Below(dims_[axis_]);
    std::string part = Name(), bounds;
    for (size_t d = 0; d < dims_.size(); ++d) {
      bounds += Format("{}[{}:{}]", d > 0 ? ", " : "", d == axis_ ? at : 0,
                       d == axis_ ? at + 1 : dims_[d]);
    }
    text_ += Format("  {} = {} slice({}), slice={{{}}}\n", part, row_, whole, bounds);
    if (!flattens_) return part;
    const std::string flat = Name();
    text_ += Format("  {} = {} reshape({})\n", flat, flat_, part);
    return flat;
  }

  // Of two values of one shape, in bounds.
  std::string Combined(const std::string& shape, const std::string& x, const std::string& y) {
    const std::string op = m_.random.Of({std::string("maximum"), std::string("minimum"),
                                         std::string("add"), std::string("subtract")});
    const std::string sum = Name(), v = Name();
    text_ += Format("  {0} = {1} {2}({3}, {4})\n  {5} = {1} clamp(low, {0}, high)\n", sum, shape,
                    op, x, y, v);
    return v;
  }

  // A whole that is put together from new rows.
  std::string Together() {
    const std::string& shape = flattens_ ? flat_ : row_;
    std::vector<std::string> rows;
    for (int64_t k = std::max<int64_t>(2, dims_[axis_]); k > 0; --k)
      rows.push_back(Row(m_.random.Of(wholes_)));
    std::string list;
    for (int64_t k = 0; k < dims_[axis_]; ++k) {
      std::string row = m_.random.Of(rows);
      if (m_.random.Chance(60)) row = Combined(shape, row, m_.random.Of(rows));
      if (flattens_) {
        const std::string wide = Name();
        text_ += Format("  {} = {} reshape({})\n", wide, row_, row);
        row = wide;
      }
      list += (k > 0 ? ", " : "") + row;
    }
    const std::string v = Name();
    text_ += Format("  {} = {} concatenate({}), dimensions={{{}}}\n", v, array_, list, axis_);
    return v;
  }

  void Stage() {
    flattens_ = m_.random.Chance(60);
    const std::string old = m_.random.Of(wholes_), v = Name();
    switch (m_.random.Below(9)) {
      case 0:  // times numbers that are known
        text_ += Format("  {0}c = {1} broadcast(c), dimensions={{{2}}}\n", v, array_, axis_);
        text_ += Format("  {0}p = {1} multiply({2}, {0}c)\n  {0} = {1} clamp(low, {0}p, high)\n", v,
                        array_, old);
        break;
      case 1: {  // the largest of all rows
        const std::string scalar = ShapeText(type_, {});
        const int most = AddText(m_, Format("  x = {0} parameter(0)\n  y = {0} parameter(1)\n"
                                            "  ROOT r = {0} maximum(x, y)\n",
                                            scalar));
        called_.push_back(most);
        Dims others;
        for (size_t d = 0; d < dims_.size(); ++d)
          if (d != axis_) others.push_back(static_cast<int64_t>(d));
        text_ += Format("  {}r = {} reduce({}, low), dimensions={{{}}}, to_apply={}\n", v, flat_,
                        old, axis_, FunctionName(most));
        text_ += Format("  {0} = {1} broadcast({0}r), dimensions={2}\n", v, array_, Braces(others));
        break;
      }
      case 2:  // where a predicate says so
        text_ += Format(
            "  {0}p = pred[] compare(i, one), direction=GT\n"
            "  {0}s = {1} broadcast({0}p), dimensions={{}}\n  {0} = {2} select({0}s, {3}, {4})\n",
            v, ShapeText(E::PRED, dims_), array_, old, m_.random.Of(wholes_));
        break;
      case 3:  // now and then elements of a row meet, which need all of it
        text_ += Format("  {} = {} reverse({}), dimensions={{{}}}\n", v, array_, old,
                        m_.random.Chance(70) ? axis_ : dims_.size() - 1 - axis_);
        break;
      default:
        wholes_.push_back(Combined(array_, old, Together()));
        return;
    }
    wholes_.push_back(v);
  }

  Maker& m_;
  const E type_;
  const Dims dims_;
  const size_t axis_;
  const std::string array_, stacked_;
  std::string row_, flat_, text_;
  std::vector<std::string> wholes_;
  std::vector<int> called_;
  bool flattens_ = false;
  int names_ = 0;
};

}  // namespace

bool IntegratorPattern(Maker& m) {
  if (m.depth > 0) return false;
  const E type = m.random.Of({E::S32, E::F32, E::F32, E::F64, E::S8});
  const int64_t n = m.random.Of({1, 3, 20, 64, 100}), rows = m.random.Of({2, 3, 3, 4, 6, 11});
  Dims dims{n, rows};
  size_t axis = 1;
  const int64_t kind = m.random.Below(6);
  if (kind == 0) dims = {rows, n}, axis = 0;
  if (kind == 1) dims = {rows}, axis = 0;
  if (kind == 2) dims = {n, rows, 2};
  if (kind == 3) dims = {n, 1, rows}, axis = 2;
  Integrator body(m, type, dims, axis);
  const std::string state = body.state();
  std::string condition = Format(
      "  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
      "  n = s32[] constant({})\n",
      state, m.random.In(0, kTurns));
  if (m.random.Chance(10)) {  // it looks at the numbers that do not change, too
    condition += Format(
        "  c = {0} get-tuple-element(s), index=4\n  e = {1} slice(c), slice={{[0:1]}}\n"
        "  f = {2} reshape(e)\n  g = {2} constant(0)\n  p = pred[] compare(f, g), direction=NE\n"
        "  q = pred[] compare(i, n), direction=LT\n  ROOT r = pred[] and(p, q)\n",
        body.coefficients(), ShapeText(type, {1}), ShapeText(type, {}));
  } else {
    condition += "  ROOT r = pred[] compare(i, n), direction=LT\n";
  }
  const int more = AddText(m, condition), turn = body.Make();
  // No NaN, whose bits are not known.
  const Facts facts = Facts::Within(-9, 9, true);
  Dims stacked = dims;
  stacked.insert(stacked.begin(), kTurns);
  const Dims each{dims[axis]};
  const int a = m.Parameter(type, dims, facts),
            b = m.random.Chance(50) ? m.Parameter(type, dims, facts) : m.Splat(type, dims, 1);
  int c = 0;
  if (m.random.Chance(60)) {
    std::vector<int64_t> numbers;
    for (int64_t k = 0; k < dims[axis]; ++k) numbers.push_back(m.random.In(-1, 2));
    c = m.Add("constant", type, each, {}, Facts::Within(-1, 2, true));
    m.f.nodes[static_cast<size_t>(c)].literal = "{" + Join(numbers, ", ") + "}";
  } else {
    c = m.Parameter(type, each, Facts::Within(-2, 2, true));
  }
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple({m.Scalar(E::S32, 0), a, b, m.Splat(type, stacked, 0), c})};
  loop.called = {{"condition", more}, {"body", turn}};
  const int w = m.Add(loop);
  m.Element(w, 1, type, dims, Facts::Wild());
  if (m.random.Chance(60)) m.Element(w, 2, type, dims, Facts::Wild());
  if (m.random.Chance(60)) m.Element(w, 3, type, stacked, Facts::Wild());
  if (m.random.Chance(30)) m.Element(w, 4, type, each, facts);
  return true;
}

}  // namespace sinter::fuzz
