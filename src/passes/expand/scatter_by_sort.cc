#include "passes/expand/scatter_by_sort.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/analysis/scalar_computation.h"
#include "ir/ops/monoid.h"
#include "pass/expansion.h"
#include "passes/expand/elements.h"
#include "passes/expand/loop.h"

namespace sinter {
namespace expand {
namespace {

bool Has(const Dims& dims, int64_t d) { return absl::c_linear_search(dims, d); }

int64_t Product(const Shape& shape, const Dims& dims) {
  int64_t n = 1;
  for (int64_t d : dims) n *= shape.dimension(d);
  return n;
}

// Arrays become vectors along which updates or elements are numbered, with whatever dimensions a
// window has in full behind. An update that is not of a whole window is a part of one, at a
// place of its own.
class BySort {
 public:
  BySort(HloComputation& c, const HloInstruction& scatter)
      : c_(c),
        scatter_(scatter),
        a_(scatter.attrs<ScatterAttrs>()),
        n_(scatter.operands().size() / 2),
        combiner_(*scatter.called(0)),
        g_(c, scatter),
        into_(scatter.operand(0)->shape()),
        from_(scatter.operands().back()->shape()) {
    size_t next = 0;
    for (int64_t d = 0; d < into_.rank(); ++d) {
      int64_t u = -1;  // the updates' dimension along this one
      if (!Has(a_.inserted_window_dims, d) && !Has(a_.input_batching_dims, d))
        u = a_.update_window_dims[next++];
      along_.push_back(u);
      (u >= 0 && from_.dimension(u) == into_.dimension(d) ? whole_ : numbered_).push_back(d);
    }
    for (int64_t u = 0; u < from_.rank(); ++u)
      if (!Has(a_.update_window_dims, u)) batch_.push_back(u);
    counted_ = batch_;
    for (int64_t d : numbered_)
      if (along_[At(d)] >= 0) counted_.push_back(along_[At(d)]);
    updates_ = Product(from_, counted_);
    elements_ = Product(into_, numbered_);
    place_ = std::max(updates_, elements_) < (int64_t{1} << 31) - 1 ? ElementType::U32
                                                                    : ElementType::U64;
  }

