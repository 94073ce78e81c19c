#include "codegen/plan/merge_dimensions.h"

#include <algorithm>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "codegen/plan/dimension_boundaries.h"
#include "codegen/plan/fewer_dimensions.h"
#include "codegen/plan/plan.h"
#include "codegen/plan/unit_dimensions.h"
#include "ir/analysis/computed_stack.h"

namespace sinter::plan {
namespace {

int64_t PositionIn(const Dims& dims, int64_t d) {
  auto it = std::find(dims.begin(), dims.end(), d);
  return it == dims.end() ? -1 : it - dims.begin();
}

class Merger : DimensionBoundaries {
 public:
  explicit Merger(const HloComputation& region)
      : region_(region), order_(region.PostOrder()), outputs_(Outputs(region)) {}

  std::unique_ptr<HloModule> Run() {
    for (const HloInstruction* i : order_) {
      if (!Number(*i)) return nullptr;
    }
    for (const HloInstruction* i : order_) Constrain(*i);
    for (const HloInstruction* o : outputs_) UniteAll(*o, *outputs_[0]);
    const bool any = AnyGoes(), as_words = MovesPairs();
    if (!any && !as_words) return nullptr;
    return WithFewerDimensions(
        region_, [this](const HloInstruction& i) { return Groups(i); }, as_words);
  }

 private:
  // Whether the region only moves complex numbers, which are pairs of F32: as words each is one
  // element of a vector, where its parts would be elements of two.
  bool MovesPairs() const {
    auto is_pair = [](const HloInstruction* i) {
      return i->shape().is_array() && i->shape().element_type() == ElementType::C64;
    };
    return absl::c_any_of(order_, is_pair) && absl::c_all_of(order_, [&](const HloInstruction* i) {
             switch (i->op()) {
               case HloOpcode::Parameter:
               case HloOpcode::Constant:
               case HloOpcode::Tuple:
               case HloOpcode::Broadcast:
               case HloOpcode::Transpose:
               case HloOpcode::Reshape:
               case HloOpcode::Slice:
               case HloOpcode::Pad:
               case HloOpcode::Reverse:
               case HloOpcode::Concatenate:
               case HloOpcode::DynamicSlice:
               case HloOpcode::DynamicUpdateSlice:
               case HloOpcode::Gather:
               case HloOpcode::Select:
                 return true;
               default:  // may make what is moved of other numbers, but none of complex ones
                 return IsElementwise(i->op()) && !is_pair(i) &&
                        absl::c_none_of(i->operands(), is_pair);
             }
           });
  }

  // --- what operations ask for

  void Constrain(const HloInstruction& i) {
    if (IsElementwise(i.op())) {
      for (const HloInstruction* o : i.operands()) {
        if (o->shape().rank() > 0) UniteAll(i, *o);
      }
      return;
    }
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::Constant:
      case HloOpcode::Tuple:
      case HloOpcode::While:
        return;
      case HloOpcode::GetTupleElement:
        if (i.operand(0)->op() != HloOpcode::While) return UniteAll(i, *i.operand(0));
        if (i.shape().rank() > 0) {
          // Each element runs the loop by itself.
          for (const HloInstruction* o : i.operand(0)->operand(0)->operands()) {
            if (o->shape().rank() > 0) UniteAll(i, *o);
          }
        }
        return;
      case HloOpcode::OptimizationBarrier:
        return UniteAll(i, *i.operand(0));
      case HloOpcode::Iota: {
        const int64_t d = i.attrs<IotaAttrs>().iota_dimension;
        if (d > 0) Keep(i, d - 1);
        if (d < Count(i)) Keep(i, d);
        return;
      }
      case HloOpcode::Broadcast:
        return Broadcast(i);
      case HloOpcode::Transpose:
        return Transpose(i);
      case HloOpcode::Reshape:
        return Reshape(i);
      case HloOpcode::Slice:
      case HloOpcode::Pad:
      case HloOpcode::Reverse:
        for (int64_t d = 0; d < Count(i); ++d) UniteIf(SameSides(i, d), i, *i.operand(0), d);
        return;
      case HloOpcode::Concatenate:
        for (int64_t d = 0; d < Count(i); ++d) {
          // A plan may write the axis out.
          const bool is_axis = IsComputedStack(i, d);
          for (const HloInstruction* o : i.operands())
            UniteIf(d + 1 != i.dimensions()[0] && !is_axis, i, *o, d);
        }
        return;
      case HloOpcode::DynamicSlice:
        return Window(i, i);
      case HloOpcode::DynamicUpdateSlice:
        UniteAll(i, *i.operand(0));
        return Window(i, *i.operand(1));
      case HloOpcode::Reduce:
        return Reduce(i);
      case HloOpcode::Dot:
        return Dot(i);
      case HloOpcode::Gather:
        return Gather(i);
      case HloOpcode::Scatter:
        return Scatter(i);
      default:
        if (i.op() == HloOpcode::BitcastConvert && i.shape().rank() == i.operand(0)->shape().rank())
          return UniteAll(i, *i.operand(0));
        KeepAll(i);
        for (const HloInstruction* o : i.operands()) KeepAll(*o);
    }
  }

