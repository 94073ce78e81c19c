// Conversions between element types: to narrower floats to nearest even, from floats to integers
// truncated and saturated.
#include <cmath>
#include <limits>

#include "codegen/llvm/pointwise.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/PatternMatch.h"

namespace sinter::codegen {
namespace {

using llvm::PatternMatch::m_Shl;
using llvm::PatternMatch::m_SpecificInt;
using llvm::PatternMatch::m_Value;
using llvm::PatternMatch::match;

// Looks at so many values.
constexpr int kMostSourcesOfNan = 64;

bool LowHalfZero(const llvm::Constant* c) {
  if (c->getType()->isVectorTy()) c = c->getSplatValue();
  if (const auto* f = llvm::dyn_cast_or_null<llvm::ConstantFP>(c))
    return !f->isNaN() || f->getValueAPF().bitcastToAPInt().countr_zero() >= 16;
  return false;
}

// Whether the lower 16 bits of an F32 are zeros wherever it is NaN, if a NaN is that of an operand
// or one without payload: so it is of numbers that were BF16, and of what is computed from them.
bool NanIsShort(llvm::Value* v, int& left) {
  if (left-- <= 0) return false;
  if (const auto* c = llvm::dyn_cast<llvm::Constant>(v)) return LowHalfZero(c);
  auto operands = [&](unsigned from, unsigned to) {
    const auto* use = llvm::cast<llvm::User>(v);
    for (unsigned i = from; i < to; i++) {
      if (!NanIsShort(use->getOperand(i), left)) return false;
    }
    return true;
  };
  const auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  if (i == nullptr) return false;
  switch (i->getOpcode()) {
    case llvm::Instruction::SIToFP:
    case llvm::Instruction::UIToFP:
      return true;
    case llvm::Instruction::FNeg:
      return operands(0, 1);
    case llvm::Instruction::FAdd:
    case llvm::Instruction::FSub:
    case llvm::Instruction::FMul:
    case llvm::Instruction::FDiv:
      return operands(0, 2);
    case llvm::Instruction::Select:
      return operands(1, 3);
    case llvm::Instruction::ShuffleVector:
      return operands(0, llvm::isa<llvm::PoisonValue>(i->getOperand(1)) ? 1 : 2);
    case llvm::Instruction::InsertElement:
      return operands(llvm::isa<llvm::PoisonValue>(i->getOperand(0)) ? 1 : 0, 2);
    case llvm::Instruction::ExtractElement:
      return operands(0, 1);
    case llvm::Instruction::BitCast:
      return match(i->getOperand(0), m_Shl(m_Value(), m_SpecificInt(16)));
    case llvm::Instruction::Call: {
      const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(i);
      if (call == nullptr) return false;
      switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::fabs:
        case llvm::Intrinsic::sqrt:
        case llvm::Intrinsic::fma:
        case llvm::Intrinsic::floor:
        case llvm::Intrinsic::ceil:
        case llvm::Intrinsic::trunc:
        case llvm::Intrinsic::roundeven:
          return operands(0, call->arg_size());
        default:
          return false;
      }
    }
    default:
      return false;
  }
}

// The F16 that an F32 is, or null.
llvm::Value* AsHalf(llvm::Value* v) {
  if (auto* extended = llvm::dyn_cast<llvm::FPExtInst>(v)) {
    llvm::Value* half = extended->getOperand(0);
    return half->getType()->getScalarType()->isHalfTy() ? half : nullptr;
  }
  auto* c = llvm::dyn_cast<llvm::Constant>(v);
  if (c == nullptr) return nullptr;
  llvm::Constant* one = c->getType()->isVectorTy() ? c->getSplatValue() : c;
  auto* number = llvm::dyn_cast_or_null<llvm::ConstantFP>(one);
  if (number == nullptr) return nullptr;
  llvm::APFloat half = number->getValueAPF();
  bool loses = false;
  half.convert(llvm::APFloat::IEEEhalf(), llvm::APFloat::rmNearestTiesToEven, &loses);
  if (loses || half.isNaN()) return nullptr;
  return llvm::ConstantFP::get(Widen(llvm::Type::getHalfTy(v->getContext()), WidthOf(v->getType())),
                               half);
}

}  // namespace

