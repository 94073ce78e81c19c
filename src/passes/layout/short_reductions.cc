#include "passes/layout/short_reductions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "ir/analysis/computed_stack.h"
#include "ir/analysis/op_cost.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/short_dimensions.h"
#include "ir/ops/window.h"
#include "ir/results.h"
#include "pass/graph.h"
#include "pass/inline_elementwise.h"
#include "target/tuning.h"

namespace sinter {
namespace {

// Elements that are reduced to one, in rows of an array and in windows.
constexpr int64_t kMostInWindow = 32;
// Results of a reduction of short rows: the largest and its place. What is computed for a row's
// elements, in OpCost: it is code for each of them.
constexpr size_t kMostOfRow = 2;
constexpr double kMostRowWork = 64;
// What is computed for all elements that are reduced to a short row, in OpCost: vectors go across
// such rows, so that there is code for each element. (exp of N x 8 x 8, summed along the middle:
// 199 ms of compilation instead of 2, and no quicker; of N x 3 x 3 it takes half of the time.)
constexpr double kMostCodeOfShortRow = 128;
// What a scan of short rows combines two elements by, in OpCost.
constexpr double kMostCombining = 8;

bool IsRead(const HloInstruction& x) {
  return x.op() == HloOpcode::Parameter || x.op() == HloOpcode::Iota ||
         x.op() == HloOpcode::Broadcast;
}

// What is computed of arrays in memory, element by element, in OpCost; nothing where it is made of
// other values, or of much.
std::optional<double> WorkOf(const HloInstruction& x, double most) {
  if (IsRead(x)) return 0;
  double work = std::max(1., OpCost(x));  // at least: operations that cost nothing may branch, too
  if (!IsElementwise(x.op()) || work > most) return std::nullopt;
  for (const HloInstruction* o : x.operands()) {
    if (o->shape().is_scalar()) continue;
    const auto below = WorkOf(*o, most - work - 1);
    if (!below) return std::nullopt;
    work += *below;
  }
  return work;
}

// Whether all of x's short dimensions are reduced, and it is in memory or costs nothing: a lane has
// a row then, of which vectors are loaded whole. Of what is computed there is code for each place
// of a row: only where the reduction itself, of several results, is much for each.
bool IsOfShortRows(const HloInstruction& x, const Dims& reduced, size_t results) {
  const int k = ShortDimensions(x.shape());
  int64_t row = 1;
  for (int64_t d = x.shape().rank() - k; d < x.shape().rank(); ++d) {
    if (!absl::c_linear_search(reduced, d)) return false;
    row *= x.shape().dimension(d);
  }
  if (k == 0 || static_cast<size_t>(k) != reduced.size() || row > kLongestSplit) return false;
  if (IsRead(x) || x.op() == HloOpcode::Dot) return true;
  return results > 1 && WorkOf(x, kMostRowWork / static_cast<double>(row));
}

// Whether the results are spread over what was reduced again, as a softmax's are: written out, they
// would be computed again for each of these elements, where a reduction is computed before them.
// Not where others reduce what comes of it, along other dimensions or in products: it is computed
// within their loops then, of which it cannot be one.
bool IsSpreadAgain(const HloInstruction& reduce) {
  constexpr size_t kMostSteps = 32;
  const Dims& from = reduce.operand(0)->shape().dimensions();
  std::vector<const HloInstruction*> reached{&reduce};
  bool is_spread = false;
  for (size_t k = 0; k < reached.size(); ++k) {
    if (reached.size() > kMostSteps) return false;
    for (const HloInstruction* u : reached[k]->users()) {
      const bool spreads = u->op() == HloOpcode::Broadcast && u->shape().dimensions() == from;
      is_spread |= spreads;
      if (u->op() == HloOpcode::Dot ||
          (u->op() == HloOpcode::Reduce && u->dimensions() != reduce.dimensions()))
        return false;
      if ((spreads || IsElementwise(u->op()) || u->op() == HloOpcode::Reduce ||
           u->op() == HloOpcode::Reshape || u->op() == HloOpcode::GetTupleElement) &&
          !absl::c_linear_search(reached, u))
        reached.push_back(u);
    }
  }
  return is_spread;
}

// Whether x is a stack along the dimension, or computed element by element of one.
bool IsOfStack(const HloInstruction& x, int64_t dim, int steps = 8) {
  if (steps == 0) return false;
  if (IsComputedStack(x, dim)) return true;
  if (x.op() == HloOpcode::Broadcast) {
    const auto from = absl::c_find(x.dimensions(), dim);
    return from != x.dimensions().end() &&
           IsOfStack(*x.operand(0), from - x.dimensions().begin(), steps - 1);
  }
  return IsElementwise(x.op()) && absl::c_any_of(x.operands(), [&](const HloInstruction* o) {
           return o->shape().rank() == x.shape().rank() && IsOfStack(*o, dim, steps - 1);
         });
}

// Whether what a reduction or a scan combines elements by can be written out, which it is between
// values of the results' types.
bool CombinesInResults(const HloInstruction& i) {
  const HloInstruction& root = *i.called(0)->root();
  if (!IsScalarComputation(*i.called(0)) || (root.op() == HloOpcode::Tuple) != i.shape().is_tuple())
    return false;
  const size_t count = i.operands().size() / 2;
  for (size_t k = 0; k < count; ++k)
    if (i.operand(count + k)->shape().element_type() != ResultShape(i, k).element_type())
      return false;
  return true;
}

// Sums of narrow floats are rounded once.
bool RoundsOnce(const HloInstruction& i) {
  const HloOpcode op = i.called(0)->root()->op();
  if (op == HloOpcode::Maximum || op == HloOpcode::Minimum) return false;
  for (size_t k = 0; k < i.operands().size() / 2; ++k) {
    const ElementType type = ResultShape(i, k).element_type();
    if (IsFloat(type) && BitWidth(type) < 32) return true;
  }
  return false;
}

// What of x is computed element by element, in OpCost.
double WorkOnElements(const HloInstruction& x) {
  absl::flat_hash_set<const HloInstruction*> seen;
  std::vector<const HloInstruction*> stack{&x};
  double work = 0;
  while (!stack.empty() && work < kMostCodeOfShortRow) {
    const HloInstruction* i = stack.back();
    stack.pop_back();
    if (!IsElementwise(i->op()) || i->shape().is_scalar() || !seen.insert(i).second) continue;
    work += OpCost(*i);
    absl::c_copy(i->operands(), std::back_inserter(stack));
  }
  return work;
}

// Whether what is reduced to a short row takes little code, written out for each element.
bool IsLittleOfShortRow(const HloInstruction& i, int64_t reduced) {
  const int64_t row = ResultShape(i).rank() == 0 ? 1 : ResultShape(i).dimensions().back();
  if (row > kMostReduced) return true;
  double work = 0;
  for (size_t k = 0; k < i.operands().size() / 2; ++k) work += WorkOnElements(*i.operand(k));
  return work * static_cast<double>(reduced * row) <= kMostCodeOfShortRow;
}

bool IsShort(const HloInstruction& i) {
  if (i.op() != HloOpcode::Reduce || i.dimensions().empty() || !CombinesInResults(i)) return false;
  const size_t count = i.operands().size() / 2;
  const Shape& from = i.operand(0)->shape();
  int64_t reduced = 1;
  for (int64_t d : i.dimensions()) reduced *= from.dimension(d);
  // Of one element each there is no loop, which a kernel could not cut among threads together with
  // that of another reduction.
  if (reduced == 1) return true;
  if (ResultShape(i).element_count() < tuning::kFewestWrittenOut || RoundsOnce(i)) return false;
  const auto arrays = absl::MakeSpan(i.operands()).subspan(0, count);
  if (reduced < 1) return false;
  if (absl::c_all_of(arrays, [&](const HloInstruction* x) {
        return IsOfShortRows(*x, i.dimensions(), count);
      }))
    return count <= kMostOfRow;
  if (count == 1 && i.dimensions().size() == 1 && IsOfStack(*arrays[0], i.dimensions()[0]))
    return !IsSpreadAgain(i);
  // What several results need of one another makes much code.
  const int64_t most = count == 1 ? kMostInWindow : kMostReduced;
  if (reduced * static_cast<int64_t>(count) > most) return false;
  const bool is_minor = absl::c_linear_search(i.dimensions(), from.rank() - 1);
  if (reduced <= kMostReduced && !is_minor)
    return !IsSpreadAgain(i) && IsLittleOfShortRow(i, reduced);
  return absl::c_all_of(arrays, [&](const HloInstruction* x) {
    return absl::c_all_of(i.dimensions(), [&](int64_t d) { return IsPositionInWindow(*x, d); });
  });
}

// How a scan goes along rows that are shorter than vectors; nothing where it is none. Written out,
// each of a row's results is a vector's lane beside those of other rows. Else lanes would step from
// row to row.
std::optional<CumulativeWindow> ShortScan(const HloInstruction& i) {
  if (i.op() != HloOpcode::ReduceWindow || i.operands().size() > 2 * kMostOfRow ||
      !CombinesInResults(i) || RoundsOnce(i))
    return std::nullopt;
  const Shape& from = i.operand(0)->shape();
  const auto along = FindCumulative(from.dimensions(), i.attrs<WindowAttrs>().window);
  if (!along || static_cast<int64_t>(along->dimension) + 1 != from.rank() ||
      ShortDimensions(from) == 0 || from.dimensions().back() >= kLongestSplit)
    return std::nullopt;
  double combining = 0;
  for (const HloInstruction* step : i.called(0)->PostOrder()) combining += OpCost(*step);
  return combining <= kMostCombining ? along : std::nullopt;
}

// A product of small windows with a single column, as a convolution of one channel with one filter
// is, as the sum over the windows that it is. Null if it is none.
HloInstruction* AsSumOverWindows(HloComputation& c, HloInstruction& dot) {
  const ElementType type = dot.shape().is_array() ? dot.shape().element_type() : ElementType::S32;
  if (dot.op() != HloOpcode::Dot || (type != ElementType::F32 && type != ElementType::F64))
    return nullptr;
  const auto& a = dot.attrs<DotAttrs>();
  const size_t side = dot.operand(0)->op() == HloOpcode::Windows ? 0 : 1;  // of the windows
  HloInstruction *windows = dot.operand(side), *column = dot.operand(1 - side);
  const Dims &of_windows = side == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims,
             &of_column = side == 0 ? a.rhs_contracting_dims : a.lhs_contracting_dims,
             &dims = windows->shape().dimensions();
  if (windows->op() != HloOpcode::Windows || !a.lhs_batch_dims.empty() ||
      windows->shape().element_type() != type || column->shape().element_type() != type ||
      column->shape().element_count() > kMostInWindow ||
      dot.shape().element_count() < tuning::kFewestWrittenOut)
    return nullptr;
  std::vector<std::pair<int64_t, int64_t>> contracted;  // dimensions of the windows, the column
  int64_t terms = 1;
  for (size_t k = 0; k < of_windows.size(); ++k) {
    const int64_t d = of_windows[k];
    if (dims[static_cast<size_t>(d)] == 1) continue;
    if (!IsPositionInWindow(*windows, d)) return nullptr;
    contracted.emplace_back(d, of_column[k]);
    terms *= dims[static_cast<size_t>(d)];
  }
  if (terms < 2 || terms != column->shape().element_count()) return nullptr;
  absl::c_sort(contracted);
  Dims reduced, order, sizes;
  for (const auto& [position, place] : contracted) {
    reduced.push_back(position);
    order.push_back(place);
    sizes.push_back(dims[static_cast<size_t>(position)]);
  }
  for (int64_t d = 0; d < column->shape().rank(); ++d)
    if (!absl::c_linear_search(order, d)) order.push_back(d);
  Graph g(c, dot);
  HloInstruction* factors = g.Reshape(g.Transpose(column, order), sizes);
  HloInstruction* products =
      g.Add(HloOpcode::Multiply, {windows, g.Broadcast(factors, dims, reduced)});
  HloInstruction* sum = g.Reshape(g.Sum(products, reduced), dot.shape().dimensions());
  return g.status().ok() ? sum : nullptr;
}

// Writes one reduction, or one scan, out.
class Unroller : ShapedGraph {
 public:
  Unroller(HloComputation& c, HloInstruction& i) : ShapedGraph(c, i), c_(c), i_(i) {}

