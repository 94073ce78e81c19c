#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "frontend/stablehlo/broadcast.h"
#include "frontend/stablehlo/lowering.h"
#include "types/small_floats.h"

namespace sinter::stablehlo::lower {
namespace {

// The operand under `shape`, its dimension i being dimension dims[i] there.
absl::StatusOr<HloInstruction*> BroadcastTo(Lowering& l, const Operation& op, HloInstruction* x,
                                            const Shape& to, const Dims& dims) {
  if (x->shape().SameDimensions(to)) return x;
  Shape shape(x->shape().element_type(), to.dimensions());
  return l.Add(op, HloOpcode::Broadcast, {x}, DimensionsAttrs{dims}, {}, &shape);
}

Dims Range(int64_t first, int64_t count) {
  Dims dims;
  for (int64_t i = 0; i < count; ++i) dims.push_back(first + i);
  return dims;
}

Literal Scalar(ElementType type, double value) {
  Literal s{Shape(type)};
  if (type == ElementType::F64) {
    s.data<double>()[0] = value;
  } else if (type == ElementType::F32) {
    s.data<float>()[0] = static_cast<float>(value);
  } else if (IsFloat(type)) {
    uint32_t bits = EncodeFloat(*FormatOf(type), value);
    if (ByteWidth(type) == 1) {
      s.data<uint8_t>()[0] = static_cast<uint8_t>(bits);
    } else {
      s.data<uint16_t>()[0] = static_cast<uint16_t>(bits);
    }
  }
  return s;
}

absl::Status AddCompare(Lowering& l, const Operation& op, HloInstruction* a, HloInstruction* b) {
  CompareAttrs attrs;
  ASSIGN_OR_RETURN(const Attribute* direction, l.Require(op, "comparison_direction"));
  std::string_view word = Lowering::Word(*direction);
  constexpr std::pair<std::string_view, ComparisonDirection> kDirections[] = {
      {"EQ", ComparisonDirection::kEq}, {"NE", ComparisonDirection::kNe},
      {"GE", ComparisonDirection::kGe}, {"GT", ComparisonDirection::kGt},
      {"LE", ComparisonDirection::kLe}, {"LT", ComparisonDirection::kLt}};
  auto* d = std::find_if(std::begin(kDirections), std::end(kDirections),
                         [&](const auto& row) { return row.first == word; });
  if (d == std::end(kDirections)) return l.Invalid(op, "'{}' is no comparison", word);
  attrs.direction = d->second;
  if (const Attribute* type = op.Find("compare_type")) {
    constexpr std::pair<std::string_view, ComparisonType> kTypes[] = {
        {"NOTYPE", ComparisonType::kDefault},
        {"FLOAT", ComparisonType::kFloat},
        {"TOTALORDER", ComparisonType::kTotalOrder},
        {"SIGNED", ComparisonType::kSigned},
        {"UNSIGNED", ComparisonType::kUnsigned}};
    word = Lowering::Word(*type);
    auto* t = std::find_if(std::begin(kTypes), std::end(kTypes),
                           [&](const auto& row) { return row.first == word; });
    if (t == std::end(kTypes)) return l.Invalid(op, "'{}' is no type of comparison", word);
    attrs.type = t->second;
  }
  return l.AddResult(op, HloOpcode::Compare, {a, b}, attrs);
}

}  // namespace

absl::Status MakeAlike(Lowering& l, const Operation& op, HloInstruction** a, HloInstruction** b) {
  if (!(*a)->shape().is_array() || !(*b)->shape().is_array()) {
    return l.Invalid(op, "the operands must be tensors");
  }
  const bool swapped = (*a)->shape().rank() < (*b)->shape().rank();
  HloInstruction *&high = swapped ? *b : *a, *&low = swapped ? *a : *b;
  const int64_t rank = high->shape().rank(), low_rank = low->shape().rank();
  Dims dims = Range(rank - low_rank, low_rank);
  if (const Attribute* given = op.Find("broadcast_dimensions")) {
    ASSIGN_OR_RETURN(dims, l.ToDims(op, *given));
    bool fits = static_cast<int64_t>(dims.size()) == low_rank;
    for (size_t i = 0; i < dims.size(); ++i) {
      fits = fits && 0 <= dims[i] && dims[i] < rank && (i == 0 || dims[i - 1] < dims[i]);
    }
    if (!fits) {
      return l.Invalid(op, "broadcast_dimensions must name a dimension of {} for each of {}",
                       ToText(high->shape()), ToText(low->shape()));
    }
  }
  Dims common = high->shape().dimensions();
  for (size_t i = 0; i < dims.size(); ++i) {
    const int64_t s = low->shape().dimensions()[i];
    int64_t& d = common[static_cast<size_t>(dims[i])];
    if (d != s && d != 1 && s != 1) {
      return l.Invalid(op, "{} and {} do not broadcast", ToText((*a)->shape()),
                       ToText((*b)->shape()));
    }
    if (d == 1) d = s;
  }
  const Shape shape(high->shape().element_type(), common);
  ASSIGN_OR_RETURN(high, BroadcastTo(l, op, high, shape, Range(0, rank)));
  ASSIGN_OR_RETURN(low, BroadcastTo(l, op, low, shape, dims));
  return absl::OkStatus();
}

absl::Status Elementwise(Lowering& l, const Operation& op, const OpRow& row) {
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, l.Alike(op, l.Operands(op)));
  return l.AddResult(op, *row.op, operands);
}