  absl::StatusOr<HloInstruction*> Make() {
    HloInstruction* destinations = Destinations();
    for (size_t k = 0; k < n_; ++k) {
      into_arrays_.push_back(Vector(scatter_.operand(k), numbered_, whole_, elements_));
      Dims windows;
      for (int64_t d : whole_) windows.push_back(along_[At(d)]);
      from_arrays_.push_back(Vector(scatter_.operand(n_ + 1 + k), counted_, windows, updates_));
    }
    RETURN_IF_ERROR(g_.status());
    ASSIGN_OR_RETURN(Values results, Sorted(destinations));
    Dims order = numbered_, inverse(order.size() + whole_.size());
    order.insert(order.end(), whole_.begin(), whole_.end());
    Dims sizes;
    for (size_t k = 0; k < order.size(); ++k) {
      sizes.push_back(into_.dimension(order[k]));
      inverse[At(order[k])] = static_cast<int64_t>(k);
    }
    for (HloInstruction*& r : results) r = g_.Transpose(g_.Reshape(r, sizes), inverse);
    HloInstruction* result =
        scatter_.shape().is_tuple() ? g_.Add(HloOpcode::Tuple, results) : results[0];
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  static size_t At(int64_t d) { return static_cast<size_t>(d); }

  // --- vectors

  HloInstruction* Iota(int64_t count) {
    const Shape shape(place_, {count});
    return g_.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &shape);
  }
  HloInstruction* Splat(int64_t value, int64_t count) {
    return g_.Splat(g_.Scalar(place_, static_cast<double>(value)), {count});
  }
  // The dimensions `numbered` become one of `count` elements, in front of the others.
  HloInstruction* Vector(HloInstruction* x, const Dims& numbered, const Dims& others,
                         int64_t count) {
    Dims order = numbered, sizes{count};
    order.insert(order.end(), others.begin(), others.end());
    for (int64_t d : others) sizes.push_back(x->shape().dimension(d));
    return g_.Reshape(g_.Transpose(x, order), sizes);
  }
  // What is one place before, and something before the first one.
  static HloInstruction* Before(Graph& g, HloInstruction* x, HloInstruction* distance,
                                HloInstruction* places) {
    return Taken(g, x, g.Add(HloOpcode::Subtract, {places, distance}));
  }
  HloInstruction* Shifted(HloInstruction* x, int64_t count) {
    return Before(g_, x, Splat(1, count), Iota(count));
  }
  // Elements of x, or rows of it, where `places` says.
  static HloInstruction* Taken(Graph& g, HloInstruction* x, HloInstruction* places) {
    GatherAttrs a;
    a.collapsed_slice_dims = a.start_index_map = {0};
    a.index_vector_dim = 1;
    a.slice_sizes = x->shape().dimensions();
    a.slice_sizes[0] = 1;
    for (int64_t d = 1; d < x->shape().rank(); ++d) a.offset_dims.push_back(d);
    return g.Add(HloOpcode::Gather, {x, places}, a);
  }
  static HloInstruction* Spread(Graph& g, HloInstruction* p, HloInstruction* like) {
    return g.Broadcast(p, like->shape().dimensions(), {0});
  }
  Values Combined(Graph& g, const Values& x, const Values& y) const {
    Values arguments = x;
    arguments.insert(arguments.end(), y.begin(), y.end());
    absl::StatusOr<Values> combined =
        MapElements(*x[0]->parent(), scatter_, combiner_, arguments, x[0]->shape().dimensions());
    if (combined.ok()) return *std::move(combined);
    g.Fail(combined.status());
    return x;
  }

  // --- where updates go

  // A component of the index vectors, over the updates' numbered dimensions, and whether the window
  // there is inside. Compared in the indices' own type, in which the last place may not be.
  HloInstruction* Component(size_t k, int64_t last, const Dims& sizes, HloInstruction*& inside) {
    HloInstruction* x = scatter_.operand(n_);
    if (a_.index_vector_dim < x->shape().rank()) {
      SliceAttrs slice{Dims(At(x->shape().rank()), 0), x->shape().dimensions(),
                       Dims(At(x->shape().rank()), 1)};
      slice.starts[At(a_.index_vector_dim)] = static_cast<int64_t>(k);
      slice.limits[At(a_.index_vector_dim)] = static_cast<int64_t>(k) + 1;
      Dims without = x->shape().dimensions();
      without.erase(without.begin() + a_.index_vector_dim);
      x = g_.Reshape(g_.Add(HloOpcode::Slice, {x}, std::move(slice)), without);
    }
    HloInstruction* wide =
        g_.Convert(x, IsSigned(x->shape().element_type()) ? ElementType::S64 : ElementType::U64);
    const ElementType t = wide->shape().element_type();
    const Dims& dims = wide->shape().dimensions();
    HloInstruction* ok = g_.Compare(wide, g_.Splat(g_.Scalar(t, static_cast<double>(last)), dims),
                                    ComparisonDirection::kLe);
    if (IsSigned(t)) {
      ok = g_.Add(HloOpcode::And,
                  {ok, g_.Compare(wide, g_.Splat(g_.Zero(t), dims), ComparisonDirection::kGe)});
    }
    Dims front;
    for (size_t d = 0; d < batch_.size(); ++d) front.push_back(static_cast<int64_t>(d));
    ok = g_.Broadcast(ok, sizes, front);
    inside = inside == nullptr ? ok : g_.Add(HloOpcode::And, {inside, ok});
    return g_.Broadcast(g_.Convert(wide, place_), sizes, front);
  }