  // The results of a reduction.
  std::vector<HloInstruction*> Make() {
    const Dims& from = i_.operand(0)->shape().dimensions();
    const Dims& dims = ResultShape(i_).dimensions();
    std::vector<HloInstruction*> sums = Initial(dims);
    Places at(from.size());
    for (int64_t d : i_.dimensions()) at[static_cast<size_t>(d)] = 0;
    for (;;) {
      std::vector<HloInstruction*> arguments = sums;
      for (HloInstruction* element : Elements(at)) arguments.push_back(element);
      sums = InlineElementwiseResults(c_, *i_.called(0), arguments, dims);
      // The next position, the last dimension first.
      size_t k = i_.dimensions().size();
      for (; k > 0; --k) {
        const auto d = static_cast<size_t>(i_.dimensions()[k - 1]);
        if (++*at[d] < from[d]) break;
        at[d] = 0;
      }
      if (k == 0) return sums;
    }
  }

  // The results of a scan along the last dimension: each is stacked of those of one place.
  // Backwards an element comes before what has been combined, as it does in its window.
  std::vector<HloInstruction*> MakeScan(bool backwards) {
    Dims rest = i_.operand(0)->shape().dimensions(), one = rest;
    const int64_t n = rest.back();
    one.back() = 1;
    rest.pop_back();
    Places at(one.size());
    std::vector<HloInstruction*> sums = Initial(rest);
    std::vector<std::vector<HloInstruction*>> places(sums.size());
    for (int64_t k = 0; k < n; ++k) {
      at.back() = backwards ? n - 1 - k : k;
      std::vector<HloInstruction*> arguments = sums, elements = Elements(at);
      arguments.insert(backwards ? arguments.begin() : arguments.end(), elements.begin(),
                       elements.end());
      sums = InlineElementwiseResults(c_, *i_.called(0), arguments, rest);
      for (size_t r = 0; r < sums.size(); ++r) places[r].push_back(Reshape(sums[r], one));
    }
    std::vector<HloInstruction*> results;
    for (size_t r = 0; r < places.size(); ++r) {
      if (backwards) absl::c_reverse(places[r]);
      results.push_back(Add(HloOpcode::Concatenate, ResultShape(i_, r), places[r],
                            DimensionsAttrs{{static_cast<int64_t>(rest.size())}}));
    }
    return results;
  }

