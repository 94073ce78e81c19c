// Elementwise operations and the operators on ops.

#include "builder/impl.h"
#include "ir/ops/comparison.h"
#include "sinter/ops.h"

namespace sinter {
namespace {

Op Unary(HloOpcode op, const Operand& x, const Attributes& attrs = NoAttrs{}) {
  return Record({&x}, Name(op), [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(HloInstruction * i, r.Find(x.op()));
    return r.Add(op, {i}, attrs);
  });
}

Op Binary(HloOpcode op, const Operand& lhs, const Operand& rhs,
          absl::Span<const int64_t> broadcast_dimensions, const Attributes& attrs = NoAttrs{}) {
  return Record({&lhs, &rhs}, Name(op), [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
    ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
    RETURN_IF_ERROR(r.MakeAlike(x[0], x[1], broadcast_dimensions));
    return r.Add(op, x, attrs);
  });
}

Op Comparison(const Operand& lhs, const Operand& rhs,
              absl::Span<const int64_t> broadcast_dimensions, ComparisonDirection direction,
              ComparisonType type = ComparisonType::kDefault) {
  return Record({&lhs, &rhs}, Name(HloOpcode::Compare),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&lhs, &rhs}));
                  RETURN_IF_ERROR(r.MakeAlike(x[0], x[1], broadcast_dimensions));
                  const ElementType elements = x[0]->shape().element_type();
                  return r.Add(HloOpcode::Compare, x,
                               CompareAttrs{direction, ComparisonTypeFor(type, elements)});
                });
}

}  // namespace

namespace functions {

#define UNARY(Function, op) \
  Op Function(const Operand& operand) { return Unary(HloOpcode::op, operand); }
UNARY(Abs, Abs)
UNARY(Acos, Acos)
UNARY(Acosh, Acosh)
UNARY(Asin, Asin)
UNARY(Asinh, Asinh)
UNARY(Atan, Atan)
UNARY(Atanh, Atanh)
UNARY(Cbrt, Cbrt)
UNARY(Ceil, Ceil)
UNARY(Clz, Clz)
UNARY(Cos, Cosine)
UNARY(Cosh, Cosh)
UNARY(Erf, Erf)
UNARY(Exp, Exp)
UNARY(Expm1, Expm1)
UNARY(Floor, Floor)
UNARY(Imag, Imag)
UNARY(IsFinite, IsFinite)
UNARY(Log, Log)
UNARY(Log1p, Log1p)
UNARY(Logistic, Logistic)
UNARY(Neg, Negate)
UNARY(Not, Not)
UNARY(PopulationCount, Popcnt)
UNARY(Real, Real)
UNARY(Round, RoundAfz)
UNARY(RoundNearestEven, RoundEven)
UNARY(Rsqrt, Rsqrt)
UNARY(Sign, Sign)
UNARY(Sin, Sine)
UNARY(Sinh, Sinh)
UNARY(Sqrt, Sqrt)
UNARY(Tan, Tan)
UNARY(Tanh, Tanh)
#undef UNARY

Op Conj(const Operand& operand) {
  ComposedAt at(operand);
  Op real = Real(operand), imag = Imag(operand);
  return Complex(real, Neg(imag));
}

#define BINARY(Function, op)                                      \
  Op Function(const Operand& lhs, const Operand& rhs,             \
              absl::Span<const int64_t> broadcast_dimensions) {   \
    return Binary(HloOpcode::op, lhs, rhs, broadcast_dimensions); \
  }
BINARY(Add, Add)
BINARY(And, And)
BINARY(Atan2, Atan2)
BINARY(Complex, Complex)
BINARY(Div, Divide)
BINARY(Max, Maximum)
BINARY(Min, Minimum)
BINARY(Mul, Multiply)
BINARY(Mulhi, Mulhi)
BINARY(Or, Or)
BINARY(Pow, Power)
BINARY(Rem, Remainder)
BINARY(ShiftLeft, ShiftLeft)
BINARY(ShiftRightArithmetic, ShiftRightArithmetic)
BINARY(ShiftRightLogical, ShiftRightLogical)
BINARY(Sub, Subtract)
BINARY(Xor, Xor)
#undef BINARY

#define COMPARISON(Function, ...)                                   \
  Op Function(const Operand& lhs, const Operand& rhs,               \
              absl::Span<const int64_t> broadcast_dimensions) {     \
    return Comparison(lhs, rhs, broadcast_dimensions, __VA_ARGS__); \
  }
COMPARISON(Eq, ComparisonDirection::kEq)
COMPARISON(Ne, ComparisonDirection::kNe)
COMPARISON(Ge, ComparisonDirection::kGe)
COMPARISON(Gt, ComparisonDirection::kGt)
COMPARISON(Le, ComparisonDirection::kLe)
COMPARISON(Lt, ComparisonDirection::kLt)
COMPARISON(EqTotalOrder, ComparisonDirection::kEq, ComparisonType::kTotalOrder)
COMPARISON(NeTotalOrder, ComparisonDirection::kNe, ComparisonType::kTotalOrder)
COMPARISON(GeTotalOrder, ComparisonDirection::kGe, ComparisonType::kTotalOrder)
COMPARISON(GtTotalOrder, ComparisonDirection::kGt, ComparisonType::kTotalOrder)
COMPARISON(LeTotalOrder, ComparisonDirection::kLe, ComparisonType::kTotalOrder)
COMPARISON(LtTotalOrder, ComparisonDirection::kLt, ComparisonType::kTotalOrder)
#undef COMPARISON

}  // namespace functions