  // For each update, the number of the element that it goes to; `elements_` where it goes nowhere.
  HloInstruction* Destinations() {
    Dims sizes;
    for (int64_t u : counted_) sizes.push_back(from_.dimension(u));
    const Shape shape(place_, sizes);
    auto along = [&](int64_t u) {
      const auto at = static_cast<int64_t>(absl::c_find(counted_, u) - counted_.begin());
      return g_.Add(HloOpcode::Iota, {}, IotaAttrs{at}, {}, &shape);
    };
    HloInstruction *inside = nullptr, *number = g_.Splat(g_.Zero(place_), sizes);
    for (int64_t d = 0; d < into_.rank(); ++d) {
      const auto in = absl::c_find(a_.scatter_dims_to_operand_dims, d);
      const int64_t u = along_[At(d)];
      HloInstruction* at = nullptr;
      if (in != a_.scatter_dims_to_operand_dims.end()) {
        const int64_t size = u < 0 ? 1 : from_.dimension(u);
        at = Component(static_cast<size_t>(in - a_.scatter_dims_to_operand_dims.begin()),
                       into_.dimension(d) - size, sizes, inside);
      }
      if (Has(whole_, d)) continue;
      if (const auto b = absl::c_find(a_.input_batching_dims, d);
          b != a_.input_batching_dims.end()) {
        const int64_t dim =
            a_.scatter_indices_batching_dims[At(b - a_.input_batching_dims.begin())];
        at = along(batch_[At(dim - (dim > a_.index_vector_dim ? 1 : 0))]);
      } else if (u >= 0) {
        at = at == nullptr ? along(u) : g_.Add(HloOpcode::Add, {at, along(u)});
      }
      HloInstruction* extent =
          g_.Splat(g_.Scalar(place_, static_cast<double>(into_.dimension(d))), sizes);
      number = g_.Add(HloOpcode::Multiply, {number, extent});
      if (at != nullptr) number = g_.Add(HloOpcode::Add, {number, at});
    }
    if (inside != nullptr) {
      HloInstruction* nowhere = g_.Splat(g_.Scalar(place_, static_cast<double>(elements_)), sizes);
      number = g_.Add(HloOpcode::Select, {inside, number, nowhere});
    }
    return g_.Reshape(number, {updates_});
  }

  // Sets `sorted_`, the numbers in order, and `order_`, the updates that have them.
  absl::Status Sort(HloInstruction* destinations) {
    const Values operands{destinations, Iota(updates_)};
    HloComputation* less = c_.module()->AddComputation("earlier");
    for (int64_t k = 0; k < 4; ++k) less->AddParameter(k, Shape(place_));
    less->set_root(less->AddWithShape(HloOpcode::Compare, Shape(ElementType::PRED),
                                      {less->parameter(0), less->parameter(1)},
                                      CompareAttrs{ComparisonDirection::kLt}));
    HloInstruction* sort =
        g_.Add(HloOpcode::Sort, operands, SortAttrs{{0}, /*is_stable=*/true}, {less});
    sorted_ = g_.Element(sort, 0);
    order_ = g_.Element(sort, 1);
    return g_.status();
  }

  // For each element, how many updates go to it or one before it: the bits of the count, the
  // highest first.
  absl::StatusOr<HloInstruction*> Ends() {
    int64_t bit = 1;
    while (bit <= updates_ / 2) bit *= 2;
    ASSIGN_OR_RETURN(
        Values state,
        AddLoop(
            c_, scatter_, "find",
            {g_.Scalar(place_, static_cast<double>(bit)), Splat(0, elements_), sorted_},
            [&](Graph& g, const Values& s) {
              return g.Compare(s[0], g.Zero(place_), ComparisonDirection::kGt);
            },
            [&](Graph& g, const Values& s) {
              const Dims dims{elements_};
              const Shape shape(place_, dims);
              HloInstruction* element = g.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &shape);
              HloInstruction* one = g.Splat(g.Scalar(place_, 1), dims);
              HloInstruction* count = g.Add(HloOpcode::Add, {s[1], g.Splat(s[0], dims)});
              HloInstruction* most = g.Splat(g.Scalar(place_, static_cast<double>(updates_)), dims);
              HloInstruction* last = Taken(g, s[2], g.Add(HloOpcode::Subtract, {count, one}));
              HloInstruction* is_there =
                  g.Add(HloOpcode::And, {g.Compare(count, most, ComparisonDirection::kLe),
                                         g.Compare(last, element, ComparisonDirection::kLe)});
              return Values{g.Add(HloOpcode::Divide, {s[0], g.Scalar(place_, 2)}),
                            g.Add(HloOpcode::Select, {is_there, count, s[1]}), s[2]};
            }));
    return state[1];
  }

