#include "ir/analysis/counted_loop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ir/ops/comparison.h"

namespace sinter {
namespace {

constexpr int kMostSteps = 200;  // operations that are looked at for one value

// The values of an integer type that S64 has too: least and largest.
std::pair<int64_t, int64_t> ValuesOfType(ElementType type) {
  const int bits = BitWidth(type);
  if (IsSigned(type))
    return {bits > 63 ? INT64_MIN : -(int64_t{1} << (bits - 1)),
            bits > 63 ? INT64_MAX : (int64_t{1} << (bits - 1)) - 1};
  return {0, bits > 62 ? INT64_MAX : (int64_t{1} << bits) - 1};
}

// factor * counter + constant.
struct Linear {
  int64_t factor = 0, constant = 0;
};
using MaybeLinear = std::optional<Linear>;

MaybeLinear Sum(const Linear& a, const Linear& b, int64_t sign) {
  Linear r, c;
  if (__builtin_mul_overflow(b.factor, sign, &c.factor) ||
      __builtin_mul_overflow(b.constant, sign, &c.constant) ||
      __builtin_add_overflow(a.factor, c.factor, &r.factor) ||
      __builtin_add_overflow(a.constant, c.constant, &r.constant))
    return std::nullopt;
  return r;
}
MaybeLinear Product(const Linear& a, const Linear& b) {
  if (a.factor != 0 && b.factor != 0) return std::nullopt;
  const Linear &x = a.factor != 0 ? a : b, &y = a.factor != 0 ? b : a;
  Linear r;
  if (__builtin_mul_overflow(x.factor, y.constant, &r.factor) ||
      __builtin_mul_overflow(x.constant, y.constant, &r.constant))
    return std::nullopt;
  return r;
}

// A fusion whose computation is looked into, and what is around it.
struct Frame {
  const HloInstruction* fusion = nullptr;
  const Frame* outer = nullptr;
};

// Scalar integers of a computation as forms of one element of its parameter, the counter.
class Forms {
 public:
  Forms(const HloInstruction* parameter, int64_t counter)
      : parameter_(parameter), counter_(counter) {}
  // The counter's values, least and largest. Without them forms hold but for wrapping.
  void SetRange(int64_t least, int64_t largest) { range_ = {least, largest}; }

  MaybeLinear Of(const HloInstruction* i, const Frame* frame = nullptr) {
    const MaybeLinear form = Look(i, frame);
    if (!form || !i->shape().is_array() || !IsInteger(i->shape().element_type()) ||
        (form->factor != 0 && !range_))
      return form;
    const auto values = Values(*form);
    const auto [least, largest] = ValuesOfType(i->shape().element_type());
    if (!values || values->first < least || values->second > largest) return std::nullopt;
    return form;
  }

 private:
  std::optional<std::pair<int64_t, int64_t>> Values(const Linear& f) const {
    if (f.factor == 0) return std::pair(f.constant, f.constant);
    if (!range_) return std::nullopt;
    int64_t a = 0, b = 0;
    if (__builtin_mul_overflow(f.factor, range_->first, &a) ||
        __builtin_mul_overflow(f.factor, range_->second, &b) ||
        __builtin_add_overflow(a, f.constant, &a) || __builtin_add_overflow(b, f.constant, &b))
      return std::nullopt;
    return std::pair(std::min(a, b), std::max(a, b));
  }