 private:
  // The place along each dimension that one has been chosen of.
  using Places = std::vector<std::optional<int64_t>>;

  std::vector<HloInstruction*> Initial(const Dims& dims) {
    const size_t count = i_.operands().size() / 2;
    std::vector<HloInstruction*> initial;
    for (size_t k = 0; k < count; ++k) {
      initial.push_back(Add(HloOpcode::Broadcast, Shape(ResultShape(i_, k).element_type(), dims),
                            {i_.operand(count + k)}, DimensionsAttrs{}));
    }
    return initial;
  }
  std::vector<HloInstruction*> Elements(const Places& at) {
    std::vector<HloInstruction*> elements;
    for (size_t k = 0; k < i_.operands().size() / 2; ++k)
      elements.push_back(Part(i_.operand(k), at));
    return elements;
  }

  // The elements of x at these places: an array of the other dimensions. Of rows, and where all of
  // the places are positions in windows, operations on elements are done on the parts, each a slice
  // of an array or of what has windows; parts of a broadcast are broadcasts of parts, and of an
  // iota numbers.
  HloInstruction* Part(HloInstruction* x, const Places& at) {
    const auto [known, is_new] = parts_.try_emplace({x, at}, nullptr);
    if (is_new) known->second = MakePart(x, at);
    return known->second;
  }
  HloInstruction* MakePart(HloInstruction* x, const Places& at) {
    Dims rest;
    bool are_positions = true;
    for (size_t d = 0; d < at.size(); ++d) {
      if (!at[d]) rest.push_back(x->shape().dimensions()[d]);
      are_positions &= !at[d] || IsPositionInWindow(*x, static_cast<int64_t>(d));
    }
    if (rest.size() == at.size()) return x;
    const Shape shape(x->shape().element_type(), rest);
    if (are_positions && x->op() == HloOpcode::Windows &&
        rest.size() == x->attrs<WindowAttrs>().window.size())
      return PartOfWindows(x, at, shape);
    auto left = [&](int64_t d) {  // of dimension d, among those that are
      return d - std::count_if(at.begin(), at.begin() + d,
                               [](const auto& place) { return place.has_value(); });
    };
    if (x->op() == HloOpcode::Iota) {
      const int64_t d = x->attrs<IotaAttrs>().iota_dimension;
      const auto& place = at[static_cast<size_t>(d)];
      if (!place) return Add(HloOpcode::Iota, shape, {}, IotaAttrs{left(d)});
      // Of 32 bits, as a wider one would make vectors of fewer elements.
      HloInstruction* position = Graph(c_, i_).Convert(
          c_.AddConstant(Literal::R0(static_cast<int32_t>(*place))), shape.element_type());
      return Add(HloOpcode::Broadcast, shape, {position}, DimensionsAttrs{});
    }
    if (x->op() == HloOpcode::Broadcast) {
      Places places;
      Dims dims;
      for (int64_t d : x->dimensions()) {
        places.push_back(at[static_cast<size_t>(d)]);
        if (!places.back()) dims.push_back(left(d));
      }
      return Add(HloOpcode::Broadcast, shape, {Part(x->operand(0), places)}, DimensionsAttrs{dims});
    }
    // In rows: what is little is computed where it is read.
    const bool is_on_parts =
        are_positions || (at.back() && WorkOf(*x, kMostRowWork)) || IsOfStackAt(*x, at);
    if (is_on_parts && IsElementwise(x->op())) {
      std::vector<HloInstruction*> operands;
      for (HloInstruction* o : x->operands())
        operands.push_back(o->shape().is_scalar() ? o : Part(o, at));
      return Add(x->op(), shape, operands, x->attributes());
    }
    if (shape.element_count() == x->shape().element_count()) return Reshape(x, rest);
    if (x->op() == HloOpcode::Concatenate) {
      const auto axis = static_cast<size_t>(x->dimensions()[0]);
      if (at[axis] && IsComputedStack(*x, x->dimensions()[0])) {
        Places place = at;
        place[axis] = 0;
        return Part(x->operand(static_cast<size_t>(*at[axis])), place);
      }
    }
    SliceAttrs slice{Dims(at.size(), 0), x->shape().dimensions(), Dims(at.size(), 1)};
    Dims sizes = x->shape().dimensions();
    for (size_t d = 0; d < at.size(); ++d) {
      if (!at[d]) continue;
      slice.starts[d] = *at[d];
      slice.limits[d] = *at[d] + 1;
      sizes[d] = 1;
    }
    HloInstruction* part =
        Add(HloOpcode::Slice, Shape(shape.element_type(), sizes), {x}, std::move(slice));
    return Reshape(part, rest);
  }