  // The most updates that one element has.
  HloInstruction* Most() {
    HloInstruction* counts = g_.Add(HloOpcode::Subtract, {ends_, begins_});
    return g_.Add(HloOpcode::Reduce, {counts, g_.Zero(place_)}, DimensionsAttrs{{0}},
                  {BinaryComputation(*c_.module(), HloOpcode::Maximum, place_)});
  }

  // --- what becomes of them

  absl::StatusOr<Values> Sorted(HloInstruction* destinations) {
    RETURN_IF_ERROR(Sort(destinations));
    ASSIGN_OR_RETURN(ends_, Ends());
    begins_ = g_.Add(HloOpcode::Select,
                     {g_.Compare(Iota(elements_), Splat(0, elements_), ComparisonDirection::kEq),
                      Splat(0, elements_), Shifted(ends_, elements_)});
    if (Replaces()) return Last();
    return CombinesInPairs() ? InPairs() : InOrder();
  }

  bool Replaces() const {
    const HloInstruction& root = *combiner_.root();
    if (root.shape().is_tuple() && root.op() != HloOpcode::Tuple) return false;
    const Values roots = root.shape().is_tuple() ? root.operands() : Values{combiner_.root()};
    for (size_t k = 0; k < n_; ++k)
      if (roots[k] != combiner_.parameter(n_ + k)) return false;
    return true;
  }
  // Whether f(f(x, y), z) is f(x, f(y, z)), or a sum of floats.
  bool CombinesInPairs() const {
    for (size_t k = 0; k < n_; ++k) {
      const HloInstruction* op = CombinerOf(combiner_, n_, k);
      if (op == nullptr || !IsMonoid(op->op())) return false;
      if (op->op() == HloOpcode::Multiply && !IsInteger(op->shape().element_type())) return false;
    }
    return true;
  }

  // Results where an element has updates, `values` there; else what was there.
  Values WhereUpdated(const Values& values) {
    HloInstruction* is_updated = g_.Compare(begins_, ends_, ComparisonDirection::kLt);
    Values results;
    for (size_t k = 0; k < n_; ++k)
      results.push_back(g_.Add(HloOpcode::Select, {Spread(g_, is_updated, into_arrays_[k]),
                                                   values[k], into_arrays_[k]}));
    return results;
  }
  HloInstruction* LastPlace() { return g_.Add(HloOpcode::Subtract, {ends_, Splat(1, elements_)}); }

  Values Last() {
    HloInstruction* last = Taken(g_, order_, LastPlace());
    Values values;
    for (HloInstruction* from : from_arrays_) values.push_back(Taken(g_, from, last));
    return WhereUpdated(values);
  }

