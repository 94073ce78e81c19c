#include "passes/expand/collectives.h"

#include <algorithm>
#include <numeric>

#include "base/status.h"
#include "ir/participants.h"
#include "ir/results.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace {

// What NCCL reduces as the operation does.
bool ReducedByLibrary(collective::Reduction r, ElementType t) {
  const bool whole = IsPredicate(t) || (IsInteger(t) && BitWidth(t) != 16 && BitWidth(t) >= 8);
  const bool real = t == ElementType::F16 || t == ElementType::BF16 || t == ElementType::F32 ||
                    t == ElementType::F64;
  switch (r) {
    case collective::Reduction::kSum:
      return whole || real || IsComplex(t);
    case collective::Reduction::kProduct:
      return whole || real;
    case collective::Reduction::kMaximum:
    case collective::Reduction::kMinimum:
      return whole;
    case collective::Reduction::kOther:
      return false;
  }
  return false;
}

int64_t RowsBefore(const Shape& shape, int64_t d) {
  int64_t rows = 1;
  for (int64_t k = 0; k < d; ++k) rows *= shape.dimension(k);
  return rows;
}

Dims Concatenated(int64_t first, const Dims& rest) {
  Dims all{first};
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

// The n parts along dimension d as the first dimension.
HloInstruction* SplitToFront(Graph& g, HloInstruction* x, int64_t d, int64_t n) {
  Dims split, order{d};
  for (int64_t k = 0; k < x->shape().rank(); ++k) {
    const int64_t size = x->shape().dimension(k);
    if (k == d) split.push_back(n);
    split.push_back(k == d ? size / n : size);
  }
  for (int64_t k = 0; k < static_cast<int64_t>(split.size()); ++k) {
    if (k != d) order.push_back(k);
  }
  return g.Add(HloOpcode::Transpose, {g.Reshape(x, split)}, DimensionsAttrs{order});
}

// The inverse.
HloInstruction* MergeFromFront(Graph& g, HloInstruction* x, int64_t d) {
  Dims order, merged;
  for (int64_t k = 1; k < x->shape().rank(); ++k) {
    if (k == d + 1) order.push_back(0);
    order.push_back(k);
    merged.push_back(x->shape().dimension(k) * (k == d + 1 ? x->shape().dimension(0) : 1));
  }
  return g.Reshape(g.Add(HloOpcode::Transpose, {x}, DimensionsAttrs{order}), merged);
}

// The first dimension's elements, combined in their order.
HloInstruction* Combined(Graph& g, HloInstruction* x, HloComputation* reducer) {
  const Dims& sizes = x->shape().dimensions();
  const Dims rest(sizes.begin() + 1, sizes.end());
  Dims all(rest.size());
  std::iota(all.begin(), all.end(), 0);
  HloInstruction* sum = nullptr;
  for (int64_t k = 0; k < sizes[0]; ++k) {
    Dims starts(sizes.size(), 0), limits = sizes, strides(sizes.size(), 1);
    starts[0] = k;
    limits[0] = k + 1;
    HloInstruction* part =
        g.Reshape(g.Add(HloOpcode::Slice, {x}, SliceAttrs{starts, limits, strides}), rest);
    sum = sum == nullptr ? part
                         : g.Add(HloOpcode::Map, {sum, part}, DimensionsAttrs{all}, {&reducer, 1});
  }
  return sum;
}

// One instruction in the form that the library has.
class LibraryForm {
 public:
  LibraryForm(HloComputation& c, HloInstruction& i, const collective::Groups& groups)
      : g_(c, i), c_(c), i_(i), groups_(groups), members_(static_cast<int64_t>(groups[0].size())) {}

  absl::StatusOr<HloInstruction*> Make() {
    const auto& attrs = i_.attrs<CollectiveAttrs>();
    HloInstruction* made = nullptr;
    switch (i_.op()) {
      case HloOpcode::AllGather:
        if (!IsFirst(attrs.dimensions[0])) made = Gathered(attrs.dimensions[0]);
        break;
      case HloOpcode::AllToAll:
        if (i_.operands().size() == 1 && !attrs.dimensions.empty() &&
            !IsFirst(attrs.dimensions[0])) {
          made = MergeFromFront(g_, Exchanged(i_.operand(0), attrs.dimensions[0]),
                                attrs.dimensions[0]);
          if (i_.shape().is_tuple()) made = g_.Add(HloOpcode::Tuple, {made});
        }
        break;
      case HloOpcode::AllReduce:
        if (!OfLibrary())
          made =
              Each([&](HloInstruction* x) { return Combined(g_, GatheredOne(x), i_.called(0)); });
        break;
      case HloOpcode::ReduceScatter:
        if (!OfLibrary()) {
          made = Each([&](HloInstruction* x) {
            return OwnPart(Combined(g_, GatheredOne(x), i_.called(0)), attrs.dimensions[0]);
          });
        } else if (!IsFirst(attrs.dimensions[0])) {
          made = Scattered(attrs.dimensions[0]);
        }
        break;
      case HloOpcode::CollectiveReduce:
        if (!OfLibrary()) {
          return Unimplemented(
              "{} '{}': devices exchange what NCCL reduces, and it has no such sum", Name(i_.op()),
              i_.name());
        }
        break;
      default:
        break;
    }
    RETURN_IF_ERROR(g_.status());
    return made;
  }

 private:
  bool OfLibrary() const {
    return ReducedByLibrary(ReductionOf(*i_.called(0)), ResultShape(i_, 0).element_type());
  }
  // Whether parts along the dimension are contiguous.
  bool IsFirst(int64_t d) const {
    return std::all_of(i_.operands().begin(), i_.operands().end(),
                       [&](const HloInstruction* x) { return RowsBefore(x->shape(), d) == 1; });
  }
  template <class Make>
  HloInstruction* Each(const Make& make) {
    std::vector<HloInstruction*> results;
    for (HloInstruction* x : i_.operands()) results.push_back(make(x));
    return i_.shape().is_tuple() ? g_.Add(HloOpcode::Tuple, results) : results[0];
  }
  CollectiveAttrs AlongFirst() const {
    CollectiveAttrs attrs = i_.attrs<CollectiveAttrs>();
    attrs.dimensions = {0};
    return attrs;
  }
  HloInstruction* Named(HloInstruction* made) {
    if (!g_.status().ok()) return made;
    made->set_name(i_.name());
    if (IsAsync(i_)) MarkAsync(made);
    return made;
  }

  // What each of the group has, as the first dimension.
  HloInstruction* GatheredOne(HloInstruction* x) {
    const Dims& sizes = x->shape().dimensions();
    const Shape all(x->shape().element_type(), Concatenated(members_, sizes));
    return Named(g_.Add(HloOpcode::AllGather, {g_.Reshape(x, Concatenated(1, sizes))}, AlongFirst(),
                        {}, &all));
  }
  // The parts for this one that each of the group has, as the first dimension.
  HloInstruction* Exchanged(HloInstruction* x, int64_t d) {
    HloInstruction* split = SplitToFront(g_, x, d, members_);
    const Shape same(split->shape());
    return Named(g_.Add(HloOpcode::AllToAll, {split}, AlongFirst(), {}, &same));
  }
  // Of an array that all have, the part along d that is this participant's.
  HloInstruction* OwnPart(HloInstruction* x, int64_t d) {
    const collective::Grid grid = GridOf(*c_.module());
    Literal places(Shape(ElementType::S32, {grid.size()}));
    for (int64_t n = 0; n < grid.size(); ++n) {
      places.data<int32_t>()[static_cast<size_t>(n)] =
          static_cast<int32_t>(collective::IndexIn(*collective::GroupOf(groups_, n), n));
    }
    HloInstruction* replica = g_.Convert(g_.Add(HloOpcode::ReplicaId, {}), ElementType::S32);
    HloInstruction* partition = g_.Convert(g_.Add(HloOpcode::PartitionId, {}), ElementType::S32);
    HloInstruction* rows = g_.Scalar(ElementType::S32, static_cast<double>(grid.partitions));
    HloInstruction* number =
        g_.Add(HloOpcode::Add, {g_.Add(HloOpcode::Multiply, {replica, rows}), partition});
    HloInstruction* table = c_.AddConstant(std::move(places));
    HloInstruction* place =
        g_.Reshape(g_.Add(HloOpcode::DynamicSlice, {table, number}, DynamicSliceAttrs{{1}}), {});
    Dims sizes = x->shape().dimensions();
    const int64_t part = sizes[static_cast<size_t>(d)] /= members_;
    std::vector<HloInstruction*> operands(1 + sizes.size(), g_.Zero(ElementType::S32));
    operands[0] = x;
    operands[1 + static_cast<size_t>(d)] = g_.Add(
        HloOpcode::Multiply, {place, g_.Scalar(ElementType::S32, static_cast<double>(part))});
    return g_.Add(HloOpcode::DynamicSlice, operands, DynamicSliceAttrs{sizes});
  }
  // One exchange for all operands.
  HloInstruction* Gathered(int64_t d) {
    std::vector<HloInstruction*> operands;
    std::vector<Shape> shapes;
    for (HloInstruction* x : i_.operands()) {
      const Dims& sizes = x->shape().dimensions();
      operands.push_back(g_.Reshape(x, Concatenated(1, sizes)));
      shapes.emplace_back(x->shape().element_type(), Concatenated(members_, sizes));
    }
    return OfAll(HloOpcode::AllGather, operands, std::move(shapes), {},
                 [&](HloInstruction* x, size_t) { return MergeFromFront(g_, x, d); });
  }
  HloInstruction* Scattered(int64_t d) {
    std::vector<HloInstruction*> operands;
    std::vector<Shape> shapes;
    for (HloInstruction* x : i_.operands()) {
      operands.push_back(SplitToFront(g_, x, d, members_));
      Dims sizes = operands.back()->shape().dimensions();
      sizes[0] = 1;
      shapes.emplace_back(x->shape().element_type(), sizes);
    }
    HloComputation* reducer = i_.called(0);
    return OfAll(HloOpcode::ReduceScatter, operands, std::move(shapes), {&reducer, 1},
                 [&](HloInstruction* x, size_t k) {
                   return g_.Reshape(x, ResultShape(i_, k).dimensions());
                 });
  }
  template <class Finish>
  HloInstruction* OfAll(HloOpcode op, absl::Span<HloInstruction* const> operands,
                        std::vector<Shape> shapes, absl::Span<HloComputation* const> called,
                        const Finish& finish) {
    const bool tuple = i_.shape().is_tuple();
    const size_t count = shapes.size();
    const Shape declared = tuple ? Shape::Tuple(std::move(shapes)) : shapes[0];
    HloInstruction* made = Named(g_.Add(op, operands, AlongFirst(), called, &declared));
    if (!g_.status().ok()) return made;
    if (!tuple) return finish(made, 0);
    std::vector<HloInstruction*> results;
    for (size_t k = 0; k < count; ++k)
      results.push_back(finish(g_.Element(made, static_cast<int64_t>(k)), k));
    return g_.Add(HloOpcode::Tuple, results);
  }

  Graph g_;
  HloComputation& c_;
  HloInstruction& i_;
  const collective::Groups& groups_;
  const int64_t members_;
};

}  // namespace

std::unique_ptr<Pass> MakeExpandCollectivesPass(const TargetInfo& target) {
  return MakeExpansionPass(
      "expand-collectives",
      [target](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (target.has_reducers() || !NeedsParticipants(i.op()) ||
            !std::holds_alternative<CollectiveAttrs>(i.attributes()))
          return nullptr;
        ASSIGN_OR_RETURN(const Exchange exchange, ExchangeOf(i, GridOf(*c.module())));
        if (exchange.groups.empty()) return nullptr;
        return LibraryForm(c, i, exchange.groups).Make();
      });
}

}  // namespace sinter
