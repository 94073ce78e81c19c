#include "passes/expand/reduce_window.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/status.h"
#include "eval/eval.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/ops/monoid.h"
#include "ir/results.h"
#include "pass/graph.h"
#include "passes/expand/elements.h"
#include "passes/expand/window_blocks.h"

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

// An array that a window's operand is with its elements some places apart, and where the first of
// them is.
struct Spread {
  HloInstruction* x;
  Dims apart, low;
};

// What the windows of a reduction go over, one element at a time, if that is an array whose
// elements are apart, and all that is put between and around them is the initial value, by the
// window or by a pad.
std::optional<Spread> SpreadOf(const HloInstruction& i) {
  const Window& window = i.attrs<WindowAttrs>().window;
  Spread spread{i.operand(0), {}, {}};
  for (const WindowDimension& w : window) {
    if (w.stride != 1 || w.window_dilation != 1) return std::nullopt;
    spread.apart.push_back(w.base_dilation);
    spread.low.push_back(w.padding_low);
  }
  auto is_spread = [&] {
    return std::any_of(spread.apart.begin(), spread.apart.end(), [](int64_t n) { return n > 1; });
  };
  if (is_spread()) return spread;
  if (spread.x->op() != HloOpcode::Pad) return std::nullopt;
  const PadAttrs& pad = spread.x->attrs<PadAttrs>();
  for (size_t d = 0; d < window.size(); ++d) {
    const bool is_cut = pad.low[d] < 0 || pad.high[d] < 0;
    if (is_cut && (window[d].padding_low > 0 || window[d].padding_high > 0)) return std::nullopt;
    spread.apart[d] = pad.interior[d] + 1;
    spread.low[d] += pad.low[d];
  }
  const std::optional<Literal> between = ValueOf(spread.x->operand(1)),
                               initial = ValueOf(i.operand(1));
  if (!is_spread() || !between || !initial || !(*between == *initial)) return std::nullopt;
  spread.x = spread.x->operand(0);
  return spread;
}

// Of elements that are apart each result reduces only those that are in its window (the gradient of
// an average over windows). Null where the initial value may enter only as often as it is there, or
// windows hold many elements.
absl::StatusOr<HloInstruction*> ReduceSpread(HloComputation& c, const HloInstruction& i) {
  constexpr int64_t kMostElements = 64;
  const HloComputation& reducer = *i.called(0);
  const HloInstruction* op = CombinerOf(reducer, 1, 0);
  if (op == nullptr || !IsMonoid(op->op()) || i.shape().element_count() == 0) return nullptr;
  const std::optional<Spread> spread = SpreadOf(i);
  if (!spread || spread->x->shape().element_count() == 0 ||
      spread->x->shape().element_type() != i.shape().element_type() ||
      reducer.parameter(0)->shape().element_type() != i.shape().element_type() ||
      !RepeatsItself({i.operand(1)}, reducer))
    return nullptr;
  Dims sizes, starts;
  for (const WindowDimension& w : i.attrs<WindowAttrs>().window) {
    starts.push_back(w.size - 1 - spread->low[sizes.size()]);
    sizes.push_back(w.size);
  }
  const WindowBlocks blocks(sizes, spread->apart, spread->x->shape().dimensions());
  // Most of what is far apart may be cut off again.
  const int64_t elements = std::max(i.shape().element_count(), spread->x->shape().element_count());
  if (blocks.most_windows() > kMostElements || blocks.element_count() / 8 > elements ||
      !blocks.has_few_places())
    return nullptr;
  Graph g(c, i);
  HloInstruction *initial = i.operand(1), *result = g.Splat(initial, blocks.dims()),
                 *x = blocks.WithBorder(g, spread->x, initial);
  for (const Dims& k : PlacesIn(blocks.meeting())) {
    HloInstruction* element = blocks.EntryOf(g, x, k);
    RETURN_IF_ERROR(g.status());
    ASSIGN_OR_RETURN(const Values more,
                     MapElements(c, i, reducer, {result, element}, blocks.dims()));
    HloInstruction* is_in = blocks.IsIn(g, k);
    result = is_in ? g.Add(HloOpcode::Select, {is_in, more[0], result}) : more[0];
  }
  result = blocks.Elements(g, result, starts, i.shape().dimensions(), initial);
  RETURN_IF_ERROR(g.status());
  return result;
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
  if (n == 1) {
    ASSIGN_OR_RETURN(HloInstruction * result, ReduceSpread(c, i));
    if (result != nullptr) return result;
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
  const Dims positions = DimsFrom(rank, operands[0]->shape().rank());
  HloInstruction* result =
      g.Add(HloOpcode::Reduce, operands, DimensionsAttrs{positions}, i.called());
  RETURN_IF_ERROR(g.status());
  return result;
}

}  // namespace sinter::expand
