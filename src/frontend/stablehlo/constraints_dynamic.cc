// Constraints of operations whose shapes are operands: what holds whatever those are.
#include <algorithm>

#include "frontend/stablehlo/constraint_checks.h"
#include "frontend/stablehlo/constraints.h"

namespace sinter::stablehlo::constraints {
namespace {

bool IsUnique(Dims dims) {
  std::sort(dims.begin(), dims.end());
  return std::adjacent_find(dims.begin(), dims.end()) == dims.end();
}

bool InRange(const Dims& dims, int64_t limit) {
  return std::all_of(dims.begin(), dims.end(), [&](int64_t d) { return 0 <= d && d < limit; });
}

bool IsArray(const Lowering& l, ValueId id) { return l.Declared(id).is_array(); }

// Whether the operand is a vector with that many elements.
bool HasElements(const Lowering& l, ValueId id, int64_t count) {
  const Shape& s = l.Declared(id);
  return s.is_array() && s.rank() == 1 && (!Known(s.dimension(0)) || s.dimension(0) == count);
}

std::string Text(const Dims& dims) { return Format("[{}]", Join(dims, ", ")); }

}  // namespace

absl::Status DynamicBroadcastInDim(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1 || !IsArray(l, op.operands[0]))
    return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &r = l.Declared(op.results[0]);
  if (x.element_type() != r.element_type())
    return l.Invalid(op, "(C1) the operand is {}, the result {}", ToText(x), ToText(r));
  ASSIGN_OR_RETURN(const Dims dims, l.RequireDims(op, "broadcast_dimensions"));
  if (static_cast<int64_t>(dims.size()) != x.rank()) {
    return l.Invalid(op,
                     "(C2) broadcast_dimensions {} must have an entry for each of {} dimensions",
                     Text(dims), x.rank());
  }
  if (!InRange(dims, r.rank()))
    return l.Invalid(op, "(C3) broadcast_dimensions {} must be dimensions of {}", Text(dims),
                     ToText(r));
  if (!IsUnique(dims))
    return l.Invalid(op, "(C4) broadcast_dimensions {} must be unique", Text(dims));
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t to = dims[static_cast<size_t>(d)];
    if (x.dimension(d) == 1 || MayAgree(x, d, r, to)) continue;
    return l.Invalid(op, "(C5) dimension {} of {} is neither 1 nor as long as dimension {} of {}",
                     d, ToText(x), to, ToText(r));
  }
  if (!HasElements(l, op.operands[1], r.rank())) {
    return l.Invalid(op, "(C7) output_dimensions is {}, the result has {} dimensions",
                     Text(l, op.operands[1]), r.rank());
  }
  ASSIGN_OR_RETURN(const Dims expanding, l.OptionalDims(op, "known_expanding_dimensions", {}));
  ASSIGN_OR_RETURN(const Dims others, l.OptionalDims(op, "known_nonexpanding_dimensions", {}));
  Dims both = expanding;
  both.insert(both.end(), others.begin(), others.end());
  if (!IsUnique(both)) {
    return l.Invalid(op, "(C8) a dimension is twice among those known to expand {} and not to {}",
                     Text(expanding), Text(others));
  }
  if (!InRange(expanding, x.rank()))
    return l.Invalid(op, "(C9) known_expanding_dimensions {} must be dimensions of {}",
                     Text(expanding), ToText(x));
  if (!InRange(others, x.rank()))
    return l.Invalid(op, "(C10) known_nonexpanding_dimensions {} must be dimensions of {}",
                     Text(others), ToText(x));
  return absl::OkStatus();
}

absl::Status DynamicIota(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 1 || op.results.size() != 1) return absl::OkStatus();
  const Shape& r = l.Declared(op.results[0]);
  ASSIGN_OR_RETURN(const int64_t d, l.RequireInteger(op, "iota_dimension"));
  if (d < 0 || d >= r.rank())
    return l.Invalid(op, "(C1) iota_dimension {} is not a dimension of {}", d, ToText(r));
  if (!HasElements(l, op.operands[0], r.rank())) {
    return l.Invalid(op, "(C2) output_shape is {}, the result has {} dimensions",
                     Text(l, op.operands[0]), r.rank());
  }
  return absl::OkStatus();
}

