#include "passes/expand/ragged_dot.h"

#include "absl/algorithm/container.h"
#include "base/status.h"
#include "ir/ops/ragged_dot.h"
#include "pass/expansion.h"
#include "pass/graph.h"

namespace sinter {
namespace expand {
namespace {

using E = ElementType;

int64_t IndexIn(const Dims& dims, int64_t d) { return absl::c_find(dims, d) - dims.begin(); }

class RaggedDot {
 public:
  RaggedDot(HloComputation& c, const HloInstruction& i)
      : g_(c, i),
        i_(i),
        attrs_(i.attrs<RaggedDotAttrs>()),
        lhs_(i.operand(0)),
        rhs_(i.operand(1)),
        ragged_(attrs_.lhs_ragged_dims[0]),
        dims_(FindRagged(attrs_, lhs_->shape().rank())) {}

  absl::StatusOr<HloInstruction*> Make() {
    HloInstruction* result = nullptr;
    if (dims_.mode == RaggedMode::kBatch) {
      result = g_.Add(HloOpcode::Dot, {lhs_, rhs_}, DotAttrs(attrs_), {}, &i_.shape());
    } else if (i_.operand(2)->shape().element_count() == 0 || lhs_->shape().element_count() == 0 ||
               i_.shape().element_count() == 0) {
      result = g_.Splat(g_.Zero(i_.shape().element_type()), i_.shape().dimensions());
    } else {
      FindEnds();
      result = dims_.mode == RaggedMode::kFree ? Free() : Contracting();
    }
    RETURN_IF_ERROR(g_.status());
    return result;
  }

 private:
  // Where each group ends and starts, [..., groups]. Sizes are first brought between 0 and the
  // ragged extent, which changes no group and keeps the sums from overflowing.
  void FindEnds() {
    HloInstruction* sizes = i_.operand(2);
    const Dims dims = sizes->shape().dimensions();
    const auto extent = static_cast<double>(lhs_->shape().dimension(ragged_));
    if (sizes->shape().element_type() == E::U64)
      sizes = g_.Add(HloOpcode::Minimum, {sizes, g_.Splat(g_.Scalar(E::U64, extent), dims)});
    sizes = g_.Convert(sizes, E::S64);
    sizes = g_.Add(HloOpcode::Maximum, {sizes, g_.Splat(g_.Zero(E::S64), dims)});
    sizes = g_.Add(HloOpcode::Minimum, {sizes, g_.Splat(g_.Scalar(E::S64, extent), dims)});
    Window so_far(dims.size());
    so_far.back().size = dims.back();
    so_far.back().padding_low = dims.back() - 1;
    HloComputation* add = BinaryComputation(*i_.parent()->module(), HloOpcode::Add, E::S64);
    ends_ = g_.Add(HloOpcode::ReduceWindow, {sizes, g_.Zero(E::S64)},
                   WindowAttrs{std::move(so_far)}, {add});
    starts_ = g_.Add(HloOpcode::Subtract, {ends_, sizes});
  }

  // Whether an element of an array of `sizes` is of the group: its dimension `ragged` is lhs's
  // ragged one, `group` counts groups, before[k] is lhs's dimension dims_.before[k].
  HloInstruction* IsOfGroup(const Dims& sizes, int64_t ragged, Dims before, int64_t group) {
    if (ends_->shape().rank() == 1) before.clear();
    before.push_back(group);
    const Shape positions(E::S64, sizes);
    HloInstruction* at = g_.Add(HloOpcode::Iota, {}, IotaAttrs{ragged}, {}, &positions);
    return g_.Add(HloOpcode::And,
                  {g_.Compare(g_.Broadcast(starts_, sizes, before), at, ComparisonDirection::kLe),
                   g_.Compare(at, g_.Broadcast(ends_, sizes, before), ComparisonDirection::kLt)});
  }

  HloInstruction* OrZero(HloInstruction* p, HloInstruction* x) {
    return g_.Add(HloOpcode::Select,
                  {p, x, g_.Splat(g_.Zero(x->shape().element_type()), x->shape().dimensions())});
  }