// An operation on F16 that was done in F32 and is rounded now, by one instruction: F32 has more
// than twice the digits and two, so that rounding once or twice is the same. Null if it is none.
llvm::Value* Pointwise::HalfOperation(llvm::Value* v) {
  auto* i = llvm::dyn_cast<llvm::Instruction>(v);
  if (i == nullptr || i->getNumOperands() == 0) return nullptr;
  llvm::Value* x[2] = {AsHalf(i->getOperand(0)), nullptr};
  if (x[0] == nullptr) return nullptr;
  if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(i)) {
    if (call->getIntrinsicID() != llvm::Intrinsic::sqrt || llvm::isa<llvm::Constant>(x[0]))
      return nullptr;
    return b_.CreateUnaryIntrinsic(llvm::Intrinsic::sqrt, x[0]);
  }
  auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(i);
  if (binary == nullptr || (x[1] = AsHalf(i->getOperand(1))) == nullptr) return nullptr;
  if (llvm::isa<llvm::Constant>(x[0]) && llvm::isa<llvm::Constant>(x[1])) return nullptr;
  return b_.CreateBinOp(binary->getOpcode(), x[0], x[1]);
}

Expr Pointwise::Convert(Expr x, ElementType in, ElementType out, bool in_range) {
  if (in == out) return x;
  if (IsNarrowFloat(in)) {
    if (IsPredicate(out)) return Ne(x & 0x7fff, x.C(0));
    return Convert(WidenFloat(x, in), ElementType::F32, out, in_range);
  }
  if (IsFloat(in)) {
    if (IsPredicate(out)) return Ne(x, x.C(0));
    if (IsNarrowFloat(out)) return NarrowFloat(x, out);
    if (out == ElementType::F64) return x.FExt();
    if (out == ElementType::F32) return x.FTrunc();
    return FloatToInt(x, out, in_range);
  }
  if (IsFloat(out)) return IntToFloat(x, in, out);
  if (IsPredicate(out)) return Ne(x, x.C(0));
  const auto bits = static_cast<unsigned>(BitWidth(out));
  return IsSigned(in) ? x.Sext(bits) : x.Zext(bits);
}

// LLVM takes vectors of its saturating conversion apart. `fptosi` of anything out of range is
// poison, so that every limit is enforced before it, or chosen after it from a frozen result.
Expr Pointwise::FloatToInt(Expr x, ElementType out, bool in_range) {
  const bool is_signed = IsSigned(out);
  const int bits = BitWidth(out);
  auto convert = [&](Expr f, unsigned to, bool as_signed) {
    llvm::Type* type = f.IntType(to);
    return f.With(as_signed ? b_.CreateFPToSI(f, type) : b_.CreateFPToUI(f, type));
  };
  const auto to_bits = static_cast<unsigned>(bits);
  if (in_range) {
    Expr y = bits < 32 ? convert(x, 32, true) : convert(x, to_bits, is_signed);
    return x.With(b_.CreateFreeze(y)).Zext(to_bits);
  }
  const double lo = is_signed ? -std::ldexp(1.0, bits - 1) : 0.0;
  const double end = std::ldexp(1.0, is_signed ? bits - 1 : bits);  // the first value above
  // NaN becomes `lo`, which of unsigned integers is already its result, 0.
  Expr clamped = Select(Gt(x, x.F(lo)), x, x.F(lo));
  const int digits = x.bits() == 32 ? 24 : 53;
  Expr y = x;
  if (bits <= digits) {
    // The largest integer is a float: clamp to it.
    clamped = Select(Lt(clamped, x.F(end - 1)), clamped, x.F(end - 1));
    const unsigned via = bits < 32 ? 32 : to_bits;
    y = convert(clamped, via, is_signed || bits < 32);
    if (is_signed) y = Select(IsNan(x), y.C(0), y);
    return y.Zext(to_bits);
  }
  y = x.With(b_.CreateFreeze(convert(clamped, to_bits, is_signed)));
  llvm::APInt most =
      is_signed ? llvm::APInt::getSignedMaxValue(to_bits) : llvm::APInt::getMaxValue(to_bits);
  y = Select(Ge(x, x.F(end)), y.With(llvm::ConstantInt::get(y.type(), most)), y);
  return is_signed ? Select(IsNan(x), y.C(0), y) : y;
}

