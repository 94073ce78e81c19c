// Loops over large states of which each turn reads and changes a few elements, old ones and new
// ones in any order, now and then under a condition: code that changes arrays in place as long as
// that is right.
#include <algorithm>
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

class StateBody {
 public:
  StateBody(Maker& m, E type, int64_t rows, int64_t columns)
      : m_(m),
        type_(type),
        rows_(rows),
        array_(ShapeText(type, {rows, columns})),
        row_(ShapeText(type, {1, columns})),
        columns_(columns) {}

  std::string array() const { return array_; }

  // Of (s32[], array, array, array[8, columns]), the next one.
  int Make(const std::string& state) {
    text_ = Format(
        "  s = {0} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
        "  a = {1} get-tuple-element(s), index=1\n  b = {1} get-tuple-element(s), index=2\n"
        "  ys = {2} get-tuple-element(s), index=3\n  zero = s32[] constant(0)\n"
        "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n  two = s32[] constant(2)\n"
        "  odd = s32[] remainder(i, two)\n  p = pred[] compare(odd, zero), direction=EQ\n",
        state, array_, ShapeText(type_, {8, columns_}));
    versions_[0] = {"a"};
    versions_[1] = {"b"};
    pieces_ = {Read("a")};
    for (int64_t k = m_.random.In(1, 7); k > 0; --k) Turn();
    std::string last = "ys";
    if (m_.random.Chance(60)) {
      last = NewName();
      text_ += Format("  {} = {} dynamic-update-slice(ys, {}, i, zero)\n", last,
                      ShapeText(type_, {8, columns_}), m_.random.Of(pieces_));
    }
    std::string x = Version(0), y = Version(1);
    if (m_.random.Chance(15)) std::swap(x, y);
    text_ += Format("  ROOT r = {} tuple(next, {}, {}, {})\n", state, x, y, last);
    return AddText(m_, text_, called_);
  }

 private:
  std::string NewName() { return Format("v{}", names_++); }

  std::string Index() {
    const int64_t kind = m_.random.Below(5);
    if (kind < 2) return "i";
    if (kind == 2) return "next";
    const std::string at = NewName();
    if (kind == 3) {
      text_ += Format("  {}c = s32[] constant({})\n  {} = s32[] subtract({}c, i)\n", at,
                      m_.random.In(0, rows_), at, at);
    } else {
      text_ += Format("  {} = s32[] constant({})\n", at, m_.random.In(-1, rows_));
    }
    return at;
  }

  std::string Read(const std::string& from) {
    const std::string at = Index(), r = NewName();
    text_ += Format("  {} = {} dynamic-slice({}, {}, zero), dynamic_slice_sizes={{1,{}}}\n", r,
                    row_, from, at, columns_);
    return r;
  }

  // The latest version of one of the arrays, or now and then an older one.
  std::string Version(int which) {
    const auto& all = versions_[which];
    return m_.random.Chance(85) ? all.back() : m_.random.Of(all);
  }

  std::string Updated(const std::string& old) {
    const std::string piece = m_.random.Of(pieces_), at = Index(), v = NewName();
    text_ +=
        Format("  {} = {} dynamic-update-slice({}, {}, {}, zero)\n", v, array_, old, piece, at);
    return v;
  }

  // With zeros of which a part is something else added, as gradients of what reads a part are.
  std::string Added(const std::string& old) {
    const std::string piece = m_.random.Of(pieces_), v = NewName();
    text_ +=
        Format("  {0}z = {1} constant({2}0)\n  {0}b = {3} broadcast({0}z), dimensions={{}}\n", v,
               ShapeText(type_, {}), type_ == E::F32 && m_.random.Chance(30) ? "-" : "", array_);
    if (m_.random.Chance(30)) {
      const int64_t above = m_.random.Below(rows_);
      text_ += Format("  {0}u = {1} pad({2}, {0}z), padding={3}_{4}x0_0\n", v, array_, piece, above,
                      rows_ - 1 - above);
    } else {
      const std::string at = Index();
      text_ +=
          Format("  {0}u = {1} dynamic-update-slice({0}b, {2}, {3}, zero)\n", v, array_, piece, at);
    }
    const bool first = m_.random.Chance(50);
    text_ += Format("  {0} = {1} add({2}, {3})\n", v, array_, first ? old : v + "u",
                    first ? v + "u" : old);
    return v;
  }

  // With a window, anywhere, of what its own elements become; or, now and then, of others.
  std::string Changed(const std::string& old) {
    const int64_t height = m_.random.In(1, std::min<int64_t>(rows_, m_.random.Of({1, 3, 64}))),
                  width = m_.random.In(1, columns_);
    const std::string shape = ShapeText(type_, {height, width}), v = NewName();
    std::string row = Index(), column = m_.random.Chance(50) ? "zero" : Index();
    text_ += Format("  {}w = {} dynamic-slice({}, {}, {}), dynamic_slice_sizes={{{},{}}}\n", v,
                    shape, m_.random.Chance(90) ? old : "a", row, column, height, width);
    std::string window = v + "w";
    if (m_.random.Chance(20)) {
      text_ +=
          Format("  {0}r = {1} reverse({0}w), dimensions={{{2}}}\n", v, shape, m_.random.Below(2));
      window = v + "r";
    } else if (m_.random.Chance(40)) {
      text_ += Format("  {0}f = {1} reshape({0}w)\n  {0}r = {2} reshape({0}f)\n", v,
                      ShapeText(type_, {1, height, width}), shape);
      window = v + "r";
    }
    // An operation that shows whether it was done twice; few enough of them that none overflows.
    text_ += Format(
        "  {0}c = {1} constant(1)\n  {0}b = {2} broadcast({0}c), dimensions={{}}\n"
        "  {0}u = {2} {3}({4}, {0}b)\n",
        v, ShapeText(type_, {}), shape, m_.random.Of({std::string("add"), std::string("subtract")}),
        window);
    if (m_.random.Chance(15)) row = Index();
    text_ += Format("  {0} = {1} dynamic-update-slice({2}, {0}u, {3}, {4})\n", v, array_, old, row,
                    column);
    return v;
  }