  MaybeLinear Look(const HloInstruction* i, const Frame* frame) {
    if (++steps_ > kMostSteps) return std::nullopt;
    if (i->op() == HloOpcode::Parameter && frame != nullptr) {
      const auto number = static_cast<size_t>(i->attrs<ParameterAttrs>().number);
      return Of(frame->fusion->operand(number), frame->outer);
    }
    if (i->op() == HloOpcode::GetTupleElement) {
      const HloInstruction* tuple = i->operand(0);
      const int64_t index = i->attrs<TupleElementAttrs>().index;
      if (frame == nullptr && tuple == parameter_)
        return index == counter_ ? MaybeLinear({1, 0}) : std::nullopt;
      if (tuple->op() != HloOpcode::Fusion) return std::nullopt;
      const HloInstruction* root = tuple->called(0)->root();
      const Frame inside{tuple, frame};
      return root->op() == HloOpcode::Tuple ? Of(root->operand(static_cast<size_t>(index)), &inside)
                                            : std::nullopt;
    }
    if (!i->shape().is_array() || i->shape().element_count() != 1) return std::nullopt;
    const ElementType type = i->shape().element_type();
    if (i->op() == HloOpcode::Fusion) {
      const Frame inside{i, frame};
      return Of(i->called(0)->root(), &inside);
    }
    auto operand = [&](size_t k) { return Of(i->operand(k), frame); };
    if (i->op() == HloOpcode::Compare) {
      const MaybeLinear a = operand(0), b = a ? operand(1) : std::nullopt;
      return b ? Compared(*i, *a, *b) : std::nullopt;
    }
    if (!IsInteger(type)) return std::nullopt;
    switch (i->op()) {
      case HloOpcode::Constant: {
        const double value = i->literal().GetAsDouble(0);
        if (std::abs(value) > 9e15) return std::nullopt;  // not exact
        return Linear{0, static_cast<int64_t>(value)};
      }
      case HloOpcode::Reshape:
      case HloOpcode::Broadcast:
        return operand(0);
      case HloOpcode::Convert: {
        const MaybeLinear x =
            IsInteger(i->operand(0)->shape().element_type()) ? operand(0) : std::nullopt;
        return x && (x->factor == 0 || range_) ? x : std::nullopt;
      }
      case HloOpcode::Add:
      case HloOpcode::Subtract:
      case HloOpcode::Multiply: {
        const MaybeLinear a = operand(0), b = a ? operand(1) : std::nullopt;
        if (!b) return std::nullopt;
        if (i->op() == HloOpcode::Multiply) return Product(*a, *b);
        return Sum(*a, *b, i->op() == HloOpcode::Add ? 1 : -1);
      }
      case HloOpcode::Maximum:
      case HloOpcode::Minimum: {
        const MaybeLinear a = operand(0), b = a ? operand(1) : std::nullopt;
        if (!b) return std::nullopt;
        return Greater(*a, *b, i->op() == HloOpcode::Maximum);
      }
      case HloOpcode::Clamp: {
        const MaybeLinear least = operand(0), x = least ? operand(1) : std::nullopt,
                          most = x ? operand(2) : std::nullopt;
        if (!most) return std::nullopt;
        const MaybeLinear raised = Greater(*least, *x, true);
        return raised ? Greater(*raised, *most, false) : std::nullopt;
      }
      case HloOpcode::Select: {
        const MaybeLinear which = operand(0);
        return which ? operand(which->constant != 0 ? 1 : 2) : std::nullopt;
      }
      default:
        return std::nullopt;
    }
  }
  // The greater one, or the other, where one is that for all values of the counter.
  MaybeLinear Greater(const Linear& a, const Linear& b, bool greater) const {
    const MaybeLinear d = Sum(a, b, -1);
    const auto values = d ? Values(*d) : std::nullopt;
    if (!values) return std::nullopt;
    if (values->first >= 0) return greater ? a : b;
    if (values->second <= 0) return greater ? b : a;
    return std::nullopt;
  }
  // A predicate that is the same for all values of the counter, as 0 or 1.
  MaybeLinear Compared(const HloInstruction& i, const Linear& a, const Linear& b) const {
    if (!range_ || !IsInteger(i.operand(0)->shape().element_type())) return std::nullopt;
    const MaybeLinear d = Sum(a, b, -1);
    const auto values = d ? Values(*d) : std::nullopt;
    if (!values) return std::nullopt;
    const ComparisonDirection direction = i.attrs<CompareAttrs>().direction;
    const bool first = Holds(direction, values->first, int64_t{0}),
               last = Holds(direction, values->second, int64_t{0});
    // Between the two, only equality may be otherwise.
    const bool is_between = values->first < 0 && values->second > 0;
    const bool equality =
        direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
    if (first != last || (equality && is_between)) return std::nullopt;
    return Linear{0, first ? 1 : 0};
  }

