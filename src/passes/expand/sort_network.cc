#include "passes/expand/sort_network.h"

#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/analysis/sort_key.h"
#include "pass/expansion.h"
#include "passes/expand/elements.h"
#include "passes/expand/loop.h"

namespace sinter {
namespace expand {
namespace {

// Numbers of elements and distances between them.
ElementType PlaceType(int64_t extent) {
  return extent < (int64_t{1} << 31) ? ElementType::U32 : ElementType::U64;
}

class Network {
 public:
  Network(HloComputation& c, const HloInstruction& sort)
      : c_(c),
        sort_(sort),
        dims_(sort.operand(0)->shape().dimensions()),
        d_(sort.attrs<SortAttrs>().dimensions[0]),
        extent_(dims_[static_cast<size_t>(d_)]),
        place_(PlaceType(extent_)) {}

  absl::StatusOr<HloInstruction*> Make() {
    Values results = sort_.operands();
    const std::optional<LibraryKey> only = OnlyKeyOf(sort_);
    const ElementType key = sort_.operand(0)->shape().element_type();
    if (extent_ < 2 || sort_.operand(0)->shape().element_count() == 0) {
      // It is as it was.
    } else if (only && sort_.operands().size() > 1 && BitWidth(key) <= 32 &&
               place_ == ElementType::U32) {
      ASSIGN_OR_RETURN(results, ByWords());
    } else {
      ASSIGN_OR_RETURN(results, ByComparator(only && only->order != SortOrder::kMerged &&
                                             sort_.operands().size() == 1));
    }
    if (!sort_.shape().is_tuple()) return results[0];
    Graph g(c_, sort_);
    HloInstruction* tuple = g.Add(HloOpcode::Tuple, results);
    RETURN_IF_ERROR(g.status());
    return tuple;
  }

 private:
  // Says of arrays `low` and `high` whether they stand the wrong way round.
  using IsExchanged = std::function<HloInstruction*(Graph&, const Values&, const Values&)>;

  absl::StatusOr<Values> ByWords() {
    constexpr ElementType kWord = ElementType::U64;
    Graph g(c_, sort_);
    HloInstruction* bits = g.Splat(g.Scalar(kWord, 32), dims_);
    HloInstruction* key = g.Convert(sort_.operand(0), kWord);
    HloInstruction* words =
        g.Add(HloOpcode::Or, {g.Add(HloOpcode::ShiftLeft, {key, bits}), Places(g, kWord)});
    RETURN_IF_ERROR(g.status());
    ASSIGN_OR_RETURN(Values sorted,
                     Run({words}, [](Graph& b, const Values& low, const Values& high) {
                       return b.Compare(high[0], low[0], ComparisonDirection::kLt);
                     }));
    Values results{g.Convert(g.Add(HloOpcode::ShiftRightLogical, {sorted[0], bits}),
                             sort_.operand(0)->shape().element_type())};
    // The places as index vectors of one entry, batched over the other dimensions.
    GatherAttrs a;
    const auto rank = static_cast<int64_t>(dims_.size());
    for (int64_t d = 0; d < rank; ++d) {
      if (d == d_) continue;
      a.operand_batching_dims.push_back(d);
      a.start_indices_batching_dims.push_back(d);
    }
    a.collapsed_slice_dims = a.start_index_map = {d_};
    a.index_vector_dim = rank;
    a.slice_sizes = Dims(dims_.size(), 1);
    Dims vectors = dims_;
    vectors.push_back(1);
    HloInstruction* at = g.Reshape(g.Convert(sorted[0], ElementType::U32), vectors);
    for (size_t k = 1; k < sort_.operands().size(); ++k)
      results.push_back(g.Add(HloOpcode::Gather, {sort_.operand(k), at}, a));
    RETURN_IF_ERROR(g.status());
    return results;
  }

  // `alone`: elements that compare equal are the same.
  absl::StatusOr<Values> ByComparator(bool alone) {
    const size_t n = sort_.operands().size();
    Values arrays = sort_.operands();
    if (!alone) {
      Graph g(c_, sort_);
      arrays.push_back(Places(g, place_));
      RETURN_IF_ERROR(g.status());
    }
    ASSIGN_OR_RETURN(arrays, Run(arrays, [&](Graph& g, const Values& low, const Values& high) {
                       HloInstruction* less = Less(g, high, low);
                       if (alone) return less;
                       HloInstruction* more = Less(g, low, high);
                       HloInstruction* equal = g.Compare(less, more, ComparisonDirection::kEq);
                       HloInstruction* later = g.Compare(high[n], low[n], ComparisonDirection::kLt);
                       return g.Add(HloOpcode::Select, {equal, later, less});
                     }));
    arrays.resize(n);
    return arrays;
  }

