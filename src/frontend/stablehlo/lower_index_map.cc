#include <algorithm>
#include <cstring>
#include <numeric>

#include "frontend/stablehlo/lowering.h"

namespace sinter::stablehlo::lower {
namespace {

// Whether a bitcast is one between predicates of one bit each, as the specification counts them,
// and elements of as many bits as the last dimension of the predicates is long. In the graph, as in
// HLO, a predicate has 8 bits.
bool SpreadsBits(const Shape& predicates, const Shape& elements) {
  if (!IsPredicate(predicates.element_type()) || IsPredicate(elements.element_type())) return false;
  if (IsComplex(elements.element_type()) || !predicates.is_static()) return false;
  Dims dims = elements.dimensions();
  dims.push_back(BitWidth(elements.element_type()));
  return dims == predicates.dimensions();
}

// Unsigned integers of which bit k is predicate k, the lowest first, and back.
class PredicateBits {
 public:
  PredicateBits(Lowering& l, const Operation& op, const Shape& predicates, ElementType elements)
      : l_(l),
        op_(op),
        elements_(elements),
        bits_(UnsignedOf(BitWidth(elements))),
        counted_(UnsignedOf(std::max(BitWidth(elements), 8))),
        spread_(counted_, predicates.dimensions()),
        whole_(counted_, Dims(predicates.dimensions().begin(), predicates.dimensions().end() - 1)) {
  }

  absl::StatusOr<HloInstruction*> Join(HloInstruction* predicates) {
    ASSIGN_OR_RETURN(HloInstruction * bits, As(HloOpcode::Convert, predicates, counted_));
    ASSIGN_OR_RETURN(HloInstruction * places, Places());
    ASSIGN_OR_RETURN(bits, l_.Add(op_, HloOpcode::ShiftLeft, {bits, places}));
    ASSIGN_OR_RETURN(HloInstruction * zero, l_.Splat(op_, Scalar(0), Shape(counted_)));
    ASSIGN_OR_RETURN(HloInstruction * whole, l_.Add(op_, HloOpcode::Reduce, {bits, zero},
                                                    DimensionsAttrs{{spread_.rank() - 1}}, {Or()}));
    ASSIGN_OR_RETURN(whole, As(HloOpcode::Convert, whole, bits_));
    return As(HloOpcode::BitcastConvert, whole, elements_);
  }

  absl::StatusOr<HloInstruction*> Split(HloInstruction* elements) {
    ASSIGN_OR_RETURN(HloInstruction * whole, As(HloOpcode::BitcastConvert, elements, bits_));
    ASSIGN_OR_RETURN(whole, As(HloOpcode::Convert, whole, counted_));
    Dims dims(static_cast<size_t>(whole_.rank()));
    std::iota(dims.begin(), dims.end(), 0);
    ASSIGN_OR_RETURN(HloInstruction * bits, l_.Add(op_, HloOpcode::Broadcast, {whole},
                                                   DimensionsAttrs{dims}, {}, &spread_));
    ASSIGN_OR_RETURN(HloInstruction * places, Places());
    ASSIGN_OR_RETURN(bits, l_.Add(op_, HloOpcode::ShiftRightLogical, {bits, places}));
    ASSIGN_OR_RETURN(HloInstruction * one, l_.Splat(op_, Scalar(1), spread_));
    ASSIGN_OR_RETURN(bits, l_.Add(op_, HloOpcode::And, {bits, one}));
    return As(HloOpcode::Convert, bits, ElementType::PRED);
  }

 private:
  static ElementType UnsignedOf(int bits) {
    using E = ElementType;
    return bits == 2    ? E::U2
           : bits == 4  ? E::U4
           : bits == 8  ? E::U8
           : bits == 16 ? E::U16
           : bits == 32 ? E::U32
                        : E::U64;
  }
  absl::StatusOr<HloInstruction*> As(HloOpcode op, HloInstruction* x, ElementType type) {
    if (x->shape().element_type() == type) return x;
    const Shape shape(type, x->shape().dimensions());
    return l_.Add(op_, op, {x}, NoAttrs{}, {}, &shape);
  }
  Literal Scalar(int64_t value) const {
    Literal scalar{Shape(counted_)};
    std::memcpy(scalar.untyped_data(), &value, static_cast<size_t>(ByteWidth(counted_)));
    return scalar;
  }
  absl::StatusOr<HloInstruction*> Places() {
    return l_.Add(op_, HloOpcode::Iota, {}, IotaAttrs{spread_.rank() - 1}, {}, &spread_);
  }
  HloComputation* Or() {
    HloComputation* c = l_.module().AddComputation("or_of_bits");
    HloInstruction* x = c->AddParameter(0, Shape(counted_));
    HloInstruction* y = c->AddParameter(1, Shape(counted_));
    c->set_root(c->AddWithShape(HloOpcode::Or, Shape(counted_), {x, y}));
    return c;
  }