  const HloInstruction* parameter_;
  const int64_t counter_;
  std::optional<std::pair<int64_t, int64_t>> range_;
  int steps_ = 0;
};

// Where the condition ends: the comparison, and what it compares.
struct Test {
  ComparisonDirection direction{};
  int64_t counter = 0, end = 0;
};

// Looks through fusions for an element of the parameter; -1: it is something else.
int64_t ElementOf(const HloInstruction* i, const HloInstruction* parameter, const Frame* frame) {
  for (; i->op() == HloOpcode::Parameter && frame != nullptr; frame = frame->outer)
    i = frame->fusion->operand(static_cast<size_t>(i->attrs<ParameterAttrs>().number));
  return frame == nullptr && i->op() == HloOpcode::GetTupleElement && i->operand(0) == parameter
             ? i->attrs<TupleElementAttrs>().index
             : -1;
}

std::optional<Test> TestOf(const HloComputation& condition) {
  const HloInstruction *test = condition.root(), *parameter = condition.parameter(0);
  const Frame inside{test, nullptr};
  const Frame* frame = nullptr;
  if (test->op() == HloOpcode::Fusion) {
    test = test->called(0)->root();
    frame = &inside;
  }
  if (test->op() != HloOpcode::Compare || !IsInteger(test->operand(0)->shape().element_type()))
    return std::nullopt;
  const int64_t k = ElementOf(test->operand(0), parameter, frame);
  Forms forms(parameter, -1);
  const MaybeLinear end = k < 0 ? std::nullopt : forms.Of(test->operand(1), frame);
  if (!end) return std::nullopt;
  return Test{test->attrs<CompareAttrs>().direction, k, end->constant};
}

// Turns while `first + t * step` is on its side of `end`; nothing where that has no end.
std::optional<int64_t> TurnsUntil(ComparisonDirection direction, int64_t first, int64_t step,
                                  int64_t end) {
  if (!Holds(direction, first, end)) return 0;
  int64_t way = 0;
  if (__builtin_sub_overflow(end, first, &way)) return std::nullopt;
  switch (direction) {
    case ComparisonDirection::kLe:
    case ComparisonDirection::kGe:
      if (way == INT64_MAX || way == INT64_MIN) return std::nullopt;
      way += direction == ComparisonDirection::kLe ? 1 : -1;
      break;
    case ComparisonDirection::kNe:
      if (step == 0 || way % step != 0) return std::nullopt;
      break;
    case ComparisonDirection::kEq:
      return step == 0 ? std::nullopt : std::optional<int64_t>(1);
    default:
      break;
  }
  if (step == 0 || (way > 0) != (step > 0)) return std::nullopt;
  return way / step + (way % step != 0 ? 1 : 0);
}

// A write of a window of an array along one dimension, of which it has all other elements.
struct Write {
  size_t dimension = 0;
  Linear start;
  int64_t extent = 0;
};

// What an update of an array in its place writes, where that is one window along one dimension.
std::optional<Write> WriteOf(const HloInstruction& update, const Frame& frame, Forms& forms) {
  const Shape &array = update.shape(), &window = update.operand(1)->shape();
  std::optional<Write> out;
  for (int64_t d = 0; d < array.rank(); ++d) {
    if (window.dimension(d) == array.dimension(d)) continue;
    if (out || array.element_count() == 0) return std::nullopt;
    const MaybeLinear start = forms.Of(update.operand(static_cast<size_t>(d) + 2), &frame);
    if (!start) return std::nullopt;
    out = {static_cast<size_t>(d), *start, window.dimension(d)};
  }
  if (!out && array.rank() > 0) return Write{0, {}, array.dimension(0)};
  return out;
}

// The only user of a value, which uses it once; null where there is another one.
const HloInstruction* OnlyUser(const HloInstruction& i) {
  if (i.users().size() != 1) return nullptr;
  const HloInstruction* user = i.users()[0];
  return std::count(user->operands().begin(), user->operands().end(), &i) == 1 ? user : nullptr;
}

// Who reads each element of the state that a loop's body or condition has; what reads the state as
// a whole reads each more than once.
struct StateReaders {
  explicit StateReaders(const HloComputation& c)
      : only(c.parameter(0)->shape().tuple_shapes().size()), count(only.size()) {
    for (const HloInstruction* user : c.parameter(0)->users()) {
      if (user->op() != HloOpcode::GetTupleElement) {
        count.assign(count.size(), 2);
        break;
      }
      const auto k = static_cast<size_t>(user->attrs<TupleElementAttrs>().index);
      only[k] = user;
      ++count[k];
    }
  }
  bool Reads(size_t k) const { return count[k] > 0; }
  const HloInstruction* OnlyReader(size_t k) const { return count[k] == 1 ? only[k] : nullptr; }