// chlo.broadcast_add and the like: operands of different shapes.
absl::Status BroadcastElementwise(Lowering& l, const Operation& op, const OpRow& row) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  HloInstruction *a = l.Operand(op, 0), *b = l.Operand(op, 1);
  RETURN_IF_ERROR(MakeAlike(l, op, &a, &b));
  if (row.op == HloOpcode::Compare) return AddCompare(l, op, a, b);
  return l.AddResult(op, *row.op, {a, b});
}

absl::Status BroadcastSelect(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 3, 1));
  std::vector<HloInstruction*> operands = l.Operands(op);
  const Shape* shape = &l.ResultShape(op);
  for (HloInstruction*& x : operands) {
    if (!x->shape().is_array() || x->shape().rank() > shape->rank()) {
      return l.Invalid(op, "the operands do not broadcast to {}", ToText(*shape));
    }
    const int64_t rank = x->shape().rank();
    ASSIGN_OR_RETURN(x, BroadcastTo(l, op, x, *shape, Range(shape->rank() - rank, rank)));
  }
  return l.AddResult(op, HloOpcode::Select, operands);
}

absl::Status Compare(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 2, 1));
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> operands, l.Alike(op, l.Operands(op)));
  return AddCompare(l, op, operands[0], operands[1]);
}

// exponent_bits = 5, mantissa_bits = 10; or format = e5m10.
absl::Status ReducePrecision(Lowering& l, const Operation& op, const OpRow&) {
  ReducePrecisionAttrs attrs;
  if (const Attribute* format = op.Find("format")) {
    std::string_view text = Lowering::Word(*format);
    const char *p = text.data(), *end = p + text.size();
    std::from_chars_result e{p, std::errc::invalid_argument}, m = e;
    if (p != end && *p == 'e') e = std::from_chars(p + 1, end, attrs.exponent_bits);
    if (e.ec == std::errc() && e.ptr != end && *e.ptr == 'm') {
      m = std::from_chars(e.ptr + 1, end, attrs.mantissa_bits);
    }
    if (m.ec != std::errc() || m.ptr != end) {
      return l.Invalid(op, "expected a format such as e5m10, got '{}'", text);
    }
  } else {
    ASSIGN_OR_RETURN(attrs.exponent_bits, l.RequireInteger(op, "exponent_bits"));
    ASSIGN_OR_RETURN(attrs.mantissa_bits, l.RequireInteger(op, "mantissa_bits"));
  }
  return l.AddResult(op, HloOpcode::ReducePrecision, l.Operands(op), attrs);
}