  Lowering& l_;
  const Operation& op_;
  const ElementType elements_, bits_;
  const ElementType counted_;   // in which bits are moved
  const Shape spread_, whole_;  // of counted_: an element a bit, an element an element
};

}  // namespace

absl::Status BroadcastInDim(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "broadcast_dimensions"));
  return l.AddResult(op, HloOpcode::Broadcast, l.Operands(op), DimensionsAttrs{dims});
}

// New dimensions stand before those of the operand.
absl::Status Broadcast(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, "broadcast_sizes"));
  const Shape& operand = l.Operand(op, 0)->shape();
  Dims dims(static_cast<size_t>(operand.rank()));
  std::iota(dims.begin(), dims.end(), static_cast<int64_t>(sizes.size()));
  Dims expected = sizes;
  expected.insert(expected.end(), operand.dimensions().begin(), operand.dimensions().end());
  const Shape& result = l.Declared(op.results[0]);
  bool same = result.is_array() && result.rank() == static_cast<int64_t>(expected.size());
  for (size_t d = 0; same && d < expected.size(); ++d) {
    const int64_t size = result.dimensions()[d];
    same = expected[d] >= 0 && (size == expected[d] || size == Shape::kUnbounded);
  }
  if (!same) {
    return l.Invalid(op, "{} with broadcast_sizes [{}] before its sizes is not {}", ToText(operand),
                     Join(sizes, ", "), ToText(result));
  }
  return l.AddResult(op, HloOpcode::Broadcast, l.Operands(op), DimensionsAttrs{dims});
}

absl::Status Concatenate(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "dimension"));
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, l.Alike(op, l.Operands(op), dim));
  return l.AddResult(op, HloOpcode::Concatenate, operands, DimensionsAttrs{{dim}});
}

absl::Status DynamicSlice(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims sizes, l.RequireDims(op, "slice_sizes"));
  return l.AddResult(op, HloOpcode::DynamicSlice, l.Operands(op), DynamicSliceAttrs{sizes});
}

absl::Status DynamicUpdateSlice(Lowering& l, const Operation& op, const OpRow&) {
  return l.AddResult(op, HloOpcode::DynamicUpdateSlice, l.Operands(op));
}

absl::Status Iota(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(int64_t dim, l.RequireInteger(op, "iota_dimension"));
  return l.AddResult(op, HloOpcode::Iota, l.Operands(op), IotaAttrs{dim});
}

absl::Status Pad(Lowering& l, const Operation& op, const OpRow&) {
  PadAttrs attrs;
  ASSIGN_OR_RETURN(attrs.low, l.RequireDims(op, "edge_padding_low"));
  ASSIGN_OR_RETURN(attrs.high, l.RequireDims(op, "edge_padding_high"));
  ASSIGN_OR_RETURN(attrs.interior, l.RequireDims(op, "interior_padding"));
  return l.AddResult(op, HloOpcode::Pad, l.Operands(op), attrs);
}

absl::Status Reshape(Lowering& l, const Operation& op, const OpRow& row) {
  if (*row.op == HloOpcode::BitcastConvert && op.operands.size() == 1 && op.results.size() == 1) {
    HloInstruction* x = l.Operand(op, 0);
    const Shape &from = x->shape(), &to = l.ResultShape(op);
    if (from.is_array() && to.is_array() && SpreadsBits(from, to)) {
      ASSIGN_OR_RETURN(x, PredicateBits(l, op, from, to.element_type()).Join(x));
      return l.SetResult(op, x);
    }
    if (from.is_array() && to.is_array() && SpreadsBits(to, from)) {
      ASSIGN_OR_RETURN(x, PredicateBits(l, op, to, from.element_type()).Split(x));
      return l.SetResult(op, x);
    }
  }
  return l.AddResult(op, *row.op, l.Operands(op));
}

absl::Status Reverse(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "dimensions"));
  return l.AddResult(op, HloOpcode::Reverse, l.Operands(op), DimensionsAttrs{dims});
}

absl::Status Slice(Lowering& l, const Operation& op, const OpRow&) {
  SliceAttrs attrs;
  ASSIGN_OR_RETURN(attrs.starts, l.RequireDims(op, "start_indices"));
  ASSIGN_OR_RETURN(attrs.limits, l.RequireDims(op, "limit_indices"));
  ASSIGN_OR_RETURN(attrs.strides, l.RequireDims(op, "strides"));
  return l.AddResult(op, HloOpcode::Slice, l.Operands(op), attrs);
}

absl::Status Transpose(Lowering& l, const Operation& op, const OpRow&) {
  ASSIGN_OR_RETURN(Dims dims, l.RequireDims(op, "permutation"));
  return l.AddResult(op, HloOpcode::Transpose, l.Operands(op), DimensionsAttrs{dims});
}

}  // namespace sinter::stablehlo::lower