  // What the comparator says of each pair of elements.
  HloInstruction* Less(Graph& g, const Values& x, const Values& y) const {
    Values arguments;
    for (size_t k = 0; k < sort_.operands().size(); ++k) {
      arguments.push_back(x[k]);
      arguments.push_back(y[k]);
    }
    absl::StatusOr<Values> less =
        MapElements(*x[0]->parent(), sort_, *sort_.called(0), arguments, dims_);
    if (less.ok()) return (*less)[0];
    g.Fail(less.status());
    return g.Splat(g.Zero(ElementType::PRED), dims_);
  }

  HloInstruction* Places(Graph& g, ElementType type) const {
    const Shape shape(type, dims_);
    return g.Add(HloOpcode::Iota, {}, IotaAttrs{d_}, {}, &shape);
  }

  // Runs of `run` elements are sorted; a stage pairs each element with the one at its place with
  // the bits of `mask` flipped. The first stage for a run takes all bits below twice its length, so
  // that the smaller element always goes to the lower place: elements behind the last one would be
  // the greatest, and stay there without being anywhere.
  absl::StatusOr<Values> Run(const Values& arrays, const IsExchanged& is_exchanged) {
    Graph g(c_, sort_);
    Values state{g.Scalar(place_, 1), g.Scalar(place_, 1)};
    state.insert(state.end(), arrays.begin(), arrays.end());
    RETURN_IF_ERROR(g.status());
    ASSIGN_OR_RETURN(state,
                     AddLoop(
                         c_, sort_, "sort", state,
                         [&](Graph& b, const Values& s) {
                           return b.Compare(s[0], b.Scalar(place_, static_cast<double>(extent_)),
                                            ComparisonDirection::kLt);
                         },
                         [&](Graph& b, const Values& s) { return Stage(b, s, is_exchanged); }));
    state.erase(state.begin(), state.begin() + 2);
    return state;
  }

  Values Stage(Graph& g, const Values& state, const IsExchanged& is_exchanged) const {
    HloInstruction *run = state[0], *mask = state[1];
    const Dims line{extent_};
    const Shape line_shape(place_, line);
    HloInstruction* here = g.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &line_shape);
    HloInstruction* there = g.Add(HloOpcode::Xor, {here, g.Splat(mask, line)});
    HloInstruction* last = g.Splat(g.Scalar(place_, static_cast<double>(extent_ - 1)), line);
    auto spread = [&](HloInstruction* x) { return g.Broadcast(x, dims_, {d_}); };
    HloInstruction* is_paired = spread(g.Compare(there, last, ComparisonDirection::kLe));
    HloInstruction* is_low = spread(g.Compare(here, there, ComparisonDirection::kLt));
    GatherAttrs a;
    for (int64_t d = 0; d < static_cast<int64_t>(dims_.size()); ++d)
      if (d != d_) a.offset_dims.push_back(d);
    a.collapsed_slice_dims = a.start_index_map = {d_};
    a.index_vector_dim = 1;
    a.slice_sizes = dims_;
    a.slice_sizes[static_cast<size_t>(d_)] = 1;
    Values low, high, other;
    for (size_t k = 2; k < state.size(); ++k) {
      other.push_back(g.Add(HloOpcode::Gather, {state[k], there}, a));
      low.push_back(g.Add(HloOpcode::Select, {is_low, state[k], other.back()}));
      high.push_back(g.Add(HloOpcode::Select, {is_low, other.back(), state[k]}));
    }
    HloInstruction* exchanged = g.Add(HloOpcode::And, {is_paired, is_exchanged(g, low, high)});
    HloInstruction *one = g.Scalar(place_, 1), *two = g.Scalar(place_, 2);
    HloInstruction* twice = g.Add(HloOpcode::Multiply, {run, two});
    HloInstruction* all = g.Add(HloOpcode::Subtract, {twice, one});
    HloInstruction* is_last = g.Compare(mask, one, ComparisonDirection::kEq);
    HloInstruction* is_first = g.Compare(mask, all, ComparisonDirection::kEq);
    HloInstruction* nearer = g.Add(
        HloOpcode::Select,
        {is_first, g.Add(HloOpcode::Divide, {run, two}), g.Add(HloOpcode::Divide, {mask, two})});
    HloInstruction* next =
        g.Add(HloOpcode::Subtract, {g.Add(HloOpcode::Multiply, {twice, two}), one});
    Values result{g.Add(HloOpcode::Select, {is_last, twice, run}),
                  g.Add(HloOpcode::Select, {is_last, next, nearer})};
    for (size_t k = 2; k < state.size(); ++k)
      result.push_back(g.Add(HloOpcode::Select, {exchanged, other[k - 2], state[k]}));
    return result;
  }

  HloComputation& c_;
  const HloInstruction& sort_;
  const Dims dims_;
  const int64_t d_, extent_;
  const ElementType place_;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeSortNetworkPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "sort-network",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Sort ||
            (target.calls_library() && IsScalarComputation(*i.called(0))))
          return nullptr;
        return expand::Network(c, i).Make();
      });
}

}  // namespace sinter