absl::Status Square(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  return l.AddResult(op, HloOpcode::Multiply, {l.Operand(op, 0), l.Operand(op, 0)});
}

absl::Status Conjugate(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  HloInstruction* x = l.Operand(op, 0);
  if (!IsComplex(x->shape().element_type())) return l.SetResult(op, x);
  ASSIGN_OR_RETURN(HloInstruction * real, l.Add(op, HloOpcode::Real, {x}));
  ASSIGN_OR_RETURN(HloInstruction * imag, l.Add(op, HloOpcode::Imag, {x}));
  ASSIGN_OR_RETURN(imag, l.Add(op, HloOpcode::Negate, {imag}));
  return l.AddResult(op, HloOpcode::Complex, {real, imag});
}

// chlo.is_inf |x| = inf, chlo.is_pos_inf x = inf, chlo.is_neg_inf x = -inf.
absl::Status IsInfinite(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  HloInstruction* x = l.Operand(op, 0);
  if (!IsFloat(x->shape().element_type())) return l.Invalid(op, "the operand must be of floats");
  // Types of 8 bits and less may have no infinity, to which one would be rounded.
  if (BitWidth(x->shape().element_type()) <= 8) {
    Shape wide = x->shape();
    wide.set_element_type(ElementType::F32);
    ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Convert, {x}, NoAttrs{}, {}, &wide));
  }
  if (op.name == "chlo.is_inf") {
    ASSIGN_OR_RETURN(x, l.Add(op, HloOpcode::Abs, {x}));
  }
  double infinity = std::numeric_limits<double>::infinity();
  Literal bound =
      Scalar(x->shape().element_type(), op.name == "chlo.is_neg_inf" ? -infinity : infinity);
  ASSIGN_OR_RETURN(HloInstruction * y, l.Splat(op, std::move(bound), x->shape()));
  return l.AddResult(op, HloOpcode::Compare, {x, y}, CompareAttrs{});
}

absl::Status ConstantLike(Lowering& l, const Operation& op, const OpRow&) {
  RETURN_IF_ERROR(l.CheckCounts(op, 1, 1));
  ASSIGN_OR_RETURN(const Attribute* value, l.Require(op, "value"));
  const Shape& shape = l.ResultShape(op);
  if (!shape.is_array()) return l.Invalid(op, "the result must be a tensor");
  ElementType type = shape.element_type();
  if (value->type && value->type->shape.element_type() != type) {
    return l.Invalid(op, "the value is {}, the result {}", Name(value->type->shape.element_type()),
                     ToText(shape));
  }
  double real =
      value->kind == Attribute::Kind::kInteger ? static_cast<double>(value->integer) : value->real;
  Literal scalar = Scalar(type, real);
  if (IsInteger(type)) {
    // Little-endian: the low bytes are the value of any width.
    std::copy_n(reinterpret_cast<const std::byte*>(&value->integer), ByteWidth(type),
                static_cast<std::byte*>(scalar.untyped_data()));
  } else if (type == ElementType::C64) {
    scalar.data<std::complex<float>>()[0] = static_cast<float>(real);
  } else if (type == ElementType::C128) {
    scalar.data<std::complex<double>>()[0] = real;
  } else if (type == ElementType::PRED) {
    scalar.data<bool>()[0] = value->integer != 0;
  }
  ASSIGN_OR_RETURN(HloInstruction * splat, l.Splat(op, std::move(scalar), shape));
  ASSIGN_OR_RETURN(splat, l.WithSizesOf(op, splat, l.Operand(op, 0)));
  return l.SetResult(op, splat);
}

}  // namespace sinter::stablehlo::lower
