#include "passes/expand/ordered_reduction.h"

#include <limits>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/analysis/choice.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/results.h"
#include "pass/expansion.h"
#include "pass/graph.h"
#include "passes/expand/elements.h"

namespace sinter {
namespace {

using Arrays = std::vector<HloInstruction*>;

class OrderedReduction {
 public:
  OrderedReduction(HloComputation& c, const HloInstruction& i)
      : c_(c), i_(i), reducer_(*i.called(0)), n_(i.operands().size() / 2) {
    const Shape& x = i.operand(0)->shape();
    for (int64_t d = 0; d < x.rank(); ++d) {
      const bool reduced = absl::c_linear_search(i.dimensions(), d);
      (reduced ? order_ : kept_).push_back(d);
      if (reduced) {
        count_ *= x.dimension(d);
      } else {
        dims_.push_back(x.dimension(d));
      }
    }
    order_.insert(order_.end(), kept_.begin(), kept_.end());
    index_ = count_ <= std::numeric_limits<int32_t>::max() ? ElementType::S32 : ElementType::S64;
  }

  absl::StatusOr<HloInstruction*> Make() {
    Graph g(c_, i_);
    Arrays accumulators, elements;
    for (size_t k = 0; k < n_; ++k) {
      // The reducer's parameters may be wider than the arrays.
      const ElementType type = reducer_.parameter(k)->shape().element_type();
      accumulators.push_back(g.Splat(g.Convert(i_.operand(n_ + k), type), dims_));
      HloInstruction* x = g.Convert(i_.operand(k), type);
      Dims rows{count_};
      rows.insert(rows.end(), dims_.begin(), dims_.end());
      elements.push_back(
          g.Reshape(g.Add(HloOpcode::Transpose, {x}, DimensionsAttrs{order_}), rows));
    }
    RETURN_IF_ERROR(g.status());
    constexpr int64_t kMostWrittenOut = 16;
    if (count_ <= kMostWrittenOut) {
      for (int64_t t = 0; t < count_; ++t) {
        Arrays row;
        for (HloInstruction* x : elements) row.push_back(Row(g, x, t));
        RETURN_IF_ERROR(g.status());
        ASSIGN_OR_RETURN(accumulators, Step(c_, accumulators, row));
      }
    } else {
      ASSIGN_OR_RETURN(accumulators, Loop(g, accumulators, elements));
    }
    for (size_t k = 0; k < n_; ++k)
      accumulators[k] = g.Convert(accumulators[k], ResultShape(i_, k).element_type());
    HloInstruction* result =
        i_.shape().is_tuple() ? g.Add(HloOpcode::Tuple, accumulators) : accumulators[0];
    RETURN_IF_ERROR(g.status());
    return result;
  }

 private:
  absl::StatusOr<Arrays> Step(HloComputation& c, Arrays accumulators, const Arrays& row) {
    accumulators.insert(accumulators.end(), row.begin(), row.end());
    return expand::MapElements(c, i_, reducer_, accumulators, dims_);
  }

  HloInstruction* Row(Graph& g, HloInstruction* x, int64_t t) {
    Dims starts(static_cast<size_t>(x->shape().rank()), 0), limits = x->shape().dimensions();
    starts[0] = t;
    limits[0] = t + 1;
    return g.Reshape(
        g.Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, Dims(starts.size(), 1)}), dims_);
  }

