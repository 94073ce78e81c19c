#include "codegen/plan/unit_dimensions.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "ir/results.h"

namespace sinter::plan {
namespace {

class UnitDropper {
 public:
  explicit UnitDropper(const HloComputation& region)
      : region_(region), order_(region.PostOrder()) {}

  std::unique_ptr<HloModule> Run() {
    for (const HloInstruction* i : order_) Number(*i);
    for (const HloInstruction* i : order_) Constrain(*i);
    for (size_t d = 0; d < leader_.size(); ++d)
      if (!stays_[Find(d)]) return Build();
    return nullptr;
  }

 private:
  // --- which dimensions stay

  // A tuple is its elements; what a reduction gives are arrays of the same dimensions.
  static bool HasNone(const HloInstruction& i) {
    return i.op() == HloOpcode::Tuple || i.op() == HloOpcode::While;
  }
  void Number(const HloInstruction& i) {
    first_[&i] = leader_.size();
    if (HasNone(i)) return;
    for (int64_t n : ResultShape(i).dimensions()) {
      leader_.push_back(leader_.size());
      stays_.push_back(n != 1);
    }
  }
  size_t Find(size_t d) {
    while (leader_[d] != d) d = leader_[d] = leader_[leader_[d]];
    return d;
  }
  size_t At(const HloInstruction& i, int64_t d) const {
    return first_.at(&i) + static_cast<size_t>(d);
  }
  void Unite(const HloInstruction& x, int64_t d, const HloInstruction& y, int64_t e) {
    const size_t a = Find(At(x, d)), b = Find(At(y, e));
    stays_[a] = stays_[a] || stays_[b];
    leader_[b] = a;
  }
  void UniteAll(const HloInstruction& x, const HloInstruction& y) {
    for (int64_t d = 0; d < ResultShape(y).rank(); ++d) Unite(x, d, y, d);
  }
  void Keep(const HloInstruction& i, int64_t d) { stays_[Find(At(i, d))] = true; }
  void KeepAll(const HloInstruction& i) {
    if (HasNone(i)) return;
    for (int64_t d = 0; d < ResultShape(i).rank(); ++d) Keep(i, d);
  }
  bool Stays(const HloInstruction& i, int64_t d) { return stays_[Find(At(i, d))]; }

  void Constrain(const HloInstruction& i) {
    const int64_t rank = HasNone(i) ? 0 : ResultShape(i).rank();
    if (IsElementwise(i.op())) {
      for (const HloInstruction* o : i.operands())
        if (o->shape().rank() > 0) UniteAll(i, *o);
      return;
    }
    switch (i.op()) {
      case HloOpcode::Parameter:
      case HloOpcode::OptimizationBarrier:
        if (i.shape().is_tuple()) return KeepAll(i);
        if (i.op() == HloOpcode::OptimizationBarrier) UniteAll(i, *i.operand(0));
        return;
      case HloOpcode::Constant:
      case HloOpcode::Tuple:
      case HloOpcode::While:
      case HloOpcode::Reshape:
        return;
      case HloOpcode::GetTupleElement:
        if (i.operand(0)->op() != HloOpcode::While) return UniteAll(i, *i.operand(0));
        // Each element runs the loop by itself.
        for (const HloInstruction* o : i.operand(0)->operand(0)->operands())
          if (rank > 0 && o->shape().rank() > 0) UniteAll(i, *o);
        return;
      case HloOpcode::Iota:
        return Keep(i, i.attrs<IotaAttrs>().iota_dimension);
      case HloOpcode::Broadcast:
        for (size_t k = 0; k < i.dimensions().size(); ++k) {
          const int64_t d = i.dimensions()[k];
          if (i.shape().dimension(d) == i.operand(0)->shape().dimensions()[k])
            Unite(i, d, *i.operand(0), static_cast<int64_t>(k));
        }
        return;
      case HloOpcode::Transpose:
        for (int64_t d = 0; d < rank; ++d)
          Unite(i, d, *i.operand(0), i.dimensions()[static_cast<size_t>(d)]);
        return;
      case HloOpcode::Concatenate:
        Keep(i, i.dimensions()[0]);
        for (const HloInstruction* o : i.operands()) UniteAll(i, *o);
        return;
      case HloOpcode::Pad: {
        const auto& a = i.attrs<PadAttrs>();
        for (int64_t d = 0; d < rank; ++d) {
          const auto at = static_cast<size_t>(d);
          if (a.low[at] != 0 || a.high[at] != 0) Keep(i, d);
        }
        return UniteAll(i, *i.operand(0));
      }
      case HloOpcode::DynamicUpdateSlice:
        UniteAll(i, *i.operand(1));
        return UniteAll(i, *i.operand(0));
      case HloOpcode::Slice:
      case HloOpcode::Reverse:
      case HloOpcode::DynamicSlice:
        return UniteAll(i, *i.operand(0));
      case HloOpcode::Reduce:
        return Reduce(i);
      case HloOpcode::Gather: {
        const auto& a = i.attrs<GatherAttrs>();
        Indices(*i.operand(1), a.index_vector_dim, a.start_indices_batching_dims, i, a.offset_dims);
        return Windows(i, *i.operand(0), a.offset_dims, a.collapsed_slice_dims,
                       a.operand_batching_dims, a.start_index_map);
      }
      case HloOpcode::Scatter: {
        const auto& a = i.attrs<ScatterAttrs>();
        const size_t n = i.operands().size() / 2;
        for (size_t k = 0; k < n; ++k) {
          UniteAll(i, *i.operand(k));
          UniteAll(*i.operand(n + 1), *i.operand(n + 1 + k));
        }
        Indices(*i.operand(n), a.index_vector_dim, a.scatter_indices_batching_dims,
                *i.operand(n + 1), a.update_window_dims);
        return Windows(*i.operand(n + 1), *i.operand(0), a.update_window_dims,
                       a.inserted_window_dims, a.input_batching_dims,
                       a.scatter_dims_to_operand_dims);
      }
      default:
        KeepAll(i);
        for (const HloInstruction* o : i.operands()) KeepAll(*o);
    }
  }