  // Whether a slice, pad or reversal treats dimensions d and d + 1 as it would treat one: the inner
  // one is whole, and what is done to the outer one can be said of its rows. Of a slice, every so
  // many elements of whole rows are so many of all rows together where their number divides a
  // row's.
  static bool SameSides(const HloInstruction& i, int64_t d) {
    const auto outer = static_cast<size_t>(d), inner = outer + 1;
    if (i.op() == HloOpcode::Reverse)
      return absl::c_linear_search(i.dimensions(), d) ==
             absl::c_linear_search(i.dimensions(), d + 1);
    if (i.op() == HloOpcode::Slice) {
      const auto& a = i.attrs<SliceAttrs>();
      auto stride = [&](size_t k) { return a.strides.empty() ? 1 : a.strides[k]; };
      return stride(outer) == 1 && a.starts[inner] < stride(inner) &&
             i.shape().dimension(d + 1) * stride(inner) == i.operand(0)->shape().dimension(d + 1);
    }
    const auto& a = i.attrs<PadAttrs>();
    auto interior = [&](size_t k) { return a.interior.empty() ? 0 : a.interior[k]; };
    return interior(outer) == 0 && interior(inner) == 0 && a.low[inner] == 0 && a.high[inner] == 0;
  }
  // Whether a window, whose extents are those of `window`, takes all of a dimension.
  static bool IsWhole(const HloInstruction& slice, const HloInstruction& window, int64_t d) {
    return window.shape().dimension(d) == slice.operand(0)->shape().dimension(d);
  }
  // Dimensions of which the window has all, and around one of which it has a part those of one
  // element: the start along that one is the start along all of them.
  void Window(const HloInstruction& i, const HloInstruction& window) {
    const Shape& array = i.operand(0)->shape();
    bool has_part = false, are_ones = true;  // of the dimensions that were united so far
    for (int64_t d = 0; d < array.rank(); ++d) {
      const bool is_whole = IsWhole(i, window, d), is_one = array.dimension(d) == 1;
      const bool joins = is_one || are_ones || (is_whole && !has_part);
      if (d > 0) UniteIf(joins, window, *i.operand(0), d - 1);
      has_part = (joins && has_part) || !is_whole;
      are_ones = is_one && (joins ? are_ones : true);
    }
  }

