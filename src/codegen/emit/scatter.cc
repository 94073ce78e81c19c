// gather and scatter: slices at starts that are data.
#include <algorithm>

#include "codegen/emit/region.h"
#include "codegen/emit/scalar_computation.h"

namespace sinter::emit {

using kernel::kNone;
using kernel::Value;
using kernel::Values;

namespace {

// Where `d` stands in the list, or -1.
int64_t Find(const Dims& dims, int64_t d) {
  auto it = std::find(dims.begin(), dims.end(), d);
  return it == dims.end() ? -1 : it - dims.begin();
}

// The coordinates of slices that `window` does not name: those of the index vectors' batch.
Coords BatchOf(const Coords& at, const Dims& window) {
  Coords batch;
  for (size_t d = 0; d < at.size(); ++d) {
    if (Find(window, static_cast<int64_t>(d)) < 0) batch.push_back(at[d]);
  }
  return batch;
}

}  // namespace

Value Region::IndexComponent(const HloInstruction* indices, int64_t index_vector_dim, size_t k,
                             const Coords& batch, const Frame& frame, int64_t lo, int64_t hi) {
  Coords at = batch;
  if (index_vector_dim < indices->shape().rank())
    at.insert(at.begin() + index_vector_dim, Coord{Int(static_cast<int64_t>(k))});
  // Under a guard, evaluation may have moved the coordinates to the innermost block.
  const int depth = frame.guard == kNone ? NodeDepth(at, frame) : b_.depth();
  const Value component = Eval(indices, at, frame).re;
  Value v = kNone;
  AtDepth(depth, [&] {
    Value s = component;
    const ElementType t = b_.type(s).elem;
    if (t == ElementType::U64) s = b_.Min(s, b_.ConstInt(t, hi));  // it would turn negative
    v = b_.Max(b_.Min(b_.Convert(s, ElementType::S64), Int(hi)), Int(lo));
  });
  int64_t known;
  if (!b_.IsInt(v, &known)) depth_of_.try_emplace(v, depth);
  return v;
}

Parts Region::EvalGather(const HloInstruction* node, const Coords& at, const Frame& frame) {
  const auto& a = node->attrs<GatherAttrs>();
  const HloInstruction* indices = node->operand(1);
  const Coords batch = BatchOf(at, a.offset_dims);
  const Shape& from = node->operand(0)->shape();
  // A slice of size 0 in a dimension that the result does not have holds no element to read: the
  // result has zeros there.
  if (Find(a.slice_sizes, 0) >= 0) return Zero(from.element_type());
  Coords index;
  size_t next = 0;
  for (int64_t d = 0; d < from.rank(); ++d) {
    Coord c{Int(0)};
    if (const int64_t k = Find(a.operand_batching_dims, d); k >= 0) {
      const int64_t dim = a.start_indices_batching_dims[static_cast<size_t>(k)];
      c = batch[static_cast<size_t>(dim - (dim > a.index_vector_dim ? 1 : 0))];
    } else if (Find(a.collapsed_slice_dims, d) < 0) {
      c = at[static_cast<size_t>(a.offset_dims[next++])];
    }
    const int64_t k = Find(a.start_index_map, d),
                  limit = from.dimension(d) - a.slice_sizes[static_cast<size_t>(d)];
    if (k >= 0 && limit > 0) {
      const Value start = IndexComponent(indices, a.index_vector_dim, static_cast<size_t>(k), batch,
                                         frame, 0, limit);
      if (!b_.type(start).is_scalar() && (c.rows != 0 || c.cols != 0)) {
        c = Coord{CoordValue(c, frame, ElementType::S64)};
        depth_of_.try_emplace(c.base, b_.depth());
      }
      c.base = IndexAdd(c.base, start);
      c.range = Interval{0, from.dimension(d)};
    }
    index.push_back(c);
  }
  return Eval(node->operand(0), index, frame);
}

// Starts far outside are clamped to values near the bounds, so that sums do not overflow; the
// elements that they lead to stay outside.
void Region::CombineScattered(const Coords& at, const Frame& frame) {
  const auto& a = scatter_->attrs<ScatterAttrs>();
  const size_t n = outputs_.size();
  const HloInstruction* indices = scatter_->operand(n);
  const Coords batch = BatchOf(at, a.update_window_dims);
  const Shape& array = scatter_->operand(0)->shape();
  Coords index;
  Value inside = kNone;  // where the whole tile is, or none of it
  Frame tile = frame;    // guarded where some of its columns may be
  size_t next = 0;
  for (int64_t d = 0; d < array.rank(); ++d) {
    Coord c{Int(0)};
    int64_t size = 1;
    if (const int64_t k = Find(a.input_batching_dims, d); k >= 0) {
      const int64_t dim = a.scatter_indices_batching_dims[static_cast<size_t>(k)];
      c = batch[static_cast<size_t>(dim - (dim > a.index_vector_dim ? 1 : 0))];
    } else if (Find(a.inserted_window_dims, d) < 0) {
      const int64_t u = a.update_window_dims[next++];
      c = at[static_cast<size_t>(u)];
      size = outputs_[0]->shape().dimension(u);
    }
    if (const int64_t k = Find(a.scatter_dims_to_operand_dims, d); k >= 0) {
      const Value start = IndexComponent(indices, a.index_vector_dim, static_cast<size_t>(k), batch,
                                         frame, -size, array.dimension(d));
      c.base = IndexAdd(c.base, start);
      c.range = Interval{};
      const Value p = InRange(c, {0, array.dimension(d)}, frame);
      if (b_.type(p).is_scalar()) {
        inside = inside == kNone ? p : b_.And(inside, p);
      } else {
        tile = Guarded(tile, p);
      }
    }
    index.push_back(c);
  }
  const HloComputation& computation = *scatter_->called(0);
  auto combine = [&] {
    std::vector<Parts> arguments;
    for (size_t k = 0; k < n; ++k) {
      const ElementType own = scatter_->operand(k)->shape().element_type();
      const HloInstruction* current = computation.parameter(k);
      Parts x;
      if (current->users().empty() && current != computation.root()) {
        x.re = b_.Const(RealPart(own), 0);
        if (IsComplex(own)) x.im = x.re;
      } else {
        x = LoadBuffer(output_buffers_[k], own, index, tile);
      }
      arguments.push_back(x);
    }
    for (const HloInstruction* update : outputs_) arguments.push_back(Eval(update, at, frame));
    auto results = EvalScalarComputation(b_, computation, arguments, false);
    if (!results.ok()) {
      Fail(results.status(), array.element_type());
      return;
    }
    for (size_t k = 0; k < n; ++k) {
      StoreBuffer(output_buffers_[k], scatter_->operand(k)->shape().element_type(), index, tile,
                  (*results)[k]);
    }
  };
  if (inside == kNone) return combine();
  b_.If(
      inside,
      [&] {
        Block block(*this);
        combine();
        return Values{};
      },
      [] { return Values{}; });
}

}  // namespace sinter::emit