  // The array's dimensions in the order of the windows' (`places`), but for those without an extent
  // in these, of which an index chooses none where it is not `chosen` by one.
  void Windows(const HloInstruction& windows, const HloInstruction& array, const Dims& places,
               const Dims& collapsed, const Dims& batching, const Dims& chosen) {
    size_t next = 0;
    for (int64_t d = 0; d < array.shape().rank(); ++d) {
      const bool is_batch = absl::c_linear_search(batching, d);
      if (is_batch || absl::c_linear_search(chosen, d)) Keep(array, d);
      if (!is_batch && !absl::c_linear_search(collapsed, d))
        Unite(windows, places[next++], array, d);
    }
  }
  // The other dimensions of the windows are those of the indices but for the one along which an
  // index is; of one number that need not be there.
  void Indices(const HloInstruction& indices, int64_t vector, const Dims& batching,
               const HloInstruction& windows, const Dims& places) {
    int64_t next = 0;
    for (int64_t d = 0; d < windows.shape().rank(); ++d) {
      if (absl::c_linear_search(places, d)) continue;
      next += next == vector ? 1 : 0;
      if (absl::c_linear_search(batching, next)) Keep(indices, next);
      Unite(windows, d, indices, next++);
    }
  }

  void Reduce(const HloInstruction& i) {
    const HloInstruction& o = *i.operand(0);
    for (size_t k = 1; k < i.operands().size() / 2; ++k) UniteAll(*i.operand(k), o);
    bool applies = false;
    int64_t next = 0;
    for (int64_t d = 0; d < o.shape().rank(); ++d) {
      if (absl::c_linear_search(i.dimensions(), d)) {
        applies |= o.shape().dimension(d) != 1;
      } else {
        Unite(i, next++, o, d);
      }
    }
    // The reducer is applied to one element and the initial value too.
    if (!applies && !i.dimensions().empty()) Keep(o, i.dimensions().back());
  }

  // --- the region again

  // Of a list with an entry for each dimension of `of`, those of the ones that stay.
  Dims Left(absl::Span<const int64_t> list, const HloInstruction& of) {
    Dims left;
    for (size_t d = 0; d < list.size(); ++d)
      if (Stays(of, static_cast<int64_t>(d))) left.push_back(list[d]);
    return left;
  }
  // What becomes of numbers of dimensions of `of`.
  Dims Renumbered(const Dims& dims, const HloInstruction& of) {
    Dims out;
    for (int64_t d : dims) {
      if (!Stays(of, d)) continue;
      out.push_back(0);
      for (int64_t before = 0; before < d; ++before) out.back() += Stays(of, before) ? 1 : 0;
    }
    return out;
  }

  // The dimension along which an index of several numbers is; behind the last one of such without.
  int64_t VectorOf(const HloInstruction& indices, int64_t vector) {
    if (vector < indices.shape().rank() && Stays(indices, vector))
      return Renumbered({vector}, indices)[0];
    return static_cast<int64_t>(Left(indices.shape().dimensions(), indices).size());
  }

  Shape ShapeOf(const HloInstruction& i, const std::vector<HloInstruction*>& operands) {
    auto left = [&](const Shape& s) { return Shape(s.element_type(), Left(s.dimensions(), i)); };
    if (i.op() == HloOpcode::While) return operands[0]->shape();
    if (!i.shape().is_tuple()) return left(i.shape());
    std::vector<Shape> shapes;
    for (size_t k = 0; k < i.shape().tuple_shapes().size(); ++k)
      shapes.push_back(i.op() == HloOpcode::Tuple ? operands[k]->shape()
                                                  : left(i.shape().tuple_shapes()[k]));
    return Shape::Tuple(shapes);
  }