  void Broadcast(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    const Dims& to = i.dimensions();
    auto stretched = [&](int64_t k) {
      return o.shape().dimension(k) != i.shape().dimension(to[static_cast<size_t>(k)]);
    };
    auto source = [&](int64_t d) {
      const int64_t k = PositionIn(to, d);
      return k >= 0 && stretched(k) ? -1 : k;
    };
    // New dimensions of one element belong to the dimension before them, or to the first that is
    // not such a one.
    auto is_new_one = [&](int64_t d) {
      return i.shape().dimension(d) == 1 && PositionIn(to, d) < 0;
    };
    for (int64_t d = 0; d < Count(i); ++d) {
      int64_t before = d;
      while (before >= 0 && is_new_one(before)) --before;
      if (before < 0 || is_new_one(d + 1)) continue;
      const int64_t a = source(before), b = source(d + 1);
      if (a < 0 && b < 0) continue;
      if (a >= 0 && b == a + 1) {
        Unite(i, d, o, a);
      } else {
        Keep(i, d);
      }
    }
    for (int64_t k = 0; k < Count(o); ++k) {
      const int64_t next = to[static_cast<size_t>(k) + 1];
      int64_t d = to[static_cast<size_t>(k)] + 1;
      while (d < next && is_new_one(d)) ++d;
      const bool beside = d == next;
      // Two dimensions of the operand are one only where what is between them belongs to it too.
      for (int64_t between = to[static_cast<size_t>(k)]; beside && between < next - 1; ++between)
        Imply(At(i, between), At(o, k));
      if (!beside || stretched(k) != stretched(k + 1)) {
        Keep(o, k);
        if (beside) Keep(i, next - 1);
      } else if (stretched(k)) {
        Unite(i, next - 1, o, k);
      }
    }
  }

  void Transpose(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    const Dims& from = i.dimensions();
    for (int64_t d = 0; d < Count(i); ++d) {
      const int64_t k = from[static_cast<size_t>(d)];
      if (from[static_cast<size_t>(d) + 1] == k + 1) {
        Unite(i, d, o, k);
      } else {
        Keep(i, d);
      }
      if (PositionIn(from, d + 1) != PositionIn(from, d) + 1) Keep(o, d);
    }
  }

  // Where one of the two keeps a boundary, the other one keeps that with as many elements behind
  // it: the result's dimensions are to be parts of the operand's, and the operand is not to be read
  // at one index that is made of several, of which nobody would see along which memory runs.
  void Reshape(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    auto behind = [](const HloInstruction& x, int64_t d) {
      int64_t n = 1;
      for (int64_t k = d + 1; k < x.shape().rank(); ++k) n *= x.shape().dimension(k);
      return n;
    };
    const int64_t all = o.shape().element_count();
    for (int64_t d = 0; d < Count(o); ++d) {
      const int64_t n = behind(o, d);
      if (n == 1 || n == all) continue;
      for (int64_t e = 0; e < Count(i); ++e) {
        if (behind(i, e) != n) continue;
        Imply(At(o, d), At(i, e));
        Imply(At(i, e), At(o, d));
        break;
      }
    }
  }

  void Reduce(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    for (size_t k = 1; k < i.operands().size() / 2; ++k) UniteAll(*i.operand(k), o);
    int64_t kept = 0;  // dimensions of the result so far
    for (int64_t d = 0; d < o.shape().rank(); ++d) {
      const bool reduced = absl::c_linear_search(i.dimensions(), d);
      if (!reduced && kept > 0) {
        // The boundary before this dimension of the result.
        if (absl::c_linear_search(i.dimensions(), d - 1)) {
          Keep(i, kept - 1);
        } else {
          Unite(i, kept - 1, o, d - 1);
        }
      }
      if (d > 0 && reduced != absl::c_linear_search(i.dimensions(), d - 1)) Keep(o, d - 1);
      kept += !reduced;
    }
  }

