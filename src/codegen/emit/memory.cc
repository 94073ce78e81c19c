// Loads and stores of a region's arguments.
#include <algorithm>

#include "absl/algorithm/container.h"
#include "codegen/emit/region.h"

namespace sinter::emit {

using kernel::Index;
using kernel::kNone;
using kernel::Type;
using kernel::Value;

namespace {

Bound Doubled(Region& region, const Bound& bound) {
  if (!bound.any()) return bound;
  return {region.IndexOp(kernel::OpCode::kMul, bound.base, region.Int(2)),
          region.IndexOp(kernel::OpCode::kMul, bound.limit, region.Int(2))};
}

}  // namespace

// Columns that run along a major dimension while rows run along the minor one: the tile is loaded
// in the order of memory, to be transposed. Coordinates that are data scatter the tile in any case.
Region::Loaded Region::LoadInOrder(int buffer, absl::Span<const Coord> index, const Frame& frame,
                                   int64_t minor_scale, int64_t minor_offset) {
  const ElementType elem = b_.kernel().buffers[static_cast<size_t>(buffer)].elem;
  absl::InlinedVector<Index, 4> at;
  bool rows = false, cols = false, cols_minor = false, cols_elsewhere = false, scalars = true;
  Type type{elem};
  for (size_t d = 0; d < index.size(); ++d) {
    const Coord& c = index[d];
    const bool minor = d + 1 == index.size();
    const int scale = minor ? static_cast<int>(minor_scale) : 1;
    Value base = c.base;
    if (minor && minor_scale != 1)
      base = IndexAdd(IndexOp(kernel::OpCode::kMul, base, Int(minor_scale)), Int(minor_offset));
    at.push_back({base, c.rows * scale, c.cols * scale});
    const Type& t = b_.type(c.base);
    rows |= c.rows != 0 || t.rows > 1;
    cols |= c.cols != 0 || t.cols > 1;
    scalars &= t.is_scalar();
    (minor ? cols_minor : cols_elsewhere) |= c.cols != 0;
  }
  if (rows) type.rows = frame.rows;
  if (cols) type.cols = frame.cols;
  const bool turn = type.rows > 1 && type.cols > 1 && cols_elsewhere && !cols_minor && scalars &&
                    index.back().rows == 1 && minor_scale == 1;
  if (turn) {
    for (Index& i : at) std::swap(i.rows, i.cols);
    std::swap(type.rows, type.cols);
  }
  Value mask = MaskOf(frame, type, turn);
  return {b_.Load(buffer, at, type, mask, mask == kNone ? kNone : b_.Const(elem, 0), ahead_), turn};
}

// One real part: `minor_scale` is 2 for complex arrays, whose parts alternate along the minor
// dimension.
Value Region::LoadReal(int buffer, absl::Span<const Coord> index, const Frame& frame,
                       int64_t minor_scale, int64_t minor_offset) {
  const Loaded loaded = LoadInOrder(buffer, index, frame, minor_scale, minor_offset);
  return loaded.is_turned ? b_.Transpose(loaded.tile) : loaded.tile;
}

Parts Region::LoadBuffer(int buffer, ElementType type, const Coords& at, const Frame& frame) {
  Coords index = at;
  if (index.empty()) index.push_back(Coord{Int(0)});
  if (!IsComplex(type)) return {LoadReal(buffer, index, frame, 1, 0)};
  // Contiguous: one load of both parts, taken apart in registers.
  const Coord minor = index.back();
  bool elsewhere = false, rows = false, scalars = true;
  for (size_t d = 0; d < index.size(); ++d) {
    const Type& t = b_.type(index[d].base);
    rows |= index[d].rows != 0 || t.rows > 1;
    scalars &= t.is_scalar();
    elsewhere |= d + 1 < index.size() && index[d].cols != 0;
  }
  // A guard says the same of both parts, unless it tells elements of a row apart.
  const Type guard = frame.guard == kNone ? Type{} : b_.type(frame.guard);
  if (scalars && guard.cols == 1 && minor.cols == 1 && minor.rows == 0 && !elsewhere &&
      !(rows && frame.row_bound.any())) {
    Frame both = frame;
    both.cols *= 2;
    both.col_bound = Doubled(*this, frame.col_bound);
    index.back().base = IndexOp(kernel::OpCode::kMul, minor.base, Int(2));
    auto [re, im] = b_.Deinterleave(LoadReal(buffer, index, both, 1, 0));
    return {re, im};
  }
  // The same of rows along the minor dimension, before they are turned.
  if (scalars && guard.rows == 1 && minor.rows == 1 && minor.cols == 0 && elsewhere &&
      frame.rows > 1 && frame.cols > 1) {
    Frame both = frame;
    both.rows *= 2;
    both.row_bound = Doubled(*this, frame.row_bound);
    index.back().base = IndexOp(kernel::OpCode::kMul, minor.base, Int(2));
    auto [re, im] = b_.Deinterleave(LoadInOrder(buffer, index, both, 1, 0).tile);
    return {b_.Transpose(re), b_.Transpose(im)};
  }
  return {LoadReal(buffer, index, frame, 2, 0), LoadReal(buffer, index, frame, 2, 1)};
}

Parts Region::EvalParameter(const HloInstruction* node, const Coords& at, const Frame& frame) {
  if (const auto kept = FromBlock(node, at, frame)) return *kept;
  const size_t number = static_cast<size_t>(node->attrs<ParameterAttrs>().number);
  return LoadBuffer(parameter_buffers_[number], node->shape().element_type(), at, frame);
}

void Region::StoreOutput(size_t output, Coords at, const Frame& frame, Parts value) {
  for (size_t d = 0; window_ && d < at.size(); ++d) {
    const int64_t dim = static_cast<int64_t>(d),
                  limit = window_->shape().dimension(dim) - outputs_[0]->shape().dimension(dim);
    if (limit <= 0) continue;
    at[d].base = IndexAdd(at[d].base, Start(window_, d + 2, limit));
    at[d].range = at[d].range.Plus({0, limit + 1});
  }
  StoreBuffer(output_buffers_[output], outputs_[output]->shape().element_type(), at, frame, value);
}

void Region::StoreBuffer(int buffer, ElementType type, const Coords& at, const Frame& frame,
                         Parts value) {
  const Type tile = TileOf(at, frame, RealPart(type));
  const bool cols = tile.cols > 1;
  Value mask = MaskOf(frame, tile);
  auto store = [&](Value v, int scale, int offset, Type t, Value m) {
    absl::InlinedVector<Index, 4> index;
    for (size_t d = 0; d < at.size(); ++d) {
      const bool minor = d + 1 == at.size();
      Value base = at[d].base;
      if (minor && scale != 1)
        base = IndexAdd(IndexOp(kernel::OpCode::kMul, base, Int(scale)), Int(offset));
      index.push_back({base, at[d].rows * (minor ? scale : 1), at[d].cols * (minor ? scale : 1)});
    }
    if (index.empty()) index.push_back({Int(offset)});
    b_.Store(Widen(v, t), buffer, index, m,
             plan_->non_temporal && scale == 1 && t.cols % plan_->lanes == 0);
  };
  if (!IsComplex(type)) {
    store(value.re, 1, 0, tile, mask);
    return;
  }
  const bool scalars =
      absl::c_all_of(at, [&](const Coord& c) { return b_.type(c.base).is_scalar(); });
  if (scalars && cols && at.back().cols == 1 && at.back().rows == 0 && frame.guard == kNone) {
    Value pairs = b_.Interleave(Widen(value.re, tile), Widen(value.im, tile));
    Frame both = frame;
    both.cols *= 2;
    both.col_bound = Doubled(*this, frame.col_bound);
    absl::InlinedVector<Index, 4> index;
    for (const Coord& c : at) index.push_back({c.base, c.rows, c.cols});
    index.back().base = IndexOp(kernel::OpCode::kMul, at.back().base, Int(2));
    b_.Store(pairs, buffer, index, MaskOf(both, {tile.elem, tile.rows, 2 * tile.cols}));
    return;
  }
  store(value.re, 2, 0, tile, mask);
  store(value.im, 2, 1, tile, mask);
}

}  // namespace sinter::emit