  Attributes AttributesOf(const HloInstruction& i) {
    Attributes attrs = i.attributes();
    switch (i.op()) {
      case HloOpcode::Constant: {
        Literal same = *i.literal().Reshape(Left(i.shape().dimensions(), i));
        return ConstantAttrs{std::make_shared<const Literal>(std::move(same))};
      }
      case HloOpcode::Iota: {
        auto& a = std::get<IotaAttrs>(attrs);
        a.iota_dimension = Renumbered({a.iota_dimension}, i)[0];
        break;
      }
      case HloOpcode::Broadcast: {
        // One that is stretched from one element may be gone.
        Dims& dims = std::get<DimensionsAttrs>(attrs).dimensions;
        dims = Renumbered(Left(dims, *i.operand(0)), i);
        break;
      }
      case HloOpcode::Transpose:
      case HloOpcode::Reduce:
        std::get<DimensionsAttrs>(attrs).dimensions = Renumbered(i.dimensions(), *i.operand(0));
        break;
      case HloOpcode::Reverse:
      case HloOpcode::Concatenate:
        std::get<DimensionsAttrs>(attrs).dimensions = Renumbered(i.dimensions(), i);
        break;
      case HloOpcode::Slice: {
        const auto& a = i.attrs<SliceAttrs>();
        return SliceAttrs{Left(a.starts, i), Left(a.limits, i), Left(a.strides, i)};
      }
      case HloOpcode::Pad: {
        const auto& a = i.attrs<PadAttrs>();
        return PadAttrs{Left(a.low, i), Left(a.high, i), Left(a.interior, i)};
      }
      case HloOpcode::DynamicSlice:
        return DynamicSliceAttrs{Left(i.attrs<DynamicSliceAttrs>().dynamic_slice_sizes, i)};
      case HloOpcode::Gather: {
        auto& a = std::get<GatherAttrs>(attrs);
        const HloInstruction& array = *i.operand(0);
        a.offset_dims = Renumbered(a.offset_dims, i);
        a.slice_sizes = Left(a.slice_sizes, array);
        for (Dims* dims : {&a.collapsed_slice_dims, &a.start_index_map, &a.operand_batching_dims})
          *dims = Renumbered(*dims, array);
        a.start_indices_batching_dims = Renumbered(a.start_indices_batching_dims, *i.operand(1));
        a.index_vector_dim = VectorOf(*i.operand(1), a.index_vector_dim);
        break;
      }
      case HloOpcode::Scatter: {
        auto& a = std::get<ScatterAttrs>(attrs);
        a.update_window_dims = Renumbered(a.update_window_dims, *i.operands().back());
        for (Dims* dims :
             {&a.inserted_window_dims, &a.scatter_dims_to_operand_dims, &a.input_batching_dims})
          *dims = Renumbered(*dims, *i.operand(0));
        const HloInstruction& indices = *i.operand(i.operands().size() / 2);
        a.scatter_indices_batching_dims = Renumbered(a.scatter_indices_batching_dims, indices);
        a.index_vector_dim = VectorOf(indices, a.index_vector_dim);
        break;
      }
      default:
        break;
    }
    return attrs;
  }

  std::unique_ptr<HloModule> Build() {
    auto module = std::make_unique<HloModule>(region_.name());
    HloComputation* c = module->AddComputation(region_.name());
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
    for (const HloInstruction* p : region_.parameters())
      copies[p] = c->AddParameter(p->attrs<ParameterAttrs>().number, ShapeOf(*p, {}), p->name());
    for (const HloInstruction* i : order_) {
      if (copies.contains(i)) continue;
      // A start is given for each dimension of the first operand.
      const size_t arrays = i->op() == HloOpcode::DynamicSlice         ? 1
                            : i->op() == HloOpcode::DynamicUpdateSlice ? 2
                                                                       : i->operands().size();
      std::vector<HloInstruction*> operands;
      for (size_t k = 0; k < i->operands().size(); ++k) {
        if (k < arrays || Stays(*i->operand(0), static_cast<int64_t>(k - arrays)))
          operands.push_back(copies.at(i->operand(k)));
      }
      HloInstruction* copy = c->AddWithShape(i->op(), ShapeOf(*i, operands), operands,
                                             AttributesOf(*i), i->called(), i->name());
      copy->set_metadata(i->metadata());
      copies[i] = copy;
    }
    c->set_root(copies.at(region_.root()));
    module->set_entry(c);
    return module;
  }

  const HloComputation& region_;
  const std::vector<HloInstruction*> order_;
  absl::flat_hash_map<const HloInstruction*, size_t> first_;  // dimension of each value
  std::vector<size_t> leader_;                                // union-find over dimensions
  std::vector<bool> stays_;                                   // of leaders
};

}  // namespace

std::unique_ptr<HloModule> DropUnitDimensions(const HloComputation& region) {
  return UnitDropper(region).Run();
}

}  // namespace sinter::plan
