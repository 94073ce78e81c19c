// Operations that move quantized values must preserve the number that each element stands for:
// where scales run along a dimension or belong to blocks, those of the result are the operand's in
// their new places.
#include <algorithm>
#include <numeric>

#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/quantization.h"

namespace sinter::stablehlo {
namespace {

// The scales of an array as an array: cells of `size` elements along each dimension, `count` of
// them.
struct Cells {
  Dims size, count;
};

absl::StatusOr<Cells> CellsOf(const Quantization& q, const Shape& shape) {
  RETURN_IF_ERROR(CheckQuantization(q, shape));
  Cells cells{shape.dimensions(), Dims(shape.dimensions().size(), 1)};
  auto set = [&](int64_t d, int64_t size) {
    const auto at = static_cast<size_t>(d);
    cells.size[at] = size;
    cells.count[at] = shape.dimension(d) / size;
  };
  if (q.dimension >= 0) set(q.dimension, 1);
  for (size_t i = 0; i < q.block_dimensions.size(); ++i)
    set(q.block_dimensions[i], q.block_sizes[i]);
  return cells;
}

bool HasOneScale(const Quantization& q) { return q.dimension < 0 && q.block_dimensions.empty(); }

bool SameButScales(const Quantization& a, const Quantization& b) {
  return a.storage == b.storage && a.expressed == b.expressed && a.storage_min == b.storage_min &&
         a.storage_max == b.storage_max;
}
bool SameAt(const Quantization& a, int64_t i, const Quantization& b, int64_t j) {
  const auto x = static_cast<size_t>(i), y = static_cast<size_t>(j);
  return a.scales[x] == b.scales[y] && a.zero_points[x] == b.zero_points[y];
}

// The cell that holds the element at an index.
int64_t CellAt(const Cells& cells, const Dims& index) {
  int64_t at = 0;
  for (size_t d = 0; d < index.size(); ++d) at = at * cells.count[d] + index[d] / cells.size[d];
  return at;
}

// Whether elements of `to` stand for what those of `from` do from which `source` says they come.
// Both are constant within steps of `step` along each dimension of `to`.
template <class Source>
bool Agree(const Quantization& from, const Cells& from_cells, const Quantization& to,
           const Cells& to_cells, const Dims& extents, const Dims& step, Source source) {
  if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return true;
  for (Dims index(extents.size());;) {
    if (!SameAt(from, CellAt(from_cells, source(index)), to, CellAt(to_cells, index))) return false;
    size_t d = extents.size();
    while (d > 0 && (index[d - 1] += step[d - 1]) >= extents[d - 1]) index[--d] = 0;
    if (d == 0) return true;
  }
}

// Elements in a row that are in one cell, all dimensions but the last few whole.
int64_t Run(const Cells& cells) {
  int64_t run = 1;
  for (size_t d = cells.size.size(); d-- > 0;) {
    run *= cells.size[d];
    if (cells.count[d] != 1) break;
  }
  return run;
}

bool AgreeReshaped(const Quantization& from, const Shape& from_shape, const Cells& from_cells,
                   const Quantization& to, const Shape& to_shape, const Cells& to_cells) {
  if (from_shape.element_count() != to_shape.element_count()) return true;  // an error of its own
  auto index_of = [](int64_t flat, const Shape& shape) {
    Dims index(static_cast<size_t>(shape.rank()));
    for (size_t d = index.size(); d-- > 0; flat /= shape.dimensions()[d])
      index[d] = flat % shape.dimensions()[d];
    return index;
  };
  const int64_t step = std::gcd(Run(from_cells), Run(to_cells));
  for (int64_t flat = 0; flat < to_shape.element_count(); flat += step) {
    if (!SameAt(from, CellAt(from_cells, index_of(flat, from_shape)), to,
                CellAt(to_cells, index_of(flat, to_shape))))
      return false;
  }
  return true;
}

// Whether a dimension has the same size in both, and as many elements before it and behind it.
bool SameAround(const Shape& a, int64_t i, const Shape& b, int64_t j) {
  auto count = [](const Shape& s, int64_t first, int64_t last) {
    int64_t n = 1;
    for (int64_t d = first; d < last; ++d) n *= s.dimension(d);
    return n;
  };
  return a.dimension(i) == b.dimension(j) && count(a, 0, i) == count(b, 0, j) &&
         count(a, i + 1, a.rank()) == count(b, j + 1, b.rank());
}

}  // namespace

absl::Status Lowering::CheckSameQuantization(const Operation& op, const OpRow& row) const {
  const ElementUse use = row.elements.use;
  if (use == ElementUse::kWhole) return absl::OkStatus();
  const bool broadcasts = use == ElementUse::kBroadcasts || use == ElementUse::kBroadcastsInFront;
  const bool transposes = use == ElementUse::kTransposes;
  const bool reshapes = use == ElementUse::kReshapes;
  // The specification's labels: of the element type, and of where its scales lie.
  const std::string_view moved = broadcasts   ? "(C6) "
                                 : transposes ? "(C4) "
                                 : reshapes   ? "(C3) "
                                              : "";
  auto differs = [&](ValueId id, std::string_view label) {
    return Invalid(op, "{}an operand of {} and the result differ in what their elements stand for",
                   label, ToText(ShapeOf(id)));
  };
  if (op.results.size() == 1 && (broadcasts || transposes || reshapes)) {
    if (op.operands.empty()) return absl::OkStatus();
    const ValueId id = op.operands[0];
    const Quantization *from = QuantizationOf(id), *to = QuantizationOf(op.results[0]);
    if (from == nullptr || to == nullptr) {
      if (from == to) return absl::OkStatus();
      return Invalid(op, "(C1) either the operand and the result are quantized or none is");
    }
    if (!SameButScales(*from, *to)) return differs(id, "(C1) ");
    if (HasOneScale(*from) && HasOneScale(*to))
      return SameAt(*from, 0, *to, 0) ? absl::OkStatus() : differs(id, "(C1) ");
    const Shape &operand = ShapeOf(id), &result = ResultShape(op);
    if (std::any_of(result.dimensions().begin(), result.dimensions().end(),
                    [](int64_t d) { return d == Shape::kUnbounded; }))
      return Unsupported(op, "scales of parts of {}", ToText(result));
    auto fits = [&](absl::StatusOr<Cells> cells) -> absl::StatusOr<Cells> {
      if (!cells.ok()) return Invalid(op, "{}", MessageOf(cells.status()));
      return cells;
    };
    ASSIGN_OR_RETURN(const Cells from_cells, fits(CellsOf(*from, operand)));
    ASSIGN_OR_RETURN(const Cells to_cells, fits(CellsOf(*to, result)));
    // Scales of one dimension stay those of one, equal or not.
    const bool along = from->dimension >= 0, result_along = to->dimension >= 0;
    if (along != result_along && from->block_dimensions.empty() && to->block_dimensions.empty())
      return differs(id, "(C1) ");
    if (reshapes) {
      if (along && result_along && !SameAround(operand, from->dimension, result, to->dimension))
        return differs(id, moved);
      return AgreeReshaped(*from, operand, from_cells, *to, result, to_cells) ? absl::OkStatus()
                                                                              : differs(id, moved);
    }
    Dims places;  // of the operand's dimensions in the result
    if (transposes) {
      ASSIGN_OR_RETURN(const Dims permutation, RequireDims(op, "permutation"));
      places.assign(permutation.size(), -1);
      for (size_t d = 0; d < permutation.size(); ++d) {
        if (permutation[d] < 0 || permutation[d] >= static_cast<int64_t>(places.size()))
          return absl::OkStatus();  // an error of its own
        places[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
      }
    } else {
      ASSIGN_OR_RETURN(places, BroadcastPlaces(op, row, operand.rank(), result.rank()));
    }
    if (static_cast<int64_t>(places.size()) != operand.rank()) return absl::OkStatus();
    if (along && result_along && places[static_cast<size_t>(from->dimension)] != to->dimension)
      return differs(id, moved);
    Dims step = to_cells.size;
    for (size_t d = 0; d < places.size(); ++d) {
      if (places[d] < 0 || places[d] >= result.rank()) return absl::OkStatus();
      int64_t& size = step[static_cast<size_t>(places[d])];
      if (operand.dimensions()[d] != 1) size = std::gcd(size, from_cells.size[d]);
    }
    auto source = [&](const Dims& index) {
      Dims at(places.size());
      for (size_t d = 0; d < at.size(); ++d)
        at[d] = operand.dimensions()[d] == 1 ? 0 : index[static_cast<size_t>(places[d])];
      return at;
    };
    return Agree(*from, from_cells, *to, to_cells, result.dimensions(), step, source)
               ? absl::OkStatus()
               : differs(id, moved);
  }
  // All else moves elements to where other scales may hold.
  for (const std::vector<ValueId>* ids : {&op.operands, &op.results}) {
    for (ValueId id : *ids) {
      const Quantization* q = QuantizationOf(id);
      if (q == nullptr || HasOneScale(*q) || use == ElementUse::kInPlace) continue;
      return Invalid(op, "takes and gives quantized values of one scale a tensor, got {}",
                     ToText(Declared(id)));
    }
  }
  if (op.results.size() != 1 && op.results.size() != op.operands.size()) return absl::OkStatus();
  for (size_t i = 0; i < op.operands.size(); ++i) {  // of several results each has its operand
    const Quantization* q = QuantizationOf(op.operands[i]);
    const Quantization* result = QuantizationOf(op.results[op.results.size() == 1 ? 0 : i]);
    if (q != nullptr && result != nullptr && !(*q == *result))
      return differs(op.operands[i], moved);
  }
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo
