// Loops that carry what earlier turns computed beside the newest, as waves and recurrences do:
// states whose elements change their places from turn to turn, of sizes that are worth exchanging
// storage and of others.
#include <string>
#include <vector>

#include "base/text.h"
#include "fuzz/maker.h"

namespace sinter::fuzz {
namespace {

using E = ElementType;

class HistoryBody {
 public:
  HistoryBody(Maker& m, E type, int64_t rows, int64_t columns, size_t count)
      : m_(m), rows_(rows), columns_(columns), count_(count), type_(type) {
    array_ = ShapeText(type, {rows, columns});
  }

  size_t count() const { return count_; }
  std::string state() const {
    std::string text = "(s32[]";
    for (size_t k = 0; k < count_; ++k) text += ", " + array_;
    return text + ")";
  }

  int Make() {
    text_ = Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n", state());
    std::vector<std::string> old;
    for (size_t k = 0; k < count_; ++k) {
      old.push_back(Format("a{}", k));
      text_ += Format("  a{} = {} get-tuple-element(s), index={}\n", k, array_, k + 1);
    }
    text_ += Format(
        "  one = s32[] constant(1)\n  next = s32[] add(i, one)\n"
        "  lowest = {0} constant(-9)\n  highest = {0} constant(9)\n",
        ShapeText(type_, {}));
    // The new ones come first, then what was first: or in any order, twice, or without some.
    std::vector<std::string> all;
    for (int64_t n = m_.random.In(1, 2); n > 0; --n) all.push_back(New(old));
    for (const std::string& x : old) all.push_back(x);
    if (m_.random.Chance(30)) m_.random.Shuffle(all);
    if (m_.random.Chance(10)) all[0] = all[1];
    all.resize(count_);
    text_ += Format("  ROOT r = {} tuple(next, {})\n", state(), Join(all, ", "));
    return AddText(m_, text_);
  }

 private:
  std::string Moved(const std::string& x) {
    const std::string v = Format("m{}", names_++);
    if (m_.random.Chance(40)) {
      text_ +=
          Format("  {} = {} reverse({}), dimensions={{{}}}\n", v, array_, x, m_.random.Below(2));
      return v;
    }
    const int64_t by = m_.random.In(1, rows_ - 1);  // rows, around the end
    text_ += Format(
        "  {0}h = {1} slice({2}), slice={{[{3}:{4}], [0:{5}]}}\n"
        "  {0}l = {6} slice({2}), slice={{[0:{3}], [0:{5}]}}\n"
        "  {0} = {7} concatenate({0}h, {0}l), dimensions={{0}}\n",
        v, ShapeText(type_, {rows_ - by, columns_}), x, by, rows_, columns_,
        ShapeText(type_, {by, columns_}), array_);
    return v;
  }

  std::string New(const std::vector<std::string>& old) {
    std::string x = m_.random.Of(old);
    if (m_.random.Chance(60)) x = Moved(x);
    for (int64_t n = m_.random.In(1, 3); n > 0; --n) {
      std::string y = m_.random.Of(old);
      if (m_.random.Chance(30)) y = Moved(y);
      const std::string v = Format("v{}", names_++);
      text_ += Format(
          "  {0}s = {1} {2}({3}, {4})\n  {0} = {1} clamp(lowest, {0}s, highest)\n", v, array_,
          m_.random.Of({std::string("add"), std::string("subtract"), std::string("maximum")}), x,
          y);
      x = v;
    }
    return x;
  }

  Maker& m_;
  const int64_t rows_, columns_;
  const size_t count_;
  const E type_;
  std::string array_, text_;
  int names_ = 0;
};

}  // namespace

bool HistoryPattern(Maker& m) {
  if (m.depth > 0) return false;
  const E type = m.random.Of({E::F32, E::F64, E::S32});
  const int64_t rows = m.random.Of({2, 30, 70}), columns = m.random.Of({1, 16, 80, 90});
  HistoryBody body(m, type, rows, columns, static_cast<size_t>(m.random.In(2, 4)));
  const std::string state = body.state();
  const int condition =
      AddText(m, Format("  s = {} parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
                        "  n = s32[] constant({})\n  ROOT r = pred[] compare(i, n), direction=LT\n",
                        state, m.random.In(0, 7)));
  const int turn = body.Make();
  // No NaN, whose bits are not known.
  const Facts facts = Facts::Within(-9, 9, true);
  std::vector<int> elements{m.Scalar(E::S32, 0)};
  while (elements.size() <= body.count())
    elements.push_back(elements.size() > 1 && m.random.Chance(20)
                           ? elements.back()
                           : m.Parameter(type, {rows, columns}, facts));
  Node loop;
  loop.op = "while";
  loop.tuple = state;
  loop.operands = {m.Tuple(elements)};
  loop.called = {{"condition", condition}, {"body", turn}};
  const int w = m.Add(loop);
  for (size_t k = 1; k < elements.size(); ++k)
    if (m.random.Chance(70))
      m.Element(w, static_cast<int>(k), type, {rows, columns}, Facts::Wild());
  return true;
}

}  // namespace sinter::fuzz
