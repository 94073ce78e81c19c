// Quantized values in the graph are their stored integers (specification, "Quantized types" and
// "Quantization computations"): operations that move elements move those; operations that compute
// dequantize them, compute in the expressed type and quantize the result.
#include <algorithm>

#include "frontend/stablehlo/lowering.h"
#include "frontend/stablehlo/quantization.h"
#include "types/small_floats.h"

namespace sinter::stablehlo {
namespace {

// Real numbers as constants of a float type, rounded once.
Literal Floats(ElementType type, const Dims& dims, absl::Span<const double> values) {
  Literal literal{Shape(type, dims)};
  for (size_t i = 0; i < values.size(); ++i) {
    if (type == ElementType::F64) {
      literal.data<double>()[i] = values[i];
    } else if (type == ElementType::F32) {
      literal.data<float>()[i] = static_cast<float>(values[i]);
    } else if (ByteWidth(type) == 2) {
      literal.data<uint16_t>()[i] = static_cast<uint16_t>(EncodeFloat(*FormatOf(type), values[i]));
    } else {
      literal.data<uint8_t>()[i] = static_cast<uint8_t>(EncodeFloat(*FormatOf(type), values[i]));
    }
  }
  return literal;
}

// Select may move elements where all have one quantization; scales along a dimension then keep
// their places.
bool SelectsStored(const Lowering& l, const Operation& op) {
  if (op.name != "stablehlo.select" || op.operands.size() != 3 || op.results.size() != 1)
    return false;
  const Quantization* result = l.QuantizationOf(op.results[0]);
  return result != nullptr && std::all_of(op.operands.begin() + 1, op.operands.end(), [&](auto id) {
           const Quantization* q = l.QuantizationOf(id);
           return q != nullptr && *q == *result;
         });
}

// The quantized operands and results of elementwise operations may differ in scales and zero points
// only: the specification's baseline_element_type. Predicates are not compared.
absl::Status CheckBaselineTypes(const Lowering& l, const Operation& op, const OpRow& row) {
  if (row.elements.use != ElementUse::kElementwise) return absl::OkStatus();
  const std::string_view label = !op.name.starts_with("stablehlo.") ? ""
                                 : op.name == "stablehlo.clamp"     ? "(C3) "
                                 : op.name == "stablehlo.select"    ? "(C2) "
                                                                    : "(C1) ";
  std::vector<ValueId> ids = op.operands;
  ids.insert(ids.end(), op.results.begin(), op.results.end());
  const Quantization* first = nullptr;
  for (ValueId id : ids) {
    if (first == nullptr) first = l.QuantizationOf(id);
  }
  for (ValueId id : ids) {
    const Quantization* q = l.QuantizationOf(id);
    if (q == nullptr && l.Declared(id).element_type() == ElementType::PRED) continue;
    if (q == nullptr || q->storage != first->storage || q->expressed != first->expressed ||
        q->storage_min != first->storage_min || q->storage_max != first->storage_max) {
      return l.Invalid(op,
                       "{}operands and result must store the same integers of the same floats, "
                       "one is {}",
                       label, ToText(l.Declared(id)));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckQuantization(const Quantization& q, const Shape& shape) {
  auto text = [&] { return ToText(shape); };
  auto unknown = [&](int64_t d) { return shape.dimension(d) == Shape::kUnbounded; };
  if (q.dimension >= 0) {
    if (q.dimension < shape.rank() &&
        (unknown(q.dimension) ||
         shape.dimension(q.dimension) == static_cast<int64_t>(q.scales.size())))
      return absl::OkStatus();
    return InvalidArgument("{} scales do not fit dimension {} of {}", q.scales.size(), q.dimension,
                           text());
  }
  if (q.block_dimensions.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(q.scale_dimensions.size()) != shape.rank()) {
    return InvalidArgument("the scales of blocks stand in {} dimensions for the {} of {}",
                           q.scale_dimensions.size(), shape.rank(), text());
  }
  Dims counts(q.scale_dimensions.size(), 1);
  for (size_t i = 0; i < q.block_dimensions.size(); ++i) {
    const int64_t d = q.block_dimensions[i], size = q.block_sizes[i];
    if (d >= shape.rank())
      return InvalidArgument("there is no dimension {} for blocks in {}", d, text());
    if (std::count(q.block_dimensions.begin(), q.block_dimensions.end(), d) > 1)
      return InvalidArgument("dimension {} has blocks of two sizes", d);
    if (!unknown(d) && shape.dimension(d) % size != 0) {
      return InvalidArgument("blocks of {} do not divide dimension {} of {}", size, d, text());
    }
    counts[static_cast<size_t>(d)] =
        unknown(d) ? q.scale_dimensions[static_cast<size_t>(d)] : shape.dimension(d) / size;
  }
  if (counts != q.scale_dimensions) {
    return InvalidArgument("blocks of {} need {} scales, given {}", text(), Join(counts, "x"),
                           Join(q.scale_dimensions, "x"));
  }
  return absl::OkStatus();
}

Shape Lowering::InGraph(const Shape& shape) {
  Shape s = shape;
  s.set_quantization(nullptr);
  for (Shape& e : s.mutable_tuple_shapes()) e = InGraph(e);
  return s;
}

// The numbers of a quantized type, one a scale: throughout, along its dimension, or in its blocks.
absl::StatusOr<HloInstruction*> Lowering::PerScale(const Operation& op, const Quantization& q,
                                                   const Shape& like,
                                                   absl::Span<const double> values) {
  const Shape to(q.expressed, like.dimensions());
  if (absl::Status fits = CheckQuantization(q, like); !fits.ok())
    return Invalid(op, "{}", MessageOf(fits));
  if (q.dimension < 0 && q.block_dimensions.empty())
    return Splat(op, Floats(q.expressed, {}, values), to);
  if (q.dimension >= 0) {
    HloInstruction* vector = computation_->AddConstant(
        Floats(q.expressed, {static_cast<int64_t>(values.size())}, values));
    return Add(op, HloOpcode::Broadcast, {vector}, DimensionsAttrs{{q.dimension}}, {}, &to);
  }
  // Each scale as often along its dimension as its block is long, which is a dimension of its own
  // at first.
  Dims split, places;
  for (size_t d = 0; d < q.scale_dimensions.size(); ++d) {
    places.push_back(static_cast<int64_t>(split.size()));
    split.push_back(q.scale_dimensions[d]);
    split.push_back(like.dimensions()[d] / q.scale_dimensions[d]);
  }
  HloInstruction* blocks =
      computation_->AddConstant(Floats(q.expressed, q.scale_dimensions, values));
  const Shape apart(q.expressed, split);
  ASSIGN_OR_RETURN(blocks,
                   Add(op, HloOpcode::Broadcast, {blocks}, DimensionsAttrs{places}, {}, &apart));
  return Add(op, HloOpcode::Reshape, {blocks}, NoAttrs{}, {}, &to);
}

absl::StatusOr<HloInstruction*> Lowering::Dequantize(const Operation& op, HloInstruction* stored,
                                                     const Quantization& q) {
  const Shape to(q.expressed, stored->shape().dimensions());
  ASSIGN_OR_RETURN(HloInstruction * x, Add(op, HloOpcode::Convert, {stored}, NoAttrs{}, {}, &to));
  const std::vector<double> zeros(q.zero_points.begin(), q.zero_points.end());
  if (std::any_of(zeros.begin(), zeros.end(), [](double z) { return z != 0; })) {
    ASSIGN_OR_RETURN(HloInstruction * zero, PerScale(op, q, to, zeros));
    ASSIGN_OR_RETURN(x, Add(op, HloOpcode::Subtract, {x, zero}));
  }
  ASSIGN_OR_RETURN(HloInstruction * scale, PerScale(op, q, to, q.scales));
  return Add(op, HloOpcode::Multiply, {x, scale});
}

absl::StatusOr<HloInstruction*> Lowering::Quantize(const Operation& op, HloInstruction* x,
                                                   const Quantization& q) {
  if (x->shape().element_type() != q.expressed) {
    return Invalid(op, "(C1) quantizes {}, but the expressed type is {}", ToText(x->shape()),
                   Name(q.expressed));
  }
  const Shape shape = x->shape(), to(q.storage, shape.dimensions());
  const std::vector<double> zeros(q.zero_points.begin(), q.zero_points.end());
  ASSIGN_OR_RETURN(HloInstruction * scale, PerScale(op, q, shape, q.scales));
  ASSIGN_OR_RETURN(x, Add(op, HloOpcode::Divide, {x, scale}));
  if (std::any_of(zeros.begin(), zeros.end(), [](double z) { return z != 0; })) {
    ASSIGN_OR_RETURN(HloInstruction * zero, PerScale(op, q, shape, zeros));
    ASSIGN_OR_RETURN(x, Add(op, HloOpcode::Add, {x, zero}));
  }
  // NaN stays and becomes the integer 0.
  const Literal least = Floats(q.expressed, {}, {static_cast<double>(q.storage_min)});
  const Literal most = Floats(q.expressed, {}, {static_cast<double>(q.storage_max)});
  HloInstruction *low = computation_->AddConstant(least), *high = computation_->AddConstant(most);
  ASSIGN_OR_RETURN(x, Add(op, HloOpcode::Clamp, {low, x, high}));
  ASSIGN_OR_RETURN(x, Add(op, HloOpcode::RoundEven, {x}));
  return Add(op, HloOpcode::Convert, {x}, NoAttrs{}, {}, &to);
}

bool Lowering::IsQuantized(const Operation& op) const {
  auto quantized = [&](ValueId id) { return QuantizationOf(id) != nullptr; };
  return std::any_of(op.operands.begin(), op.operands.end(), quantized) ||
         std::any_of(op.results.begin(), op.results.end(), quantized);
}

absl::Status Lowering::LowerQuantized(const Operation& op, const OpRow& row) {
  const ElementUse use = row.elements.use;
  if (use == ElementUse::kPromotes) return LowerPromoted(op, row);
  const bool computes = use == ElementUse::kElementwise || use == ElementUse::kComputes;
  if (!computes || SelectsStored(*this, op)) {
    if (!computes) RETURN_IF_ERROR(CheckSameQuantization(op, row));
    return row.lower(*this, op, row);
  }
  RETURN_IF_ERROR(CheckBaselineTypes(*this, op, row));
  std::vector<std::pair<ValueId, HloInstruction*>> stored;
  absl::Status status = [&]() -> absl::Status {
    for (ValueId id : op.operands) {
      const Quantization* q = QuantizationOf(id);
      const bool is_done =
          std::any_of(stored.begin(), stored.end(), [&](const auto& s) { return s.first == id; });
      if (q == nullptr || is_done) continue;
      ASSIGN_OR_RETURN(HloInstruction * x, Dequantize(op, Get(id), *q));
      stored.emplace_back(id, Get(id));
      Set(id, x);
    }
    for (ValueId id : op.results) {
      if (const Quantization* q = QuantizationOf(id))
        shapes_[static_cast<size_t>(id)].set_element_type(q->expressed);
    }
    return row.lower(*this, op, row);
  }();
  for (auto [id, x] : stored) Set(id, x);
  RETURN_IF_ERROR(status);
  for (ValueId id : op.results) {
    const Quantization* q = QuantizationOf(id);
    if (q == nullptr) continue;
    if (HloInstruction* x = Get(id)) {
      ASSIGN_OR_RETURN(x, Quantize(op, x, *q));
      Set(id, x);
    }
    shapes_[static_cast<size_t>(id)].set_element_type(q->storage);
  }
  return absl::OkStatus();
}

namespace lower {

// Of floats, or of other quantized values, which are requantized.
absl::Status UniformQuantize(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  HloInstruction* x = l.Operand(op, 0);
  const Quantization* to = l.QuantizationOf(op.results[0]);
  if (to == nullptr) return l.Invalid(op, "the result must be quantized");
  if (const Quantization* from = l.QuantizationOf(op.operands[0])) {
    ASSIGN_OR_RETURN(x, l.Dequantize(op, x, *from));
  }
  ASSIGN_OR_RETURN(x, l.Quantize(op, x, *to));
  return l.SetResult(op, x);
}

absl::Status UniformDequantize(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  const Quantization* from = l.QuantizationOf(op.operands[0]);
  if (from == nullptr) return l.Invalid(op, "the operand must be quantized");
  ASSIGN_OR_RETURN(HloInstruction * x, l.Dequantize(op, l.Operand(op, 0), *from));
  return l.SetResult(op, x);
}

}  // namespace lower
}  // namespace sinter::stablehlo