Expr Pointwise::IntToFloat(Expr x, ElementType in, ElementType out) {
  const bool is_signed = IsSigned(in);
  const int bits = IsPredicate(in) ? 1 : BitWidth(in);
  auto convert = [&](Expr i, unsigned to) {
    llvm::Type* type = i.FloatType(to);
    return i.With(is_signed ? b_.CreateSIToFP(i, type) : b_.CreateUIToFP(i, type));
  };
  if (out == ElementType::F64) return convert(x, 64);
  // f32 holds 16 bits exactly; whatever it has to round is beyond the largest f16, however it is
  // rounded.
  if (out == ElementType::F32) return convert(x, 32);
  if (out == ElementType::F16 || bits <= 16) return NarrowFloat(convert(x, 32), out);
  if (bits == 64) {
    // Down to 53 bits: the last twelve become one that only says whether any was set. 8 of all
    // remain in the end.
    Expr low = x & 0xfff;
    Expr sticky = (x ^ low) | Select(Eq(low, low.C(0)), low, low.C(0x800));
    Expr small = is_signed ? ULt(x + (int64_t{1} << 52), x.U(uint64_t{1} << 53))
                           : ULt(x, x.U(uint64_t{1} << 53));
    x = Select(small, x, sticky);
  }
  return NarrowFloat(convert(x, 64), out);
}

// The f32 that rounds to any narrower type as the f64 itself would: where inexact, the neighbour
// whose last bit is 1.
Expr Pointwise::RoundToOdd(Expr x) {
  Expr f = x.FTrunc();
  Expr bits = f.AsInt();
  Expr back = f.FExt();
  Expr inexact = x.With(b_.CreateFCmpONE(back, x));
  Expr adjust = inexact & Eq(bits & 1, bits.C(0));
  Expr odd = bits + Select(Gt(FAbs(back), FAbs(x)), bits.C(-1), bits.C(1));
  return Select(adjust, odd, bits).AsFloat();
}

Expr Pointwise::NarrowFloat(Expr x, ElementType out) {
  if (x.bits() == 64) x = RoundToOdd(x);
  if (out == ElementType::F16 && can_.half_arithmetic) {
    if (llvm::Value* half = HalfOperation(x)) return x.With(half).AsInt();
  }
  if (out == ElementType::F16 && can_.half)
    return x.With(b_.CreateFPTrunc(x, x.FloatType(16))).AsInt();
  Expr bits = x.AsInt();
  if (out == ElementType::BF16) {
    // Carries run into the exponent as they should. Hardware conversions flush denormals.
    Expr odd = bits & 0x10000;
    Expr rounded = can_.masked_operations ? Select(Ne(odd, odd.C(0)), bits + 0x8000, bits + 0x7fff)
                                          : bits + 0x7fff + (odd >> 16);
    rounded = rounded >> 16;
    // What rounds down a NaN changes none of its upper half.
    int left = kMostSourcesOfNan;
    if (can_.nan_of_operand && NanIsShort(x, left)) return rounded.Zext(16);
    Expr quiet = (bits >> 16) | 0x40;
    return Select(IsNan(x), quiet, rounded).Zext(16);
  }
  Expr sign = (bits >> 16) & 0x8000, a = bits & 0x7fffffff;
  // Denormals: the sum with 0.5 puts the last place of a half where the last place of the float is,
  // and rounds once.
  Expr half = x.F(0.5);
  Expr tiny = (a.AsFloat() + half).AsInt() - 0x3f000000;
  Expr normal = (a + (0xfff - 0x38000000) + ((a >> 13) & 1)) >> 13;
  Expr y = Select(Lt(a, a.C(0x38800000)), tiny, normal);
  y = Select(Lt(a, a.C(0x477ff000)), y, y.C(0x7c00));
  Expr nan = ((a >> 13) & 0x1ff) | 0x7e00;
  y = Select(Lt(a.C(0x7f800000), a), nan, y);
  return (y | sign).Zext(16);
}

Expr Pointwise::WidenFloat(Expr x, ElementType in) {
  if (in == ElementType::BF16) return (x.Zext(32) << 16).AsFloat();
  if (can_.half) return x.With(b_.CreateFPExt(x.AsFloat(), x.FloatType(32)));
  Expr bits = x.Zext(32);
  Expr sign = (bits & 0x8000) << 16;
  // The product moves the exponent's bias and makes denormals normal.
  Expr a = (bits & 0x7fff) << 13;
  Expr scaled = (a.AsFloat() * a.AsFloat().F(0x1p112)).AsInt();
  Expr special = a | 0x7f800000;  // infinity, NaN
  Expr y = Select(Lt(a, a.C(0x0f800000)), scaled, special);
  return (y | sign).AsFloat();
}

}  // namespace sinter::codegen