  HloInstruction* Free() {
    const auto batches = static_cast<int64_t>(attrs_.lhs_batch_dims.size());
    const Dims rows =
        FreeDims(lhs_->shape().rank(), {&attrs_.lhs_batch_dims, &attrs_.lhs_contracting_dims});
    const Dims columns =
        FreeDims(rhs_->shape().rank(), {&attrs_.rhs_batch_dims, &attrs_.rhs_contracting_dims});
    // In the dot's result.
    const int64_t group =
        batches + static_cast<int64_t>(rows.size()) + IndexIn(columns, attrs_.rhs_group_dims[0]);
    Dims before;
    for (size_t k = 0; k < dims_.before.size(); ++k) before.push_back(static_cast<int64_t>(k));
    Dims sizes = i_.shape().dimensions();
    sizes.insert(sizes.begin() + group, ends_->shape().dimensions().back());
    const Shape all(i_.shape().element_type(), sizes);
    HloInstruction* products = g_.Add(HloOpcode::Dot, {lhs_, rhs_}, DotAttrs(attrs_), {}, &all);
    HloInstruction* mask = IsOfGroup(sizes, batches + IndexIn(rows, ragged_), before, group);
    // One group's at most is not zero.
    return g_.Sum(OrZero(mask, products), {group});
  }

  // The operand for each group, zero outside of it. `before` and `ragged` are its dimensions.
  HloInstruction* PartsOf(HloInstruction* x, Dims before, int64_t ragged) {
    Dims sizes = x->shape().dimensions(), dims;
    for (int64_t d = 0; d < x->shape().rank(); ++d) dims.push_back(d + 1);
    sizes.insert(sizes.begin(), ends_->shape().dimensions().back());
    for (int64_t& d : before) ++d;
    HloInstruction* mask = IsOfGroup(sizes, ragged + 1, std::move(before), 0);
    return OrZero(mask, g_.Broadcast(x, sizes, dims));
  }

  HloInstruction* Contracting() {
    // The dimension of rhs that meets one of lhs.
    auto in_rhs = [&](int64_t d) {
      const Dims& batch = attrs_.lhs_batch_dims;
      if (absl::c_linear_search(batch, d))
        return attrs_.rhs_batch_dims[static_cast<size_t>(IndexIn(batch, d))];
      return attrs_
          .rhs_contracting_dims[static_cast<size_t>(IndexIn(attrs_.lhs_contracting_dims, d))];
    };
    Dims before;
    for (int64_t d : dims_.before) before.push_back(in_rhs(d));
    DotAttrs attrs = attrs_;
    for (Dims* dims : {&attrs.lhs_batch_dims, &attrs.rhs_batch_dims, &attrs.lhs_contracting_dims,
                       &attrs.rhs_contracting_dims}) {
      for (int64_t& d : *dims) ++d;
    }
    attrs.lhs_batch_dims.insert(attrs.lhs_batch_dims.begin(), 0);
    attrs.rhs_batch_dims.insert(attrs.rhs_batch_dims.begin(), 0);
    // Both, since what one of them is outside of the group may be NaN.
    return g_.Add(HloOpcode::Dot,
                  {PartsOf(lhs_, dims_.before, ragged_), PartsOf(rhs_, before, in_rhs(ragged_))},
                  std::move(attrs), {}, &i_.shape());
  }

  Graph g_;
  const HloInstruction& i_;
  const RaggedDotAttrs attrs_;
  HloInstruction *const lhs_, *const rhs_;
  const int64_t ragged_;
  const RaggedDims dims_;
  HloInstruction *starts_ = nullptr, *ends_ = nullptr;
};

}  // namespace
}  // namespace expand

std::unique_ptr<Pass> MakeExpandRaggedDotPass() {
  return MakeExpansionPass(
      "expand-ragged-dot",
      [](HloComputation& c, HloInstruction& i) -> absl::StatusOr<HloInstruction*> {
        if (i.op() != HloOpcode::RaggedDot) return nullptr;
        return expand::RaggedDot(c, i).Make();
      });
}

}  // namespace sinter
