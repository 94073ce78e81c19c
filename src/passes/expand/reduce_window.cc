#include "passes/expand/reduce_window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/results.h"
#include "pass/graph.h"

namespace sinter::expand {
namespace {

// The value of a scalar made of constants alone.
std::optional<Literal> ValueOf(const HloInstruction* i, int depth = 0) {
  constexpr int kDeepest = 8;
  if (i->op() == HloOpcode::Constant) return i->literal();
  // JAX broadcasts initial values, scalars to scalars.
  if (depth == kDeepest || i->operands().empty() || !i->shape().is_scalar() ||
      !(IsElementwise(i->op()) || i->op() == HloOpcode::Reshape || i->op() == HloOpcode::Broadcast))
    return std::nullopt;
  std::vector<Literal> values;
  for (const HloInstruction* o : i->operands()) {
    std::optional<Literal> value = ValueOf(o, depth + 1);
    if (!value) return std::nullopt;
    values.push_back(*std::move(value));
  }
  std::vector<const Literal*> operands;
  for (const Literal& v : values) operands.push_back(&v);
  absl::StatusOr<Literal> value = EvaluateInstruction(*i, operands);
  if (!value.ok()) return std::nullopt;
  return *std::move(value);
}

bool IsIdempotent(HloOpcode op) {
  return op == HloOpcode::Maximum || op == HloOpcode::Minimum || op == HloOpcode::And ||
         op == HloOpcode::Or;
}

// Whether the initial values, reduced with themselves, give the same bits again: then a window that
// is only padding is as if it were not there.
bool RepeatsItself(absl::Span<HloInstruction* const> initial, const HloComputation& reducer) {
  const size_t n = initial.size();
  const HloInstruction& root = *reducer.root();
  if (n == 1 && IsIdempotent(root.op()) && root.operand(0)->op() == HloOpcode::Parameter &&
      root.operand(1)->op() == HloOpcode::Parameter && root.operand(0) != root.operand(1))
    return true;
  std::vector<Literal> values;
  for (const HloInstruction* i : initial) {
    std::optional<Literal> value = ValueOf(i);
    if (!value) return false;
    values.push_back(*std::move(value));
  }
  std::vector<Literal> arguments = values;
  arguments.insert(arguments.end(), values.begin(), values.end());
  absl::StatusOr<Literal> folded = EvaluateComputation(reducer, arguments);
  if (!folded.ok()) return false;
  if (!folded->shape().is_tuple()) return *folded == values[0];
  for (size_t k = 0; k < n; ++k) {
    if (!(folded->tuple()[k] == values[k])) return false;
  }
  return true;
}

// The dimensions that Graph::Windows adds for each position in a window.
Dims PositionsOf(const HloInstruction& windows, int64_t rank) {
  Dims dims;
  for (int64_t d = rank; d < windows.shape().rank(); ++d) dims.push_back(d);
  return dims;
}

// A cumulative reduction from each element to the last, as one forwards of the reversed array, in
// which what was met first comes last: the same of a computation that is associative. Without that
// every window is an own reduction.
HloInstruction* FromTheEnd(Graph& g, const HloInstruction& i, std::vector<HloInstruction*> operands,
                           int64_t dimension) {
  const size_t n = operands.size() / 2;
  const HloComputation& computation = *i.called(0);
  HloComputation* turned = i.parent()->module()->AddComputation("turned");
  std::vector<HloInstruction*> arguments;
  for (size_t k = 0; k < 2 * n; ++k)
    arguments.push_back(
        turned->AddParameter(static_cast<int64_t>(k), computation.parameter(k)->shape()));
  std::rotate(arguments.begin(), arguments.begin() + static_cast<ptrdiff_t>(n), arguments.end());
  turned->set_root(turned->Inline(computation, arguments));

  const DimensionsAttrs along{{dimension}};
  for (size_t k = 0; k < n; ++k) operands[k] = g.Add(HloOpcode::Reverse, {operands[k]}, along);
  WindowAttrs forwards = i.attrs<WindowAttrs>();
  WindowDimension& w = forwards.window[static_cast<size_t>(dimension)];
  std::swap(w.padding_low, w.padding_high);
  HloInstruction* all = g.Add(HloOpcode::ReduceWindow, operands, forwards, {turned});
  if (!i.shape().is_tuple()) return g.Add(HloOpcode::Reverse, {all}, along);
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < n; ++k)
    results.push_back(g.Add(HloOpcode::Reverse, {g.Element(all, static_cast<int64_t>(k))}, along));
  return g.Add(HloOpcode::Tuple, results);
}

}  // namespace