absl::Status DynamicReshape(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 2 || op.results.size() != 1) return absl::OkStatus();
  const Shape& r = l.Declared(op.results[0]);
  if (!HasElements(l, op.operands[1], r.rank())) {
    return l.Invalid(op, "(C4) output_shape is {}, the result has {} dimensions",
                     Text(l, op.operands[1]), r.rank());
  }
  std::optional<Dims> sizes = ConstantSizes(l, op, 1);
  for (int64_t d = 0; sizes && d < r.rank(); ++d) {
    const int64_t size = (*sizes)[static_cast<size_t>(d)], stated = r.dimension(d);
    if (!Known(stated) || stated == size || (r.is_dynamic(d) && size <= stated)) continue;
    return l.Invalid(op, "(C4) size {} is {}, the result is {}", d, size, ToText(r));
  }
  return absl::OkStatus();
}

absl::Status DynamicPad(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 5 || op.results.size() != 1 || !IsArray(l, op.operands[0]))
    return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &r = l.Declared(op.results[0]);
  if (l.Declared(op.operands[1]).element_type() != x.element_type() ||
      r.element_type() != x.element_type()) {
    return l.Invalid(op, "(C1) {} is padded with {} and gives {}", ToText(x),
                     Text(l, op.operands[1]), ToText(r));
  }
  for (size_t k = 2; k < 5; ++k) {
    if (HasElements(l, op.operands[k], x.rank())) continue;
    return l.Invalid(op, "(C2) operand {} must have a number for each of {} dimensions, it is {}",
                     k, x.rank(), Text(l, op.operands[k]));
  }
  const std::optional<Dims> low = ConstantSizes(l, op, 2), high = ConstantSizes(l, op, 3),
                            interior = ConstantSizes(l, op, 4);
  if (interior && std::any_of(interior->begin(), interior->end(), [](int64_t n) { return n < 0; }))
    return l.Invalid(op, "(C3) interior padding {} must not be negative", Text(*interior));
  if (x.rank() != r.rank()) return l.Invalid(op, "(C4) {} is padded to {}", ToText(x), ToText(r));
  if (!low || !high || !interior) return absl::OkStatus();
  for (size_t d = 0; d < low->size(); ++d) {
    const auto at = static_cast<int64_t>(d);
    if (!Known(x.dimension(at)) || !Known(r.dimension(at)) || x.is_dynamic(at) || r.is_dynamic(at))
      continue;
    __int128 size = x.dimension(at);
    size += (*low)[d];
    size += (*high)[d];
    size += static_cast<__int128>(std::max<int64_t>(x.dimension(at) - 1, 0)) * (*interior)[d];
    if (size == r.dimension(at)) continue;
    return l.Invalid(op, "(C4) dimension {} of {} is not what {} is padded to", d, ToText(r),
                     ToText(x));
  }
  return absl::OkStatus();
}