  void Dot(const HloInstruction& i) {
    const auto& a = i.attrs<DotAttrs>();
    const Dims *batch[] = {&a.lhs_batch_dims, &a.rhs_batch_dims},
               *summed[] = {&a.lhs_contracting_dims, &a.rhs_contracting_dims};
    // Lists of dimensions that are neighbours in both operands.
    auto both = [&](const Dims* const lists[2], size_t k) {
      return (*lists[0])[k + 1] == (*lists[0])[k] + 1 && (*lists[1])[k + 1] == (*lists[1])[k] + 1;
    };
    absl::flat_hash_set<int64_t> united[2];  // boundaries of each operand
    auto unite = [&](const Dims* const lists[2], size_t k) {
      Unite(*i.operand(0), (*lists[0])[k], *i.operand(1), (*lists[1])[k]);
      for (size_t side = 0; side < 2; ++side) united[side].insert((*lists[side])[k]);
    };
    for (size_t k = 0; k + 1 < a.lhs_contracting_dims.size(); ++k) {
      if (both(summed, k)) unite(summed, k);
    }
    int64_t next = static_cast<int64_t>(a.lhs_batch_dims.size());
    for (size_t k = 0; k < a.lhs_batch_dims.size(); ++k) {
      const auto d = static_cast<int64_t>(k);
      if (k + 1 < a.lhs_batch_dims.size() && both(batch, k)) {
        unite(batch, k);
        Unite(i, d, *i.operand(0), a.lhs_batch_dims[k]);
      } else if (d < Count(i)) {
        Keep(i, d);
      }
    }
    for (size_t side = 0; side < 2; ++side) {
      const HloInstruction& o = *i.operand(side);
      int64_t last = -1;  // the free dimension before
      for (int64_t d = 0; d < o.shape().rank(); ++d) {
        if (absl::c_linear_search(*batch[side], d) || absl::c_linear_search(*summed[side], d))
          continue;
        if (next > 0 && (last < 0 || d != last + 1)) {
          Keep(i, next - 1);
        } else if (next > 0) {
          Unite(i, next - 1, o, last);
          united[side].insert(last);
        }
        last = d;
        ++next;
      }
      for (int64_t d = 0; d < Count(o); ++d) {
        if (!united[side].contains(d)) Keep(o, d);
      }
    }
  }

  // Neighbours that windows have all of, and along which no indices choose (`chosen`). `places`: of
  // the windows' dimensions in `windows`, in the order of the array's, but for those `left_out`.
  void UniteWindows(const HloInstruction& windows, const HloInstruction& array, const Dims& places,
                    absl::Span<const Dims* const> left_out, const Dims& chosen) {
    // The array's dimension that one of `windows` has all of, or -1.
    Dims to(static_cast<size_t>(windows.shape().rank()), -1);
    size_t next = 0;
    for (int64_t d = 0; d < array.shape().rank(); ++d) {
      if (absl::c_any_of(left_out, [&](const Dims* x) { return absl::c_linear_search(*x, d); }))
        continue;
      const int64_t u = places[next++];
      if (!absl::c_linear_search(chosen, d) &&
          windows.shape().dimension(u) == array.shape().dimension(d))
        to[static_cast<size_t>(u)] = d;
    }
    std::vector<bool> united(static_cast<size_t>(Count(array)), false);
    for (int64_t u = 0; u < Count(windows); ++u) {
      const int64_t d = to[static_cast<size_t>(u)];
      if (d < 0 || to[static_cast<size_t>(u) + 1] != d + 1) {
        Keep(windows, u);
      } else {
        Unite(windows, u, array, d);
        united[static_cast<size_t>(d)] = true;
      }
    }
    for (int64_t d = 0; d < Count(array); ++d)
      if (!united[static_cast<size_t>(d)]) Keep(array, d);
  }
  void Gather(const HloInstruction& i) {
    const auto& a = i.attrs<GatherAttrs>();
    KeepAll(*i.operand(1));
    UniteWindows(i, *i.operand(0), a.offset_dims,
                 {&a.collapsed_slice_dims, &a.operand_batching_dims}, a.start_index_map);
  }
  void Scatter(const HloInstruction& i) {
    const auto& a = i.attrs<ScatterAttrs>();
    const size_t n = i.operands().size() / 2;
    const HloInstruction& updates = *i.operand(n + 1);
    for (size_t k = 0; k < n; ++k) {
      UniteAll(i, *i.operand(k));
      UniteAll(updates, *i.operand(n + 1 + k));
    }
    KeepAll(*i.operand(n));
    UniteWindows(updates, *i.operand(0), a.update_window_dims,
                 {&a.inserted_window_dims, &a.input_batching_dims}, a.scatter_dims_to_operand_dims);
  }

  const HloComputation& region_;
  const std::vector<HloInstruction*> order_;
  const std::vector<const HloInstruction*> outputs_;
};

}  // namespace

std::unique_ptr<HloModule> MergeDimensions(const HloComputation& region) {
  std::unique_ptr<HloModule> dropped = DropUnitDimensions(region);
  std::unique_ptr<HloModule> merged = Merger(dropped ? *dropped->entry() : region).Run();
  return merged ? std::move(merged) : std::move(dropped);
}

}  // namespace sinter::plan