absl::StatusOr<HloInstruction*> ReduceWindow(HloComputation& c, HloInstruction& i) {
  Graph g(c, i);
  const Window& window = i.attrs<WindowAttrs>().window;
  const size_t n = i.operands().size() / 2;
  // Without a window there is nothing to pad, and negative padding may be more than there is.
  if (ResultShape(i).element_count() == 0) {
    std::vector<HloInstruction*> none;
    for (size_t k = 0; k < n; ++k) {
      none.push_back(g.Splat(g.Convert(i.operand(n + k), ResultShape(i, k).element_type()),
                             ResultShape(i, k).dimensions()));
    }
    HloInstruction* result = i.shape().is_tuple() ? g.Add(HloOpcode::Tuple, none) : none[0];
    RETURN_IF_ERROR(g.status());
    return result;
  }
  // Everything in the reducer's types, in which the initial values pad.
  std::vector<HloInstruction*> operands;
  for (size_t k = 0; k < 2 * n; ++k) {
    operands.push_back(
        g.Convert(i.operand(k), i.called(0)->parameter(k % n)->shape().element_type()));
  }
  const auto initial = absl::MakeSpan(operands).subspan(n);
  // Forwards each result continues from the one before, in whatever order elements must be met.
  const auto cumulative = FindCumulative(i.operand(0)->shape().dimensions(), window);
  if (cumulative && RepeatsItself(initial, *i.called(0))) {
    constexpr int64_t kLong = 128;
    HloInstruction* scan = nullptr;
    if (!cumulative->backwards || CombinesInAnyOrder(*i.called(0), n)) {
      if (operands == i.operands()) return &i;
      scan = g.Add(HloOpcode::ReduceWindow, operands, i.attributes(), i.called());
    } else if (i.operand(0)->shape().dimensions()[cumulative->dimension] > kLong &&
               IsScalarComputation(*i.called(0))) {
      scan = FromTheEnd(g, i, operands, static_cast<int64_t>(cumulative->dimension));
    }
    RETURN_IF_ERROR(g.status());
    if (scan != nullptr) return scan;
  }
  const int64_t rank = i.operand(0)->shape().rank();
  for (size_t k = 0; k < n; ++k)
    operands[k] = g.Windows(g.Pad(operands[k], operands[n + k], window), window);
  const Dims positions = PositionsOf(*operands[0], rank);
  HloInstruction* result =
      g.Add(HloOpcode::Reduce, operands, DimensionsAttrs{positions}, i.called());
  RETURN_IF_ERROR(g.status());
  return result;
}

namespace {

// (value, index) twice -> (value, index): the one that `select` keeps when it meets them in the
// order of their indices. A negative index is no element.
HloComputation* Picker(HloModule& module, const HloComputation& select, ElementType type,
                       ElementType index) {
  HloComputation* c = module.AddComputation("pick");
  const Shape value(type), at(index), flag(ElementType::PRED);
  HloInstruction *v1 = c->AddParameter(0, value), *i1 = c->AddParameter(1, at),
                 *v2 = c->AddParameter(2, value), *i2 = c->AddParameter(3, at);
  auto compare = [&](HloInstruction* x, HloInstruction* y, ComparisonDirection direction) {
    return c->AddWithShape(HloOpcode::Compare, flag, {x, y}, CompareAttrs{direction});
  };
  auto choose = [&](HloInstruction* p, HloInstruction* x, HloInstruction* y) {
    return c->AddWithShape(HloOpcode::Select, x->shape(), {p, x, y});
  };
  HloInstruction* zero = c->AddConstant(Literal(at));
  HloInstruction* in_order = compare(i1, i2, ComparisonDirection::kLt);
  HloInstruction* kept = c->Inline(select, {choose(in_order, v1, v2), choose(in_order, v2, v1)});
  HloInstruction* first = c->AddWithShape(
      HloOpcode::Not, flag, {c->AddWithShape(HloOpcode::Xor, flag, {in_order, kept})});
  HloInstruction* is_1 = compare(i1, zero, ComparisonDirection::kGe);
  HloInstruction* no_2 = compare(i2, zero, ComparisonDirection::kLt);
  HloInstruction* take = c->AddWithShape(
      HloOpcode::Or, flag, {no_2, c->AddWithShape(HloOpcode::And, flag, {is_1, first})});
  c->set_root(c->AddWithShape(HloOpcode::Tuple, Shape::Tuple({value, at}),
                              {choose(take, v1, v2), choose(take, i1, i2)}));
  return c;
}

// (whether there is a value, the value) twice -> the same, both combined by `scatter`.
HloComputation* Combiner(HloModule& module, const HloComputation& scatter, ElementType type) {
  HloComputation* c = module.AddComputation("combine");
  const Shape value(type), flag(ElementType::PRED);
  HloInstruction *f1 = c->AddParameter(0, flag), *v1 = c->AddParameter(1, value),
                 *f2 = c->AddParameter(2, flag), *v2 = c->AddParameter(3, value);
  auto choose = [&](HloInstruction* p, HloInstruction* x, HloInstruction* y) {
    return c->AddWithShape(HloOpcode::Select, value, {p, x, y});
  };
  HloInstruction* both = c->Inline(scatter, {v1, v2});
  c->set_root(c->AddWithShape(
      HloOpcode::Tuple, Shape::Tuple({flag, value}),
      {c->AddWithShape(HloOpcode::Or, flag, {f1, f2}), choose(f1, choose(f2, both, v1), v2)}));
  return c;
}

Dims AllDims(int64_t rank) {
  Dims dims;
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d);
  return dims;
}

}  // namespace

absl::StatusOr<HloInstruction*> SelectAndScatter(HloComputation& c, const HloInstruction& i,
                                                 absl::Span<HloInstruction* const> operands,
                                                 HloInstruction* elements,
                                                 HloInstruction* windows) {
  Graph g(c, i);
  const Window& window = i.attrs<WindowAttrs>().window;
  HloInstruction *x = operands[0], *source = operands[1];
  const ElementType type = i.shape().element_type();
  const Dims& dims = x->shape().dimensions();
  const int64_t rank = x->shape().rank();
  HloInstruction* initial = g.Splat(g.Convert(operands[2], type), dims);
  if (source->shape().element_count() == 0 || x->shape().element_count() == 0) {
    RETURN_IF_ERROR(g.status());
    return initial;
  }
  const ElementType index =
      x->shape().element_count() <= INT32_MAX ? ElementType::S32 : ElementType::S64;
  const Shape line(index, {x->shape().element_count()});
  HloInstruction* numbers = g.Reshape(g.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &line), dims);

  // The index of the element that each window selects.
  HloInstruction* none = g.Scalar(index, -1);
  HloInstruction* known =
      elements ? g.Add(HloOpcode::Select, {elements, numbers, g.Splat(none, dims)}) : numbers;
  HloInstruction* zero = g.Zero(x->shape().element_type());
  HloInstruction *values = g.Windows(g.Pad(x, zero, window), window),
                 *indices = g.Windows(g.Pad(known, none, window), window);
  HloInstruction* picked = g.Add(
      HloOpcode::Reduce, {values, indices, zero, none}, DimensionsAttrs{PositionsOf(*values, rank)},
      {Picker(*c.module(), *i.called(0), x->shape().element_type(), index)});
  HloInstruction* selected = g.Element(picked, 1);
  if (windows) {
    selected = g.Add(HloOpcode::Select,
                     {windows, selected, g.Splat(none, selected->shape().dimensions())});
  }

  // The windows that an element belongs to, as windows of their array spread by the stride: the
  // last one that begins at the element or before it comes last.
  Window around;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDimension& w = window[d];
    const int64_t spread = (source->shape().dimensions()[d] - 1) * w.stride + 1;
    WindowDimension a;
    a.size = w.size;
    a.base_dilation = w.stride;
    a.padding_low = w.size - 1 - w.padding_low;
    a.padding_high = dims[d] + w.size - 1 - a.padding_low - spread;
    around.push_back(a);
  }
  HloInstruction* candidates = g.Windows(g.Pad(selected, g.Scalar(index, -2), around), around);
  HloInstruction* sources = g.Windows(g.Pad(g.Convert(source, type), g.Zero(type), around), around);
  HloInstruction* own = g.Broadcast(numbers, candidates->shape().dimensions(), AllDims(rank));
  HloInstruction* mine = g.Compare(candidates, own, ComparisonDirection::kEq);
  HloComputation* combiner = Combiner(*c.module(), *i.called(1), type);
  const DimensionsAttrs positions{PositionsOf(*sources, rank)};
  if (!CombinesInAnyOrder(*i.called(1), 1)) {
    // From the initial value on, in the order of the windows.
    HloInstruction* from = g.Convert(operands[2], type);
    HloInstruction* all =
        g.Add(HloOpcode::Reduce, {mine, sources, g.Scalar(ElementType::PRED, 1), from}, positions,
              {combiner});
    HloInstruction* ordered = g.Element(all, 1);
    RETURN_IF_ERROR(g.status());
    return ordered;
  }
  HloInstruction* scattered =
      g.Add(HloOpcode::Reduce, {mine, sources, g.Zero(ElementType::PRED), g.Zero(type)}, positions,
            {combiner});
  HloInstruction* sum = g.Add(HloOpcode::Map, {initial, g.Element(scattered, 1)},
                              DimensionsAttrs{AllDims(rank)}, {i.called(1)});
  HloInstruction* result = g.Add(HloOpcode::Select, {g.Element(scattered, 0), sum, initial});
  RETURN_IF_ERROR(g.status());
  return result;
}

}  // namespace sinter::expand