// The sizes of slices are an operand; those of gather are an attribute and have other labels.
absl::Status DynamicGather(const Lowering& l, const Operation& op) {
  if (op.operands.size() != 3 || op.results.size() != 1 || !IsArray(l, op.operands[0]) ||
      !IsArray(l, op.operands[1]))
    return absl::OkStatus();
  const Shape &x = l.Declared(op.operands[0]), &indices = l.Declared(op.operands[1]),
              &r = l.Declared(op.results[0]);
  ASSIGN_OR_RETURN(const Attribute* numbers, l.Require(op, "dimension_numbers"));
  ASSIGN_OR_RETURN(auto fields, Parser::ParseFields(l.source(), *numbers));
  Dims offset, collapsed, batching, map;
  int64_t vector = 0;
  for (const NamedAttribute& f : fields) {
    Dims* to = f.name == "offset_dims"             ? &offset
               : f.name == "collapsed_slice_dims"  ? &collapsed
               : f.name == "operand_batching_dims" ? &batching
               : f.name == "start_index_map"       ? &map
                                                   : nullptr;
    if (f.name == "index_vector_dim") vector = f.value.integer;
    if (to == nullptr) continue;
    ASSIGN_OR_RETURN(*to, l.ToDims(op, f.value));
  }
  const auto taken = static_cast<int64_t>(offset.size() + collapsed.size() + batching.size());
  if (taken != x.rank()) {
    return l.Invalid(op,
                     "(C1) each dimension of {} must be collapsed, batching or an offset, got {}",
                     ToText(x), taken);
  }
  if (vector < 0 || vector > indices.rank())
    return l.Invalid(op, "(C2) index_vector_dim {} is not from 0 to {}", vector, indices.rank());
  const int64_t length = vector < indices.rank() ? indices.dimension(vector) : 1;
  if (Known(length) && static_cast<int64_t>(map.size()) != length) {
    return l.Invalid(op, "(C3) start_index_map {} must have an entry for each of {} indices",
                     Text(map), length);
  }
  if (!IsUnique(offset) || !std::is_sorted(offset.begin(), offset.end()))
    return l.Invalid(op, "(C4) offset_dims {} must be unique and sorted", Text(offset));
  if (!InRange(offset, r.rank()))
    return l.Invalid(op, "(C5) offset_dims {} must be dimensions of {}", Text(offset), ToText(r));
  if (!IsUnique(collapsed) || !std::is_sorted(collapsed.begin(), collapsed.end()))
    return l.Invalid(op, "(C6) collapsed_slice_dims {} must be unique and sorted", Text(collapsed));
  if (!InRange(collapsed, x.rank())) {
    return l.Invalid(op, "(C7) collapsed_slice_dims {} must be dimensions of {}", Text(collapsed),
                     ToText(x));
  }
  const std::optional<Dims> sizes = ConstantSizes(l, op, 2);
  const bool complete = sizes && static_cast<int64_t>(sizes->size()) == x.rank();
  for (int64_t d : collapsed) {
    if (complete && (*sizes)[static_cast<size_t>(d)] > 1)
      return l.Invalid(op, "(C8) slice size {} of collapsed dimension {} must be at most 1",
                       (*sizes)[static_cast<size_t>(d)], d);
  }
  if (!IsUnique(map)) return l.Invalid(op, "(C9) start_index_map {} must be unique", Text(map));
  if (!InRange(map, x.rank()))
    return l.Invalid(op, "(C10) start_index_map {} must be dimensions of {}", Text(map), ToText(x));
  if (!HasElements(l, op.operands[2], x.rank())) {
    return l.Invalid(op, "(C11) slice_sizes is {}, the operand has {} dimensions",
                     Text(l, op.operands[2]), x.rank());
  }
  for (int64_t d = 0; complete && d < x.rank(); ++d) {
    const int64_t size = (*sizes)[static_cast<size_t>(d)];
    if (size >= 0 && (!Known(x.dimension(d)) || size <= x.dimension(d))) continue;
    return l.Invalid(op, "(C12) slice size {} is not within dimension {} of {}", size, d,
                     ToText(x));
  }
  if (r.element_type() != x.element_type())
    return l.Invalid(op, "(C14) the operand is {}, the result {}", ToText(x), ToText(r));
  const int64_t batch = indices.rank() - (vector < indices.rank() ? 1 : 0);
  if (r.rank() != batch + static_cast<int64_t>(offset.size())) {
    return l.Invalid(op, "(C13) the result must have {} batch and {} offset dimensions, it is {}",
                     batch, offset.size(), ToText(r));
  }
  // Offset dimensions stand for those of the slice that are left, batch dimensions for the
  // indices'.
  int64_t next_index = 0, next_slice = 0;
  auto is_left = [&](int64_t d) {
    return !std::count(collapsed.begin(), collapsed.end(), d) &&
           !std::count(batching.begin(), batching.end(), d);
  };
  for (int64_t d = 0; d < r.rank(); ++d) {
    const bool is_offset = std::binary_search(offset.begin(), offset.end(), d);
    int64_t expected = Shape::kUnbounded;
    if (is_offset) {
      while (!is_left(next_slice)) ++next_slice;
      if (complete && next_slice < x.rank()) expected = (*sizes)[static_cast<size_t>(next_slice)];
      ++next_slice;
    } else {
      if (next_index == vector) ++next_index;
      if (!indices.is_dynamic(next_index)) expected = indices.dimension(next_index);
      ++next_index;
    }
    if (Known(expected) && Known(r.dimension(d)) && !r.is_dynamic(d) && expected != r.dimension(d))
      return l.Invalid(op, "(C13) dimension {} of {} must be {}", d, ToText(r), expected);
  }
  return absl::OkStatus();
}

}  // namespace sinter::stablehlo::constraints