Op Copy(const Operand& operand) { return Unary(HloOpcode::Copy, operand); }
Op OptimizationBarrier(const Operand& operand) {
  return Unary(HloOpcode::OptimizationBarrier, operand);
}

Op ReducePrecision(const Operand& operand, int exponent_bits, int mantissa_bits) {
  return Unary(HloOpcode::ReducePrecision, operand,
               ReducePrecisionAttrs{exponent_bits, mantissa_bits});
}

Op ConvertElementType(const Operand& operand, ElementType new_element_type) {
  return Record({&operand}, Name(HloOpcode::Convert),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
                  if (IsComplex(x->shape().element_type()) && IsArrayType(new_element_type) &&
                      !IsComplex(new_element_type)) {
                    ASSIGN_OR_RETURN(x, r.Add(HloOpcode::Real, {x}));
                  }
                  Shape shape = x->shape();
                  shape.set_element_type(new_element_type);
                  return r.Add(HloOpcode::Convert, {x}, NoAttrs{}, {}, &shape);
                });
}

Op BitcastConvertType(const Operand& operand, ElementType new_element_type) {
  return Record({&operand}, Name(HloOpcode::BitcastConvert),
                [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
                  ASSIGN_OR_RETURN(HloInstruction * x, r.Find(operand.op()));
                  int from = BitWidth(x->shape().element_type()), to = BitWidth(new_element_type);
                  Dims sizes = x->shape().dimensions();
                  // The shape rule says what is wrong where these do not fit.
                  if (from > to && to > 0) sizes.push_back(from / to);
                  if (from < to && !sizes.empty()) sizes.pop_back();
                  Shape shape(new_element_type, std::move(sizes));
                  return r.Add(HloOpcode::BitcastConvert, {x}, NoAttrs{}, {}, &shape);
                });
}

Op Compare(const Operand& lhs, const Operand& rhs, absl::Span<const int64_t> broadcast_dimensions,
           ComparisonDirection direction, ComparisonType compare_type) {
  return Comparison(lhs, rhs, broadcast_dimensions, direction, compare_type);
}
Op Compare(const Operand& lhs, const Operand& rhs, ComparisonDirection direction) {
  return Comparison(lhs, rhs, {}, direction);
}

Op Select(const Operand& pred, const Operand& on_true, const Operand& on_false) {
  return Record(
      {&pred, &on_true, &on_false}, Name(HloOpcode::Select),
      [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
        ASSIGN_OR_RETURN(HloInstruction * p, r.Find(pred, ElementType::PRED));
        ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&on_true, &on_false}));
        x.insert(x.begin(), p);
        RETURN_IF_ERROR(r.RepeatScalars(x));
        return r.Add(HloOpcode::Select, x);
      });
}

Op Clamp(const Operand& min, const Operand& operand, const Operand& max) {
  return Record(
      {&operand, &min, &max}, Name(HloOpcode::Clamp),
      [&](Recording& r) -> absl::StatusOr<HloInstruction*> {
        ASSIGN_OR_RETURN(std::vector<HloInstruction*> x, r.FindAlike({&min, &operand, &max}));
        RETURN_IF_ERROR(r.RepeatScalars(x));
        return r.Add(HloOpcode::Clamp, x);
      });
}

Op operator-(const OpOperand& x) { return Neg(x.operand()); }
Op operator~(const OpOperand& x) { return Not(x.operand()); }

namespace {

Op ShiftRight(const Operand& x, const Operand& distance) {
  Builder* builder = x.builder() ? x.builder() : distance.builder();
  if (builder == nullptr) return Op();
  absl::StatusOr<const Shape*> shape = builder->GetShapePtr(x.is_number() ? distance.op() : x.op());
  // Either function reports an invalid op.
  bool is_signed = shape.ok() && IsSigned((*shape)->element_type());
  return is_signed ? ShiftRightArithmetic(x, distance) : ShiftRightLogical(x, distance);
}

}  // namespace

// The line is that of the operand that was converted at the operator.
#define OPERATOR(symbol, Function)                                                          \
  Op operator symbol(Op x, const Operand& y) { return Function(Operand(x, y.where()), y); } \
  Op operator symbol(const Number& x, const OpOperand& y) {                                 \
    return Function(Operand(x), y.operand());                                               \
  }
OPERATOR(+, Add)
OPERATOR(-, Sub)
OPERATOR(*, Mul)
OPERATOR(/, Div)
OPERATOR(%, Rem)
OPERATOR(&, And)
OPERATOR(|, Or)
OPERATOR(^, Xor)
OPERATOR(<<, ShiftLeft)
OPERATOR(>>, ShiftRight)
#undef OPERATOR

}  // namespace sinter