  // Whether one place is chosen, along a stack that x is made of.
  bool IsOfStackAt(const HloInstruction& x, const Places& at) {
    if (absl::c_count(at, std::nullopt) + 1 != std::ssize(at)) return false;
    const int64_t dim =
        absl::c_find_if(at, [](const auto& place) { return place.has_value(); }) - at.begin();
    const auto [known, is_new] = of_stack_.try_emplace({&x, dim}, false);
    if (is_new) known->second = IsOfStack(x, dim);
    return known->second;
  }

  // The places are positions in a window; those that are left are dimensions of 1.
  HloInstruction* PartOfWindows(HloInstruction* x, const Places& at, const Shape& shape) {
    HloInstruction* array = x->operand(0);
    const Window& window = x->attrs<WindowAttrs>().window;
    const size_t rank = window.size();
    SliceAttrs slice{Dims(rank, 0), Dims(rank, 0), Dims(rank, 1)};
    size_t position = rank;
    for (size_t d = 0; d < rank; ++d) {
      const WindowDimension& w = window[d];
      slice.starts[d] = w.size > 1 ? *at[position++] * w.window_dilation : 0;
      slice.strides[d] = w.stride;
      slice.limits[d] = slice.starts[d] + (x->shape().dimensions()[d] - 1) * w.stride + 1;
    }
    return Add(HloOpcode::Slice, shape, {array}, std::move(slice));
  }