  // The state: the counter, the accumulators, the elements.
  absl::StatusOr<Arrays> Loop(Graph& g, const Arrays& accumulators, const Arrays& elements) {
    Arrays state{g.Zero(index_)};
    state.insert(state.end(), accumulators.begin(), accumulators.end());
    state.insert(state.end(), elements.begin(), elements.end());
    HloInstruction* initial = g.Add(HloOpcode::Tuple, state);
    RETURN_IF_ERROR(g.status());
    const Shape& shape = initial->shape();

    HloComputation* condition = c_.module()->AddComputation("reduction.condition");
    Graph more(*condition, i_);
    condition->set_root(more.Compare(more.Element(condition->AddParameter(0, shape), 0),
                                     more.Scalar(index_, static_cast<double>(count_)),
                                     ComparisonDirection::kLt));
    RETURN_IF_ERROR(more.status());

    HloComputation* body = c_.module()->AddComputation("reduction.body");
    Graph b(*body, i_);
    HloInstruction* parameter = body->AddParameter(0, shape);
    for (size_t k = 0; k < state.size(); ++k)
      state[k] = b.Element(parameter, static_cast<int64_t>(k));
    Arrays row;
    for (size_t k = 0; k < n_; ++k) {
      HloInstruction* x = state[1 + n_ + k];
      Arrays operands{x, state[0]};
      operands.resize(1 + static_cast<size_t>(x->shape().rank()), b.Zero(index_));
      Dims sizes = x->shape().dimensions();
      sizes[0] = 1;
      row.push_back(
          b.Reshape(b.Add(HloOpcode::DynamicSlice, operands, DynamicSliceAttrs{sizes}), dims_));
    }
    RETURN_IF_ERROR(b.status());
    ASSIGN_OR_RETURN(
        const Arrays next,
        Step(*body, Arrays(state.begin() + 1, state.begin() + 1 + static_cast<ptrdiff_t>(n_)),
             row));
    state[0] = b.Add(HloOpcode::Add, {state[0], b.Scalar(index_, 1)});
    absl::c_copy(next, state.begin() + 1);
    body->set_root(b.Add(HloOpcode::Tuple, state));
    RETURN_IF_ERROR(b.status());

    HloInstruction* loop = g.Add(HloOpcode::While, {initial}, NoAttrs{}, {condition, body});
    Arrays out;
    for (size_t k = 0; k < n_; ++k) out.push_back(g.Element(loop, static_cast<int64_t>(1 + k)));
    RETURN_IF_ERROR(g.status());
    return out;
  }

  HloComputation& c_;
  const HloInstruction& i_;
  const HloComputation& reducer_;
  const size_t n_;
  Dims order_, kept_, dims_;
  int64_t count_ = 1;
  ElementType index_ = ElementType::S32;
};

// Of (value, position) twice the one with the greater value, or the lesser one: of NaNs, which come
// first, and of equal ones that at the lesser position.
HloComputation* FirstOf(HloModule& module, const HloComputation& computation, bool greatest) {
  HloComputation* c = module.AddComputation("first");
  const Shape flag(ElementType::PRED);
  HloInstruction* x[4];
  for (int64_t k = 0; k < 4; ++k) x[k] = c->AddParameter(k, computation.parameter(k)->shape());
  auto compare = [&](HloInstruction* a, HloInstruction* b, ComparisonDirection direction) {
    return c->AddWithShape(HloOpcode::Compare, flag, {a, b}, CompareAttrs{direction});
  };
  auto logical = [&](HloOpcode op, std::vector<HloInstruction*> of) {
    return c->AddWithShape(op, flag, std::move(of));
  };
  using enum ComparisonDirection;
  HloInstruction* before = compare(x[1], x[3], kLt);
  HloInstruction* nan = logical(
      HloOpcode::And,
      {compare(x[0], x[0], kNe), logical(HloOpcode::Or, {compare(x[2], x[2], kEq), before})});
  HloInstruction* equal = logical(HloOpcode::And, {compare(x[0], x[2], kEq), before});
  HloInstruction* first =
      logical(HloOpcode::Or,
              {logical(HloOpcode::Or, {compare(x[0], x[2], greatest ? kGt : kLt), nan}), equal});
  std::vector<HloInstruction*> results;
  for (size_t k = 0; k < 2; ++k)
    results.push_back(c->AddWithShape(HloOpcode::Select, x[k]->shape(), {first, x[k], x[k + 2]}));
  c->set_root(
      c->AddWithShape(HloOpcode::Tuple, Shape::Tuple({x[0]->shape(), x[1]->shape()}), results));
  return c;
}

}  // namespace

std::unique_ptr<Pass> MakeExpandOrderedReductionsPass() {
  return MakeExpansionPass(
      "expand-ordered-reductions",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Reduce ||
            CombinesInAnyOrder(*i.called(0), i.operands().size() / 2))
          return nullptr;
        if (const std::optional<bool> greatest = ChoosesGreatest(i)) {
          Graph g(c, i);
          HloComputation* first = FirstOf(*c.module(), *i.called(0), *greatest);
          HloInstruction* reduce =
              g.Add(HloOpcode::Reduce, Arrays(i.operands().begin(), i.operands().end()),
                    i.attributes(), {first});
          RETURN_IF_ERROR(g.status());
          return reduce;
        }
        return OrderedReduction(c, i).Make();
      });
}

}  // namespace sinter