  // After a round with distance d an update holds the 2 d updates of its element up to it.
  absl::StatusOr<Values> InPairs() {
    Values state{g_.Scalar(place_, 1), Most(), sorted_};
    for (HloInstruction* from : from_arrays_) state.push_back(Taken(g_, from, order_));
    RETURN_IF_ERROR(g_.status());
    ASSIGN_OR_RETURN(
        state, AddLoop(
                   c_, scatter_, "scatter", state,
                   [](Graph& g, const Values& s) {
                     return g.Compare(s[0], s[1], ComparisonDirection::kLt);
                   },
                   [&](Graph& g, const Values& s) {
                     const Dims dims{updates_};
                     const Shape shape(place_, dims);
                     HloInstruction* here = g.Add(HloOpcode::Iota, {}, IotaAttrs{0}, {}, &shape);
                     HloInstruction* distance = g.Splat(s[0], dims);
                     HloInstruction* same =
                         g.Compare(Before(g, s[2], distance, here), s[2], ComparisonDirection::kEq);
                     HloInstruction* joins =
                         g.Add(HloOpcode::And,
                               {g.Compare(here, distance, ComparisonDirection::kGe), same});
                     const Values own(s.begin() + 3, s.end());
                     Values before;
                     for (HloInstruction* x : own) before.push_back(Before(g, x, distance, here));
                     const Values both = Combined(g, before, own);
                     Values result{g.Add(HloOpcode::Add, {s[0], s[0]}), s[1], s[2]};
                     for (size_t k = 0; k < n_; ++k)
                       result.push_back(
                           g.Add(HloOpcode::Select, {Spread(g, joins, own[k]), both[k], own[k]}));
                     return result;
                   }));
    Values values;
    for (size_t k = 0; k < n_; ++k) values.push_back(Taken(g_, state[3 + k], LastPlace()));
    RETURN_IF_ERROR(g_.status());
    return WhereUpdated(Combined(g_, into_arrays_, values));
  }

  absl::StatusOr<Values> InOrder() {
    Values state{g_.Zero(place_), Most(), begins_, ends_, order_};
    constexpr size_t kFirst = 5;
    state.insert(state.end(), from_arrays_.begin(), from_arrays_.end());
    state.insert(state.end(), into_arrays_.begin(), into_arrays_.end());
    RETURN_IF_ERROR(g_.status());
    ASSIGN_OR_RETURN(
        state,
        AddLoop(
            c_, scatter_, "scatter", state,
            [](Graph& g, const Values& s) {
              return g.Compare(s[0], s[1], ComparisonDirection::kLt);
            },
            [&](Graph& g, const Values& s) {
              HloInstruction* place = g.Add(HloOpcode::Add, {s[2], g.Splat(s[0], {elements_})});
              HloInstruction* is_there = g.Compare(place, s[3], ComparisonDirection::kLt);
              HloInstruction* update = Taken(g, s[4], place);
              Values updates;
              for (size_t k = 0; k < n_; ++k) updates.push_back(Taken(g, s[kFirst + k], update));
              const Values so_far(s.begin() + static_cast<ptrdiff_t>(kFirst + n_), s.end());
              const Values combined = Combined(g, so_far, updates);
              Values result = s;
              result[0] = g.Add(HloOpcode::Add, {s[0], g.Scalar(place_, 1)});
              for (size_t k = 0; k < n_; ++k)
                result[kFirst + n_ + k] = g.Add(
                    HloOpcode::Select, {Spread(g, is_there, so_far[k]), combined[k], so_far[k]});
              return result;
            }));
    return Values(state.begin() + static_cast<ptrdiff_t>(kFirst + n_), state.end());
  }

  HloComputation& c_;
  const HloInstruction& scatter_;
  const ScatterAttrs& a_;
  const size_t n_;
  const HloComputation& combiner_;
  Graph g_;
  const Shape &into_, &from_;
  Dims along_;             // of each of the inputs' dimensions: the updates', or -1
  Dims whole_, numbered_;  // the inputs' dimensions
  Dims batch_, counted_;   // the updates'
  int64_t updates_ = 0, elements_ = 0;
  ElementType place_ = ElementType::U32;
  HloInstruction *sorted_ = nullptr, *order_ = nullptr;
  // Of each element: the updates sorted_[begins_, ends_).
  HloInstruction *begins_ = nullptr, *ends_ = nullptr;
  Values into_arrays_, from_arrays_;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeScatterBySortPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "scatter-by-sort",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::Scatter ||
            (target.scatters() && IsScalarComputation(*i.called(0))))
          return nullptr;
        return expand::BySort(c, i).Make();
      });
}

}  // namespace sinter