  HloComputation& c_;
  HloInstruction& i_;
  // What several operations read is made once: else it would be as often as there are ways to it.
  std::map<std::pair<const HloInstruction*, Places>, HloInstruction*> parts_;
  // Found once for all places.
  std::map<std::pair<const HloInstruction*, int64_t>, bool> of_stack_;
};

void Replace(HloComputation& c, HloInstruction* i, const std::vector<HloInstruction*>& results) {
  if (!i->shape().is_tuple()) return c.ReplaceAllUses(i, results[0]);
  const std::vector<HloInstruction*> users(i->users().begin(), i->users().end());
  for (HloInstruction* u : users) {
    if (u->op() == HloOpcode::GetTupleElement)
      c.ReplaceAllUses(u, results[static_cast<size_t>(u->attrs<TupleElementAttrs>().index)]);
  }
  const bool is_needed = i == c.root() || absl::c_any_of(users, [](const HloInstruction* u) {
                           return u->op() != HloOpcode::GetTupleElement;
                         });
  if (is_needed) c.ReplaceAllUses(i, c.AddWithShape(HloOpcode::Tuple, i->shape(), results));
}

}  // namespace

std::unique_ptr<Pass> MakeShortReductionsPass() {
  return MakePass("short-reductions", [](HloModule& module) -> absl::StatusOr<bool> {
    bool changed = false;
    for (HloComputation* c : module.PostOrder()) {
      bool own = false;
      for (HloInstruction* i : c->PostOrder()) {
        HloInstruction* sum = AsSumOverWindows(*c, *i);
        if (sum != nullptr) c->ReplaceAllUses(i, sum);
        own |= sum != nullptr;
      }
      for (HloInstruction* i : c->PostOrder()) {
        if (IsShort(*i)) {
          Replace(*c, i, Unroller(*c, *i).Make());
        } else if (const auto along = ShortScan(*i)) {
          Replace(*c, i, Unroller(*c, *i).MakeScan(along->backwards));
        } else {
          continue;
        }
        own = true;
      }
      if (own) c->RemoveDead();
      changed |= own;
    }
    return changed;
  });
}

}  // namespace sinter