  // One that branches give: changed or not.
  std::string Chosen(const std::string& old) {
    const std::string piece = m_.random.Of(pieces_), at = Index(), v = NewName();
    const std::string operands = Format("({}, {}, s32[])", array_, row_);
    auto branch = [&](bool changes) {
      std::string text = Format(
          "  s = {} parameter(0)\n  x = {} get-tuple-element(s), index=0\n"
          "  u = {} get-tuple-element(s), index=1\n  i = s32[] get-tuple-element(s), index=2\n"
          "  zero = s32[] constant(0)\n",
          operands, array_, row_);
      if (changes) {
        text += Format("  y = {} dynamic-update-slice(x, u, i, zero)\n", array_);
        if (m_.random.Chance(30)) {
          text += Format("  z = {} dynamic-slice(x, i, zero), dynamic_slice_sizes={{1,{}}}\n", row_,
                         columns_);
          text += Format(
              "  one = s32[] constant(1)\n  j = s32[] add(i, one)\n"
              "  w = {} dynamic-update-slice(y, z, j, zero)\n",
              array_);
          return AddText(m_, text + Format("  ROOT r = {} maximum(w, w)\n", array_));
        }
        return AddText(m_, text + Format("  ROOT r = {} {}\n", array_,
                                         m_.random.Chance(60) ? "copy(y)" : "minimum(x, y)"));
      }
      return AddText(m_, text + Format("  ROOT r = {} {}\n", array_,
                                       m_.random.Chance(70) ? "copy(x)" : "negate(x)"));
    };
    const int yes = branch(true), no = branch(m_.random.Chance(30));
    called_.insert(called_.end(), {yes, no});
    text_ += Format("  {}t = {} tuple({}, {}, {})\n", v, operands, old, piece, at);
    text_ += Format(
        "  {0} = {1} conditional(p, {0}t, {0}t), true_computation={2}, false_computation={3}\n", v,
        array_, FunctionName(yes), FunctionName(no));
    return v;
  }

  void Turn() {
    const int which = static_cast<int>(m_.random.Below(2));
    const std::string old = Version(which);
    switch (m_.random.Below(10)) {
      case 0:
        pieces_.push_back(Read(old));
        return;
      case 1: {
        const std::string sum = NewName(), x = m_.random.Of(pieces_), y = Read(old);
        text_ += Format("  {} = {} {}({}, {})\n", sum, row_,
                        m_.random.Of({std::string("maximum"), std::string("minimum")}), x, y);
        pieces_.push_back(sum);
        return;
      }
      case 2: {  // where a predicate says so
        const std::string v = Updated(old), chosen = NewName();
        text_ += Format("  {0}p = {1} broadcast(p), dimensions={{}}\n", chosen,
                        ShapeText(E::PRED, {rows_, columns_}));
        const bool first = m_.random.Chance(50);
        text_ += Format("  {0} = {1} select({0}p, {2}, {3})\n", chosen, array_, first ? v : old,
                        first ? old : v);
        versions_[which].push_back(chosen);
        return;
      }
      case 3:
        versions_[which].push_back(Chosen(old));
        return;
      case 4:
      case 5:
        versions_[which].push_back(Changed(old));
        return;
      case 6:
      case 7:
        versions_[which].push_back(Added(old));
        return;
      default:
        versions_[which].push_back(Updated(old));
    }
  }

  Maker& m_;
  const E type_;
  const int64_t rows_;
  const std::string array_, row_;
  const int64_t columns_;
  std::string text_;
  std::vector<int> called_;
  std::vector<std::string> versions_[2], pieces_;
  int names_ = 0;
};

}  // namespace

bool StatePattern(Maker& m) {
  if (m.depth > 0) return false;
  const E type = m.random.Of({E::S32, E::F32, E::F32, E::S8});
  // Of more than a thousand elements parts are updated that would else be added as a whole.
  const bool is_large = m.random.Chance(40);
  const int64_t rows = is_large ? 130 : m.random.Of({2, 5, 33, 64}),
                columns = is_large ? 16 : m.random.Of({1, 1, 3, 16});
  StateBody body(m, type, rows, columns);
  const std::string ys = ShapeText(type, {8, columns}),
                    state = Format("(s32[], {0}, {0}, {1})", body.array(), ys);
  const int condition =
      AddText(m, Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                        "  n = s32[] constant({})\n  ROOT r = pred[] compare(i, n), direction=LT\n",
                        state, m.random.In(0, 9)));
  const int turn = body.Make(state);
  // No NaN, whose bits are not known.
  const Facts facts = Facts::Within(-9, 9, true);
  auto array = [&] {
    return m.random.Chance(30) ? m.Splat(type, {rows, columns}, 0)
                               : m.Parameter(type, {rows, columns}, facts);
  };
  const int a = array(), b = array();
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple(
      {m.Scalar(E::S32, 0), a, m.random.Chance(20) ? a : b, m.Splat(type, {8, columns}, 0)})};
  loop.called = {{"condition", condition}, {"body", turn}};
  const int w = m.Add(loop);
  for (int k = 1; k < 4; ++k) {
    const Dims dims = k < 3 ? Dims{rows, columns} : Dims{8, columns};
    m.Element(w, k, type, dims, Facts::Wild());
  }
  return true;
}

}  // namespace sinter::fuzz