  std::vector<const HloInstruction*> only;
  std::vector<size_t> count;
};

// Whether a body overwrites element k of its state from end to end, by updates one after the other,
// where `now` alone reads it.
bool IsOverwritten(const HloInstruction& loop, const CountedLoop& counted,
                   const HloInstruction* now, size_t k) {
  const HloComputation& body = *loop.called(1);
  const HloInstruction* parameter = body.parameter(0);
  if (now == nullptr || !now->shape().is_array()) return false;
  std::vector<Write> writes;
  while (true) {
    const HloInstruction* user = OnlyUser(*now);
    if (user == nullptr) return false;
    if (user == body.root()) {
      if (user->op() != HloOpcode::Tuple || user->operand(k) != now) return false;
      break;
    }
    if (user->op() != HloOpcode::Fusion) return false;
    const auto at =
        static_cast<size_t>(std::find(user->operands().begin(), user->operands().end(), now) -
                            user->operands().begin());
    const HloInstruction* inside = user->called(0)->parameter(at);
    const HloInstruction* update = OnlyUser(*inside);
    if (update == nullptr || update->op() != HloOpcode::DynamicUpdateSlice ||
        update->operand(0) != inside)
      return false;
    const Frame frame{user, nullptr};
    Forms forms(parameter, counted.counter);
    forms.SetRange(std::min(counted.first, counted.last()),
                   std::max(counted.first, counted.last()));
    const std::optional<Write> write = WriteOf(*update, frame, forms);
    if (!write) return false;
    writes.push_back(*write);
    const HloInstruction* root = user->called(0)->root();
    if (root == update) {
      now = user;
      continue;
    }
    if (root->op() != HloOpcode::Tuple || OnlyUser(*update) != root) return false;
    const auto result = std::find(root->operands().begin(), root->operands().end(), update) -
                        root->operands().begin();
    now = nullptr;
    for (const HloInstruction* element : user->users()) {
      if (element->op() != HloOpcode::GetTupleElement) return false;
      if (element->attrs<TupleElementAttrs>().index != result) continue;
      if (now != nullptr) return false;
      now = element;
    }
    if (now == nullptr) return false;
  }
  if (writes.empty()) return false;
  // A turn writes one window after the other; a turn's windows, and those of all turns, meet.
  const size_t d = writes[0].dimension;
  const int64_t factor = writes[0].start.factor,
                extent = parameter->shape().tuple_shapes()[k].dimension(static_cast<int64_t>(d));
  for (const Write& w : writes)
    if (w.dimension != d || w.start.factor != factor) return false;
  std::sort(writes.begin(), writes.end(),
            [](const Write& a, const Write& b) { return a.start.constant < b.start.constant; });
  const int64_t begin = writes[0].start.constant;
  int64_t end = begin;
  for (const Write& w : writes) {
    if (w.start.constant > end) return false;
    end = std::max(end, w.start.constant + w.extent);
  }
  int64_t apart = 0, from = 0, to = 0;
  if (__builtin_mul_overflow(factor, counted.step, &apart) ||
      __builtin_mul_overflow(factor, counted.first, &from) ||
      __builtin_mul_overflow(factor, counted.last(), &to))
    return false;
  const auto [least, largest] = std::minmax(from, to);
  // Starts outside of the array would be moved.
  return (counted.turns == 1 || (apart <= end - begin && apart >= begin - end)) &&
         least + begin == 0 && largest + end == extent;
}

}  // namespace

std::optional<CountedLoop> CountTurns(const HloInstruction& loop) {
  const HloComputation& body = *loop.called(1);
  const HloInstruction *init = loop.operand(0), *root = body.root();
  const std::optional<Test> test = TestOf(*loop.called(0));
  if (!test || init->op() != HloOpcode::Tuple || root->op() != HloOpcode::Tuple)
    return std::nullopt;
  const auto k = static_cast<size_t>(test->counter);
  const MaybeLinear first = Forms(nullptr, -1).Of(init->operand(k)),
                    next = Forms(body.parameter(0), test->counter).Of(root->operand(k));
  if (!first || !next || next->factor != 1) return std::nullopt;
  const std::optional<int64_t> turns =
      TurnsUntil(test->direction, first->constant, next->constant, test->end);
  if (!turns) return std::nullopt;
  const CountedLoop out{test->counter, first->constant, next->constant, *turns};
  // What the counter is after the last turn is of its type, too.
  int64_t way = 0, end = 0;
  const auto [least, largest] = ValuesOfType(root->operand(k)->shape().element_type());
  if (__builtin_mul_overflow(out.turns, out.step, &way) ||
      __builtin_add_overflow(out.first, way, &end) || end < least || end > largest)
    return std::nullopt;
  return out;
}

std::vector<bool> OverwrittenElements(const HloInstruction& loop) {
  if (!loop.shape().is_tuple()) return {};
  std::vector<bool> out(loop.shape().tuple_shapes().size(), false);
  const std::optional<CountedLoop> counted = CountTurns(loop);
  if (!counted || counted->turns == 0) return out;
  const StateReaders tests(*loop.called(0)), reads(*loop.called(1));
  for (size_t k = 0; k < out.size(); ++k)
    out[k] = !tests.Reads(k) && IsOverwritten(loop, *counted, reads.OnlyReader(k), k);
  return out;
}

}  // namespace sinter
